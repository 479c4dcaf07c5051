/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kmem.h"

#include <ehsim/task.h>

#define REAP_SECONDS 2 /* REAPTIMEOUT_AC */

/* By kernel.allocator; a kind is one file and a line here. */
static const struct eh_kmem_kind *const kinds[] = {&eh_kmem_slub, &eh_kmem_slab, NULL};

const char *eh_kmem_kind_name(int i)
{
	return kinds[i] ? kinds[i]->name : NULL;
}

struct eh_mm *eh_mm_new(struct eh_machine *m, const struct eh_kernel_config *kernel)
{
	struct eh_mm *mm = g_new0(struct eh_mm, 1);

	mm->m = m;
	mm->kernel = kernel;
	mm->kind = kinds[kernel->allocator];
	mm->caches = g_ptr_array_new();
	eh_pages_init(mm);
	m->mm = mm;
	return mm;
}

void eh_mm_free(struct eh_mm *mm)
{
	if (!mm)
		return;
	eh_pages_fini(mm);
	g_ptr_array_unref(mm->caches);
	g_free(mm->reaper);
	g_free(mm);
}

struct eh_kmem_cache *eh_mm_cache(const struct eh_mm *mm, int i)
{
	return i < (int)mm->caches->len ? g_ptr_array_index(mm->caches, (guint)i) : NULL;
}

/* cache_reap, of one CPU; the next node's alien arrays are for the next time. */
static void reap(struct eh_cpu *c, bool user_or_idle, void *arg)
{
	struct eh_mm *mm = arg;
	eh_time now = eh_sim_now(c->sim);

	(void)user_or_idle;
	if (now < mm->reaper[c->id].due)
		return;
	for (guint i = 0; i < mm->caches->len; i++) {
		struct eh_kmem_cache *k = g_ptr_array_index(mm->caches, i);

		k->kind->reap(c, k, mm->reaper[c->id].turn, now);
	}
	mm->reaper[c->id].turn = (mm->reaper[c->id].turn + 1) % mm->m->ndies;
	mm->reaper[c->id].due = now + REAP_SECONDS * EH_SEC;
}

void eh_mm_reap(struct eh_mm *mm, struct eh_sched *s)
{
	const struct eh_sched_hooks hooks = {.tick = reap, .arg = mm};

	if (!mm->kind->reap)
		return;
	mm->reaper = g_malloc0_n((gsize)mm->m->ncpus, sizeof(*mm->reaper));
	for (int i = 0; i < mm->m->ncpus; i++) {
		mm->reaper[i].due = REAP_SECONDS * EH_SEC;
		mm->reaper[i].turn = mm->m->die_of[i];
	}
	eh_sched_hook(s, &hooks);
}

/* --- caches --- */

struct eh_kmem_cache *eh_kmem_cache_make(struct eh_machine *m, const struct eh_kmem_spec *spec)
{
	struct eh_kmem_cache *k = g_new0(struct eh_kmem_cache, 1);

	k->mm = m->mm;
	k->m = m;
	k->kind = k->mm->kind;
	k->name = g_strdup(spec->name);
	k->size = spec->size;
	k->lines = spec->lines;
	k->line_bytes = spec->line_bytes ? spec->line_bytes : LINE_BYTES;
	k->allocs = g_new0(uint64_t, m->ndies);
	k->frees = g_new0(uint64_t, m->ndies);
	k->slabs = g_ptr_array_new();
	eh_lock_class_init(&k->list_lock, m, "list_lock");
	eh_lock_class_init(&k->alien_lock, m, "alien->lock");
	k->kind->build(k, spec);
	g_ptr_array_add(k->mm->caches, k);
	return k;
}

struct eh_kmem_cache *eh_kmem_cache_new(struct eh_machine *m, const char *name, int lines,
					int objects_per_slab, int64_t instr)
{
	struct eh_kmem_cache *k = eh_kmem_cache_make(
		m, &(struct eh_kmem_spec){name, lines * LINE_BYTES, lines, objects_per_slab, 0});

	k->instr = instr;
	return k;
}

void eh_kmem_cache_free(struct eh_kmem_cache *k)
{
	if (!k)
		return;
	g_ptr_array_remove(k->mm->caches, k);
	k->kind->destroy(k);
	for (guint i = 0; i < k->slabs->len; i++)
		g_free(g_ptr_array_index(k->slabs, i));
	g_ptr_array_free(k->slabs, TRUE);
	g_free(k->allocs);
	g_free(k->frees);
	g_free(k->name);
	g_free(k);
}

void eh_kmem_allocated(struct eh_kmem_cache *k, int die, const struct eh_object *o)
{
	k->allocs[o->home]++;
	k->counts.nodeallocs += o->home != die;
	k->active++;
	k->counts.most = MAX(k->counts.most, k->active);
}

void eh_kmem_freed(struct eh_kmem_cache *k, int die, const struct eh_object *o)
{
	k->frees[o->home]++;
	k->counts.remotefrees += o->home != die;
	k->active--;
}

struct eh_object *eh_kmem_alloc(struct eh_cpu *c, struct eh_kmem_cache *k)
{
	return k->kind->alloc(c, k);
}

void eh_kmem_free(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o)
{
	k->kind->free(c, k, o);
}

void eh_kmem_alloc_bulk(struct eh_cpu *c, struct eh_kmem_cache *k, int n, struct eh_object **o)
{
	k->kind->alloc_bulk(c, k, n, o);
}

void eh_kmem_free_bulk(struct eh_cpu *c, struct eh_kmem_cache *k, int n, struct eh_object **o)
{
	k->kind->free_bulk(c, k, n, o);
}

struct eh_object *eh_kmem_preset(struct eh_kmem_cache *k, int cpu)
{
	struct eh_object *o = k->kind->preset(k, cpu);

	for (int i = 0; i < k->lines; i++)
		eh_line_written_by(k->m, o->line + (eh_line_id)i, cpu);
	eh_kmem_allocated(k, k->m->die_of[cpu], o);
	return o;
}

/* --- slabs --- */

int eh_slab_spare(const struct eh_kmem_cache *k)
{
	return (EH_PAGE_BYTES << k->order) - k->objects * k->size;
}

struct slab *eh_slab_new(struct eh_kmem_cache *k, struct eh_page *page, int die, int offset)
{
	struct slab *s = g_malloc0(sizeof(*s) + (size_t)k->objects * sizeof(s->object[0]));
	int lines = MAX(k->size / k->line_bytes, 1), stride = k->size;
	uint32_t all = (uint32_t)((EH_PAGE_BYTES << k->order) / k->line_bytes);
	uint32_t touched = (uint32_t)(k->objects * k->lines + 1);
	eh_line_id first;

	s->page = page ? page : eh_page_preset(k->mm, k->order, die);
	s->page->slab = s;
	s->home = s->page->node;
	s->page_line = s->page->line;
	if (!eh_page_data(k->mm, s->page, k->line_bytes, touched)) {
		all = touched;
		lines = k->lines;
		stride = MIN(stride, lines * k->line_bytes);
		offset = 0;
	}
	first = s->page->data + (eh_line_id)(offset / k->line_bytes);
	s->last_line = s->page->data + all - 1;
	eh_line_name(k->m, first, (uint32_t)(k->objects * stride / k->line_bytes), (uint32_t)lines,
		     k->name);
	for (int i = k->objects; i-- > 0;) {
		s->object[i].slab = s;
		s->object[i].o.line = first + (eh_line_id)(i * stride / k->line_bytes);
		s->object[i].o.home = s->home;
		s->object[i].o.next = s->free;
		s->free = &s->object[i].o;
	}
	s->index = k->slabs->len;
	g_ptr_array_add(k->slabs, s);
	k->counts.grown++;
	return s;
}

struct eh_page *eh_slab_end(struct eh_kmem_cache *k, struct slab *s)
{
	struct eh_page *page = s->page;
	struct slab *last = g_ptr_array_index(k->slabs, k->slabs->len - 1);

	last->index = s->index;
	g_ptr_array_remove_index_fast(k->slabs, s->index);
	g_free(s);
	k->counts.shrunk++;
	return page;
}

/* --- what is where --- */

struct eh_lock_class *eh_kmem_list_lock(struct eh_kmem_cache *k)
{
	return &k->list_lock;
}

struct eh_lock_class *eh_kmem_alien_lock(struct eh_kmem_cache *k)
{
	return &k->alien_lock;
}

int64_t eh_kmem_bytes(const struct eh_kmem_cache *k)
{
	return k->size;
}

uint64_t eh_kmem_active(const struct eh_kmem_cache *k)
{
	return k->active;
}

uint64_t eh_kmem_alive(const struct eh_kmem_cache *k, int die)
{
	return k->allocs[die] - k->frees[die];
}

void eh_kmem_info(const struct eh_kmem_cache *k, struct eh_kmem_info *info)
{
	uint64_t *idle;

	*info = (struct eh_kmem_info){
		.name = k->name,
		.size = k->size,
		.per_slab = k->objects,
		.pages = 1 << k->order,
		.active = k->active,
		.objects = (uint64_t)k->slabs->len * (uint64_t)k->objects,
		.slabs = k->slabs->len,
		.counts = k->counts,
	};
	for (int d = 0; d < k->m->ndies; d++) {
		info->counts.allocs += k->allocs[d];
		info->counts.frees += k->frees[d];
	}
	for (guint i = 0; i < k->slabs->len; i++)
		info->active_slabs += ((struct slab *)g_ptr_array_index(k->slabs, i))->inuse > 0;
	k->kind->info(k, info);
	idle = g_new0(uint64_t, k->m->ndies);
	k->kind->cached(k, idle);
	for (int d = 0; d < k->m->ndies; d++)
		info->cached += idle[d];
	g_free(idle);
}

/* By walking every list, not by the counts that the lists' users keep. */
char *eh_kmem_problem(const struct eh_kmem_cache *k)
{
	int ndies = k->m->ndies;
	uint64_t *there = g_new0(uint64_t, ndies), *idle = g_new0(uint64_t, ndies);
	char *why = NULL;

	for (guint i = 0; i < k->slabs->len; i++) {
		const struct slab *s = g_ptr_array_index(k->slabs, i);

		there[s->home] += (uint64_t)k->objects;
		int left = k->objects; /* freed twice, a list may run in a circle */

		for (const struct eh_object *o = s->free; o && left-- >= 0; o = o->next)
			idle[s->home]++;
	}
	k->kind->cached(k, idle);
	for (int d = 0; d < ndies && !why; d++)
		if (there[d] - idle[d] != eh_kmem_alive(k, d))
			why = g_strdup_printf(
				"cache '%s', node %d, on the %s: %" G_GUINT64_FORMAT
				" objects allocated and not freed, but %" G_GUINT64_FORMAT
				" of %" G_GUINT64_FORMAT " are in no list",
				k->name, d, k->m->name, eh_kmem_alive(k, d), there[d] - idle[d],
				there[d]);
	g_free(there);
	g_free(idle);
	return why;
}

void eh_mm_check(const struct eh_mm *mm)
{
	char *why = NULL;

	for (guint i = 0; i < mm->caches->len && !why; i++)
		why = eh_kmem_problem(g_ptr_array_index(mm->caches, i));
	for (int d = 0; d < mm->m->ndies && !why; d++)
		why = eh_zone_problem(mm, d);
	if (why)
		eh_assert_failed(mm->m->sim, why, __FILE__, __LINE__);
}
