#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A sweep by GNU parallel, here or on machines that ssh reaches. Each job makes one share of the points
# (--slice) into a directory of its own; finished shares are in the job log and are not begun again, a
# share that was killed goes on from its finished runs.
set -euo pipefail

usage()
{
	cat <<-'EOT'
	Usage: sweep-parallel.sh [OPTION...] SCENARIO.yaml [-- EHSIM OPTION...]

	  --dry-run          print what parallel would run
	  --shares=N         jobs that the points are dealt to (16)
	  --jobs=N           jobs at a time on each machine (one per CPU)
	  --results=DIR      directory of finished runs, a folder per share (results)
	  --sshlogin=LIST    machines, as parallel takes them (8/big,4/small,:); they need ehsim in their
	                     PATH, rsync, and nothing else: scenario and results are carried
	  --no-report        leave the report of all points out
	EHSIM names the program (ehsim). Options behind -- go to it: --set, --repeat, --locks, and for the
	report also -f and -o.
	EOT
}

die()
{
	printf 'sweep-parallel.sh: %s\n' "$*" >&2
	exit 2
}

dry='' shares=16 jobs='' results=results login='' report=1 scenario=''
while [ $# -gt 0 ]; do
	case $1 in
	--dry-run) dry=1 ;;
	--shares=*) shares=${1#*=} ;;
	--jobs=*) jobs=${1#*=} ;;
	--results=*) results=${1#*=} ;;
	--sshlogin=*) login=${1#*=} ;;
	--no-report) report=0 ;;
	-h | --help) usage; exit 0 ;;
	--) shift; break ;;
	-*) die "unknown option '$1'; see --help" ;;
	*) [ -z "$scenario" ] || die "one scenario at a time: '$scenario' or '$1'"; scenario=$1 ;;
	esac
	shift
done
[ -n "$scenario" ] || { usage >&2; exit 2; }
for number in "$shares" ${jobs:+"$jobs"}; do
	[[ $number =~ ^[1-9][0-9]*$ ]] || die "'$number' is no number from 1"
done
command -v parallel >/dev/null || die "GNU parallel is not installed"
program=$(command -v "${EHSIM:-ehsim}") || die "${EHSIM:-ehsim} is not there; name it in EHSIM"

# What takes part in the runs; where the report goes is for the last step alone.
simulate=()
arguments=("$@")
for ((i = 0; i < ${#arguments[@]}; i++)); do
	case ${arguments[i]} in
	-f | --format | -o | --output) i=$((i + 1)) ;;
	-f* | --format=* | -o* | --output=* | --force) ;;
	*) simulate+=("${arguments[i]}") ;;
	esac
done
"$program" -q --check ${simulate[@]+"${simulate[@]}"} "$scenario"

mkdir -p "$results"
# one file with every value filled in: it needs no machine file beside it
"$program" --show --force -o "$results/scenario.yaml" ${simulate[@]+"${simulate[@]}"} "$scenario"
tables=()
for option in ${simulate[@]+"${simulate[@]}"}; do
	case $option in
	--locks | --lines | --rcu | --slabs | --where) tables+=("$option") ;;
	esac
done
cd "$results"
where=()
run=$program
if [ -n "$login" ]; then
	where=(--sshlogin "$login" --transferfile scenario.yaml --return share.{} --cleanup)
	run=${program##*/}
fi
status=0
parallel ${dry:+--dry-run} --joblog joblog --resume-failed ${jobs:+--jobs "$jobs"} ${where[@]+"${where[@]}"} \
	"$run" -q --jobs=1 --slice={}/"$shares" --results=share.{} -o /dev/null \
	${tables[@]+"${tables[@]}"} scenario.yaml ::: $(seq "$shares") || status=$?
cd - >/dev/null
merge=("$program" --merge "$results"/share.* "$scenario" "$@")
if [ -n "$dry" ]; then
	printf '# afterwards: %q --merge %q/share.*' "$program" "$results"
	printf ' %q' "$scenario" "$@"
	printf '\n'
	exit 0
fi
[ $status -eq 0 ] || printf 'sweep-parallel.sh: %s shares failed; the same command goes on from there\n' "$status" >&2
[ $status -eq 0 ] || exit 1
[ $report = 0 ] || exec "${merge[@]}"
