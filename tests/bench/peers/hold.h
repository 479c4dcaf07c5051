/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hold model for a peer, from C or C++: PENDING events, each of which, when it happens, is due again after
 * an exponential delay with a mean of PENDING nanoseconds, so one happens every nanosecond. Delays are
 * whole picoseconds from a table made before the clock starts; the same table for everybody.
 *
 * main takes PENDING and prints million events per second of CPU time, the best of three stretches of EVENTS
 * behind a first one that is left out.
 */
#ifndef EHSIM_BENCH_HOLD_H
#define EHSIM_BENCH_HOLD_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DELAYS 65536
#define STRETCHES 4

static int64_t delays[DELAYS];
static unsigned next_index;
static long pending, events;

static inline int64_t next_delay(void)
{
	return delays[next_index++ % DELAYS];
}

static void hold_init(int argc, char **argv, long most)
{
	uint64_t x = 88172645463325252u;

	pending = argc > 1 ? atol(argv[1]) : 1000;
	events = most;
	for (int i = 0; i < DELAYS; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		delays[i] = 1 + (int64_t)(-1000.0 * (double)pending * log(((double)(x >> 11) + 0.5) / 9007199254740992.0));
	}
}

static double hold_cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Called with the number of events that have happened, when it is a multiple of `events`. */
static void hold_mark(void)
{
	static double last, best;
	static int n;
	double now = hold_cpu();

	if (n > 1 && (best == 0 || now - last < best))
		best = now - last;
	last = now;
	if (++n > STRETCHES) {
		printf("%.4f\n", 1e-6 * (double)events / best);
		fflush(stdout);
		_Exit(0); /* nobody waits for a peer to tear down */
	}
}

static long happened;

/* Once per event. */
static inline void hold_count(void)
{
	if (++happened == events) {
		happened = 0;
		hold_mark();
	}
}

#endif
