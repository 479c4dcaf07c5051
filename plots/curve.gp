# SPDX-License-Identifier: GPL-3.0-or-later
#
# A number over a swept key, with 95 % intervals, a line for each group of points, and published figures:
#
#	gnuplot -c curve.gp DATA.csv FIGURE.svg AXIS CAPTION NUMBER
#
# Columns: group (from 1), name (of the group), x, value, lo, hi, published. A cell without a number is
# empty. The vertical axis (NUMBER) begins at 0, unless its values span a factor of more than
# 100: then it is logarithmic, as the other is from 16 on.
if (ARGC < 5) {
	print "usage: gnuplot -c curve.gp DATA.csv FIGURE.svg AXIS CAPTION NUMBER"
	exit status 2
}
data = ARG1; figure = ARG2; axis = ARG3; caption = ARG4; number = ARG5
here = ""
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i] } }

set datafile separator comma columnheaders
array name[64]
do for [i = 1:64] { name[i] = "" }
published = 0
note(g, n, p) = (name[g] = n, published = published || p == p, 0)
stats data using (column("group")) name "GROUP" nooutput
stats data using (note(int(column("group")), strcol("name"), column("published"))) nooutput
stats data using (column("x")) name "X" nooutput
groups = int(GROUP_max)
inner = 300
named = groups > 1 || published
if (groups == 1) { name[1] = "simulated, with 95 % interval" }
legends = (named ? groups : 0) + (published ? 1 : 0)
load here . "style.gp"

set output figure
set lmargin at screen px(70)
set label 3 number at screen px(12), graph 0.5 center rotate by 90 front noenhanced textcolor rgb ink
stats data using (column("value")) name "VALUE" nooutput
if (VALUE_min > 0 && VALUE_max > 100 * VALUE_min) {
	set logscale y
	set format y "%g"
	set yrange [VALUE_min / 1.5:VALUE_max * 1.5]
} else {
	set yrange [0:*]
}
logarithmic = X_min > 0 && X_max >= 16 * X_min
if (logarithmic) {
	set logscale x 2
	set xrange [X_min / 1.15:X_max * 1.15]
} else {
	pad = X_max > X_min ? 0.04 * (X_max - X_min) : 1
	set xrange [X_min - pad:X_max + pad]
}
array shape[8] = [7, 5, 9, 13, 6, 4, 8, 12]
do for [i = 1:groups] {
	if (named) {
		t = hue[(i - 1) % 8 + 1]
		set label 100 + i "" at screen px(24), legend_y(i) point pointtype shape[(i - 1) % 8 + 1] pointsize 0.9 linecolor rgb ink
		set arrow 100 + i from screen px(14), legend_y(i) to screen px(34), legend_y(i) nohead linewidth 2.5 dashtype i linecolor rgb t back
		set label 200 + i name[i] at screen px(42), legend_y(i) left noenhanced textcolor rgb ink
	}
}
if (published) {
	set label 301 "" at screen px(24), legend_y(legends) point pointtype 12 pointsize 1.2 linewidth 1.5 linecolor rgb ink
	set label 302 "published" at screen px(42), legend_y(legends) left textcolor rgb ink
}
mine(i, x) = column("group") == i ? x : NaN
plot for [i = 1:groups] data using (mine(i, column("x"))):(column("value")) \
		with lines linewidth 2.5 dashtype i linecolor rgb hue[(i - 1) % 8 + 1], \
	for [i = 1:groups] data using (mine(i, column("x"))):(column("value")):(column("lo")):(column("hi")) \
		with yerrorbars linewidth 1.2 pointtype shape[(i - 1) % 8 + 1] pointsize 0.7 linecolor rgb ink, \
	data using (column("x")):(published ? column("published") : NaN) \
		with points linecolor rgb ink linewidth 1.5 pointtype 12 pointsize 1.2
