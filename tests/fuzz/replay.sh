#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Is every file of the corpora (corpus for the reader of scenarios, corpus-record,
# corpus-stored, corpus-key) refused or accepted without a crash? Names that start with "ok-" must
# be accepted, names with "raw-" may be either (they were found by fuzzing), all others refused.
set -uo pipefail

srcdir=${srcdir:-$(dirname "$0")/../..}
fuzz=${EH_FUZZ:-tests/fuzz}
bad=0

# replay PROGRAM FOLDER AT-LEAST
replay()
{
	local file name said want count=0
	for file in "$srcdir/tests/fuzz/$2"/*; do
		count=$((count + 1))
		name=${file##*/}
		if ! said=$(timeout 20 "$fuzz/$1" "$file" 2>&1); then
			echo "$2/$name: crashed or took longer than 20 s: $said"
			bad=1
			continue
		fi
		case $name in
		ok-*) want=accepted ;;
		raw-*) want=${said%% *} ;;
		*) want=refused ;;
		esac
		[ "${said%% *}" = "$want" ] || { echo "$2/$name: $said, but should be $want"; bad=1; }
	done
	echo "$2: $count files"
	[ "$count" -ge "$3" ] || bad=1
}

replay load corpus 30
replay record corpus-record 10
# a record of this very program
if [ -x "${EHSIM-}" ]; then
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	"$EHSIM" -q --locks --lines --results="$tmp/r" -o /dev/null "$srcdir/tests/gold/small-lab.yaml" </dev/null || bad=1
	for file in "$tmp"/r/*.json; do
		sed -n 2p "$file" >"$tmp/body"
		head -c -2 "$tmp/body" >"$tmp/cut"
		said=$("$fuzz/record" "$file" "$tmp/body" "$tmp/cut" | cut -d' ' -f1 | xargs)
		[ "$said" = "accepted accepted refused" ] || { echo "a fresh record, its second line, that cut short: $said"; bad=1; }
	done
fi
replay key corpus-key 10
replay stored corpus-stored 10
exit $bad
