# SPDX-License-Identifier: GPL-3.0-or-later
#
# Numbers over time, a line for each group; with DOTS a point for each number instead:
#
#	gnuplot -c course.gp DATA.csv FIGURE.svg AXIS CAPTION NUMBER [DOTS]
#
# Columns: group (from 1), name (of the group), x, value; of dots from_x, from_value, where a thin line to
# the point begins, or empty. The vertical axis begins at 0,
# but where numbers that are all alike would lie far above it.
if (ARGC < 5) {
	print "usage: gnuplot -c course.gp DATA.csv FIGURE.svg AXIS CAPTION NUMBER [DOTS]"
	exit status 2
}
data = ARG1; figure = ARG2; axis = ARG3; caption = ARG4; number = ARG5
dots = ARGC > 5
here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }

set datafile separator comma columnheaders
array name[64]
do for [i = 1:64] { name[i] = "" }
note(g, n) = (name[g] = n, 0)
stats data using (column("group")) name "GROUP" nooutput
stats data using (note(int(column("group")), strcol("name"))) nooutput
stats data using (column("x")) name "X" nooutput
groups = int(GROUP_max)
inner = 260
legends = groups
load here . "style.gp"

set output figure
set lmargin at screen px(70)
set label 3 number at screen px(12), graph 0.5 center rotate by 90 front noenhanced textcolor rgb ink
stats data using (column("value")) name "VALUE" nooutput
if (!dots || VALUE_min < 0.4 * VALUE_max) { set yrange [0:*] }
set xrange [0:X_max > 0 ? X_max : 1]
array shape[8] = [7, 4, 9, 12, 6, 5, 8, 13]
do for [i = 1:groups] {
	t = hue[(i - 1) % 8 + 1]
	if (dots) {
		set label 100 + i "" at screen px(24), legend_y(i) point pointtype shape[(i - 1) % 8 + 1] pointsize 0.8 linecolor rgb t
	} else {
		set arrow 100 + i from screen px(14), legend_y(i) to screen px(34), legend_y(i) nohead linewidth 2.5 dashtype i linecolor rgb t
	}
	set label 200 + i name[i] at screen px(42), legend_y(i) left noenhanced textcolor rgb ink
}
mine(i, x) = column("group") == i ? x : NaN
if (dots) {
	plot for [i = 1:groups] data using (mine(i, column("from_x"))):(column("from_value")): \
			(column("x") - column("from_x")):(column("value") - column("from_value")) \
		with vectors nohead linewidth 0.6 dashtype i linecolor rgb hue[(i - 1) % 8 + 1], \
	for [i = 1:groups] data using (mine(i, column("x"))):(column("value")) \
		with points pointtype shape[(i - 1) % 8 + 1] pointsize 0.35 linecolor rgb hue[(i - 1) % 8 + 1]
} else {
	plot for [i = 1:groups] data using (mine(i, column("x"))):(column("value")) \
		with lines linewidth 2 dashtype i linecolor rgb hue[(i - 1) % 8 + 1]
}
