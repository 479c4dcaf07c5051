#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --locks and --lines: in text and JSON exactly when asked for, at each point of a sweep, of every kind
# of workload; nothing else changes by them.
. "$(dirname "$0")/lib.sh"

command -v jq >/dev/null || { echo "jq is needed"; exit 77; }

cat >lab.yaml <<'END'
machine: {sockets: 1, cores_per_die: 4, threads_per_core: 1}
workload: {kind: lock, threads: [1, 4], lock: {kind: ticket, inside: 100, outside: 100, touch: 1}}
run: {warmup: 10us, batch: 10us, length: 100us, until: {within: 0%}}
END
cat >crr.yaml <<'END'
machine: {sockets: 1, cores_per_die: 4, threads_per_core: 1}
kernel: {connect: [S0, S1], port_low: 40000, port_high: 40999}
workload: {threads: 4, server_threads: 4, flows: 200}
run: {warmup: 1ms, batch: 1ms, length: 3ms, until: {within: 0%}}
END

# The heads of tables and what stands below a head: no numbers of a run.
tables()
{
	grep -E '^point|^  (perf|the rest|how long)|^ +(contended|con-bounces|holdtime-min|share) ' | tr -s ' '
}
export -f tables

transcript <<'END'
$ ehsim -q --locks lab.yaml | tables
> point 1: workload.threads=1 (simulated 110 us)
>  perf top:
>  perf lock contention:
>  the rest of lock_stat:
>  con-bounces waittime-min acq-bounces acquisitions class name
>  how long locks are held:
>  holdtime-min holdtime-max holdtime-total holdtime-avg class name
> point 2: workload.threads=4 (simulated 110 us)
>  perf top:
>  perf lock contention:
>  contended total wait max wait avg wait type caller
>  the rest of lock_stat:
>  con-bounces waittime-min acq-bounces acquisitions class name
>  how long locks are held:
>  holdtime-min holdtime-max holdtime-total holdtime-avg class name
>  perf diff, point 2: workload.threads=4:
$ ehsim -q --locks --point=1 lab.yaml | grep 'no lock'
>     no lock was contended
$ ehsim -q --lines --point=2 lab.yaml | tables
> point 2: workload.threads=4 (simulated 110 us)
>  perf top:
>  perf c2c:
>  share Tot Hitm LclHitm RmtHitm LclStore RmtStore mean wait lines hottest cacheline
$ ehsim -q --lines --point=1 lab.yaml | grep 'no line'
>     no line went from one CPU to another
$ ehsim -q --lines --locks --point=2 crr.yaml | tables | grep -v ' share '
> point 2: kernel.connect=S1 (simulated 4 ms)
>  perf top on the client:
>  perf top on the server:
>  perf lock contention on the client:
>  contended total wait max wait avg wait type caller
>  the rest of lock_stat on the client:
>  con-bounces waittime-min acq-bounces acquisitions class name
>  how long locks are held on the client:
>  holdtime-min holdtime-max holdtime-total holdtime-avg class name
>  perf c2c on the client:
>  perf lock contention on the server:
>  contended total wait max wait avg wait type caller
>  the rest of lock_stat on the server:
>  con-bounces waittime-min acq-bounces acquisitions class name
>  how long locks are held on the server:
>  holdtime-min holdtime-max holdtime-total holdtime-avg class name
>  perf c2c on the server:
$ ehsim -q lab.yaml | grep -c -E 'contention|c2c'
> 0
? 1
$ ehsim -q -f json lab.yaml | jq -c '[.points[] | has("locks"), has("lines")]'
> [false,false,false,false]
$ ehsim -q -f json --locks lab.yaml | jq -c '.points[] | [has("lines"), .locks.client[0].name, .locks.server]'
> [false,"lock under test",[]]
> [false,"lock under test",[]]
$ ehsim -q -f json --locks --point=1 lab.yaml | jq -c '.points[0].locks.client[0] | [.type, .contentions, .waittime_min_ns, .waittime_avg_ns, .waittime_total_ns]'
> ["ticket",0,null,null,0]
$ ehsim -q -f json --lines crr.yaml | jq -c '.points[] | [has("locks"), (.lines.client, .lines.server | length)]'
> [false,21,21]
> [false,21,21]
$ ehsim -q -f json --lines crr.yaml | jq -c '.points[0].lines.client | [.[20].cacheline, .[20].hottest_line]'
> ["other",null]
$ ehsim -q -f json --lines --locks crr.yaml | jq -c '.points[0] | [(.locks, .lines | .client[0] | keys_unsorted)]'
> [["name","type","con_bounces","contentions","waittime_min_ns","waittime_max_ns","waittime_total_ns","waittime_avg_ns","acq_bounces","acquisitions","holdtime_min_ns","holdtime_max_ns","holdtime_total_ns","holdtime_avg_ns"],["cacheline","share","tot_hitm","lcl_hitm","rmt_hitm","lcl_store","rmt_store","wait_mean_ns","lines","hottest_share","hottest_line"]]
$ ehsim -q --check --locks --lines lab.yaml
$ ehsim --lock lab.yaml
! ehsim: unknown option '--lock'; did you mean '--locks'?
! Try 'ehsim --help'.
? 2
$ ehsim -q -v --point=2 lab.yaml | tail -n 1
> Little's law: 6 queues checked
END

for scenario in lab crr; do
	ehsim -q -f json $scenario.yaml | jq 'del(.host)' >without
	ehsim -q -f json --locks --lines $scenario.yaml | jq 'del(.host, .points[].locks, .points[].lines)' >with
	expect "$scenario: the same result but for the tables" cmp without with
done
expect "--format=neper is unchanged" cmp <(ehsim -q -f neper crr.yaml) <(ehsim -q -f neper --locks --lines crr.yaml)
expect "the same tables twice" cmp <(ehsim -q --locks --lines crr.yaml) <(ehsim -q --locks --lines crr.yaml)
finish
