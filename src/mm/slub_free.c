/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slub.h"

#define LOOK_AHEAD 3 /* objects of other slabs that a detached freelist passes over, less one */
#define SYM_FAST EH_SYM(kmem_cache_free)
#define SYM_SLOW EH_SYM(__slab_free)

/* Objects of one slab, linked. */
struct chain {
	struct eh_object *head, *tail;
	int n;
};

static void free_pages(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab_list *empty)
{
	struct slab *s;

	while ((s = slab_list_pop(empty)))
		eh_page_free(c, k->mm, eh_slab_end(k, s));
}

/* The whole partial list of the CPU goes to its slabs' dies, one lock per die in a row. */
static void put_partials(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab_list *list)
{
	struct slab_list empty = {0};
	struct node *locked = NULL;
	struct slab *s;

	while ((s = slab_list_pop(list))) {
		struct node *n = &slub_of(k)->nodes[s->home];

		if (n != locked) {
			if (locked)
				node_unlock(c, locked, SYM_SLOW);
			node_lock(c, k, n);
			locked = n;
		}
		eh_rmw(c, SYM_SLOW, s->page_line);
		s->frozen = false;
		if (s->inuse == 0 && n->partial.n >= MIN_PARTIAL)
			slab_list_add_tail(&empty, s);
		else
			slab_list_add_tail(&n->partial, s);
	}
	if (locked)
		node_unlock(c, locked, SYM_SLOW);
	free_pages(c, k, &empty);
}

static void put_cpu_partial(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab *s)
{
	struct cpu_slab *cs = &slub_of(k)->cpus[c->id];
	struct slab_list old = {0};

	if (cs->partial.n >= slub_of(k)->cpu_partial_slabs) {
		struct slab *each;

		while ((each = slab_list_pop(&cs->partial)))
			slab_list_add_tail(&old, each);
	}
	slab_list_add(&cs->partial, s);
	put_partials(c, k, &old);
}

static void count(struct eh_kmem_cache *k, int die, const struct chain *ch)
{
	const struct eh_object *o = ch->head;

	for (int i = 0; i < ch->n; i++, o = o->next)
		eh_kmem_freed(k, die, o);
}

static void slow_free(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab *s,
		      const struct chain *ch)
{
	struct node *n = &slub_of(k)->nodes[s->home];
	struct slab_list empty = {0};
	bool lock, to_cpu;

	eh_path(c, SYM_SLOW, k->mm->kernel->cost.slab_slow);
	eh_cpu_sync(c, c->retire);
	lock = s->inuse == ch->n && s->free && !s->frozen;
	if (lock)
		node_lock(c, k, n);
	eh_rmw(c, SYM_SLOW, s->page_line);
	k->counts.freemiss += (uint64_t)ch->n;
	count(k, c->die, ch);
	to_cpu = !s->free && !s->frozen;
	s->frozen |= to_cpu;
	ch->tail->next = s->free;
	s->free = ch->head;
	s->inuse -= ch->n;
	if (lock) {
		if (s->inuse == 0 && s->on == &n->partial && n->partial.n >= MIN_PARTIAL) {
			slab_list_del(s);
			slab_list_add(&empty, s);
		}
		node_unlock(c, n, SYM_SLOW);
		free_pages(c, k, &empty);
	}
	if (to_cpu)
		put_cpu_partial(c, k, s);
}

static void free_chain(struct eh_cpu *c, struct eh_kmem_cache *k, const struct chain *ch)
{
	struct cpu_slab *cs = &slub_of(k)->cpus[c->id];
	struct slab *s = eh_slab_of(ch->head);

	if (s != cs->slab) {
		slow_free(c, k, s, ch);
		return;
	}
	k->counts.freehit += (uint64_t)ch->n;
	count(k, c->die, ch);
	ch->tail->next = cs->freelist;
	cs->freelist = ch->head;
}

void eh_slub_free(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o)
{
	const struct chain one = {o, o, 1};

	eh_path(c, SYM_FAST, k->instr);
	eh_store(c, SYM_FAST, o->line);
	o->next = NULL;
	free_chain(c, k, &one);
}

/* build_detached_freelist, from the end of the array; what is left of it has moved to its front. */
static int detach(struct eh_cpu *c, struct eh_kmem_cache *k, int n, struct eh_object **o,
		  struct chain *ch)
{
	const int sym = EH_SYM(kmem_cache_free_bulk);
	struct slab *s = eh_slab_of(o[n - 1]);
	int left = n, look = LOOK_AHEAD;

	*ch = (struct chain){0};
	for (int i = n; i-- > 0;) {
		struct eh_object *each = o[i];

		eh_path(c, sym, k->mm->kernel->cost.slab_bulk);
		if (eh_slab_of(each) != s) {
			if (!--look)
				break;
			continue;
		}
		eh_store(c, sym, each->line);
		each->next = ch->head;
		ch->head = each;
		ch->tail = ch->tail ? ch->tail : each;
		ch->n++;
		left--;
		o[i] = o[left];
		o[left] = each;
	}
	return left;
}

void eh_slub_free_bulk(struct eh_cpu *c, struct eh_kmem_cache *k, int n, struct eh_object **o)
{
	const int sym = EH_SYM(kmem_cache_free_bulk);
	struct chain ch;

	eh_path(c, sym, k->instr);
	if (k->mm->kernel->slub_bulk == EH_BULK_DETACHED) {
		while (n) {
			n = detach(c, k, n, o, &ch);
			free_chain(c, k, &ch);
		}
		return;
	}
	for (int i = 0; i < n; i++) {
		ch = (struct chain){o[i], o[i], 1};
		eh_path(c, sym, k->mm->kernel->cost.slab_bulk);
		eh_store(c, sym, o[i]->line);
		o[i]->next = NULL;
		free_chain(c, k, &ch);
	}
}
