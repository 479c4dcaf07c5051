/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * neper's arithmetic (facts of neper at ea5890fe25ab).
 *
 * A flow counts transactions and collects their latencies. At its first transaction, and then at
 * the first one at or after 2, 3, 4, ... intervals, it takes a snapshot: its count is noted, and
 * the latencies collected since the last one are folded into the totals. When a thread stops it
 * takes one more of each of its flows, which folds nothing. So num_transactions and latency_* leave
 * out what came after a flow's last timed snapshot; throughput, from the counts of the snapshots
 * merged in order of time, leaves out only the very first transaction: with every flow's final
 * count in, (last - first) / (t_last - t_first) needs no list of them.
 *
 * Latencies also go to a histogram, in ticks of 10 ns, at the same snapshots; a percentile is the upper
 * end of its bucket, but never beyond the smallest or largest latency (neper's own may be).
 *
 * Intervals count from the first transaction of all; one second, or 0.2 s in runs below 5 s.
 */
#ifndef EHSIM_WORKLOAD_NEPER_H
#define EHSIM_WORKLOAD_NEPER_H

#include <ehsim/workload.h>
#include <glib.h>

struct eh_neper_flow {
	uint64_t things;
	int64_t due; /* intervals; 0: no snapshot yet */
	struct eh_moments pending;
	GArray *ticks; /* int64_t, of the pending latencies; NULL: none yet */
};

struct eh_neper_sum {
	eh_time interval;
	eh_time first, last; /* first transaction, last snapshot */
	bool started;
	uint64_t things; /* of all flows */
	uint64_t samples;
	struct eh_moments latency; /* folded, seconds */
	struct eh_hist *ticks;	   /* the same */
};

void eh_neper_init(struct eh_neper_sum *sum, eh_time length);
void eh_neper_fini(struct eh_neper_sum *sum);
void eh_neper_flow_init(struct eh_neper_flow *f);
void eh_neper_flow_fini(struct eh_neper_flow *f);
/* A transaction of f has ended. */
void eh_neper_event(struct eh_neper_sum *sum, struct eh_neper_flow *f, eh_time now, double latency);
/* Its thread stops. */
void eh_neper_flush(struct eh_neper_sum *sum, struct eh_neper_flow *f, eh_time now);
/* Seconds; 0 without a latency. q: 0..1 */
double eh_neper_quantile(const struct eh_neper_sum *sum, double q);
double eh_neper_throughput(const struct eh_neper_sum *sum);
/* Adds what `from` has seen. */
void eh_moments_fold(struct eh_moments *into, const struct eh_moments *from);

#endif
