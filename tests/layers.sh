#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Does any archive use one that comes after it?  layers.sh [ARCHIVE...], in order, or $LAYERS.
# An archive reaches up when `nm` shows a symbol in it as undefined that neither it nor an earlier
# one defines, but a later one does.
set -euo pipefail

nm=${NM:-nm}

# One line per finding; fails when there is one.
check()
{
	local archive n=0
	for archive; do
		n=$((n + 1))
		[ -e "$archive" ] || { echo "$archive is not built" >&2; return 2; }
		$nm -g --defined-only "$archive" 2>/dev/null | awk -v n=$n 'NF == 3 {print "D", n, $3}'
		$nm -u "$archive" 2>/dev/null | awk -v n=$n '$1 == "U" {print "U", n, $2}'
	done | awk -v names="$*" '
		BEGIN { split(names, name, " "); for (i in name) sub(/.*\//, "", name[i]) }
		$1 == "D" && (!($3 in home) || $2 < home[$3]) { home[$3] = $2 }
		$1 == "U" && !(($2, $3) in seen) { seen[$2, $3] = 1; from[++uses] = $2; what[uses] = $3 }
		END {
			for (i = 1; i <= uses; i++)
				if (what[i] in home && home[what[i]] > from[i]) {
					print name[from[i]] " reaches up into " name[home[what[i]]] ": " what[i]
					bad = 1
				}
			exit bad
		}'
}

# The check must pass on two archives in order and name the symbol when they are turned round.
self_test()
{
	local dir=$1 said
	echo 'int below(void); int below(void) { return 1; }' >"$dir/below.c"
	echo 'int below(void); int above(void); int above(void) { return below(); }' >"$dir/above.c"
	for name in below above; do
		${CC:-cc} -c -o "$dir/$name.o" "$dir/$name.c"
		ar cr "$dir/lib$name.a" "$dir/$name.o"
	done
	check "$dir/libbelow.a" "$dir/libabove.a" ||
		{ echo "self-test: complains about archives in order"; return 1; }
	said=$(check "$dir/libabove.a" "$dir/libbelow.a") &&
		{ echo "self-test: misses archives out of order"; return 1; }
	[ "$said" = "libabove.a reaches up into libbelow.a: below" ] ||
		{ echo "self-test: unexpected words: $said"; return 1; }
}

# shellcheck disable=SC2086 # a list of words
[ $# -gt 0 ] || set -- ${LAYERS-}
[ $# -gt 0 ] || { echo "usage: layers.sh ARCHIVE... (in order)" >&2; exit 2; }

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
self_test "$tmp"
check "$@"
echo "$# archives in order"
