#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Do the words agree? The options of `ehsim --help`, the manual page src/ehsim.1 and the completion
# src/ehsim.bash; metrics, JSON members and exit codes with the manual; what headers leave out with its
# list of that; the two commands in README.md, the files that README.md and its sisters name.
set -euo pipefail

srcdir=${srcdir:-$(dirname "$0")/..}
bad=0

complain()
{
	echo "$*"
	bad=1
}

# Long options in the text on stdin, one a line.
options()
{
	grep -oE -- '(^|[^[:alnum:]-])--[a-z][a-z0-9-]*' | grep -oE -- '--[a-z0-9-]+' | sort -u
}

# compare NAME-A FILE-A NAME-B FILE-B
compare()
{
	local option
	for option in $(comm -23 "$2" "$4"); do
		complain "$option is in $1 but not in $3"
	done
	for option in $(comm -13 "$2" "$4"); do
		complain "$option is in $3 but not in $1"
	done
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

if [ -x "${EHSIM-}" ]; then
	"$EHSIM" --help </dev/null | options >"$tmp/help" || true
	[ -s "$tmp/help" ] || complain "ehsim --help names no option"
	if [ -e "$srcdir/src/ehsim.1" ]; then
		sed 's/\\-/-/g; s/\\f[A-Z]//g' "$srcdir/src/ehsim.1" | options >"$tmp/man" || true
		compare "ehsim --help" "$tmp/help" "src/ehsim.1" "$tmp/man"
	fi
	for option in $(options <"$srcdir/README.md" | comm -13 "$tmp/help" -); do
		complain "$option is in README.md but not in ehsim --help"
	done
	for option in --locks --lines --rcu --slabs --where; do
		grep -q -- "$option" "$srcdir/README.md" || complain "README.md does not name $option"
	done
	if [ -e "$srcdir/src/ehsim.bash" ]; then
		# it may ask `ehsim --help` itself; whatever it names must exist
		options <"$srcdir/src/ehsim.bash" >"$tmp/bash" || true
		for option in $(comm -13 "$tmp/help" "$tmp/bash"); do
			complain "$option is in src/ehsim.bash but not in ehsim --help"
		done
	fi
fi

# Every name in the JSON of the small scenarios, and every start of a run.
manual=$tmp/manual
sed 's/\\-/-/g; s/\\f[A-Z]//g' "$srcdir/src/ehsim.1" >"$manual"
if [ -x "${EHSIM-}" ] && command -v jq >/dev/null; then
	for scenario in "$srcdir"/tests/gold/small-*.yaml; do
		"$EHSIM" -q -f json --locks --lines --rcu --slabs --courses --where "$scenario" </dev/null 2>/dev/null || true
	done | jq -r '.schema, keys[], (.ehsim, .scenario, .host, .points[], .points[].metrics[]? | keys[]),
		(.points[].metrics | keys[]), (.points[] | .locks, .lines, .slabs | .client[] | keys[]),
		(.points[].rcu.client | keys[], (.grace_periods | keys[])),
		(.points[].courses[] | keys[], (.rows[0] | keys[])), (.points[].where | keys[], (.client | keys[], (.rows[] | keys[]))), "expect"' | sort -u >"$tmp/names"
	grep -qx waittime_avg_ns "$tmp/names" || complain "no lock in the results of tests/gold"
	grep -qx throughput_per_s "$tmp/names" || complain "no metric in the results of tests/gold"
	while read -r name; do
		grep -qw -- "$name" "$manual" || complain "src/ehsim.1 does not explain $name of the JSON"
	done <"$tmp/names"
	for start in $("$EHSIM" --explain=run.start </dev/null | grep -oE 'cold, [a-z, ]+' | head -n 1 | tr -d ,); do
		grep -qx "\.B $start" "$manual" || complain "src/ehsim.1 does not explain run.start: $start"
	done
	for status in $("$EHSIM" --help </dev/null | sed -n '/^Exit status/,$p' | grep -oE '\b[0-9]+\b'); do
		sed -n '/^.SH EXIT STATUS/,/^.SH ENV/p' "$manual" | grep -qx "\.B $status" ||
			complain "src/ehsim.1 does not explain exit status $status"
	done
fi

sed 's/\\-/-/g; s/\\f[A-Z]//g' "$srcdir/src/ehsim-model.7" | sed -n '/^.SH NOT MODELLED/,/^.SH [^N]/p' >"$tmp/limits"
for header in $(grep -lE '[Nn]ot modelled' "$srcdir"/include/ehsim/*.h); do
	grep -qw -- "${header##*/}" "$tmp/limits" ||
		complain "NOT MODELLED in src/ehsim-model.7 leaves ${header##*/} out"
done

# Numbers and symbols of what README.md knows to be off are in the manual of the models, too.
sed -n '/^What is known to be off/,/^[^-[:space:]W]/p' "$srcdir/README.md" | grep '^[- ]' >"$tmp/off" ||
	complain "README.md does not say what is known to be off"
sed -n '/^.SH KNOWN ERRORS/,$p' "$srcdir/src/ehsim-model.7" | sed 's/\\-/-/g' >"$tmp/errors"
for word in $(sed 's/([^)]*|[^)]*)//g' "$tmp/off" | grep -oE '`[^`]+`|\b[0-9]+\b' | tr -d '`' | sort -u); do
	grep -qwF -- "$word" "$tmp/errors" || complain "KNOWN ERRORS in src/ehsim-model.7 does not name $word of README.md"
done

readme=$srcdir/README.md
for command in './bootstrap && ./ehsim scenarios/connect-rcu.yaml' './bootstrap && make check'; do
	grep -qF -- "$command" "$readme" || complain "README.md does not name the command: $command"
done

# Files named in backquotes or links, from where the text lies, from the top, or in a folder of src.
for text in README.md CONTRIBUTING.md src/README.md scenarios/README.md tests/README.md plots/README.md; do
	folder=$srcdir/$(dirname "$text")
	while read -r file; do
		[ -e "$folder/$file" ] || [ -e "$srcdir/$file" ] || [ -e "$srcdir/include/ehsim/$file" ] ||
			complain "$text names $file, which is not there"
	done < <({ grep -oE '`[A-Za-z0-9_./-]+\.(c|h|sh|yaml|json|md|1|5|7|gp)`' "$srcdir/$text" | tr -d '`'
		grep -oE '\]\([A-Za-z0-9_./-]+\)' "$srcdir/$text" | sed 's/^](//; s/)$//'
		grep -oE 'scenarios/[a-z0-9/_-]+\.yaml' "$srcdir/$text"
	} | sort -u)
done
exit $bad
