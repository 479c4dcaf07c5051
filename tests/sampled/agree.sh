#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Does a sampled run say what one says that simulates every port? Eight CPUs from a cold start, set-up
# and load, each number of the sampled run within its printed interval and the few percent by which runs
# with two seeds differ; the profile within two points. Twice the same bytes, and much less in detail.
#
#	agree.sh [STATES [LENGTH [REPEATS]]]
set -uo pipefail

states=${1:-S0 S3} length=${2:-100ms} repeats=${3:-2}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/a.yaml" <<'END'
machine: {sockets: 1, dies_per_socket: 2, cores_per_die: 4, threads_per_core: 1}
kernel: {port_low: 40000, port_high: 47999}
network: {family: ipv6, queues: 8}
workload: {threads: 8, server_threads: 8, flows: 5000}
run: {start: cold, sample: {period: 20ms, warmup: 500us, stretch: 500us}}
END

run()
{
	"$EHSIM" -q "$tmp/a.yaml" -s "kernel.connect=$1" -s "run.detail=$2" -s "run.length=$length" \
		-s "run.repeat=$repeats" -f "csv=$tmp/$2.csv" -f "perf=$tmp/$2.perf" \
		-f "json=$tmp/$2.json" --force
}

# metric: allowance in percent, of S0 if that differs. neper's throughput ends with the last thread, and in
# S0 the threads of a sampled run end further apart: searches that wait for the same locks keep together. Of
# flows that have three snapshots or so num_samples counts the same transactions.
numbers()
{
	awk -F, -v state="$1" '
	BEGIN {
		allow["throughput_per_s"] = state == "S0" ? 6 : 3
		allow["latency_mean_s"] = 3
		allow["latency_max_s"] = 4
		allow["latency_stddev_s"] = 4
		allow["candidates_per_connect"] = 2
		allow["ns_per_candidate"] = 2
		allow["stime_per_transaction_s"] = state == "S0" ? 6 : 3
		allow["setup_stime_s"] = 2
		allow["setup_ns_per_candidate"] = 2
		allow["setup_candidates"] = 0.5
		allow["num_samples"] = state == "S0" ? 6 : 3
	}
	FNR == 1 { for (i = 1; i <= NF; i++) name[i] = $i }
	FNR > 1 {
		for (i = 1; i <= NF; i++)
			if (NR == FNR)
				full[name[i]] += $i
			else
				sampled[name[i]] += $i
	}
	END {
		for (m in allow) {
			n++
			a = full[m]
			b = sampled[m]
			half = (sampled[m "_hi"] - sampled[m "_lo"]) / 2
			off = b - a
			if (a <= 0 || (off < 0 ? -off : off) > half + a * allow[m] / 100) {
				printf "%s: %s is %g in full, %g +- %g sampled\n", state, m, a, b, half
				bad = 1
			}
		}
		exit bad
	}' "$tmp/full.csv" "$tmp/sampled.csv"
}

profile()
{
	awk -v state="$1" '
	/^# point/ { host = $4 }
	/%/ && FNR == NR { a[host " " $NF] = $1 + 0 }
	/%/ && FNR < NR { b[host " " $NF] = $1 + 0 }
	END {
		for (s in a) {
			off = a[s] - b[s]
			if (off > 2 || off < -2) {
				printf "%s: %s has %g %% in full, %g %% sampled\n", state, s, a[s], b[s]
				bad = 1
			}
		}
		exit bad
	}' "$tmp/full.perf" "$tmp/sampled.perf"
}

bad=0
for state in $states; do
	run "$state" full || exit 1
	run "$state" sampled || exit 1
	numbers "$state" || bad=1
	profile "$state" || bad=1
	share=$(sed -n 's/.*"share_in_detail" : \([0-9.e-]*\).*/\1/p' "$tmp/sampled.json" | head -n 1)
	awk -v x="$share" 'BEGIN { exit !(x > 0 && x < 0.25) }' ||
		{ echo "$state: $share of the candidates in detail"; bad=1; }
	grep -q '"sampling"' "$tmp/full.json" && { echo "$state: full says sampling"; bad=1; }
done
cp "$tmp/sampled.csv" "$tmp/once.csv"
run "$state" sampled && cmp "$tmp/once.csv" "$tmp/sampled.csv" || bad=1
exit $bad
