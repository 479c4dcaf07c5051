#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What crosses the nodes, by where softirq and completion run against the thread? scenarios/skb-cache-placement.yaml on
# a small host: none from the own CPU and node, all from the other node, half by hash; each such free takes an alien
# lock, and the rate goes the same way. With both caches of v5.2 no sent buffer is freed at all.
. "$(dirname "$0")/lib.sh"

ehsim -q -f json --slabs -s machine.cores_per_die=4 -s workload.threads=16 -s workload.server_threads=16 \
	-s workload.flows=800 -s 'network.queues=[16,16,16,16,10]' -s run.warmup=3ms -s run.length=3ms \
	"$srcdir/scenarios/skb-cache-placement.yaml" | jq -r '
	[.points[] | {rate: .metrics.throughput_per_s.mean, place: .set["network.place"], irqs: .set["network.irqs"],
		pair: (.slabs.client[] | select(.name == "skbuff_fclone_cache"))}
	 | . + {remote: (if .pair.frees > 0 then .pair.remotefrees / .pair.frees else 0 end)}] as [$cpu, $node, $other, $hash, $local, $cached] |
	def is($what; $holds): if $holds then empty else "\($what): not so" end;
	is("nothing crosses from the own CPU"; $cpu.pair.frees > 1000 and $cpu.remote == 0),
	is("nor from the own node"; $node.pair.frees > 1000 and $node.remote == 0),
	is("everything from the other node"; $other.remote > 0.99),
	is("half by hash"; $hash.remote > 0.4 and $hash.remote < 0.6),
	is("more with interrupts that begin with one node"; $local.remote > $hash.remote),
	is("each takes an alien lock, nothing else does";
		[$cpu, $node, $other, $hash, $local] | all(.pair.alien_lock_acquisitions - .pair.remotefrees | fabs <= 1)),
	is("a full array in twelve"; $other.pair.remotefrees / $other.pair.alienoverflow - 12 | fabs < 1),
	is("the rate goes the same way"; $cpu.rate > $node.rate and $node.rate > $hash.rate and $hash.rate > $other.rate),
	is("no sent buffer is freed with the caches"; $cached.pair.frees == 0)' >said 2>&1
expect "frees, locks and rates by placement: $(cat said)" test ! -s said
finish
