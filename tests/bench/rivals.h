/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The queue of src/engine and what one would take instead, behind one set of calls: every kind is
 * called through pointers, so none is helped by inlining.
 */
#ifndef EHSIM_BENCH_RIVALS_H
#define EHSIM_BENCH_RIVALS_H

#include <ehsim/sim.h>

struct bench_item {
	struct eh_event ev; /* ev.at is the time for every kind */
	uint64_t seq;
	size_t index; /* in the heap */
};

struct bench_rival {
	const char *name;
	void *(*create)(size_t max);
	void (*destroy)(void *queue);
	void (*add)(void *queue, struct bench_item *it, eh_time at);
	struct bench_item *(*take)(void *queue);
	void (*cancel)(void *queue, struct bench_item *it);
};

#define BENCH_RIVALS 3
extern const struct bench_rival bench_rivals[BENCH_RIVALS]; /* ours first */

#endif
