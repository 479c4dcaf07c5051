#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --slabs: in text and JSON exactly when asked for; its columns add up, by either allocator; nothing else
# changes by it, and runs in children show the same.
. "$(dirname "$0")/lib.sh"

command -v jq >/dev/null || { echo "jq is needed"; exit 77; }

cat >lab.yaml <<'END'
machine: {sockets: 2, cores_per_die: 2, threads_per_core: 1}
kernel: {allocator: [slab, slub]}
workload: {kind: slab, threads: 4, placement: spread, slab: {op: remote, count: 64, bulk: 8}}
run: {warmup: 20us, batch: 10us, length: 200us, until: {within: 0%}}
END
cat >crr.yaml <<'END'
machine: {sockets: 2, cores_per_die: 2, threads_per_core: 1}
kernel: {allocator: [slab, slub], port_low: 40000, port_high: 40999}
workload: {threads: 4, server_threads: 4, flows: 200}
run: {warmup: 1ms, batch: 1ms, length: 3ms, until: {within: 0%}}
END

# Alive are those of all nodes, no more than there is room for; a free is a hit or a miss.
sound='[.points[].slabs[][] | (.in_flight_by_node | add) == .active_objs and .active_objs <= .num_objs and
	.num_objs == .num_slabs * .objperslab and .bytes == .num_slabs * .pagesperslab * 4096 and
	.active_slabs <= .num_slabs and .active_objs <= .maxobjs and .frees == .freehit + .freemiss and
	.listallocs == .allochit + .allocmiss and .remotefrees <= .frees] | [length > 1, all]'

transcript <<'END'
$ ehsim -q --slabs --point=1 lab.yaml | grep -E '^  [a-z ]*slab[a-z]*:|^ +(active_objs|limit|nodeallocs|held) ' | tr -s ' '
>  slabinfo:
>  active_objs num_objs objsize objperslab pagesperslab active_slabs num_slabs name
>  limit batchcount sharedfactor sharedavail listallocs maxobjs grown shrunk reaped name
>  the rest of slabinfo:
>  nodeallocs remotefrees alienoverflow allochit allocmiss freehit freemiss name
>  memory and locks of slabs:
>  held list_lock contended total wait alien->lock contended total wait name in flight by node
$ ehsim -q -f json lab.yaml | jq -c '[.points[] | has("slabs")]'
> [false,false]
$ ehsim -q -f json --slabs lab.yaml | jq -c '.points[].slabs | [.client[0].name, .client[0].limit, .client[0].alienoverflow > 0, .client[0].alien_lock_acquisitions > 0, .server]'
> ["slab_test",120,true,true,[]]
> ["slab_test",0,false,false,[]]
$ ehsim -q -f json --slabs crr.yaml | jq -c '.points[].slabs | [.client, .server | map(.name) | contains(["TCPv6", "skbuff_head_cache", "filp"])]'
> [true,true]
> [true,true]
END
for scenario in lab crr; do
	ehsim -q -f json --slabs $scenario.yaml >with
	expect "$scenario: the columns add up" test "$(jq -c "$sound" with)" = '[true,true]'
	ehsim -q -f json $scenario.yaml | jq 'del(.host)' >without
	jq 'del(.host, .points[].slabs)' <with >rest
	expect "$scenario: the same result but for the table" cmp without rest
done

# What recv() frees goes home through alien arrays; the receive cache leaves it to the softirq.
cat >rr.yaml <<'END'
machine: {sockets: 2, cores_per_die: 2, threads_per_core: 1}
kernel: {allocator: slab, rx_skb_cache: [off, on]}
workload: {threads: 4, server_threads: 4, flows: 100, reconnect: no}
network: {queues: 4}
run: {warmup: 1ms, batch: 1ms, length: 3ms, until: {within: 0%}}
END
far() # how many socket buffers were freed on another node, at a point
{
	ehsim -q -f json --slabs --point="$1" rr.yaml |
		jq '[.points[0].slabs[][] | select(.name == "skbuff_head_cache") | .remotefrees] | add'
}
expect "the receive cache keeps socket buffers at home" test "$(far 2)" -lt "$(($(far 1) / 4))"
expect "flows that stay connected search no port" test \
	"$(ehsim -q -f json --point=1 rr.yaml | jq -c '.points[0].metrics | [.throughput_per_s.mean > 0, .candidates_per_connect.mean]')" \
	= '[true,null]'
# Two threads of a core go on while their last store is on its way: each object goes over once.
cat >pairs.yaml <<'END'
machine: {sockets: 4, dies_per_socket: 2, cores_per_die: 2, threads_per_core: 4, core: {pause: yes}, latency: {residency: 50ns}}
kernel: {allocator: slab}
workload: {kind: slab, threads: 64, placement: cores, slab: {op: remote, size: 8KiB, count: 7, bulk: 1}}
run: {warmup: 200us, batch: 50us, length: 50us, until: {within: 0%}}
END
expect "pairs free what they allocate" timeout 60 ehsim -q -o pairs --seed=7 pairs.yaml
expect "the same from children" cmp <(ehsim -q --slabs -j 1 crr.yaml) <(ehsim -q --slabs -j 2 crr.yaml)
finish
