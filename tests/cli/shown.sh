#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Does what --show prints run like the scenario? One point of each that is shipped, first and last in turn,
# through a pipe and from another folder; between hosts 50 us of it, so that hundreds of CPUs take no time.
set -u

srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
command -v jq >/dev/null || { echo "jq is needed to read results: install jq"; exit 77; }

print()
{
	jq -r '.points[] | "\(.fingerprint) \(.status)"'
}

bad=0
turn=0
for scenario in "$srcdir"/scenarios/*.yaml "$srcdir"/scenarios/validate/*.yaml; do
	short=()
	if ! "$EHSIM" --show "$scenario" | grep -qE '^  kind: .*(line|lock|read_side|hash|rcu)'; then
		short=(-s run.start=steady -s run.until.within=0% -s run.warmup=10us -s run.length=50us)
	fi
	points=$("$EHSIM" -s run.repeat=1 "${short[@]}" --list "$scenario" | wc -l)
	point=--point=$((turn++ % 2 ? points : 1))
	direct=$("$EHSIM" -q -f json "$point" "${short[@]}" "$scenario" 2>/dev/null | print)
	piped=$("$EHSIM" --show "$scenario" | (cd / && "$EHSIM" -q -f json "$point" "${short[@]}" /dev/stdin) 2>/dev/null | print)
	[ -n "$direct" ] && [ "$direct" = "$piped" ] && continue
	echo "${scenario#"$srcdir/"} $point: '$direct', but of what --show prints '$piped'"
	bad=1
done
exit $bad
