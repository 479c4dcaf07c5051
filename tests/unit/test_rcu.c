/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/rcu: scans, flags and the end of a grace period exactly at their time; nodes in their order;
 * nothing freed under a reader, and broken on purpose it is noticed; lists of callbacks and their
 * limits; who waits for a grace period, normal or expedited; pages of kfree_rcu.
 */
#include <ehsim/rcu.h>
#include <ehsim/stream.h>

#include <glib.h>
#include <signal.h>

#include "../../src/rcu/internal.h"
#include "../../src/sched/sched.h"
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

static void setup_kind(struct world *w, int cores, int hz, enum eh_rcu_kind kind)
{
	*w = (struct world){.mc = host_machine(1, 1, cores, 1), .kc = host_kernel(hz)};
	w->kc.rcu.kind = kind;
	w->sim = eh_sim_new(1);
	w->m = eh_machine_new(w->sim, "host", &w->mc);
	w->s = eh_sched_new(w->m, &w->kc);
	w->r = eh_rcu_new(w->s, &w->kc);
}

static void setup(struct world *w, int cores, int hz)
{
	setup_kind(w, cores, hz, EH_RCU_TREE);
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
		if (c->need_resched)
			eh_task_yield(t);
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

	setup_kind(&sh->w, 20, 1000, _i);
	sh->all = g_ptr_array_new_with_free_func(g_free);
	sh->rng = eh_stream_new(1, "readers");
	for (int i = 0; i < SLOTS; i++) {
		sh->slot[i] = g_new0(struct thing, 1);
		g_ptr_array_add(sh->all, sh->slot[i]);
	}
	for (int i = 0; i < 20; i++) {
		/* in classic RCU who never leaves the kernel holds up everybody for ever */
		rd[i] = (struct reader){sh, _i == EH_RCU_CLASSIC ? 2 : i % 3};
		eh_task_start(eh_task_new(sh->w.s, i, "test", i < 2 ? replace_things : read_things,
					  &rd[i]));
	}
	eh_sim_run(sh->w.sim, EH_SEC);
	for (unsigned int i = 0; i < sh->all->len; i++)
		freed += ((struct thing *)sh->all->pdata[i])->freed;
	ck_assert_int_gt(sh->reads, 1000);
	ck_assert_int_gt(sh->under_reader, 1000);
	ck_assert_int_gt(freed, _i == EH_RCU_CLASSIC ? 10000 : 50000);
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

/* --- the tree --- */

START_TEST(tree_is_breadth_first)
{
	static const struct {
		int cpus, nodes, leaves, inner;
	} shapes[] = {{1, 1, 1, 0}, {16, 1, 1, 0}, {17, 3, 2, 0}, {480, 31, 30, 0}, {3000, 192, 188, 3}};

	for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
		struct world w;

		setup(&w, shapes[i].cpus, 1000);
		ck_assert_int_eq(w.r->nnodes, shapes[i].nodes);
		ck_assert_int_eq(w.r->nleaves, shapes[i].leaves);
		ck_assert_ptr_null(w.r->nodes[0].parent);
		for (int n = 1; n < w.r->nnodes; n++) {
			const struct rcu_node *node = &w.r->nodes[n];

			ck_assert_ptr_eq(node->parent, &w.r->nodes[n <= shapes[i].inner
									   ? 0
									   : shapes[i].inner
							    ? 1 + (n - 1 - shapes[i].inner) / 64
							    : 0]);
			ck_assert(node->parent->full & node->bit);
			ck_assert(node->lock.line != node[-1].lock.line);
		}
		for (int c = 0; c < shapes[i].cpus; c++)
			ck_assert_ptr_eq(w.r->cpus[c].leaf, w.r->leaves + c / 16);
		teardown(&w);
	}
}
END_TEST

/* How many nodes have heard of it, and those are the first ones. */
static int heard(const struct world *w, uint64_t seq)
{
	int n = 0;

	while (n < w->r->nnodes && w->r->nodes[n].seq == seq)
		n++;
	for (int i = n; i < w->r->nnodes; i++)
		ck_assert_uint_eq(w->r->nodes[i].seq, seq - 1);
	return n;
}

/* The kthread goes through the nodes from the root down, at the begin and at the end. */
START_TEST(passes_go_from_the_root_down)
{
	struct job j = {.drops = PAGE};
	struct world w;
	int n = 0, steps = 0;

	setup(&w, 200, 1000);
	start(&w, &j, 7, drop_and_sleep);
	for (uint64_t seq = 1; seq <= 2; seq++) {
		while (w.r->nodes[0].seq < seq)
			eh_sim_run(w.sim, eh_sim_now(w.sim) + 50 * EH_NS);
		for (n = steps = 0; n < w.r->nnodes; steps++) {
			n = heard(&w, seq);
			eh_sim_run(w.sim, eh_sim_now(w.sim) + 50 * EH_NS);
		}
		ck_assert_int_gt(steps, 10);
	}
	eh_sim_run(w.sim, eh_sim_now(w.sim) + 10 * EH_US);
	ck_assert_uint_eq(w.r->seq, 2);
	teardown(&w);
}
END_TEST

/* --- lists of callbacks --- */

#define CBS 2000

/* By chance: what is done is a whole beginning of the list, and never before its grace period. */
START_TEST(segments)
{
	struct eh_rcu_head *cb = g_new0(struct eh_rcu_head, CBS);
	uint64_t *least = g_new0(uint64_t, CBS), seq = 0;
	gsl_rng *rng = eh_stream_new(1, "segments");
	int added = 0, taken = 0;
	struct cblist l;
	struct taken t;

	eh_cblist_init(&l);
	while (taken < CBS) {
		switch (eh_stream_below(rng, 5)) {
		case 0:
		case 1:
			if (added < CBS) {
				least[added] = (seq + 3) & ~(uint64_t)1;
				eh_cblist_add(&l, &cb[added++]);
			}
			break;
		case 2:
			eh_cblist_accelerate(&l, (seq + 3) & ~(uint64_t)1);
			break;
		case 3:
			seq++;
			eh_cblist_advance(&l, seq);
			break;
		default:
			if (!eh_cblist_take_done(&l, &t))
				break;
			for (uint64_t n = eh_stream_below(rng, 3); n-- && t.n; t.n--, taken++) {
				ck_assert_ptr_eq(t.first, &cb[taken]);
				ck_assert_uint_ge(seq, least[taken]);
				t.first = t.first->next;
				l.len--;
			}
			eh_cblist_put_back(&l, &t);
		}
		ck_assert_int_eq(l.len, added - taken);
		ck_assert_int_eq(l.n[0] + l.n[1] + l.n[2] + l.n[3], l.len);
		ck_assert_ptr_null(*l.tail[SEG_NEXT]);
		ck_assert_int_eq(eh_cblist_rest(&l, SEG_DONE), l.n[0] < l.len);
	}
	gsl_rng_free(rng);
	g_free(least);
	g_free(cb);
}
END_TEST

struct caller {
	struct job j;
	int n, called;
	struct eh_rcu_head *heads;
};

static void called(struct eh_cpu *c, struct eh_rcu_head *h, void *arg)
{
	struct caller *a = arg;

	(void)c;
	ck_assert_ptr_eq(h, &a->heads[a->called]); /* in order */
	a->called++;
}

static void queue(struct caller *a, struct eh_cpu *c)
{
	a->heads = g_new0(struct eh_rcu_head, a->n);
	for (int i = 0; i < a->n; i++) {
		a->heads[i] = (struct eh_rcu_head){.fn = called, .arg = a, .bytes = 100};
		eh_call_rcu(a->j.w->r, c, &a->heads[i]);
	}
}

static void call_and_sleep(struct eh_task *t, void *arg)
{
	queue(arg, t->cpu);
	eh_task_block(t);
}

static void call_and_scan(struct eh_task *t, void *arg)
{
	queue(arg, t->cpu);
	scan_ports(t, arg);
}

/* Ten at a time while a task wants the CPU, all at once if it idles. */
START_TEST(batch_limit)
{
	for (int idle = 0; idle < 2; idle++) {
		struct caller a = {.n = 95, .j.until = EH_SEC};
		struct world w;

		setup(&w, 4, 1000);
		start(&w, &a.j, 1, idle ? call_and_sleep : call_and_scan);
		eh_sim_run(w.sim, 3 * EH_MS);
		ck_assert_int_eq(a.called, 0);
		ck_assert_uint_eq(stats(&w).waiting, 95);
		ck_assert_int_eq(stats(&w).bytes, 9500);
		eh_sim_run(w.sim, 150 * EH_MS);
		ck_assert_int_eq(a.called, 95);
		ck_assert_uint_eq(stats(&w).invoked, 95);
		ck_assert_uint_eq(stats(&w).batches, idle ? 1 : 10);
		ck_assert_uint_eq(stats(&w).waiting, 0);
		ck_assert_int_eq(stats(&w).bytes_peak, 9500);
		g_free(a.heads);
		teardown(&w);
	}
}
END_TEST

/* Ten rounds of ten, then ksoftirqd goes on beside the task. */
START_TEST(ksoftirqd_takes_over)
{
	struct caller a = {.n = 500, .j.until = EH_SEC};
	struct world w;

	setup(&w, 4, 1000);
	start(&w, &a.j, 1, call_and_scan);
	while (!a.called)
		eh_sim_run(w.sim, eh_sim_now(w.sim) + EH_US);
	ck_assert_ptr_null(w.s->rqs[1].ksoftirqd);
	while (!w.s->rqs[1].ksoftirqd)
		eh_sim_run(w.sim, eh_sim_now(w.sim) + EH_US);
	ck_assert_int_eq(a.called, 100);
	eh_sim_run(w.sim, eh_sim_now(w.sim) + 5 * EH_MS);
	ck_assert_int_eq(a.called, 500);
	ck_assert_uint_eq(stats(&w).batches, 50);
	g_free(a.heads);
	teardown(&w);
}
END_TEST

/* Above qhimark without limit, and the grace period is hurried; an overload sets both flags at once. */
START_TEST(long_lists)
{
	struct caller a = {.n = 25000, .j = {.until = EH_SEC}};
	struct job other = {.until = EH_SEC, .deaf_until = 20 * EH_MS};
	struct world w;

	setup(&w, 4, 1000);
	start(&w, &a.j, 1, call_and_scan);
	start(&w, &other, 2, scan_ports);
	eh_sim_run(w.sim, 6 * EH_MS);
	ck_assert_int_eq(w.r->cpus[1].blimit, 10000);
	ck_assert_uint_ge(stats(&w).kicks, 1);
	ck_assert_uint_eq(stats(&w).overloads, 1);
	ck_assert_uint_eq(stats(&w).qlen_peak, 25000);
	eh_sim_run(w.sim, 19 * EH_MS);
	ck_assert_uint_ge(stats(&w).urgent, 2); /* long before 100 jiffies */
	ck_assert_uint_ge(stats(&w).heavy, 2);
	ck_assert_int_lt(a.called, 25000);
	eh_sim_run(w.sim, 50 * EH_MS);
	ck_assert_int_eq(a.called, 25000);
	ck_assert_int_eq(w.r->cpus[1].blimit, 10);
	ck_assert_uint_eq(w.r->leaves[0].overloaded, 0);
	ck_assert_uint_eq(stats(&w).overloads, 1);
	g_free(a.heads);
	teardown(&w);
}
END_TEST

/* Twice sched_qs: the heavy flag, and an extended quiescent state when the CPU gets to it. */
START_TEST(heavy_flag)
{
	struct job j = {.until = EH_SEC, .deaf_until = EH_SEC}, k = {.drops = PAGE};
	struct world w;
	eh_time at;

	setup(&w, 4, 1000);
	start(&w, &j, 0, scan_ports);
	start(&w, &k, 1, drop_and_sleep);
	for (at = first_scan(&w, wait_for_start(&w), 3); at < 220 * EH_MS;)
		at += 4 * EH_MS;
	j.deaf_until = at + 100 * EH_US;
	eh_sim_run(w.sim, 195 * EH_MS);
	ck_assert_uint_ge(stats(&w).urgent, 10); /* a tick clears it, the next scan sets it */
	ck_assert_uint_eq(stats(&w).heavy, 0);
	eh_sim_run(w.sim, at + 50 * EH_US);
	ck_assert_uint_eq(stats(&w).heavy, 1);
	ck_assert(w.r->cpus[0].heavy && w.m->cpus[0].rcu_urgent);
	ck_assert_uint_eq(stats(&w).grace_periods, 0);
	eh_sim_run(w.sim, at + 150 * EH_US); /* before the next tick clears the urgent flag */
	ck_assert_uint_eq(w.r->cpus[0].momentary, 1);
	ck_assert(!w.r->cpus[0].heavy);
	eh_sim_run(w.sim, 240 * EH_MS);
	ck_assert_uint_ge(stats(&w).grace_periods, 1);
	teardown(&w);
}
END_TEST

/* --- those who wait --- */

struct syncer {
	struct job j;
	bool expedited;
	eh_time first;
	int done;
};

static void synchronize(struct eh_task *t, void *arg)
{
	struct syncer *a = arg;

	for (int i = 0; i < 3; i++) {
		if (a->expedited)
			eh_synchronize_rcu_expedited(a->j.w->r, t);
		else
			eh_synchronize_rcu(a->j.w->r, t);
		if (!a->done++)
			a->first = t->cpu->retire;
	}
}

START_TEST(synchronize_waits)
{
	struct syncer a = {.expedited = false};
	struct job j = {.until = EH_SEC, .deaf_until = 200 * EH_MS};
	struct world w;

	setup(&w, 20, 1000);
	start(&w, &a.j, 3, synchronize);
	start(&w, &j, 19, scan_ports);
	eh_sim_run(w.sim, 199 * EH_MS);
	ck_assert_int_eq(a.done, 0);
	eh_sim_run(w.sim, EH_SEC);
	ck_assert_int_eq(a.done, 3);
	ck_assert_int_ge(a.first, 200 * EH_MS);
	ck_assert_uint_eq(eh_hist_count(stats(&w).sync->hist), 3);
	ck_assert_uint_ge(stats(&w).grace_periods, 3);
	ck_assert_uint_eq(stats(&w).waiting_peak, 0); /* nothing to be freed */
	teardown(&w);
}
END_TEST

/* Interrupts to those that do not idle, and a wait for who does not listen. */
START_TEST(expedited)
{
	struct syncer a[8] = {{.expedited = true}};
	struct job j[4] = {{0}};
	struct world w;

	setup(&w, 40, 1000); /* three leaves */
	for (int i = 0; i < 4; i++) {
		j[i].until = 50 * EH_MS;
		start(&w, &j[i], 10 * i + 1, scan_ports);
	}
	start(&w, &a[0].j, 3, synchronize);
	eh_sim_run(w.sim, EH_MS);
	ck_assert_int_eq(a[0].done, 3);
	ck_assert_uint_eq(stats(&w).expedited, 3);
	ck_assert_uint_ge(stats(&w).ipis, 3 * 4); /* and to workers' CPUs on their way to idle */
	ck_assert_uint_le(stats(&w).ipis, 3 * 7);
	ck_assert_int_lt(eh_hist_max(stats(&w).exp->hist), 100 * EH_US / EH_NS);
	ck_assert_uint_eq(stats(&w).grace_periods, 0);
	/* Eight at once: the first grace period is that of the first, the next serves all others. */
	for (int i = 0; i < 8; i++) {
		a[i] = (struct syncer){.expedited = true};
		start(&w, &a[i].j, 2 + 5 * i, synchronize);
	}
	eh_sim_run(w.sim, 3 * EH_MS);
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(a[i].done, 3);
	ck_assert_uint_eq(eh_hist_count(stats(&w).exp->hist), 3 + 24);
	ck_assert_uint_ge(stats(&w).expedited, 3 + 3);
	ck_assert_uint_le(stats(&w).expedited, 3 + 8);
	/* And one who does not listen. */
	for (int i = 0; i < 4; i++)
		j[i].deaf_until = 20 * EH_MS;
	a[0] = (struct syncer){.expedited = true};
	start(&w, &a[0].j, 3, synchronize);
	eh_sim_run(w.sim, 20 * EH_MS - 1);
	ck_assert_int_eq(a[0].done, 0);
	eh_sim_run(w.sim, 21 * EH_MS);
	ck_assert_int_eq(a[0].done, 3);
	teardown(&w);
}
END_TEST

/* nohz_full: who is in user mode is found by the first scan, without a tick of its own. */
START_TEST(user_mode_may_be_extended)
{
	for (int full = 0; full < 2; full++) {
		struct syncer a = {.expedited = true};
		struct job j = {.until = EH_SEC};
		struct world w;

		setup(&w, 4, 1000);
		w.kc.rcu.user_eqs = full;
		start(&w, &j, 2, user_mode);
		start(&w, &a.j, 1, synchronize);
		eh_sim_run(w.sim, 2 * EH_MS);
		ck_assert_int_eq(a.done, 3);
		ck_assert_int_eq(stats(&w).ipis == 0, full);
		teardown(&w);
	}
}
END_TEST

/* --- broken on purpose: each of these ends the program --- */

/* A report for CPU 3 that it never made. */
START_TEST(ended_without_a_cpu)
{
	struct job j[2] = {{.drops = PAGE, .until = EH_SEC},
			   {.until = EH_SEC, .deaf_until = EH_SEC}};
	struct world w;

	setup(&w, 20, 1000);
	start(&w, &j[0], 0, scan_ports);
	start(&w, &j[1], 3, scan_ports);
	wait_for_start(&w);
	eh_sim_run(w.sim, eh_sim_now(w.sim) + EH_MS);
	ck_assert(w.r->cpus[3].leaf->mask & w.r->cpus[3].bit);
	w.r->cpus[3].leaf->mask &= ~w.r->cpus[3].bit;
	eh_sim_run(w.sim, EH_SEC);
}
END_TEST

START_TEST(callback_before_its_time)
{
	struct caller a = {.n = 5};
	struct world w;

	setup(&w, 4, 1000);
	start(&w, &a.j, 1, call_and_sleep);
	eh_sim_run(w.sim, 500 * EH_US);
	eh_cblist_accelerate(&w.r->cpus[1].cbs, 2);
	eh_cblist_advance(&w.r->cpus[1].cbs, 2);
	eh_sim_run(w.sim, EH_SEC);
}
END_TEST

START_TEST(page_before_its_time)
{
	struct job j = {.drops = PAGE}, k = {.until = EH_SEC, .deaf_until = EH_SEC};
	struct world w;

	setup(&w, 4, 1000);
	start(&w, &j, 1, drop_and_sleep);
	start(&w, &k, 2, scan_ports);
	eh_sim_run(w.sim, 500 * EH_US);
	w.r->cpus[1].collecting->snap = 0; /* so the monitor takes it for ready */
	eh_sim_run(w.sim, EH_SEC);
}
END_TEST

START_TEST(expedited_without_a_cpu)
{
	struct syncer a = {.expedited = true};
	struct job j = {.until = EH_SEC, .deaf_until = EH_SEC};
	struct world w;

	setup(&w, 20, 1000);
	start(&w, &j, 2, scan_ports);
	start(&w, &a.j, 17, synchronize);
	eh_sim_run(w.sim, EH_MS);
	ck_assert(w.r->leaves[0].exp_mask == w.r->cpus[2].bit);
	w.r->leaves[0].exp_mask = w.r->nodes[0].exp_mask = 0;
	eh_task_start(w.r->exp_task);
	eh_sim_run(w.sim, EH_SEC);
}
END_TEST

/* --- classic RCU --- */

/* Every CPU ticks: hears of it at one tick, reports at the next; nobody scans. */
START_TEST(classic_ends_after_two_ticks)
{
	struct caller a = {.n = 25};
	eh_time jiffy = 10 * EH_MS;
	struct world w;

	setup_kind(&w, 8, 100, EH_RCU_CLASSIC);
	start(&w, &a.j, 2, call_and_sleep);
	eh_sim_run(w.sim, 2 * jiffy);
	ck_assert_int_eq(a.called, 0);
	eh_sim_run(w.sim, 5 * jiffy);
	ck_assert_int_eq(a.called, 25);
	ck_assert_uint_eq(stats(&w).grace_periods, 1);
	ck_assert_uint_eq(stats(&w).reports, 8);
	ck_assert_uint_eq(stats(&w).batches, 3); /* ten, ten, five */
	ck_assert_uint_eq(stats(&w).scans, 0);
	ck_assert_int_le(eh_hist_max(stats(&w).length), 2 * jiffy / EH_NS);
	ck_assert_int_gt(eh_hist_max(stats(&w).length), jiffy / EH_NS);
	eh_sim_run(w.sim, EH_SEC);
	ck_assert_uint_eq(stats(&w).grace_periods, 1);
	g_free(a.heads);
	teardown(&w);
}
END_TEST

/* cond_resched alone is no quiescent state: who does not switch is waited for until it stops. */
START_TEST(classic_waits_for_a_switch)
{
	struct syncer a = {.expedited = true}; /* which is the same there */
	struct job j = {.until = 700 * EH_MS};
	struct world w;

	setup_kind(&w, 4, 1000, EH_RCU_CLASSIC);
	start(&w, &j, 0, scan_ports);
	start(&w, &a.j, 1, synchronize);
	eh_sim_run(w.sim, 700 * EH_MS);
	ck_assert_int_eq(a.done, 0);
	ck_assert_uint_eq(stats(&w).urgent, 0);
	eh_sim_run(w.sim, 704 * EH_MS);
	ck_assert_int_ge(a.done, 1);
	eh_sim_run(w.sim, EH_SEC);
	ck_assert_int_eq(a.done, 3);
	teardown(&w);
}
END_TEST

START_TEST(classic_ended_without_a_cpu)
{
	struct job j = {.drops = 1}, k = {.until = EH_SEC};
	struct world w;

	setup_kind(&w, 4, 1000, EH_RCU_CLASSIC);
	start(&w, &j, 1, drop_and_sleep);
	start(&w, &k, 2, scan_ports);
	eh_sim_run(w.sim, 10 * EH_MS);
	ck_assert_int_eq(w.r->classic.left, 1);
	w.r->cpus[2].qsctr++; /* as if it had switched */
	eh_sim_run(w.sim, EH_SEC);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rcu");
	TCase *t = tcase_create("rcu"), *broken = tcase_create("broken");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, tree_is_breadth_first);
	tcase_add_test(t, passes_go_from_the_root_down);
	tcase_add_test(t, segments);
	tcase_add_test(t, batch_limit);
	tcase_add_test(t, ksoftirqd_takes_over);
	tcase_add_test(t, long_lists);
	tcase_add_test(t, heavy_flag);
	tcase_add_test(t, synchronize_waits);
	tcase_add_test(t, expedited);
	tcase_add_test(t, user_mode_may_be_extended);
	tcase_add_test(t, classic_ends_after_two_ticks);
	tcase_add_test(t, classic_waits_for_a_switch);
	tcase_add_test(t, urgent_flag);
	tcase_add_test(t, idle_cpus_are_found_by_the_first_scan);
	tcase_add_test(t, ends_with_the_last_report);
	tcase_add_test(t, switches_and_user_mode_report_at_ticks);
	tcase_add_test(t, a_part_of_a_page_waits_five_seconds);
	tcase_add_test(t, more_than_two_batches);
	tcase_add_loop_test(t, nothing_is_freed_under_a_reader, EH_RCU_TREE, EH_RCU_CLASSIC + 1);
	tcase_add_test(t, every_cpu_counts);
	suite_add_tcase(s, t);
	tcase_add_test_raise_signal(broken, ended_without_a_cpu, SIGABRT);
	tcase_add_test_raise_signal(broken, callback_before_its_time, SIGABRT);
	tcase_add_test_raise_signal(broken, page_before_its_time, SIGABRT);
	tcase_add_test_raise_signal(broken, expedited_without_a_cpu, SIGABRT);
	tcase_add_test_raise_signal(broken, classic_ended_without_a_cpu, SIGABRT);
	suite_add_tcase(s, broken);
	return run_suite(s);
}
