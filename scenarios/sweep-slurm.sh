#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A sweep as a Slurm job array. Each task makes one share of the points with all CPUs it was given
# (--slice) and keeps every finished run at once in a directory that all nodes see (--results). A task
# that is killed, requeued or started twice goes on from what is kept, and makes nothing again.
set -euo pipefail

usage()
{
	cat <<-'EOT'
	Usage: sweep-slurm.sh [OPTION...] SCENARIO.yaml [-- EHSIM OPTION...]

	  --dry-run        print the job and the commands, submit nothing
	  --tasks=N        tasks of the array (16); more than points: some are empty
	  --cpus=N         CPUs of a task (1)
	  --results=DIR    shared directory of finished runs (results)
	  --sbatch=OPTION  for sbatch, may be given several times (--sbatch=--partition=long)
	  --again=N        how often a task whose process was killed queues itself again (3)
	  --wait           wait for the array, then print the report of all points
	EHSIM names the program (ehsim). Options behind -- go to it: --set, --repeat, --locks, and for the
	report of --wait also -f and -o.
	EOT
}

die()
{
	printf 'sweep-slurm.sh: %s\n' "$*" >&2
	exit 2
}

dry='' wait=0 tasks=16 cpus=1 results=results again=3 sbatch=() scenario=''
while [ $# -gt 0 ]; do
	case $1 in
	--dry-run) dry=1 ;;
	--wait) wait=1 ;;
	--tasks=*) tasks=${1#*=} ;;
	--cpus=*) cpus=${1#*=} ;;
	--results=*) results=${1#*=} ;;
	--again=*) again=${1#*=} ;;
	--sbatch=*) sbatch+=("${1#*=}") ;;
	-h | --help) usage; exit 0 ;;
	--) shift; break ;;
	-*) die "unknown option '$1'; see --help" ;;
	*) [ -z "$scenario" ] || die "one scenario at a time: '$scenario' or '$1'"; scenario=$1 ;;
	esac
	shift
done
[ -n "$scenario" ] || { usage >&2; exit 2; }
for number in "$tasks" "$cpus" "$again"; do
	[[ $number =~ ^[0-9]+$ ]] || die "'$number' is no number"
done
[ "$tasks" -ge 1 ] || die "--tasks is at least 1"

program=$(command -v "${EHSIM:-ehsim}") || die "${EHSIM:-ehsim} is not there; name it in EHSIM"
case $program in /*) ;; *) program=$PWD/$program ;; esac
case $scenario in /*) ;; *) scenario=$PWD/$scenario ;; esac
case $results in /*) ;; *) results=$PWD/$results ;; esac
log=$results.log

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
command=("$program" -q --jobs="$cpus" --results="$results" -o /dev/null ${simulate[@]+"${simulate[@]}"})
merge=("$program" --merge "$results" "$scenario" "$@")

job()
{
	cat <<-EOT
	#!/usr/bin/env bash
	#SBATCH --job-name=ehsim
	#SBATCH --array=1-$tasks
	#SBATCH --cpus-per-task=$cpus
	#SBATCH --requeue
	#SBATCH --open-mode=append
	#SBATCH --output=$log/%a.txt
	status=0
	$(printf '%q ' "${command[@]}")--slice="\$SLURM_ARRAY_TASK_ID/$tasks" $(printf '%q' "$scenario") || status=\$?
	# killed, or some of its runs were (out of memory): the rest is made when the task runs again
	if [ \$status -gt 128 ] && [ "\${SLURM_RESTART_COUNT:-0}" -lt $again ]; then
		# the controller may be busy
		for try in 1 2 3 4 5; do
			scontrol requeue "\$SLURM_JOB_ID" && sleep 60
			sleep \$try
		done
	fi
	exit \$status
	EOT
}

if [ -n "$dry" ]; then
	job
	printf '\n# submitted by: mkdir -p %q; sbatch%s --parsable\n' "$log" "${sbatch[*]+ ${sbatch[*]}}"
	printf '# afterwards:'
	printf ' %q' "${merge[@]}"
	printf '\n'
	exit 0
fi
"$program" -q --check ${simulate[@]+"${simulate[@]}"} "$scenario"
mkdir -p "$results" "$log"
id=$(job | sbatch ${sbatch[@]+"${sbatch[@]}"} --parsable)
id=${id%%;*}
printf 'sweep-slurm.sh: job %s, %s tasks; their words are in %s\n' "$id" "$tasks" "$log" >&2
if [ $wait = 0 ]; then
	printf 'sweep-slurm.sh: when it is done:' >&2
	printf ' %q' "${merge[@]}" >&2
	printf '\n' >&2
	exit 0
fi
# sbatch --wait returns many seconds late
while squeue -h -j "$id" 2>/dev/null | grep -q .; do
	sleep 1
done
exec "${merge[@]}"
