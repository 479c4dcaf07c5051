/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fibers: the bare switch, resuming through the event queue, and running ahead without a switch. */
#include "bench.h"

#include <ehsim/fiber.h>
#include <ehsim/sim.h>

#include <glib.h>
#include <stdio.h>

#define ROUNDS 2000000
#define SPACING 1000.0 /* mean picoseconds between two events */

/* --- a ring in which each fiber switches to the next, main being one of them --- */

struct ring {
	struct eh_fiber_pool *pool;
	struct eh_fiber *to; /* whom this one switches to */
};

static void pass_on(void *arg)
{
	struct ring *link = arg;

	for (;;)
		eh_fiber_switch(link->pool, link->to);
}

struct ring_run {
	struct ring main;
	uint64_t fibers;
};

static uint64_t turn(void *arg)
{
	struct ring_run *run = arg;
	uint64_t rounds = ROUNDS / run->fibers;

	for (uint64_t i = 0; i < rounds; i++)
		eh_fiber_switch(run->main.pool, run->main.to);
	return rounds * (run->fibers + 1);
}

static void bench_switch(int fibers)
{
	struct eh_fiber_pool *pool = eh_fiber_pool_new(0);
	struct ring *link = g_new0(struct ring, fibers);
	struct ring_run run = {.main.pool = pool, .fibers = (uint64_t)fibers};
	struct eh_fiber *to = eh_fiber_main(pool);
	char what[64];

	for (int i = 0; i < fibers; i++) {
		link[i] = (struct ring){pool, to};
		to = eh_fiber_new(pool, pass_on, &link[i]);
	}
	run.main.to = to;
	snprintf(what, sizeof(what), "switch, main and %d", fibers);
	bench_line(what, "bare", 1e9 * bench_best(turn, &run), "ns", 0, "");
	eh_fiber_pool_free(pool);
	g_free(link);
}

/* --- fibers that wait for exponential times --- */

struct waiter {
	struct eh_event ev;
	struct eh_sim *sim;
	const eh_time *delay;
	unsigned next;
};

static void wait_for_ever(void *arg)
{
	struct waiter *w = arg;

	for (;;)
		eh_sim_wait(w->sim, &w->ev,
			    eh_sim_now(w->sim) + w->delay[w->next++ % BENCH_DELAYS]);
}

static uint64_t run_on(void *arg)
{
	struct eh_sim *sim = arg;
	uint64_t before = eh_sim_events(sim);

	eh_sim_run(sim, eh_sim_now(sim) + (eh_time)(ROUNDS / 2 * SPACING));
	return eh_sim_events(sim) - before;
}

/* Among timers between 1 and 100 s, which never fire here. */
static void bench_wait(int fibers, int timers)
{
	struct eh_sim *sim = eh_sim_new(1);
	struct waiter *w = g_new0(struct waiter, fibers);
	struct eh_event *timer = g_new0(struct eh_event, timers);
	eh_time *delay = bench_exponential(SPACING * fibers);
	char what[64];

	for (int i = 0; i < fibers; i++) {
		w[i] = (struct waiter){.sim = sim, .delay = delay, .next = (unsigned)i * 7919};
		w[i].ev.fiber = eh_sim_fiber(sim, wait_for_ever, &w[i]);
		eh_sim_at(sim, &w[i].ev, delay[i % BENCH_DELAYS]);
	}
	for (int i = 0; i < timers; i++)
		eh_sim_at(sim, &timer[i], EH_SEC + 99 * EH_SEC / timers * i);
	snprintf(what, sizeof(what), "resume, %d waiting, %d timers", fibers, timers);
	bench_line(what, fibers == 1 ? "runs ahead" : "eh_sim_wait", 1e9 * bench_best(run_on, sim),
		   "ns", 0, "");
	eh_sim_free(sim);
	g_free(delay);
	g_free(timer);
	g_free(w);
}

void bench_fibers(void)
{
	static const int waiting[] = {1, 100, 200, 1000, 10000};

	bench_switch(1);
	bench_switch(100);
	for (size_t i = 0; i < G_N_ELEMENTS(waiting); i++)
		bench_wait(waiting[i], 0);
	bench_wait(1, 1000000);
	bench_wait(2, 1000000);
	bench_wait(200, 1000000);
}
