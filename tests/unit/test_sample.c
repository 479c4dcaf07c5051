/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/net, sampled runs: in a fast stretch a search finds the port that one finds which looks at one
 * candidate at a time (look_ahead: 1) with the same clock; and what its clock is made of.
 */
#include <ehsim/sample.h>
#include <ehsim/stream.h>

#include "ports.h"
#include "suite.h"

#define PORTS 2000
#define SEARCHES 60
#define EVERY (800 * EH_US)  /* a search in vain takes less */
#define STRETCH (10 * EH_MS) /* measured; the fast one behind it is not shorter */
#define FROM (11 * EH_MS)    /* fast, from here ... */
#define TO_THEN (20 * EH_MS) /* ... to there */
#define DROPS 120

static const int states[] = {EH_S0, EH_S1, EH_S3};

struct happening {
	struct eh_event ev;
	struct world *w;
	int port;
	uint32_t look_ahead;
};

static void prepare(struct world *w, int state)
{
	const struct eh_sample_config cfg = {
		.period = EH_SEC, .warmup = EH_US, .stretch = STRETCH, .candidates = 1000};

	configure(w, state, PORTS);
	w->mc.cache.l2_lines = 32768;
	w->kc.ehash_buckets = 1 << 18;
	build(w);
	take_all(w, 0);
	eh_port_cursor_set(w->t, w->u, LOW);
	eh_sample_start(w->h, &cfg);
}

static void drop_if_taken(struct eh_event *ev)
{
	struct happening *e = eh_container_of(ev, struct happening, ev);

	if (e->w->at[e->port])
		drop(e->w, e->port);
}

static void set_look_ahead(struct eh_event *ev)
{
	struct happening *e = eh_container_of(ev, struct happening, ev);

	e->w->t->look_ahead = e->look_ahead;
}

static void at(struct world *w, struct happening *e, void (*fn)(struct eh_event *ev), eh_time when)
{
	e->w = w;
	e->ev.fn = fn;
	eh_sim_at(w->sim, &e->ev, when);
}

static void search_again(struct job *j)
{
	for (int i = 0; i < SEARCHES; i++) {
		eh_cpu_wait_until(j->c, -1, MAX(j->when + i * EVERY, j->c->retire));
		note(j, connect_on(j->w, j->c));
	}
}

static void run(int state, uint32_t look_ahead, int seed, struct job j[3])
{
	gsl_rng *r = eh_stream_new((uint64_t)seed, "drops");
	struct happening e[DROPS] = {0}, look = {.look_ahead = look_ahead};
	struct world w;

	prepare(&w, state);
	at(&w, &look, set_look_ahead, FROM);
	for (int i = 0; i < 3; i++) {
		j[i] = (struct job){.when = i * EVERY / 3};
		add(&w, &j[i], 3 * i, search_again);
	}
	for (int i = 0; i < DROPS; i++) {
		e[i].port = LOW + (int)eh_stream_below(r, PORTS);
		at(&w, &e[i], drop_if_taken,
		   FROM + (eh_time)eh_stream_below(r, (uint64_t)(TO_THEN - FROM)));
	}
	eh_sim_run(w.sim, TO_THEN);
	eh_sim_run(w.sim, EH_SEC);
	teardown(&w);
	gsl_rng_free(r);
}

/* Whoever came by first has it, at the same picosecond; no port twice (connect_on looks). */
START_TEST(the_port_that_is_open_when_the_clock_is_there)
{
	int state = states[_i % 3], seed = _i / 3 + 1, found = 0, n = 0;
	struct job a[3], b[3];

	run(state, EH_LOOK_AHEAD, seed, a);
	run(state, 1, seed, b);
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < a[i].n && a[i].at[k] < TO_THEN; k++) {
			ck_assert_int_eq(a[i].port[k], b[i].port[k]);
			ck_assert_int_eq(a[i].at[k], b[i].at[k]);
			found += a[i].port[k] > 0;
			n += a[i].at[k] > FROM;
		}
	}
	ck_assert_int_gt(n, 20);
	ck_assert_int_gt(found, 20);
}
END_TEST

/* --- the clock --- */

static struct spent {
	eh_time search;
	uint64_t candidates;
} spent;

static void account(struct job *j)
{
	struct eh_cpu *c = j->c;
	bool fast = eh_sim_now(j->w->sim) > FROM;
	struct eh_search_stats before = stats(j->w), after;
	eh_time from = c->retire, busy = eh_cpu_busy(c);

	ck_assert_int_eq(connect_on(j->w, c), -EADDRNOTAVAIL);
	after = stats(j->w);
	if (!fast || c->retire > TO_THEN)
		return;
	ck_assert_int_eq(c->retire - from, eh_cpu_busy(c) - busy);
	spent.search += after.time - before.time;
	spent.candidates += after.candidates - before.candidates;
}

static void account_again(struct job *j)
{
	for (int i = 0; i < SEARCHES; i++)
		account(j);
}

/*
 * A search in vain costs what the candidates of the measured stretch cost on average: one CPU, whose
 * pieces differ little. Every picosecond is charged to a symbol.
 */
START_TEST(the_measured_cost)
{
	struct eh_sample_stats st;
	const struct eh_sample_stretch *first;
	struct world w;
	struct job j = {0};
	double ns;

	spent = (struct spent){0};
	prepare(&w, states[_i]);
	add(&w, &j, 0, account_again);
	eh_sim_run(w.sim, EH_SEC);
	ck_assert(eh_sample_read(w.h, &st));
	ck_assert_uint_gt(st.stretches[0]->len, 0);
	first = &g_array_index(st.stretches[0], struct eh_sample_stretch, 0);
	ck_assert_uint_ge(spent.candidates, 5 * PORTS);
	ck_assert_uint_ge(st.fast[0], spent.candidates);
	ck_assert_uint_ge(first->applied, spent.candidates);
	ns = (double)spent.search / (double)EH_NS / (double)spent.candidates;
	ck_assert_double_eq_tol(ns, first->ns, 0.01 * first->ns);
	teardown(&w);
}
END_TEST

/* A run without a sampler has none to ask. */
START_TEST(not_unless_asked_for)
{
	struct eh_sample_stats st;
	struct world w;

	configure(&w, EH_S1, PORTS);
	build(&w);
	ck_assert(!eh_sample_read(w.h, &st));
	eh_sample_phase(w.h);
	teardown(&w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sample");
	TCase *c = tcase_create("sample");

	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, the_port_that_is_open_when_the_clock_is_there, 0, 12);
	tcase_add_loop_test(c, the_measured_cost, 0, 3);
	tcase_add_test(c, not_unless_asked_for);
	suite_add_tcase(s, c);
	return run_suite(s);
}
