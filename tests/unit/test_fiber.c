/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fibers: very many of them, deep stacks, registers kept over a switch, the guard page, and what
 * becomes of stacks and of fibers that never finish.
 */
#include <ehsim/fiber.h>
#include <ehsim/sim.h>
#include <ehsim/stream.h>

#include <glib.h>
#include <signal.h>

#include "suite.h"

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN 1 /* it turns signals into reports */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#endif
#endif

/* --- many fibers --- */

struct walker {
	struct eh_event ev;
	struct eh_sim *sim;
	gsl_rng *r;
	uint64_t *visits;
};

static void walk(void *arg)
{
	struct walker *w = arg;

	for (;;) {
		++*w->visits;
		eh_sim_wait(w->sim, &w->ev, eh_sim_now(w->sim) + (eh_time)eh_stream_below(w->r, 999));
	}
}

/* In one go, or a picosecond at a time: then no wait returns without a switch. */
static uint64_t walk_all(int n, uint64_t seed, bool in_one_go, uint64_t *visits, uint64_t *events)
{
	struct eh_sim *sim = eh_sim_new(seed);
	struct walker *w = g_new0(struct walker, n);
	uint64_t fingerprint;

	*visits = 0;
	for (int i = 0; i < n; i++) {
		w[i] = (struct walker){.sim = sim, .visits = visits, .r = eh_stream_new(seed, "walk")};
		w[i].ev.fiber = eh_sim_fiber(sim, walk, &w[i]);
		eh_sim_at(sim, &w[i].ev, i);
	}
	if (in_one_go)
		eh_sim_run(sim, 20000);
	else
		for (eh_time t = 0; t <= 20000; t++)
			eh_sim_run(sim, t);
	fingerprint = eh_sim_fingerprint(sim);
	*events = eh_sim_events(sim);
	eh_sim_free(sim);
	for (int i = 0; i < n; i++)
		gsl_rng_free(w[i].r);
	g_free(w);
	return fingerprint;
}

START_TEST(a_thousand_fibers)
{
	static const int fibers[] = {1, 2, 3, 1000};
	static const uint64_t golden[] = {10717582882306265072u, 9112710008303011375u,
					  11455637678994539473u, 9968781061198104606u};
	uint64_t v1, v2, v3, e1, e2, e3;
	uint64_t once = walk_all(fibers[_i], 1, true, &v1, &e1);
	uint64_t again = walk_all(fibers[_i], 1, false, &v2, &e2);
	uint64_t other = walk_all(fibers[_i], 2, true, &v3, &e3);

	/* A wait that returns at once counts as an event like one that switches. */
	ck_assert_uint_eq(v1, e1);
	ck_assert_uint_eq(v1, v2);
	ck_assert_uint_eq(e1, e2);
	ck_assert_uint_eq(once, again);
	ck_assert_uint_eq(once, golden[_i]);
	ck_assert_uint_ne(once, other);
}
END_TEST

static int deep(struct eh_sim *sim, struct eh_event *ev, int depth)
{
	volatile char frame[256];

	frame[0] = (char)depth;
	if (depth == 0)
		eh_sim_wait(sim, ev, eh_sim_now(sim) + 5);
	else
		depth = deep(sim, ev, depth - 1) + 1;
	return depth + (frame[0] & 0);
}

static void diver(void *arg)
{
	struct walker *w = arg;

	*w->visits = (uint64_t)deep(w->sim, &w->ev, 100);
}

START_TEST(deep_stacks)
{
	struct eh_sim *sim = eh_sim_new(1);
	struct walker w[2];
	uint64_t depth[2];

	for (int i = 0; i < 2; i++) {
		w[i] = (struct walker){.sim = sim, .visits = &depth[i]};
		w[i].ev.fiber = eh_sim_fiber(sim, diver, &w[i]);
		eh_sim_at(sim, &w[i].ev, 0);
	}
	eh_sim_run(sim, 10);
	ck_assert_uint_eq(depth[0], 100);
	ck_assert_uint_eq(depth[1], 100);
	eh_sim_free(sim);
}
END_TEST

static void overflow(void *arg)
{
	struct walker *w = arg;

	*w->visits = (uint64_t)deep(w->sim, &w->ev, 10000);
}

/* The guard page turns running off the stack into a fault at once. */
START_TEST(guard_page)
{
	struct eh_sim *sim = eh_sim_new(1);
	uint64_t depth = 0;
	struct walker w = {.sim = sim, .visits = &depth};

	w.ev.fiber = eh_sim_fiber(sim, overflow, &w);
	eh_sim_at(sim, &w.ev, 0);
	eh_sim_run(sim, 10);
}
END_TEST

/* Values kept in registers and on the stack over a switch, with the pool alone. */
struct pair {
	struct eh_fiber_pool *pool;
	struct eh_fiber *peer;
	double sum;
};

static void adder(void *arg)
{
	struct pair *p = arg;
	double x = 0.5, y = 0.25;
	unsigned int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7;

	for (int i = 0; i < 1000; i++) {
		eh_fiber_switch(p->pool, p->peer);
		a += b, b += c, c += d, d += e, e += f, f += g, g++;
		x += y;
	}
	p->sum = x + (a & 1) + (b & 1) + (c & 1) + (d & 1) + (e & 1) + (f & 1) + g;
}

START_TEST(pool_alone)
{
	struct eh_fiber_pool *pool = eh_fiber_pool_new(0);
	struct pair one = {.pool = pool}, two = {.pool = pool};
	struct eh_fiber *f1 = eh_fiber_new(pool, adder, &one);
	struct eh_fiber *f2 = eh_fiber_new(pool, adder, &two);

	one.peer = f2;
	two.peer = f1;
	ck_assert_ptr_eq(eh_fiber_current(pool), eh_fiber_main(pool));
	eh_fiber_switch(pool, f1);
	ck_assert_ptr_eq(eh_fiber_current(pool), eh_fiber_main(pool));
	ck_assert(eh_fiber_finished(f1) && !eh_fiber_finished(f2));
	eh_fiber_switch(pool, f2);
	ck_assert(eh_fiber_finished(f2));
	ck_assert(one.sum == two.sum && one.sum > 1000 + 0.5 + 250);
	/* Stacks are used again; fibers that never ran are released too. */
	for (int i = 0; i < 40; i++)
		eh_fiber_new(pool, adder, &one);
	eh_fiber_pool_free(pool);
}
END_TEST

static void short_life(void *arg)
{
	++*(int *)arg;
}

START_TEST(stacks_are_used_again)
{
	struct eh_fiber_pool *pool = eh_fiber_pool_new(1 << 20);
	int lives = 0;

	for (int i = 0; i < 100000; i++) /* 100 GB if they were not */
		eh_fiber_switch(pool, eh_fiber_new(pool, short_life, &lives));
	ck_assert_int_eq(lives, 100000);
	eh_fiber_pool_free(pool);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fiber");
	TCase *fiber = tcase_create("fiber");

	tcase_add_loop_test(fiber, a_thousand_fibers, 0, 4);
	tcase_add_test(fiber, deep_stacks);
#ifdef UNDER_ASAN
	(void)guard_page;
#else
	tcase_add_test_raise_signal(fiber, guard_page, SIGSEGV);
#endif
	tcase_add_test(fiber, pool_alone);
	tcase_add_test(fiber, stacks_are_used_again);
	tcase_set_timeout(fiber, 60);
	suite_add_tcase(suite, fiber);

	return run_suite(suite);
}
