#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Lists make points, in the order of the file; --show prints them back.
. "$(dirname "$0")/lib.sh"

cat >a.yaml <<'END'
workload: {flows: [8, 16], threads: 4}
kernel: {connect: [S0, {value: S1, origin: published, source: "March 2025"}]}
END

transcript <<'END'
$ ehsim --list a.yaml
> 1: workload.flows=8 kernel.connect=S0 seed=1
> 2: workload.flows=8 kernel.connect=S1 seed=1
> 3: workload.flows=16 kernel.connect=S0 seed=1
> 4: workload.flows=16 kernel.connect=S1 seed=1
$ ehsim --list --point=3 a.yaml
> 3: workload.flows=16 kernel.connect=S0 seed=1
$ ehsim --list -s kernel.connect=S1 -s run.seed=[3,4] a.yaml
> 1: workload.flows=8 run.seed=3 seed=3
> 2: workload.flows=8 run.seed=4 seed=4
> 3: workload.flows=16 run.seed=3 seed=3
> 4: workload.flows=16 run.seed=4 seed=4
$ ehsim --list -s 'workload.flows=[2,16]' a.yaml
! --set workload.flows=[2,16]:1:2: error: flows (2) must be at least threads (4)
!   [2,16]
!    ^
! a.yaml:1:37: note: 'threads' is 4 here
!   workload: {flows: [8, 16], threads: 4}
!                                       ^
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim --show a.yaml | grep -E '(flows|connect): .*[[]'
>   flows: [8, 16]
>   connect: [S0, {value: S1, origin: published, source: "March 2025"}]
$ ehsim --show a.yaml >one.yaml && ehsim --show one.yaml >two.yaml && cmp one.yaml two.yaml
$ ehsim --list one.yaml | diff - <(ehsim --list a.yaml)
$ ehsim --show -o shown.yaml a.yaml && cmp shown.yaml one.yaml
END
finish
