#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --rcu: in text and JSON exactly when asked for, of every host; its histogram holds what its count says;
# nothing else changes by it, also from children and with repeats.
. "$(dirname "$0")/lib.sh"

command -v jq >/dev/null || { echo "jq is needed"; exit 77; }

cat >lab.yaml <<'END'
machine: {sockets: 1, cores_per_die: 4, threads_per_core: 1}
workload: {kind: rcu, threads: 3, rcu: {op: [synchronize, expedited], section: 3000, sections: 5, calls: 2, user: 50000}}
run: {warmup: 5ms, batch: 5ms, length: 30ms, until: {within: 0%}}
END
cat >crr.yaml <<'END'
machine: {sockets: 1, cores_per_die: 4, threads_per_core: 1}
kernel: {connect: S1, port_low: 40000, port_high: 40999}
workload: {threads: 4, server_threads: 4, flows: 200}
run: {warmup: 1ms, batch: 1ms, length: 20ms, until: {within: 0%}}
END

transcript <<'END'
$ ehsim -q --rcu lab.yaml | grep -E '^  (grace periods|synchronize_rcu|expedited) ' | awk '{print $1}'
> grace
> synchronize_rcu
> grace
> expedited
$ ehsim -q --rcu lab.yaml | grep -c '^  RCU:$'
> 2
$ ehsim -q --rcu crr.yaml | grep '^  RCU'
>   RCU on the client:
>   RCU on the server:
$ ehsim -q lab.yaml | grep -c RCU
> 0
? 1
$ ehsim -q -f json lab.yaml | jq -c '[.points[] | has("rcu")]'
> [false,false]
$ ehsim -q -f json --rcu crr.yaml | jq -c '.points[].rcu | keys'
> ["client","server"]
$ ehsim -q -f json --rcu lab.yaml | jq -c '.points[].rcu | [keys, (.client.grace_periods | .count > 0 and .count == ([.histogram[].count] | add))]'
> [["client"],true]
> [["client"],true]
$ ehsim -q -f json --rcu lab.yaml | jq -c '.points[].rcu.client | [.synchronize_rcu.count > 0, .synchronize_rcu_expedited.count > 0, .ipis > 0, .called > .invoked - .waiting_peak, .bytes_peak == 128 * .waiting_peak]'
> [true,false,false,true,true]
> [false,true,true,true,true]
$ ehsim -q -f json --rcu --repeat=2 --point=1 lab.yaml | jq -c '.points[0] | [.rcu.client.grace_periods.count > 0, (.repeats | length)]'
> [true,2]
$ ehsim -q -f json --rcu --jobs=2 lab.yaml | jq 'del(.host)' >children; ehsim -q -f json --rcu lab.yaml | jq 'del(.host)' | cmp - children
$ ehsim -q -f json --rcu lab.yaml | jq 'del(.host, .points[].rcu)' >with; ehsim -q -f json lab.yaml | jq 'del(.host)' | cmp - with
END
finish
