# SPDX-License-Identifier: GPL-3.0-or-later
#
# Fitted numbers by machine, then the points: every point, a line per row and machine, the totals.
# Writes the same table as markdown; exit 1: a target is missed.

function abs(x) { return x < 0 ? -x : x }
function off(ratio) { return ratio < 1 ? 1 / ratio : ratio }
function percent(sum, n) { return n ? sprintf("%.0f %%", 100 * (exp(sum / n) - 1)) : "-" }

BEGIN { FS = "\t" }

NR == FNR {
	if ($2 == "-") {
		names[++count] = $1
		in_machine[$1] = $3
	} else {
		in_row[$2] += $3
		in_rows[$1] += $3
		most[$1] = in_row[$2] > most[$1] ? in_row[$2] : most[$1]
	}
	next
}

{
	file = $1; machine = $2; set = $3; row = $5
	published = $6; simulated = $7; fitted = $8 == "true"
	key = row SUBSEP machine
	if (!(key in seen)) {
		seen[key] = ++keys
		row_of[keys] = row
		machine_of[keys] = machine
	}
	if (FNR == 1)
		print "Every point (x: simulated / published)\n"
	if (simulated == "none" || simulated <= 0) {
		printf "%-10s %-34s published %-10.5g not simulated\n", file, set, published
		missing++
		next
	}
	ratio = simulated / published
	error = abs(log(ratio))
	printf "%-10s %-34s %-14s published %-10.5g simulated %-10.5g x %.2f%s%s\n", file, set, $4,
		published, simulated, ratio, fitted ? " fitted" : "", $9 == "imprecise" ? " imprecise" : ""
	if (fitted) {
		nfitted[key]++
		fitted_of[machine]++
		next
	}
	n[key]++
	predicted_of[machine]++
	sum[key] += error
	if (!(key in worst) || off(ratio) > off(worst[key])) {
		worst[key] = ratio
		worst_set[key] = set
	}
	if (row ~ /^L([1-9]|10)$/) {
		total++
		total_sum += error
		if (off(ratio) > 2)
			beyond++
	}
}

END {
	print "\n| row | host | predicted points | fitted points | mean error | worst point |" >markdown
	print "|---|---|---|---|---|---|" >markdown
	printf "\n%-4s %-17s %9s %7s %8s  %s\n", "row", "machine", "predicted", "fitted", "error",
		"worst point"
	for (i = 1; i <= keys; i++) {
		row = row_of[i]; machine = machine_of[i]; key = row SUBSEP machine
		text = key in worst ? sprintf("x %.2f at %s", worst[key], worst_set[key]) : "-"
		printf "%-4s %-17s %9d %7d %8s  %s\n", row, machine, n[key], nfitted[key],
			percent(sum[key], n[key]), text
		printf "| %s | %s | %d | %d | %s | %s |\n", row, machine, n[key], nfitted[key],
			percent(sum[key], n[key]), text >markdown
	}
	whole = total ? sprintf("%.1f %%", 100 * (exp(total_sum / total) - 1)) : "-"
	printf "%-4s %-17s %9d %7s %8s  %d off by more than 2x\n", "all", "L1 to L10", total, "", whole,
		beyond
	printf "| L1 to L10 | | %d | | %s | %d off by more than 2x |\n", total, whole, beyond >markdown

	printf "\n" >markdown
	print "\nFitted numbers: at most 4 of a machine and 2 of a row; at least half of the points predicted"
	for (i = 1; i <= count; i++) {
		machine = names[i]
		numbers = in_machine[machine] + in_rows[machine]
		few = in_machine[machine] <= 4 && most[machine] <= 2 &&
			(!numbers || predicted_of[machine] >= fitted_of[machine])
		printf "%-17s %d in the machine file, %d in its rows%s\n", machine, in_machine[machine],
			in_rows[machine], few ? "" : ": TOO MANY"
		many += !few
		line = line sprintf("%s%s %d + %d", i > 1 ? ", " : "", machine, in_machine[machine],
			in_rows[machine])
	}
	printf "Fitted numbers, in the machine file + in the scenarios of its rows: %s.\n", line >markdown
	missed = missing || many || beyond || (total && exp(total_sum / total) - 1 > 0.20)
	target = sprintf("Targets (20 %% over L1 to L10, none of them beyond 2x): %s", missed ? "missed" : "met")
	printf "\n%s\n", target
	printf "\n%s.\n", target >markdown
	exit missed
}
