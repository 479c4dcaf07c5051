#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# stdout is the result and nothing else; files are whole or absent; errors of writing are said.
. "$(dirname "$0")/lib.sh"

echo 'workload: {threads: 2, flows: 2}' >a.yaml
mkdir folder

transcript <<'END'
$ fake -f neper a.yaml >&-
! ehsim: stdout cannot be written: Bad file descriptor
? 1
$ fake -f neper a.yaml >/dev/full
! ehsim: stdout cannot be written: No space left on device
? 1
$ ehsim --explain >/dev/full
! ehsim: stdout cannot be written: No space left on device
? 1
$ ehsim --help >/dev/full
! ehsim: stdout cannot be written: No space left on device
? 1
$ ehsim --list a.yaml >&-
! ehsim: stdout cannot be written: Bad file descriptor
? 1
$ exec 3> >(:); wait $!; fake a.yaml >&3
! ehsim: stdout cannot be written: Broken pipe
? 1
$ fake -f neper -o out a.yaml && grep -c throughput out
> 1
$ fake -f json -o out a.yaml
! ehsim: out exists; --force overwrites it
? 2
$ grep -c throughput out
> 1
$ fake -f json --force -o out a.yaml && head -n 1 out
> {
$ ln -s out link; fake -f neper --force -o link a.yaml; test -L link && grep -c ^throughput out
> 1
$ fake --show -o out a.yaml
! ehsim: out exists; --force overwrites it
? 2
$ fake --list --force -o out a.yaml && cat out
> 1: seed=1
$ fake -o absent/out a.yaml
! ehsim: absent cannot be written: No such file or directory
? 2
$ fake -o folder a.yaml
! ehsim: folder cannot be written: Is a directory
? 2
$ fake -o /dev/full a.yaml
! ehsim: /dev/full cannot be written: No space left on device
? 1
$ fake -o /dev/null a.yaml; test -c /dev/null
$ fake -f neper -o - a.yaml | grep -c ^throughput
> 1
$ fake -f json -o quiet.json a.yaml 2>&- <&- && tail -n 1 quiet.json
> }
$ EH_FAKE=imprecise fake -v --progress=always -f json a.yaml 2>words | jq -r .schema; wc -l <words
> ehsim-result/1
> 3
$ fake --progress=auto a.yaml 2>&1 >/dev/null
$ fake --progress=always a.yaml 2>&1 >/dev/null
> point 1/1: starting
$ fake -f text a.yaml | grep -c $'\e'
> 0
? 1
$ fake --color=always -f text a.yaml | grep -c $'\e' | grep -cv '^0$'
> 1
$ fake --color=always -f text -o plain.txt a.yaml; grep -c $'\e' plain.txt
> 0
? 1
$ echo *
> a.yaml folder link out plain.txt quiet.json words
$ fake -o $(printf 'x%.0s' {1..250}) a.yaml 2>&1 | tail -c 42
> xxx cannot be written: File name too long
$ ln -s nowhere dangling; fake -o dangling a.yaml
! ehsim: dangling exists; --force overwrites it
? 2
END

# control characters of names and values reach no terminal, of one byte or of two
cat >esc.yaml <<'END'
description: "a\e[31m\nb"
machine: {name: ["a\nb", "\e[31m\u009b"]}
expect: [{metric: throughput_per_s, published: 1, row: "\e[31m", note: "\e[32m\u009b"}]
END
cp esc.yaml $'\e[1m\n.yaml'
cp a.yaml $'\xff.yaml'
transcript <<'END'
$ ehsim --list esc.yaml
> 1: machine.name=a?b seed=1
> 2: machine.name=?[31m?? seed=1
$ ehsim --check $'\e[1m\n.yaml'
! ?[1m?.yaml: no errors, 2 points
$ fake --format=$'\e[1m' a.yaml
! ehsim: --format cannot be '?[1m'; it is one of text, neper, neper-client, neper-server, perf, json, csv, where, locks
! Try 'ehsim --help'.
? 2
$ fake -o $'no\e/x' a.yaml
! ehsim: no? cannot be written: No such file or directory
? 2
$ fake --progress=always $'\e[1m\n.yaml' 2>&1 | grep -c $'[\e\x9b]'
> 0
? 1
$ fake $'\xff.yaml' | iconv -f utf-8 -t utf-8 >/dev/null
END
rm $'\e[1m\n.yaml' $'\xff.yaml'

# on a terminal: a line that is taken away again, colour unless NO_COLOR
if command -v script >/dev/null; then
	export TERM=xterm
	EH_FAKE=slow timeout 30 script -qfec "fake a.yaml" typescript >/dev/null 2>&1 </dev/null &
	for ((i = 0; i < 100; i++)); do # it comes within a second, but maybe not on a busy machine
		grep -q 'point 1/1: .* simulated' typescript && break
		sleep 0.1
	done 2>/dev/null
	kill $!
	wait $! 2>/dev/null
	expect "progress" grep -q 'point 1/1: .* simulated' typescript
	script -qec "fake a.yaml" typescript >/dev/null 2>&1 </dev/null
	expect "colour on a terminal" grep -q $'\e\\[1m' typescript
	NO_COLOR=1 script -qec "fake --progress=never a.yaml" typescript >/dev/null 2>&1 </dev/null
	expect "NO_COLOR on a terminal" test "$(grep -c $'\e' typescript)" -eq 0
fi
finish
