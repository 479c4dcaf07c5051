#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Is every metric explained: those that a scenario may expect, and those of runs of all sorts?
. "$(dirname "$0")/lib.sh"

command -v jq >/dev/null || { echo "jq is needed"; exit 77; }

explained()
{
	expect "$1 is explained" test "$(ehsim --explain="$1" | head -n 1)" = "$1"
}

expected=$(ehsim --schema | jq -r '.. | .metric? | select(type == "object") | .. | .enum? | select(. != null)[]' |
	grep -v '^profile\.')
expect "a scenario may expect metrics" test "$(wc -l <<<"$expected")" -gt 50
for name in $expected; do
	explained "$name"
done

for scenario in "$srcdir"/tests/gold/small-*.yaml; do
	names=$(ehsim -qf json "$scenario" | jq -r '.points[].metrics | keys_unsorted[]' | sort -u)
	expect "$(basename "$scenario") has metrics" test -n "$names"
	for name in $names; do
		grep -qx "$name" <<<"$expected" || explained "$name"
	done
done

expect "--explain=metrics is a list" test "$(ehsim --explain=metrics | grep -c '^[a-z]')" -gt 90
finish
