#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Machine files: found beside the scenario, overridden key by key, wrong ones located.
. "$(dirname "$0")/lib.sh"

mkdir -p sub/machines
cat >sub/machines/m.yaml <<'END'
description: a machine
name: big
sockets: 4
clock: {value: 2.5GHz, origin: published, source: "data sheet"}
END
printf 'machine: {file: machines/m.yaml, sockets: 3}\n' >sub/a.yaml
printf 'machine: {file: machines/absent.yaml}\n' >sub/absent.yaml
printf 'machine: {file: machines/bad.yaml, clock: 3}\n' >sub/bad.yaml
printf 'name: x\nsockts: 1\nfile: m.yaml\n' >sub/machines/bad.yaml
printf 'machine: {file: [machines/m.yaml, machines/bad.yaml]}\n' >sub/list.yaml
printf -- '- name\n' >sub/machines/list.yaml
printf 'sockets: 2\n' >mine.yaml
mkdir shipped
cp sub/machines/m.yaml shipped/big-one.yaml
printf 'name: small\n' >shipped/small-one.yaml
printf 'machine: {preset: big-one, sockets: 1}\n' >preset.yaml
printf 'machine: {preset: big-on}\nworkload: {threads: 500, flows: 500}\n' >typo.yaml
printf 'machine: {file: big-one}\n' >asfile.yaml
printf 'machine: {preset: shipped/big-one.yaml}\n' >aspreset.yaml
printf 'machine: {file: sub/machines/m.yaml, preset: big-one}\n' >both.yaml
export EHSIM_MACHINES=$PWD/shipped

transcript <<'END'
$ ehsim --show sub/a.yaml | grep -E ' (name|sockets|clock|file):'
>   name: {value: "big", origin: chosen, source: "machines/m.yaml"}
>   sockets: 3
>   clock: {value: 2.5GHz, origin: published, source: "data sheet"}
$ cd sub && ehsim --show a.yaml | grep -E ' (name):'
>   name: {value: "big", origin: chosen, source: "machines/m.yaml"}
$ ehsim --show -s machine.file=mine.yaml -s machine.name=y sub/a.yaml | grep -E ' (name|sockets|clock):'
>   name: "y"
>   sockets: 3
>   clock: {value: 3GHz, origin: assumed, source: "a common server clock"}
$ ehsim sub/absent.yaml
! sub/absent.yaml:1:17: error: machine file 'sub/machines/absent.yaml' cannot be read: No such file or directory
!   machine: {file: machines/absent.yaml}
!                   ^
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim sub/bad.yaml
! sub/bad.yaml:1:43: error: 'clock' needs a unit; for example 3GHz
!   machine: {file: machines/bad.yaml, clock: 3}
!                                             ^
! sub/machines/bad.yaml:2:1: error: unknown key 'sockts' in 'machine'; did you mean 'sockets'?
!   sockts: 1
!   ^
! sub/machines/bad.yaml:3:1: error: a machine file cannot name another one
!   file: m.yaml
!   ^
! ehsim: 3 errors, nothing was simulated
? 2
$ ehsim sub/list.yaml
! sub/list.yaml:1:17: error: 'file' takes one machine file, not a list; keep one of them
!   machine: {file: [machines/m.yaml, machines/bad.yaml]}
!                   ^
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim -s machine.file=sub/machines/list.yaml mine.yaml
! mine.yaml:1:1: error: unknown section 'sockets'; did you mean key 'sockets' of section 'machine'?
!   sockets: 2
!   ^
! sub/machines/list.yaml:1:1: error: a machine file is a map of keys, not a list
!   - name
!   ^
! ehsim: 2 errors, nothing was simulated
? 2
$ ehsim --show preset.yaml | grep -E ' (name|sockets|clock|file|preset):'
>   name: {value: "big", origin: chosen, source: "big-one"}
>   sockets: 1
>   clock: {value: 2.5GHz, origin: published, source: "data sheet"}
$ ehsim --show -s machine.preset=small-one sub/a.yaml | grep -E ' (name|sockets|clock):'
>   name: {value: "small", origin: chosen, source: "small-one"}
>   sockets: 3
>   clock: {value: 3GHz, origin: assumed, source: "a common server clock"}
$ ehsim --show -s machine.file=mine.yaml preset.yaml | grep -E ' (name|sockets):'
>   name: "generic"
>   sockets: 1
$ ehsim --explain=machine.preset | grep found
>   found    big-one, small-one
$ ehsim typo.yaml
! typo.yaml:1:19: error: no machine 'big-on'; did you mean 'big-one'? (one of big-one, small-one)
!   machine: {preset: big-on}
!                     ^
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim asfile.yaml
! asfile.yaml:1:17: error: machine file 'big-one' cannot be read: No such file or directory; the shipped machine of that name is written preset: big-one
!   machine: {file: big-one}
!                   ^
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim aspreset.yaml
! aspreset.yaml:1:19: error: 'preset' is the name of a shipped machine, not a file; write 'file: shipped/big-one.yaml'
!   machine: {preset: shipped/big-one.yaml}
!                     ^
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim both.yaml
! both.yaml:1:38: error: 'file' and 'preset' both name a machine; remove one of them
!   machine: {file: sub/machines/m.yaml, preset: big-one}
!                                        ^
! both.yaml:1:11: note: the other one is here
!   machine: {file: sub/machines/m.yaml, preset: big-one}
!             ^
! ehsim: 1 error, nothing was simulated
? 2
$ EHSIM_MACHINES=/nowhere ehsim preset.yaml 2>&1 | head -n 1
> preset.yaml:1:19: error: no shipped machines are found; say in the environment variable EHSIM_MACHINES in which folder they are
$ ehsim presett.yaml
! presett.yaml: error: cannot be read: No such file or directory; did you mean 'preset.yaml'?
! ehsim: 1 error, nothing was simulated
? 2
$ env -u EHSIM_MACHINES ehsim --explain=machine.preset | grep -c "found .* epyc-milan-x2,"
> 1
END
finish
