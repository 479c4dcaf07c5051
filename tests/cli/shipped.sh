#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Is every scenario that is shipped (and every one of the tests) free of complaints, and does the list
# of its points and the filled-in form come out?
. "$(dirname "$0")/lib.sh"

check()
{
	ehsim --check "$1" && ehsim --list "$1" | grep -q '^1: ' && ehsim --show "$1" >shown.yaml &&
		ehsim --check shown.yaml
}

count=0
for scenario in "$srcdir"/scenarios/*.yaml "$srcdir"/tests/gold/*.yaml; do
	name=${scenario#"$srcdir/"}
	expect "$name passes" check "$scenario"
	expect "$name has a description" grep -q '^description: ' "$scenario"
	count=$((count + 1))
done
for machine in "$srcdir"/scenarios/machines/*.yaml; do
	echo "machine: {file: $machine}" >m.yaml
	expect "${machine#"$srcdir/"} passes" ehsim --check m.yaml
done
sed -n '/^```yaml/,/^```/p' "$srcdir/README.md" | sed '/^```/d' >readme.yaml
expect "the scenario in README.md passes" ehsim --check readme.yaml
expect "scenarios to look at" test "$count" -ge 3
finish
