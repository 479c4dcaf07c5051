#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Are the pages of each document's scenario sound: does a browser show them at a telephone's and a screen's width, light
# and dark, without a word on its console and a bar to scroll sideways, is no label of a figure cut off or too small to
# read, and is every number that of the JSON? The windows are short: looks matter here, not results.
. "$(dirname "$0")/lib.sh"

command -v gnuplot >/dev/null || { echo "skipped: no gnuplot"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || { echo "skipped: no browser"; exit 77; }
export EHSIM_PLOTS=$srcdir/plots

# What the page says of itself once it is laid out: words for this script, in its title.
cat >look.html <<'END'
<script>
const bad = [];
const wide = document.documentElement.scrollWidth;
if (wide > innerWidth) bad.push('is ' + wide + ' wide on ' + innerWidth);
const lum = c => { const [r, g, b] = c.match(/[0-9.]+/g).map(Number); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const paper = lum(getComputedStyle(document.body).backgroundColor);
if ((paper < 128) !== matchMedia('(prefers-color-scheme: dark)').matches) bad.push('has paper of ' + paper);
if (Math.abs(lum(getComputedStyle(document.body).color) - paper) < 120) bad.push('has pale ink');
document.querySelectorAll('figure svg').forEach(svg => {
	const name = svg.getAttribute('aria-label'), box = svg.getBoundingClientRect();
	svg.querySelectorAll('text').forEach(text => {
		const r = text.getBoundingClientRect(), size = parseFloat(getComputedStyle(text).fontSize);
		if (!text.textContent.trim()) return;
		if (r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 1 || r.bottom > box.bottom + 1)
			bad.push('cuts "' + text.textContent.trim() + '" of "' + name + '"');
		if (size * box.width / svg.viewBox.baseVal.width < 8) bad.push('has small letters in "' + name + '"');
	});
});
document.title = 'looked at: ' + (bad.length ? bad.slice(0, 5).join('; ') : 'fine');
</script>
END

# look DIR WIDTH SCHEME(0 dark, 1 light)
look()
{
	local said
	sed -e '/<\/body>/{r look.html' -e 'd}' "$1/index.html" >"$1/looked.html"
	"$browser" --headless=new --no-sandbox --disable-gpu --window-size="$2,900" --hide-scrollbars --user-data-dir="$PWD/browser" \
		--blink-settings=preferredColorScheme="$3" --enable-logging=stderr --dump-dom "file://$PWD/$1/looked.html" \
		>dom 2>console </dev/null
	said=$(sed -n 's,.*<title>looked at: \(.*\)</title>.*,\1,p' dom)
	expect "$1 at $2, scheme $3: ${said:-the browser did not show it}" test "$said" = fine
	expect "$1 at $2: no word on the console" test -z "$(grep CONSOLE console)"
}

short=(-s run.warmup=2ms -s run.batch=500us -s run.at_most=4ms)
for scenario in connect-rcu connect-ehashfn skb-cache skb-defer ehash-2004 ehash-2004-dance lab-lock rcu-grace-periods; do
	file=$srcdir/scenarios/$scenario.yaml
	[ -e "$file" ] || continue
	set -- "${short[@]}"
	ehsim -q --check "$@" "$file" 2>/dev/null || set -- # its run has other keys
	ehsim -q --report="$scenario" "$@" "$file" 2>words
	expect "$scenario makes a page: $(head -n 1 words)" test -s "$scenario/index.html"
	expect "gnuplot has nothing to say of $scenario" test -z "$(sh "$scenario/figures.sh" 2>&1)"
	for width in 390 1280; do
		for scheme in 0 1; do
			look "$scenario" $width $scheme
		done
	done
	expect "the numbers of $scenario are those of the JSON" \
		python3 "$srcdir/tests/cli/page.py" "$scenario/index.html" "$scenario/result.json"
done
finish
