/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/c2c.h>
#include <ehsim/stack2004.h>

#define LIMIT 24 /* of an array, and of what is moved at a time, for objects of this size */
#define BATCH 12

struct array {
	eh_line_id entry[LIMIT];
	int n;
	eh_line_id line;
};

struct eh_cache2004 {
	struct eh_machine *m;
	const struct eh_kernel_config *kernel;
	const char *name;
	int lines;
	struct array *cpu;
	GArray *shared; /* all free objects that are in no array */
	struct eh_word lock;
	eh_line_id shared_line;
	struct eh_lock_class class;
	uint64_t alive;
};

struct eh_cache2004 *eh_cache2004_new(struct eh_machine *m, const struct eh_kernel_config *kernel,
				      const char *name, int lines)
{
	struct eh_cache2004 *k = g_new0(struct eh_cache2004, 1);

	k->m = m;
	k->kernel = kernel;
	k->name = name;
	k->lines = lines;
	k->cpu = g_new0(struct array, m->ncpus);
	for (int i = 0; i < m->ncpus; i++)
		k->cpu[i].line = eh_lines_named(m, 1, m->die_of[i], "array_cache");
	k->shared = g_array_new(FALSE, FALSE, sizeof(eh_line_id));
	eh_word_init(&k->lock, eh_lines_named(m, 1, 0, "kmem_cache.spinlock"), EH_SPIN2004_FREE);
	k->shared_line = eh_lines_named(m, 1, 0, "kmem_cache.shared");
	eh_lock_class_init(&k->class, m, "list_lock");
	return k;
}

void eh_cache2004_free(struct eh_cache2004 *k)
{
	if (!k)
		return;
	g_array_free(k->shared, TRUE);
	g_free(k->cpu);
	g_free(k);
}

/* A page's worth: half an array. */
static void grow(struct eh_cache2004 *k, int die)
{
	for (int i = 0; i < BATCH; i++) {
		eh_line_id obj = eh_lines_named(k->m, (uint32_t)k->lines, die, k->name);

		g_array_append_val(k->shared, obj);
	}
}

static eh_line_id take_shared(struct eh_cache2004 *k)
{
	eh_line_id obj = g_array_index(k->shared, eh_line_id, k->shared->len - 1);

	g_array_set_size(k->shared, k->shared->len - 1);
	return obj;
}

static void refill(struct eh_cpu *c, struct eh_cache2004 *k, struct array *a)
{
	int sym = EH_SYM(cache_alloc_refill);
	eh_time since;

	since = eh_spin2004_lock(c, &k->lock, &k->class, sym);
	eh_store(c, sym, k->shared_line);
	eh_path(c, sym, k->kernel->cost.slab_array);
	eh_cpu_sync(c, c->retire);
	if (k->shared->len < BATCH)
		grow(k, c->die);
	for (int i = 0; i < BATCH; i++)
		a->entry[a->n++] = take_shared(k);
	eh_spin2004_unlock(c, &k->lock, &k->class, since, sym);
}

static void flush(struct eh_cpu *c, struct eh_cache2004 *k, struct array *a)
{
	int sym = EH_SYM(cache_flusharray);
	eh_time since;

	since = eh_spin2004_lock(c, &k->lock, &k->class, sym);
	eh_store(c, sym, k->shared_line);
	eh_path(c, sym, k->kernel->cost.slab_array);
	eh_cpu_sync(c, c->retire);
	g_array_append_vals(k->shared, a->entry, BATCH);
	a->n -= BATCH;
	for (int i = 0; i < a->n; i++)
		a->entry[i] = a->entry[i + BATCH];
	eh_spin2004_unlock(c, &k->lock, &k->class, since, sym);
}

eh_line_id eh_cache2004_alloc(struct eh_cpu *c, struct eh_cache2004 *k)
{
	struct array *a = &k->cpu[c->id];

	eh_path(c, EH_SYM(kmem_cache_alloc), k->kernel->cost.slab);
	eh_store(c, EH_SYM(kmem_cache_alloc), a->line);
	eh_cpu_sync(c, c->retire);
	if (!a->n)
		refill(c, k, a);
	k->alive++;
	return a->entry[--a->n];
}

void eh_cache2004_give(struct eh_cpu *c, struct eh_cache2004 *k, eh_line_id obj)
{
	struct array *a = &k->cpu[c->id];

	eh_path(c, EH_SYM(kmem_cache_free), k->kernel->cost.slab);
	eh_store(c, EH_SYM(kmem_cache_free), a->line);
	eh_cpu_sync(c, c->retire);
	if (a->n == LIMIT)
		flush(c, k, a);
	a->entry[a->n++] = obj;
	k->alive--;
}

eh_line_id eh_cache2004_preset(struct eh_cache2004 *k, int cpu)
{
	k->alive++;
	if (!k->shared->len)
		grow(k, k->m->die_of[cpu]);
	return take_shared(k);
}

uint64_t eh_cache2004_alive(const struct eh_cache2004 *k)
{
	return k->alive;
}
