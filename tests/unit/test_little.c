/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Little's law as an invariant: by hand, with edges in the middle of waits and with a queue that knows
 * more than the clock; of every lock kind, run queue and lock class between any two instants of a run;
 * and broken on purpose, by a picosecond.
 */
#include <ehsim/lock.h>
#include <ehsim/workload.h>

#include <string.h>

#include "bare.h"
#include "host.h"
#include "suite.h"

struct world {
	struct eh_sim *sim;
	struct eh_little *q;
	uint64_t left;
	eh_time waited;
};

static void setup(struct world *w, int room)
{
	*w = (struct world){.sim = eh_sim_new(1)};
	w->q = eh_little_new(w->sim, "waiters", room);
}

static void teardown(struct world *w)
{
	g_free(w->q);
	eh_sim_free(w->sim);
}

static void leave(struct world *w, eh_time since, eh_time at)
{
	w->left++;
	w->waited += at - since;
	eh_little_leave(w->q, since, at);
}

static struct eh_little_reading reading(struct world *w, eh_time at)
{
	struct eh_little_reading r;

	eh_sim_run(w->sim, at);
	eh_little_read(w->q, w->left, w->waited, &r);
	return r;
}

static void enter(struct world *w, eh_time at)
{
	eh_sim_run(w->sim, at);
	eh_little_enter(w->q, at);
}

/* Two of three waits are cut by the window [10, 40). */
START_TEST(edges)
{
	struct eh_little_reading a, b;
	struct world w;

	setup(&w, 0);
	enter(&w, 4);
	a = reading(&w, 10);
	ck_assert_int_eq(a.area, 6);
	ck_assert_int_eq(a.ages, 6);
	ck_assert_int_eq(a.inside, 1);
	enter(&w, 15);
	enter(&w, 20);
	leave(&w, 15, 20);
	eh_sim_run(w.sim, 25);
	leave(&w, 4, 25);
	b = reading(&w, 40);
	ck_assert_int_eq(b.area - a.area, 15 + 5 + 20);
	ck_assert_int_eq(b.waited - a.waited, 5 + 21);
	ck_assert_int_eq(b.ages, 20);
	ck_assert(eh_little_holds(&a, &b));
	eh_little_check(w.q, "host", &a, &b);
	teardown(&w);
}
END_TEST

/* A CPU that has run ahead tells of 30 .. 50 at 10; in between somebody is there from 20 to 35. */
START_TEST(ahead_of_the_clock)
{
	struct eh_little_reading r, zero;
	struct world w;

	setup(&w, 3);
	zero = reading(&w, 0);
	eh_sim_run(w.sim, 10);
	eh_little_enter(w.q, 30);
	leave(&w, 30, 50);
	r = reading(&w, 15);
	ck_assert_int_eq(r.area, 0);
	ck_assert_int_eq(r.inside, 0);
	ck_assert(eh_little_holds(&zero, &r));
	enter(&w, 20);
	leave(&w, 20, 35);
	for (eh_time at = 20; at <= 60; at++) {
		r = reading(&w, at);
		ck_assert(eh_little_holds(&zero, &r));
		ck_assert_int_eq(r.inside, (at < 35) + (at >= 30 && at < 50));
	}
	ck_assert_int_eq(r.area, 15 + 20);
	ck_assert_int_eq(r.inside, 0);
	teardown(&w);
}
END_TEST

/* What goes wrong: a wait that is a picosecond too long, and who has left without having been counted. */
START_TEST(broken_is_seen)
{
	struct eh_little_reading a, b;
	struct world w;

	setup(&w, 0);
	a = reading(&w, 0);
	enter(&w, 10);
	eh_sim_run(w.sim, 30);
	leave(&w, 10, 30);
	b = reading(&w, 40);
	ck_assert(eh_little_holds(&a, &b));
	b.waited++;
	ck_assert(!eh_little_holds(&a, &b));
	b.waited--;
	b.left++;
	ck_assert(!eh_little_holds(&a, &b));
	teardown(&w);
}
END_TEST

START_TEST(broken_is_impossible)
{
	struct eh_little_reading a, b;
	struct world w;

	setup(&w, 0);
	a = reading(&w, 0);
	enter(&w, 10);
	b = reading(&w, 40);
	b.ages++;
	eh_little_check(w.q, "client", &a, &b);
}
END_TEST

START_TEST(before_the_clock_is_impossible)
{
	struct world w;

	setup(&w, 0);
	enter(&w, 10);
	eh_little_leave(w.q, 5, 9);
}
END_TEST

START_TEST(emptier_than_empty_is_impossible)
{
	struct world w;

	setup(&w, 0);
	eh_sim_run(w.sim, 10);
	eh_little_leave(w.q, 5, 10);
}
END_TEST

/* --- in a run --- */

struct lab {
	struct eh_machine_config mc;
	struct eh_kernel_config kc;
	struct eh_workload_config wc;
	struct eh_sim *sim;
	struct eh_lab *lab;
};

static void build(struct lab *l, int kind)
{
	memset(l, 0, sizeof(*l));
	l->mc = host_machine(2, 1, 4, 1);
	l->mc.cache.l2_lines = 4096;
	eh_keys_defaults(eh_kernel_keys, &l->kc);
	eh_keys_defaults(eh_workload_keys, &l->wc);
	l->wc.kind = EH_LAB_LOCK;
	l->wc.threads = 8;
	l->wc.lock.kind = kind;
	l->wc.lock.inside = 200;
	l->wc.lock.outside = 400;
	l->wc.lock.distribution = EH_EXPONENTIAL;
	l->sim = eh_sim_new(7);
	l->lab = eh_lab_new(l->sim, &l->mc, &l->kc, NULL, &l->wc);
}

static void lab_free(struct lab *l)
{
	eh_lab_free(l->lab);
	eh_sim_free(l->sim);
	eh_keys_clear(eh_kernel_keys, &l->kc);
	eh_keys_clear(eh_workload_keys, &l->wc);
}

static void read_lock(const struct lab *l, struct eh_little_reading *r)
{
	struct eh_lab_stats st;

	eh_lab_stats(l->lab, &st);
	eh_lock_class_read(&st.locks, r);
	ck_assert_uint_eq(r->left, st.locks.acquisitions);
	ck_assert_int_le(st.locks.wait_total, r->waited);
}

/* Edges at odd instants, so that nearly always somebody is inside. */
START_TEST(every_lock_kind)
{
	struct eh_little_reading from[2], to[2];
	int inside = 0;
	struct lab l;

	build(&l, _i);
	read_lock(&l, &from[0]);
	eh_sched_runnable(eh_lab_sched(l.lab), &from[1]);
	for (int i = 1; i <= 300; i++) {
		eh_sim_run(l.sim, i * 3333337);
		read_lock(&l, &to[0]);
		ck_assert(eh_little_holds(&from[0], &to[0]));
		eh_sched_runnable(eh_lab_sched(l.lab), &to[1]);
		ck_assert(eh_little_holds(&from[1], &to[1]));
		inside += to[0].ages != 0;
		if (i % 7 == 0)
			memcpy(from, to, sizeof(from));
	}
	ck_assert_int_gt(inside, 100);
	ck_assert_uint_gt(to[0].left, 500);
	lab_free(&l);
}
END_TEST

/* --- who waits for the network's spinlock --- */

#define CPUS 6
#define STEP 77777 /* ps between two readings */

struct spin {
	struct eh_machine_config mc;
	struct eh_sim *sim;
	struct eh_machine *m;
	struct eh_spinlock lock;
	struct eh_lock_class class;
};

struct spinner {
	struct spin *w;
	struct eh_cpu *c;
};

static void hammer(void *arg)
{
	const struct spinner *s = arg;

	for (;;) {
		eh_spin_lock(s->c, &s->w->lock, &s->w->class, EH_SYM(_raw_spin_lock));
		eh_work(s->c, EH_SYM(tcp_ack), 100 + s->c->id);
		eh_spin_unlock(s->c, &s->w->lock, EH_SYM(tcp_ack), 1);
		eh_work(s->c, EH_SYM(tcp_ack), 300 + 17 * s->c->id);
	}
}

static void spin_start(struct spin *w, struct spinner *s)
{
	*w = (struct spin){.mc = host_machine(1, 1, CPUS, 1)};
	w->sim = eh_sim_new(1);
	w->m = eh_machine_new(w->sim, "client", &w->mc);
	eh_spin_init(&w->lock, eh_lines_new(w->m, 1, 0));
	eh_lock_class_init(&w->class, w->m, "bhash");
	for (int i = 0; i < CPUS; i++) {
		s[i] = (struct spinner){w, &w->m->cpus[i]};
		run_bare(s[i].c, hammer, &s[i], 0);
	}
}

START_TEST(who_waits_for_a_spinlock)
{
	struct eh_little_reading from, to;
	struct spinner s[CPUS];
	int waiting = 0;
	struct spin w;

	spin_start(&w, s);
	eh_lock_class_read(&w.class, &from);
	for (int i = 1; i <= 2000; i++) {
		eh_sim_run(w.sim, (eh_time)i * STEP);
		eh_lock_class_read(&w.class, &to);
		ck_assert(eh_little_holds(&from, &to));
		ck_assert_int_lt(to.inside, CPUS); /* somebody has it */
		waiting += to.inside > 0;
	}
	ck_assert_int_gt(waiting, 1000);
	ck_assert_uint_eq(to.left, w.class.contentions);
	ck_assert_uint_gt(w.class.contentions, 100);
	eh_machine_free(w.m);
	eh_sim_free(w.sim);
}
END_TEST

/* Were one wait of thousands a picosecond longer than its time in the queue, the run would end here. */
START_TEST(one_wait_too_long)
{
	struct eh_little_reading from, to;
	struct spinner s[CPUS];
	struct spin w;

	spin_start(&w, s);
	eh_sim_run(w.sim, 100 * STEP);
	eh_lock_class_read(&w.class, &from);
	eh_sim_run(w.sim, 1000 * STEP);
	eh_lock_class_read(&w.class, &to);
	eh_little_check(w.class.watch->queue, w.m->name, &from, &to);
	w.class.wait_total++;
	eh_sim_run(w.sim, 2000 * STEP);
	eh_lock_class_read(&w.class, &to);
	eh_little_check(w.class.watch->queue, w.m->name, &from, &to);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("little");
	TCase *hand = tcase_create("by hand"), *broken = tcase_create("broken");
	TCase *runs = tcase_create("runs");
	int kinds = 0;

	tcase_add_test(hand, edges);
	tcase_add_test(hand, ahead_of_the_clock);
	suite_add_tcase(suite, hand);

	tcase_add_test(broken, broken_is_seen);
	tcase_add_test_raise_signal(broken, broken_is_impossible, SIGABRT);
	tcase_add_test_raise_signal(broken, before_the_clock_is_impossible, SIGABRT);
	tcase_add_test_raise_signal(broken, emptier_than_empty_is_impossible, SIGABRT);
	suite_add_tcase(suite, broken);

	while (eh_lock_kinds[kinds])
		kinds++;
	tcase_add_test(runs, who_waits_for_a_spinlock);
	tcase_add_test_raise_signal(runs, one_wait_too_long, SIGABRT);
	tcase_add_loop_test(runs, every_lock_kind, 0, kinds);
	suite_add_tcase(suite, runs);
	return run_suite(suite);
}
