/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SLAB's arrays and node lists. */
#ifndef EHSIM_MM_SLAB_H
#define EHSIM_MM_SLAB_H

#include "kmem.h"

/* array_cache: a line's head holds the counts, the entries follow. */
struct array {
	int avail, limit, batch;
	bool touched;
	eh_line_id line;
	struct eh_object **entry; /* NULL: on its way into its slab */
};

struct alien {
	struct eh_spinlock lock; /* in the array's first line */
	struct array ac;
};

/* kmem_cache_node: lock and list heads in its first line, the rest in its second. */
struct slab_node {
	struct eh_spinlock list_lock;
	eh_line_id line;
	struct slab_list full, partial, free;
	int64_t free_objects, free_limit;
	int colour_next;
	bool free_touched;
	eh_time next_reap;
	struct array shared;   /* limit 0: none */
	struct alien *alien;   /* by the node that objects go home to; NULL: none */
	struct slab_list dead; /* empty, to go back to the pages once the lock is dropped */
};

struct slab_cache {
	struct array *cpus;
	struct slab_node *nodes;
};

static inline struct slab_cache *slab_of(const struct eh_kmem_cache *k)
{
	return k->state;
}

static inline eh_time list_lock(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab_node *n)
{
	return eh_mm_lock(c, &n->list_lock, &k->list_lock);
}

static inline void list_unlock(struct eh_cpu *c, struct slab_node *n, int sym)
{
	eh_mm_unlock(c, &n->list_lock, sym);
}

/* slab_array.c */
void eh_array_init(struct eh_kmem_cache *k, struct array *a, int limit, int batch, int die,
		   const char *name);
void eh_array_clear(struct array *a);
/* The head is read and written; entries [from, from + n) are read, or written. known: see
 * eh_mm_lock. */
void eh_array_head(struct eh_cpu *c, int sym, const struct array *a, eh_time known);
void eh_array_read(struct eh_cpu *c, int sym, const struct array *a, int from, int n,
		   eh_time known);
void eh_array_write(struct eh_cpu *c, int sym, const struct array *a, int from, int n);
/* Up to n of the youngest ones; returns how many. */
int eh_array_transfer(struct eh_cpu *c, int sym, struct array *to, struct array *from, int n,
		      eh_time known);
/* The n oldest ones are gone: the rest moves down. */
void eh_array_shift(struct eh_cpu *c, int sym, struct array *a, int n);
void eh_array_count(const struct array *a, uint64_t *by_die);

/* slab_list.c: a node's slabs, under its list_lock */
void eh_slab_move(struct eh_cpu *c, int sym, struct slab_node *n, struct slab *s);
void eh_slab_free_block(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab_node *n,
			struct eh_object **entry, int len, eh_time known);
/* One that was alive until now. */
void eh_slab_free_one(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab_node *n,
		      struct eh_object *o, eh_time known);
/* slabs_destroy: what has died, without the lock. */
void eh_slab_bury(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab_list *dead);
void eh_slab_take_dead(struct slab_node *n, struct slab_list *dead);

/* slab_free.c */
void eh_slab_free(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o);
void eh_slab_free_bulk(struct eh_cpu *c, struct eh_kmem_cache *k, int n, struct eh_object **o);
void eh_slab_drain_alien(struct eh_cpu *c, struct eh_kmem_cache *k, struct array *a, int die,
			 struct slab_list *dead);
/* slab_reap.c */
void eh_slab_reap(struct eh_cpu *c, struct eh_kmem_cache *k, int turn, eh_time now);

#endif
