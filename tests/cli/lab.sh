#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The laboratory on the command line: what is refused, what comes out, and rows of `expect` that name
# several keys.
. "$(dirname "$0")/lib.sh"

command -v jq >/dev/null || { echo "jq is needed"; exit 77; }

cat >a.yaml <<'END'
machine: {sockets: 1, cores_per_die: 4, threads_per_core: 1}
workload: {kind: line, threads: [1, 2], line: {op: padded}}
run: {warmup: 10us, batch: 10us, length: 100us, until: {within: 0%}}
expect:
  - {metric: fairness, published: 1, within: 5%, when: {workload.threads: 1, workload.line.op: padded}}
  - {metric: throughput_ratio, published: 2, within: 5%, when: {workload.threads: 2, workload.line.op: padded}}
END
echo 'workload: {kind: [tcp_crr, line]}' >mixed.yaml

transcript <<'END'
$ ehsim -f json a.yaml | jq -c '.points[] | [.set, (.metrics | keys_unsorted), [.expect[] | [.metric, .holds]]]'
> [{"workload.threads":"1"},["ops_per_s","ns_per_op","ns_per_section","fairness","transfers_per_op"],[["fairness",true]]]
> [{"workload.threads":"2"},["ops_per_s","ns_per_op","ns_per_section","fairness","transfers_per_op","throughput_ratio"],[["throughput_ratio",true]]]
$ ehsim -f json -s workload.line.op=fetch_add a.yaml | jq -c '[.points[].expect]'
> [[],[]]
$ ehsim -f json a.yaml | jq -c '[.points[] | .profile.server, .neper]'
> [[],{"client":{},"server":{}},[],{"client":{},"server":{}}]
$ ehsim -f json a.yaml | jq -c '.scenario.values | [has("workload.line.op"), has("workload.lock.kind"), has("network.delay")]'
> [true,false,false]
$ ehsim -q --point=2 a.yaml | grep -E '(on the client|perf top|closed loop)'
> start: steady (line on one host, a closed loop per thread); 0.01 ms warm-up cut; 0.1 ms in
>   perf top:
$ ehsim --show a.yaml | grep -cE '^(network|  (lock|hash|flows|connect)):'
> 0
? 1
$ ehsim --list mixed.yaml
> 1: workload.kind=tcp_crr seed=1
> 2: workload.kind=line seed=1
$ ehsim -f neper a.yaml
! ehsim: --format=neper is for workload.kind: tcp_crr, tcp_stream, not for line
? 2
$ ehsim -f neper mixed.yaml
! ehsim: --format=neper is for workload.kind: tcp_crr, tcp_stream, not for line
? 2
$ ehsim --check -s workload.flows=4 a.yaml
! --set workload.flows=4: error: 'workload.flows' means nothing to workload.kind line, only to tcp_crr, tcp_stream; remove it
! ehsim: 1 error, nothing was simulated
? 2
END
finish
