#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Several reports of one run; and can what others wrote read them: gnuplot and a spreadsheet's reader the
# CSV, a script for neper's output the neper format, a validator of JSON schemas the JSON?
. "$(dirname "$0")/lib.sh"

cat >a.yaml <<'END'
workload: {threads: [2, 4], flows: 8}
network: {delay: [20us, 1ms]}
machine: {name: 'with, comma and "quote"'}
END

transcript <<'END'
$ fake -f text -f json=a.json -f csv=a.csv a.yaml | grep -c ^point
> 4
$ jq -r .schema a.json
> ehsim-result/1
$ cut -d, -f1-6,8,10-13 a.csv
> point,workload.threads,network.delay,network.delay_s,seed,status,simulated_s,throughput_per_s,throughput_per_s_lo,throughput_per_s_hi,latency_mean_s
> 1,2,20us,2e-05,1,done,10.02,2000,1980,2020,0.0005
> 2,2,1ms,0.001,1,done,10.02,2000,1980,2020,0.0005
> 3,4,20us,2e-05,1,done,10.02,4000,3960,4040,0.00025
> 4,4,1ms,0.001,1,done,10.02,4000,3960,4040,0.00025
$ grep -c ns_per_candidate a.csv
> 0
? 1
$ fake -f text -f json=a.json -f neper=a.neper a.yaml
! ehsim: a.json exists; --force overwrites it
? 2
$ test -e a.neper
? 1
$ fake -f csv -f neper=a.neper -o b.csv a.yaml && cmp a.csv b.csv && grep -c ^throughput a.neper
> 4
$ fake -f text -f json a.yaml
! ehsim: text and json cannot both go to standard output; name a file, as in --format=json=FILE
! Try 'ehsim --help'.
? 2
$ fake -f text=x -f json=x a.yaml
! ehsim: text and json cannot both go to x
! Try 'ehsim --help'.
? 2
$ fake -f text=x -f json=y -o z a.yaml
! ehsim: every --format names its file, --output=z is one too many
! Try 'ehsim --help'.
? 2
$ fake -f json= a.yaml
! ehsim: --format=json= needs the name of a file behind '='
! Try 'ehsim --help'.
? 2
$ fake -f csv=/dev/full -f json=whole.json a.yaml; tail -n 1 whole.json
> }
! ehsim: /dev/full cannot be written: No space left on device
$ fake -f perf --point=1 a.yaml | head -n 4
> # point 1: workload.threads=2, network.delay=20us, client
> #
> # Samples of event 'cpu-clock' (simulated busy time, all CPUs)
> #
$ fake -f csv -s 'machine.name=["a,b",c"d]' -s workload.threads=2 -s network.delay=20us a.yaml | cut -d, -f1-4
> point,machine.name,seed,status
> 1,"a,b",1
> 2,"c""d",1,done
END

if command -v gnuplot >/dev/null; then
	gnuplot -e "set datafile separator comma; set terminal dumb" \
		-e "stats 'a.csv' using 'workload.threads':'throughput_per_s'" \
		-e "plot 'a.csv' using 'network.delay_s':'latency_mean_s':'latency_mean_s_lo':'latency_mean_s_hi' with yerrorbars" >plot 2>&1
	expect "gnuplot reads every row" grep -qE 'Records: +4' plot
	expect "gnuplot reads no row wrongly" grep -qE 'Invalid: +0' plot
	expect "gnuplot draws" grep -q 'A' plot
fi

# What spreadsheets do: the dialect of Python's csv module that is named after one.
if command -v python3 >/dev/null; then
	fake -f csv -s 'machine.name=["a,b",c"d]' a.yaml | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin, dialect="excel", strict=True))
assert len(rows) == 8 and {r["machine.name"] for r in rows} == {"a,b", "c\"d"}
assert all(None not in r and float(r["throughput_per_s"]) > 0 for r in rows)'
	expect "a reader of spreadsheets takes the CSV" test $? -eq 0
fi
# Scripts made for neper: a shell that sources its lines, and one that takes every line as KEY=VALUE.
run='-q --point=1 -s workload.threads=2 -s workload.flows=20 -s run.start=cold -s run.length=1s'
# shellcheck disable=SC2086
ehsim $run -f neper-client=client.txt -f neper-server=server.txt "$srcdir/scenarios/connect-small.yaml"
expect "a shell sources neper's lines" bash -c '. ./client.txt && test "${throughput%.*}" -gt 1000 &&
	test "$num_threads $num_flows $throughput_units" = "2 20 transactions/s"'
expect "neper's order of results" diff - <(sed -n '/^total_run_time/,$s/=.*//p' client.txt) <<'END'
total_run_time
invalid_secret_count
time_start
utime_start
utime_end
stime_start
stime_end
num_transactions
latency_min
latency_max
latency_mean
latency_stddev
latency_p50
latency_p90
latency_p99
num_samples
time_end
throughput
throughput_units
local_throughput
END
expect "neper's order at the server" diff - <(sed -n '/^total_run_time/,$s/=.*//p' server.txt) <<'END'
total_run_time
invalid_secret_count
time_start
remote_throughput
END
if command -v python3 >/dev/null; then
	expect "every line is KEY=VALUE, percentiles lie in order" python3 -c '
r = dict(line.rstrip("\n").split("=") for line in open("client.txt"))
steps = [float(r["latency_" + k]) for k in ("min", "p50", "p90", "p99", "max")]
assert steps == sorted(steps) and steps[0] > 0
assert abs(float(r["throughput"]) - int(r["local_throughput"])) <= 0.5'
fi

# Every shipped scenario, cut short, and every table a result may have.
if python3 -c 'import jsonschema' 2>/dev/null; then
	mkdir json
	short="-q -s run.start=steady -s run.until.within=0% -s run.warmup=10us -s run.batch=10us -s run.length=20us"
	for scenario in "$srcdir"/scenarios/*.yaml "$srcdir"/scenarios/validate/*.yaml; do
		# shellcheck disable=SC2086
		ehsim $short --locks --lines --slabs --point=1 -f "json=json/$(basename "$scenario").json" "$scenario" 2>/dev/null
	done
	for scenario in "$srcdir"/tests/gold/small-*.yaml; do
		ehsim -q -f "json=json/$(basename "$scenario").json" "$scenario" 2>/dev/null
	done
	for how in fail imprecise; do
		EH_FAKE=$how fake -q -f json=json/$how.json --seed=9223372036854775807 a.yaml 2>/dev/null
	done
	fake -q --repeat=3 --baseline=workload.threads=4 -f json=json/repeat.json a.yaml
	expect "there are results" test "$(find json -name '*.json' | wc -l)" -ge 20
	expect "results follow their schema" python3 "$srcdir/tests/cli/validate.py" \
		"$srcdir/scenarios/ehsim-result.schema.json" json/*.json
fi
finish
