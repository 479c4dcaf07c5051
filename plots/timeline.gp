# SPDX-License-Identifier: GPL-3.0-or-later
#
# What each CPU did when, a line per CPU; blank is idle, or nothing of what is shown:
#
#	gnuplot -c timeline.gp DATA.csv FIGURE.svg AXIS CAPTION [END]
#
# Columns: row (1 on top), label (of the CPU), series (from 1), name (of what it did), from, to,
# high (half of the bar's height; 0.5 would touch the next line). Later series lie on earlier ones. END is where the
# axis ends, the last `to` without it.
if (ARGC < 4) {
	print "usage: gnuplot -c timeline.gp DATA.csv FIGURE.svg AXIS CAPTION"
	exit status 2
}
data = ARG1; figure = ARG2; axis = ARG3; caption = ARG4
here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }

set datafile separator comma columnheaders
array name[64]
array label[256]
do for [i = 1:64] { name[i] = "" }
do for [i = 1:256] { label[i] = "" }
note(row, l, s, n) = (label[row] = l, name[s] = n, 0)
stats data using (column("row")) name "ROW" nooutput
stats data using (column("series")) name "SERIES" nooutput
stats data using (column("to")) name "TO" nooutput
stats data using (note(int(column("row")), strcol("label"), int(column("series")), strcol("name"))) nooutput
rows = int(ROW_max)
parts = int(SERIES_max)
inner = 22 * rows
legends = parts
load here . "style.gp"

set output figure
set lmargin at screen px(62)
set yrange [rows + 0.5:0.5]
set xrange [0:ARGC > 4 ? real(ARG5) : TO_max]
unset ytics
set border 1
set grid noytics
do for [i = 1:rows] {
	set label 1000 + i label[i] at graph 0, first i right offset -0.7, 0 noenhanced font small textcolor rgb ink
}
do for [i = 1:parts] {
	t = tint[(i - 1) % 8 + 1]
	set object i rectangle center screen px(24), legend_y(i) size screen px(20), py(11) front fillcolor rgb t fillstyle solid border rgb ink
	set label 200 + i name[i] at screen px(42), legend_y(i) left noenhanced textcolor rgb ink
}
set style fill solid 1 noborder
part(i, x) = column("series") == i ? x : NaN
plot for [i = 1:parts] data using (part(i, column("from"))):(column("row")):(column("from")):(column("to")):(column("row") - column("high")):(column("row") + column("high")) \
	with boxxyerror linecolor rgb tint[(i - 1) % 8 + 1]
