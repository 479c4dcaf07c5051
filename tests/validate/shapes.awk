# SPDX-License-Identifier: GPL-3.0-or-later
#
# Do the curves bend where the published ones do? One named line per shape; exit 1: one does not.

BEGIN { FS = "\t" }

# What is simulated, by file and sorted parameters: sim["L6", "kind=tas threads=64"].
{
	n = split($3, pair, / /)
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && pair[j] < pair[j - 1]; j--) {
			swap = pair[j]; pair[j] = pair[j - 1]; pair[j - 1] = swap
		}
	set = pair[1]
	for (i = 2; i <= n; i++)
		set = set " " pair[i]
	if ($7 != "none")
		sim[$1, set] = $7
	ran[$1] = 1
}

function at(file, set)
{
	if (!((file, set) in sim)) {
		unknown = 1
		return 1
	}
	return sim[file, set]
}

function locks(file, kind, threads) { return at(file, "kind=" kind " threads=" threads) }

function shape(name, holds, detail)
{
	if (unknown)
		holds = 0
	text = sprintf("%s  %s (%s)", holds ? "PASS" : "FAIL", name,
		unknown ? "a point is missing" : detail)
	print text
	printf "- %s\n", text >>markdown
	bad += !holds
	unknown = 0
}

function fetch_add(    n, i, list, low, high, ns)
{
	n = split("2 4 8 16 32 64 96 112 128 160 224 320 420", list, " ")
	for (i = 1; i <= n; i++) {
		ns = at("L1-8176", "threads=" list[i])
		low = i == 1 || ns < low ? ns : low
		high = i == 1 || ns > high ? ns : high
	}
	shape("L1: fetch-add on 8 sockets takes 22-36 ns from 2 to 420 CPUs", low >= 22 && high <= 36,
		sprintf("%.1f-%.1f ns", low, high))
}

function collapse(    tas, ticket, mcs)
{
	tas = locks("L6", "tas", 64) / locks("L6", "tas", 16)
	ticket = locks("L6", "ticket", 64) / locks("L6", "ticket", 16)
	mcs = locks("L6", "mcs", 64) / locks("L6", "mcs", 16)
	shape("L6: from 2 to 8 nodes test-and-set collapses and ticket falls where MCS rises",
		tas < 0.5 && ticket < 1 && mcs > 2, sprintf("x %.2f, x %.2f, x %.2f", tas, ticket, mcs))
}

function second_socket(    fall)
{
	fall = at("L3", "threads=16") / at("L3", "threads=32")
	shape("L3: open1 falls by 1.6-2.2 where the second socket enters", fall >= 1.6 && fall <= 2.2,
		sprintf("by %.2f", fall))
}

function readers(    rcu, count)
{
	rcu = locks("L9", "rcu", 192) / locks("L9", "rcu", 1)
	count = locks("L9", "refcount", 192) / locks("L9", "refcount", 1)
	# published: x 1.93, two siblings to a core; x 560
	shape("L9: RCU readers stay flat to 192 CPUs", rcu <= 2.5, sprintf("x %.2f", rcu))
	shape("L9: a reference count rises 500-fold", count >= 500,
		sprintf("x %.0f", count))
}

function tables(    n, i, list, base, high, up, rcu)
{
	base = at("L10-bucket", "threads=28 warmup=2ms")
	n = split("56 112 224 448", list, " ")
	for (i = 1; i <= n; i++) {
		up = at("L10-bucket", "threads=" list[i] " warmup=2ms") / base
		high = up > high ? up : high
	}
	rcu = at("L10-rcu", "threads=224") / at("L10-rcu", "threads=28")
	shape("L10: bucket locks stop scaling at 28 threads, RCU does not", high <= 1.2 && rcu >= 4,
		sprintf("x %.2f at most, x %.2f at 224", high, rcu))
}

function control(    kinds, i, n, threads, t, list, low, high, ops, apart)
{
	kinds = split("tas ttas ticket backoff mcs clh", list, " ")
	n = split("8 16 32 48 64", threads, " ")
	for (t = 1; t <= n; t++) {
		for (i = 1; i <= kinds; i++) {
			ops = locks("L8", list[i], threads[t])
			low = i == 1 || ops < low ? ops : low
			high = i == 1 || ops > high ? ops : high
		}
		if (high / low - 1 > apart)
			apart = high / low - 1
	}
	shape("L8: without contention the locks differ by less than 3 %", apart < 0.03,
		sprintf("%.1f %%", 100 * apart))
}

END {
	print "\nShapes"
	printf "\n" >>markdown
	if ("L1-8176" in ran)
		fetch_add()
	if ("L6" in ran)
		collapse()
	if ("L3" in ran)
		second_socket()
	if ("L9" in ran)
		readers()
	if ("L10-bucket" in ran)
		tables()
	if ("L8" in ran)
		control()
	exit bad > 0
}
