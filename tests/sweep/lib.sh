# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# A sweep of POINTS short runs of the real program in $tmp/sweep.yaml, and its undisturbed reports in
# $tmp/want.csv and $tmp/want.json; T is how long they took. For the tests that disturb it.
set -uo pipefail

srcdir=$(cd "${srcdir:-$(dirname "${BASH_SOURCE[0]}")/../..}" && pwd)
tmp=$(mktemp -d)
bad=0

complain()
{
	echo "does not hold: $*"
	bad=1
}

# without what depends on the wall clock
plain()
{
	jq 'del(.host)' "$1"
}

# same FILE: a report of either format is the undisturbed one
same()
{
	case $1 in
	*.csv) cmp "$tmp/want.csv" "$1" ;;
	*.json) cmp <(plain "$tmp/want.json") <(plain "$1") ;;
	esac || complain "$1 has the bytes of an undisturbed sweep"
}

make_sweep()
{
	cat >"$tmp/sweep.yaml" <<-END
	description: short runs for tests of sweeps
	machine: {sockets: 1, cores_per_die: 4}
	kernel: {connect: [S0, S1]}
	workload: {threads: [1, 2, 3, 4], server_threads: 2, flows: 8}
	run:
	  seed: {from: 1, to: $((POINTS / 8)), step: 1}
	  warmup: 2ms
	  batch: 1ms
	  length: 4ms
	  at_most: 50ms
	  until: {within: 0%}
	END
	local began
	began=$(date +%s%N)
	"$EHSIM" -q -f csv="$tmp/want.csv" -f json="$tmp/want.json" "$tmp/sweep.yaml" || complain "an undisturbed sweep"
	T=$((($(date +%s%N) - began) / 1000000)) # milliseconds
	[ "$(wc -l <"$tmp/want.csv")" = $((POINTS + 1)) ] || complain "the sweep has $POINTS points"
}
