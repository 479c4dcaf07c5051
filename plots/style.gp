# SPDX-License-Identifier: GPL-3.0-or-later
#
# What all figures share; each loads it after setting
#	figure	the file: its ending says svg, pdf or png
#	caption	lines at the bottom: scenario, seed, version, intervals
#	inner	height of the plot in pixels of the svg
#	axis	what the horizontal axis is, with its unit
#	legends	lines of the legend that it draws below the axis
#
# Wide enough for a column of text, and legible on a telephone. Places are in pixels from the left and
# from the bottom, made into gnuplot's "screen" by px and py. Tints are told apart by those who see no
# red or green; dark and light ones take turns, so that a print in grey keeps their order.
without(s, c) = (at_ = strstrt(s, c), at_ == 0 ? s : s[1:at_ - 1] . without(s[at_ + strlen(c):*], c))
captions = caption eq "" ? 0 : 1 + strlen(caption) - strlen(without(caption, "\n"))
wide = 420
below = 10 + 15 * captions + 19 * legends + 50
high = below + inner + 10
px(x) = x / (1.0 * wide)
py(y) = y / (1.0 * high)
legend_y(i) = py(12 + 15 * captions + 19 * (legends - i) + 9)

array tint[8] = ["#3f87bd", "#f0e442", "#008a64", "#efa94a", "#d58db4", "#b5def2", "#b84a00", "#e4e4e4"]
array hue[8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a4ea3", "#888888"]
ink = "#222222"
pale = "#606060"
if (strstrt(figure, ".pdf")) {
	set terminal pdfcairo size wide / 40.0 cm, high / 40.0 cm font "sans,8" fontscale 1
	small = ",6.8"
} else { if (strstrt(figure, ".png")) {
	set terminal pngcairo size 2 * wide, 2 * high font "sans,9" fontscale 2 linewidth 2 pointscale 2
	small = ",7.6"
} else {
	set terminal svg size wide, high dynamic font "sans-serif,13" background rgb "white"
	small = ",11"
} }
set datafile separator comma columnheaders
set encoding utf8
set lmargin at screen px(12)
set rmargin at screen px(wide - 18)
set tmargin at screen py(high - 10)
set bmargin at screen py(below)
set border 3 linecolor rgb pale
set tics nomirror textcolor rgb ink
set grid xtics ytics linecolor rgb "#d0d0d0" linewidth 0.5
set label 2 axis at screen px(wide / 2), py(below - 36) center front noenhanced textcolor rgb ink
unset key
set label 1 caption at screen px(12), py(15 * captions - 2) left front noenhanced font small textcolor rgb pale
