/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slub.h"

#define MAX_ORDER_SLUB 3 /* PAGE_ALLOC_COSTLY_ORDER */
#define SYM_FAST EH_SYM(kmem_cache_alloc_noprof)
#define SYM_SLOW EH_SYM(___slab_alloc)

/* Objects kept on a CPU's partial list, by size; the kernel counts slabs half full. */
static int cpu_partial_slabs(int bytes, int objects_per_slab)
{
	int objects = bytes >= 4096 ? 6 : bytes >= 1024 ? 24 : bytes >= 256 ? 52 : 120;

	return (2 * objects + objects_per_slab - 1) / objects_per_slab;
}

static int order_for(int objects, int size)
{
	int order = 0;

	while (EH_PAGE_BYTES << order < objects * size)
		order++;
	return order;
}

/* calculate_order: enough objects for that many CPUs, with little of the slab wasted. */
static int calculate_order(int size, int ncpus)
{
	int most = (EH_PAGE_BYTES << MAX_ORDER_SLUB) / size;
	int min_objects = 4 * (g_bit_storage((gulong)ncpus) + 1);

	for (min_objects = MIN(min_objects, most); min_objects > 1; min_objects--)
		for (int fraction = 16; fraction >= 4; fraction /= 2)
			for (int order = order_for(min_objects, size); order <= MAX_ORDER_SLUB;
			     order++)
				if ((EH_PAGE_BYTES << order) % size <=
				    (EH_PAGE_BYTES << order) / fraction)
					return order;
	return order_for(1, size);
}

static void build(struct eh_kmem_cache *k, const struct eh_kmem_spec *spec)
{
	struct eh_machine *m = k->m;
	struct slub *s = g_new0(struct slub, 1);

	k->order = spec->per_slab ? order_for(spec->per_slab, k->size)
				  : calculate_order(k->size, m->ncpus);
	k->objects = spec->per_slab ? spec->per_slab : (EH_PAGE_BYTES << k->order) / k->size;
	s->cpu_partial_slabs = cpu_partial_slabs(k->size, k->objects);
	s->cpus = g_new0(struct cpu_slab, m->ncpus);
	s->nodes = g_new0(struct node, m->ndies);
	for (int d = 0; d < m->ndies; d++)
		eh_spin_init(&s->nodes[d].list_lock,
			     eh_lines_named(m, 1, d, "kmem_cache_node.list_lock"));
	k->state = s;
	k->instr = k->mm->kernel->cost.slab;
}

static void destroy(struct eh_kmem_cache *k)
{
	g_free(slub_of(k)->nodes);
	g_free(slub_of(k)->cpus);
	g_free(k->state);
}

/* All of the slab's free objects become the CPU's; it stays or becomes its current slab. */
static bool take_freelist(struct cpu_slab *cs, struct slab *s, int objects)
{
	cs->freelist = s->free;
	s->free = NULL;
	s->frozen = cs->freelist != NULL;
	cs->slab = s->frozen ? s : NULL;
	if (s->frozen)
		s->inuse = objects;
	return s->frozen;
}

static bool refill_from_node(struct eh_cpu *c, struct eh_kmem_cache *k, struct cpu_slab *cs,
			     int die, int more_than)
{
	struct node *n = &slub_of(k)->nodes[die];
	struct slab *s, *first = NULL;

	eh_cpu_sync(c, c->retire);
	if (n->partial.n <= more_than)
		return false;
	node_lock(c, k, n);
	while ((s = slab_list_pop(&n->partial))) {
		s->frozen = true;
		if (!first) {
			first = s;
			eh_rmw(c, SYM_SLOW, s->page_line);
			take_freelist(cs, s, k->objects);
			continue;
		}
		slab_list_add(&cs->partial, s);
		if (cs->partial.n > slub_of(k)->cpu_partial_slabs / 2)
			break;
	}
	node_unlock(c, n, SYM_SLOW);
	return first != NULL;
}

/* allocate_slab: its freelist goes through all its objects. */
static void new_slab(struct eh_cpu *c, struct eh_kmem_cache *k, struct cpu_slab *cs)
{
	const int sym = EH_SYM(allocate_slab);
	struct eh_page *page = eh_page_alloc(c, k->mm, k->order, c->die);
	struct slab *s = eh_slab_new(k, page, c->die, 0);

	eh_path(c, sym, k->mm->kernel->cost.slab_new + k->objects * k->mm->kernel->cost.slab_init);
	s->frozen = true;
	for (int i = 0; i < k->objects; i++)
		eh_store(c, sym, s->object[i].o.line);
	eh_store(c, sym, s->page_line);
	take_freelist(cs, s, k->objects);
}

static void refill(struct eh_cpu *c, struct eh_kmem_cache *k, struct cpu_slab *cs)
{
	struct slab *s;

	eh_path(c, SYM_SLOW, k->mm->kernel->cost.slab_slow);
	if (cs->slab) { /* what others have freed into it meanwhile */
		eh_rmw(c, SYM_SLOW, cs->slab->page_line);
		if (take_freelist(cs, cs->slab, k->objects))
			return;
	}
	s = slab_list_pop(&cs->partial);
	if (s) {
		eh_rmw(c, SYM_SLOW, s->page_line);
		take_freelist(cs, s, k->objects);
		return;
	}
	if (refill_from_node(c, k, cs, c->die, 0))
		return;
	for (int i = 1; i < k->m->ndies; i++)
		if (refill_from_node(c, k, cs, (c->die + i) % k->m->ndies, MIN_PARTIAL))
			return;
	new_slab(c, k, cs);
}

static struct eh_object *pop(struct eh_cpu *c, struct eh_kmem_cache *k, struct cpu_slab *cs,
			     int sym)
{
	bool hit = cs->freelist != NULL;
	struct eh_object *o;

	if (!hit)
		refill(c, k, cs);
	o = cs->freelist;
	eh_load(c, sym, o->line, 0);
	cs->freelist = o->next;
	k->counts.allochit += hit;
	k->counts.allocmiss += !hit;
	eh_kmem_allocated(k, c->die, o);
	return o;
}

static struct eh_object *slub_alloc(struct eh_cpu *c, struct eh_kmem_cache *k)
{
	eh_path(c, SYM_FAST, k->instr);
	return pop(c, k, &slub_of(k)->cpus[c->id], SYM_FAST);
}

static void alloc_bulk(struct eh_cpu *c, struct eh_kmem_cache *k, int n, struct eh_object **o)
{
	const int sym = EH_SYM(kmem_cache_alloc_bulk_noprof);

	eh_path(c, sym, k->instr);
	for (int i = 0; i < n; i++) {
		eh_path(c, sym, k->mm->kernel->cost.slab_bulk);
		o[i] = pop(c, k, &slub_of(k)->cpus[c->id], sym);
	}
}

static struct eh_object *preset(struct eh_kmem_cache *k, int cpu)
{
	struct cpu_slab *cs = &slub_of(k)->cpus[cpu];
	struct eh_object *o;

	if (!cs->freelist) {
		if (cs->slab)
			cs->slab->frozen = false;
		take_freelist(cs, eh_slab_new(k, NULL, k->m->die_of[cpu], 0), k->objects);
	}
	o = cs->freelist;
	cs->freelist = o->next;
	return o;
}

static void cached(const struct eh_kmem_cache *k, uint64_t *by_die)
{
	for (int i = 0; i < k->m->ncpus; i++)
		for (const struct eh_object *o = slub_of(k)->cpus[i].freelist; o; o = o->next)
			by_die[o->home]++;
}

static void info(const struct eh_kmem_cache *k, struct eh_kmem_info *info)
{
	(void)k;
	(void)info;
}

const struct eh_kmem_kind eh_kmem_slub = {
	.name = "slub",
	.build = build,
	.destroy = destroy,
	.alloc = slub_alloc,
	.free = eh_slub_free,
	.alloc_bulk = alloc_bulk,
	.free_bulk = eh_slub_free_bulk,
	.preset = preset,
	.cached = cached,
	.info = info,
};
