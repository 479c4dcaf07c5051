#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs, over a stand-in for the model: exit status, expectations, what a failed or interrupted run
# leaves behind.
. "$(dirname "$0")/lib.sh"

command -v jq >/dev/null || { echo "jq is needed"; exit 77; }

cat >a.yaml <<'END'
kernel: {connect: [S0, S1]}
workload: {threads: 4, flows: 4}
expect:
  - {metric: throughput_per_s, published: 4100, within: 5%, when: {kernel.connect: S0}, row: T}
  - {metric: throughput_ratio, published: 2.95, within: 5%}
  - {metric: profile.client._raw_spin_lock, published: 40%}
  - {metric: ns_per_candidate, published: 80}
END
json()
{
	jq -c "$1"
}
export -f json

transcript <<'END'
$ fake -f json a.yaml | json '[.points[] | {index, status, set}]'
> [{"index":1,"status":"done","set":{"kernel.connect":"S0"}},{"index":2,"status":"done","set":{"kernel.connect":"S1"}}]
$ fake -f json a.yaml | json '.points[1].expect[] | [.metric, .published, .simulated, .holds]'
> ["throughput_ratio",2.95,3,true]
> ["profile.client._raw_spin_lock",0.4,0.25,true]
> ["ns_per_candidate",80,null,true]
$ fake -f json a.yaml | json '.points[0].expect | length'
> 3
$ fake -s workload.threads=3 a.yaml >/dev/null
! ehsim: 1 of 2 expectations did not hold
? 1
$ fake -q -s workload.threads=3 a.yaml >/dev/null
? 1
$ fake -f json --point=2 -o 2.json a.yaml; json '.points[] | [.index, .expect[0].note]' <2.json
> [2,"the first point of the sweep was not run"]
! ehsim: 1 of 1 expectations did not hold
$ EH_FAKE=fail fake a.yaml >/dev/null
! ehsim: point 1: the fake was told to fail
! ehsim: point 2: the fake was told to fail
! ehsim: 2 of 2 points failed
? 1
$ EH_FAKE=imprecise fake -f json -o i.json a.yaml; json '[.points[].status]' <i.json
> ["imprecise","imprecise"]
! ehsim: point 1: the fake reached 3 % of the 1 % wanted
! ehsim: point 2: the fake reached 3 % of the 1 % wanted
$ EH_FAKE=slow timeout --foreground --preserve-status -s INT 1 fake -j 1 -f json -o int.json a.yaml
! ehsim: point 1: interrupted
! ehsim: interrupted; what was complete is written
? 130
$ json '[.points[] | [.index, .status]]' <int.json
> [[1,"interrupted"]]
$ EH_FAKE=slow timeout --foreground --preserve-status -s TERM 1 fake -j 1 -q -f json -o term.json a.yaml
! ehsim: interrupted; what was complete is written
? 143
$ fake -f json --seed=5 a.yaml | json 'del(.host)' >1.json && json '[.points[].seed]' <1.json
> [5,5]
$ mkdir -p other && cd other && fake -f json --seed=5 ../a.yaml | json 'del(.host)' | cmp - ../1.json
$ fake -f neper --point=1 a.yaml | grep '^throughput='
> throughput=4000.00
END

# The alarm in front of the first transaction: neper's two readings of the times are the wrong way round.
cat >short.yaml <<'END'
machine: {sockets: 1, dies_per_socket: 1, cores_per_die: 2, threads_per_core: 1}
workload: {threads: 1, server_threads: 1, flows: 300}
run: {start: cold, length: 100us}
END
expect "there is no time that is negative" test "$(ehsim -q -f json short.yaml |
	json '[.points[].metrics | .utime_s, .busy_cpus | .mean, .null_reason]')" = \
	'[null,"run.length was over before the first transaction",null,"run.length was over before the first transaction"]'
expect "nothing is known per transaction where none ended" test "$(ehsim -q -f json -s run.start=steady -s run.warmup=0ns \
	-s run.batch=1us -s run.length=2us -s run.until.within=0% short.yaml |
	json '[.points[].metrics | .stime_per_transaction_s, .candidates_per_connect | .mean, .null_reason]')" = \
	'[null,"none ended in the window",null,"none ended in the window"]'
expect "no rate is negative where searches from before end and no transaction does" test "$(ehsim -q -f json \
	-s run.start=steady -s run.warmup=100us -s run.batch=100us -s run.length=1ms -s run.until.within=0% -s run.seed=3 \
	-s machine.sockets=2 -s kernel.connect=S1 -s kernel.port_low=40000 -s kernel.port_high=65535 -s network.queues=2 \
	-s network.rate=1Mbit/s -s workload.threads=4 -s workload.flows=50 -s workload.stagger=100us short.yaml |
	json '[.points[].metrics.throughput_per_s.mean >= 0]')" = '[true]'
finish
