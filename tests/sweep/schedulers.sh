#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Do the scripts of scenarios/ make a sweep on a real Slurm and with a real GNU parallel, some of it killed
# and requeued on the way, with the bytes of an undisturbed one after --merge? Slurm is a single node on
# the loopback, started here without systemd; nothing outside a temporary folder is touched but that,
# as root on Debian, packages that are missing are installed. `make check-schedulers`.
. "$(dirname "$0")/lib.sh"

POINTS=${POINTS:-40}
own=() # processes of ours
stop()
{
	local pid
	for pid in ${own[@]+"${own[@]}"}; do
		kill "$pid" 2>/dev/null
	done
	sleep 0.3
	rm -rf "$tmp"
}
trap stop EXIT

skipped=0
skip()
{
	echo "skipped: $*"
	skipped=$((skipped + 1))
}

# need PROGRAM PACKAGE...
need()
{
	command -v "$1" >/dev/null && return 0
	[ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null &&
		DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${@:2}" </dev/null >/dev/null 2>&1
	command -v "$1" >/dev/null
}

command -v jq >/dev/null || { echo "jq is needed"; exit 77; }
make_sweep
cd "$tmp" || exit 1
echo "$POINTS points, undisturbed in $T ms"
slurm=$srcdir/scenarios/sweep-slurm.sh
parallel=$srcdir/scenarios/sweep-parallel.sh
export EHSIM SRC=$srcdir

# --- what both print without doing it ---
$slurm --dry-run --tasks=7 --results=no sweep.yaml -- -f csv -o x.csv >dry || complain "sweep-slurm.sh --dry-run"
grep -q '^#SBATCH --array=1-7$' dry || complain "it prints the array"
bash -n dry || complain "what it prints is a script"
[ ! -e no ] && [ ! -e no.log ] || complain "and does nothing"
$slurm --tasks=x sweep.yaml 2>/dev/null && complain "a number is needed"
$slurm 2>/dev/null && complain "a scenario is needed"

# --- GNU parallel ---
if need parallel parallel; then
	$parallel --dry-run --shares=7 sweep.yaml >dry || complain "sweep-parallel.sh --dry-run"
	[ "$(grep -c -- '--slice=./7' dry)" = 7 ] || complain "it prints a job per share"
	rm -rf results
	# killed in the middle, with what it started; then some of its jobs
	setsid "$parallel" --shares=10 --jobs=2 --results=par sweep.yaml -- -f csv -o par.csv >/dev/null 2>&1 &
	group=$!
	sleep "$(awk -v t="$T" 'BEGIN { print t / 4000 }')"
	kill -KILL -- -$group 2>/dev/null && echo "parallel was killed with $(find par -name '*.json' | wc -l) runs kept"
	wait $group 2>/dev/null
	[ ! -e par.csv ] || complain "no report yet"
	"$parallel" --shares=10 --jobs=2 --results=par sweep.yaml -- -f csv -o par.csv >/dev/null 2>words &
	pid=$!
	sleep 0.5
	victim=$(pgrep -f -- "$EHSIM -q --jobs=1 --slice=[0-9]*/10 " | tail -n 1)
	[ -n "$victim" ] && kill -KILL "$victim" 2>/dev/null && echo "and a job of it"
	wait $pid || "$parallel" --shares=10 --jobs=2 --results=par sweep.yaml -- -f csv -o par.csv || complain "it goes on"
	same par.csv
	before=$(wc -l <par/joblog)
	"$parallel" --shares=10 --results=par sweep.yaml -- -f json -o par.json || complain "and has nothing left to do"
	[ "$(wc -l <par/joblog)" = "$before" ] || complain "the job log remembers finished shares"
	same par.json
	echo "GNU parallel $(parallel --version | sed -n '1s/.* //p'): same bytes"
else
	skip "GNU parallel cannot be installed here"
fi

# --- Slurm ---
[ "$(id -u)" -eq 0 ] || { skip "Slurm: its daemons want root"; exit $bad; }
if ! { need slurmctld slurm-wlm munge && need munged munge; }; then
	skip "Slurm cannot be installed here"
	exit $bad
fi
port=$((20000 + $$ % 20000))
chmod 755 "$tmp"
mkdir -p slurm/state slurm/spool munge
dd if=/dev/urandom of=munge/key bs=128 count=1 2>/dev/null
chmod 700 munge
chmod 600 munge/key
munged --force --socket="$tmp/slurm/munge.socket" --key-file="$tmp/munge/key" --pid-file="$tmp/munge/pid" \
	--log-file="$tmp/munge/log" --seed-file="$tmp/munge/seed" >munge/said 2>&1 || {
	skip "munged does not start: $(tail -n 1 munge/said)"
	exit $bad
}
own+=("$(cat munge/pid)")
cat >slurm/slurm.conf <<END
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$tmp/slurm/munge.socket
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$tmp/slurm/state
SlurmdSpoolDir=$tmp/slurm/spool
SlurmctldPidFile=$tmp/slurm/ctld.pid
SlurmdPidFile=$tmp/slurm/d.pid
SlurmctldLogFile=$tmp/slurm/ctld.log
SlurmdLogFile=$tmp/slurm/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
SchedulerParameters=sched_interval=1,batch_sched_delay=1,bf_interval=1
NodeName=localhost NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=test Nodes=localhost Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$tmp/slurm/slurm.conf
slurmctld -D >slurm/ctld.said 2>&1 &
own+=($!)
slurmd -D -N localhost >slurm/d.said 2>&1 &
own+=($!)
for ((i = 0; i < 100; i++)); do
	sinfo -h -o %t 2>/dev/null | grep -q idle && break
	sleep 0.2
done
if ! sinfo -h -o %t 2>/dev/null | grep -q idle; then
	skip "Slurm does not start: $(tail -n 2 slurm/ctld.said slurm/d.said slurm/*.log 2>/dev/null | tail -n 3)"
	exit $bad
fi

# tasks NAME: "id state" of the array's tasks that are there
tasks()
{
	squeue -h -r -j "$1" -o '%i %t' 2>/dev/null
}

"$slurm" --tasks="$POINTS" --results=slurm.r --again=5 sweep.yaml -- -f csv -o slurm.csv 2>words || complain "sweep-slurm.sh submits: $(cat words)"
job=$(sed -n 's/.*: job \([0-9]*\),.*/\1/p' words)
killed=0 requeued=0
for ((i = 0; i < 1200; i++)); do
	left=$(tasks "$job")
	[ -n "$left" ] || break
	running=$(grep ' R$' <<<"$left" | head -n 1 | cut -d' ' -f1)
	if [ -n "$running" ] && [ $requeued -lt 3 ] && [ $((i % 3)) = 1 ]; then
		scontrol requeue "$running" 2>/dev/null && requeued=$((requeued + 1))
	elif [ $killed -lt 3 ] && [ $((i % 3)) != 1 ]; then
		victim=$(pgrep -f -- "--results=$tmp/slurm.r .*--slice=" | tail -n 1)
		[ -n "$victim" ] && kill -KILL "$victim" 2>/dev/null && killed=$((killed + 1))
	fi
	# requeued tasks are made to wait two minutes; not here
	for task in $(grep ' PD$' <<<"$left" | cut -d' ' -f1); do
		case $(scontrol show job "$task" 2>/dev/null) in
		*Reason=BeginTime*) scontrol update jobid="$task" starttime=now 2>/dev/null ;;
		esac
	done
	sleep 0.3
done
[ -z "$(tasks "$job")" ] || complain "the array ends"
echo "Slurm $(slurmctld -V | cut -d' ' -f2): $killed tasks killed, $requeued requeued, ended after $((i * 3 / 10)) s or more"
[ $((killed + requeued)) -gt 0 ] || complain "some tasks were disturbed"
"$EHSIM" --merge slurm.r sweep.yaml -f csv -o slurm.csv 2>words || {
	complain "all points are there: $(cat words)"
	tail -n 5 $(find slurm.r.log -type f -size +0)
	grep -E 'JobId.*(equeue|FAILED|NODE_FAIL|error)|error' slurm/ctld.log | tail -n 40
}
same slurm.csv
"$EHSIM" -q --merge slurm.r sweep.yaml -f json -o slurm.json
same slurm.json

# a few tasks with many points each, waited for, on a Slurm that is restarted in between
"$slurm" --wait --tasks=4 --results=slurm.w sweep.yaml -- -f csv -o wait.csv 2>words &
pid=$!
sleep 1.5
kill "${own[1]}"
wait "${own[1]}" 2>/dev/null
slurmctld -D >slurm/ctld.said 2>&1 &
own[1]=$!
wait $pid || complain "sweep-slurm.sh --wait: $(cat words)"
same wait.csv
exit $bad
