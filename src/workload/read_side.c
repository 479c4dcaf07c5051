/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab.h"

#include <ehsim/c2c.h>
#include <ehsim/read_side.h>
#include <inttypes.h>

/* Read sections that touch nothing shared, between two looks at the clock. */
#define SECTIONS 1024
#define OBJECTS 32 /* per slab: of 128 bytes */

struct read_side {
	const struct eh_workload_config *cfg;
	struct eh_lab *lab;
	struct eh_lock_class class;
	struct eh_lock *lock; /* rwlocks and seqlock */
	struct eh_refcount count;
	struct eh_srcu srcu;
	struct eh_word pointer;	     /* what readers look at; read when somebody writes */
	struct eh_kmem_cache *cache; /* rcu: what the pointer points to */
	struct eh_object *object;
};

static const char *const lock_names[] = {
	[EH_READ_RWLOCK2004] = "rwlock2004",
	[EH_READ_QRWLOCK] = "qrwlock",
	[EH_READ_RWSEM] = "rwsem",
	[EH_READ_SEQLOCK] = "seqlock",
};

static void *build(struct eh_lab *lab)
{
	struct read_side *s = g_new0(struct read_side, 1);
	const char *lock = lock_names[lab->cfg->read_side.kind];

	s->cfg = lab->cfg;
	s->lab = lab;
	s->class.name = lock;
	if (lock)
		s->lock = eh_lock_new(lab->m, eh_lock_kind_find(lock), 0, &s->class);
	eh_refcount_init(&s->count, eh_lines_named(lab->m, 1, 0, "refcount"));
	eh_srcu_init(&s->srcu, lab->m, 0);
	eh_word_init(&s->pointer, eh_lines_named(lab->m, 1, 0, "protected pointer"), 0);
	s->cache = eh_kmem_cache_new(lab->m, "read_side", 1, OBJECTS, lab->kernel->cost.slab);
	s->object = eh_kmem_preset(s->cache, 0);
	return s;
}

static void body(const struct read_side *s, struct eh_cpu *c)
{
	if (s->cfg->read_side.writers)
		eh_load(c, EH_SYM_USER, s->pointer.line, 0);
	eh_work(c, EH_SYM_USER, s->cfg->read_side.body);
}

static uint64_t read_rcu(const struct read_side *s, struct eh_cpu *c)
{
	if (!s->cfg->read_side.writers) {
		eh_work(c, EH_SYM_USER, SECTIONS * s->cfg->read_side.body);
		return SECTIONS;
	}
	body(s, c);
	return 1;
}

static uint64_t reader(struct read_side *s, struct eh_cpu *c)
{
	switch (s->cfg->read_side.kind) {
	case EH_READ_RCU:
		return read_rcu(s, c);
	case EH_READ_SRCU:
		eh_srcu_read_lock(c, &s->srcu);
		body(s, c);
		eh_srcu_read_unlock(c, &s->srcu);
		return 1;
	case EH_READ_REFCOUNT:
		eh_refcount_inc(c, &s->count);
		body(s, c);
		eh_refcount_dec_and_test(c, &s->count);
		return 1;
	default:
		do {
			eh_lock_take_read(s->lock, c);
			body(s, c);
		} while (eh_lock_release_read(s->lock, c));
		return 1;
	}
}

static void publish(struct read_side *s, struct eh_cpu *c)
{
	eh_word_store(c, EH_SYM_USER, &s->pointer, eh_word_stored(c, &s->pointer) + 1);
}

static void sum_up(const struct read_side *s, struct eh_cpu *c)
{
	for (int i = 0; i < s->lab->m->ncpus; i++)
		eh_load(c, EH_SYM_USER, s->srcu.cpu[i].line, 0);
}

static void replace(struct read_side *s, struct eh_cpu *c)
{
	struct eh_object *fresh = eh_kmem_alloc(c, s->cache), *old;

	eh_store(c, EH_SYM_USER, fresh->line);
	publish(s, c);
	old = s->object;
	s->object = fresh;
	eh_kfree_rcu(s->lab->rcu, c, s->cache, old, eh_kmem_free);
}

static uint64_t writer(struct read_side *s, struct eh_cpu *c)
{
	switch (s->cfg->read_side.kind) {
	case EH_READ_RCU:
		replace(s, c);
		break;
	case EH_READ_SRCU:
		publish(s, c);
		sum_up(s, c);
		sum_up(s, c);
		break;
	case EH_READ_REFCOUNT:
		publish(s, c);
		break;
	default:
		eh_lock_take(s->lock, c);
		publish(s, c);
		eh_work(c, EH_SYM_USER, s->cfg->read_side.body);
		eh_lock_release(s->lock, c);
		break;
	}
	return 1;
}

static uint64_t step(void *state, struct eh_task *t, int thread)
{
	struct read_side *s = state;

	return thread < s->cfg->read_side.writers ? writer(s, t->cpu) : reader(s, t->cpu);
}

static void read_side_free(void *state)
{
	struct read_side *s = state;

	eh_kmem_cache_free(s->cache);
	g_free(s);
}

static const struct eh_lock_class *locks(const void *state)
{
	const struct read_side *s = state;

	return s->lock ? &s->class : NULL;
}

static char *problem(const struct eh_machine_config *m, const struct eh_workload_config *w,
		     const char **key)
{
	(void)m;
	*key = "read_side.writers";
	if (w->read_side.writers > w->threads)
		return g_strdup_printf("writers (%" PRId64 ") must be at most threads (%" PRId64
				       ")",
				       w->read_side.writers, w->threads);
	return NULL;
}

const struct eh_lab_ops eh_lab_read_side = {
	.build = build,
	.step = step,
	.free = read_side_free,
	.locks = locks,
	.problem = problem,
};
