#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# How far do the four states of connect() hang on each number that is fitted or assumed? Each is moved by
# -20 % and +20 %, and what that does to the throughput of each state and to their ratios is printed as a
# table in Markdown. For `make sensitivity`, or by hand:
#
#	tests/sensitivity.sh [KEY...]		some numbers only
#	SCENARIO=... LENGTH=... tests/sensitivity.sh
#
# Full hosts, flows and ports, but short windows: 12 ms cut, 4 ms measured. How many ports a connect looks
# at differs from window to window by some percent and hardly hangs on a cost, so it is held at that of the
# unmoved run: a connect takes (ports of that run) x (ns per port) and what it takes beside the search.
set -euo pipefail

srcdir=${srcdir:-$(dirname "$0")/..}
ehsim=${EHSIM:-./ehsim}
scenario=${SCENARIO:-$srcdir/scenarios/connect-series.yaml}
states="S0 S1 S2 S3"
keys=(
	kernel.cost.hash6 machine.latency.clean.other_socket machine.latency.dirty.other_socket
	machine.latency.home_service
	kernel.cost.hash6_cycles kernel.cost.check kernel.cost.match kernel.cost.scan_loop
	kernel.cost.cond_resched kernel.cost.rcu_all_qs kernel.cost.bh_enable
	machine.core.width machine.core.line_buffers machine.core.locked_op machine.core.path_ipc
	machine.latency.dirty.adjacent_die machine.latency.request_percent
)
[ $# = 0 ] || keys=("$@")

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# run FILE [SET...]: ports, ns per port and threads / throughput of each state
run()
{
	local out=$1 sets=() set
	shift
	for set; do
		sets+=(-s "$set")
	done
	# misses of published figures are no matter here
	"$ehsim" -q -j1 -f json "$scenario" -s run.warmup=12ms -s run.batch=1ms -s "run.length=${LENGTH:-4ms}" \
		-s run.until.within=0% "${sets[@]}" >"$tmp/json" || [ -s "$tmp/json" ]
	jq -r '.points[].metrics | [.candidates_per_connect.mean, .ns_per_candidate.mean, .throughput_per_s.mean] | @tsv' \
		"$tmp/json" >"$out"
}

# moved KEY PERCENT: the set of a value that is moved
moved()
{
	local value unit
	value=$(jq -r --arg key "$1" '.scenario.values[$key]' "$tmp/base.json")
	unit=${value##*[0-9.]}
	awk -v k="$1" -v v="${value%"$unit"}" -v u="$unit" -v p="$2" 'BEGIN {
		x = v * (1 + p / 100)
		printf((u == "" && v ~ /^[0-9]+$/ && v >= 5) ? "%s=%.0f" : "%s=%.6g", k, x)
		printf "%s", u
	}'
}

run "$tmp/base"
cp "$tmp/json" "$tmp/base.json"
threads=$(jq -r '.scenario.values["workload.threads"]' "$tmp/base.json")

# Of three runs: base, low, high.
row()
{
	paste "$tmp/base" "$2" "$3" | awk -v name="$1" -v threads="$threads" '
	function rate(ports, ns, tp) { return threads / (base * ns + threads / tp * 1e9 - ports * ns) * 1e9 }
	function cell(lo, hi) { return sprintf(" %+.1f / %+.1f |", 100 * (lo - 1), 100 * (hi - 1)) }
	{
		base = $1
		lo[NR] = rate($4, $5, $6) / $3
		hi[NR] = rate($7, $8, $9) / $3
		out = out cell(lo[NR], hi[NR])
	}
	END {
		for (i = 2; i <= NR; i++)
			out = out cell(lo[i] / lo[i - 1], hi[i] / hi[i - 1])
		print "| " name " |" out
	}'
}

echo "Unmoved:"
paste <(tr ' ' '\n' <<<"$states") "$tmp/base" | awk '
	{ printf("%s: %.1f ns per candidate port\n", $1, $3) }'
echo
echo "Change in percent at -20 % / at +20 %:"
echo
echo "| number | S0 | S1 | S2 | S3 | S1/S0 | S2/S1 | S3/S2 |"
echo "|---|---|---|---|---|---|---|---|"
for key in "${keys[@]}"; do
	run "$tmp/low" "$(moved "$key" -20)"
	run "$tmp/high" "$(moved "$key" 20)"
	row "$key" "$tmp/low" "$tmp/high"
done
