#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Is every file of the corpus refused or accepted without a crash? Names that start with "ok-" must
# be accepted, names with "raw-" may be either (they were found by fuzzing), all others refused.
set -uo pipefail

srcdir=${srcdir:-$(dirname "$0")/../..}
load=${EH_FUZZ_LOAD:-tests/fuzz/load}
bad=0
count=0

for file in "$srcdir"/tests/fuzz/corpus/*; do
	count=$((count + 1))
	name=${file##*/}
	if ! said=$(timeout 20 "$load" "$file" 2>&1); then
		echo "$name: crashed or took longer than 20 s: $said"
		bad=1
		continue
	fi
	case $name in
	ok-*) want=accepted ;;
	raw-*) want=${said%% *} ;;
	*) want=refused ;;
	esac
	[ "${said%% *}" = "$want" ] || { echo "$name: $said, but should be $want"; bad=1; }
done
echo "$count files"
[ "$count" -ge 30 ] || bad=1
exit $bad
