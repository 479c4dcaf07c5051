#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Do several builds of ehsim give the same numbers?  same-everywhere.sh EHSIM EHSIM...
# Runs a short scenario with each and compares all of the JSON but its `host` block: fingerprints,
# metrics, profiles. SCENARIO and SETS ("key=value key=value") replace what is run.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
scenario=${SCENARIO:-$top/scenarios/connect-rcu.yaml}
sets=${SETS-run.start=steady run.warmup=1ms run.length=2ms run.until.within=0% run.batch=100us}

[ $# -ge 2 ] || { echo "usage: same-everywhere.sh EHSIM EHSIM..." >&2; exit 2; }
[ -e "$scenario" ] || { echo "$scenario is not there; set SCENARIO" >&2; exit 1; }
command -v jq >/dev/null || { echo "jq is needed to compare results: install jq" >&2; exit 77; }

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

options=()
for set in $sets; do
	options+=(--set "$set")
done

n=0
for ehsim; do
	n=$((n + 1))
	if ! "$ehsim" -f json "${options[@]}" "$scenario" >"$tmp/raw" 2>"$tmp/words" </dev/null; then
		# 1 with a whole document: an expectation did not hold, which is no concern here
		{ [ -s "$tmp/raw" ] && jq -e .points "$tmp/raw" >/dev/null 2>&1; } ||
			{ echo "$ehsim failed:"; tail -n 20 "$tmp/words"; exit 1; }
	fi
	[ -s "$tmp/raw" ] || { echo "$ehsim printed nothing"; exit 1; }
	jq -S 'del(.host)' "$tmp/raw" >"$tmp/$n.json"
	jq -e '(.points | length > 0) and all(.points[]; .fingerprint != null)' "$tmp/$n.json" >/dev/null ||
		{ echo "$ehsim: no points, or a point without fingerprint"; exit 1; }
	if ! cmp -s "$tmp/1.json" "$tmp/$n.json"; then
		echo "$ehsim differs from $1:"
		diff "$tmp/1.json" "$tmp/$n.json" | head -n 40
		exit 1
	fi
done
echo "$# builds agree: $(jq -r '[.points[].fingerprint | tostring] | join(" ")' "$tmp/1.json")"
