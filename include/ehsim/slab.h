/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel objects and where they come from. A kmem cache hands out objects of so many bytes; an
 * object keeps its lines and its home die as long as its slab lives. kernel.allocator chooses how,
 * for all caches of both hosts (slub and slab are rows of eh_kmem_kinds):
 *
 * slub (v6.12). A CPU allocates from its current slab without a locked operation; the pointer to
 * the next free object sits in the object's first line, so alloc reads it and free writes it. A
 * free is that cheap only if the object belongs to the CPU's current slab; any other takes a locked
 * operation on the slab's page descriptor, one line, wherever it is. A full slab that gets an
 * object back goes to the freeing CPU's partial list; when that list is long enough all of it goes
 * to the lists of the home dies, under their locks. An empty slab goes back to the page allocator
 * while the die's list has five. A CPU that runs out takes what others freed into its slab, then
 * its partial list, then its die's list (several at once), then a longer list of another die, then
 * a new slab.
 * Bulk free puts objects of one slab together first (up to two of other slabs are passed over)
 * and gives them back by one operation; with kernel.slub_bulk: each one by one, as up to v4.4.
 *
 * slab (v5.0 to v6.4). Per CPU an array of objects, last in, first out; per node one that its CPUs
 * share; for each pair of nodes an alien array of kernel.alien_limit on the freeing one, with a
 * lock of its own that all CPUs of the freeing node take, for objects that go home. Lengths by
 * object size: 120, 54, 24, 8, 1; half of it moves at a time, the shared array holds 8 times that.
 * An empty array is filled from the shared one, else from the node's partial, then free slabs,
 * under the node's list_lock; if there are none, from a new slab, before any lock is taken
 * (kernel.slab_refill: lockless) or after four times list_lock as before v4.7 (locked). A full one
 * gives its oldest half to the shared array while that has room, else to the slabs, and what is
 * free beyond a limit to the page allocator.
 * A full alien array is drained, with its lock held, under the owner node's list_lock. With
 * kernel.alien: off (noaliencache) every object of another node goes straight into its slab, one at
 * a time, under the owner node's list_lock: that is what the option does in v6.1. One node has
 * neither.
 * Each CPU's reaper comes every 2 s: one node's alien array in turn, a fifth of an array not used
 * since, every 4 s of the shared array and of the free slabs, too.
 *
 * Bulk alloc and free save the calls: the fast path costs cost.slab_bulk instead of cost.slab.
 * SLAB's go through its arrays as single ones do.
 *
 * Objects lie in their pages as they do in memory (page.h), so those of one size share few sets of a
 * CPU's caches: of TCPv6 sockets, 13 in 32 KiB, the same line can be in 52 places of 2048. SLAB's
 * colours shift a slab's objects by lines that are to spare; the index of free ones stands behind
 * them, or in the last of them.
 *
 * Not modelled: debugging, accounting to cgroups, merging of caches of one size, sheaves (v6.18),
 * slab pages of RCU caches held back for a grace period, memory policies. The reaper
 * runs in the tick's interrupt instead of a kworker.
 * Source: description of mm/slub.c, v6.12, and of mm/slab.c, v5.0 and v6.1.
 */
#ifndef EHSIM_SLAB_H
#define EHSIM_SLAB_H

#include <ehsim/page.h>

struct eh_kmem_cache;
struct eh_sched;

struct eh_object {
	struct eh_object *next; /* freelist */
	eh_line_id line;	/* first of its lines */
	uint16_t home;		/* die */
};

/* --- all kernel memory of a host --- */

/* Also m->mm; freed after its caches. */
struct eh_mm *eh_mm_new(struct eh_machine *m, const struct eh_kernel_config *kernel);
void eh_mm_free(struct eh_mm *mm);
/* The reaper comes from now on; for allocators that have one. */
void eh_mm_reap(struct eh_mm *mm, struct eh_sched *s);
/* i-th cache in the order they were made, NULL behind the last. */
struct eh_kmem_cache *eh_mm_cache(const struct eh_mm *mm, int i);

/* --- one cache --- */

struct eh_kmem_spec {
	const char *name; /* as in slabinfo; not copied into line names */
	int size;	  /* bytes of an object */
	int lines;	  /* how many of its cache lines the model touches */
	int per_slab; /* SLUB: objects of a slab; 0: as its size and the number of CPUs give it */
	int line_bytes; /* of the host's cache lines; 0: 64 */
};

struct eh_kmem_cache *eh_kmem_cache_make(struct eh_machine *m, const struct eh_kmem_spec *spec);
/* The same for an object of just those lines; instr: as cost.slab, for this cache. */
struct eh_kmem_cache *eh_kmem_cache_new(struct eh_machine *m, const char *name, int lines,
					int objects_per_slab, int64_t instr);
void eh_kmem_cache_free(struct eh_kmem_cache *k);
struct eh_object *eh_kmem_alloc(struct eh_cpu *c, struct eh_kmem_cache *k);
void eh_kmem_free(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o);
void eh_kmem_alloc_bulk(struct eh_cpu *c, struct eh_kmem_cache *k, int n, struct eh_object **o);
void eh_kmem_free_bulk(struct eh_cpu *c, struct eh_kmem_cache *k, int n, struct eh_object **o);
/* Before time 0: an object as if CPU `cpu` had allocated it; costs nothing. */
struct eh_object *eh_kmem_preset(struct eh_kmem_cache *k, int cpu);
int64_t eh_kmem_bytes(const struct eh_kmem_cache *k); /* of an object */
uint64_t eh_kmem_active(const struct eh_kmem_cache *k);
struct eh_lock_class *eh_kmem_list_lock(struct eh_kmem_cache *k);
struct eh_lock_class *eh_kmem_alien_lock(struct eh_kmem_cache *k);

/* --- what is where --- */

/* Counts since the start. For SLUB a hit is the fast path. */
struct eh_kmem_counts {
	uint64_t allocs, frees;
	uint64_t allochit, allocmiss, freehit, freemiss;
	uint64_t grown, reaped; /* slabs made, slabs that the reaper gave back */
	uint64_t shrunk;	/* slabs given back by frees */
	uint64_t nodeallocs;	/* from a slab of another node */
	uint64_t remotefrees;	/* by a CPU of another node than the object's */
	uint64_t alienoverflow; /* alien arrays found full */
	uint64_t most;		/* objects alive at a time */
};

struct eh_kmem_info {
	const char *name;
	int size, per_slab, pages;	 /* of a slab */
	int limit, batch, shared_factor; /* of the CPU's array; SLUB: 0 */
	uint64_t active, objects;	 /* alive now; room for, in all slabs */
	uint64_t active_slabs, slabs, shared_avail;
	uint64_t cached; /* free, in arrays or on CPUs' freelists; the other free ones are in the slabs */
	struct eh_kmem_counts counts;
};

void eh_kmem_info(const struct eh_kmem_cache *k, struct eh_kmem_info *info);
/* Allocated minus freed, of objects at home on that die. */
uint64_t eh_kmem_alive(const struct eh_kmem_cache *k, int die);
/*
 * Objects of the cache's slabs that lie in no list and no array are alive: on every die as many as
 * were allocated and not freed. NULL when that holds; else a sentence, newly allocated.
 */
char *eh_kmem_problem(const struct eh_kmem_cache *k);
/* The same for all caches and pages of a host, as an assertion. */
void eh_mm_check(const struct eh_mm *mm);

/* An allocator: src/mm/kmem.h. Of kernel.allocator. */
const char *eh_kmem_kind_name(int i); /* NULL behind the last */

#endif
