#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Points in processes of their own: the same bytes whatever --jobs is, and from a run in the program
# itself; one that crashes or has no memory left loses itself only; shares; what memory allows.
. "$(dirname "$0")/lib.sh"

command -v jq >/dev/null || { echo "jq is needed"; exit 77; }

# with sanitizers, too, a crash is a crash and what there is not is refused
export ASAN_OPTIONS=handle_segv=0:allocator_may_return_null=1:log_path=$PWD/asan

cat >a.yaml <<'END'
kernel: {connect: [S0, S1]}
workload: {threads: [4, 8], flows: 8}
END

cat >real.yaml <<'END'
machine: {sockets: 1, cores_per_die: 4}
kernel: {connect: [S0, S1]}
workload: {threads: [1, 3], server_threads: 2, flows: 8}
run: {warmup: 5ms, batch: 1ms, length: 10ms, until: {within: 0%}, at_most: 50ms}
END

transcript <<'END'
$ fake --jobs=0 a.yaml
! ehsim: --jobs=0: 'jobs' is 0, but must lie between 1 and 4096
! Try 'ehsim --help'.
? 2
$ fake -j4 --list --point=2 a.yaml
> 2: kernel.connect=S0 workload.threads=8 seed=1
$ fake --slice=2/3 --list a.yaml
> 2: kernel.connect=S0 workload.threads=8 seed=1
$ fake --slice=1/3 --list a.yaml
> 1: kernel.connect=S0 workload.threads=4 seed=1
> 4: kernel.connect=S1 workload.threads=8 seed=1
$ fake --slice=4/3 --list a.yaml
! ehsim: --slice=4/3: there are 3 shares only
! Try 'ehsim --help'.
? 2
$ fake --slice=4 --list a.yaml
! ehsim: --slice=4: write it as I/N, for example 3/16
! Try 'ehsim --help'.
? 2
$ fake --slice=1/2 --point=1 a.yaml
! ehsim: --point and --slice do not go together
! Try 'ehsim --help'.
? 2
$ fake --slice=5/6 a.yaml
! ehsim: slice 5 of 6 is empty, there are 4 points
$ EH_FAKE=crash fake -f json -o crash.json a.yaml
! ehsim: point 3: its process was ended by signal 11 (Segmentation fault)
! ehsim: point 4: its process was ended by signal 11 (Segmentation fault)
! ehsim: 2 of 4 points failed
? 1
$ jq -c '.points[] | [.index, .status, .metrics.throughput_per_s.mean]' crash.json
> [1,"done",4000]
> [2,"done",8000]
> [3,"failed",null]
> [4,"failed",null]
$ EH_FAKE=killed fake -q a.yaml >/dev/null
! ehsim: 2 of 4 points failed
? 1
$ EH_FAKE=exit fake a.yaml >/dev/null
! ehsim: point 3: its process ended early with status 3
! ehsim: point 4: its process ended early with status 3
! ehsim: 2 of 4 points failed
? 1
$ EH_FAKE=hog fake a.yaml >/dev/null
! ehsim: point 3: out of memory: the system gave no more, or a limit (ulimit -v) is reached
! ehsim: point 4: out of memory: the system gave no more, or a limit (ulimit -v) is reached
! ehsim: 2 of 4 points failed
? 1
$ EH_FAKE=hog fake --point=3 a.yaml
! ehsim: out of memory: the system gave no more, or a limit (ulimit -v) is reached
? 1
$ EH_FAKE=crash fake -f json --repeat=3 -s workload.threads=4 a.yaml | jq -c '.points[] | [.status, (.repeats | length), .status_text]'
> ["done",3,null]
> ["failed",1,"1 of 1 repeats, number 1: its process was ended by signal 11 (Segmentation fault)"]
! ehsim: point 2: 1 of 1 repeats, number 1: its process was ended by signal 11 (Segmentation fault)
! ehsim: 1 of 2 points failed
$ fake --memory=2MiB a.yaml 2>&1 | sed 's/up to [0-9.]* MiB/up to N MiB/'
> ehsim: point 2 needs up to N MiB of memory, and there are 2 MiB; nothing was simulated (--memory=SIZE if you know better)
$ fake --memory=2MiB a.yaml 2>/dev/null
? 1
$ fake --memory=100MiB -j8 -f json a.yaml 2>&1 >/dev/null | sed 's/up to [0-9.]* MiB/up to N MiB/'
> ehsim: a run needs up to N MiB of memory, and there are 100 MiB: not all of 8 jobs run at a time
$ fake --memory=100 a.yaml
! ehsim: --memory=100: 'memory' needs a unit; for example 100MB
! Try 'ehsim --help'.
? 2
END

# every report of a sweep, with all it may hold: one job, several jobs, from the program itself
everything=(--quiet --profile --trace-window=1ms)
for table in locks lines rcu slabs courses where; do
	ehsim --help | grep -q -- "--$table " && everything+=("--$table")
done
plain()
{
	case $1 in
	json) jq 'del(.host)' ;;
	*) cat ;;
	esac
}
for format in text neper perf json csv; do
	for jobs in 1 2 5; do
		ehsim "${everything[@]}" -j $jobs --trace=trace.$jobs -f $format real.yaml | plain $format >sweep.$jobs
	done
	expect "$format of 2 jobs is that of 1" cmp sweep.1 sweep.2
	expect "$format of 5 jobs is that of 1" cmp sweep.1 sweep.5
	expect "the trace of 2 jobs is that of 1" cmp trace.1 trace.2
	for point in 1 4; do
		ehsim "${everything[@]}" --trace=one.trace --point=$point -f $format real.yaml |
			plain $format >one
		ehsim "${everything[@]}" --trace=kept.trace --point=$point -f $format --results=kept real.yaml >/dev/null
		ehsim "${everything[@]}" --trace=read.trace --point=$point -f $format --merge=kept real.yaml |
			plain $format >read
		expect "$format of point $point from its record is that of the program" cmp one read
		expect "its trace is, too" cmp one.trace read.trace
		rm -f ./*.trace
	done
	rm -f trace.*
done
ehsim -q -j 1 --repeat=3 -f json real.yaml | plain json >sweep.1
ehsim -q -j 3 --repeat=3 -f json real.yaml | plain json >sweep.2
expect "repeats of 3 jobs are those of 1" cmp sweep.1 sweep.2

# Ctrl-C reaches everybody; the parent decides
EH_FAKE=slow setsid env --default-signal=INT fake -j 2 -f json -o int.json a.yaml 2>words &
for ((i = 0; i < 100; i++)); do
	[ "$(pgrep -c -g $! 2>/dev/null)" = 3 ] && break
	sleep 0.1
done
kill -INT -- -$!
wait $!
expect "status 130" test $? -eq 130
expect "both that ran are kept" test "$(jq -c '[.points[] | [.index, .status]]' int.json)" = \
	'[[1,"interrupted"],[2,"interrupted"]]'

# so does the end of a terminal
EH_FAKE=slow setsid env --default-signal=HUP fake -q -j 2 -f json -o hup.json a.yaml 2>words &
for ((i = 0; i < 100; i++)); do
	[ "$(pgrep -c -g $! 2>/dev/null)" = 3 ] && break
	sleep 0.1
done
kill -HUP -- -$!
wait $!
expect "status 129" test $? -eq 129
expect "what is complete is written" test "$(jq -c '[.points[] | [.index, .status]]' hup.json)" = \
	'[[1,"interrupted"],[2,"interrupted"]]'

# a parent that is killed takes its children with it
EH_FAKE=slow setsid fake -q -j 2 a.yaml 2>/dev/null >&2 &
group=$!
for ((i = 0; i < 100; i++)); do
	[ "$(pgrep -c -g $group)" = 3 ] && break
	sleep 0.1
done
kill -KILL $group
wait $group 2>/dev/null
for ((i = 0; i < 50; i++)); do
	pgrep -g $group >/dev/null || break
	sleep 0.1
done
expect "no child outlives its parent" test -z "$(pgrep -g $group)"

# a real limit of memory, on the real model
if (ulimit -v 100000 && /bin/true) 2>/dev/null && ! grep -qs __asan_init "$EHSIM"; then
	(ulimit -v 100000; exec ehsim -s kernel.ehash_buckets=16777216 --memory=1GiB --point=1 real.yaml) >out 2>words
	expect "status 1 without memory" test $? -eq 1
	expect "and a sentence" grep -q '^ehsim: .*memory' words
	expect "and nothing on stdout" test ! -s out
	(ulimit -v 100000; exec ehsim -s kernel.ehash_buckets=16777216 real.yaml) >out 2>words
	expect "refused before it runs" grep -q 'needs up to .* of memory, and there are 98 MiB' words
fi
finish
