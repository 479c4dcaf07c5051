/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the hosts run: neper's tcp_crr between a client and a server host.
 *
 * Client: `threads` threads, flows dealt evenly (the remainder to the first threads), one epoll set
 * per thread, level-triggered, at most 1000 events per wait. Set-up is serial: thread 0 opens its
 * flows (socket, SO_LINGER{1,0}, non-blocking connect, epoll ADD for OUT), then thread 1, ...; a
 * barrier; then all run. Per flow: OUT -> send request -> MOD IN; IN -> receive, record, DEL, close
 * (by reset), and the next socket and connect at once. Server: `server_threads` threads, each with
 * a SO_REUSEPORT listener on port 12867, accept one connection per event, receive, send, and close
 * when the reset arrives.
 *
 * Measuring as neper does: latency of a transaction = time since the previous receive of the flow
 * (or its creation), so it contains the wait for the set-up in a flow's first one; snapshots per
 * flow at its first event and then at the first event at or after 2, 3, ... intervals, and one at
 * the end; throughput from the merged snapshots, (last count - first) / (last time - first).
 * Times: utime_start and stime_start at the first completed transaction or when main passes the
 * barrier, whichever is later; _end when the alarm fires.
 *
 * start: cold runs from the first connect; the alarm fires `run.length` after the barrier. steady
 * begins with every flow connected, its response waiting or (staggered) already answered, ports and
 * cursor as in the middle of a run; threads begin at staggered times. setup ends at the barrier.
 */
#ifndef EHSIM_WORKLOAD_H
#define EHSIM_WORKLOAD_H

#include <ehsim/host.h>
#include <ehsim/stats.h>

struct eh_crr;

struct eh_crr_stats {
	uint64_t transactions;	   /* receives completed so far */
	struct eh_moments latency; /* seconds, of transactions whose start was simulated */
	eh_time utime, stime;	   /* of all client threads so far */
	bool running;		   /* the barrier has been passed */
	bool finished;		   /* alarm fired and all threads have stopped, or set-up ended */
	bool failed;		   /* a connect failed: neper would exit */
	eh_time failed_at;
	eh_time setup_end;	   /* time of the barrier */
	eh_time setup_utime, setup_stime;
	uint64_t setup_connects, setup_candidates;
	eh_time setup_search;	   /* charged inside the port search during set-up */
};

/* What neper prints, filled when finished (cold) or at any time (steady: the window since reset). */
struct eh_neper {
	double utime_start, utime_end, stime_start, stime_end;
	uint64_t num_transactions, num_samples;
	double latency_min, latency_max, latency_mean, latency_stddev;
	double throughput;
	double time_start, time_end;
};

struct eh_crr *eh_crr_new(struct eh_host *client, struct eh_host *server,
			  const struct eh_workload_config *w, const struct eh_run_config *run);
void eh_crr_free(struct eh_crr *w);
void eh_crr_stats(const struct eh_crr *w, struct eh_crr_stats *st);
/* Forget latencies and snapshots so far: the measured window of a steady run begins now. */
void eh_crr_reset(struct eh_crr *w);
void eh_crr_neper(const struct eh_crr *w, struct eh_neper *n);

#endif
