/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/sched: when a woken task runs, on idle and busy CPUs; lost and early wake-ups; ticks only
 * where something runs, at their own time; who is charged.
 */
#include <ehsim/task.h>

#include <glib.h>

#include "host.h"
#include "suite.h"

struct world {
	struct eh_machine_config mc;
	struct eh_kernel_config kc;
	struct eh_sim *sim;
	struct eh_machine *m;
	struct eh_sched *s;
};

static void setup(struct world *w, int cores)
{
	w->mc = host_machine(1, 1, cores, 1);
	w->kc = host_kernel(1000);
	w->sim = eh_sim_new(1);
	w->m = eh_machine_new(w->sim, "host", &w->mc);
	w->s = eh_sched_new(w->m, &w->kc);
}

static void teardown(struct world *w)
{
	eh_sched_free(w->s);
	eh_machine_free(w->m);
	eh_sim_free(w->sim);
}

/* What a task does, and when it noted what. */
struct script {
	struct world *w;
	struct eh_task *t, *other;
	int rounds, done;
	int64_t work;
	eh_time at[64];
	int cpu[64];
};

static void note(struct script *s)
{
	struct eh_cpu *c = s->t->cpu;

	s->at[s->done] = c->retire;
	s->cpu[s->done++] = c->id;
}

static void note_and_sleep(struct eh_task *t, void *arg)
{
	struct script *s = arg;

	for (int i = 0; i < s->rounds; i++) {
		note(s);
		eh_task_block(t);
	}
	note(s);
}

static void work_then_wake(struct eh_task *t, void *arg)
{
	struct script *s = arg;

	for (int i = 0; i < s->rounds; i++) {
		eh_work(t->cpu, EH_SYM(tcp_ack), s->work);
		note(s);
		eh_task_wake(t->cpu, s->other);
		note(s);
	}
}

static struct eh_task *make(struct world *w, struct script *s, int cpu,
			    void (*fn)(struct eh_task *, void *))
{
	s->w = w;
	s->t = eh_task_new(w->s, cpu, "test", fn, s);
	return s->t;
}

START_TEST(start_on_idle_cpu)
{
	struct world w;
	struct script a = {.rounds = 1};

	setup(&w, 2);
	eh_task_start(make(&w, &a, 1, note_and_sleep));
	ck_assert(eh_sched_idle(w.s, 1));
	eh_sim_run(w.sim, EH_MS);
	ck_assert_int_eq(a.done, 1);
	ck_assert_int_eq(a.cpu[0], 1);
	/* idle exit, one __schedule, its lock (a line nobody had: dram) and unlock */
	ck_assert_int_eq(a.at[0], 2 * EH_US + 900 * EH_NS + (130 + 20 + 1) * EH_NS + EH_NS);
	ck_assert(a.t->sleeping);
	ck_assert(eh_sched_idle(w.s, 1));
	ck_assert_int_eq(eh_sched_idle_entries(w.s, 1), 1);
	teardown(&w);
}
END_TEST

START_TEST(wake_remote_idle)
{
	struct world w;
	struct script a = {.rounds = 1}, b = {.rounds = 1, .work = 100000};
	eh_time woken;

	setup(&w, 2);
	eh_task_start(make(&w, &a, 1, note_and_sleep));
	b.other = a.t;
	eh_task_start(make(&w, &b, 0, work_then_wake));
	eh_sim_run(w.sim, EH_MS / 2);
	ck_assert_int_eq(a.done, 2);
	ck_assert_int_eq(b.done, 2);
	/* state line (130: dram), wakeup 500, lock line dirty in the other core 65, all with 20 for
	 * the locked operation and one instruction; unlock one */
	woken = b.at[0] + (131 + 20 + 500 + 66 + 20 + 1) * EH_NS;
	ck_assert_int_ge(b.at[1], woken - 2 * EH_NS);
	ck_assert_int_le(b.at[1], woken + 2 * EH_NS);
	/* ipi, idle exit, __schedule, the lock back from the waker's core */
	ck_assert_int_eq(a.at[1],
			 b.at[1] + 700 * EH_NS + 2 * EH_US + (900 + 65 + 20 + 1 + 1) * EH_NS);
	teardown(&w);
}
END_TEST

struct timer {
	struct eh_event ev;
	struct eh_task *t;
};

static void timer_fires(struct eh_event *ev)
{
	eh_task_start(eh_container_of(ev, struct timer, ev)->t);
}

/* At each of many times from before its first instruction to after it fell asleep. */
START_TEST(start_at_any_time)
{
	for (eh_time at = 0; at < 8 * EH_US; at += 20 * EH_NS) {
		struct world w;
		struct script a = {.rounds = 2};
		struct timer timer = {.ev = {.fn = timer_fires}};

		setup(&w, 1);
		timer.t = make(&w, &a, 0, note_and_sleep);
		eh_task_start(timer.t);
		eh_sim_at(w.sim, &timer.ev, at);
		eh_sim_run(w.sim, EH_MS);
		/* before it runs it is awake already; later none is lost */
		ck_assert_int_ge(a.done, at < a.at[0] ? 1 : 2);
		ck_assert_int_le(a.done, 2);
		ck_assert(a.t->sleeping);
		teardown(&w);
	}
}
END_TEST

static void wake_self_later(struct eh_task *t, void *arg)
{
	struct script *s = arg;

	eh_task_wake(t->cpu, t); /* as an interrupt on top of it would */
	ck_assert(t->wake_pending);
	note(s);
	eh_task_block(t); /* does not sleep */
	note(s);
	eh_task_block(t); /* does */
	note(s);
}

START_TEST(wake_before_sleep_is_kept)
{
	struct world w;
	struct script a = {0};

	setup(&w, 1);
	eh_task_start(make(&w, &a, 0, wake_self_later));
	eh_sim_run(w.sim, EH_MS);
	ck_assert_int_eq(a.done, 2);
	ck_assert_int_eq(a.at[1], a.at[0]);
	ck_assert(a.t->sleeping);
	teardown(&w);
}
END_TEST

/* Whatever the distance between going to sleep and the wake-up, the task always wakes up. */
START_TEST(no_wake_up_is_lost)
{
	for (int64_t work = 0; work < 4000; work += 37) {
		struct world w;
		struct script a = {.rounds = 1}, b = {.rounds = 1, .work = work};

		setup(&w, 2);
		eh_task_start(make(&w, &a, 1, note_and_sleep));
		b.other = a.t;
		eh_task_start(make(&w, &b, 0, work_then_wake));
		eh_sim_run(w.sim, EH_MS);
		ck_assert_int_eq(a.done, 2);
		ck_assert(!a.t->sleeping && !a.t->queued);
		teardown(&w);
	}
}
END_TEST

static void hog(struct eh_task *t, void *arg)
{
	struct script *s = arg;

	for (int i = 0; i < s->rounds; i++) {
		eh_work(t->cpu, EH_SYM(__inet_hash_connect), s->work);
		eh_cpu_point(t->cpu);
		if (t->cpu->need_resched) {
			note(s);
			eh_task_yield(t);
		}
	}
	note(s);
}

START_TEST(two_share_a_cpu_by_ticks)
{
	struct world w;
	struct script a = {.rounds = 8000, .work = 1000}, b = a;
	eh_time ua, sa, ub, sb;

	setup(&w, 1);
	eh_task_start(make(&w, &a, 0, hog));
	eh_task_start(make(&w, &b, 0, hog));
	eh_sim_run(w.sim, 8 * EH_MS);
	eh_task_times(a.t, &ua, &sa);
	eh_task_times(b.t, &ub, &sb);
	ck_assert_int_eq(ua, 0);
	ck_assert_int_eq(ub, 0);
	ck_assert_int_ge(sa, 3900 * EH_US);
	ck_assert_int_ge(sb, 3900 * EH_US);
	ck_assert_int_le(sa + sb, 8 * EH_MS);
	eh_sim_run(w.sim, 40 * EH_MS);
	ck_assert_int_gt(a.done, 5); /* several switches each, and both came to their end */
	ck_assert_int_gt(b.done, 5);
	ck_assert(eh_sched_idle(w.s, 0));
	eh_task_times(a.t, &ua, &sa);
	ck_assert_int_ge(sa, 8 * EH_MS);
	teardown(&w);
}
END_TEST

struct ticks {
	int n, user_or_idle, switches;
	eh_time last;
};

static void count_tick(struct eh_cpu *c, bool user_or_idle, void *arg)
{
	struct ticks *t = arg;

	(void)c;
	t->n++;
	t->user_or_idle += user_or_idle;
	t->last = eh_sim_now(c->sim);
}

static void count_switch(struct eh_cpu *c, void *arg)
{
	(void)c;
	((struct ticks *)arg)->switches++;
}

static void half_user(struct eh_task *t, void *arg)
{
	struct script *s = arg;
	struct eh_cpu *c = t->cpu;

	for (int i = 0; i < s->rounds; i++) {
		eh_work(c, EH_SYM(entry_SYSCALL_64), s->work);
		eh_cpu_point(c);
		c->user = true;
		eh_work(c, EH_SYM_USER, s->work);
		eh_cpu_point(c);
		c->user = false;
	}
	note(s);
}

START_TEST(ticks_only_where_something_runs)
{
	struct world w;
	struct script a = {.rounds = 5, .work = 1000000};
	struct ticks seen = {0};
	struct eh_sched_hooks h = {
		.context_switch = count_switch, .tick = count_tick, .arg = &seen};
	eh_time u, s;

	setup(&w, 4);
	eh_sched_hook(w.s, &h);
	eh_sched_online(w.s, 3);
	eh_sim_run(w.sim, EH_MS / 8);
	eh_task_start(make(&w, &a, 1, half_user));
	eh_sim_run(w.sim, 50 * EH_MS);
	ck_assert_int_eq(a.done, 1);
	/* 10 ms of work, ticks at k ms + 250 us from 0.25 on */
	ck_assert_int_eq(seen.n, 10);
	ck_assert_int_ge(seen.user_or_idle, 4);
	ck_assert_int_le(seen.user_or_idle, 6);
	ck_assert_int_eq(seen.switches, 2);
	eh_task_times(a.t, &u, &s);
	ck_assert_int_eq(u, 5 * EH_MS);
	/* kernel work, the ticks on top, and the switch away */
	ck_assert_int_ge(s, 5 * EH_MS + 10 * 2 * EH_US);
	ck_assert_int_le(s, 5 * EH_MS + 10 * 2 * EH_US + 2 * EH_US);

	/* an idle CPU ticks on request */
	seen = (struct ticks){0};
	eh_sched_need_tick(w.s, 3, true);
	eh_sim_run(w.sim, 60 * EH_MS);
	ck_assert_int_eq(seen.n, 10);
	ck_assert_int_eq(seen.user_or_idle, 10);
	ck_assert_int_eq(seen.last, 59750 * EH_US + 2 * EH_US);
	eh_sched_need_tick(w.s, 3, false);
	eh_sim_run(w.sim, 70 * EH_MS);
	ck_assert_int_eq(seen.n, 10);
	teardown(&w);
}
END_TEST

static void wander(struct eh_task *t, void *arg)
{
	struct script *s = arg;

	for (int i = 0; i < s->rounds; i++) {
		note(s);
		eh_task_block(t);
	}
}

static void mover(struct eh_task *t, void *arg)
{
	struct script *s = arg;

	for (int i = 1; i < s->rounds; i++) {
		eh_cpu_wait_until(t->cpu, -1, i * 100 * EH_US);
		ck_assert(s->other->sleeping);
		eh_task_set_cpu(s->other, i % 4);
		eh_task_wake(t->cpu, s->other);
	}
}

START_TEST(a_sleeping_task_moves)
{
	struct world w;
	struct script a = {.rounds = 8}, b = {.rounds = 8};

	setup(&w, 5);
	eh_task_start(make(&w, &a, 0, wander));
	b.other = a.t;
	eh_task_start(make(&w, &b, 4, mover));
	eh_sim_run(w.sim, 200 * EH_MS);
	ck_assert_int_eq(a.done, 8);
	for (int i = 0; i < a.done; i++)
		ck_assert_int_eq(a.cpu[i], i % 4);
	teardown(&w);
}
END_TEST

static void ping(struct eh_task *t, void *arg)
{
	struct script *s = arg;

	for (int i = 0; i < s->rounds; i++) {
		eh_task_wake(t->cpu, s->other);
		eh_task_block(t);
	}
	s->done = s->rounds;
	eh_task_wake(t->cpu, s->other);
}

/* Wakers from everywhere, all CPUs at once; the same trajectory every time. */
static uint64_t storm(int pairs, int rounds)
{
	struct script *s = g_new0(struct script, 2 * pairs);
	uint64_t fingerprint;
	struct world w;

	setup(&w, pairs);
	for (int i = 0; i < 2 * pairs; i++) {
		s[i].rounds = rounds;
		make(&w, &s[i], i * 7 % pairs, ping);
	}
	for (int i = 0; i < 2 * pairs; i++) {
		s[i].other = s[i ^ 1].t;
		eh_task_start(s[i].t);
	}
	eh_sim_run(w.sim, 500 * EH_MS);
	for (int i = 0; i < 2 * pairs; i++)
		ck_assert_int_eq(s[i].done, rounds);
	fingerprint = eh_sim_fingerprint(w.sim);
	teardown(&w);
	g_free(s);
	return fingerprint;
}

START_TEST(storm_of_wake_ups)
{
	ck_assert_uint_eq(storm(13, 300), storm(13, 300));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sched");
	TCase *t = tcase_create("sched");

	tcase_add_test(t, start_on_idle_cpu);
	tcase_add_test(t, wake_remote_idle);
	tcase_add_test(t, wake_before_sleep_is_kept);
	tcase_add_test(t, no_wake_up_is_lost);
	tcase_add_test(t, start_at_any_time);
	tcase_add_test(t, two_share_a_cpu_by_ticks);
	tcase_add_test(t, ticks_only_where_something_runs);
	tcase_add_test(t, a_sleeping_task_moves);
	tcase_add_test(t, storm_of_wake_ups);
	suite_add_tcase(s, t);
	return run_suite(s);
}
