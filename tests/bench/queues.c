/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pending-event set in the shapes that matter here: the hold model (take the earliest, add it
 * again after an exponential delay), also far denser than the events of simulated CPUs are; a few
 * busy events among very many timers that never fire; timers that are pushed back before they fire.
 */
#include "bench.h"

#include <ehsim/stream.h>

#include <glib.h>
#include <stdio.h>

#include "rivals.h"

#define SPACING 1000.0 /* mean picoseconds between two events */
#define SHORT 256
#define PER_ADVANCE 64
#define STRIDE 389 /* timers are pushed back in no order */

struct state {
	const struct bench_rival *kind;
	void *queue;
	struct bench_item *item;
	eh_time now, *delay;
	unsigned next_delay;
	size_t n, next_item;
	uint64_t operations;
};

static inline eh_time next_delay(struct state *s)
{
	return s->delay[s->next_delay++ % BENCH_DELAYS];
}

/* About 200 ms, each a little different. */
static eh_time timeout(struct state *s)
{
	return 200 * EH_MS + 1000 * next_delay(s);
}

static struct state *state_new(const struct bench_rival *kind, size_t n, double mean_delay)
{
	struct state *s = g_new0(struct state, 1);

	s->kind = kind;
	s->n = n;
	s->item = g_new0(struct bench_item, n);
	s->queue = kind->create(n);
	s->delay = bench_exponential(mean_delay);
	s->operations = MAX(200000, n);
	return s;
}

static void state_free(struct state *s)
{
	s->kind->destroy(s->queue);
	g_free(s->item);
	g_free(s->delay);
	g_free(s);
}

static uint64_t hold(void *arg)
{
	struct state *s = arg;

	for (uint64_t i = 0; i < s->operations; i++) {
		struct bench_item *it = s->kind->take(s->queue);

		s->kind->add(s->queue, it, it->ev.at + next_delay(s));
	}
	return s->operations;
}

/* One busy event moves the clock while the others are pushed back in turn. */
static uint64_t rearm(void *arg)
{
	struct state *s = arg;

	for (uint64_t i = 0; i < s->operations; i++) {
		struct bench_item *it = &s->item[s->next_item];

		s->next_item = 1 + (s->next_item + STRIDE) % (s->n - 1);
		s->kind->cancel(s->queue, it);
		s->kind->add(s->queue, it, s->now + timeout(s));
		if (i % PER_ADVANCE == 0) {
			it = s->kind->take(s->queue);
			s->now = it->ev.at;
			s->kind->add(s->queue, it, s->now + next_delay(s));
		}
	}
	return s->operations;
}

static void compare(const char *what, size_t n, double mean_delay, void (*fill)(struct state *s),
		    bench_fn fn)
{
	double ours = 0;

	for (int i = 0; i < BENCH_RIVALS; i++) {
		struct state *s = state_new(&bench_rivals[i], n, mean_delay);
		double best;

		fill(s);
		fn(s); /* what was filled in lies in memory in the order of adding */
		best = bench_best(fn, s);
		if (i == 0)
			ours = best;
		bench_line(what, s->kind->name, 1e-6 / best, "M events/s", i == 0 ? 0 : best / ours,
			   "slower");
		state_free(s);
	}
}

static void fill_hold(struct state *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->kind->add(s->queue, &s->item[i], next_delay(s));
}

/* Far timers between 1 and 100 s, in no order; the run does not get that far. */
static void fill_far(struct state *s)
{
	gsl_rng *r = eh_stream_new(1, "far");

	for (size_t i = 0; i < s->n; i++) {
		eh_time at = next_delay(s);

		if (i >= SHORT)
			at = EH_SEC + (eh_time)eh_stream_below(r, 99 * EH_SEC);
		s->kind->add(s->queue, &s->item[i], at);
	}
	s->operations = 200000;
	gsl_rng_free(r);
}

static void fill_rearm(struct state *s)
{
	s->kind->add(s->queue, &s->item[0], 0);
	for (size_t i = 1; i < s->n; i++)
		s->kind->add(s->queue, &s->item[i], timeout(s));
	s->next_item = 1;
}

void bench_queues(void)
{
	char what[64];

	for (size_t n = 100; n <= 1000000; n *= 10) {
		snprintf(what, sizeof(what), "hold, %zu pending", n);
		compare(what, n, SPACING * (double)n, fill_hold, hold);
	}
	compare("hold, 1000 pending, one per ps", 1000, 1000, fill_hold, hold);
	for (size_t n = 1000; n <= 1000000; n *= 1000) {
		snprintf(what, sizeof(what), "%d short among %zu far", SHORT, n);
		compare(what, n + SHORT, SPACING * SHORT, fill_far, hold);
	}
	compare("re-arm a timer, 1000 pending", 1000, 64 * SPACING, fill_rearm, rearm);
}
