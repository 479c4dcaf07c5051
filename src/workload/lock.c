/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab.h"

#include <ehsim/c2c.h>

struct lock {
	const struct eh_workload_config *cfg;
	struct eh_lock_class class;
	int nthreads;
	struct eh_lock **locks;
	eh_line_id lines; /* `touch` lines per lock */
	struct eh_word shared;
	gsl_rng **random;
};

static void *build(struct eh_lab *lab)
{
	const struct eh_workload_config *cfg = lab->cfg;
	uint32_t lines = (uint32_t)(cfg->lock.locks * cfg->lock.touch);
	struct lock *s = g_new0(struct lock, 1);

	s->cfg = cfg;
	s->nthreads = lab->nthreads;
	s->class.name = eh_lock_kinds[cfg->lock.kind]->name;
	s->locks = g_new(struct eh_lock *, cfg->lock.locks);
	for (int64_t i = 0; i < cfg->lock.locks; i++)
		s->locks[i] = eh_lock_new(lab->m, eh_lock_kinds[cfg->lock.kind], 0, &s->class);
	if (lines)
		s->lines = eh_lines_named(lab->m, lines, 0, "protected data");
	eh_word_init(&s->shared, eh_lines_named(lab->m, 1, 0, "shared count"), 0);
	s->random = eh_lab_streams(lab, "lock");
	return s;
}

static void work(const struct lock *s, struct eh_cpu *c, gsl_rng *r, int64_t mean)
{
	bool random = s->cfg->lock.distribution == EH_EXPONENTIAL;

	eh_path(c, EH_SYM_USER, random ? eh_lab_exponential(r, mean) : mean);
}

/*
 * What the lock protects was written by its last owner: it is there only once the lock is taken, an
 * earlier load would be repeated.
 */
static void touch(struct eh_cpu *c, eh_line_id lines, int n, bool chained)
{
	eh_time known = c->retire;

	for (int i = 0; i < n; i++) {
		eh_time there = eh_load(c, EH_SYM_USER, lines + (eh_line_id)i, known);

		known = chained ? there : known;
	}
	eh_touch(c, EH_SYM_USER, lines, n, true);
}

static void section(struct lock *s, struct eh_cpu *c, gsl_rng *r)
{
	int64_t n = s->cfg->lock.locks, lines = s->cfg->lock.touch;
	int64_t i = n > 1 ? (int64_t)eh_stream_below(r, (uint64_t)n) : 0;

	eh_lock_take(s->locks[i], c);
	touch(c, s->lines + (eh_line_id)(i * lines), (int)lines,
	      s->cfg->lock.touch_order == EH_CHAINED);
	work(s, c, r, s->cfg->lock.inside);
	eh_lock_release(s->locks[i], c);
}

static uint64_t step(void *state, struct eh_task *t, int thread)
{
	struct lock *s = state;

	for (int64_t i = 0; i < s->cfg->lock.per_op; i++) {
		for (int64_t k = 0; k < s->cfg->lock.shared; k++)
			eh_word_add(t->cpu, EH_SYM_USER, &s->shared, 1);
		section(s, t->cpu, s->random[thread]);
		work(s, t->cpu, s->random[thread], s->cfg->lock.outside);
	}
	return 1;
}

static void lock_free(void *state)
{
	struct lock *s = state;

	eh_lab_streams_free(s->random, s->nthreads);
	g_free(s->locks);
	g_free(s);
}

static const struct eh_lock_class *locks(const void *state)
{
	return &((const struct lock *)state)->class;
}

const struct eh_lab_ops eh_lab_lock = {
	.build = build,
	.step = step,
	.free = lock_free,
	.locks = locks,
};
