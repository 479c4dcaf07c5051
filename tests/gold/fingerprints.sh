#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Did any prediction change? Runs the small scenarios beside this file and compares fingerprints and
# metrics (four digits) with fingerprints.txt. EH_GOLD_UPDATE=1 writes that file instead.
set -euo pipefail

here=$(cd "${srcdir:-$(dirname "$0")/../..}/tests/gold" && pwd)
command -v jq >/dev/null || { echo "jq is needed to read results: install jq"; exit 77; }

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

for scenario in "$here"/small-*.yaml; do
	status=0
	timeout 60 "$EHSIM" -q -f json "$scenario" >"$tmp/json" 2>>"$tmp/words" </dev/null || status=$?
	printf '%s exit=%s\n' "$(basename "$scenario" .yaml)" $status
	jq -r '.points[] |
		"  " + ([.set | to_entries[] | "\(.key)=\(.value)"] | join(" "))
			+ " fingerprint=\(.fingerprint) status=\(.status)",
		(if .status_text then "    " + .status_text else empty end),
		(.metrics | to_entries[] | select(.value.mean != null) | "    \(.key)\t\(.value.mean)"),
		(.profile.client[:5][] | "    \(.symbol)\t\(.share)")' "$tmp/json" |
		awk -F '\t' 'NF == 2 {printf "%s %.4g\n", $1, $2; next} {print}'
done >"$tmp/got"
cat "$tmp/words"

if [ "${EH_GOLD_UPDATE-}" ]; then
	cp "$tmp/got" "$here/fingerprints.txt"
else
	diff -u "$here/fingerprints.txt" "$tmp/got"
fi
