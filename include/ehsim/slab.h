/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel objects and where they come from. A kmem cache hands out objects of so many cache lines;
 * an object keeps its lines and its home die for life.
 *
 * Modelled: SLUB. A CPU allocates from its current slab without a locked operation; the pointer to
 * the next free object sits in the object's first line, so alloc reads it and free writes it. A
 * free is that cheap only if the object belongs to the CPU's current slab; any other takes a locked
 * operation on the slab's page descriptor, one line, wherever it is. A full slab that gets an object
 * back goes to the freeing CPU's partial list; when that list is long enough all of it goes to the
 * lists of the home dies, under their locks. An empty slab goes back to its die's pages while the
 * die's list has five. A CPU that runs out takes what others freed into its slab, then its partial
 * list, then its die's list (several at once), then a longer list of another die, then a new page.
 * Not modelled: the page allocator behind it, SLAB's array and alien caches, sheaves, the size of an
 * object beyond the lines that are touched (it sets the length of the CPU's partial list).
 * Source: description of mm/slub.c, v6.12.
 */
#ifndef EHSIM_SLAB_H
#define EHSIM_SLAB_H

#include <ehsim/qspinlock.h>

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
struct eh_lock_class *eh_kmem_list_lock(struct eh_kmem_cache *k);

#endif
