#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A results directory: finished runs are kept and found again by what they are, broken ones are said
# with their place and made again; --merge joins directories and says what is missing or contradictory.
. "$(dirname "$0")/lib.sh"

cat >a.yaml <<'END'
kernel: {connect: [S0, S1]}
workload: {threads: [4, 8], flows: 8}
END
fake -q -f csv a.yaml >want.csv

transcript <<'END'
$ fake --results=r -f csv a.yaml | cmp - want.csv
$ fake --results=r -f csv a.yaml | cmp - want.csv
! ehsim: 4 of 4 runs are in r already
$ fake --results=r -s workload.threads=[2,4,8] -s workload.flows=8 -f csv a.yaml | grep -c done
> 6
! ehsim: 4 of 6 runs are in r already
$ ls r | grep -cE '^[0-9a-f]{64}\.json$'
> 6
$ ls -A r | grep -vc json
> 0
? 1
$ fake --results=r --seed=2 -f csv a.yaml | cut -d, -f4 | xargs
> seed 2 2 2 2
$ fake --results=r --seed=1 --repeat=3 -f csv a.yaml | cut -d, -f4,5 | xargs
> repeat,seed 1,1 2,2 3,3 1,1 2,2 3,3 1,1 2,2 3,3 1,1 2,2 3,3
! ehsim: 8 of 12 runs are in r already
$ fake --results=r --locks a.yaml | grep -c ^point
> 4
$ fake -q --results=want.csv a.yaml
! ehsim: want.csv: cannot be made: Not a directory
? 2
$ fake -q --results=want.csv/x a.yaml
! ehsim: want.csv/x: cannot be made: Not a directory
? 2
$ fake -q --results=new/sub -o /dev/null a.yaml && ls new/sub | wc -l
> 4
$ EH_FAKE=killed fake --results=k -f csv -o k.csv a.yaml
! ehsim: point 3: its process was killed by signal 9 (the system does that when memory runs out)
! ehsim: point 4: its process was killed by signal 9 (the system does that when memory runs out)
! ehsim: 2 runs were lost
! ehsim: not complete, no report is written; finished runs are in k, the same command goes on from there
? 1
$ test -e k.csv
? 1
$ fake --merge=k a.yaml | grep ^point
> point 1: kernel.connect=S0, workload.threads=4 (simulated 10.02 s)
> point 2: kernel.connect=S0, workload.threads=8 (simulated 10.02 s)
! ehsim: 2 points are in no directory: 3-4
$ fake -q --merge=k -f csv a.yaml >/dev/null
! ehsim: 2 points are in no directory: 3-4
? 1
$ fake --results=k -f csv -o k.csv a.yaml && cmp k.csv want.csv
! ehsim: 2 of 4 runs are in k already
$ EH_FAKE=fail fake -q --results=f -o f.txt a.yaml; ls f | wc -l
> 4
! ehsim: 4 of 4 points failed
$ for i in 1 2 3; do fake -q --results=s$i --slice=$i/3 -o /dev/null a.yaml; done
$ fake --merge s1 s2 s3 -f csv a.yaml | cmp - want.csv
$ fake a.yaml -f csv --merge=s1 --merge=s3 | wc -l
> 4
! ehsim: 1 point is in no directory: 2
$ fake --merge s? --results=all -f csv a.yaml | cmp - want.csv && ls all | wc -l
> 4
$ fake --merge s1 s2 s3 --seed=2 -f csv a.yaml | wc -l
> 1
! ehsim: 4 points are in no directory: 1-4
! ehsim: s1: 2 records of other runs or versions left aside
! ehsim: s2: 1 record of other runs or versions left aside
! ehsim: s3: 1 record of other runs or versions left aside
$ fake --merge=absent a.yaml
! ehsim: absent: no directory of results: No such file or directory
? 2
$ fake --merge s1 s2 a.yaml b.yaml
! ehsim: one scenario at a time: 'a.yaml' or 'b.yaml'
! Try 'ehsim --help'.
? 2
END

# broken, changed and foreign records: located, never used
key=$(ls s2)
stem=${key%.json}
broken()
{
	rm -rf b && mkdir b && cp s2/"$key" b/ && eval "$1"
	fake -q --merge=b --point=2 -f csv a.yaml 2>&1 >out | sed "s/$stem/KEY/g; s/model [0-9a-f]*/model X/g; s/: [0-9]* bytes/: N bytes/; s/not [0-9]*$/not M/
		s/run, .*/run/; s/one, [^ ]*/one, V/; /in no directory: 2$/d"
	expect "nothing of it is used" test "$(wc -l <out)" = 1
	fake -q --results=b --point=2 -f csv a.yaml >out 2>/dev/null
	expect "and it is made again" test "$(wc -l <out)-$(fake -q --merge=b --point=2 -f csv a.yaml | cmp - out)" = 2-
}
f=b/$key
{
	broken 'truncate -s 40 $f'
	broken 'truncate -s 400 $f'
	broken 'truncate -s -1 $f'
	broken ': >$f'
	broken 'sed -i "2s/8000/9000/" $f'
	broken 'sed -i "1s/version\":\"[^\"]*/version\":\"0.0.0/" $f'
	broken 'sed -i "1s/ehsim-record.1/ehsim-record\/2/" $f'
	broken 'sed -i "1s/$stem/${stem//[0-9]/a}/" $f'
	broken 'printf "{\n" >$f'
	broken 'printf "[[[[[[[[[[[[[[[[\n" >$f'
	broken 'printf "\\377\n" >$f'
	broken 'rm $f; mkfifo $f'
} >said 2>&1
diff -u - said <<'END' || bad=1
ehsim: b/KEY.json:1:41: cut short: the first line has no end
ehsim: b/KEY.json:2: cut short or changed: N bytes are there, not M
ehsim: b/KEY.json:2: cut short or changed: N bytes are there, not M
ehsim: b/KEY.json:1:1: cut short: the first line has no end
ehsim: b/KEY.json:2: changed: its SHA-256 is not that of line 1
ehsim: b/KEY.json:1: version: of ehsim 0.0.0 (model X), not of this one, V (model X)
ehsim: b/KEY.json:1: schema: "ehsim-record/2" is not "ehsim-record/1"
ehsim: b/KEY.json:1: key: of another run
ehsim: b/KEY.json:1:1: not JSON, or cut short: Parse error: unexpected character `{', expected string constant
ehsim: b/KEY.json:1:1: nested too deep to be a record
ehsim: b/KEY.json:1:1: not UTF-8 text
ehsim: b/KEY.json: cannot be read: it is no regular file
END

# two that contradict each other: same key, other numbers, whole
mkdir c
{
	body=$(sed -n 2p s2/"$key" | sed 's/8000/8001/')
	sum=$(printf '%s\n' "$body" | sha256sum | cut -d' ' -f1)
	sed -n 1p s2/"$key" | sed "s/\"sha256\":\"[0-9a-f]*\"/\"sha256\":\"$sum\"/"
	printf '%s\n' "$body"
} >c/"$key"
transcript <<'END'
$ fake --merge s2 c --point=2 -f csv a.yaml 2>&1 >/dev/null | sed 's/([0-9a-f]*/(KEY/'
> ehsim: point 2: s2 and c contradict each other (KEY.json)
$ fake --merge c s2 --point=2 -f csv a.yaml >/dev/null 2>&1
? 1
END

# nothing is written outside the directory, whatever lies in it
mkdir link
echo mine >outside
ln -s "$PWD/outside" link/"$key"
ln -s "$PWD/outside" link/.unfinished-0001
fake -q --results=link --point=2 -o /dev/null a.yaml 2>/dev/null
expect "a link in place of a record is replaced, not followed" test "$(cat outside)-$(test -L link/"$key"; echo $?)" = mine-1
mkdir -p b
rm -f b/"$key"
mkfifo b/"$key"
expect "nor is waited for at a pipe" timeout 20 fake -q --results=b --point=2 -o /dev/null a.yaml 2>said
rm -rf b/"$key"
mkdir b/"$key"
transcript <<'END'
$ fake -q --results=b --point=2 -f csv -o no.csv a.yaml 2>&1 | sed 's/[0-9a-f]*.json/KEY.json/'
> ehsim: b/KEY.json: cannot be read: it is a directory; it is made again
> ehsim: b: a finished run cannot be kept: Is a directory
> ehsim: not complete, no report is written; finished runs are in b, the same command goes on from there
$ test -e no.csv
? 1
$ fake -q --results=closed -f csv a.yaml >&-
! ehsim: stdout cannot be written: Bad file descriptor
? 1
$ fake -q --results=device -f csv a.yaml >/dev/full
! ehsim: stdout cannot be written: No space left on device
? 1
$ fake -q --results=device -f csv a.yaml | cmp - want.csv
$ fake --results=device -f csv -o absent/x.csv a.yaml
! ehsim: absent cannot be written: No such file or directory
? 2
END

# what a process left that was killed while it wrote; not what another one is writing
mkdir left
: >left/.unfinished-0001
: >left/.unfinished-0002
: >left/other
exec 7<>left/.unfinished-0002
if flock -n 7; then
	fake -q --results=left -o /dev/null a.yaml
	expect "what is left is removed" test ! -e left/.unfinished-0001
	expect "what is being written is not" test -e left/.unfinished-0002
	expect "nor what is not ours" test -e left/other
fi
exec 7<&-

# the scripts of scenarios/, as far as they go without their schedulers
script=$srcdir/scenarios/sweep-slurm.sh
EHSIM=$(command -v fake) "$script" --dry-run --tasks=7 --results=no a.yaml -- -f csv -o x.csv --locks >job
expect "an array of shares" grep -q '^#SBATCH --array=1-7$' job
expect "each makes its own" grep -qF -- '-q --jobs=1 --results='"$PWD"'/no -o /dev/null --locks --slice="$SLURM_ARRAY_TASK_ID/7" '"$PWD/a.yaml" job
expect "the report comes last" grep -q -- "--merge $PWD/no $PWD/a.yaml -f csv -o x.csv --locks$" job
expect "a script" bash -n job
expect "that does nothing yet" test ! -e no -a ! -e no.log
for script in sweep-slurm.sh sweep-parallel.sh; do
	script=$srcdir/scenarios/$script
	expect "its help" eval '"$script" --help | grep -q -- --dry-run'
	expect "wants a scenario" eval '! "$script" 2>/dev/null'
	expect "knows its options" eval '! "$script" --jbos a.yaml 2>/dev/null'
done

# a directory that cannot be written
if [ "$(id -u)" -ne 0 ]; then
	mkdir ro && chmod a-w ro
	transcript <<'END'
$ fake -q --results=ro a.yaml
! ehsim: ro: cannot be written: Permission denied
? 2
END
fi
finish
