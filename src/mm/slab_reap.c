/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slab.h"

#define REAP_NODE_SECONDS 4 /* REAPTIMEOUT_NODE */
#define SYM EH_SYM(cache_reap)

/* A fifth of an array that nobody has used since, under the node's lock. */
static void drain_array(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab_node *n,
			struct array *a)
{
	struct slab_list dead = {0};
	eh_time known;
	int len;

	if (a->touched) {
		a->touched = false;
		return;
	}
	known = list_lock(c, k, n);
	len = (a->limit + 4) / 5;
	if (len > a->avail)
		len = (a->avail + 1) / 2;
	eh_slab_free_block(c, k, n, a->entry, len, known);
	eh_slab_take_dead(n, &dead);
	eh_array_shift(c, SYM, a, len);
	list_unlock(c, n, SYM);
	eh_slab_bury(c, k, &dead);
}

/* One that somebody holds the lock of is left alone. */
static void reap_alien(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab_node *n, int die)
{
	struct alien *alien = n->alien && die != c->die ? &n->alien[die] : NULL;
	struct slab_list dead = {0};

	if (!alien || !alien->ac.avail || !eh_spin_is_free(&alien->lock, c->retire))
		return;
	eh_mm_lock(c, &alien->lock, &k->alien_lock);
	eh_slab_drain_alien(c, k, &alien->ac, die, &dead);
	eh_mm_unlock(c, &alien->lock, SYM);
	eh_slab_bury(c, k, &dead);
}

/* drain_freelist: some of the slabs without an object. */
static void drain_free(struct eh_cpu *c, struct eh_kmem_cache *k, struct slab_node *n)
{
	int64_t most = (n->free_limit + 5 * k->objects - 1) / (5 * k->objects);
	struct slab_list dead = {0};

	while (most-- > 0 && n->free.tail) {
		list_lock(c, k, n);
		if (n->free.tail) {
			struct slab *s = n->free.tail;

			eh_store(c, SYM, s->page_line);
			n->free_objects -= k->objects;
			slab_list_del(s);
			slab_list_add(&dead, s);
			k->counts.reaped++;
		}
		list_unlock(c, n, SYM);
	}
	eh_slab_bury(c, k, &dead);
}

void eh_slab_reap(struct eh_cpu *c, struct eh_kmem_cache *k, int turn, eh_time now)
{
	struct slab_node *n = &slab_of(k)->nodes[c->die];
	struct array *ac = &slab_of(k)->cpus[c->id];

	eh_path(c, SYM, k->mm->kernel->cost.slab_slow);
	reap_alien(c, k, n, turn);
	if (ac->avail)
		drain_array(c, k, n, ac);
	if (n->next_reap > now)
		return;
	n->next_reap = now + REAP_NODE_SECONDS * EH_SEC;
	if (n->shared.avail)
		drain_array(c, k, n, &n->shared);
	if (n->free_touched)
		n->free_touched = false;
	else
		drain_free(c, k, n);
}
