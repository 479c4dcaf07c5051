# SPDX-License-Identifier: GPL-3.0-or-later
#
# Bars that lie, each cut into parts, such as the profile of every point:
#
#	gnuplot -c stacked.gp DATA.csv FIGURE.svg AXIS CAPTION
#
# Columns: row (1 on top), label, series (from 1), name (of the series), from, to (of the part), text (in
# the part, or empty).
if (ARGC < 4) {
	print "usage: gnuplot -c stacked.gp DATA.csv FIGURE.svg AXIS CAPTION"
	exit status 2
}
data = ARG1; figure = ARG2; axis = ARG3; caption = ARG4
here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }

set datafile separator comma columnheaders
array name[64]
array label[64]
do for [i = 1:64] { name[i] = ""; label[i] = "" }
note(row, l, s, n) = (label[row] = l, name[s] = n, 0)
stats data using (column("row")) name "ROW" nooutput
stats data using (column("series")) name "SERIES" nooutput
stats data using (note(int(column("row")), strcol("label"), int(column("series")), strcol("name"))) nooutput
rows = int(ROW_max)
parts = int(SERIES_max)
inner = 46 * rows
legends = parts
load here . "style.gp"

set output figure
set rmargin at screen px(wide - 26) # half a long number at the end of the axis
set yrange [rows + 0.4:0.4]
set xrange [0:*]
unset ytics
set border 1
set grid noytics
do for [i = 1:rows] {
	set label 100 + i label[i] at graph 0, first i - 0.4 left noenhanced textcolor rgb ink
}
do for [i = 1:parts] {
	t = tint[(i - 1) % 8 + 1]
	set object i rectangle center screen px(24), legend_y(i) size screen px(20), py(11) front fillcolor rgb t fillstyle solid border rgb ink
	set label 200 + i name[i] at screen px(42), legend_y(i) left noenhanced textcolor rgb ink
}
set style fill solid 1 border rgb ink
part(i, x) = column("series") == i ? x : NaN
plot for [i = 1:parts] data using (part(i, column("from"))):(column("row")):(column("from")):(column("to")):(column("row") - 0.18):(column("row") + 0.3) \
		with boxxyerror linecolor rgb tint[(i - 1) % 8 + 1] linewidth 0.6, \
	data using ((column("from") + column("to")) / 2):(column("row") + 0.06):(strcol("text")) \
		with labels noenhanced font small
