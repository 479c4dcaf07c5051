#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The event loop against what users would pick instead: the hold model of peers/hold.h at 1,000 and 100,000
# pending events, all in one run on one core, in turns; the best of ROUNDS. Peers that configure did not find
# are said to be skipped. Called by `make bench`; the flags come from the environment.
set -uo pipefail

peers=$(cd "$(dirname "$0")" && pwd)/peers
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cc=${CC:-gcc} cxx=${CXX:-g++}
names=() commands=()

add()
{
	names+=("$1")
	commands+=("$2")
}

# peer NAME COMPILER SOURCE FLAGS LIBRARIES: built if there are libraries
peer()
{
	if [ -z "$5" ]; then
		echo "skipped: $1: configure did not find it"
		return 1
	fi
	# shellcheck disable=SC2086
	$2 -O3 -w "-I$peers" $4 "$peers/$3" -o "$tmp/${3%.*}" $5 -lm 2>"$tmp/said" && return 0
	echo "skipped: $1: does not build: $(grep -m 1 error "$tmp/said")"
	return 1
}

peer "ehsim" "$cc" ehsim.c "${EH_FLAGS-}" "${EH_LIBRARIES-}" || exit 1
add "ehsim, functions" "$tmp/ehsim %"
add "ehsim, fibers" "$tmp/ehsim % fibers"
if peer "ns-3" "$cxx" ns3.cc "${NS3_CFLAGS-}" "${NS3_LIBS-}"; then
	add "ns-3, default (map)" "$tmp/ns3 %"
	add "ns-3, heap" "$tmp/ns3 % ns3::HeapScheduler"
	add "ns-3, priority queue" "$tmp/ns3 % ns3::PriorityQueueScheduler"
fi
if peer "SystemC" "$cxx" systemc.cpp "${SYSTEMC_CFLAGS-}" "${SYSTEMC_LIBS-}"; then
	add "SystemC, methods" "$tmp/systemc %"
	add "SystemC, threads" "$tmp/systemc % threads"
fi
if peer "SimGrid" "$cxx" simgrid.cpp "-std=c++17 ${SIMGRID_CFLAGS-}" "${SIMGRID_LIBS-}"; then
	add "SimGrid, timers" "$tmp/simgrid %"
	add "SimGrid, actors" "$tmp/simgrid % actors"
fi
python=
for candidate in python3 /usr/bin/python3; do # a python of one's own does not see Debian's packages
	"$candidate" -c 'import simpy' 2>/dev/null || "$candidate" -c 'import SimPy' 2>/dev/null || continue
	python=$candidate
	break
done
if [ -n "$python" ]; then
	add "SimPy, processes" "$python $peers/simpy_hold.py %"
else
	echo "skipped: SimPy: python3 does not have it"
fi

pin=()
command -v taskset >/dev/null && pin=(taskset -c "$(taskset -pc $$ | sed 's/.*[ ,-]//')")
status=0
for n in 1000 100000; do
	best=()
	for ((round = 0; round < ${ROUNDS:-3}; round++)); do
		for i in "${!names[@]}"; do
			# 100,000 stacks are more than a peer has
			case ${names[i]}-$n in *threads-100000 | *actors-100000) continue ;; esac
			# shellcheck disable=SC2086
			rate=$(timeout 120 ${pin[@]+"${pin[@]}"} ${commands[i]//%/$n} 2>/dev/null | tail -n 1)
			best[i]=$(awk -v a="${best[i]-0}" -v b="${rate:-0}" 'BEGIN { print (a + 0 > b + 0) ? a : b }')
		done
	done
	for i in "${!names[@]}"; do
		[ -n "${best[i]-}" ] || continue
		awk -v name="${names[i]}" -v n="$n" -v r="${best[i]}" -v ours="${best[0]}" 'BEGIN {
			printf "%-36s %-22s %9.2f M events/s", "event loop, " n " pending", name, r
			if (name !~ /^ehsim/ && r > 0) printf " %6.1f x slower than ehsim", ours / r
			print (r > 0 ? "" : "  did not finish") }'
		case ${names[i]} in ehsim*) ;; *)
			awk -v r="${best[i]}" -v ours="${best[0]}" 'BEGIN { exit !(r >= ours) }' && status=1 ;;
		esac
	done
done
[ $status = 0 ] || echo "a peer is faster"
exit $status
