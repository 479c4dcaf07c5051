/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab.h"

#include <ehsim/c2c.h>
#include <inttypes.h>

#define OBJECTS 64 /* per slab: of one line */

struct element {
	eh_line_id line;
	struct eh_object *object; /* rcu with updates: the line's */
	struct element *next;	  /* of its chain */
};

struct hash {
	const struct eh_workload_config *cfg;
	struct eh_lab *lab;
	struct eh_lock_class class;
	struct eh_lock **locks; /* one, or one per bucket; NULL: none */
	struct element **heads; /* by bucket */
	struct element *elements;
	eh_line_id head_lines; /* unless the lock is in that line */
	struct eh_kmem_cache *cache;
	gsl_rng **random;
	uint64_t updates; /* of 2^32 operations */
};

static void make_locks(struct hash *s)
{
	const struct eh_lock_kind *kind = eh_lock_kinds[s->cfg->hash.lock];
	struct eh_machine *m = s->lab->m;
	int64_t n = s->cfg->hash.buckets;

	if (s->cfg->hash.protection == EH_HASH_NONE)
		return;
	if (s->cfg->hash.protection == EH_HASH_GLOBAL)
		n = 1;
	s->class.name = kind->name;
	s->locks = g_new(struct eh_lock *, n);
	for (int64_t i = 0; i < n; i++)
		s->locks[i] = eh_lock_new(m, kind, eh_lab_home(m, s->cfg->hash.home, i), &s->class);
}

/* As one thread has left them that filled the table, and all have read since. */
static void make_elements(struct hash *s)
{
	struct eh_machine *m = s->lab->m;
	int64_t n = s->cfg->hash.elements, home = s->cfg->hash.home;
	bool copies = s->cfg->hash.protection == EH_HASH_RCU && s->updates;
	eh_line_id lines = copies ? 0 : eh_lines_named(m, (uint32_t)n, (int)home, "hash element");

	s->elements = g_new0(struct element, n);
	for (int64_t i = 0; i < n; i++) {
		struct element *e = &s->elements[i], **head = &s->heads[i % s->cfg->hash.buckets];
		int cpu = eh_machine_on_die(m, eh_lab_home(m, home, i), 0);

		e->object = copies ? eh_kmem_preset(s->cache, cpu) : NULL;
		e->line = copies ? e->object->line : lines + (eh_line_id)i;
		eh_line_shared(m, e->line);
		e->next = *head;
		*head = e;
	}
}

static void *build(struct eh_lab *lab)
{
	struct hash *s = g_new0(struct hash, 1);
	int64_t buckets = lab->cfg->hash.buckets;

	s->cfg = lab->cfg;
	s->lab = lab;
	s->updates = (uint64_t)(lab->cfg->hash.updates * 4294967296.0);
	s->cache = eh_kmem_cache_new(lab->m, "hash", 1, OBJECTS, lab->kernel->cost.slab);
	s->heads = g_new0(struct element *, buckets);
	s->random = eh_lab_streams(lab, "hash");
	make_locks(s);
	if (lab->cfg->hash.protection != EH_HASH_BUCKET) {
		s->head_lines = eh_lines_named(lab->m, (uint32_t)buckets, (int)lab->cfg->hash.home,
					       "hash bucket");
		for (int64_t i = 0; i < buckets; i++)
			eh_line_shared(lab->m, s->head_lines + (eh_line_id)i);
	}
	make_elements(s);
	return s;
}

static bool head_is_apart(const struct hash *s)
{
	return s->cfg->hash.protection != EH_HASH_BUCKET;
}

/* Head and chain up to the element, each load's address known from the one before. */
static void find(const struct hash *s, struct eh_cpu *c, int64_t bucket, const struct element *key)
{
	eh_time known = 0;

	if (s->updates)
		eh_cpu_sync(c, c->retire);
	if (head_is_apart(s))
		known = eh_load(c, EH_SYM_USER, s->head_lines + (eh_line_id)bucket, 0);
	for (const struct element *e = s->heads[bucket];; e = e->next) {
		known = eh_load(c, EH_SYM_USER, e->line, known);
		if (e == key)
			break;
	}
}

/* Out of its chain and in again at the head, at one instant. The line behind which it was. */
static eh_line_id relink(struct hash *s, int64_t bucket, struct element *key)
{
	struct element **at = &s->heads[bucket];
	eh_line_id behind = 0;

	for (; *at != key; at = &(*at)->next)
		behind = (*at)->line;
	*at = key->next;
	key->next = s->heads[bucket];
	s->heads[bucket] = key;
	return behind;
}

static void update(struct hash *s, struct eh_cpu *c, int64_t bucket, struct element *key)
{
	bool copies = s->cfg->hash.protection == EH_HASH_RCU;
	struct eh_object *fresh = copies ? eh_kmem_alloc(c, s->cache) : NULL, *old = key->object;
	eh_line_id behind;

	eh_cpu_sync(c, c->retire);
	behind = relink(s, bucket, key);
	if (copies) {
		key->object = fresh;
		key->line = fresh->line;
	}
	if (behind)
		eh_store(c, EH_SYM_USER, behind);
	eh_store(c, EH_SYM_USER, key->line);
	if (head_is_apart(s))
		eh_store(c, EH_SYM_USER, s->head_lines + (eh_line_id)bucket);
	if (copies)
		eh_kfree_rcu(s->lab->rcu, c, s->cache, old, eh_kmem_free);
}

static uint64_t step(void *state, struct eh_task *t, int thread)
{
	struct hash *s = state;
	const struct eh_workload_config *cfg = s->cfg;
	gsl_rng *r = s->random[thread];
	uint64_t key = cfg->hash.target == EH_HASH_ONE
			       ? 0
			       : eh_stream_below(r, (uint64_t)cfg->hash.elements);
	int64_t bucket = (int64_t)(key % (uint64_t)cfg->hash.buckets);
	bool updates = s->updates && eh_stream_below(r, UINT64_C(1) << 32) < s->updates;
	bool locked = s->locks && (updates || cfg->hash.protection != EH_HASH_RCU);
	struct eh_lock *lock = NULL;

	eh_path(t->cpu, EH_SYM_USER, cfg->hash.instr);
	if (locked)
		lock = s->locks[cfg->hash.protection == EH_HASH_GLOBAL ? 0 : bucket];
	if (lock)
		eh_lock_take(lock, t->cpu);
	find(s, t->cpu, bucket, &s->elements[key]);
	if (updates)
		update(s, t->cpu, bucket, &s->elements[key]);
	if (lock)
		eh_lock_release(lock, t->cpu);
	return 1;
}

static void hash_free(void *state)
{
	struct hash *s = state;

	eh_lab_streams_free(s->random, s->lab->nthreads);
	eh_kmem_cache_free(s->cache);
	g_free(s->locks);
	g_free(s->heads);
	g_free(s->elements);
	g_free(s);
}

static const struct eh_lock_class *locks(const void *state)
{
	const struct hash *s = state;

	return s->locks ? &s->class : NULL;
}

static char *problem(const struct eh_machine_config *m, const struct eh_workload_config *w,
		     const char **key)
{
	int64_t dies = m->sockets * m->dies_per_socket;

	*key = "hash.home";
	if (w->hash.home >= dies)
		return g_strdup_printf("home (%" PRId64
				       ") must be below the number of dies: %" PRId64
				       ", counted from 0",
				       w->hash.home, dies);
	*key = "hash.updates";
	if (w->hash.updates > 0 && w->hash.protection == EH_HASH_NONE)
		return g_strdup("updates need a protection: global, bucket or rcu");
	return NULL;
}

const struct eh_lab_ops eh_lab_hash = {
	.build = build,
	.step = step,
	.free = hash_free,
	.locks = locks,
	.problem = problem,
};
