/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/engine: the order of events against a sorted reference, edges of the clock, waiting, waking,
 * stopping. Fibers alone are in test_fiber.c, random streams in test_stream.c.
 */
#include <ehsim/fiber.h>
#include <ehsim/sim.h>
#include <ehsim/stream.h>

#include <glib.h>
#include <signal.h>
#include <string.h>

#include "suite.h"

#define ROW(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* --- the queue against a reference: an array searched for the smallest (time, sequence) --- */

#define MANY 300

struct item {
	struct eh_event ev;
	uint64_t seq;
	bool pending;
};

struct reference {
	struct item item[MANY];
	uint64_t seq;
	eh_time now;
	int pending;
};

static struct item *reference_first(struct reference *ref)
{
	struct item *first = NULL;

	for (int i = 0; i < MANY; i++) {
		struct item *it = &ref->item[i];

		if (it->pending && (!first || it->ev.at < first->ev.at ||
				    (it->ev.at == first->ev.at && it->seq < first->seq)))
			first = it;
	}
	return first;
}

/* Delays of every size, many of them equal. */
static eh_time some_delay(gsl_rng *r)
{
	uint64_t bits = eh_stream_below(r, 50);

	switch (eh_stream_below(r, 4)) {
	case 0:
		return 0;
	case 1:
		return (eh_time)eh_stream_below(r, 4) << bits;
	case 2:
		return (eh_time)eh_stream_below(r, 5000);
	default:
		return (eh_time)eh_stream_below(r, UINT64_C(1) << bits);
	}
}

static void reference_add(struct reference *ref, struct eh_queue *q, struct item *it, eh_time at)
{
	eh_queue_add(q, &it->ev, at);
	it->pending = true;
	it->seq = ref->seq++;
	ref->pending++;
}

static void reference_drop(struct reference *ref, struct item *it)
{
	it->pending = false;
	ref->pending--;
}

/* Take with a limit, check against the reference, let time pass to the limit if nothing is due. */
static void compare_take(struct reference *ref, struct eh_queue *q, eh_time limit)
{
	struct item *want = reference_first(ref);
	struct eh_event *got = eh_queue_take(q, limit);

	if (!want || want->ev.at > limit) {
		ck_assert_ptr_null(got);
		ref->now = limit;
		return;
	}
	ck_assert_ptr_eq(got, &want->ev);
	ck_assert(!eh_event_pending(got));
	reference_drop(ref, want);
	ref->now = want->ev.at;
}

/* The bound never lies behind the earliest time, and tells exactly whether anything is due. */
static void compare_bound(struct reference *ref, struct eh_queue *q, eh_time at)
{
	struct item *first = reference_first(ref);
	eh_time truth = first ? first->ev.at : EH_TIME_NEVER;
	eh_time bound = eh_queue_bound(q, at, ref->now);

	ck_assert_int_le(bound, truth);
	ck_assert_int_eq(bound <= at, truth <= at);
}

START_TEST(queue_agrees_with_reference)
{
	gsl_rng *r = eh_stream_new((uint64_t)_i, "queue");
	struct eh_queue *q = eh_queue_new();
	struct reference *ref = g_new0(struct reference, 1);
	int crowd = 1 + (int)eh_stream_below(r, MANY);

	for (int step = 0; step < 4000; step++) {
		struct item *it = &ref->item[eh_stream_below(r, (uint64_t)crowd)];

		switch (eh_stream_below(r, 8)) {
		case 0:
			eh_queue_cancel(q, &it->ev);
			if (it->pending)
				reference_drop(ref, it);
			break;
		case 1: /* re-arm */
			eh_queue_cancel(q, &it->ev);
			if (it->pending)
				reference_drop(ref, it);
			reference_add(ref, q, it, ref->now + some_delay(r));
			break;
		case 2:
		case 3:
		case 4:
			if (!it->pending)
				reference_add(ref, q, it, ref->now + some_delay(r));
			break;
		case 5:
			compare_bound(ref, q, ref->now + some_delay(r));
			break;
		case 6:
			compare_take(ref, q, ref->now + some_delay(r));
			break;
		default:
			if (ref->pending > 0)
				compare_take(ref, q, EH_TIME_NEVER);
		}
		ck_assert_int_eq((int)eh_queue_count(q), ref->pending);
	}
	while (ref->pending > 0)
		compare_take(ref, q, EH_TIME_NEVER);
	ck_assert_ptr_null(eh_queue_take(q, EH_TIME_NEVER));
	g_free(ref);
	eh_queue_free(q);
	gsl_rng_free(r);
}
END_TEST

/* One picosecond, one per digit, and the edges between digits. */
static const eh_time distance[] = {
	0, 1, 63, 64, 65, 4095, 4096, 262144, EH_US, 16777216, EH_MS, EH_SEC, 3600 * EH_SEC,
	INT64_C(1) << 60, (INT64_C(1) << 60) + 1,
};

START_TEST(equal_times_keep_their_order)
{
	struct eh_queue *q = eh_queue_new();
	struct eh_event ev[40], stepping = {0};
	eh_time at = distance[_i], step = 0;

	memset(ev, 0, sizeof(ev));
	/* Half of them now, the others one by one as the clock moves closer: other levels. */
	for (int i = 0; i < 20; i++)
		eh_queue_add(q, &ev[i], at);
	for (int i = 20; i < 40; i++) {
		step += (at - step) / 2;
		eh_queue_add(q, &stepping, step);
		if (step < at)
			ck_assert_ptr_eq(eh_queue_take(q, at), &stepping);
		else
			eh_queue_cancel(q, &stepping);
		eh_queue_add(q, &ev[i], at);
	}
	for (int i = 0; i < 40; i++) {
		ck_assert_int_eq(eh_queue_bound(q, at, step), at);
		ck_assert_ptr_null(eh_queue_take(q, at - 1));
		ck_assert_ptr_eq(eh_queue_take(q, at), &ev[i]);
	}
	ck_assert_int_eq(eh_queue_bound(q, at, at), EH_TIME_NEVER);
	eh_queue_free(q);
}
END_TEST

START_TEST(cancel_at_every_level)
{
	struct eh_event ev[3];
	eh_time at = distance[_i];

	memset(ev, 0, sizeof(ev));
	for (int gone = 0; gone < 3; gone++) {
		struct eh_queue *q = eh_queue_new();

		for (int i = 0; i < 3; i++)
			eh_queue_add(q, &ev[i], at);
		eh_queue_cancel(q, &ev[gone]);
		ck_assert(!eh_event_pending(&ev[gone]));
		eh_queue_cancel(q, &ev[gone]); /* no-op */
		for (int i = 0; i < 3; i++)
			if (i != gone)
				ck_assert_ptr_eq(eh_queue_take(q, at), &ev[i]);
		ck_assert_uint_eq(eh_queue_count(q), 0);
		eh_queue_free(q);
	}
}
END_TEST

START_TEST(add_between_limit_and_next)
{
	struct eh_queue *q = eh_queue_new();
	struct eh_event far[2], near = {0};

	memset(far, 0, sizeof(far));
	for (eh_time limit = 1; limit < EH_SEC; limit *= 3) {
		eh_queue_add(q, &far[0], 2 * EH_SEC + 1);
		eh_queue_add(q, &far[1], 2 * EH_SEC);
		ck_assert_ptr_null(eh_queue_take(q, limit));
		eh_queue_add(q, &near, limit + 1);
		ck_assert_ptr_null(eh_queue_take(q, limit));
		ck_assert_ptr_eq(eh_queue_take(q, limit + 1), &near);
		eh_queue_cancel(q, &far[0]);
		eh_queue_cancel(q, &far[1]);
	}
	eh_queue_free(q);
}
END_TEST

/* --- the simulation --- */

struct tick {
	struct eh_event ev;
	struct eh_sim *sim;
	GString *log;
	char name;
	eh_time again;
	int left;
};

static void tick(struct eh_event *ev)
{
	struct tick *t = eh_container_of(ev, struct tick, ev);

	g_string_append_printf(t->log, "%c%d ", t->name, (int)eh_sim_now(t->sim));
	if (--t->left > 0)
		eh_sim_at(t->sim, &t->ev, eh_sim_now(t->sim) + t->again);
}

START_TEST(functions_fire_in_order)
{
	struct eh_sim *sim = eh_sim_new(1);
	GString *log = g_string_new(NULL);
	struct tick a = {{.fn = tick}, sim, log, 'a', 10, 4};
	struct tick b = {{.fn = tick}, sim, log, 'b', 0, 3}; /* again at the current time */
	struct tick c = {{.fn = tick}, sim, log, 'c', 10, 1};

	eh_sim_at(sim, &a.ev, 10);
	eh_sim_at(sim, &b.ev, 20);
	eh_sim_at(sim, &c.ev, 5);
	eh_sim_at(sim, &c.ev, 20); /* re-armed: now behind b */
	eh_sim_run(sim, 30);
	ck_assert_str_eq(log->str, "a10 b20 c20 a20 b20 b20 a30 ");
	ck_assert_int_eq(eh_sim_now(sim), 30);
	ck_assert_uint_eq(eh_sim_events(sim), 7);
	eh_sim_run(sim, 39);
	ck_assert_int_eq(eh_sim_now(sim), 39);
	eh_sim_run(sim, 40);
	ck_assert_str_eq(log->str, "a10 b20 c20 a20 b20 b20 a30 a40 ");
	g_string_free(log, TRUE);
	eh_sim_free(sim);
}
END_TEST

struct actor {
	struct eh_event ev;
	struct eh_sim *sim;
	GString *log;
	char name;
	eh_time step;
	int left;
	struct actor *wakes;
};

static void actor_new(struct actor *a, eh_fiber_fn fn)
{
	a->ev.fiber = eh_sim_fiber(a->sim, fn, a);
}

static void say(struct actor *a)
{
	g_string_append_printf(a->log, "%c%d ", a->name, (int)eh_sim_now(a->sim));
}

static void stepper(void *arg)
{
	struct actor *a = arg;

	while (a->left-- > 0) {
		say(a);
		eh_sim_wait(a->sim, &a->ev, eh_sim_now(a->sim) + a->step);
	}
	g_string_append_printf(a->log, "%c. ", a->name);
}

START_TEST(fibers_wait_in_order)
{
	struct eh_sim *sim = eh_sim_new(1);
	GString *log = g_string_new(NULL);
	struct actor a = {.sim = sim, .log = log, .name = 'a', .step = 10, .left = 4};
	struct actor b = {.sim = sim, .log = log, .name = 'b', .step = 15, .left = 3};

	actor_new(&a, stepper);
	actor_new(&b, stepper);
	eh_sim_at(sim, &a.ev, 0);
	eh_sim_at(sim, &b.ev, 0);
	eh_sim_run(sim, 12);
	ck_assert_str_eq(log->str, "a0 b0 a10 ");
	ck_assert(!eh_fiber_finished(a.ev.fiber));
	eh_sim_run(sim, 100);
	/* At 30 b was added first: at 15, a at 20. */
	ck_assert_str_eq(log->str, "a0 b0 a10 b15 a20 b30 a30 a. b. ");
	ck_assert(eh_fiber_finished(a.ev.fiber) && eh_fiber_finished(b.ev.fiber));
	ck_assert_int_eq(eh_sim_now(sim), 100);
	g_string_free(log, TRUE);
	eh_sim_free(sim);
}
END_TEST

static void sleeper(void *arg)
{
	struct actor *a = arg;

	for (;;) {
		say(a);
		eh_sim_park(a->sim);
	}
}

static void waker(void *arg)
{
	struct actor *a = arg;

	while (a->left-- > 0) {
		eh_sim_wait(a->sim, &a->ev, eh_sim_now(a->sim) + a->step);
		say(a);
		eh_sim_at(a->sim, &a->wakes->ev, eh_sim_now(a->sim));
	}
	eh_sim_stop(a->sim);
	eh_sim_wait(a->sim, &a->ev, eh_sim_now(a->sim) + 1);
	g_string_append(a->log, "on ");
	eh_sim_stop(a->sim);
}

START_TEST(park_wake_stop)
{
	struct eh_sim *sim = eh_sim_new(1);
	GString *log = g_string_new(NULL);
	struct actor s = {.sim = sim, .log = log, .name = 's'};
	struct actor w = {.sim = sim, .log = log, .name = 'w', .step = 7, .left = 2, .wakes = &s};

	actor_new(&s, sleeper);
	actor_new(&w, waker);
	eh_sim_at(sim, &s.ev, 3);
	eh_sim_at(sim, &w.ev, 0);
	eh_sim_run(sim, 100);
	ck_assert_str_eq(log->str, "s3 w7 s7 w14 ");
	ck_assert_int_eq(eh_sim_now(sim), 14);
	eh_sim_run(sim, 100);
	/* What was pending at the stop goes on; the second stop holds even as the fiber ends. */
	ck_assert_str_eq(log->str, "s3 w7 s7 w14 s14 on ");
	ck_assert_int_eq(eh_sim_now(sim), 15);
	eh_sim_run(sim, 100);
	ck_assert_int_eq(eh_sim_now(sim), 100);
	g_string_free(log, TRUE);
	eh_sim_free(sim); /* s is unfinished */
}
END_TEST

struct probe {
	struct eh_event ev, other;
	struct eh_sim *sim;
	int failed;
};

static void nothing(struct eh_event *ev)
{
	(void)ev;
}

/* Failures are counted, not asserted: Check must not longjmp out of a fiber. */
static void expect(struct probe *p, bool ok)
{
	p->failed += !ok;
}

static void prober(void *arg)
{
	struct probe *p = arg;
	struct eh_sim *sim = p->sim;

	p->other.fn = nothing;
	eh_sim_at(sim, &p->other, 50);
	expect(p, eh_sim_try_advance(sim, 49) && eh_sim_now(sim) == 49);
	expect(p, !eh_sim_try_advance(sim, 50)); /* the pending one goes first */
	expect(p, !eh_sim_try_advance(sim, 51));
	expect(p, eh_sim_now(sim) == 49 && eh_event_pending(&p->other));
	eh_sim_wait(sim, &p->ev, 50);
	expect(p, eh_sim_now(sim) == 50 && !eh_event_pending(&p->other));
	eh_sim_at(sim, &p->other, 60);
	eh_sim_cancel(sim, &p->other);
	expect(p, eh_sim_try_advance(sim, 1000)); /* the limit itself belongs to the run */
	expect(p, !eh_sim_try_advance(sim, 1001));
	eh_sim_wait(sim, &p->ev, 1001);
	expect(p, eh_sim_now(sim) == 1001 && eh_sim_try_advance(sim, 1500));
	eh_sim_stop(sim);
	expect(p, !eh_sim_try_advance(sim, 1500));
}

START_TEST(advance_exactly_as_far_as_allowed)
{
	struct probe p = {.sim = eh_sim_new(1)};

	p.ev.fiber = eh_sim_fiber(p.sim, prober, &p);
	eh_sim_at(p.sim, &p.ev, 0);
	eh_sim_run(p.sim, 1000);
	ck_assert_int_eq(eh_sim_now(p.sim), 1000);
	ck_assert(!eh_fiber_finished(p.ev.fiber));
	eh_sim_run(p.sim, 2000);
	ck_assert(eh_fiber_finished(p.ev.fiber));
	ck_assert_int_eq(p.failed, 0);
	ck_assert_int_eq(eh_sim_now(p.sim), 1500);
	eh_sim_free(p.sim);
}
END_TEST

START_TEST(past_is_refused)
{
	struct eh_sim *sim = eh_sim_new(1);
	struct eh_event ev = {.fn = nothing};

	eh_sim_run(sim, 1500 * EH_NS);
	eh_sim_at(sim, &ev, EH_US);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("engine");
	TCase *queue = tcase_create("queue");
	TCase *sim = tcase_create("sim");

	tcase_add_loop_test(queue, queue_agrees_with_reference, 0, 60);
	tcase_add_loop_test(queue, equal_times_keep_their_order, 0, ROW(distance));
	tcase_add_loop_test(queue, cancel_at_every_level, 0, ROW(distance));
	tcase_add_test(queue, add_between_limit_and_next);
	suite_add_tcase(suite, queue);

	tcase_add_test(sim, functions_fire_in_order);
	tcase_add_test(sim, fibers_wait_in_order);
	tcase_add_test(sim, park_wake_stop);
	tcase_add_test(sim, advance_exactly_as_far_as_allowed);
	tcase_add_test_raise_signal(sim, past_is_refused, SIGABRT);
	suite_add_tcase(suite, sim);

	return run_suite(suite);
}
