#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Is every tracked file that belongs into the tarball named in Makefile.am (itself or its folder)?
# A source that is not listed is not compiled, a test that is not listed never runs.
set -euo pipefail

cd "${srcdir:-$(dirname "$0")/..}"
if ! top=$(git rev-parse --show-toplevel 2>/dev/null) || [ "$top" != "$(pwd -P)" ]; then
	echo "not a git checkout"
	exit 77
fi

# Words of Makefile.am that are not in a comment.
words=$(grep -v '^[[:space:]]*#' Makefile.am | tr -s '[:blank:]' '\n')
bad=0
while read -r file; do
	[ -e "$file" ] || continue
	name=$file
	# tests/unit/test_x.c is named as the program tests/unit/test_x
	names=("$file" "${file%.c}")
	while [ "$name" != "${name%/*}" ]; do
		name=${name%/*}
		names+=("$name")
	done
	grep -qxF -f <(printf '%s\n' "${names[@]}") <<<"$words" && continue
	echo "$file is not in Makefile.am"
	bad=1
done < <(git ls-files -- src include scenarios tests plots bootstrap '*.md' LICENSE)
exit $bad
