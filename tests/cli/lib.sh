# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# Transcripts for tests of the command line. Source it, write files, then
#
#	transcript <<'END'
#	$ ehsim bad.yaml           a command line for bash, in an empty folder
#	! bad.yaml:1:1: error: ... what it wrote to stderr
#	> 1: seed=1                what it wrote to stdout
#	? 2                        its exit status, unless 0
#	END
#	finish
#
# `ehsim` is the program and `fake` the same program over tests/cli/fake.c, a run without a model.
set -uo pipefail

srcdir=$(cd "${srcdir:-$(dirname "${BASH_SOURCE[0]}")/../..}" && pwd)
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
mkdir "$tmp/bin" "$tmp/here"
ln -s "$EHSIM" "$tmp/bin/ehsim"
ln -s "$EH_FAKE_EHSIM" "$tmp/bin/fake"
export PATH=$tmp/bin:$PATH LC_ALL=C TERM=dumb
cd "$tmp/here" || exit 1
bad=0

transcript()
{
	local line status
	cat >"$tmp/want"
	while IFS= read -r line; do
		case $line in
		'$ '*)
			timeout 60 bash -c "${line#'$ '}" >"$tmp/out" 2>"$tmp/err" </dev/null
			status=$?
			printf '%s\n' "$line"
			sed 's/^/> /' "$tmp/out"
			sed 's/^/! /' "$tmp/err"
			[ $status -eq 0 ] || echo "? $status"
			;;
		esac
	done <"$tmp/want" >"$tmp/got"
	diff -u --label expected --label got "$tmp/want" "$tmp/got" || bad=1
}

# expect WHAT COMMAND...: the command succeeds
expect()
{
	"${@:2}" || { echo "does not hold: $1"; bad=1; }
}

finish()
{
	exit $bad
}
