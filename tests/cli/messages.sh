#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Is every mistake in a scenario said at once, with its place, on stderr, with status 2?
. "$(dirname "$0")/lib.sh"

cat >five.yaml <<'END'
description: five mistakes
machine: {sokets: 2, clock: 2.1}
kernel: {connect: S7}
network:
  delai: 20us
workload: {threads: 0, flows: 16}
END
printf 'run: {seed: 1}\nkernel: {}\nrun:\n  seed: 2\n' >twice.yaml
printf 'run:\n\tseed: 1\n' >tab.yaml
printf '\357\273\277run: {seed: 1}\n' >bom.yaml
printf 'run: {seed: 1}\n---\nrun: {seed: 2}\n' >two.yaml
printf 'run: {seed: 1\nkernel: {}\n' >open.yaml
printf 'workload: {threads: 8,\n  flows: 4}\n' >cross.yaml
printf 'workload: {flows: 30000}\n' >ports.yaml
printf 'network: {rate: 10Gbps}\nrun: {until: {within: 0.01}}\n' >units.yaml
printf 'machine: {name: "a\\e[31mb", sockts: 1}\n' >escape.yaml
: >empty.yaml
mkdir folder
mkfifo pipe
head -c 1048577 /dev/zero | tr '\0' '#' >large.yaml
head -c 100 /dev/zero >zeros.yaml

transcript <<'END'
$ ehsim five.yaml
! five.yaml:2:11: error: unknown key 'sokets' in 'machine'; did you mean 'sockets'?
!   machine: {sokets: 2, clock: 2.1}
!             ^
! five.yaml:2:29: error: 'clock' needs a unit; for example 2.1GHz
!   machine: {sokets: 2, clock: 2.1}
!                               ^
! five.yaml:3:19: error: 'connect' cannot be 'S7'; did you mean 'S0'? (one of S0, S1, S2, S3)
!   kernel: {connect: S7}
!                     ^
! five.yaml:5:3: error: unknown key 'delai' in 'network'; did you mean 'delay'?
!     delai: 20us
!     ^
! five.yaml:6:21: error: 'threads' is 0, but must lie between 1 and 65534
!   workload: {threads: 0, flows: 16}
!                       ^
! ehsim: 5 errors, nothing was simulated
? 2
$ ehsim --check twice.yaml
! twice.yaml:3:1: error: 'run' is given twice; remove one of them
!   run:
!   ^
! twice.yaml:1:1: note: first given here
!   run: {seed: 1}
!   ^
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim tab.yaml
! tab.yaml:2:1: error: a tab as indentation; YAML wants spaces
!   ?seed: 1
!   ^
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim bom.yaml
! bom.yaml:1:1: error: starts with a byte order mark; save it as UTF-8 without BOM
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim two.yaml
! two.yaml:2:1: error: a second document starts here; a scenario is one document, write another file
!   ---
!   ^
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim open.yaml
! open.yaml:2:7: error: did not find expected ',' or '}'; close the '{' or put a comma before this
!   kernel: {}
!         ^
! open.yaml:1:6: note: while parsing a flow mapping
!   run: {seed: 1
!        ^
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim cross.yaml
! cross.yaml:2:10: error: flows (4) must be at least threads (8)
!     flows: 4}
!            ^
! cross.yaml:1:21: note: 'threads' is 8 here
!   workload: {threads: 8,
!                       ^
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim ports.yaml
! ports.yaml:1:19: error: flows (30000) need as many local ports, but 32768-60999 has 60999 - 32768 + 1 = 28232; widen the range or take at most 28232 flows
!   workload: {flows: 30000}
!                     ^
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim units.yaml
! units.yaml:1:17: error: 'rate': '10Gbps' may mean bits or bytes; say 10Gbit/s or 10GB/s
!   network: {rate: 10Gbps}
!                   ^
! units.yaml:2:23: error: 'until.within' is a share and needs a percent sign; '0.01' is 1%
!   run: {until: {within: 0.01}}
!                         ^
! ehsim: 2 errors, nothing was simulated
? 2
$ ehsim --color=always escape.yaml 2>&1 | grep -c 'b", sockts'
> 1
$ ehsim escape.yaml 2>&1 | grep -c $'\e'
> 0
? 1
$ ehsim empty.yaml
! empty.yaml:1:1: error: is empty; a scenario is a map of sections, for example: run: {length: 10s}
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim absent.yaml
! absent.yaml: error: cannot be read: No such file or directory
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim folder
! folder: error: is a folder; name a scenario file
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim pipe
! pipe: error: is a pipe; to read it write: ehsim - <PIPE
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim --check - <five.yaml 2>&1 | head -n 1
> /dev/stdin:2:11: error: unknown key 'sokets' in 'machine'; did you mean 'sockets'?
$ echo 'run: {sed: 1}' | ehsim /dev/stdin
! /dev/stdin:1:7: error: unknown key 'sed' in 'run'; did you mean 'seed'?
!   run: {sed: 1}
!         ^
! ehsim: 1 error, nothing was simulated
? 2
$ cat large.yaml | ehsim -
! /dev/stdin: error: is too large for a scenario: at most 1048576 bytes
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim large.yaml
! large.yaml: error: is too large for a scenario: 1048577 bytes, at most 1048576
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim zeros.yaml
! zeros.yaml:1:1: error: is not text: a byte of value 0; name a YAML file
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim -o result five.yaml 2>/dev/null
? 2
$ ls result
! ls: cannot access 'result': No such file or directory
? 2
END
finish
