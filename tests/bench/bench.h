/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How fast the simulator is. One file per topic, one row in bench.c's table. A topic prints its own
 * lines through bench_line, so that all columns meet; figures are the best of several repetitions
 * in CPU time, since the machine may be shared.
 */
#ifndef EHSIM_BENCH_H
#define EHSIM_BENCH_H

#include <stdint.h>

/* Does some work and returns how many operations that was. */
typedef uint64_t (*bench_fn)(void *arg);

/* Seconds per operation, best repetition of a dozen or of about half a second. */
double bench_best(bench_fn fn, void *arg);

/* One line: what was measured on which of the candidates, and how it compares (ratio 0: not). */
void bench_line(const char *what, const char *which, double value, const char *unit, double ratio,
		const char *of);

/* Exponential delays with the given mean, rounded to picoseconds: BENCH_DELAYS of them. */
#define BENCH_DELAYS 65536
int64_t *bench_exponential(double mean); /* free with g_free */

/* The topics. */
void bench_queues(void);
void bench_fibers(void);
void bench_ports(void);

#endif
