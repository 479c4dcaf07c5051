#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Is the page of a sweep of 200 points and 50 MB of results made in under 20 s and smaller than 5 MB? Does a browser show
# pages without errors on its console and without a bar to scroll sideways on a telephone?
. "$(dirname "$0")/lib.sh"

command -v gnuplot >/dev/null || { echo "skipped: no gnuplot"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
export EHSIM_PLOTS=$srcdir/plots

ehsim -q --locks --lines --where -f json=one.json "$srcdir/scenarios/connect-small.yaml"
python3 - <<'END'
import copy
import json

result = json.load(open("one.json"))
of = result["points"][1]
run = {k: of[k] for k in ("seed", "fingerprint", "status", "status_text", "start", "simulated_ns", "warmup_ns", "metrics")}
points = []
for i in range(200):
    p = copy.deepcopy(of)
    p["index"], p["baseline"] = i + 1, 1
    p["set"] = {"workload.threads": str(i // 4 + 1), "kernel.connect": "S%d" % (i % 4)}
    p["repeats"] = [dict(repeat=k + 1, **run) for k in range(75)]
    points.append(p)
result["points"] = points
json.dump(result, open("big.json", "w"), indent=2)
END
size=$(stat -c %s big.json)
expect "50 MB of results: $size" test "$size" -ge 50000000
began=$(date +%s%N)
ehsim -q --report=big big.json
took=$((($(date +%s%N) - began) / 1000000))
echo "$size bytes of results: $took ms, a page of $(stat -c %s big/index.html) bytes"
expect "under 20 s" test $took -lt 20000
expect "under 5 MB" test "$(stat -c %s big/index.html)" -lt 5000000
expect "the page is sound" python3 "$srcdir/tests/cli/page.py" big/index.html big.json

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -n "$browser" ]; then
	ehsim -q --report=small "$srcdir/scenarios/connect-small.yaml"
	ehsim -q --report=lab "$srcdir/scenarios/lab-lock.yaml"
	for page in small lab big; do
		sed 's,</body>,<script>document.title = "width " + document.documentElement.scrollWidth + " of " + innerWidth</script></body>,' \
			$page/index.html >$page/measured.html
		"$browser" --headless=new --no-sandbox --disable-gpu --window-size=390,800 --hide-scrollbars --user-data-dir="$PWD/browser" \
			--enable-logging=stderr --dump-dom "file://$PWD/$page/measured.html" >dom 2>console </dev/null
		expect "the browser shows $page" grep -q '<title>width ' dom
		width=$(sed -n 's,.*<title>width \([0-9]*\) of \([0-9]*\)</title>.*,\1 -le \2,p' dom)
		# shellcheck disable=SC2086
		expect "nothing of $page lies beside a telephone's screen: $width" test $width
		expect "no error on the console" test -z "$(grep CONSOLE console)"
		expect "tables can be sorted" grep -q '<button type="button">' dom
	done
fi
finish
