/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slab.h"

#include <string.h>

#define SYM_FAST EH_SYM(kmem_cache_free)
#define SYM_FLUSH EH_SYM(cache_flusharray)
#define SYM_ALIEN EH_SYM(__cache_free_alien)

/* The oldest of the CPU's objects go to the shared array while that has room, else to their slabs.
 */
static void flush(struct eh_cpu *c, struct eh_kmem_cache *k, struct array *ac)
{
	struct slab_node *n = &slab_of(k)->nodes[c->die];
	struct array *shared = &n->shared;
	struct slab_list dead = {0};
	int len = ac->batch, room;
	eh_time known;

	eh_path(c, SYM_FLUSH, k->mm->kernel->cost.slab_slow);
	known = eh_load(c, SYM_FLUSH, n->line + 1, list_lock(c, k, n));
	if (shared->limit)
		known = eh_load(c, SYM_FLUSH, shared->line, known);
	room = shared->limit - shared->avail;
	if (room > 0) {
		len = MIN(len, room);
		eh_store(c, SYM_FLUSH, shared->line);
		eh_array_read(c, SYM_FLUSH, ac, 0, len, 0);
		eh_array_write(c, SYM_FLUSH, shared, shared->avail, len);
		memcpy(shared->entry + shared->avail, ac->entry, (size_t)len * sizeof(*ac->entry));
		memset(ac->entry, 0, (size_t)len * sizeof(*ac->entry));
		shared->avail += len;
	} else {
		eh_array_read(c, SYM_FLUSH, ac, 0, len, 0);
		eh_slab_free_block(c, k, n, ac->entry, len, known);
		eh_slab_take_dead(n, &dead);
	}
	list_unlock(c, n, SYM_FLUSH);
	eh_array_shift(c, SYM_FLUSH, ac, len);
	eh_slab_bury(c, k, &dead);
}

/* __drain_alien_cache, with the array's own lock held: home, under the owner node's lock. */
void eh_slab_drain_alien(struct eh_cpu *c, struct eh_kmem_cache *k, struct array *a, int die,
			 struct slab_list *dead)
{
	const int sym = EH_SYM(__drain_alien_cache);
	struct slab_node *n = &slab_of(k)->nodes[die];
	eh_time known;

	if (!a->avail)
		return;
	eh_path(c, sym, k->mm->kernel->cost.slab_slow);
	known = eh_load(c, sym, n->line + 1, list_lock(c, k, n));
	if (n->shared.limit) {
		known = eh_load(c, sym, n->shared.line, known);
		eh_array_transfer(c, sym, &n->shared, a, a->limit, known);
	}
	if (a->avail) {
		eh_array_read(c, sym, a, 0, a->avail, 0);
		eh_slab_free_block(c, k, n, a->entry, a->avail, known);
	}
	eh_slab_take_dead(n, dead);
	a->avail = 0;
	list_unlock(c, n, sym);
}

static void free_alien(struct eh_cpu *c, struct eh_kmem_cache *k, struct alien *alien,
		       struct eh_object *o)
{
	struct slab_list dead = {0};

	eh_load(c, SYM_ALIEN, alien->ac.line, eh_mm_lock(c, &alien->lock, &k->alien_lock));
	if (alien->ac.avail == alien->ac.limit) {
		k->counts.alienoverflow++;
		eh_slab_drain_alien(c, k, &alien->ac, o->home, &dead);
	}
	eh_store(c, SYM_ALIEN, alien->ac.line);
	eh_array_write(c, SYM_ALIEN, &alien->ac, alien->ac.avail, 1);
	alien->ac.entry[alien->ac.avail++] = o;
	k->counts.freemiss++;
	eh_kmem_freed(k, c->die, o);
	eh_mm_unlock(c, &alien->lock, SYM_ALIEN);
	eh_slab_bury(c, k, &dead);
}

/* noaliencache: each object by itself. */
static void free_far(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o)
{
	struct slab_node *n = &slab_of(k)->nodes[o->home];
	struct slab_list dead = {0};

	eh_slab_free_one(c, k, n, o, list_lock(c, k, n));
	eh_slab_take_dead(n, &dead);
	list_unlock(c, n, SYM_ALIEN);
	eh_slab_bury(c, k, &dead);
}

/* Which node the object is from is known from its struct page; nobody asks on a host of one. */
static bool is_alien(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o)
{
	if (k->m->ndies < 2)
		return false;
	eh_load(c, SYM_FAST, eh_slab_of(o)->page_line, 0);
	return o->home != c->die;
}

static void put(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o, int sym)
{
	struct array *ac = &slab_of(k)->cpus[c->id];
	struct slab_node *n = &slab_of(k)->nodes[c->die];
	bool hit;

	if (is_alien(c, k, o)) {
		eh_path(c, SYM_ALIEN, k->mm->kernel->cost.slab_alien);
		eh_load(c, SYM_ALIEN, n->line + 1, 0);
		if (n->alien)
			free_alien(c, k, &n->alien[o->home], o);
		else
			free_far(c, k, o);
		return;
	}
	eh_load(c, sym, ac->line, 0);
	hit = ac->avail < ac->limit;
	if (!hit)
		flush(c, k, ac);
	eh_store(c, sym, ac->line);
	eh_array_write(c, sym, ac, ac->avail, 1);
	ac->entry[ac->avail++] = o;
	k->counts.freehit += hit;
	k->counts.freemiss += !hit;
	eh_kmem_freed(k, c->die, o);
}

void eh_slab_free(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o)
{
	eh_path(c, SYM_FAST, k->instr);
	put(c, k, o, SYM_FAST);
}

void eh_slab_free_bulk(struct eh_cpu *c, struct eh_kmem_cache *k, int n, struct eh_object **o)
{
	const int sym = EH_SYM(kmem_cache_free_bulk);

	eh_path(c, sym, k->instr);
	for (int i = 0; i < n; i++) {
		eh_path(c, sym, k->mm->kernel->cost.slab_bulk);
		put(c, k, o[i], sym);
	}
}
