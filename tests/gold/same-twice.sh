#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The same numbers twice from one program, whatever its addresses, folder and environment?
set -euo pipefail

tests=$(cd "${srcdir:-$(dirname "$0")/../..}/tests" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cat >"$tmp/elsewhere" <<END
#!/usr/bin/env bash
cd / && MALLOC_PERTURB_=165 FILLER=$(printf '%5000s' | tr ' ' x) exec "$EHSIM" "\$@"
END
chmod +x "$tmp/elsewhere"
for scenario in cold steady; do
	SCENARIO=$tests/gold/small-$scenario.yaml bash "$tests/same-everywhere.sh" "$EHSIM" "$tmp/elsewhere"
done
