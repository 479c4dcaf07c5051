#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --trace: does it leave the run alone, do the slices of a CPU follow one another inside the window, and
# do they say the same as the profile?
. "$(dirname "$0")/lib.sh"

cat >lock.yaml <<'END'
machine: {sockets: 2, cores_per_die: 4}
workload: {kind: lock, threads: [2, 8], lock: {kind: queued, inside: 100, outside: 100, touch: 1}}
run: {warmup: 20us, batch: 100us, length: 100us, until: {within: 0%}}
END
echo 'workload: {threads: 2, flows: 2}' >a.yaml

transcript <<'END'
$ fake --trace-window=1us a.yaml
! ehsim: --trace-window needs --trace=FILE or --report=DIR
! Try 'ehsim --help'.
? 2
$ fake --trace=t --trace-window=5 a.yaml 2>&1 | head -n 1
> ehsim: --trace-window=5: 'trace-window' needs a unit; for example 5us
$ fake --trace=t --trace-window=1us+0us a.yaml 2>&1 | head -n 1
> ehsim: --trace-window=0us: 'trace-window' is 0us, but must lie between 1ns and 1s
$ fake --trace=t -f json=t a.yaml 2>&1 | head -n 1
> ehsim: json and trace cannot both go to t
$ ehsim --trace=t --trace-window=2us --explain=run.seed | head -n 1
> run.seed
$ echo *
> a.yaml lock.yaml
$ ehsim -f json=plain.json lock.yaml
$ ehsim -f json=traced.json --trace=t.json --trace-window=100us lock.yaml
$ diff <(jq 'del(.host)' plain.json) <(jq 'del(.host)' traced.json)
$ ehsim -f json=again.json --trace=t.json lock.yaml
! ehsim: t.json exists; --force overwrites it
? 2
$ ehsim -q -f csv --trace=late.json --trace-window=1s+1us lock.yaml >/dev/null
$ ehsim -f csv --trace=late2.json --trace-window=1s+1us --point=1 lock.yaml >/dev/null
! ehsim: point 1: the trace is empty; the run ended before its window
$ jq -r '.displayTimeUnit, .otherData.scenario, (.traceEvents[] | select(.name == "process_name") | .args.name)' t.json
> ns
> lock.yaml
> point 1: workload.threads=2
> point 2: workload.threads=8
$ jq -r '[.traceEvents[] | select(.name == "thread_name" and .pid == 3)] | length' t.json
> 8
$ jq -c '[.traceEvents[] | select(.ph == "X")] | (map(.ts) | min >= 0), (map(.ts + .dur) | max < 100.0001)' t.json
> true
> true
END

# Slices neither overlap nor leave gaps: these CPUs are never idle.
jq -r '.traceEvents[] | select(.ph == "X" and .pid == 3) | [.tid, .ts, .dur, .name] | @tsv' t.json >slices
awk '{
	if ($1 in end && ($2 < end[$1] - 1e-6 || $2 > end[$1] + 1e-6))
		bad++
	end[$1] = $2 + $3
} END { exit bad > 0 }' slices
expect "slices of a CPU follow one another" test $? -eq 0

# Shares of the trace against those of the profile, which speaks of the same 100 us.
jq -r '.points[1].profile.client[] | [.symbol, .share] | @tsv' traced.json >profile
awk 'FNR == NR { share[$1] = $2; next }
	{ sum[$4] += $3; all += $3 }
	END {
		for (symbol in share) {
			d = sum[symbol] / all - share[symbol]
			if (d > 0.01 || d < -0.01) {
				print symbol, share[symbol], sum[symbol] / all
				bad++
			}
		}
		exit bad > 0
	}' profile slices
expect "trace and profile agree" test $? -eq 0
finish
