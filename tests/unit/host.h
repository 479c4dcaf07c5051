/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine with round numbers for the tests of the folders above engine: one instruction per ns,
 * everywhere; latencies that tell by their value what they are.
 */
#ifndef TESTS_UNIT_HOST_H
#define TESTS_UNIT_HOST_H

#include <ehsim/config.h>

static inline struct eh_machine_config host_machine(int sockets, int dies, int cores, int threads)
{
	struct eh_machine_config m = {
		.sockets = sockets,
		.sockets_per_group = 8,
		.dies_per_socket = dies,
		.cores_per_die = cores,
		.threads_per_core = threads,
		.clock_hz = 1000000000,
		.core = {.width = 1,
			 .window = 512,
			 .line_buffers = 16,
			 .mispredict = 17,
			 .locked_op = 20,
			 .call = 5,
			 .smt_gain = 1.25,
			 .path_ipc = 1},
		.cache = {.l1_lines = 64, .l2_lines = 1024, .l1_cycles = 5, .l2_cycles = 16},
		.latency = {.clean_same_die = 30 * EH_NS,
			    .clean_adjacent_die = 50 * EH_NS,
			    .clean_far_die = 80 * EH_NS,
			    .clean_other_socket = 180 * EH_NS,
			    .dirty_smt = 8 * EH_NS,
			    .dirty_same_die = 65 * EH_NS,
			    .dirty_adjacent_die = 95 * EH_NS,
			    .dirty_far_die = 110 * EH_NS,
			    .dirty_other_socket = 270 * EH_NS,
			    .dram_same_die = 130 * EH_NS,
			    .dram_adjacent_die = 150 * EH_NS,
			    .dram_far_die = 170 * EH_NS,
			    .dram_other_socket = 230 * EH_NS,
			    .request_percent = 50},
		.idle_exit = 2 * EH_US,
		.ipi = 700 * EH_NS,
	};

	return m;
}

static inline struct eh_kernel_config host_kernel(int64_t hz)
{
	struct eh_kernel_config k = {
		.hz = hz,
		.alien = true,
		.alien_limit = 12,
		.pcp_batch = 4,
		.pcp_high = 16,
		.pcp_order = 1,
		.cost = {.spin_unlock = 1,
			 .rcu_all_qs = 10,
			 .schedule = 900,
			 .wakeup = 500,
			 .tick = 2000,
			 .gp_report = 300,
			 .kfree_rcu = 40,
			 .kfree_rcu_work = 50,
			 .futex = 180,
			 .futex_wait = 80,
			 .futex_wake = 90,
			 .gp_node = 60,
			 .fqs_cpu = 40,
			 .rcu_core = 200,
			 .call_rcu = 90,
			 .rcu_invoke = 25,
			 .ipi_send = 300,
			 .ipi = 600},
		.rcu = {.leaf_fanout = 16,
			.fanout = 64,
			.first_fqs = -1,
			.next_fqs = -1,
			.sched_qs = -1,
			.blimit = 10,
			.divisor = 7,
			.qhimark = 10000,
			.qlowmark = 100,
			.qovld = 20000,
			.resched = 3 * EH_MS,
			.drain = 5 * EH_SEC},
		.softirq_restart = 10,
		.softirq_time = 2 * EH_MS,
	};

	return k;
}

#endif
