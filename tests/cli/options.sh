#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Are the words on the command line understood, and wrong ones explained?
. "$(dirname "$0")/lib.sh"

echo 'run: {seed: 1}' >a.yaml

transcript <<'END'
$ ehsim
! ehsim: which scenario?
! Try 'ehsim --help'.
? 2
$ ehsim a.yaml b.yaml
! ehsim: one scenario at a time: 'a.yaml' or 'b.yaml'
! Try 'ehsim --help'.
? 2
$ ehsim --fromat=json a.yaml
! ehsim: unknown option '--fromat=json'; did you mean '--format'?
! Try 'ehsim --help'.
? 2
$ ehsim --jbos
! ehsim: unknown option '--jbos'; did you mean '--jobs'?
! Try 'ehsim --help'.
? 2
$ ehsim -x a.yaml
! ehsim: unknown option '-x'
! Try 'ehsim --help'.
? 2
$ ehsim -f jsno a.yaml
! ehsim: --format cannot be 'jsno'; did you mean 'json'?
! Try 'ehsim --help'.
? 2
$ ehsim --color=maybe a.yaml
! ehsim: --color cannot be 'maybe'; it is one of auto, always, never
! Try 'ehsim --help'.
? 2
$ ehsim --set
! ehsim: Missing argument for --set
! Try 'ehsim --help'.
? 2
$ ehsim --seed=-1 a.yaml
! ehsim: --seed=-1: 'seed' is -1, but must lie between 0 and 9223372036854775807
! Try 'ehsim --help'.
? 2
$ ehsim --point=two a.yaml
! ehsim: --point=two: 'point' must be a whole number without a unit, not 'two'; for example 1
! Try 'ehsim --help'.
? 2
$ ehsim --memory=1k a.yaml
! ehsim: --memory=1k: 'memory' cannot read the unit of '1k'; use B, kB, MB, GB, KiB, MiB or GiB, for example 100MB
! Try 'ehsim --help'.
? 2
$ for option in output status-file results report merge trace; do ehsim --$option= a.yaml; done 2>&1 | grep -v Try
> ehsim: --output needs a name behind '='
> ehsim: --status-file needs a name behind '='
> ehsim: --results needs a name behind '='
> ehsim: --report needs a name behind '='
> ehsim: --merge needs a name behind '='
> ehsim: --trace needs a name behind '='
$ ehsim --status-file=- a.yaml 2>&1 | head -n 1
> ehsim: --status-file is written again and again, so it cannot be standard output
$ ehsim --force --status-file=x -f json=./x a.yaml 2>&1 | head -n 1
> ehsim: ./x is the status file; nothing else can go there
$ ehsim --force -o ../here/a.yaml a.yaml
! ehsim: ../here/a.yaml is the scenario; nothing else can go there
! Try 'ehsim --help'.
? 2
$ ehsim -f json=x -f csv=./x a.yaml 2>&1 | head -n 1
> ehsim: json and csv cannot both go to ./x
$ ehsim --point=2 a.yaml
! ehsim: there is no point 2; --list shows all 1
? 2
$ ehsim --check --list a.yaml
! ehsim: --check and --list do not go together
! Try 'ehsim --help'.
? 2
$ ehsim --check a.yaml
! a.yaml: no errors, 1 point
$ ehsim -qc a.yaml
$ ehsim a.yaml --list --seed 7
> 1: seed=7
$ ehsim --list -s run.sed=1 a.yaml
! --set run.sed=1: error: unknown key 'run.sed'; did you mean 'run.seed'?
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim --list -s run.seed=x -s seed a.yaml
! --set run.seed=x: error: 'seed' must be a whole number without a unit, not 'x'; for example 1
! --set seed: error: write it as --set SECTION.KEY=VALUE
! ehsim: 2 errors, nothing was simulated
? 2
$ ehsim --explain=run.seed
> run.seed
>   Seed of all random streams; the same for all points of a sweep.
>   type     whole number
>   default  1
>   range    0 to 9223372036854775807
>   origin   chosen
$ ehsim --explain=workload.lock.kind | tail -n 1
>   only of  lock
$ ehsim --explain=lookup_cycles
> lookup_cycles
>   clock cycles of a lookup in the established table
>   unit     cycles
$ ehsim --explain=lookup_cycels
! ehsim: unknown key 'lookup_cycels'; did you mean 'lookup_cycles'?
? 2
$ ehsim --explain run.sed
! ehsim: unknown key 'run.sed'; did you mean 'run.seed'?
? 2
$ ehsim --explain=nonsense.at.all
! ehsim: unknown key 'nonsense.at.all'; --explain lists all keys, --explain=metrics what results have
? 2
$ ehsim --explain run.until | cut -d' ' -f1
> run.until.metric
> run.until.within
$ ehsim --version | cut -d' ' -f1
> ehsim
END

expect "help fits a screen of 55 lines" test "$(ehsim --help | wc -l)" -le 55
expect "help fits 100 columns" test "$(ehsim --help | wc -L)" -le 100
expect "help has two examples" test "$(ehsim --help | grep -c '^  ehsim .*yaml$')" -ge 2
expect "-h is --help" diff <(ehsim -h) <(ehsim --help)
expect "--explain is one line per key" test -z "$(ehsim --explain | grep -v '^[a-z]*[.][a-z0-9_.]* ')"
all='workload.kind=[tcp_crr,tcp_stream,line,lock,read_side,hash,rcu,bind,slab,syn_flood,chain,ehash2004,transfer]' # together they take every key
expect "--explain has the keys that --show prints" test \
	"$(ehsim --explain | wc -l)" -eq "$(($(ehsim --show -s "$all" -s workload.transfer.medium=switch a.yaml | grep -c '^  .*: .*[^:]$') + 2))" # machine.file, machine.preset

# What bash would offer behind these words.
complete_words()
{
	bash -c '. "$0"/src/ehsim.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ehsim ehsim
		printf "%s\n" "${COMPREPLY[@]}"' "$srcdir" ehsim "$@" 2>/dev/null
}

offers()
{
	expect "completion of '${*:2}' offers $1" grep -qxF -- "$1" <(complete_words "${@:2}")
}
offers --explain= --ex
offers --locks --lo
offers --lines --li
offers kernel.connect= --set = kernel.co
offers run.seed= -s run.
offers run.seed --explain = run.se
offers json --format = j
offers csv -f c
offers never --color = n
offers S1 --set kernel.connect = S
offers ticket --set = workload.lock.kind = ti
offers epyc-milan-x2 -s machine.preset = ep
offers --manual --man
offers --schema --sc
offers a.yaml a
finish
