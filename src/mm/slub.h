/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EHSIM_MM_SLUB_H
#define EHSIM_MM_SLUB_H

#include "kmem.h"

#define MIN_PARTIAL 5 /* kernel: log2(size) / 2, at least 5; it is 5 up to 2 KiB */

struct cpu_slab {
	struct eh_object *freelist;
	struct slab *slab;
	struct slab_list partial;
};

struct node {
	struct eh_spinlock list_lock;
	struct slab_list partial;
};

struct slub {
	int cpu_partial_slabs;
	struct cpu_slab *cpus;
	struct node *nodes;
};

static inline struct slub *slub_of(const struct eh_kmem_cache *k)
{
	return k->state;
}

static inline void node_lock(struct eh_cpu *c, struct eh_kmem_cache *k, struct node *n)
{
	eh_mm_lock(c, &n->list_lock, &k->list_lock);
}

static inline void node_unlock(struct eh_cpu *c, struct node *n, int sym)
{
	eh_mm_unlock(c, &n->list_lock, sym);
}

/* slub_free.c */
void eh_slub_free(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o);
void eh_slub_free_bulk(struct eh_cpu *c, struct eh_kmem_cache *k, int n, struct eh_object **o);

#endif
