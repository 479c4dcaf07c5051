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
! sub/machines/absent.yaml: error: cannot be read: No such file or directory
! sub/absent.yaml:1:17: note: named here
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
! sub/list.yaml:1:17: error: 'file' takes one machine file, not a list
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
END
finish
