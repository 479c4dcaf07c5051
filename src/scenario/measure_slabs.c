/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include <ehsim/slab.h>
#include <inttypes.h>

#define NS(t) ((uint64_t)((t) / EH_NS))

struct cache {
	struct eh_kmem_info info;
	struct eh_lock_class list_lock, alien_lock;
};

static struct eh_mm *mm_of(const struct eh_world *w, int host)
{
	struct eh_machine *m[2];

	eh_world_machines(w, m);
	return m[host] ? m[host]->mm : NULL;
}

static struct cache read_cache(struct eh_kmem_cache *k)
{
	struct cache c = {.list_lock = *eh_kmem_list_lock(k), .alien_lock = *eh_kmem_alien_lock(k)};

	eh_kmem_info(k, &c.info);
	return c;
}

GArray *eh_slabs_begin(const struct eh_world *w, int host)
{
	GArray *from = g_array_new(FALSE, TRUE, sizeof(struct cache));
	struct eh_mm *mm = mm_of(w, host);
	struct eh_kmem_cache *k;

	for (int i = 0; mm && (k = eh_mm_cache(mm, i)); i++) {
		struct cache c = read_cache(k);

		g_array_append_val(from, c);
	}
	return from;
}

/* What stands now; of counts what the window has added. */
static void fill(struct eh_slab_row *row, const struct cache *a, const struct cache *b)
{
	const struct eh_kmem_counts *x = &a->info.counts, *y = &b->info.counts;
	const struct eh_kmem_info *now = &b->info;
	uint64_t *n = row->number;

	n[EH_SLAB_active_objs] = now->active;
	n[EH_SLAB_num_objs] = now->objects;
	n[EH_SLAB_objsize] = (uint64_t)now->size;
	n[EH_SLAB_objperslab] = (uint64_t)now->per_slab;
	n[EH_SLAB_pagesperslab] = (uint64_t)now->pages;
	n[EH_SLAB_limit] = (uint64_t)now->limit;
	n[EH_SLAB_batchcount] = (uint64_t)now->batch;
	n[EH_SLAB_sharedfactor] = (uint64_t)now->shared_factor;
	n[EH_SLAB_active_slabs] = now->active_slabs;
	n[EH_SLAB_num_slabs] = now->slabs;
	n[EH_SLAB_sharedavail] = now->shared_avail;
	n[EH_SLAB_bytes] = now->slabs * (uint64_t)now->pages * EH_PAGE_BYTES;
	n[EH_SLAB_maxobjs] = y->most;
	n[EH_SLAB_listallocs] = y->allocs - x->allocs;
	n[EH_SLAB_frees] = y->frees - x->frees;
	n[EH_SLAB_grown] = y->grown - x->grown;
	n[EH_SLAB_shrunk] = y->shrunk - x->shrunk;
	n[EH_SLAB_reaped] = y->reaped - x->reaped;
	n[EH_SLAB_nodeallocs] = y->nodeallocs - x->nodeallocs;
	n[EH_SLAB_remotefrees] = y->remotefrees - x->remotefrees;
	n[EH_SLAB_alienoverflow] = y->alienoverflow - x->alienoverflow;
	n[EH_SLAB_allochit] = y->allochit - x->allochit;
	n[EH_SLAB_allocmiss] = y->allocmiss - x->allocmiss;
	n[EH_SLAB_freehit] = y->freehit - x->freehit;
	n[EH_SLAB_freemiss] = y->freemiss - x->freemiss;
}

/* Acquisitions, contentions, wait: in this order from n on. */
static void fill_lock(uint64_t *n, const struct eh_lock_class *a, const struct eh_lock_class *b)
{
	n[0] = b->acquisitions - a->acquisitions;
	n[1] = b->contentions - a->contentions;
	n[2] = NS(b->wait_total - a->wait_total);
}

static char *by_node(const struct eh_kmem_cache *k, int ndies)
{
	GString *text = g_string_new(NULL);

	for (int d = 0; d < ndies; d++)
		g_string_append_printf(text, "%s%" PRIu64, d ? " " : "", eh_kmem_alive(k, d));
	return g_string_free(text, FALSE);
}

void eh_slabs_end(GArray *from, const struct eh_world *w, int host, struct eh_point *p)
{
	struct eh_mm *mm = mm_of(w, host);
	struct eh_machine *m[2];

	eh_world_machines(w, m);
	for (guint i = 0; p->with_slabs && i < from->len; i++) {
		struct eh_kmem_cache *k = eh_mm_cache(mm, (int)i);
		const struct cache *a = &g_array_index(from, struct cache, i);
		struct cache b = read_cache(k);
		char *alive = by_node(k, m[host]->ndies);
		struct eh_slab_row *row = eh_slab_row_add(p->slabs[host], b.info.name, alive);

		fill(row, a, &b);
		fill_lock(&row->number[EH_SLAB_list_lock_acquisitions], &a->list_lock,
			  &b.list_lock);
		fill_lock(&row->number[EH_SLAB_alien_lock_acquisitions], &a->alien_lock,
			  &b.alien_lock);
		g_free(alive);
	}
	g_array_unref(from);
}
