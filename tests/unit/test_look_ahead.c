/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/net, the walk ahead of the clock: whatever happens meanwhile, a search decides what one
 * decides that looks at one candidate at a time (look_ahead: 1), at the same picosecond.
 *
 * All lines a search reads are clean before it begins, so that both read them in the same state.
 */
#include <ehsim/stream.h>
#include <stdlib.h>

#include "ports.h"
#include "suite.h"

#define PORTS 2000
#define HALF (PORTS / 2) /* candidates of one pass */
#define L2_LINES 32768	 /* as the hosts have */

static bool own_range; /* the sockets have one: port by port, one pass */

static void prepare(struct world *w, uint32_t look_ahead)
{
	configure(w, EH_S1, PORTS);
	if (own_range) {
		w->range_low = LOW;
		w->range_high = LOW + PORTS - 1;
	}
	w->mc.cache.l2_lines = L2_LINES;
	w->kc.ehash_buckets = 1 << 18;
	build(w);
	w->t->look_ahead = look_ahead;
	take_all(w, 0);
	eh_port_cursor_set(w->t, w->u, LOW);
}

/* Something that happens at an instant. */
struct happening {
	struct eh_event ev;
	struct world *w;
	int port;
	struct eh_cpu *c;
};

static void drop_event(struct eh_event *ev)
{
	struct happening *e = eh_container_of(ev, struct happening, ev);

	drop(e->w, e->port);
}

static void at(struct world *w, struct happening *e, void (*fn)(struct eh_event *ev), eh_time when)
{
	e->w = w;
	e->ev.fn = fn;
	eh_sim_at(w->sim, &e->ev, when);
}

struct outcome {
	int port;
	uint64_t candidates;
	eh_time end;
};

/* One search by CPU 0; `port` comes free at `when`. */
static struct outcome search_while(uint32_t look_ahead, int port, eh_time when)
{
	struct happening e = {.port = port};
	struct outcome o;
	struct world w;
	struct job j = {0};

	prepare(&w, look_ahead);
	add(&w, &j, 0, connect_job);
	at(&w, &e, drop_event, when);
	eh_sim_run(w.sim, EH_SEC);
	ck_assert_int_eq(j.n, 1);
	o = (struct outcome){j.port[0], stats(&w).candidates, j.at[0]};
	teardown(&w);
	return o;
}

/* The last instant at which `port` may come free so that the search still sees it. */
static eh_time last_chance(uint32_t look_ahead, int port)
{
	eh_time lo = 0, hi = search_while(look_ahead, port, EH_SEC / 2).end;

	ck_assert_int_eq(search_while(look_ahead, port, lo).port, port);
	ck_assert_int_eq(search_while(look_ahead, port, hi).port, -EADDRNOTAVAIL);
	while (hi - lo > 1) {
		eh_time mid = (lo + hi) / 2;

		if (search_while(look_ahead, port, mid).port == port)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/*
 * Behind the front it is missed, ahead of it seen, and the front is where it would be without
 * looking ahead: in the first stretch, at its end, in the next one, in the other parity. When it
 * comes free at the very picosecond the clock gets there, either may be.
 */
START_TEST(seen_exactly_until_the_clock_passes)
{
	const int ports[] = {LOW + 40, LOW + 2 * (EH_LOOK_AHEAD - 1) % PORTS, LOW + 2 * (HALF - 1),
			     LOW + 801};
	int port = ports[_i % 4];
	eh_time t;

	own_range = _i >= 4;
	t = last_chance(EH_LOOK_AHEAD, port);

	ck_assert_int_gt(t, EH_US / 2);
	ck_assert_int_eq(last_chance(1, port) - 1, t);
	for (eh_time when = t - 2; when <= t + 3; when += 1 + (when == t)) {
		struct outcome a = search_while(EH_LOOK_AHEAD, port, when),
			       b = search_while(1, port, when);

		ck_assert_int_eq(a.port, when <= t ? port : -EADDRNOTAVAIL);
		ck_assert_int_eq(a.port, b.port);
		ck_assert_uint_eq(a.candidates, b.candidates);
		if (a.port < 0) /* nothing was set back */
			ck_assert_int_eq(a.end, b.end);
		else /* the window is empty where the CPU was set back: one candidate at most */
			ck_assert_int_le(llabs(a.end - b.end), EH_US);
	}
}
END_TEST

/* --- two CPUs --- */

#define SEARCHES 40
#define EVERY (700 * EH_US) /* a search in vain takes 630 */
#define DROPS 80

/* Both search again and again, half a period apart, in vain but for what comes free. */
static void search_again(struct job *j)
{
	for (int i = 0; i < SEARCHES; i++) {
		eh_cpu_wait_until(j->c, -1, j->when + i * EVERY);
		note(j, connect_on(j->w, j->c));
	}
}

static void drop_if_taken(struct eh_event *ev)
{
	struct happening *e = eh_container_of(ev, struct happening, ev);

	if (e->w->at[e->port])
		drop(e->w, e->port);
}

static struct eh_search_stats run_two(uint32_t look_ahead, int seed, struct job j[2])
{
	gsl_rng *r = eh_stream_new((uint64_t)seed, "drops");
	struct happening e[DROPS] = {0};
	struct eh_search_stats st;
	struct world w;

	prepare(&w, look_ahead);
	for (int i = 0; i < 2; i++) {
		j[i] = (struct job){.when = i * EVERY / 2};
		add(&w, &j[i], 5 * i, search_again);
	}
	for (int i = 0; i < DROPS; i++) {
		e[i].port = LOW + (int)eh_stream_below(r, PORTS);
		at(&w, &e[i], drop_if_taken, (eh_time)eh_stream_below(r, SEARCHES * EVERY));
	}
	eh_sim_run(w.sim, EH_SEC);
	st = stats(&w);
	teardown(&w);
	gsl_rng_free(r);
	return st;
}

/*
 * Lines are read in the state they had when the CPU was ahead, so a few accesses of a search are
 * misjudged, and it takes its port some nanoseconds earlier or later; which one is the same.
 */
START_TEST(two_cpus_decide_the_same)
{
	struct job a[2], b[2];
	struct eh_search_stats x, y;
	int found = 0;

	own_range = _i % 2;
	x = run_two(EH_LOOK_AHEAD, _i, a);
	y = run_two(1, _i, b);
	for (int i = 0; i < 2 * SEARCHES; i++) {
		const struct job *p = &a[i % 2], *q = &b[i % 2];

		ck_assert_int_eq(p->port[i / 2], q->port[i / 2]);
		ck_assert_int_le(llabs(p->at[i / 2] - q->at[i / 2]), EH_US);
		found += p->port[i / 2] > 0;
	}
	ck_assert_int_gt(found, SEARCHES / 2);
	ck_assert_int_lt(found, 2 * SEARCHES);
	ck_assert_uint_eq(x.searches, 2 * SEARCHES);
	ck_assert_uint_eq(x.searches, y.searches);
	ck_assert_uint_eq(x.candidates, y.candidates);
	ck_assert_uint_eq(x.odd_passes, y.odd_passes);
	ck_assert_uint_eq(x.failures, y.failures);
}
END_TEST

/* --- interrupts, and what is left in the cache --- */

static struct seen {
	eh_time at, charged;
	uint64_t l2[L2_LINES / EH_L2_WAYS];
	int times;
} seen, ahead, step;

/* Tags of a that are not in b. */
static int missing(const struct seen *a, const struct seen *b)
{
	int n = 0;

	for (int i = 0; i < L2_LINES / EH_L2_WAYS; i++)
		for (int way = 0; way < EH_L2_WAYS; way++)
			n += !eh_set_match(b->l2[i], (uint16_t)(a->l2[i] >> 16 * way), 0xffff);
	return n;
}

static void look(struct eh_cpu *c)
{
	seen.times++;
	seen.at = c->retire;
	seen.charged = eh_cpu_busy(c);
	memcpy(seen.l2, c->l2, sizeof(seen.l2));
}

static void raise_event(struct eh_event *ev)
{
	struct happening *e = eh_container_of(ev, struct happening, ev);

	eh_cpu_raise(e->c);
}

static void interrupt(uint32_t look_ahead, eh_time when, struct seen *result)
{
	struct happening e = {0};
	struct world w;
	struct job j = {0};

	prepare(&w, look_ahead);
	e.c = &w.h->m->cpus[0];
	e.c->irq = look;
	seen.times = 0;
	add(&w, &j, 0, connect_job);
	at(&w, &e, raise_event, when);
	eh_sim_run(w.sim, EH_SEC);
	ck_assert_int_eq(j.port[0], -EADDRNOTAVAIL);
	ck_assert_uint_eq(stats(&w).candidates, PORTS);
	ck_assert_int_eq(seen.times, 1);
	teardown(&w);
	*result = seen;
}

/*
 * Taken in front of the first candidate not before it, as without looking ahead. The L2 holds what
 * it would hold, although the walk had displaced a part of it; the order of use after a hit is not
 * noted, so a line here and there is another one.
 */
START_TEST(interrupts_in_time)
{
	gsl_rng *r = eh_stream_new(1, "interrupts");
	eh_time end = search_while(1, LOW, EH_SEC / 2).end;

	for (int i = 0; i < 25; i++) {
		eh_time when = (eh_time)eh_stream_below(r, (uint64_t)end);

		interrupt(EH_LOOK_AHEAD, when, &ahead);
		interrupt(1, when, &step);
		ck_assert_int_ge(ahead.at, when);
		ck_assert_int_le(ahead.at - when, EH_US);
		ck_assert_int_eq(ahead.at, step.at);
		ck_assert_int_eq(ahead.charged, step.charged);
		ck_assert_int_le(missing(&ahead, &step), EH_LOOK_AHEAD * EH_LINES_READ / 50);
		ck_assert_int_le(missing(&step, &ahead), EH_LOOK_AHEAD * EH_LINES_READ / 50);
	}
	gsl_rng_free(r);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("look ahead");
	TCase *ports = tcase_create("ports"), *cpu = tcase_create("cpu");

	tcase_set_timeout(ports, 120);
	tcase_set_timeout(cpu, 120);
	tcase_add_loop_test(ports, seen_exactly_until_the_clock_passes, 0, 8);
	tcase_add_loop_test(ports, two_cpus_decide_the_same, 1, 9);
	tcase_add_test(cpu, interrupts_in_time);
	suite_add_tcase(s, ports);
	suite_add_tcase(s, cpu);
	return run_suite(s);
}
