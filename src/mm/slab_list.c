/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slab.h"

#define SYM EH_SYM(free_block)

/* Its struct page holds the links of the list: it and its neighbours are written. */
static void write_links(struct eh_cpu *c, int sym, const struct slab_node *n, const struct slab *s)
{
	eh_store(c, sym, s->page_line);
	eh_store(c, sym, s->prev ? s->prev->page_line : n->line);
	if (s->next)
		eh_store(c, sym, s->next->page_line);
}

static void write_added(struct eh_cpu *c, int sym, const struct slab_node *n,
			const struct slab *other)
{
	eh_store(c, sym, n->line);
	if (other)
		eh_store(c, sym, other->page_line);
}

/* To the list its number of objects wants: full, partial (at the end), free. */
void eh_slab_move(struct eh_cpu *c, int sym, struct slab_node *n, struct slab *s)
{
	struct slab_list *to = !s->inuse ? &n->free : s->free ? &n->partial : &n->full;

	if (s->on) {
		write_links(c, sym, n, s);
		slab_list_del(s);
	}
	write_added(c, sym, n, to == &n->partial ? to->tail : to->head);
	if (to == &n->partial)
		slab_list_add_tail(to, s);
	else
		slab_list_add(to, s);
}

/* slab_put_obj; the object leaves its array at the instant at which it comes into its slab. */
static void put_obj(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab_node *n,
		    struct eh_object **entry, bool alive, eh_time known)
{
	struct eh_object *o = *entry;
	struct slab *s = eh_slab_of(o);

	eh_path(c, SYM, k->mm->kernel->cost.slab_put);
	eh_load(c, SYM, s->index_line, eh_load(c, SYM, s->page_line, known));
	eh_store(c, SYM, s->index_line);
	*entry = NULL;
	o->next = s->free;
	s->free = o;
	s->inuse--;
	if (alive) {
		k->counts.freemiss++;
		eh_kmem_freed(k, c->die, o);
	}
	eh_slab_move(c, SYM, n, s);
}

/* What is free beyond the limit. */
static void let_die(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab_node *n)
{
	while (n->free_objects > n->free_limit && n->free.tail) {
		struct slab *s = n->free.tail;

		n->free_objects -= k->objects;
		write_links(c, SYM, n, s);
		slab_list_del(s);
		slab_list_add(&n->dead, s);
	}
}

void eh_slab_free_block(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab_node *n,
			struct eh_object **entry, int len, eh_time known)
{
	eh_load(c, SYM, n->line + 1, known);
	eh_store(c, SYM, n->line + 1);
	n->free_objects += len;
	for (int i = 0; i < len; i++)
		put_obj(c, k, n, &entry[i], false, known);
	let_die(c, k, n);
}

void eh_slab_free_one(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab_node *n,
		      struct eh_object *o, eh_time known)
{
	eh_load(c, SYM, n->line + 1, known);
	eh_store(c, SYM, n->line + 1);
	n->free_objects++;
	put_obj(c, k, n, &o, true, known);
	let_die(c, k, n);
}

void eh_slab_take_dead(struct slab_node *n, struct slab_list *dead)
{
	struct slab *s;

	while ((s = slab_list_pop(&n->dead)))
		slab_list_add_tail(dead, s);
}

void eh_slab_bury(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab_list *dead)
{
	struct slab *s;

	while ((s = slab_list_pop(dead)))
		eh_page_free(c, k->mm, eh_slab_end(k, s));
}
