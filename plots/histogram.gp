# SPDX-License-Identifier: GPL-3.0-or-later
#
# How often something took how long: bars in bins of a logarithmic axis, those of several points side by side:
#
#	gnuplot -c histogram.gp DATA.csv FIGURE.svg AXIS CAPTION NUMBER
#
# Columns: series (from 1), name (of the series), from, to (of the bar), value.
if (ARGC < 5) {
	print "usage: gnuplot -c histogram.gp DATA.csv FIGURE.svg AXIS CAPTION NUMBER"
	exit status 2
}
data = ARG1; figure = ARG2; axis = ARG3; caption = ARG4; number = ARG5
here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }

set datafile separator comma columnheaders
array name[64]
do for [i = 1:64] { name[i] = "" }
note(s, n) = (name[s] = n, 0)
stats data using (column("series")) name "SERIES" nooutput
stats data using (column("from")) name "FROM" nooutput
stats data using (column("to")) name "TO" nooutput
stats data using (note(int(column("series")), strcol("name"))) nooutput
parts = int(SERIES_max)
inner = 240
legends = parts
load here . "style.gp"

set output figure
set lmargin at screen px(70)
set label 3 number at screen px(12), graph 0.5 center rotate by 90 front noenhanced textcolor rgb ink
set yrange [0:*]
set logscale x
set format x "%g"
set xrange [FROM_min / 1.2:TO_max * 1.2]
do for [i = 1:parts] {
	t = tint[(i - 1) % 8 + 1]
	set object i rectangle center screen px(24), legend_y(i) size screen px(20), py(11) front fillcolor rgb t fillstyle solid border rgb ink
	set label 200 + i name[i] at screen px(42), legend_y(i) left noenhanced textcolor rgb ink
}
set style fill solid 1 border rgb ink
part(i, x) = column("series") == i ? x : NaN
plot for [i = 1:parts] data using (part(i, column("from"))):(column("value")):(column("from")):(column("to")):(0):(column("value")) \
	with boxxyerror linecolor rgb tint[(i - 1) % 8 + 1] linewidth 0.6
