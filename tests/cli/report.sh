#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The page of --report and the plot of --plot: are they whole, do they say what the JSON says, of fresh and of stored
# results; is everything else refused with its place; does nothing leave the folder, whatever a result says; what if
# gnuplot is missing or fails?
. "$(dirname "$0")/lib.sh"

command -v gnuplot >/dev/null || { echo "skipped: no gnuplot"; exit 77; }
export EHSIM_PLOTS=$srcdir/plots

cat >a.yaml <<'END'
description: two threads against four
workload: {threads: [2, 4], flows: 8}
expect: [{metric: throughput_per_s, published: 2100, within: 10%, when: {workload.threads: 2}, row: T1}]
END

# What a page's result has as any other has it: it has tables beside that.
export same='del(.host) | .points |= map({index, set, seed, fingerprint, status, metrics, changes, profile, expect})'
transcript <<'END'
$ fake --report=page a.yaml
! ehsim: the report is page/index.html
$ fake -q --report=page a.yaml
! ehsim: page is not empty; --force writes the report into it
? 2
$ mkdir -p taken/index.html && fake -q --report=taken --force a.yaml
! ehsim: taken/index.html cannot be written: Is a directory
? 2
$ rm -r taken
$ ls page
> bars.gp
> figures.sh
> figures.sha256
> index.html
> main.csv
> main.png
> main.svg
> points.csv
> profile-client.csv
> profile-client.png
> profile-client.svg
> profile-server.csv
> profile-server.png
> profile-server.svg
> published.csv
> published.gp
> published.png
> published.svg
> result.json
> scenario.yaml
> stacked.gp
> style.gp
$ fake -q -f json a.yaml | jq "$same" >a.json; jq "$same" page/result.json | cmp - a.json && fake -q --check page/scenario.yaml
$ grep -c '<svg' page/index.html
> 4
$ cat page/main.csv
> row,label,value,lo,hi,published,text
> 1,"threads=2",2000,1980,2020,2100,"2000.0 /s"
> 2,"threads=4",4000,3960,4040,,"4000.0 /s"
$ mkdir old && cp page/*.svg old && rm page/*.svg && sh page/figures.sh && for f in old/*; do cmp $f page/${f#old/}; done
$ fake -q --report=page --force page/result.json && for f in old/*; do cmp $f page/${f#old/}; done
$ fake -q --plot -f json=b.json a.yaml
> throughput, /s
>   threads=2  2000.0 █████████████████████████████▒◆
>   threads=4  4000.0 ██████████████████████████████████████████████████████████▒
>   █ to the lower end of the 95 % interval, ▒ the interval, ◆ published
$ fake -q --plot b.json | head -n 1
> throughput, /s
$ fake -q --plot a.yaml | grep -c '^throughput, /s\|^published against'
> 2
$ fake --report=new --seed=2 b.json
! ehsim: b.json is a result: there is nothing to run, so only --report, --plot, --output and --force go with it
! Try 'ehsim --help'.
? 2
$ fake --report=new b.json a.yaml
! ehsim: a scenario and results do not go together: 'b.json' and 'a.yaml'
! Try 'ehsim --help'.
? 2
$ fake --plot -f json a.yaml
! ehsim: --plot and --format=json both go to standard output; name a file, as in --format=json=FILE
! Try 'ehsim --help'.
? 2
$ fake --report=/proc/x/y a.yaml
! ehsim: /proc/x/y cannot be written: No such file or directory
? 2
$ test -e new
? 1
END

# Results that are none.
head -c 700 b.json >cut.json
sed 's,ehsim-result/1,ehsim-result/2,' b.json >other.json
echo '{"a": [1, 2' >open.json
python3 -c 'print("[" * 100000)' >deep.json
jq '.points[1].metrics.throughput_per_s.mean = "many"' b.json >wrong.json
jq 'del(.points[0].profile) | .scenario.values.x = 3' b.json >less.json
printf '{"schema": "\xff"}' >bytes.json
transcript <<'END'
$ fake --report=new cut.json 2>&1 | sed 's/:[0-9]*:[0-9]*:/:L:C:/'
> cut.json:L:C: error: the text ends here, in the middle of a value: was it cut off?
> ehsim: 1 error, nothing was written
$ fake --report=new open.json
! open.json:2:1: error: the text ends here, in the middle of a value: was it cut off?
! ehsim: 1 error, nothing was written
? 2
$ fake --report=new other.json
! other.json:2:14: error: this is a result of schema ehsim-result/2, made by another version of ehsim; this one reads ehsim-result/1
! ehsim: 1 error, nothing was written
? 2
$ fake --plot deep.json
! deep.json:1:65: error: arrays and objects are nested too deeply
! ehsim: 1 error, nothing was written
? 2
$ fake --report=new bytes.json
! bytes.json:1:13: error: this is no UTF-8 text
! ehsim: 1 error, nothing was written
? 2
$ fake --report=new wrong.json 2>&1 | sed 's/:[0-9]*:[0-9]*:/:L:C:/'
> wrong.json:L:C: error: 'mean' must be a number
> ehsim: 1 error, nothing was written
$ fake --report=new less.json 2>&1 | sed 's/:[0-9]*:[0-9]*:/:L:C:/'
> less.json:L:C: error: 'x' must be a text
> less.json:L:C: error: 'profile' is missing here
> ehsim: 2 errors, nothing was written
$ echo '{"workload": {"threads": 2}}' >scenario.json; fake --report=new scenario.json
! scenario.json:1:1: error: this is no result of ehsim --format=json: it does not begin with "schema": "ehsim-result/1"
! ehsim: 1 error, nothing was written
? 2
$ fake --report=new absent.json
! absent.json: error: no such file
! ehsim: 1 error, nothing was written
? 2
$ mkfifo pipe.json; mkdir folder.json; for file in pipe.json folder.json; do fake --plot $file; done 2>&1 | grep -v '1 error'
> pipe.json: error: is not a regular file; name a result
> folder.json: error: is not a regular file; name a result
$ fake --plot -o cut.json b.json
! ehsim: cut.json exists; --force overwrites it
? 2
$ fake --plot --force -o b.json b.json
! ehsim: b.json is a result that is read; nothing else can go there
! Try 'ehsim --help'.
? 2
$ test -e new
? 1
END
line=$(fake --plot wrong.json 2>&1 | sed -n 's/^wrong.json:\([0-9]*\):.*/\1/p')
expect "the message points to the line" grep -q '"many"' <(sed -n "${line}p" wrong.json)

# A result that means harm: names that are HTML, shell, gnuplot, paths.
cat >harm.jq <<'END'
.scenario.description = "</title><script>alert(1)</script>" |
.scenario.file = "../../`touch harm`" |
.points[0].set = {"../x|#<b>": "\"><img src=x onerror=alert(2)>"} |
.points[1].set = {"../x|#<b>": "`touch harm`; $(touch harm) \u001b[2J \",' @x"} |
.points[0].profile.client[0].symbol = "<svg/onload=alert(3)>\n\"`touch harm`\"" |
.points[0].locks = {"client": [{"name": "../../etc", "type": "{/Symbol a}", "contentions": 1,
	"waittime_total_ns": 1e9, "acquisitions": 5}], "server": []} |
.points[0]["<i>new</i>"] = {"a": 1, "b": [{"<u>": 2}]} | .points[0].fingerprint = "%s%n"
END
jq -f harm.jq b.json >harm.json
mkdir outside && echo kept >outside/file
fake -q --report=harm harm.json
expect "a harmful result makes a page" test $? -eq 0
expect "nothing was run" test -z "$(find . -name 'harm' -not -path './harm')"
ln -sf ../outside/file harm/index.html
fake -q --force --report=harm harm.json
expect "a link in the folder is replaced, not followed" test "$(cat outside/file)" = kept -a ! -L harm/index.html
expect "all names are ours" test -z "$(find harm -name '*[^a-z0-9.-]*' -not -path harm)"

# What an earlier report left goes, what others put there or changed stays.
fake -q --report=again b.json
(cd again && sha256sum --quiet -c figures.sha256) || expect "sums are those of the files" false
printf '%s\n' 'mine' >again/notes.csv
printf '%s\n' 'mine' >>again/bars.gp
(cd again && sha256sum main.svg >sum && sed 's/main.svg/gone.svg/' sum >>figures.sha256 && cp main.svg gone.svg &&
	cp main.svg kept.svg && cp main.svg ../outside/kept.svg && sed 's,main.svg,../outside/kept.svg,' sum >>figures.sha256 &&
	sed 's/^./x/; s/main.svg/kept.svg/' sum >>figures.sha256 && ln -s kept.svg link.svg && sed 's/main/link/' sum >>figures.sha256)
fake -q --force --report=again b.json
expect "stale figures are removed" test ! -e again/gone.svg -a -s again/main.svg
expect "all else stays" test -s again/notes.csv -a -s again/kept.svg -a -L again/link.svg -a -s outside/kept.svg
rm outside/kept.svg

# Several results.
fake -q -f json=c.json -s workload.threads=8 a.yaml
fake -q --report=both b.json c.json
expect "points of both results stand on the page" test "$(grep -c 'threads=[248]: <b' both/index.html)" -eq 3

# No gnuplot, and ones that fail.
mkdir none broken half full
ln -s "$tmp/bin/fake" none/fake
printf '#!/bin/sh\necho "line 0: no such terminal" >&2\nexit 1\n' >broken/gnuplot
printf '#!/bin/sh\n: >"$5"\n' >half/gnuplot
printf '#!/bin/sh\nprintf "<svg><g>" >"$5"\n' >full/gnuplot
chmod +x broken/gnuplot half/gnuplot full/gnuplot
hint='data and scripts are in without; when gnuplot works, '\''sh figures.sh'\'' there draws the figures, and ehsim --force --report with the same results puts them into the page'
for way in none broken half full; do
	rm -rf without
	path=$PWD/$way
	[ $way = none ] || path=$path:$PATH
	PATH=$path "$EH_FAKE_EHSIM" -q --report=without a.yaml 2>words
	expect "exit 1 with gnuplot $way" test $? -eq 1
	expect "no figure, not even an empty one, with gnuplot $way" test -z "$(find without -name '*.svg' -o -name '*.png')"
	expect "data, scripts and page are there with gnuplot $way" test -s without/main.csv -a -s without/bars.gp \
		-a -s without/figures.sh -a -s without/index.html -a -s without/result.json
	expect "it says what to do with gnuplot $way" grep -qF "$hint" words
	cat words >>all
done
expect "it says why" diff - <(grep -v "^ehsim: data" all) <<'END'
ehsim: main.svg was not drawn: gnuplot is not installed (Debian: gnuplot-nox)
ehsim: main.svg was not drawn: gnuplot failed and said: line 0: no such terminal
ehsim: main.svg was not drawn: gnuplot wrote nothing
ehsim: main.svg was not drawn: gnuplot wrote the beginning only; is the disk full?
END

# Real ones, with every figure; gnuplot has nothing to say.
ehsim -q --report=lab -s 'workload.threads=[1,2,4]' -s 'workload.lock.kind=[tas,queued]' "$srcdir/scenarios/lab-lock.yaml"
ehsim -q --report=small "$srcdir/scenarios/connect-small.yaml"
for page in lab small; do
	expect "$page has a timeline, profiles and lines" test -s $page/timeline-2.svg -a -s $page/profile-client.svg -a -s $page/lines-1.svg
	expect "gnuplot does not warn" test -z "$(sh $page/figures.sh 2>&1)"
done
expect "candidates per connect spread around their mean" jq -e 'all(.points[]; .distributions.candidates_per_connect as $d |
	.metrics.candidates_per_connect.mean as $mean | [$d.quantiles[].value] as $v | ($v | sort) == $v and $d.count > 100 and
	$v[0] < $mean and $v[-1] > $mean)' small/result.json >/dev/null
ehsim -q --report=cold -s run.start=cold -s run.length=200ms "$srcdir/scenarios/connect-small.yaml"
expect "percentiles of the latency are its quantiles" jq -e 'all(.points[]; .metrics.latency_p90_s.mean ==
	(.distributions.latency_s.quantiles[] | select(.q == 0.9).value))' cold/result.json >/dev/null
expect "both are drawn" test -s cold/spread-candidates.svg -a -s cold/spread-latency.svg
if command -v python3 >/dev/null; then
	for page in page harm both lab small cold; do
		results=$page/result.json
		[ $page = harm ] && results=harm.json
		[ $page = both ] && results='b.json c.json'
		# shellcheck disable=SC2086
		expect "the page of $page is sound" python3 "$srcdir/tests/cli/page.py" $page/index.html $results
	done
fi
finish
