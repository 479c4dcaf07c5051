#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Lists make points, in the order of the file; --show prints them back.
. "$(dirname "$0")/lib.sh"

cat >a.yaml <<'END'
workload: {flows: [8, 16], threads: 4}
kernel: {connect: [S0, {value: S1, origin: published, source: "March 2025"}]}
END

cat >lab.yaml <<'END'
machine: {sockets: 1, cores_per_die: 8}
workload: {kind: lock, threads: 4, lock: {kind: queued, outside: 400}}
run: {warmup: 10us, batch: 10us, length: 200us, until: {within: 0%}, at_most: 2ms}
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
$ ehsim --list -s 'workload.flows={from: 100, to: 40, step: 30}' -s 'workload.threads={from: 1, to: 8, times: 2}' -s kernel.connect=S0 a.yaml | cut -d' ' -f2,3
> workload.flows=100 workload.threads=1
> workload.flows=100 workload.threads=2
> workload.flows=100 workload.threads=4
> workload.flows=100 workload.threads=8
> workload.flows=70 workload.threads=1
> workload.flows=70 workload.threads=2
> workload.flows=70 workload.threads=4
> workload.flows=70 workload.threads=8
> workload.flows=40 workload.threads=1
> workload.flows=40 workload.threads=2
> workload.flows=40 workload.threads=4
> workload.flows=40 workload.threads=8
$ ehsim --list -s 'run.until.within={from: 10%, to: 30%, step: 10%}' -s kernel.connect=S0 -s workload.flows=8 a.yaml
> 1: run.until.within=10% seed=1
> 2: run.until.within=20% seed=1
> 3: run.until.within=30% seed=1
$ ehsim --list -s 'zip=[kernel.connect, workload.flows]' a.yaml
> 1: workload.flows=8 kernel.connect=S0 seed=1
> 2: workload.flows=16 kernel.connect=S1 seed=1
$ ehsim --show -s 'zip=[kernel.connect, workload.flows]' a.yaml >zip.yaml; grep zip zip.yaml; ehsim --list zip.yaml
> zip: [[kernel.connect, workload.flows]]
> 1: workload.flows=8 kernel.connect=S0 seed=1
> 2: workload.flows=16 kernel.connect=S1 seed=1
$ ehsim --list -s 'zip=[kernel.connect, workload.flows]' -s workload.flows=8 zip.yaml
> 1: kernel.connect=S0 seed=1
> 2: kernel.connect=S1 seed=1
$ ehsim --list -s 'workload.flows=[8, 9, 10]' zip.yaml
! --set workload.flows=[8, 9, 10]:1:2: error: 'flows' has 3 values, but 'zip' puts it in step with 2 of 'connect'; give as many
!   [8, 9, 10]
!    ^
! zip.yaml:22:13: note: 'connect' is given here
!     connect: [S0, {value: S1, origin: published, source: "March 2025"}]
!               ^
! ehsim: 1 error, nothing was simulated
? 2
$ ehsim --list -s 'workload.flows={from: 1, to: 8}' -s 'kernel.connect={from: 0, to: 1, step: 1}' -s 'run.warmup={from: 1ms, to: 9ms, times: 1}' -s zip=workload.flows a.yaml
! --set kernel.connect={from: 0, to: 1, step: 1}:1:1: error: 'connect' is no number, so it has no range; a list of values is written [a, b]
!   {from: 0, to: 1, step: 1}
!   ^
! --set run.warmup={from: 1ms, to: 9ms, times: 1}:1:29: error: 'times' must be above 1, not 1; a range from high to low is divided by it
!   {from: 1ms, to: 9ms, times: 1}
!                               ^
! --set workload.flows={from: 1, to: 8}:1:1: error: a range of 'flows' is {from: A, to: B, step: C}, or with 'times' in place of 'step'
!   {from: 1, to: 8}
!   ^
! --set zip=workload.flows: error: 'zip' is a list of keys such as [workload.threads, workload.flows], not a value
! ehsim: 4 errors, nothing was simulated
? 2
$ ehsim --list --repeat=2 --seed=7 -s workload.flows=8 a.yaml
> 1: kernel.connect=S0 repeat=1 seed=7
> 1: kernel.connect=S0 repeat=2 seed=8
> 2: kernel.connect=S1 repeat=1 seed=7
> 2: kernel.connect=S1 repeat=2 seed=8
$ ehsim --list --repeat=0 a.yaml
! ehsim: --repeat=0: 'repeat' is 0, but must lie between 1 and 1000
! Try 'ehsim --help'.
? 2
$ ehsim --list -s run.repeat=[1,2] a.yaml
! --set run.repeat=[1,2]:1:2: error: 'repeat' takes one number, not a list
!   [1,2]
!    ^
! ehsim: 1 error, nothing was simulated
? 2
$ fake --repeat=3 -s workload.flows=8 a.yaml | grep -E '^(point|compared|  throughput |  95)'
> point 1: kernel.connect=S0 (simulated 30.06 s)
>   throughput    4000.0  /s
> point 2: kernel.connect=S1 (simulated 30.06 s)
>   throughput         12000  /s
> compared with point 1: kernel.connect=S0
>   throughput    4000.0  12000.0  /s  x 3.000  3.000 .. 3.000  +200.0 %
>   95 % intervals of the ratio: repeats with the same seed paired
$ fake --repeat=3 -f csv -s workload.flows=8 a.yaml | cut -d, -f1-6,8,10-12
> point,kernel.connect,repeat,seed,status,fingerprint,warmup_s,throughput_per_s_lo,throughput_per_s_hi,latency_mean_s
> 1,S0,1,1,done,0000000000000fbf,0.02,3960,4040,0.00025
> 1,S0,2,2,done,0000000000000fde,0.02,3960,4040,0.00025
> 1,S0,3,3,done,0000000000000ffd,0.02,3960,4040,0.00025
> 2,S1,1,1,done,0000000000002eff,0.02,11880,12120,8.33333333333e-05
> 2,S1,2,2,done,0000000000002f1e,0.02,11880,12120,8.33333333333e-05
> 2,S1,3,3,done,0000000000002f3d,0.02,11880,12120,8.33333333333e-05
$ fake --repeat=2 -f neper -s workload.flows=8 a.yaml | grep -E '^# point.*client'
> # point 1: kernel.connect=S0, repeat 1, client
> # point 1: kernel.connect=S0, repeat 2, client
> # point 2: kernel.connect=S1, repeat 1, client
> # point 2: kernel.connect=S1, repeat 2, client
$ fake -f json a.yaml | jq -c '.points[] | [.index, .baseline, .changes.throughput_per_s.ratio]'
> [1,1,null]
> [2,1,3]
> [3,1,1]
> [4,1,3]
$ fake -f json --baseline=kernel.connect=S1 a.yaml | jq -c '.points[] | [.index, .baseline, .changes.throughput_per_s.ratio]'
> [1,2,0.333333333333]
> [2,2,null]
> [3,4,0.333333333333]
> [4,4,null]
$ fake --baseline=kernel.connect=S1 a.yaml | grep ^compared
> compared with point 2: workload.flows=8, kernel.connect=S1
> compared with point 4: workload.flows=16, kernel.connect=S1
$ fake --baseline=kernel.connect=S3 a.yaml
! ehsim: --baseline=kernel.connect=S3: kernel.connect is never S3; it is S0, S1
? 2
$ fake --baseline=3 --point=1 a.yaml | grep ratio
>   throughput_ratio  -  the point it is compared with was not run
$ ehsim --show -o shown.yaml a.yaml && cmp shown.yaml one.yaml
$ ehsim -q -f json -s run.warmup_end=found lab.yaml | jq -c '.points[0] | .warmup_ns, .start, .status'
> 110000
> "start: steady (lock on one host, a closed loop per thread); 0.11 ms warm-up (its end found by MSER) cut; 0.2 ms in 20 batches measured"
> "done"
$ ehsim -q -f json -s run.warmup_end=found -s run.at_most=90us lab.yaml | jq -c '.points[0].status, .points[0].status_text'
> "imprecise"
> "no end of the warm-up was found within run.at_most: throughput_per_s may still drift"
$ ehsim -q -f json --repeat=4 -s workload.threads=[2,4] lab.yaml | jq -c '.points[1] | (.repeats | length), .changes.ops_per_s.pairing, .changes.ops_per_s.significant'
> 4
> "repeats"
> true
END
finish
