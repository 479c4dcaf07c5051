#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Does scenarios/README.md show what the scenarios of the tour print? EH_GOLD_UPDATE=1 writes it there.
set -euo pipefail

readme=$(cd "${srcdir:-$(dirname "$0")/../..}/scenarios" && pwd)/README.md
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Points all above each other, compared with the first: up to the blank line behind the table.
comparison()
{
	timeout 60 "$EHSIM" -q "$1" 2>&1 </dev/null | sed -n '/^compared with/,/^$/p' | sed '/^$/d'
}

cp "$readme" "$tmp/readme"
for scenario in "${readme%/*}"/tour-*.yaml; do
	stop=$(basename "${scenario#*/tour-}" .yaml)
	{
		printf '```\n$ ./ehsim scenarios/tour-%s.yaml\n...\n' "$stop"
		comparison "$scenario"
		echo '```'
	} >"$tmp/block"
	[ "$(wc -l <"$tmp/block")" -gt 6 ] || { echo "tour-$stop.yaml compares nothing"; exit 1; }
	grep -q "^<!-- $stop: begin" "$tmp/readme" || { echo "README.md has no place for tour-$stop"; exit 1; }
	awk -v stop="$stop" -v block="$tmp/block" '
		$0 == "<!-- " stop ": end -->" { inside = 0 }
		!inside { print }
		index($0, "<!-- " stop ": begin") == 1 {
			inside = 1
			while ((getline line <block) > 0)
				print line
		}' "$tmp/readme" >"$tmp/new"
	mv "$tmp/new" "$tmp/readme"
done

if [ "${EH_GOLD_UPDATE-}" ]; then
	cat "$tmp/readme" >"$readme"
else
	diff -u "$readme" "$tmp/readme"
fi
