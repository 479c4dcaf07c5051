/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "buddy.h"

#define RUN_ORDER 3 /* a slab is rarely longer */
#define SYM_GET EH_SYM(get_page_from_freelist)
#define SYM_FREE EH_SYM(free_unref_page)

static struct pcp *pcp_of(const struct eh_mm *mm, int cpu, int node)
{
	return &mm->pcp[cpu * mm->m->ndies + node];
}

static void lock_zone(struct eh_cpu *c, struct eh_mm *mm, struct zone *z)
{
	eh_mm_lock(c, &z->lock, &mm->zone_lock);
}

/* To and from the CPU's lists. */
static void list_pages(struct pcp *pcp, struct zone *z, int order, int64_t blocks)
{
	pcp->count += blocks * ((int64_t)1 << order);
	z->st.listed += (uint64_t)(blocks * ((int64_t)1 << order));
	z->moving -= (uint64_t)(blocks * ((int64_t)1 << order));
}

static void use_pages(struct zone *z, int order, int blocks)
{
	z->st.in_use += (uint64_t)((int64_t)blocks * (1 << order));
	z->moving -= (uint64_t)((int64_t)blocks * (1 << order));
}

/* rmqueue_bulk */
static void fill(struct eh_cpu *c, struct eh_mm *mm, struct pcp *pcp, int order, int node)
{
	const int sym = EH_SYM(rmqueue_bulk);
	struct zone *z = &mm->zones[node];
	int64_t batch = MAX(mm->kernel->pcp_batch, 1);
	int64_t n = order ? MAX(batch >> order, MIN(batch, 2)) : batch;

	lock_zone(c, mm, z);
	z->st.fills++;
	for (int64_t i = 0; i < n; i++) {
		eh_path(c, sym, mm->kernel->cost.page_zone);
		page_list_add_tail(&pcp->list[order], eh_buddy_take(c, mm, z, order));
		list_pages(pcp, z, order, 1);
	}
	eh_mm_unlock(c, &z->lock, sym);
}

static int fullest_order(const struct pcp *pcp, int order)
{
	for (int i = 0; i < EH_PAGE_ORDERS && !pcp->list[order].head; i++)
		order = i;
	return order;
}

/* free_pcppages_bulk: the oldest ones, of this order first. */
static void drain(struct eh_cpu *c, struct eh_mm *mm, struct pcp *pcp, int order, int node)
{
	const int sym = EH_SYM(free_pcppages_bulk);
	struct zone *z = &mm->zones[node];
	int64_t left = MIN(MAX(mm->kernel->pcp_batch, 1), pcp->count);

	lock_zone(c, mm, z);
	z->st.drains++;
	while (left > 0) {
		struct eh_page *p = pcp->list[order = fullest_order(pcp, order)].tail;

		page_list_del(&pcp->list[order], p);
		list_pages(pcp, z, order, -1);
		eh_path(c, sym, mm->kernel->cost.page_zone);
		eh_buddy_put(c, mm, z, p);
		left -= (int64_t)1 << order;
	}
	eh_mm_unlock(c, &z->lock, sym);
}

struct eh_page *eh_page_alloc(struct eh_cpu *c, struct eh_mm *mm, int order, int node)
{
	struct pcp *pcp = pcp_of(mm, c->id, node);
	struct zone *z = &mm->zones[node];
	struct eh_page *p;

	eh_path(c, SYM_GET, mm->kernel->cost.page);
	if (order > mm->kernel->pcp_order) {
		lock_zone(c, mm, z);
		p = eh_buddy_take(c, mm, z, order);
		eh_mm_unlock(c, &z->lock, SYM_GET);
	} else {
		eh_store(c, SYM_GET, pcp->line);
		if (!pcp->list[order].head)
			fill(c, mm, pcp, order, node);
		p = pcp->list[order].head;
		eh_load(c, SYM_GET, p->line, 0);
		page_list_del(&pcp->list[order], p);
		list_pages(pcp, z, order, -1);
	}
	eh_store(c, SYM_GET, p->line);
	use_pages(z, order, 1);
	return p;
}

void eh_page_free(struct eh_cpu *c, struct eh_mm *mm, struct eh_page *p)
{
	struct pcp *pcp = pcp_of(mm, c->id, p->node);
	struct zone *z = &mm->zones[p->node];
	int order = p->order;

	p->slab = NULL;
	eh_path(c, SYM_FREE, mm->kernel->cost.page);
	eh_store(c, SYM_FREE, p->line);
	use_pages(z, order, -1);
	if (order > mm->kernel->pcp_order) {
		lock_zone(c, mm, z);
		eh_buddy_put(c, mm, z, p);
		eh_mm_unlock(c, &z->lock, SYM_FREE);
		return;
	}
	eh_store(c, SYM_FREE, pcp->line);
	page_list_add(&pcp->list[order], p);
	list_pages(pcp, z, order, 1);
	if (pcp->count >= MAX(mm->kernel->pcp_high, 1))
		drain(c, mm, pcp, order, p->node);
}

struct eh_page *eh_page_preset(struct eh_mm *mm, int order, int node)
{
	struct eh_page *p = eh_buddy_take(NULL, mm, &mm->zones[node], order);

	use_pages(&mm->zones[node], order, 1);
	return p;
}

/* Neighbours get theirs at once: a run of pages as long as most blocks are. */
static void place(struct eh_mm *mm, struct eh_page *p, uint32_t per_page)
{
	uint32_t pages = 1u << MAX(p->order, RUN_ORDER), lines = pages * per_page;
	struct eh_page *run = p - (p->pfn & (pages - 1));
	eh_line_id first = eh_lines_aligned(mm->m, lines, p->node);

	for (uint32_t i = 0; i < pages; i++) {
		run[i].data = first + i * per_page;
		run[i].ndata = lines - i * per_page;
	}
}

bool eh_page_data(struct eh_mm *mm, struct eh_page *p, int line_bytes, uint32_t touched)
{
	uint32_t per_page = (uint32_t)(EH_PAGE_BYTES / line_bytes), all = per_page << p->order;

	if (p->ndata < all && !eh_lines_scarce(mm->m))
		place(mm, p, per_page);
	if (p->ndata >= all)
		return true;
	if (p->ndata < touched) {
		p->data = eh_lines_new(mm->m, touched, p->node);
		p->ndata = touched;
	}
	return false;
}

struct eh_lock_class *eh_zone_lock(struct eh_mm *mm)
{
	return &mm->zone_lock;
}

void eh_zone_stats(const struct eh_mm *mm, int node, struct eh_zone_stats *st)
{
	*st = mm->zones[node].st;
}

void eh_pages_init(struct eh_mm *mm)
{
	struct eh_machine *m = mm->m;

	eh_lock_class_init(&mm->zone_lock, m, "zone->lock");
	mm->zones = g_new0(struct zone, m->ndies);
	for (int d = 0; d < m->ndies; d++)
		eh_buddy_init(mm, &mm->zones[d], d);
	mm->pcp = g_new0(struct pcp, m->ncpus * m->ndies);
	for (int i = 0; i < m->ncpus; i++) {
		eh_line_id first =
			eh_lines_named(m, (uint32_t)m->ndies, m->die_of[i], "per_cpu_pages");

		for (int d = 0; d < m->ndies; d++)
			pcp_of(mm, i, d)->line = first + (eh_line_id)d;
	}
}

void eh_pages_fini(struct eh_mm *mm)
{
	for (int d = 0; d < mm->m->ndies; d++)
		eh_buddy_fini(&mm->zones[d]);
	g_free(mm->zones);
	g_free(mm->pcp);
}
