#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Does every tracked source, script and scenario name its licence in one of its first three lines?
set -euo pipefail

cd "${srcdir:-$(dirname "$0")/..}"
if ! top=$(git rev-parse --show-toplevel 2>/dev/null) || [ "$top" != "$(pwd -P)" ]; then
	echo "not a git checkout"
	exit 77
fi

bad=0
while read -r file; do
	[ -e "$file" ] || continue # removed, not yet committed
	head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-3\.0-or-later' && continue
	echo "$file: no SPDX line: add SPDX-License-Identifier: GPL-3.0-or-later"
	bad=1
done < <(git ls-files -- '*.c' '*.h' '*.sh' '*.gp' '*.yaml' '*.[157]' '*.bash' '*.py' configure.ac Makefile.am \
	bootstrap .ci/run ':!tests/fuzz/corpus/**' ':!tests/**/*.bad.yaml')
exit $bad
