/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/c2c.h>
#include <ehsim/qspinlock.h>
#include <ehsim/slab.h>
#include <glib.h>

#define LINE_BYTES 64
#define MIN_PARTIAL 5 /* kernel: log2(size) / 2, at least 5; it is 5 up to 2 KiB */

struct slab;

struct object {
	struct eh_object o;
	struct slab *slab;
};

struct slab {
	struct slab *next, **pprev; /* of whatever list it is on */
	struct eh_object *free;	    /* what is not on a CPU's own freelist */
	int inuse;		    /* allocated, or on a CPU's own freelist */
	bool frozen;		    /* some CPU's current slab */
	bool on_node;
	uint16_t home;
	eh_line_id page; /* struct page: freelist and counters */
	struct object object[];
};

struct cpu_slab {
	struct eh_object *freelist;
	struct slab *slab;
	struct slab *partial;
	int npartial;
};

struct node {
	struct eh_spinlock list_lock;
	struct slab *partial, **tailp;
	int npartial;
	struct slab *spare; /* empty pages */
};

struct eh_kmem_cache {
	struct eh_machine *m;
	char *name;
	int lines, objects;
	int cpu_partial_slabs;
	int64_t instr;
	uint64_t active;
	struct cpu_slab *cpus;
	struct node *nodes;
	struct eh_lock_class list_lock;
	GPtrArray *slabs; /* all there are */
};

/* Objects kept on a CPU's partial list, by size; the kernel counts slabs half full. */
static int cpu_partial_slabs(int bytes, int objects_per_slab)
{
	int objects = bytes >= 4096 ? 6 : bytes >= 1024 ? 24 : bytes >= 256 ? 52 : 120;

	return (2 * objects + objects_per_slab - 1) / objects_per_slab;
}

struct eh_kmem_cache *eh_kmem_cache_new(struct eh_machine *m, const char *name, int lines,
					int objects_per_slab, int64_t instr)
{
	struct eh_kmem_cache *k = g_new0(struct eh_kmem_cache, 1);

	k->m = m;
	k->name = g_strdup(name);
	k->lines = lines;
	k->objects = objects_per_slab;
	k->cpu_partial_slabs = cpu_partial_slabs(lines * LINE_BYTES, objects_per_slab);
	k->instr = instr;
	eh_lock_class_init(&k->list_lock, m, "list_lock");
	k->cpus = g_new0(struct cpu_slab, m->ncpus);
	k->nodes = g_new0(struct node, m->ndies);
	for (int d = 0; d < m->ndies; d++) {
		eh_spin_init(&k->nodes[d].list_lock, eh_lines_named(m, 1, d, "kmem_cache_node.list_lock"));
		k->nodes[d].tailp = &k->nodes[d].partial;
	}
	k->slabs = g_ptr_array_new_with_free_func(g_free);
	return k;
}

void eh_kmem_cache_free(struct eh_kmem_cache *k)
{
	if (!k)
		return;
	g_ptr_array_free(k->slabs, TRUE);
	g_free(k->nodes);
	g_free(k->cpus);
	g_free(k->name);
	g_free(k);
}

struct eh_lock_class *eh_kmem_list_lock(struct eh_kmem_cache *k)
{
	return &k->list_lock;
}

uint64_t eh_kmem_active(const struct eh_kmem_cache *k)
{
	return k->active;
}

/* --- lists of slabs --- */

static void push(struct slab **head, struct slab *s)
{
	s->next = *head;
	*head = s;
}

static struct slab *pop(struct slab **head)
{
	struct slab *s = *head;

	if (s)
		*head = s->next;
	return s;
}

static void node_add_tail(struct node *n, struct slab *s)
{
	s->next = NULL;
	s->pprev = n->tailp;
	*n->tailp = s;
	n->tailp = &s->next;
	n->npartial++;
	s->on_node = true;
}

static void node_remove(struct node *n, struct slab *s)
{
	*s->pprev = s->next;
	if (s->next)
		s->next->pprev = s->pprev;
	else
		n->tailp = s->pprev;
	n->npartial--;
	s->on_node = false;
}

static void node_lock(struct eh_cpu *c, struct eh_kmem_cache *k, struct node *n)
{
	eh_spin_lock(c, &n->list_lock, &k->list_lock, EH_SYM(_raw_spin_lock));
}

static void node_unlock(struct eh_cpu *c, struct node *n, int sym)
{
	eh_spin_unlock(c, &n->list_lock, sym, 1);
}

/* --- pages --- */

static struct slab *page_of(struct eh_kmem_cache *k, int die)
{
	struct slab *s = pop(&k->nodes[die].spare);
	eh_line_id first;

	if (!s) {
		s = g_malloc0(sizeof(*s) + (size_t)k->objects * sizeof(s->object[0]));
		s->home = (uint16_t)die;
		s->page = eh_lines_named(k->m, 1, die, "slab (struct page)");
		first = eh_lines_new(k->m, (uint32_t)(k->objects * k->lines), die);
		eh_line_name(k->m, first, (uint32_t)(k->objects * k->lines), (uint32_t)k->lines, k->name);
		for (int i = 0; i < k->objects; i++) {
			s->object[i].slab = s;
			s->object[i].o.line = first + (eh_line_id)(i * k->lines);
			s->object[i].o.home = (uint16_t)die;
		}
		g_ptr_array_add(k->slabs, s);
	}
	s->free = NULL;
	for (int i = k->objects; i-- > 0;) {
		s->object[i].o.next = s->free;
		s->free = &s->object[i].o;
	}
	s->inuse = 0;
	s->frozen = s->on_node = false;
	return s;
}

static void discard(struct eh_kmem_cache *k, struct slab *s)
{
	push(&k->nodes[s->home].spare, s);
}

/* --- alloc --- */

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
	struct node *n = &k->nodes[die];
	int sym = EH_SYM(kmem_cache_alloc_noprof);
	struct slab *s, *first = NULL;

	eh_cpu_sync(c, c->retire);
	if (n->npartial <= more_than)
		return false;
	node_lock(c, k, n);
	while ((s = n->partial)) {
		node_remove(n, s);
		if (!first) {
			first = s;
			eh_rmw(c, sym, s->page);
			take_freelist(cs, s, k->objects);
			continue;
		}
		push(&cs->partial, s);
		if (++cs->npartial > k->cpu_partial_slabs / 2)
			break;
	}
	node_unlock(c, n, sym);
	return first != NULL;
}

static void new_page(struct eh_cpu *c, struct eh_kmem_cache *k, struct cpu_slab *cs)
{
	struct slab *s = page_of(k, c->die);

	for (int i = 0; i < k->objects; i++)
		eh_store(c, EH_SYM(kmem_cache_alloc_noprof), s->object[i].o.line);
	eh_store(c, EH_SYM(kmem_cache_alloc_noprof), s->page);
	take_freelist(cs, s, k->objects);
}

static void refill(struct eh_cpu *c, struct eh_kmem_cache *k, struct cpu_slab *cs)
{
	struct slab *s;

	if (cs->slab) { /* what others have freed into it meanwhile */
		eh_rmw(c, EH_SYM(kmem_cache_alloc_noprof), cs->slab->page);
		if (take_freelist(cs, cs->slab, k->objects))
			return;
	}
	s = pop(&cs->partial);
	if (s) {
		cs->npartial--;
		eh_rmw(c, EH_SYM(kmem_cache_alloc_noprof), s->page);
		take_freelist(cs, s, k->objects);
		return;
	}
	if (refill_from_node(c, k, cs, c->die, 0))
		return;
	for (int i = 1; i < k->m->ndies; i++)
		if (refill_from_node(c, k, cs, (c->die + i) % k->m->ndies, MIN_PARTIAL))
			return;
	new_page(c, k, cs);
}

struct eh_object *eh_kmem_alloc(struct eh_cpu *c, struct eh_kmem_cache *k)
{
	struct cpu_slab *cs = &k->cpus[c->id];
	struct eh_object *o;

	eh_path(c, EH_SYM(kmem_cache_alloc_noprof), k->instr);
	if (!cs->freelist)
		refill(c, k, cs);
	o = cs->freelist;
	eh_load(c, EH_SYM(kmem_cache_alloc_noprof), o->line, 0);
	cs->freelist = o->next;
	k->active++;
	return o;
}

struct eh_object *eh_kmem_preset(struct eh_kmem_cache *k, int cpu)
{
	struct cpu_slab *cs = &k->cpus[cpu];
	struct eh_object *o;

	if (!cs->freelist) {
		if (cs->slab)
			cs->slab->frozen = false;
		take_freelist(cs, page_of(k, k->m->die_of[cpu]), k->objects);
	}
	o = cs->freelist;
	cs->freelist = o->next;
	for (int i = 0; i < k->lines; i++)
		eh_line_written_by(k->m, o->line + (eh_line_id)i, cpu);
	k->active++;
	return o;
}

/* --- free --- */

/* The whole partial list of the CPU goes to its slabs' dies, one lock per die in a row. */
static void put_partials(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab *list)
{
	int sym = EH_SYM(kmem_cache_free);
	struct node *locked = NULL;
	struct slab *s;

	while ((s = pop(&list))) {
		struct node *n = &k->nodes[s->home];

		if (n != locked) {
			if (locked)
				node_unlock(c, locked, sym);
			node_lock(c, k, n);
			locked = n;
		}
		eh_rmw(c, sym, s->page);
		if (s->inuse == 0 && n->npartial >= MIN_PARTIAL)
			discard(k, s);
		else
			node_add_tail(n, s);
	}
	if (locked)
		node_unlock(c, locked, sym);
}

static void put_cpu_partial(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab *s)
{
	struct cpu_slab *cs = &k->cpus[c->id];
	struct slab *old = NULL;

	if (cs->npartial >= k->cpu_partial_slabs) {
		old = cs->partial;
		cs->partial = NULL;
		cs->npartial = 0;
	}
	push(&cs->partial, s);
	cs->npartial++;
	put_partials(c, k, old);
}

static void slow_free(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab *s,
		      struct eh_object *o)
{
	int sym = EH_SYM(kmem_cache_free);
	struct node *n = &k->nodes[s->home];
	bool lock, to_cpu;

	eh_cpu_sync(c, c->retire);
	lock = s->inuse == 1 && s->on_node;
	if (lock)
		node_lock(c, k, n);
	eh_rmw(c, sym, s->page);
	to_cpu = !s->free && !s->frozen;
	o->next = s->free;
	s->free = o;
	s->inuse--;
	if (lock) {
		if (s->inuse == 0 && s->on_node && n->npartial >= MIN_PARTIAL) {
			node_remove(n, s);
			discard(k, s);
		}
		node_unlock(c, n, sym);
	}
	if (to_cpu)
		put_cpu_partial(c, k, s);
}

void eh_kmem_free(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o)
{
	struct slab *s = eh_container_of(o, struct object, o)->slab;
	struct cpu_slab *cs = &k->cpus[c->id];

	eh_path(c, EH_SYM(kmem_cache_free), k->instr);
	eh_store(c, EH_SYM(kmem_cache_free), o->line);
	k->active--;
	if (s == cs->slab) {
		o->next = cs->freelist;
		cs->freelist = o;
		return;
	}
	slow_free(c, k, s, o);
}
