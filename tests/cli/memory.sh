#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Memory of a run: is the estimate that admits runs above what they take and not far above, does it not
# grow with simulated time and transactions, and do hosts of 480 CPUs stay below 1.5 GiB?
. "$(dirname "$0")/lib.sh"

[ -x /usr/bin/python3 ] || command -v python3 >/dev/null || { echo "python3 is needed to measure"; exit 77; }
grep -qs __asan_init "$EHSIM" && { echo "a sanitizer takes memory of its own"; exit 77; }

# peak ARGUMENT...: kibibytes of a single run
peak()
{
	python3 -c '
import os, subprocess, sys
p = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(os.wait4(p.pid, 0)[2].ru_maxrss)' ehsim -q "$@"
}

# estimate ARGUMENT...: mebibytes, from the sentence that refuses
estimate()
{
	ehsim --memory=1MiB "$@" 2>&1 | awk '/needs up to/ {
		for (i = 1; i <= NF; i++) if ($i == "to") print $(i + 2) ~ /^GiB/ ? $(i + 1) * 1024 : $(i + 1) }'
}

check()
{
	local name=$1 took guess
	shift
	took=$(($(peak "$@") / 1024))
	guess=$(estimate "$@")
	echo "$name: took $took MiB, estimate $guess MiB"
	expect "$name: the estimate is above" awk -v a="$took" -v b="$guess" 'BEGIN { exit !(b >= a) }'
	expect "$name: and below three times that" awk -v a="$took" -v b="$guess" 'BEGIN { exit !(b <= 3 * a + 20) }'
}

short=(-s run.until.within=0% -s run.warmup=1ms -s run.batch=1ms -s run.length=1ms)
large=$srcdir/scenarios/connect-rcu.yaml
check "480 CPUs, 30,000 flows" "${short[@]}" --point=2 "$large"
check "480 CPUs, 200 flows" "${short[@]}" -s workload.flows=200 --point=2 "$large"
check "8 CPUs" "${short[@]}" --point=1 "$srcdir/scenarios/connect-small.yaml"
check "a lock" --point=1 "$srcdir/scenarios/lab-lock.yaml"
host=(-s machine.sockets=1 -s machine.cores_per_die=4 -s machine.threads_per_core=1 -s workload.threads=4 -s run.batch=100us)
echo 'run: {seed: 1}' >lab.yaml
lab()
{
	local name=$1 kind=$2
	shift 2
	check "$name" "${short[@]}" "${host[@]}" -s workload.kind="$kind" "${@/#/--set=workload.$kind.}" lab.yaml
}
lab "many locks" lock locks=500000
lab "many locks with nodes" lock locks=200000 kind=clh
lab "much that locks protect" lock locks=20000 touch=100
lab "a large hash table" hash buckets=1000000 elements=2000000
lab "a lock per bucket" hash buckets=500000 protection=bucket lock=mutex
lab "many bound sockets" bind bound=20000
lab "many objects at a time" slab op=bulk bulk=100000 size=8B
expect "480 CPUs below 1.5 GiB" test "$(peak "${short[@]}" --point=2 "$large")" -lt $((1536 * 1024))

# ten times the simulated time
one=$(peak "${short[@]}" -s run.length=10ms --point=2 "$srcdir/scenarios/connect-small.yaml")
ten=$(peak "${short[@]}" -s run.length=100ms --point=2 "$srcdir/scenarios/connect-small.yaml")
echo "10 ms: $one KiB, 100 ms: $ten KiB"
expect "memory does not grow with simulated time" test "$ten" -le $((one + one / 10 + 1024))
finish
