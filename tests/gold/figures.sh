#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Does each script of plots/ draw the same as before from the same data, byte for byte; are the figures of
# README.md and the manual (plots/figures) those of the shipped scenarios as they run now? EH_GOLD_UPDATE=1 writes them;
# FIGURES=all also those of tcp_crr, which move with every change of the model (`make figures` does both).
set -uo pipefail

srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
gold=$srcdir/tests/gold/figures.txt
figures=$srcdir/plots/figures
export EHSIM_PLOTS=$srcdir/plots EHSIM_MACHINES=$srcdir/scenarios/machines LC_ALL=C.UTF-8
case $(gnuplot --version 2>/dev/null) in
'gnuplot 5.4 '*) ;;
*) echo "skipped: figures are compared with those of gnuplot 5.4"; exit 77 ;;
esac
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
bad=0

# draw SCRIPT AXIS [NUMBER]: data on stdin; its sum to stdout, without the patch level
draw()
{
	cat >"$1.csv"
	gnuplot -d -c "$srcdir/plots/$1.gp" "$1.csv" "$1.svg" "$2" $'made.yaml, seed 1, ehsim 0\nfrom a made table' "${@:3}" \
		2>"$1.err" || echo "$1.gp failed"
	[ ! -s "$1.err" ] || { echo "$1.gp says: $(head -n 1 "$1.err")"; }
	printf '%s  %s\n' "$(grep -v '^<desc>' "$1.svg" | sha256sum | cut -c 1-32)" "$1"
}

{
	draw bars 'throughput, /s' <<'END'
row,label,value,lo,hi,published,text
1,"a",100,90,110,105,"100 /s"
2,"_b{c}",200,,,,"200 /s"
END
	draw curve 'threads' 'operations, /s' <<'END'
group,name,x,value,lo,hi,published
1,"a",1,10,9,11,12
1,"a",32,20,19,21,
2,"b; c",1,10,,,
2,"b; c",32,30,29,31,
END
	draw published 'simulated / published' <<'END'
row,label,ratio,lo,hi,from,to,fitted,text
1,"a",1.1,1.05,1.15,0.8,1.2,0,"x 1.10 ok"
2,"b",0.5,,,,,1,"x 0.50"
END
	draw stacked 'share, %' <<'END'
row,label,series,name,from,to,text
1,"a",1,"x",0,60,"60 "
1,"a",2,"y",60,100,"40 "
2,"b",2,"y",0,5," "
END
	draw timeline 'time, us' <<'END'
row,label,series,name,from,to,high
1,CPU 0,1,"holds",0,2,0.4
1,CPU 0,2,"waits",3,5,0.15
2,CPU 7,2,"waits",0,5,0.15
END
	draw course 'time, ms' 'local port' dots <<'END'
group,name,x,value,from_x,from_value
1,"a",1,33000,0.5,32800
1,"a",2,34000,,
2,"b",1.5,60000,1,50000
END
	draw histogram 'length, ms' 'share, %' <<'END'
series,name,from,to,value
1,"a",1,1.41,40
1,"a",2,2.82,60
2,"b",1.41,2,100
END
	draw distribution 'latency, ms' 'share above' <<'END'
group,name,x,value
1,"a",1,0.5
1,"a",2,0.1
1,"a",9,0.001
2,"b",1.5,0.5
2,"b",3,0.01
END
} >sums
if [ -n "${EH_GOLD_UPDATE-}" ]; then
	cp sums "$gold"
else
	diff -u "$gold" sums || bad=1
fi

# shipped SCENARIO FIGURE...: of a run of it, as plots/figures/SCENARIO-FIGURE.svg
shipped()
{
	local name figure
	name=$(basename "$1" .yaml)
	"$EHSIM" -q --report="$name" "$srcdir/scenarios/$1" 2>words
	for figure in "${@:2}"; do
		grep -v '^<desc>' "$name/$figure.svg" >drawn.svg
		if [ -n "${EH_GOLD_UPDATE-}" ]; then
			cp drawn.svg "$figures/$name-$figure.svg"
		elif ! cmp -s drawn.svg "$figures/$name-$figure.svg"; then
			echo "plots/figures/$name-$figure.svg is not what $1 gives now: make figures"
			bad=1
		fi
	done
}

shipped lab-lock.yaml main
shipped validate/L3.yaml main
[ "${FIGURES-}" != all ] || shipped connect-small.yaml cpu-time course-ports
exit $bad
