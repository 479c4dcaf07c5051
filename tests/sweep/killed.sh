#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Does a sweep that is killed with kill -9 at KILLS random moments, and goes on each time, end with the
# bytes of an undisturbed one, without making a kept run again? The same when its disk fills up, and
# when single runs are killed. POINTS and KILLS make it small for `make check`, large for `make check-sweeps`.
. "$(dirname "$0")/lib.sh"
trap 'umount "$tmp/disk" 2>/dev/null; rm -rf "$tmp"' EXIT

command -v jq >/dev/null || { echo "jq is needed"; exit 77; }
POINTS=${POINTS:-40} KILLS=${KILLS:-6}
make_sweep
cd "$tmp" || exit 1
echo "$POINTS points, undisturbed in $T ms"

records()
{
	find "$1" -name '*.json' | wc -l
}

# --- killed ---
landed=0 before=0
mkdir killed
for ((i = 1; i <= KILLS; i++)); do
	"$EHSIM" -q --results=killed -f csv=killed.csv -f json=killed.json sweep.yaml &
	pid=$!
	# after a random share of what is left, and then at a random moment
	target=$((before + RANDOM % ((POINTS - before) * 2 / (KILLS - i + 2) + 1)))
	while kill -0 $pid && [ "$(records killed)" -lt $target ]; do
		sleep 0.01
	done
	sleep "$(printf '0.0%02d' $((RANDOM % 60)))"
	kill -KILL $pid && landed=$((landed + 1))
	wait $pid
	now=$(records killed)
	[ "$now" -ge "$before" ] || complain "kept runs stay: $before, then $now"
	[ "$now" -eq "$POINTS" ] || [ ! -e killed.csv ] || complain "no report before the end"
	before=$now
done 2>/dev/null
echo "killed $landed times, $before of $POINTS runs were kept"
[ "$landed" -ge $((KILLS / 2)) ] || complain "at least half of the kills met a running sweep"
find killed -name '*.json' -printf '%f %i\n' | sort >kept
rm -f killed.csv killed.json
"$EHSIM" --results=killed -f csv=killed.csv -f json=killed.json sweep.yaml 2>words || complain "the rest is made"
[ "$before" -eq 0 ] || grep -q "$before of $POINTS runs are in killed already" words || complain "kept runs are found: $(cat words)"
same killed.csv
same killed.json
find killed -name '*.json' -printf '%f %i\n' | sort | comm -13 - kept >remade
[ ! -s remade ] || complain "no kept run is made again"
[ "$(find killed -type f | wc -l)" = "$POINTS" ] || complain "nothing but records is left: $(ls -A killed | grep -v json)"

# --- single runs killed ---
"$EHSIM" -q --results=single -f csv=single.csv sweep.yaml 2>words &
pid=$!
lost=0
while kill -0 $pid 2>/dev/null && [ $lost -lt 4 ]; do
	child=$(pgrep -P $pid 2>/dev/null | tail -n 1)
	[ -n "$child" ] && kill -KILL "$child" 2>/dev/null && lost=$((lost + 1))
	sleep 0.03
done
wait $pid
if grep -q 'lost' words; then
	[ ! -e single.csv ] || complain "no report without the lost runs"
	"$EHSIM" -q --results=single -f csv=single.csv sweep.yaml || complain "lost runs are made"
fi
same single.csv

# --- a disk that fills up ---
mkdir disk
size=$(($(du -sk --apparent-size killed | cut -f1) / 2))
if mount -t tmpfs -o size=${size}k tmpfs disk 2>/dev/null; then
	full=0
	for ((i = 0; i < 20; i++)); do
		"$EHSIM" -q --results=disk/r -f csv=disk/full.csv sweep.yaml 2>words && break
		full=$((full + 1))
		grep -q 'No space left on device' words || complain "it says that the disk is full: $(cat words)"
		[ "$(grep -c 'No space left' words)" = 1 ] || complain "and says it once: $(cat words)"
		[ ! -e disk/full.csv ] || complain "no report on a full disk"
		find disk -name '.unfinished*' | grep -q . && complain "nothing unfinished is left"
		# a little more each time: records first, then the report
		size=$((size + size / 4))
		mount -o remount,size=${size}k disk
	done
	echo "the disk was full $full times"
	[ $full -gt 0 ] || complain "the disk was full"
	same disk/full.csv
	# a full disk that takes the records but not the report
	dd if=/dev/zero of=disk/fill bs=1k 2>/dev/null
	rm disk/full.csv
	dd if=/dev/zero of=disk/fill2 bs=1k 2>/dev/null
	"$EHSIM" -q --results=disk/r -f csv=disk/full.csv sweep.yaml 2>words && complain "a report that does not fit fails"
	[ ! -e disk/full.csv ] || complain "and is not there"
	umount disk
else
	echo "no disk of its own to fill: mount is not allowed here"
fi

# without a disk: a limit for the size of files meets every record
(ulimit -f 1; exec "$EHSIM" -q --results=limited -o /dev/null sweep.yaml) 2>words
[ $? -eq 1 ] || complain "status 1 when no record can be written"
grep -q 'a finished run cannot be kept: File too large' words || complain "and the reason: $(cat words)"
exit $bad
