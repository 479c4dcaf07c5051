#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What neper says when the client has no port left, and when: with the instant, exit status 1.
. "$(dirname "$0")/lib.sh"

cat >few.yaml <<'END'
machine: {sockets: 1, dies_per_socket: 1, cores_per_die: 2, threads_per_core: 1}
kernel: {port_low: 40000, port_high: 40009, ehash_buckets: 1024}
workload: {threads: 2, server_threads: 2, flows: 11}
run: {start: cold, length: 1ms}
END
when()
{
	sed 's/at 0\.[0-9]* s/at 0.T s/'
}
export -f when

transcript <<'END'
$ ehsim few.yaml 2>&1 >/dev/null | when; exit "${PIPESTATUS[0]}"
> ehsim: point 1: connect: Cannot assign requested address, at 0.T s of simulated time: no local port was free (neper ends here)
> ehsim: 1 of 1 points failed
? 1
$ ehsim -s workload.local_bind=no_port few.yaml 2>&1 >/dev/null | when; exit "${PIPESTATUS[0]}"
> ehsim: point 1: connect: Cannot assign requested address, at 0.T s of simulated time: no local port was free (neper ends here)
> ehsim: 1 of 1 points failed
? 1
$ ehsim -s workload.local_bind=port few.yaml 2>&1 >/dev/null | when; exit "${PIPESTATUS[0]}"
> ehsim: point 1: bind: Address already in use, at 0.T s of simulated time: no local port was free (neper ends here)
> ehsim: 1 of 1 points failed
? 1
$ ehsim -q -s workload.server_ports=2 few.yaml >/dev/null
$ ehsim -q -s workload.server_addresses=2 few.yaml >/dev/null
$ ehsim -q -s workload.source_port=20000 few.yaml >/dev/null
$ ehsim -q --check -s run.start=steady few.yaml 2>&1 | head -n 1
> few.yaml:3:50: error: flows (11) need as many local ports, but 40000-40009 has 40009 - 40000 + 1 = 10; widen the range or take at most 10 flows
END
finish
