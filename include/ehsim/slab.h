/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel objects and where they come from. A kmem cache hands out objects of so many cache lines;
 * an object keeps its lines and its home die for life.
 *
 * Modelled now: SLUB's fast path (per-CPU LIFO freelist; the freelist pointer sits in the object's
 * first line, so alloc reads it and free writes it), refill from a page homed on the CPU's die,
 * remote free (an object of another die goes to the per-die partial list under that list's lock).
 * Not modelled yet: full slab/partial bookkeeping, SLAB's array and alien caches, page allocator.
 * Source: description of mm/slub.c, v6.12.
 */
#ifndef EHSIM_SLAB_H
#define EHSIM_SLAB_H

#include <ehsim/cpu.h>

struct eh_kmem_cache;

struct eh_object {
	struct eh_object *next; /* freelist */
	eh_line_id line;	/* first of the cache's lines_per_object */
	uint16_t home;		/* die */
};

/* lines: how many cache lines of an object the model touches. instr: cost of one alloc or free. */
struct eh_kmem_cache *eh_kmem_cache_new(struct eh_machine *m, const char *name, int lines,
					int objects_per_slab, int64_t instr);
void eh_kmem_cache_free(struct eh_kmem_cache *k);
struct eh_object *eh_kmem_alloc(struct eh_cpu *c, struct eh_kmem_cache *k);
void eh_kmem_free(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o);
/* Before time 0: an object as if CPU `cpu` had allocated it; costs nothing. */
struct eh_object *eh_kmem_preset(struct eh_kmem_cache *k, int cpu);
uint64_t eh_kmem_active(const struct eh_kmem_cache *k);

#endif
