/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From counters of a world to the metrics of a point. */
#ifndef EHSIM_SCENARIO_MEASURE_H
#define EHSIM_SCENARIO_MEASURE_H

#include "world.h"

#include <ehsim/inet_hash.h>
#include <ehsim/tcp.h>

/* Everything that grows, read at one instant. */
struct eh_reading {
	eh_time at;
	struct eh_crr_stats crr;
	struct eh_search_stats search;
	struct eh_lab_stats lab;
	eh_time charged[2][EH_SYM_COUNT]; /* client, server; the one host of the laboratory */
	uint64_t accesses, transfers;
	struct eh_tcp_counts tcp[2];
	/* tcp_stream */
	uint64_t bytes;
	eh_time reader[EH_SYM_COUNT]; /* of `charged`, on CPUs whose threads read */
};

/* What grew in each batch; arrays of double. */
struct eh_batches {
	GArray *length, *transactions, *candidates, *ended, *searches, *search_ns, *stime, *utime;
	GArray *operations, *thread_ns, *acquisitions, *contentions, *waited, *transfers;
	GArray *binds, *bind_ns;
	GArray *allocs, *frees, *alloc_ns, *free_ns;
	GArray *lookups, *lookup_ns, *bytes, *stack_ns; /* of transfer */
	GArray *count[EH_LAB_COUNTS]; /* of a laboratory kind */
	int threads;		      /* of one, too */
	bool streams; /* transactions are Mbit */
};

void eh_reading_take(struct eh_reading *r, const struct eh_world *w);
void eh_batches_init(struct eh_batches *b);
void eh_batches_clear(struct eh_batches *b);
void eh_batches_add(struct eh_batches *b, const struct eh_reading *from, const struct eh_reading *to);
/* The interval of a metric that run.until may name; false for any other. */
bool eh_batches_metric(const struct eh_batches *b, const char *metric, struct eh_interval *i);
/* The metric batch by batch, doubles, newly allocated; NULL where it has no number. */
GArray *eh_batches_series(const struct eh_batches *b, const char *metric);
/* a[i] / b[i] */
struct eh_interval eh_batches_ratio(const GArray *a, const GArray *b);
/* The metric of a point: that ratio times a factor. */
void eh_measure_ratio(struct eh_point *p, const char *name, const GArray *a, const GArray *b,
		      double factor);

/* Metrics of a window [from, to) measured in batches; of a whole run from the start; of a set-up. */
void eh_measure_window(struct eh_point *p, const struct eh_values *v, const struct eh_batches *b,
		       const struct eh_reading *from, const struct eh_reading *to);
void eh_measure_whole(struct eh_point *p, const struct eh_values *v, const struct eh_world *w,
		      const struct eh_reading *to);
/* How many ports and connections (operations) the accounts of a window are for. */
void eh_measure_where(struct eh_point *p, const struct eh_batches *b, const struct eh_reading *from,
		      const struct eh_reading *to);
/* Of tcp_stream, beside those of the window (measure_stream.c): who reads, and what with. */
void eh_reading_stream(struct eh_reading *r, const struct eh_world *w);
void eh_measure_stream(struct eh_point *p, const struct eh_reading *from, const struct eh_reading *to);
void eh_measure_setup(struct eh_point *p, const struct eh_reading *to);
/* Drops, retransmissions, TIME_WAIT: what there was of it (measure_tcp.c). */
void eh_measure_tcp(struct eh_point *p, const struct eh_world *w, const struct eh_reading *from,
		    const struct eh_reading *to);
/* Of a sampled run: widens the intervals of these metrics by what sampling adds. Last. */
void eh_measure_sample(struct eh_point *p, const struct eh_world *w, const struct eh_reading *from,
		       const struct eh_reading *to);
void eh_measure_profiles(struct eh_point *p, const struct eh_reading *from,
			 const struct eh_reading *to);
/*
 * Locks, lines and queues of a window (measure_queues.c, measure_lines.c): begins now; ends now with the
 * rows that the point wants, after a check of Little's law for every queue of the world.
 */
struct eh_queues;
/* The kmem caches of a host in a window (measure_slabs.c); eh_queues_begin and _end call them. */
GArray *eh_slabs_begin(const struct eh_world *w, int host);
void eh_slabs_end(GArray *from, const struct eh_world *w, int host, struct eh_point *p);
struct eh_queues *eh_queues_begin(const struct eh_world *w);
void eh_queues_end(struct eh_queues *from, const struct eh_world *w, struct eh_point *p);
/*
 * RCU of a window (measure_rcu.c): begins now, and peaks and lengths with it; ends with the table, and the
 * metrics of workload.kind rcu.
 */
struct eh_rcu_window;
struct eh_rcu_window *eh_rcu_window_begin(const struct eh_world *w);
void eh_rcu_window_end(struct eh_rcu_window *from, const struct eh_world *w, const struct eh_values *v,
		       struct eh_point *p);
/* How candidates per connect and, of whole runs, latencies spread (measure_spread.c). Not of the laboratory. */
void eh_spread_begin(const struct eh_world *w);
void eh_spread_end(const struct eh_world *w, struct eh_point *p);
/*
 * What changes in the course of a window (measure_courses.c), with a look every `period` at most: NULL unless the
 * point wants it.
 */
struct eh_courses;
struct eh_courses *eh_courses_begin(const struct eh_world *w, const struct eh_point *p, eh_time period);
void eh_courses_look(struct eh_courses *c, const struct eh_world *w);
void eh_courses_end(struct eh_courses *c, const struct eh_world *w, struct eh_point *p);
/* Who holds and who waits for locks in the window of a trace (measure_holds.c). */
void eh_holds_begin(const struct eh_world *w, eh_time from, eh_time until);
void eh_holds_end(const struct eh_world *w, struct eh_point *p);
/* Latencies of a window's transactions, as far as those were followed: spread and percentiles. Once. */
void eh_measure_latencies(const struct eh_world *w, struct eh_point *p);
void eh_lines_start(const struct eh_world *w); /* before the run: counts from here on */
void eh_lines_begin(const struct eh_world *w);
void eh_lines_end(const struct eh_world *w, struct eh_point *p);
/*
 * Where the time went (measure_where.c): accounts are kept from the start on, before the run; a window
 * begins, and ends with the point's rows after a check that they add up.
 */
struct eh_where;
void eh_where_start(const struct eh_world *w);
struct eh_where *eh_where_begin(const struct eh_world *w);
void eh_where_end(struct eh_where *from, const struct eh_world *w, struct eh_point *p);

/*
 * The laboratory (measure_lab.c). `before`: operations of each thread when the window began, from
 * eh_lab_counts.
 */
GArray *eh_lab_counts(const struct eh_lab *lab); /* uint64_t by thread, newly allocated */
/* The metric as a ratio of two sums times a factor; false if a run cannot wait for it. */
bool eh_batches_lab_sums(const struct eh_batches *b, const char *metric, const GArray **of,
			 const GArray **per, double *factor);
bool eh_batches_lab_metric(const struct eh_batches *b, const char *metric, struct eh_interval *i);
void eh_measure_lab(struct eh_point *p, const struct eh_values *v, const struct eh_lab *lab,
		    const struct eh_batches *b, const GArray *before);
/* Of transfer (measure_transfer.c): kernel time that is not the timer's, not the file's; metrics, and why. */
eh_time eh_transfer_stack_time(const eh_time charged[EH_SYM_COUNT]);
void eh_measure_transfer(struct eh_point *p, const struct eh_values *v, const struct eh_batches *b,
			 const struct eh_reading *from, const struct eh_reading *to);
void eh_measure_neper(struct eh_point *p, const struct eh_values *v, const struct eh_world *w);

#endif
