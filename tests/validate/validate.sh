#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs scenarios/validate/*.yaml and compares with what was published: every point, the error of
# every row, the shapes of the curves. README.md gets the table when all rows were run.
#
#	EHSIM=./ehsim bash tests/validate/validate.sh [ROW...]		rows such as L1 L3
#
# Exit 1: a target is missed. Targets are for the predicted points of rows L1 to L10: 20 % geometric-mean
# error over all of them, and none off by more than 2x.
#
# Of a sweep only those points are run that a row of `expect` speaks of.
set -euo pipefail

export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
rows=${*:-}
command -v jq >/dev/null || { echo "jq is needed to read results: install jq"; exit 77; }

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

wanted()
{
	local row
	[ -n "$rows" ] || return 0
	for row in $rows; do
		case $1 in "$row" | "$row"-*) return 0 ;; esac
	done
	return 1
}

# points FILE: the numbers of the points that its expectations speak of
points()
{
	"$EHSIM" -q --list "$1" </dev/null >"$tmp/list"
	awk -f "$here/points.awk" "$1" "$tmp/list"
}

: >"$tmp/tasks"
for name in $(cd "$top/scenarios/validate" && printf '%s\n' *.yaml | sort -V); do
	name=${name%.yaml}
	wanted "$name" || continue
	points "$top/scenarios/validate/$name.yaml" | sed "s/^/$name /" >"$tmp/of"
	[ -s "$tmp/of" ] || { echo "$name: no row of expect speaks of a point"; exit 2; }
	cat "$tmp/of" >>"$tmp/tasks"
done
[ -s "$tmp/tasks" ] || { echo "no rows among: $rows"; exit 2; }

mkdir "$tmp/out"
run_point()
{
	local status=0
	"$EHSIM" -q -f json --point="$2" "$top/scenarios/validate/$1.yaml" >"$tmp/out/$1.$2" \
		2>"$tmp/out/$1.$2.words" </dev/null || status=$?
	# 1: not as precise as asked, or an expectation missed; anything else is no result
	[ "$status" -le 1 ] && [ -s "$tmp/out/$1.$2" ] && return
	rm -f "$tmp/out/$1.$2"
	echo "$1, point $2: exit status $status: $(head -n 1 "$tmp/out/$1.$2.words")" >>"$tmp/failed"
}
export -f run_point
export EHSIM tmp top
: >"$tmp/failed"
xargs -P "$jobs" -L 1 bash -c 'run_point "$0" "$1"' <"$tmp/tasks"

# One line per published point: file, machine, parameters, metric, row, published, simulated,
# fitted, precise.
while read -r name point; do
	[ -s "$tmp/out/$name.$point" ] || continue
	machine=$(sed -n 's|^machine: {file: \.\./machines/\(.*\)\.yaml}.*|\1|p' \
		"$top/scenarios/validate/$name.yaml")
	jq -r --arg name "$name" --arg machine "$machine" '.points[] | . as $p | .expect[] |
		[$name, $machine, ($p.set | to_entries | map("\(.key | sub(".*\\."; ""))=\(.value)") | join(" ")),
		 .metric, .row, .published, (.simulated // "none"), .fitted, $p.status] | @tsv' \
		"$tmp/out/$name.$point"
done <"$tmp/tasks" >"$tmp/points"

# Fitted numbers: in the file of each machine, then in the scenarios of each row that uses it.
for machine in $(cut -f 2 "$tmp/points" | sort -u); do
	printf '%s\t-\t%s\n' "$machine" \
		"$(grep -c 'origin: fitted' "$top/scenarios/machines/$machine.yaml" || :)"
	for file in $(grep -l "machines/$machine.yaml" "$top"/scenarios/validate/*.yaml); do
		row=$(basename "$file" .yaml)
		printf '%s\t%s\t%s\n' "$machine" "${row%%-*}" "$(grep -c 'origin: fitted' "$file" || :)"
	done
done >"$tmp/numbers"

status=0
awk -f "$here/table.awk" -v markdown="$tmp/markdown" "$tmp/numbers" "$tmp/points" || status=1
awk -f "$here/shapes.awk" -v markdown="$tmp/markdown" "$tmp/points" || status=1
{ grep -h '^# not compared: ' "$top"/scenarios/validate/*.yaml || :; } | sed 's/^# n/\nN/' | tee -a "$tmp/markdown"
if [ -s "$tmp/failed" ]; then
	printf '\nNot run:\n'
	cat "$tmp/failed"
	status=1
fi

# The generated part of README.md stands between two comments.
if [ -z "$rows" ] && [ ! -s "$tmp/failed" ] && grep -q '^<!-- validate: begin' "$top/README.md"; then
	awk -v table="$tmp/markdown" '
		/^<!-- validate: begin/ { print; while ((getline line < table) > 0) print line; skip = 1 }
		/^<!-- validate: end/ { skip = 0 }
		!skip { print }' "$top/README.md" >"$tmp/README.md"
	cmp -s "$tmp/README.md" "$top/README.md" || cat "$tmp/README.md" >"$top/README.md"
fi
exit $status
