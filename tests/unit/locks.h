/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the tests of lock kinds: a host with one lock of a kind, and what tasks do with it. */
#ifndef TESTS_UNIT_LOCKS_H
#define TESTS_UNIT_LOCKS_H

#include <ehsim/lock.h>
#include <ehsim/stream.h>
#include <ehsim/task.h>

#include <glib.h>

#include "host.h"
#include "suite.h"

#define SYM EH_SYM(tcp_ack)
#define INSTR EH_NS

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

static inline void count_switch(struct eh_cpu *c, void *arg)
{
	(void)c;
	((struct world *)arg)->switches++;
}

static inline void setup(struct world *w, const struct eh_lock_kind *kind, int sockets, int dies,
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

static inline void teardown(struct world *w)
{
	eh_sched_free(w->s);
	eh_machine_free(w->m);
	eh_sim_free(w->sim);
}

static inline void start(struct world *w, struct job *j, int cpu,
			 void (*fn)(struct eh_task *, void *))
{
	j->w = w;
	j->t = eh_task_new(w->s, cpu, "test", fn, j);
	eh_task_start(j->t);
}

static inline void draw_work(struct job *j, int most)
{
	if (most)
		eh_work(j->t->cpu, SYM, 1 + (int64_t)eh_stream_below(j->rng, (uint64_t)most));
}

static inline void write_section(struct job *j)
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

static inline void read_section(struct job *j)
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

static inline void play(struct eh_task *t, void *arg)
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

static inline uint64_t run_crowd(struct world *w, const struct eh_lock_kind *kind,
				 const struct crowd *p)
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
	ck_assert_int_gt(w->class.hold_total, 0);
	ck_assert_int_ge(w->class.watch->hold_max * (eh_time)w->class.acquisitions, w->class.hold_total);
	ck_assert_int_le(w->class.watch->hold_min * (eh_time)w->class.acquisitions, w->class.hold_total);
	ck_assert(w->lock->inside == NULL);
	ck_assert(w->lock->readers == 0 && w->lock->writers == 0);
	g_free(j);
	return eh_sim_fingerprint(w->sim);
}

static inline void take_once(struct eh_task *t, void *arg)
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

/* Again and again, from j->arrives on. */
static inline void hammer(struct eh_task *t, void *arg)
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

static inline int lock_kinds(void)
{
	int n = 0;

	while (eh_lock_kinds[n])
		n++;
	return n;
}

#endif
