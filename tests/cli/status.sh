#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Do people see on the progress line, and scripts in the status file, how far a run is?
. "$(dirname "$0")/lib.sh"

cat >a.yaml <<'END'
workload: {threads: [2, 4, 8], flows: 8}
END

transcript <<'END'
$ fake -q --status-file=s.json -f json=a.json a.yaml && jq -c '[.schema, .state, .points, .done, .failed, .left_s == 0]' s.json
> ["ehsim-status/1","done",3,3,0,true]
$ fake -q --status-file=s.json --point=2 -f json=b.json a.yaml && jq -c '[.state, .points, .done]' s.json
> ["done",1,1]
$ EH_FAKE=fail fake -q --status-file=s.json -f json=c.json a.yaml; jq -c '[.state, .done, .failed]' s.json
> ["failed",3,3]
! ehsim: 3 of 3 points failed
$ fake --status-file=absent/s.json a.yaml
! ehsim: absent cannot be written: No such file or directory
? 2
$ ls *.json.* 2>/dev/null
? 2
END

# A run that lasts, ended by a signal.
EH_FAKE=slow fake --progress=always --status-file=s.json -f json=d.json a.yaml 2>words &
run=$!
for ((i = 0; i < 100; i++)); do
	[ "$(jq -r .precision s.json 2>/dev/null)" = 0.5 ] && break
	sleep 0.1
done
expect "a script sees the point, the number and its interval" test \
	"$(jq -c '[.state, .point, .set, .metric, .mean == 1000, .lo == 500, .hi == 1500]' s.json)" = \
	'["running",1,"workload.threads=2","throughput_per_s",true,true,true]'
expect "and what is left" jq -e '.left_s > 0 and .simulated_s > 0 and .planned_s > .simulated_s' s.json >/dev/null
kill -TERM $run
wait $run
expect "its end is told" test "$?-$(jq -c '[.state, .done, .left_s]' s.json)" = '143-["interrupted",0,null]'
expect "the line has the number as it tightens" grep -q 'simulated, throughput_per_s 1000 +-50%, .* left' words
finish
