# SPDX-License-Identifier: GPL-3.0-or-later
#
# A scenario, then its --list: the numbers of the points that a row of `expect` speaks of. Rows stand
# on lines of their own, values in `when` are spelled as in the sweep (yes and no may be true and false).

function plain(word) {
	return word == "yes" ? "true" : word == "no" ? "false" : word
}

NR == FNR {
	if ($0 !~ /^ *- *{metric:/)
		next
	text = ""
	if (match($0, /when: *{[^}]*}/)) {
		text = substr($0, RSTART, RLENGTH)
		sub(/^when: *{/, "", text)
		sub(/}$/, "", text)
	}
	when[++rows] = text
	next
}

/^[0-9]+:/ {
	number = $1
	sub(/:.*/, "", number)
	split("", value)
	for (i = 2; i <= NF; i++) {
		at = index($i, "=")
		value[substr($i, 1, at - 1)] = substr($i, at + 1)
	}
	for (row = 1; row <= rows; row++) {
		speaks = 1
		n = split(when[row], pairs, / *, */)
		for (i = 1; i <= n; i++) {
			split(pairs[i], pair, /: */)
			# what is not swept is the same in all points
			if (pair[1] in value && plain(value[pair[1]]) != plain(pair[2]))
				speaks = 0
		}
		if (speaks) {
			print number
			break
		}
	}
}
