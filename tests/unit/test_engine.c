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

/* --- the queue against a reference: an array kept in order --- */

#define MANY 3000
#define STEPS 300000

struct item {
	struct eh_event ev;
	uint64_t seq;
};

struct reference {
	struct eh_queue *queue;
	struct item item[MANY];
	struct item *order[MANY]; /* the earliest is the last */
	int pending;
	uint64_t seq;
	eh_time now; /* nothing is added before it */
};

/* How many of those pending fire behind (at, seq). */
static int reference_behind(const struct reference *ref, eh_time at, uint64_t seq)
{
	int lo = 0, hi = ref->pending;

	while (lo < hi) {
		int mid = (lo + hi) / 2;
		const struct item *it = ref->order[mid];

		if (it->ev.at > at || (it->ev.at == at && it->seq > seq))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static eh_time reference_next(const struct reference *ref)
{
	return ref->pending ? ref->order[ref->pending - 1]->ev.at : EH_TIME_NEVER;
}

static void both_add(struct reference *ref, struct item *it, eh_time at)
{
	int i = reference_behind(ref, at, ref->seq);

	it->seq = ref->seq++;
	memmove(&ref->order[i + 1], &ref->order[i],
		(size_t)(ref->pending++ - i) * sizeof(ref->order[0]));
	ref->order[i] = it;
	eh_queue_add(ref->queue, &it->ev, at);
}

static void both_cancel(struct reference *ref, struct item *it)
{
	if (eh_event_pending(&it->ev)) {
		int i = reference_behind(ref, it->ev.at, it->seq);

		memmove(&ref->order[i], &ref->order[i + 1],
			(size_t)(--ref->pending - i) * sizeof(ref->order[0]));
	}
	eh_queue_cancel(ref->queue, &it->ev);
}

/* Take with a limit; time passes to the limit if nothing is due. */
static bool both_take(struct reference *ref, eh_time limit)
{
	struct eh_event *got = eh_queue_take(ref->queue, limit);
	struct item *want;

	if (reference_next(ref) > limit) {
		ref->now = limit;
		return !got;
	}
	want = ref->order[--ref->pending];
	ref->now = want->ev.at;
	return got == &want->ev && !eh_event_pending(got);
}

/*
 * The bound never lies behind the earliest time and tells exactly whether anything is due. If
 * nothing is, a clock may move there that takes no event, as eh_sim_try_advance does.
 */
static bool both_bound(struct reference *ref, eh_time at, bool advance)
{
	eh_time truth = reference_next(ref), bound = eh_queue_bound(ref->queue, at, ref->now);

	if (advance && at < bound)
		ref->now = at;
	return bound <= truth && (bound <= at) == (truth <= at);
}

/* Shares of added times and of steps are out of 16. */
static const struct mix {
	const char *name;
	int items;	      /* that exist; about half of them are pending */
	uint64_t low, bits;   /* delays lie below 2^low .. 2^(low + bits - 1) ps */
	uint64_t equal, edge; /* added at the time of another one, around the start of a bucket */
	uint64_t take, cancel, advance;
} mixes[] = {
	{"everything", 300, 0, 44, 3, 3, 5, 3, 2},
	{"one at a time", 1, 0, 45, 0, 4, 6, 2, 2},
	{"a few, close", 10, 0, 13, 4, 2, 6, 1, 2},
	{"CPUs and timers", 400, 17, 2, 1, 1, 7, 0, 2},
	{"CPUs, crowded", 3000, 17, 2, 0, 1, 7, 0, 1},
	{"very dense", 3000, 9, 4, 1, 0, 7, 1, 1},
	{"nearly all equal", 1000, 0, 12, 14, 1, 7, 1, 1},
	{"sparse", 100, 30, 14, 1, 2, 7, 1, 1},
	{"edges only", 200, 0, 1, 0, 15, 6, 2, 1},
	{"pushed back", 500, 18, 20, 1, 1, 2, 9, 2},
	{"ahead of the clock", 60, 8, 8, 1, 1, 2, 1, 9},
	{"far crowds", 2000, 21, 8, 1, 2, 7, 1, 1},
};

static eh_time some_time(gsl_rng *r, const struct mix *m, const struct reference *ref)
{
	static const int edge[] = {6, 10, 10, 10, 21, 21, 27, 33, 39, 45};
	uint64_t kind = eh_stream_below(r, 16);

	if (kind < m->equal && ref->pending > 0)
		return ref->order[eh_stream_below(r, (uint64_t)ref->pending)]->ev.at;
	if (kind < m->equal + m->edge) {
		int bit = edge[eh_stream_below(r, G_N_ELEMENTS(edge))];
		eh_time at = ((ref->now >> bit) + 1 + (eh_time)eh_stream_below(r, 2)) << bit;

		return eh_later(ref->now, at - 1 + (eh_time)eh_stream_below(r, 3));
	}
	if (kind == 15)
		return ref->now;
	return ref->now +
	       (eh_time)eh_stream_below(r, UINT64_C(1) << (m->low + eh_stream_below(r, m->bits)));
}

static bool one_step(gsl_rng *r, const struct mix *m, struct reference *ref)
{
	struct item *it = &ref->item[eh_stream_below(r, (uint64_t)m->items)];
	uint64_t kind = eh_stream_below(r, 16);

	if (kind < m->take) {
		if (ref->pending > 0 && eh_stream_below(r, 4))
			return both_take(ref, EH_TIME_NEVER);
		return both_take(ref, some_time(r, m, ref));
	}
	kind -= m->take;
	if (kind < m->cancel) {
		/* Often the next one, which is remembered. */
		if (ref->pending > 0 && !eh_stream_below(r, 4))
			it = ref->order[ref->pending - 1];
		both_cancel(ref, it);
		if (eh_stream_below(r, 2)) /* re-arm */
			both_add(ref, it, some_time(r, m, ref));
		return true;
	}
	kind -= m->cancel;
	if (kind < m->advance)
		return both_bound(ref, some_time(r, m, ref), eh_stream_below(r, 2));
	if (!eh_event_pending(&it->ev))
		both_add(ref, it, some_time(r, m, ref));
	return true;
}

START_TEST(queue_agrees_with_reference)
{
	const struct mix *m = &mixes[_i];
	gsl_rng *r = eh_stream_new((uint64_t)_i, "queue");
	struct reference *ref = g_new0(struct reference, 1);
	bool good = true;
	int step;

	ref->queue = eh_queue_new();
	for (step = 0; good && step < STEPS; step++) {
		good = one_step(r, m, ref);
		if (step % 1000 == 0)
			good &= eh_queue_count(ref->queue) == (uint64_t)ref->pending &&
				ref->now < EH_TIME_NEVER / 4; /* the clock has room */
	}
	while (good && ref->pending > 0)
		good = both_take(ref, EH_TIME_NEVER);
	ck_assert_msg(good, "%s: step %d, %d pending", m->name, step, ref->pending);
	ck_assert_ptr_null(eh_queue_take(ref->queue, EH_TIME_NEVER));
	eh_queue_free(ref->queue);
	g_free(ref);
	gsl_rng_free(r);
}
END_TEST

/* One picosecond, one per digit, and the edges between digits. */
static const eh_time distance[] = {
	0, 1, 63, 64, 1023, 1024, 1025, 4096, EH_US, (1 << 21) - 1, 1 << 21, (1 << 21) + 1,
	1 << 27, EH_MS, EH_SEC, 3600 * EH_SEC, INT64_C(1) << 60, (INT64_C(1) << 60) + 1,
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

	tcase_add_loop_test(queue, queue_agrees_with_reference, 0, ROW(mixes));
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
