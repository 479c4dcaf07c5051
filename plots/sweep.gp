# SPDX-License-Identifier: GPL-3.0-or-later
#
# One metric over one swept key, a line for each value of another, with 95 % intervals:
#
#	ehsim -f csv=locks.csv scenarios/lab-lock.yaml
#	gnuplot -c plots/sweep.gp locks.csv locks.svg workload.threads ops_per_s workload.lock.kind
#
# The last word may be left out. The ending of the second file says svg, pdf or png.
if (ARGC < 4) {
	print "usage: gnuplot -c sweep.gp DATA.csv FIGURE.svg KEY METRIC [KEY-OF-LINES]"
	exit status 2
}
abscissa = ARG3
metric = ARG4
by = ARGC > 4 ? ARG5 : ""

set datafile separator comma columnheaders
if (strstrt(ARG2, ".pdf")) {
	set terminal pdfcairo size 16cm, 10cm font ",10"
} else { if (strstrt(ARG2, ".png")) {
	set terminal pngcairo size 960, 600 font ",11"
} else {
	set terminal svg size 800, 500 font "sans,12"
} }

groups = ""
note(g) = (strstrt(groups . " ", " " . g . " ") ? 0 : (groups = groups . " " . g, 1))
mine(g) = by eq "" || strcol(by) eq g
if (by eq "") {
	groups = "all"
} else {
	stats ARG1 using (note(strcol(by))) nooutput
}
stats ARG1 using (column(abscissa)) nooutput
if (STATS_min > 0 && STATS_max >= 16 * STATS_min) {
	set logscale x 2
}

# Before there is a file: a metric that is not in the data ends here.
stats ARG1 using (column(metric)) name "FOUND" nooutput
if (!exists("FOUND_records") || FOUND_records == 0) {
	print sprintf("%s has no numbers under the header \"%s\"", ARG1, metric)
	exit status 1
}
set output ARG2
set xlabel abscissa noenhanced
set ylabel metric noenhanced
set yrange [0:*]
set key outside right noenhanced
set grid ytics linecolor rgb "#dddddd"
array tint[8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"]
plot for [i = 1:words(groups)] ARG1 \
	using (column(abscissa)):(mine(word(groups, i)) ? column(metric) : NaN):(column(metric . "_lo")):(column(metric . "_hi")) \
	with yerrorlines linewidth 1.5 pointtype 7 pointsize 0.4 linecolor rgb tint[(i - 1) % 8 + 1] \
	title by eq "" ? "" : word(groups, i)
