/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/rcu: scans, the urgent flag and the end of a grace period exactly at their time; nothing
 * freed under a reader; pages of kfree_rcu drained when they should be.
 */
#include <ehsim/rcu.h>
#include <ehsim/stream.h>

#include <glib.h>

#include "../../src/rcu/internal.h"
#include "host.h"
#include "suite.h"

#define PAGE 507

struct world {
	struct eh_machine_config mc;
	struct eh_kernel_config kc;
	struct eh_sim *sim;
	struct eh_machine *m;
	struct eh_sched *s;
	struct eh_rcu *r;
	int freed;
	eh_time first_free;
};

static void setup(struct world *w, int cores, int hz)
{
	*w = (struct world){.mc = host_machine(1, 1, cores, 1), .kc = host_kernel(hz)};
	w->sim = eh_sim_new(1);
	w->m = eh_machine_new(w->sim, "host", &w->mc);
	w->s = eh_sched_new(w->m, &w->kc);
	w->r = eh_rcu_new(w->s, &w->kc);
}

static void teardown(struct world *w)
{
	eh_rcu_free(w->r);
	eh_sched_free(w->s);
	eh_machine_free(w->m);
	eh_sim_free(w->sim);
}

static struct eh_rcu_stats stats(const struct world *w)
{
	struct eh_rcu_stats st;

	eh_rcu_stats(w->r, &st);
	return st;
}

/* What would be a kmem cache is the world here. */
static void count_free(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o)
{
	struct world *w = (struct world *)k;

	(void)o;
	if (!w->freed++)
		w->first_free = c->retire;
}

static void drop(struct world *w, struct eh_cpu *c, int n)
{
	for (int i = 0; i < n; i++)
		eh_kfree_rcu(w->r, c, (struct eh_kmem_cache *)w, NULL, count_free);
}

struct job {
	struct world *w;
	int drops;
	eh_time deaf_until; /* does not look at the urgent flag before */
	eh_time until;
	eh_time reported;
};

/* Never sleeps, never in user mode; says so to RCU only when asked, as the port search does. */
static void scan_ports(struct eh_task *t, void *arg)
{
	struct job *j = arg;
	struct eh_cpu *c = t->cpu;

	drop(j->w, c, j->drops);
	while (c->retire < j->until) {
		eh_work(c, EH_SYM(__inet_hash_connect), 500);
		eh_cpu_point(c);
		if (c->retire < j->deaf_until)
			continue;
		if (c->need_resched) {
			eh_task_yield(t);
		} else if (c->rcu_urgent) {
			j->reported = c->retire;
			eh_rcu_all_qs(j->w->r, c);
		}
	}
}

static void drop_and_sleep(struct eh_task *t, void *arg)
{
	struct job *j = arg;

	for (;;) {
		drop(j->w, t->cpu, j->drops);
		eh_task_block(t);
	}
}

static struct eh_task *start(struct world *w, struct job *j, int cpu,
			     void (*fn)(struct eh_task *, void *))
{
	struct eh_task *t = eh_task_new(w->s, cpu, "test", fn, j);

	j->w = w;
	eh_task_start(t);
	return t;
}

/* Runs until a grace period has begun; returns when it did. */
static eh_time wait_for_start(struct world *w)
{
	while (stats(w).started == EH_TIME_NEVER) {
		ck_assert_int_lt(eh_sim_now(w->sim), 10 * EH_SEC);
		eh_sim_run(w->sim, eh_sim_now(w->sim) + 100 * EH_US);
	}
	return stats(w).started;
}

/*
 * Scans are at ticks of the CPU that the kthread sleeps on: the first one not before d jiffies, and
 * then, since each begins a little behind a tick, every d + 1.
 */
static eh_time first_scan(const struct world *w, eh_time begin, int64_t d)
{
	eh_time jiffy = eh_sched_jiffy(w->s), at = w->r->timer.at;
	int cpu = w->r->kthread->cpu->id;

	ck_assert(eh_event_pending(&w->r->timer));
	ck_assert_int_eq(at % jiffy, jiffy * cpu / w->m->ncpus);
	ck_assert_int_ge(at, begin + d * jiffy);
	ck_assert_int_lt(at, begin + (d + 1) * jiffy + 100 * EH_US);
	return at;
}

static void urgent_at(int cores, int hz, int64_t d, int64_t sched_qs)
{
	struct job j[2] = {{.drops = PAGE, .until = EH_SEC}, {.until = EH_SEC}};
	eh_time begin, at, jiffy = EH_SEC / hz;
	uint64_t scans = 1;
	struct world w;

	setup(&w, cores, hz);
	start(&w, &j[0], 0, scan_ports);
	start(&w, &j[1], cores - 1, scan_ports);
	begin = wait_for_start(&w);
	ck_assert_int_eq(w.r->first_fqs, d);
	ck_assert_int_eq(w.r->next_fqs, d);
	ck_assert_int_eq(w.r->sched_qs, sched_qs);
	for (at = first_scan(&w, begin, d); at / jiffy - begin / jiffy <= sched_qs; scans++) {
		eh_sim_run(w.sim, at - 1);
		ck_assert_uint_eq(stats(&w).scans, scans - 1);
		eh_sim_run(w.sim, at + 60 * EH_US);
		ck_assert_uint_eq(stats(&w).scans, scans);
		ck_assert_uint_eq(stats(&w).urgent, 0);
		at += (d + 1) * jiffy;
	}
	eh_sim_run(w.sim, at - 1);
	ck_assert(!w.m->cpus[0].rcu_urgent && !w.m->cpus[cores - 1].rcu_urgent);
	eh_sim_run(w.sim, at + 60 * EH_US);
	ck_assert_uint_eq(stats(&w).urgent, 2);
	ck_assert_uint_eq(stats(&w).heavy, 0);
	ck_assert_uint_eq(stats(&w).grace_periods, 0);
	/* Both see it within a candidate and report at their next tick. */
	eh_sim_run(w.sim, at + jiffy + 60 * EH_US);
	ck_assert_uint_eq(stats(&w).grace_periods, 1);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_ge(j[i].reported, at);
		ck_assert_int_le(j[i].reported, at + 60 * EH_US);
	}
	teardown(&w);
}

START_TEST(urgent_flag)
{
	urgent_at(4, 1000, 3, 100);
	urgent_at(200, 1000, 3, 100);
	urgent_at(480, 1000, 4, 101);
	urgent_at(4, 250, 1, 25);
	urgent_at(480, 250, 2, 26);
	urgent_at(4, 100, 1, 10);
}
END_TEST

START_TEST(idle_cpus_are_found_by_the_first_scan)
{
	struct job j = {.drops = PAGE};
	struct world w;
	eh_time at;

	setup(&w, 40, 1000);
	start(&w, &j, 7, drop_and_sleep);
	at = first_scan(&w, wait_for_start(&w), 3);
	eh_sim_run(w.sim, at - 1);
	ck_assert_uint_eq(stats(&w).scans, 0);
	ck_assert_uint_eq(stats(&w).grace_periods, 0);
	eh_sim_run(w.sim, at + 20 * EH_US);
	ck_assert_uint_eq(stats(&w).scans, 1);
	ck_assert_uint_eq(stats(&w).grace_periods, 1);
	ck_assert_uint_eq(stats(&w).urgent, 0);
	ck_assert_uint_eq(stats(&w).found, 38); /* the kthread's CPU and CPU 7 tick */
	ck_assert_uint_eq(stats(&w).reports, 2);
	ck_assert_int_eq(w.freed, 0);
	eh_sim_run(w.sim, at + 2 * EH_MS);
	ck_assert_int_eq(w.freed, PAGE);
	ck_assert_int_ge(w.first_free, at);
	ck_assert_uint_eq(stats(&w).waiting, 0);
	ck_assert_uint_eq(stats(&w).waiting_peak, PAGE);
	/* Nobody needs anything: no ticks, no scans, no grace periods. */
	eh_sim_run(w.sim, EH_SEC);
	ck_assert_uint_eq(stats(&w).grace_periods, 1);
	ck_assert_uint_eq(stats(&w).scans, 1);
	ck_assert_int_eq(w.m->cpus[7].charged[EH_SYM(kfree_rcu_work)], PAGE * 50 * EH_NS);
	teardown(&w);
}
END_TEST

/* One of 40 busy CPUs keeps everybody waiting: the end is its report, at the tick after. */
START_TEST(ends_with_the_last_report)
{
	struct job j[40] = {{0}};
	struct world w;
	eh_time begin, last, tick;

	setup(&w, 40, 1000);
	for (int i = 0; i < 40; i++) {
		j[i] = (struct job){.until = EH_SEC, .drops = i == 0 ? PAGE : 0};
		if (i == 23)
			j[i].deaf_until = 170 * EH_MS + 123 * EH_US;
		start(&w, &j[i], i, scan_ports);
	}
	begin = wait_for_start(&w);
	eh_sim_run(w.sim, j[23].deaf_until - 1);
	/* All but the one on which the kthread goes before its task; CPU 23 anew with each scan, since
	   its ticks clear the flag. */
	ck_assert_uint_ge(stats(&w).urgent, 39 + 15);
	ck_assert_uint_le(stats(&w).urgent, 39 + 18);
	ck_assert_uint_eq(stats(&w).grace_periods, 0);
	tick = 170 * EH_MS + 23 * EH_MS / 40; /* CPU 23 ticks 575 us behind the full ms */
	eh_sim_run(w.sim, tick);
	ck_assert_uint_eq(stats(&w).grace_periods, 0);
	eh_sim_run(w.sim, tick + 20 * EH_US);
	ck_assert_uint_eq(stats(&w).grace_periods, 1);
	last = eh_hist_max(stats(&w).length) * EH_NS;
	ck_assert_int_ge(last, tick - begin);
	ck_assert_int_le(last, tick - begin + 20 * EH_US);
	/* 40 leaf reports, the last of each leaf also to the root */
	for (int i = 0; i < 40; i++)
		ck_assert_int_ge(w.m->cpus[i].charged[EH_SYM(rcu_report_qs_rnp)], 301 * EH_NS);
	teardown(&w);
}
END_TEST

static void sleep_often(struct eh_task *t, void *arg)
{
	struct job *j = arg;
	struct eh_cpu *c = t->cpu;

	drop(j->w, c, j->drops);
	while (c->retire < j->until) {
		eh_work(c, EH_SYM(tcp_ack), 50000);
		eh_task_wake(c, t);
		eh_cpu_point(c);
		c->need_resched = true;
		eh_task_yield(t);
		t->wake_pending = false;
	}
}

static void user_mode(struct eh_task *t, void *arg)
{
	struct job *j = arg;
	struct eh_cpu *c = t->cpu;

	while (c->retire < j->until) {
		eh_cpu_point(c);
		c->user = true;
		eh_work(c, EH_SYM_USER, 100000);
		eh_cpu_point(c);
		c->user = false;
	}
}

/* Those that switch or are in user mode report by themselves: learn at a tick, report at the next.
 */
START_TEST(switches_and_user_mode_report_at_ticks)
{
	struct job j[16] = {{0}};
	struct world w;
	eh_time begin;

	setup(&w, 16, 1000); /* one leaf that is the root */
	for (int i = 0; i < 16; i++) {
		j[i] = (struct job){.until = EH_SEC, .drops = i == 0 ? PAGE : 0};
		start(&w, &j[i], i, i % 2 ? user_mode : sleep_often);
	}
	begin = wait_for_start(&w);
	eh_sim_run(w.sim, begin + EH_MS);
	ck_assert_uint_eq(stats(&w).grace_periods, 0);
	eh_sim_run(w.sim, begin + 2 * EH_MS + 150 * EH_US);
	ck_assert_uint_eq(stats(&w).grace_periods, 1);
	ck_assert_uint_eq(stats(&w).scans, 0);
	teardown(&w);
}
END_TEST

START_TEST(a_part_of_a_page_waits_five_seconds)
{
	struct job j = {.drops = 1};
	struct world w;
	eh_time begin;

	setup(&w, 2, 1000);
	start(&w, &j, 1, drop_and_sleep);
	eh_sim_run(w.sim, 5 * EH_SEC);
	ck_assert(eh_sched_idle(w.s, 1));
	ck_assert_uint_eq(stats(&w).waiting, 1);
	ck_assert_int_eq(stats(&w).started, EH_TIME_NEVER);
	begin = wait_for_start(&w);
	ck_assert_int_le(begin, 5 * EH_SEC + 3 * EH_MS);
	eh_sim_run(w.sim, begin + 7 * EH_MS);
	ck_assert_int_eq(w.freed, 1);
	teardown(&w);
}
END_TEST

/* While both batches wait, more is collected, and gets its turn. */
START_TEST(more_than_two_batches)
{
	struct job j[2] = {{.drops = PAGE, .until = 2 * EH_SEC}, {.until = 2 * EH_SEC}};
	struct world w;
	struct eh_task *t;

	setup(&w, 2, 1000);
	t = start(&w, &j[0], 0, drop_and_sleep);
	start(&w, &j[1], 1, scan_ports);
	for (int i = 1; i <= 40; i++) {
		eh_sim_run(w.sim, i * 10 * EH_MS);
		ck_assert_int_eq(w.freed % PAGE, 0);
		ck_assert_uint_eq(stats(&w).waiting, (uint64_t)i * PAGE - (uint64_t)w.freed);
		if (i < 40)
			eh_task_start(t);
	}
	eh_sim_run(w.sim, EH_SEC);
	ck_assert_int_eq(w.freed, 40 * PAGE);
	/* 400 ms at about 103 ms each, and those for what came last */
	ck_assert_uint_ge(stats(&w).grace_periods, 4);
	ck_assert_uint_le(stats(&w).grace_periods, 7);
	teardown(&w);
}
END_TEST

/*
 * Readers hold what they have found for a while; an updater replaces it and frees the old one.
 * Whatever readers hold has not been freed.
 */
#define SLOTS 8

struct thing {
	int readers;
	bool freed;
};

struct shared {
	struct world w;
	struct thing *slot[SLOTS];
	GPtrArray *all;
	gsl_rng *rng;
	int reads, under_reader;
};

struct reader {
	struct shared *sh;
	int kind;
};

static void mark_freed(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o)
{
	struct thing *th = (struct thing *)o;

	(void)c;
	(void)k;
	ck_assert_int_eq(th->readers, 0);
	ck_assert(!th->freed);
	th->freed = true;
}

static void quiesce(struct eh_task *t, struct reader *rd)
{
	struct eh_cpu *c = t->cpu;

	if (c->need_resched)
		eh_task_yield(t);
	else if (c->rcu_urgent)
		eh_rcu_all_qs(rd->sh->w.r, c);
	if (rd->kind == 1 && eh_stream_below(rd->sh->rng, 20) == 0)
		eh_cpu_wait_until(c, -1, c->retire + 100 * EH_US);
	if (rd->kind == 2) {
		eh_cpu_point(c);
		c->user = true;
		eh_work(c, EH_SYM_USER, (int64_t)eh_stream_below(rd->sh->rng, 200000));
		eh_cpu_point(c);
		c->user = false;
	}
}

static void read_things(struct eh_task *t, void *arg)
{
	struct reader *rd = arg;
	struct shared *sh = rd->sh;
	struct eh_cpu *c = t->cpu;

	while (eh_sim_now(sh->w.sim) < 900 * EH_MS) {
		struct thing *th;

		eh_cpu_point(c);
		th = sh->slot[eh_stream_below(sh->rng, SLOTS)];
		ck_assert(!th->freed);
		th->readers++;
		/* Interrupts are on; up to 8 ms, many ticks. */
		for (int i = (int)eh_stream_below(sh->rng, 200); i-- > 0;) {
			eh_work(c, EH_SYM(tcp_ack), (int64_t)eh_stream_below(sh->rng, 80000));
			eh_cpu_point(c);
			ck_assert(!th->freed);
		}
		th->readers--;
		sh->reads++;
		quiesce(t, rd);
	}
}

static void replace_things(struct eh_task *t, void *arg)
{
	struct reader *rd = arg;
	struct shared *sh = rd->sh;
	struct eh_cpu *c = t->cpu;

	while (eh_sim_now(sh->w.sim) < 900 * EH_MS) {
		struct thing *th = g_new0(struct thing, 1), *old, **slot;

		g_ptr_array_add(sh->all, th);
		eh_work(c, EH_SYM(tcp_ack), 5000);
		eh_cpu_point(c);
		slot = &sh->slot[eh_stream_below(sh->rng, SLOTS)];
		old = *slot;
		*slot = th;
		sh->under_reader += old->readers > 0;
		eh_kfree_rcu(sh->w.r, c, NULL, (struct eh_object *)old, mark_freed);
		quiesce(t, rd);
	}
}

START_TEST(nothing_is_freed_under_a_reader)
{
	struct shared *sh = g_new0(struct shared, 1);
	struct reader rd[20];
	int freed = 0;

	setup(&sh->w, 20, 1000);
	sh->all = g_ptr_array_new_with_free_func(g_free);
	sh->rng = eh_stream_new(1, "readers");
	for (int i = 0; i < SLOTS; i++) {
		sh->slot[i] = g_new0(struct thing, 1);
		g_ptr_array_add(sh->all, sh->slot[i]);
	}
	for (int i = 0; i < 20; i++) {
		rd[i] = (struct reader){sh, i % 3};
		eh_task_start(eh_task_new(sh->w.s, i, "test", i < 2 ? replace_things : read_things,
					  &rd[i]));
	}
	eh_sim_run(sh->w.sim, EH_SEC);
	for (unsigned int i = 0; i < sh->all->len; i++)
		freed += ((struct thing *)sh->all->pdata[i])->freed;
	ck_assert_int_gt(sh->reads, 1000);
	ck_assert_int_gt(sh->under_reader, 1000);
	ck_assert_int_gt(freed, 50000);
	ck_assert_uint_gt(stats(&sh->w).grace_periods, 5);
	g_ptr_array_free(sh->all, TRUE);
	gsl_rng_free(sh->rng);
	teardown(&sh->w);
	g_free(sh);
}
END_TEST

/* Trees of one, two and three levels: every CPU is waited for. */
START_TEST(every_cpu_counts)
{
	static const int cores[] = {1, 16, 17, 1024, 1025, 3000};

	for (int i = 0; i < 6; i++) {
		int n = cores[i];
		struct job last = {.until = 300 * EH_MS, .deaf_until = 150 * EH_MS},
			   first = {.drops = PAGE};
		struct world w;

		setup(&w, n, 1000);
		start(&w, &first, 0, drop_and_sleep);
		if (n > 1)
			start(&w, &last, n - 1, scan_ports);
		ck_assert_int_lt(wait_for_start(&w), 10 * EH_MS);
		eh_sim_run(w.sim, 149 * EH_MS);
		ck_assert_uint_eq(stats(&w).grace_periods, n == 1);
		eh_sim_run(w.sim, 152 * EH_MS);
		ck_assert_uint_eq(stats(&w).grace_periods, 1);
			teardown(&w);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rcu");
	TCase *t = tcase_create("rcu");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, urgent_flag);
	tcase_add_test(t, idle_cpus_are_found_by_the_first_scan);
	tcase_add_test(t, ends_with_the_last_report);
	tcase_add_test(t, switches_and_user_mode_report_at_ticks);
	tcase_add_test(t, a_part_of_a_page_waits_five_seconds);
	tcase_add_test(t, more_than_two_batches);
	tcase_add_test(t, nothing_is_freed_under_a_reader);
	tcase_add_test(t, every_cpu_counts);
	suite_add_tcase(s, t);
	return run_suite(s);
}
