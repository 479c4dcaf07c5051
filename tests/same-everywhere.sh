#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Do several builds of ehsim give the same numbers?  same-everywhere.sh EHSIM EHSIM...
# Runs the small scenarios of tests/gold and the first milliseconds of the main one with each, and
# compares all of the JSON but its `host` block: fingerprints, metrics, profiles. SCENARIO (and SETS,
# "key=value key=value") run one other scenario instead.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
main_sets="run.start=steady run.warmup=1ms run.length=2ms run.until.within=0% run.batch=100us"

[ $# -ge 2 ] || { echo "usage: same-everywhere.sh EHSIM EHSIM..." >&2; exit 2; }
command -v jq >/dev/null || { echo "jq is needed to compare results: install jq" >&2; exit 77; }

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# run EHSIM SCENARIO [SET...]: leaves $tmp/json
run()
{
	local ehsim=$1 scenario=$2 sets=("${@:3}") status=0
	timeout 600 "$ehsim" -q -f json "${sets[@]/#/--set=}" "$scenario" >"$tmp/raw" 2>"$tmp/words" \
		</dev/null || status=$?
	# 1 with a whole document: a point failed, or an expectation did not hold; no concern here
	if [ $status -gt 1 ] || ! jq -S 'del(.host)' "$tmp/raw" >"$tmp/json" 2>/dev/null; then
		echo "$ehsim failed with status $status:"
		tail -n 20 "$tmp/words"
		return 1
	fi
	jq -e '(.points | length > 0) and all(.points[]; .fingerprint != null)' "$tmp/json" >/dev/null ||
		{ echo "$ehsim: no points, or a point without fingerprint"; return 1; }
}

# compare SCENARIO SETS EHSIM...
compare()
{
	local scenario=$1 sets=$2 first=$3 ehsim
	rm -f "$tmp/first.json"
	for ehsim in "${@:3}"; do
		# shellcheck disable=SC2086 # a list of words
		run "$ehsim" "$scenario" $sets || return 1
		[ -e "$tmp/first.json" ] || cp "$tmp/json" "$tmp/first.json"
		cmp -s "$tmp/first.json" "$tmp/json" && continue
		echo "$scenario: $ehsim differs from $first:"
		diff "$tmp/first.json" "$tmp/json" | head -n 40
		return 1
	done
	echo "$(basename "$scenario"): $(jq -r '[.points[].fingerprint] | join(" ")' "$tmp/first.json")"
}

if [ "${SCENARIO-}" ]; then
	compare "$SCENARIO" "${SETS-}" "$@"
else
	for scenario in "$top"/tests/gold/small-*.yaml; do
		compare "$scenario" "" "$@"
	done
	compare "$top/scenarios/connect-rcu.yaml" "$main_sets" "$@"
fi
echo "$# builds agree"
