/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every lock kind of the table through the same tests: never two owners, everybody gets it, in turn
 * where that is promised; readers share; what a hand-over touches; statistics add up; those that
 * sleep do sleep. Tasks stay on their CPUs.
 */
#include <ehsim/c2c.h>
#include <ehsim/lock.h>
#include <ehsim/read_side.h>
#include <ehsim/stream.h>
#include <ehsim/task.h>

#include <glib.h>

#include "host.h"
#include "suite.h"

#define SYM EH_SYM(tcp_ack)
#define INSTR EH_NS
#define TRANSFER (65 * EH_NS)

struct world {
	struct eh_machine_config mc;
	struct eh_kernel_config kc;
	struct eh_sim *sim;
	struct eh_machine *m;
	struct eh_sched *s;
	struct eh_lock_class class;
	struct eh_lock *lock;
	struct eh_word data[2]; /* equal whenever nobody is writing */
	int inside, switches, repeated;
};

struct job {
	struct world *w;
	struct eh_task *t;
	gsl_rng *rng;
	int rounds, writes_of_8; /* so many rounds of eight write */
	int think, hold;	 /* instructions at most; drawn */
	bool yields;		 /* leaves its CPU while it holds the lock */
	eh_time arrives, got, released;
	int readers, repeats;
};

static void count_switch(struct eh_cpu *c, void *arg)
{
	(void)c;
	((struct world *)arg)->switches++;
}

static void setup(struct world *w, const struct eh_lock_kind *kind, int sockets, int dies,
		  int cores)
{
	struct eh_sched_hooks hooks = {.context_switch = count_switch, .arg = w};

	*w = (struct world){.mc = host_machine(sockets, dies, cores, 2), .kc = host_kernel(1000)};
	w->sim = eh_sim_new(1);
	w->m = eh_machine_new(w->sim, "host", &w->mc);
	w->s = eh_sched_new(w->m, &w->kc);
	eh_sched_hook(w->s, &hooks);
	w->class.name = kind->name;
	w->lock = eh_lock_new(w->m, kind, 0, &w->class);
	for (int i = 0; i < 2; i++)
		eh_word_init(&w->data[i], eh_lines_new(w->m, 1, 0), 0);
}

static void teardown(struct world *w)
{
	eh_sched_free(w->s);
	eh_machine_free(w->m);
	eh_sim_free(w->sim);
}

static void start(struct world *w, struct job *j, int cpu, void (*fn)(struct eh_task *, void *))
{
	j->w = w;
	j->t = eh_task_new(w->s, cpu, "test", fn, j);
	eh_task_start(j->t);
}

static void draw_work(struct job *j, int most)
{
	if (most)
		eh_work(j->t->cpu, SYM, 1 + (int64_t)eh_stream_below(j->rng, (uint64_t)most));
}

static void write_section(struct job *j)
{
	struct world *w = j->w;
	struct eh_cpu *c = j->t->cpu;
	uint64_t was = w->data[0].value;

	eh_lock_take(w->lock, c);
	ck_assert_int_eq(w->inside, 0);
	w->inside = -1;
	was = w->data[0].value;
	ck_assert_uint_eq(w->data[1].value, was);
	eh_word_xchg(c, SYM, &w->data[0], was + 1);
	draw_work(j, j->hold);
	if (j->yields)
		eh_task_yield(j->t);
	eh_word_xchg(c, SYM, &w->data[1], was + 1);
	eh_cpu_sync(c, c->retire);
	ck_assert_uint_eq(w->data[0].value, was + 1);
	ck_assert_int_eq(w->inside, -1);
	w->inside = 0;
	eh_lock_release(w->lock, c);
}

static void read_section(struct job *j)
{
	struct world *w = j->w;
	struct eh_cpu *c = j->t->cpu;
	bool keeps_out = !w->lock->kind->optimistic;
	uint64_t a, b;
	bool again;

	do {
		eh_lock_take_read(w->lock, c);
		if (keeps_out) {
			ck_assert_int_ge(w->inside, 0);
			w->inside++;
		}
		a = eh_word_load(c, SYM, &w->data[0]);
		draw_work(j, j->hold);
		b = eh_word_load(c, SYM, &w->data[1]);
		if (keeps_out) {
			ck_assert_int_gt(w->inside, 0);
			w->inside--;
		}
		again = eh_lock_release_read(w->lock, c);
		ck_assert(!again || !keeps_out);
		w->repeated += again;
	} while (again);
	ck_assert_uint_eq(a, b);
}

static void play(struct eh_task *t, void *arg)
{
	struct job *j = arg;

	while (j->rounds-- > 0) {
		draw_work(j, j->think);
		if ((int)eh_stream_below(j->rng, 8) < j->writes_of_8)
			write_section(j);
		else
			read_section(j);
		if (t->cpu->need_resched)
			eh_task_yield(t);
	}
}

struct crowd {
	int tasks, cpus, rounds, writes_of_8, think, hold;
	bool yields;
	uint64_t seed;
};

static uint64_t run_crowd(struct world *w, const struct eh_lock_kind *kind, const struct crowd *p)
{
	struct job *j = g_new0(struct job, p->tasks);

	setup(w, kind, 2, 2, 8);
	for (int i = 0; i < p->tasks; i++) {
		char name[32];

		g_snprintf(name, sizeof(name), "task.%d", i);
		j[i] = (struct job){.rng = eh_stream_new(p->seed, name),
				    .rounds = p->rounds,
				    .writes_of_8 = p->writes_of_8,
				    .think = p->think,
				    .hold = p->hold,
				    .yields = p->yields};
		start(w, &j[i], eh_machine_spread(w->m, i % p->cpus), play);
	}
	eh_sim_run(w->sim, 10 * EH_SEC);
	for (int i = 0; i < p->tasks; i++) { /* nobody is left waiting */
		ck_assert_msg(j[i].rounds == -1, "%s: task %d still has %d rounds", kind->name, i,
			      j[i].rounds);
		gsl_rng_free(j[i].rng);
	}
	ck_assert_uint_eq(w->class.acquisitions, (uint64_t)(p->tasks * p->rounds + w->repeated));
	ck_assert_uint_le(w->class.contentions, w->class.acquisitions);
	ck_assert_uint_lt(w->class.bounces, w->class.acquisitions);
	ck_assert_int_le(w->class.wait_max, w->class.wait_total);
	ck_assert(w->class.wait_total == 0 || w->class.contentions > 0);
	ck_assert(w->lock->readers == 0 && w->lock->writers == 0);
	g_free(j);
	return eh_sim_fingerprint(w->sim);
}

START_TEST(never_two_owners)
{
	static const int cpus[] = {2, 3, 16, 64}, think[] = {1, 3000}, hold[] = {0, 200};
	const struct eh_lock_kind *kind = eh_lock_kinds[_i];

	for (int n = 0; n < 4 * 2 * 2; n++) {
		struct crowd p = {.tasks = cpus[n / 4], .cpus = cpus[n / 4], .seed = 1};
		struct world w;

		p.rounds = 600 / p.cpus;
		p.writes_of_8 = 8;
		p.think = think[n / 2 % 2];
		p.hold = hold[n % 2];
		run_crowd(&w, kind, &p);
		ck_assert_uint_eq(w.data[0].value, (uint64_t)(p.tasks * p.rounds));
		teardown(&w);
	}
	for (uint64_t seed = 2; seed < 12; seed++) {
		struct crowd p = {.tasks = 2 + (int)seed % 7, .cpus = 2 + (int)seed % 7,
				  .rounds = 100, .writes_of_8 = 8, .think = 400, .hold = 200,
				  .seed = seed};
		struct world w;

		run_crowd(&w, kind, &p);
		teardown(&w);
	}
}
END_TEST

START_TEST(the_same_twice)
{
	const struct crowd p = {.tasks = 20, .cpus = 20, .rounds = 40, .writes_of_8 = 4,
				.think = 500, .hold = 100, .seed = 7};
	uint64_t print[2];

	for (int i = 0; i < 2; i++) {
		struct world w;

		print[i] = run_crowd(&w, eh_lock_kinds[_i], &p);
		teardown(&w);
	}
	ck_assert_uint_eq(print[0], print[1]);
}
END_TEST

START_TEST(writers_and_readers)
{
	static const int cpus[] = {3, 16, 64}, writes[] = {0, 1, 4};

	for (int n = 0; n < 3 * 3; n++) {
		struct crowd p = {.tasks = cpus[n / 3], .cpus = cpus[n / 3],
				  .rounds = 600 / cpus[n / 3], .writes_of_8 = writes[n % 3],
				  .think = 1000, .hold = 300, .seed = 3};
		struct world w;

		run_crowd(&w, eh_lock_kinds[_i], &p);
		if (!p.writes_of_8 && eh_lock_kinds[_i]->read_lock)
			ck_assert_uint_eq(w.class.contentions, 0);
		teardown(&w);
	}
}
END_TEST

/* --- one after the other --- */

static void take_once(struct eh_task *t, void *arg)
{
	struct job *j = arg;
	struct eh_cpu *c = t->cpu;

	eh_cpu_wait_until(c, SYM, j->arrives);
	eh_lock_take(j->w->lock, c);
	j->got = c->retire;
	eh_work(c, SYM, j->hold);
	eh_lock_release(j->w->lock, c);
	j->released = c->retire;
	eh_cpu_sync(c, c->retire);
}

/* Far enough apart that the order of arrival is no question; in random order of CPUs. */
START_TEST(in_turn)
{
	gsl_rng *r = eh_stream_new(1, "arrivals");

	for (int round = 0; eh_lock_kinds[_i]->fifo && round < 10; round++) {
		struct job j[32];
		struct world w;
		int used[32];

		setup(&w, eh_lock_kinds[_i], 2, 2, 8);
		for (int i = 0; i < 32; i++)
			used[i] = i;
		for (int i = 0; i < 32; i++) {
			int k = i + (int)eh_stream_below(r, (uint64_t)(32 - i)), cpu = used[k];

			used[k] = used[i];
			used[i] = cpu;
			j[i] = (struct job){.arrives = 20 * EH_US + i * 2 * EH_US};
			j[i].hold = i ? (int)eh_stream_below(r, 300) : 100000;
			start(&w, &j[i], cpu, take_once);
		}
		eh_sim_run(w.sim, EH_SEC);
		for (int i = 1; i < 32; i++)
			ck_assert_int_gt(j[i].got, j[i - 1].released);
		ck_assert_uint_eq(w.class.contentions, 31);
		ck_assert_uint_eq(w.class.bounces, 31);
		teardown(&w);
	}
	gsl_rng_free(r);
}
END_TEST

/* What the lines did from just before the release until the next owner is at work. */
struct traffic {
	int lines, reads, writes; /* reads of a modified line; copies taken from others */
	eh_time took;
};

static struct traffic hand_over(const struct eh_lock_kind *kind, int waiters)
{
	struct traffic sum = {.took = EH_TIME_NEVER};
	struct job j[17];
	struct world w;
	GArray *rows;

	setup(&w, kind, 1, 1, 32);
	for (int i = 0; i <= waiters; i++) {
		j[i] = (struct job){.arrives = (20 + 2 * i) * EH_US, .hold = i ? 100000 : 200000};
		start(&w, &j[i], i, take_once);
	}
	eh_sim_run(w.sim, 219 * EH_US);
	ck_assert_uint_eq(w.class.acquisitions, 1);
	ck_assert_int_eq(j[0].released, 0);
	eh_c2c_start(w.m);
	while (w.class.acquisitions == 1)
		eh_sim_run(w.sim, eh_sim_now(w.sim) + 10 * EH_US);
	rows = eh_c2c_rows(w.m);
	for (guint i = 0; i < rows->len; i++) {
		const struct eh_c2c_row *row = &g_array_index(rows, struct eh_c2c_row, i);

		ck_assert_ptr_nonnull(row->name);
		sum.lines += (int)row->lines;
		sum.reads += (int)row->count.lcl_hitm;
		sum.writes += (int)row->count.lcl_store;
	}
	g_array_unref(rows);
	for (int i = 1; i <= waiters; i++)
		if (j[i].got)
			sum.took = MIN(sum.took, j[i].got - j[0].released);
	teardown(&w);
	return sum;
}

/* By waiters: a + b * waiters of each. The owner's store and the waiter's read are one way each. */
static const struct {
	const char *kind;
	struct traffic a, b;
} exact[] = {
	{"ticket", {1, 0, 1, 2 * TRANSFER}, {0, 1, 0, 0}}, /* everybody reads again */
	{"mcs", {2, 2, 1, 2 * TRANSFER}, {0, 0, 0, 0}},	   /* own node, read; next one's, written */
	{"clh", {1, 1, 1, 2 * TRANSFER}, {0, 0, 0, 0}},
	{"queued", {1, 1, 2, 2 * TRANSFER + INSTR}, {0, 0, 0, 0}}, /* beyond the word: test_lock */
	{"ttas", {1, 0, 1, 0}, {0, 0, 1, 0}}, /* ... and everybody tries */
};

START_TEST(lines_of_a_hand_over)
{
	static const int waiters[] = {1, 4, 16};
	const struct eh_lock_kind *kind = eh_lock_kinds[_i];

	ck_assert_int_eq(hand_over(kind, 1).lines, kind->lines);
	for (size_t k = 0; k < G_N_ELEMENTS(exact); k++)
		for (int i = 0; i < 3 && g_str_equal(exact[k].kind, kind->name); i++) {
			const struct traffic *a = &exact[k].a, *b = &exact[k].b;
			struct traffic got = hand_over(kind, waiters[i]);

			ck_assert_int_eq(got.lines, a->lines + b->lines * waiters[i]);
			ck_assert_int_eq(got.writes, a->writes + b->writes * waiters[i]);
			if (a->took) {
				ck_assert_int_eq(got.reads, a->reads + b->reads * waiters[i]);
				ck_assert_int_eq(got.took, a->took);
			}
		}
}
END_TEST

/* --- alone --- */

static void take_often(struct eh_task *t, void *arg)
{
	struct job *j = arg;
	struct eh_cpu *c = t->cpu;

	for (int i = -1; i < j->rounds; i++) {
		eh_lock_take(j->w->lock, c);
		eh_work(c, SYM, j->hold);
		eh_lock_release(j->w->lock, c);
		eh_work(c, SYM, j->think);
		if (i < 0) /* the lines are there from now on */
			j->got = c->retire;
	}
	j->released = c->retire;
}

/* Time of a round, and that nothing is counted as contended. */
static eh_time alone(const struct eh_lock_kind *kind, int think)
{
	struct job j = {.rounds = 100, .hold = 20, .think = think};
	struct world w;

	setup(&w, kind, 1, 1, 2);
	start(&w, &j, 0, take_often);
	eh_sim_run(w.sim, 100 * EH_MS);
	ck_assert_int_gt(j.released, 0);
	ck_assert_uint_eq(w.class.acquisitions, 101);
	ck_assert_uint_eq(w.class.contentions, 0);
	ck_assert_uint_eq(w.class.bounces, 0);
	ck_assert_int_eq(w.class.wait_total, 0);
	teardown(&w);
	return (j.released - j.got) / j.rounds;
}

/* Row L8: a program that seldom takes a lock is as fast with each of them, within 3 %. */
START_TEST(without_contention)
{
	eh_time queued = alone(eh_lock_kind_find("queued"), 4000);
	eh_time got = alone(eh_lock_kinds[_i], 4000);

	ck_assert_int_le(100 * ABS(got - queued), 3 * queued);
}
END_TEST

/* --- who comes, gets it --- */

#define HAMMERS 12

static void hammer(struct eh_task *t, void *arg)
{
	struct job *j = arg;

	eh_cpu_wait_until(t->cpu, SYM, j->arrives);
	for (;;) {
		if (j->writes_of_8)
			write_section(j);
		else
			read_section(j);
		draw_work(j, j->think);
		if (t->cpu->need_resched)
			eh_task_yield(t);
	}
}

/* When somebody who arrives at 1 ms and wants to write has it, while others keep it busy. */
static eh_time latecomer(const struct eh_lock_kind *kind, bool readers, int think)
{
	struct job j[HAMMERS], late = {.arrives = EH_MS, .hold = 10};
	struct world w;

	setup(&w, kind, 2, 2, 8);
	for (int i = 0; i < HAMMERS; i++) {
		char name[32];

		g_snprintf(name, sizeof(name), "task.%d", i);
		j[i] = (struct job){.rng = eh_stream_new(1, name), .writes_of_8 = readers ? 0 : 8,
				    .think = think, .hold = 200};
		start(&w, &j[i], eh_machine_spread(w.m, i), hammer);
	}
	start(&w, &late, eh_machine_spread(w.m, HAMMERS), take_once);
	while (!late.got && eh_sim_now(w.sim) < 40 * EH_MS)
		eh_sim_run(w.sim, eh_sim_now(w.sim) + EH_MS / 4);
	for (int i = 0; i < HAMMERS; i++)
		gsl_rng_free(j[i].rng);
	teardown(&w);
	return late.got;
}

START_TEST(waits_end)
{
	const struct eh_lock_kind *kind = eh_lock_kinds[_i];

	ck_assert_int_gt(latecomer(kind, false, 3000), 0);
	if (!kind->read_lock)
		return;
	/* Where nobody waits in turn and readers leave no gap, a writer waits for ever. */
	if (g_str_equal(kind->name, "rwlock2004"))
		ck_assert_int_eq(latecomer(kind, true, 300), 0);
	else
		ck_assert_int_gt(latecomer(kind, true, 300), 0);
}
END_TEST

/* --- readers --- */

static void read_long(struct eh_task *t, void *arg)
{
	struct job *j = arg;

	eh_cpu_wait_until(t->cpu, SYM, j->arrives);
	eh_lock_take_read(j->w->lock, t->cpu);
	j->got = t->cpu->retire;
	eh_work(t->cpu, SYM, 100000);
	eh_cpu_sync(t->cpu, t->cpu->retire);
	j->readers = j->w->lock->readers; /* how many of us are inside */
	j->repeats = eh_lock_release_read(j->w->lock, t->cpu);
	j->released = t->cpu->retire;
}

/* Eight read for 100 us, then somebody wants to write. */
START_TEST(readers_share)
{
	const struct eh_lock_kind *kind = eh_lock_kinds[_i];
	struct job j[8], writer = {.arrives = 30 * EH_US, .hold = 10};
	eh_time last = 0;
	struct world w;
	int most = 0;

	if (!kind->read_lock)
		return;
	setup(&w, kind, 2, 2, 8);
	for (int i = 0; i < 8; i++) {
		j[i] = (struct job){.arrives = 20 * EH_US};
		start(&w, &j[i], eh_machine_spread(w.m, i), read_long);
	}
	start(&w, &writer, 20, take_once);
	eh_sim_run(w.sim, EH_MS / 2);
	for (int i = 0; i < 8; i++) {
		ck_assert_int_lt(j[i].got, 25 * EH_US);
		ck_assert_int_eq(j[i].repeats, kind->optimistic);
		most = MAX(most, j[i].readers);
		last = MAX(last, j[i].got + 100000 * INSTR);
	}
	ck_assert_int_eq(most, 8);
	if (kind->optimistic)
		ck_assert_int_lt(writer.got, 32 * EH_US);
	else
		ck_assert_int_gt(writer.got, last);
	ck_assert_uint_eq(w.class.contentions, !kind->optimistic);
	teardown(&w);
}
END_TEST

/* --- sleeping --- */

/* Three tasks to a CPU, and who holds it leaves the CPU: spinning alone would never end. */
START_TEST(sleepers_sleep)
{
	static const int writes[] = {8, 4};

	for (int n = 0; n < 2 && eh_lock_kinds[_i]->sleeps; n++) {
		struct crowd p = {.tasks = 24, .cpus = 8, .rounds = 30, .writes_of_8 = writes[n],
				  .think = 3000, .hold = 500, .yields = true, .seed = 5};
		struct world w;

		run_crowd(&w, eh_lock_kinds[_i], &p);
		ck_assert_uint_gt(w.class.contentions, 100);
		ck_assert_int_gt(w.class.wait_max, 2 * EH_US); /* somebody left idle meanwhile */
		teardown(&w);
	}
}
END_TEST

/* The owner sleeps: who waits sleeps, too, and its CPU is idle until the release. */
static void sleep_inside(struct eh_task *t, void *arg)
{
	struct job *j = arg;

	eh_cpu_wait_until(t->cpu, SYM, j->arrives);
	eh_lock_take(j->w->lock, t->cpu);
	j->got = t->cpu->retire;
	eh_task_block(t);
	eh_lock_release(j->w->lock, t->cpu);
	j->released = t->cpu->retire;
}

START_TEST(owner_asleep)
{
	struct job a = {.arrives = 20 * EH_US}, b = {.arrives = 40 * EH_US, .hold = 10};
	struct world w;

	if (!eh_lock_kinds[_i]->sleeps)
		return;
	setup(&w, eh_lock_kinds[_i], 1, 1, 4);
	start(&w, &a, 0, sleep_inside);
	start(&w, &b, 1, take_once);
	eh_sim_run(w.sim, 300 * EH_US);
	ck_assert(a.got && !b.got && eh_sched_idle(w.s, 0) && eh_sched_idle(w.s, 1));
	eh_task_start(a.t);
	eh_sim_run(w.sim, 600 * EH_US);
	ck_assert_int_gt(b.got, a.released - 1000 * INSTR); /* a was still in the waking */
	ck_assert_int_gt(b.released, b.got);
	ck_assert_uint_eq(w.class.contentions, 1);
	teardown(&w);
}
END_TEST

/* It sleeps, and by the time it is woken others who spin have taken the lock, again and again. */
START_TEST(sleeper_against_spinners)
{
	struct job a = {.arrives = 20 * EH_US}, b = {.arrives = 40 * EH_US, .hold = 10}, j[6];
	struct world w;

	if (!eh_lock_kinds[_i]->sleeps)
		return;
	setup(&w, eh_lock_kinds[_i], 1, 1, 8);
	start(&w, &a, 0, sleep_inside);
	start(&w, &b, 1, take_once);
	for (int i = 0; i < 6; i++) {
		char name[32];

		g_snprintf(name, sizeof(name), "task.%d", i);
		j[i] = (struct job){.arrives = 300 * EH_US, .rng = eh_stream_new(1, name),
				    .writes_of_8 = 8, .think = 10, .hold = 1000};
		start(&w, &j[i], 2 + i, hammer);
	}
	eh_sim_run(w.sim, 290 * EH_US);
	eh_task_start(a.t);
	eh_sim_run(w.sim, 10 * EH_MS);
	ck_assert_int_gt(a.got, 0);
	ck_assert_uint_gt(w.class.acquisitions, 3000);
	ck_assert_int_gt(b.got, 0);
	for (int i = 0; i < 6; i++)
		gsl_rng_free(j[i].rng);
	teardown(&w);
}
END_TEST

/* --- read sides that are no locks --- */

struct counted {
	struct eh_task *t;
	struct eh_refcount *ref;
	struct eh_srcu *srcu;
	int rounds, last;
};

static void count(struct eh_task *t, void *arg)
{
	struct counted *j = arg;

	for (int i = 0; i < j->rounds; i++) {
		eh_refcount_inc(t->cpu, j->ref);
		eh_srcu_read_lock(t->cpu, j->srcu);
		eh_work(t->cpu, SYM, 50);
		eh_srcu_read_unlock(t->cpu, j->srcu);
		j->last += eh_refcount_dec_and_test(t->cpu, j->ref);
	}
}

START_TEST(counts)
{
	struct eh_refcount ref;
	struct eh_srcu srcu;
	struct counted j[16];
	struct world w;
	int last = 0;
	eh_time in_srcu, in_ref;

	setup(&w, eh_lock_kinds[0], 2, 2, 8);
	eh_refcount_init(&ref, eh_lines_new(w.m, 1, 0));
	eh_srcu_init(&srcu, w.m, 0);
	for (int i = 0; i < 16; i++) {
		j[i] = (struct counted){.ref = &ref, .srcu = &srcu, .rounds = 100};
		j[i].t = eh_task_new(w.s, eh_machine_spread(w.m, i), "test", count, &j[i]);
		eh_task_start(j[i].t);
	}
	eh_sim_run(w.sim, 50 * EH_MS);
	for (int i = 0; i < 16; i++)
		last += j[i].last;
	ck_assert_int_eq(last, 0); /* its maker still has one */
	ck_assert_uint_eq(ref.refs.value, 1);
	ck_assert_uint_eq(eh_srcu_readers(&srcu, w.m), 0);
	ck_assert_uint_eq(srcu.cpu[j[3].t->cpu->id].locks, 100);
	/* A line of one's own stays where it is, one for all does not. */
	in_srcu = j[3].t->cpu->charged[EH_SYM(__srcu_read_lock)];
	in_ref = j[3].t->cpu->charged[EH_SYM(refcount_inc)];
	ck_assert_int_lt(in_srcu, 100 * 60 * EH_NS + EH_US);
	ck_assert_int_gt(in_ref, 4 * in_srcu);
	teardown(&w);
}
END_TEST

START_TEST(table)
{
	for (int i = 0; eh_lock_kinds[i]; i++) {
		ck_assert_ptr_eq(eh_lock_kind_find(eh_lock_kinds[i]->name), eh_lock_kinds[i]);
		ck_assert_int_gt(strlen(eh_lock_kinds[i]->help), 0);
	}
	ck_assert_ptr_null(eh_lock_kind_find("no such kind"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("locks");
	TCase *t = tcase_create("kinds"), *one = tcase_create("once");
	int kinds = 0;

	while (eh_lock_kinds[kinds])
		kinds++;
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, never_two_owners, 0, kinds);
	tcase_add_loop_test(t, the_same_twice, 0, kinds);
	tcase_add_loop_test(t, writers_and_readers, 0, kinds);
	tcase_add_loop_test(t, in_turn, 0, kinds);
	tcase_add_loop_test(t, lines_of_a_hand_over, 0, kinds);
	tcase_add_loop_test(t, without_contention, 0, kinds);
	tcase_add_loop_test(t, waits_end, 0, kinds);
	tcase_add_loop_test(t, readers_share, 0, kinds);
	tcase_add_loop_test(t, sleepers_sleep, 0, kinds);
	tcase_add_loop_test(t, owner_asleep, 0, kinds);
	tcase_add_loop_test(t, sleeper_against_spinners, 0, kinds);
	suite_add_tcase(s, t);
	tcase_add_test(one, counts);
	tcase_add_test(one, table);
	suite_add_tcase(s, one);
	return run_suite(s);
}
