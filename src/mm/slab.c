/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slab.h"

#define BATCHREFILL_LIMIT 16
#define SHARED_FACTOR 8
#define MAX_ORDER_SLAB 1 /* slab_max_order, of a host with more than 32 MiB */
#define MAX_OBJECTS 256	 /* an index of one byte tells as many apart */
#define SYM_FAST EH_SYM(kmem_cache_alloc)
#define SYM_SLOW EH_SYM(cache_alloc_refill)
#define SYM_GROW EH_SYM(cache_grow_begin)

/* enable_cpucache */
static int array_limit(int size)
{
	return size > 131072 ? 1 : size > 4096 ? 8 : size > 1024 ? 24 : size > 256 ? 54 : 120;
}

/* calculate_slab_order: an eighth of the slab may be wasted. */
static void choose_order(struct eh_kmem_cache *k)
{
	for (int order = 0; order < EH_PAGE_ORDERS; order++) {
		int bytes = EH_PAGE_BYTES << order, n = MIN(bytes / k->size, MAX_OBJECTS);

		if (!n)
			continue;
		k->order = order;
		k->objects = n;
		if (order >= MAX_ORDER_SLAB || (bytes - n * k->size) * 8 <= bytes)
			break;
	}
}

static void make_node(struct eh_kmem_cache *k, struct slab_node *n, int die, int limit, int batch)
{
	struct eh_machine *m = k->m;

	n->line = eh_lines_named(m, 2, die, "kmem_cache_node");
	eh_spin_init(&n->list_lock, n->line);
	n->free_limit = (1 + (int64_t)m->cfg->cores_per_die * m->cfg->threads_per_core) * batch +
			k->objects;
	if (k->size <= EH_PAGE_BYTES && m->ncpus > 1)
		eh_array_init(k, &n->shared, batch * SHARED_FACTOR, limit, die,
			      "shared array_cache");
	if (m->ndies < 2 || !k->mm->kernel->alien)
		return;
	n->alien = g_new0(struct alien, m->ndies);
	for (int d = 0; d < m->ndies; d++) {
		if (d == die)
			continue;
		eh_array_init(k, &n->alien[d].ac, (int)k->mm->kernel->alien_limit, 0, die,
			      "alien_cache");
		eh_spin_init(&n->alien[d].lock, n->alien[d].ac.line);
	}
}

static void build(struct eh_kmem_cache *k, const struct eh_kmem_spec *spec)
{
	struct slab_cache *sc = g_new0(struct slab_cache, 1);
	int limit = array_limit(k->size), batch = (limit + 1) / 2;

	(void)spec;
	choose_order(k);
	sc->cpus = g_new0(struct array, k->m->ncpus);
	for (int i = 0; i < k->m->ncpus; i++)
		eh_array_init(k, &sc->cpus[i], limit, batch, k->m->die_of[i], "array_cache");
	sc->nodes = g_new0(struct slab_node, k->m->ndies);
	for (int d = 0; d < k->m->ndies; d++)
		make_node(k, &sc->nodes[d], d, limit, batch);
	k->state = sc;
	k->instr = k->mm->kernel->cost.slab_array;
}

static void destroy(struct eh_kmem_cache *k)
{
	struct slab_cache *sc = slab_of(k);

	for (int i = 0; i < k->m->ncpus; i++)
		eh_array_clear(&sc->cpus[i]);
	for (int d = 0; d < k->m->ndies; d++) {
		eh_array_clear(&sc->nodes[d].shared);
		for (int to = 0; sc->nodes[d].alien && to < k->m->ndies; to++)
			eh_array_clear(&sc->nodes[d].alien[to].ac);
		g_free(sc->nodes[d].alien);
	}
	g_free(sc->nodes);
	g_free(sc->cpus);
	g_free(sc);
}

/* --- alloc --- */

/* Up to n of the slab's objects; how many. */
static int alloc_block(struct eh_cpu *c, struct eh_kmem_cache *k, struct array *ac, struct slab *s,
		       int n, eh_time known)
{
	int got = 0;

	eh_load(c, SYM_SLOW, s->index_line, eh_load(c, SYM_SLOW, s->page_line, known));
	eh_store(c, SYM_SLOW, s->page_line);
	while (got < n && s->free) {
		struct eh_object *o = s->free;

		s->free = o->next;
		s->inuse++;
		ac->entry[ac->avail++] = o;
		got++;
		eh_path(c, SYM_SLOW, k->mm->kernel->cost.slab_take);
	}
	eh_array_write(c, SYM_SLOW, ac, ac->avail - got, got);
	return got;
}

/*
 * The next colour of the node: so many lines of the slab's spare room come before its objects. Which of
 * them are free stands behind them if there is room, else in the last one of them.
 */
static struct slab *new_slab(struct eh_kmem_cache *k, struct eh_page *page, int die)
{
	struct slab_node *n = &slab_of(k)->nodes[page ? page->node : die];
	int spare = eh_slab_spare(k);
	bool behind = spare >= k->objects;
	struct slab *s;

	if (behind)
		spare -= k->objects;
	if (++n->colour_next >= spare / k->line_bytes)
		n->colour_next = 0;
	s = eh_slab_new(k, page, die, n->colour_next * k->line_bytes);
	s->index_line = behind ? s->last_line : s->object[k->objects - 1].o.line;
	return s;
}

/* cache_grow_begin: a slab that no list knows yet. */
static struct slab *grow(struct eh_cpu *c, struct eh_kmem_cache *k)
{
	struct eh_page *page = eh_page_alloc(c, k->mm, k->order, c->die);
	struct slab *s = new_slab(k, page, c->die);

	eh_path(c, SYM_GROW,
		k->mm->kernel->cost.slab_new + k->objects * k->mm->kernel->cost.slab_init);
	eh_store(c, SYM_GROW, s->index_line);
	eh_store(c, SYM_GROW, s->page_line);
	return s;
}

/* cache_grow_end */
static void add_slab(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab_node *n, struct slab *s)
{
	eh_load(c, SYM_GROW, n->line + 1, list_lock(c, k, n));
	eh_store(c, SYM_GROW, n->line + 1);
	n->free_objects += k->objects - s->inuse;
	eh_slab_move(c, SYM_GROW, n, s);
	list_unlock(c, n, SYM_GROW);
}

/* Under the node's lock. */
static void from_node(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab_node *n,
		      struct array *ac, int batch, eh_time known)
{
	known = eh_load(c, SYM_SLOW, n->line + 1, known);
	if (n->shared.limit) {
		eh_time head = eh_load(c, SYM_SLOW, n->shared.line, known);

		if (eh_array_transfer(c, SYM_SLOW, ac, &n->shared, batch, head)) {
			n->shared.touched = true;
			return;
		}
	}
	while (batch > 0) {
		struct slab *s = n->partial.head ? n->partial.head : n->free.head;

		if (!s)
			break;
		n->free_touched |= !n->partial.head;
		batch -= alloc_block(c, k, ac, s, batch, known);
		eh_slab_move(c, SYM_SLOW, n, s);
	}
	n->free_objects -= ac->avail;
	eh_store(c, SYM_SLOW, n->line + 1);
}

/* Since v4.7: a look without the lock tells that only a new slab will do. */
static bool nothing_there(struct eh_cpu *c, const struct slab_node *n)
{
	eh_time known = eh_load(c, SYM_SLOW, n->line + 1, 0);

	if (n->shared.limit)
		eh_load(c, SYM_SLOW, n->shared.line, known);
	eh_cpu_sync(c, c->retire);
	return !n->free_objects && !n->shared.avail;
}

static void refill(struct eh_cpu *c, struct eh_kmem_cache *k, struct array *ac)
{
	bool lockless = k->mm->kernel->slab_refill == EH_REFILL_LOCKLESS;
	int batch = ac->touched ? ac->batch : MIN(ac->batch, BATCHREFILL_LIMIT);
	struct slab_node *n = &slab_of(k)->nodes[c->die];
	struct slab *s;

	eh_path(c, SYM_SLOW, k->mm->kernel->cost.slab_slow);
	for (;;) {
		if (!lockless || !nothing_there(c, n)) {
			from_node(c, k, n, ac, batch, list_lock(c, k, n));
			list_unlock(c, n, SYM_SLOW);
		}
		if (ac->avail)
			return;
		if (lockless) {
			s = grow(c, k);
			alloc_block(c, k, ac, s, batch, 0);
			add_slab(c, k, n, s);
			return;
		}
		eh_load(c, SYM_GROW, n->line + 1, list_lock(c, k, n)); /* the slab's colour */
		eh_store(c, SYM_GROW, n->line + 1);
		list_unlock(c, n, SYM_GROW);
		add_slab(c, k, n, grow(c, k));
	}
}

static struct eh_object *pop(struct eh_cpu *c, struct eh_kmem_cache *k, int sym)
{
	struct array *ac = &slab_of(k)->cpus[c->id];
	bool hit = ac->avail > 0;
	struct eh_object *o;

	eh_load(c, sym, ac->line, 0);
	if (!hit)
		refill(c, k, ac);
	ac->touched = true;
	eh_store(c, sym, ac->line);
	eh_array_read(c, sym, ac, ac->avail - 1, 1, 0);
	o = ac->entry[--ac->avail];
	k->counts.allochit += hit;
	k->counts.allocmiss += !hit;
	eh_kmem_allocated(k, c->die, o);
	return o;
}

static struct eh_object *slab_alloc(struct eh_cpu *c, struct eh_kmem_cache *k)
{
	eh_path(c, SYM_FAST, k->instr);
	return pop(c, k, SYM_FAST);
}

static void alloc_bulk(struct eh_cpu *c, struct eh_kmem_cache *k, int n, struct eh_object **o)
{
	const int sym = EH_SYM(kmem_cache_alloc_bulk_noprof);

	eh_path(c, sym, k->instr);
	for (int i = 0; i < n; i++) {
		eh_path(c, sym, k->mm->kernel->cost.slab_bulk);
		o[i] = pop(c, k, sym);
	}
}

/* From its node's slabs, past the arrays. */
static struct eh_object *preset(struct eh_kmem_cache *k, int cpu)
{
	int die = k->m->die_of[cpu];
	struct slab_node *n = &slab_of(k)->nodes[die];
	struct slab *s = n->partial.head;
	struct eh_object *o;

	if (!s) {
		s = new_slab(k, NULL, die);
		slab_list_add(&n->partial, s);
		n->free_objects += k->objects;
	}
	o = s->free;
	s->free = o->next;
	s->inuse++;
	n->free_objects--;
	if (!s->free) {
		slab_list_del(s);
		slab_list_add(&n->full, s);
	}
	return o;
}

static void cached(const struct eh_kmem_cache *k, uint64_t *by_die)
{
	const struct slab_cache *sc = slab_of(k);

	for (int i = 0; i < k->m->ncpus; i++)
		eh_array_count(&sc->cpus[i], by_die);
	for (int d = 0; d < k->m->ndies; d++) {
		eh_array_count(&sc->nodes[d].shared, by_die);
		for (int to = 0; sc->nodes[d].alien && to < k->m->ndies; to++)
			eh_array_count(&sc->nodes[d].alien[to].ac, by_die);
	}
}

static void info(const struct eh_kmem_cache *k, struct eh_kmem_info *info)
{
	const struct slab_cache *sc = slab_of(k);

	info->limit = sc->cpus[0].limit;
	info->batch = sc->cpus[0].batch;
	info->shared_factor = sc->nodes[0].shared.limit ? SHARED_FACTOR : 0;
	for (int d = 0; d < k->m->ndies; d++)
		info->shared_avail += (uint64_t)sc->nodes[d].shared.avail;
}

const struct eh_kmem_kind eh_kmem_slab = {
	.name = "slab",
	.build = build,
	.destroy = destroy,
	.alloc = slab_alloc,
	.free = eh_slab_free,
	.alloc_bulk = alloc_bulk,
	.free_bulk = eh_slab_free_bulk,
	.preset = preset,
	.cached = cached,
	.info = info,
	.reap = eh_slab_reap,
};
