# SPDX-License-Identifier: GPL-3.0-or-later
#
# Which share lies above a value (1 - distribution function), on logarithmic axes, a line for each point:
#
#	gnuplot -c distribution.gp DATA.csv FIGURE.svg AXIS CAPTION NUMBER
#
# Columns: group (from 1), name (of the group), x, value (the share above x).
if (ARGC < 5) {
	print "usage: gnuplot -c distribution.gp DATA.csv FIGURE.svg AXIS CAPTION NUMBER"
	exit status 2
}
data = ARG1; figure = ARG2; axis = ARG3; caption = ARG4; number = ARG5
here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }

set datafile separator comma columnheaders
array name[64]
do for [i = 1:64] { name[i] = "" }
note(g, n) = (name[g] = n, 0)
stats data using (column("group")) name "GROUP" nooutput
stats data using (note(int(column("group")), strcol("name"))) nooutput
groups = int(GROUP_max)
inner = 280
legends = groups
load here . "style.gp"

set output figure
set lmargin at screen px(70)
set rmargin at screen px(wide - 28)
set label 3 number at screen px(12), graph 0.5 center rotate by 90 front noenhanced textcolor rgb ink
set logscale xy
set format x "%g"
set format y "%g"
set yrange [*:1.1]
array shape[8] = [7, 4, 9, 12, 6, 5, 8, 13]
do for [i = 1:groups] {
	t = hue[(i - 1) % 8 + 1]
	set arrow 100 + i from screen px(14), legend_y(i) to screen px(34), legend_y(i) nohead linewidth 2.5 dashtype i linecolor rgb t
	set label 100 + i "" at screen px(24), legend_y(i) point pointtype shape[(i - 1) % 8 + 1] pointsize 0.6 linecolor rgb t
	set label 200 + i name[i] at screen px(42), legend_y(i) left noenhanced textcolor rgb ink
}
mine(i, x) = column("group") == i && column("value") > 0 && column("x") > 0 ? x : NaN
plot for [i = 1:groups] data using (mine(i, column("x"))):(column("value")) \
	with linespoints linewidth 2 dashtype i pointtype shape[(i - 1) % 8 + 1] pointsize 0.5 linecolor rgb hue[(i - 1) % 8 + 1]
