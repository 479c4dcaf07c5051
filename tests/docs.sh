#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Do the words agree? The options of `ehsim --help`, the manual page src/ehsim.1 and the completion
# src/ehsim.bash; the two commands in README.md and the files it names.
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
	if [ -e "$srcdir/src/ehsim.bash" ]; then
		# it may ask `ehsim --help` itself; whatever it names must exist
		options <"$srcdir/src/ehsim.bash" >"$tmp/bash" || true
		for option in $(comm -13 "$tmp/help" "$tmp/bash"); do
			complain "$option is in src/ehsim.bash but not in ehsim --help"
		done
	fi
fi

readme=$srcdir/README.md
for command in './bootstrap && ./ehsim scenarios/connect-rcu.yaml' './bootstrap && make check'; do
	grep -qF -- "$command" "$readme" || complain "README.md does not name the command: $command"
done
while read -r file; do
	[ -e "$srcdir/$file" ] || complain "README.md names $file, which is not there"
done < <(grep -oE 'scenarios/[a-z0-9/_-]+\.yaml' "$readme" | sort -u)
exit $bad
