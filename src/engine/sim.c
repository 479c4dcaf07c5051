/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/sim.h>

#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"
#include "jump.h"
#include "queue.h"

#define CACHE_LINE 64
#define STACK_BYTES (64 * 1024)
#define STOPPED INT64_MIN

struct eh_sim *eh_sim_new(uint64_t seed)
{
	size_t size = (sizeof(struct eh_sim) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	struct eh_sim *sim = g_aligned_alloc0(1, size, CACHE_LINE);

	sim->seed = seed;
	eh_sim_mix(sim, seed);
	eh_queue_init(&sim->queue);
	sim->fibers = eh_fiber_pool_new(STACK_BYTES);
	return sim;
}

void eh_sim_free(struct eh_sim *sim)
{
	if (!sim)
		return;
	eh_fiber_pool_free(sim->fibers);
	g_aligned_free(sim);
}

struct eh_fiber_pool *eh_sim_fibers(struct eh_sim *sim)
{
	return sim->fibers;
}

struct eh_fiber *eh_sim_fiber(struct eh_sim *sim, eh_fiber_fn fn, void *arg)
{
	return eh_fiber_new(sim->fibers, fn, arg);
}

void eh_sim_at(struct eh_sim *sim, struct eh_event *ev, eh_time at)
{
	eh_assert(sim, at >= sim->now);
	if (eh_event_pending(ev))
		eh_queue_cancel(&sim->queue, ev);
	eh_queue_insert(&sim->queue, ev, at);
}

void eh_sim_cancel(struct eh_sim *sim, struct eh_event *ev)
{
	eh_queue_cancel(&sim->queue, ev);
}

void eh_sim_stop(struct eh_sim *sim)
{
	sim->limit = sim->turn = STOPPED;
}

/*
 * The host's caches: what the event after this one needs is fetched while this one is at work. With
 * hundreds of CPUs taking turns none of it is in the L1 any more.
 */
eh_always_inline void prefetch_event(const struct eh_event *ev)
{
	const char *around = (const char *)ev; /* whoever waits: see struct eh_cpu */
	const struct eh_fiber *f;

	if (!ev)
		return;
	__builtin_prefetch(around + CACHE_LINE, 1);
	__builtin_prefetch(around + 2 * CACHE_LINE, 1);
	__builtin_prefetch(around + 3 * CACHE_LINE, 1);
	f = ev->fiber;
	if (f)
		eh_fiber_prefetch(f);
}

/* The next event of this run, fired as far as the clock and the fingerprint go. */
static inline struct eh_event *next_event(struct eh_sim *sim)
{
	struct eh_queue *q = &sim->queue;
	struct eh_event *ev;

	/* Nothing is added before the limit if nothing is due: then the clock ends there. */
	if (eh_unlikely(!q->next))
		eh_queue_sharpen(q, sim->limit, sim->limit);
	if (q->next_at > sim->turn || !q->next)
		return NULL;
	ev = eh_queue_pop(q);
	prefetch_event(sim->queue.next);
	sim->now = ev->at;
	sim->events++;
	eh_sim_mix(sim, (uint64_t)ev->at);
	return ev;
}

/*
 * Calls functions on the present stack until a fiber is due: that fiber, or main when the run is
 * over. What a fiber that waits does next, so that no scheduler loop lies between two fibers.
 */
static inline struct eh_fiber *next_fiber(struct eh_sim *sim)
{
	struct eh_event *ev;

	while ((ev = next_event(sim))) {
		if (!ev->fn)
			return ev->fiber;
		ev->fn(ev);
	}
	return &sim->fibers->main;
}

static inline __attribute__((always_inline)) void give_up(struct eh_sim *sim)
{
	struct eh_fiber_pool *pool = sim->fibers;
	struct eh_fiber *self = pool->current;
	struct eh_fiber *to = next_fiber(sim);

	if (to == self)
		return;
	eh_assert(sim, !to->finished);
	eh_fiber_jump(pool, self, to);
}

__attribute__((noinline)) void eh_sim_run(struct eh_sim *sim, eh_time until)
{
	struct eh_fiber_pool *pool = sim->fibers;
	struct eh_fiber *to;

	eh_assert(sim, pool->current == &pool->main);
	eh_assert(sim, until >= sim->now);
	sim->limit = sim->turn = until;
	/* Main is resumed when the run is over, and also when a fiber finishes. */
	while ((to = next_fiber(sim)) != &pool->main) {
		eh_assert(sim, !to->finished);
		eh_fiber_jump(pool, &pool->main, to);
	}
	if (sim->limit != STOPPED)
		sim->now = until;
}

/* Fibers find nothing that is due and come back here after each event. */
void eh_sim_run_watched(struct eh_sim *sim, eh_time until, eh_watch_fn watch, void *arg)
{
	struct eh_fiber_pool *pool = sim->fibers;
	struct eh_event *ev;

	eh_assert(sim, pool->current == &pool->main);
	eh_assert(sim, until >= sim->now);
	sim->limit = sim->turn = until;
	while ((ev = next_event(sim))) {
		struct eh_fiber *to = ev->fiber;

		sim->turn = STOPPED;
		if (ev->fn) {
			ev->fn(ev);
		} else {
			eh_assert(sim, !to->finished);
			eh_fiber_jump(pool, &pool->main, to);
		}
		watch(ev, arg);
		sim->turn = sim->limit;
	}
	if (sim->limit != STOPPED)
		sim->now = until;
}

__attribute__((noinline)) void eh_sim_wait_switch(struct eh_sim *sim, struct eh_event *ev,
						  eh_time at)
{
	eh_assert(sim, at >= sim->now && !eh_event_pending(ev));
	eh_assert(sim, sim->fibers->current != &sim->fibers->main);
	eh_queue_insert(&sim->queue, ev, at);
	give_up(sim);
}

__attribute__((noinline)) void eh_sim_park(struct eh_sim *sim)
{
	eh_assert(sim, sim->fibers->current != &sim->fibers->main);
	give_up(sim);
}

_Noreturn void eh_assert_failed(const struct eh_sim *sim, const char *cond, const char *file,
				int line)
{
	fflush(stdout);
	fprintf(stderr, "%s:%d: impossible state: %s", file, line, cond);
	if (sim)
		fprintf(stderr, " (at %" PRId64 ".%06" PRId64 " us, event %" PRIu64 ")",
			sim->now / EH_US, sim->now % EH_US, sim->events);
	fputc('\n', stderr);
	abort();
}
