# SPDX-License-Identifier: GPL-3.0-or-later
#
# One number per point as a bar that lies, with its 95 % interval, and the published figure as a diamond:
#
#	gnuplot -c bars.gp DATA.csv FIGURE.svg AXIS CAPTION
#
# Columns: row (1 on top), label, value, lo, hi, published, text (at the end of the bar). A cell without a
# number is empty.
if (ARGC < 4) {
	print "usage: gnuplot -c bars.gp DATA.csv FIGURE.svg AXIS CAPTION"
	exit status 2
}
data = ARG1; figure = ARG2; axis = ARG3; caption = ARG4
here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }

set datafile separator comma columnheaders
array label[64]
array said[64]
array end[64]
do for [i = 1:64] { label[i] = ""; said[i] = "" }
far = 0
published = 0
known(x) = x == x ? x : 0
most(a, b) = a > b ? a : b
note(row, l, s, v, hi, p) = (label[row] = l, said[row] = s, \
	end[row] = most(most(known(v), known(hi)), known(p)), far = most(far, end[row]), published = published || p == p, 0)
stats data using (column("row")) name "ROW" nooutput
stats data using (note(int(column("row")), strcol("label"), strcol("text"), column("value"), column("hi"), \
	column("published"))) nooutput
rows = int(ROW_max)
inner = 46 * rows
legends = 1 + published
load here . "style.gp"

set output figure
set yrange [rows + 0.4:0.4]
set xrange [0:far > 0 ? 1.35 * far : 1]
set xtics 0, far > 0 ? 10 ** floor(log10(far)) * (far / 10 ** floor(log10(far)) < 2 ? 0.5 : far / 10 ** floor(log10(far)) < 5 ? 1 : 2) : 1
unset ytics
set border 1
set grid noytics
bar = tint[1]
set style fill solid 1 border rgb ink
do for [i = 1:rows] {
	set label 100 + i label[i] at graph 0, first i - 0.4 left noenhanced textcolor rgb ink
	set label 200 + i said[i] at first end[i], first i + 0.06 left offset 1.2, 0 noenhanced font small textcolor rgb ink
}
set object 1 rectangle center screen px(24), legend_y(1) size screen px(20), py(11) front fillcolor rgb bar fillstyle solid border rgb ink
set label 300 "simulated, with 95 % interval" at screen px(42), legend_y(1) left textcolor rgb ink
if (published) {
	set label 301 "" at screen px(24), legend_y(2) point pointtype 12 pointsize 1.2 linewidth 1.5 linecolor rgb ink
	set label 302 "published" at screen px(42), legend_y(2) left textcolor rgb ink
}
plot data using (column("value") / 2):(column("row")):(0):(column("value")):(column("row") - 0.18):(column("row") + 0.3) \
		with boxxyerror linecolor rgb bar linewidth 0.6, \
	data using (column("value")):(column("row") + 0.06):(column("lo")):(column("hi")) \
		with xerrorbars linecolor rgb ink linewidth 1.5 pointtype 7 pointsize 0.2, \
	data using (published ? column("published") : NaN):(column("row") + 0.06) \
		with points linecolor rgb ink linewidth 1.5 pointtype 12 pointsize 1.2
