# SPDX-License-Identifier: GPL-3.0-or-later
#
# Simulated over published, a line per published figure, on a logarithmic axis with 1 in the middle:
#
#	gnuplot -c published.gp DATA.csv FIGURE.svg AXIS CAPTION
#
# Columns: row (1 on top), label, ratio, lo, hi, from, to (what is allowed, or empty), fitted (1: a number
# was fitted on it), text.
if (ARGC < 4) {
	print "usage: gnuplot -c published.gp DATA.csv FIGURE.svg AXIS CAPTION"
	exit status 2
}
data = ARG1; figure = ARG2; axis = ARG3; caption = ARG4
here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }

set datafile separator comma columnheaders
array label[64]
array said[64]
do for [i = 1:64] { label[i] = ""; said[i] = "" }
note(row, l, s) = (label[row] = l, said[row] = s, 0)
stats data using (column("row")) name "ROW" nooutput
stats data using (note(int(column("row")), strcol("label"), strcol("text"))) nooutput
stats data using (abs(log(column("ratio")))) name "FAR" nooutput
rows = int(ROW_max)
far = exists("FAR_max") && FAR_max > log(1.9) ? 1.25 * exp(FAR_max) : 2.2
inner = 40 * rows
legends = 3
load here . "style.gp"

set output figure
set yrange [rows + 0.5:0.4]
set logscale x
set xrange [1 / far:far]
set format x "%g"
set xtics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.7, 1, 1.4, 2, 5, 10, 20, 50, 100)
unset ytics
set border 1
set grid noytics
allowed = tint[1]
set style fill solid 1 noborder
do for [i = 1:rows] {
	set arrow i from 1, first i - 0.08 to 1, first i + 0.4 nohead linewidth 1.5 linecolor rgb ink back
	set label 100 + i label[i] at graph 0, first i - 0.33 left noenhanced textcolor rgb ink
	set label 200 + i said[i] at graph 1, first i - 0.33 right noenhanced textcolor rgb ink
}
set label 301 "" at screen px(24), legend_y(1) point pointtype 6 pointsize 0.9 linewidth 1.5 linecolor rgb ink
set label 302 "predicted, with 95 % interval" at screen px(42), legend_y(1) left textcolor rgb ink
set label 303 "" at screen px(24), legend_y(2) point pointtype 7 pointsize 0.9 linecolor rgb ink
set label 304 "a number was fitted on it" at screen px(42), legend_y(2) left textcolor rgb ink
set object 1 rectangle center screen px(24), legend_y(3) size screen px(20), py(11) front fillcolor rgb allowed fillstyle solid noborder
set label 305 "what the scenario allows" at screen px(42), legend_y(3) left textcolor rgb ink
like(f, x) = column("fitted") == f ? x : NaN
plot data using (column("ratio")):(column("row")):(column("from")):(column("to")):(column("row") - 0.08):(column("row") + 0.32) \
		with boxxyerror linecolor rgb allowed, \
	data using (column("ratio")):(column("row") + 0.12):(column("lo")):(column("hi")) \
		with xerrorbars linewidth 1.5 pointtype 7 pointsize 0.1 linecolor rgb ink, \
	data using (like(0, column("ratio"))):(column("row") + 0.12) with points linewidth 1.5 pointtype 6 pointsize 0.9 linecolor rgb ink, \
	data using (like(1, column("ratio"))):(column("row") + 0.12) with points pointtype 7 pointsize 0.9 linecolor rgb ink
