#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --where and --format=where: in text, JSON and CSV exactly when asked for, at each point of a sweep;
# rows add up to the busy time, nothing else changes by them.
. "$(dirname "$0")/lib.sh"

command -v jq >/dev/null || { echo "jq is needed"; exit 77; }

cat >lab.yaml <<'END'
machine: {sockets: 1, cores_per_die: 4, threads_per_core: 1}
workload: {kind: lock, threads: [1, 4], lock: {kind: ticket, inside: 100, outside: 100, touch: 1}}
run: {warmup: 10us, batch: 10us, length: 100us, until: {within: 0%}}
END
cat >crr.yaml <<'END'
machine: {sockets: 2, cores_per_die: 2, threads_per_core: 1}
kernel: {connect: [S0, S1, S3], port_low: 40000, port_high: 40999}
workload: {threads: 4, server_threads: 4, flows: 200}
run: {warmup: 1ms, batch: 1ms, length: 3ms, until: {within: 0%}}
END

transcript <<'END'
$ ehsim -q --where crr.yaml | grep 'where the time'
>   where the time went on the client, per candidate port, and per connection, us:
>   where the time went on the server, per connection, us:
>   where the time went on the client, per candidate port, and per connection, us:
>   where the time went on the server, per connection, us:
>   where the time went on the client, per candidate port, and per connection, us:
>   where the time went on the server, per connection, us:
>   where the time went on the client, point by point:
$ ehsim -q --where lab.yaml | grep -E 'where the time|-> 4'  | sed 's/: [0-9].*//'
>   where the time went, per operation:
>   where the time went, per operation:
>   where the time went, point by point:
>   1 -> 4
$ ehsim -q --where crr.yaml | grep -cE '^  S[01] -> S[13]: .* ns per port, of which'
> 2
$ ehsim -q --where crr.yaml | awk '/busy time charged/ && $6 != $10' | wc -l
> 0
$ ehsim -q -f json lab.yaml | jq -c '[.points[] | has("where")]'
> [false,false]
$ ehsim -q -f json --where crr.yaml | jq -c '.points[].where | [.client, .server | .busy_ps == ([.rows[] | .search_ps + .kernel_ps + .softirq_ps + .user_ps] | add)]'
> [true,true]
> [true,true]
> [true,true]
$ ehsim -q -f json --where lab.yaml | jq -c '.points[0].where | [.ports, (.client.rows | length), .server]'
> [0,29,{"busy_ps":0,"rows":[]}]
$ ehsim -q -f where crr.yaml | cut -d, -f1-4 | uniq -c | sed 's/^ *//; s/,[a-z]*$//' | awk -F'[ ,]' '{n[$2 "," $3 "," $4] += $1} END {for (x in n) print x, n[x]}' | sort
> 1,S0,client 29
> 1,S0,server 29
> 2,S1,client 29
> 2,S1,server 29
> 3,S3,client 29
> 3,S3,server 29
> point,swept,host 1
$ ehsim -q -f where lab.yaml | head -n 2 | cut -d, -f1-5
> point,swept,host,group,reason
> 1,1,host,,instructions
$ ehsim -q -f where lab.yaml | head -n 1 | cut -d, -f6-
> search_ps,kernel_ps,softirq_ps,user_ps,accesses,hidden_ps,ports,operations
END

for scenario in lab crr; do
	ehsim -q -f json $scenario.yaml | jq 'del(.host)' >without
	ehsim -q -f json --where $scenario.yaml | jq 'del(.host, .points[].where)' >with
	expect "$scenario: the same result but for the table" cmp without with
done
expect "the same tables twice" cmp <(ehsim -q --where crr.yaml) <(ehsim -q --where crr.yaml)
expect "at most 100 columns" test "$(ehsim -q --where crr.yaml | awk 'length > 100' | wc -l)" = 0
finish
