/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "buddy.h"

#define LARGEST (EH_PAGE_ORDERS - 1)
#define BLOCK_PAGES (1u << LARGEST)
#define LINES_AT_ONCE 64

static struct eh_page *page_at(const struct zone *z, uint32_t pfn)
{
	return (struct eh_page *)g_ptr_array_index(z->blocks, pfn / BLOCK_PAGES) +
	       pfn % BLOCK_PAGES;
}

/* Most pages of a zone are never touched: they get their line when they first are. */
static eh_line_id struct_page(struct eh_mm *mm, struct zone *z, struct eh_page *p)
{
	if (p->line)
		return p->line;
	if (!z->nfresh) {
		z->nfresh = LINES_AT_ONCE;
		z->fresh = eh_lines_named(mm->m, LINES_AT_ONCE, z->node, "struct page");
	}
	z->nfresh--;
	return p->line = z->fresh++;
}

static void write_page(struct eh_cpu *c, int sym, struct eh_mm *mm, struct zone *z,
		       struct eh_page *p)
{
	eh_line_id line = struct_page(mm, z, p);

	if (c)
		eh_store(c, sym, line);
}

/* The page, its neighbour in the list, the head: what a list's change writes. */
static void add_free(struct eh_cpu *c, int sym, struct eh_mm *mm, struct zone *z, struct eh_page *p,
		     int order)
{
	p->order = (uint8_t)order;
	p->buddy = true;
	write_page(c, sym, mm, z, p);
	if (c && z->free[order].head)
		eh_store(c, sym, z->free[order].head->line);
	if (c)
		eh_store(c, sym, z->free_area + (eh_line_id)order);
	page_list_add(&z->free[order], p);
	z->moving -= (uint64_t)1 << order;
}

static void del_free(struct eh_cpu *c, int sym, struct eh_mm *mm, struct zone *z, struct eh_page *p)
{
	p->buddy = false;
	if (c) /* where the next one is stands in the page, which the head of the list has named */
		eh_load(c, sym, struct_page(mm, z, p),
			eh_load(c, sym, z->free_area + (eh_line_id)p->order, c->retire));
	write_page(c, sym, mm, z, p);
	if (c && p->next)
		eh_store(c, sym, p->next->line);
	if (c)
		eh_store(c, sym, p->prev ? p->prev->line : z->free_area + (eh_line_id)p->order);
	page_list_del(&z->free[p->order], p);
	z->moving += (uint64_t)1 << p->order;
}

/* Memory of the node that nobody has used so far. */
static void more_memory(struct eh_mm *mm, struct zone *z)
{
	struct eh_page *block = g_new0(struct eh_page, BLOCK_PAGES);
	uint32_t pfn = z->blocks->len * BLOCK_PAGES;

	for (uint32_t i = 0; i < BLOCK_PAGES; i++) {
		block[i].pfn = pfn + i;
		block[i].node = z->node;
	}
	g_ptr_array_add(z->blocks, block);
	z->st.present += BLOCK_PAGES;
	z->moving += BLOCK_PAGES;
	add_free(NULL, 0, mm, z, block, LARGEST);
}

struct eh_page *eh_buddy_take(struct eh_cpu *c, struct eh_mm *mm, struct zone *z, int order)
{
	const int sym = EH_SYM(rmqueue_bulk);
	struct eh_page *p;
	int from = order;

	while (from < LARGEST && !z->free[from].head)
		from++;
	if (!z->free[from].head)
		more_memory(mm, z);
	p = z->free[from].head;
	del_free(c, sym, mm, z, p);
	while (from > order) {
		from--;
		z->st.splits++;
		add_free(c, sym, mm, z, p + (1u << from), from);
	}
	p->order = (uint8_t)order;
	return p;
}

/* __free_one_page */
void eh_buddy_put(struct eh_cpu *c, struct eh_mm *mm, struct zone *z, struct eh_page *p)
{
	const int sym = EH_SYM(__free_one_page);
	int order = p->order;

	while (order < LARGEST) {
		struct eh_page *buddy = page_at(z, p->pfn ^ (1u << order));
		eh_line_id line = struct_page(mm, z, buddy);

		if (c)
			eh_load(c, sym, line, c->retire);
		if (!buddy->buddy || buddy->order != order)
			break;
		del_free(c, sym, mm, z, buddy);
		z->st.merges++;
		p = page_at(z, p->pfn & ~(1u << order));
		order++;
	}
	add_free(c, sym, mm, z, p, order);
}

char *eh_zone_problem(const struct eh_mm *mm, int node)
{
	const struct zone *z = &mm->zones[node];
	uint64_t listed = 0, free = 0;

	for (int o = 0; o < EH_PAGE_ORDERS; o++)
		for (const struct eh_page *p = z->free[o].head; p; p = p->next)
			free += (uint64_t)1 << o;
	for (int cpu = 0; cpu < mm->m->ncpus; cpu++)
		for (int o = 0; o < EH_PAGE_ORDERS; o++)
			for (const struct eh_page *p =
				     mm->pcp[cpu * mm->m->ndies + node].list[o].head;
			     p; p = p->next)
				listed += (uint64_t)1 << o;
	if (free + listed + z->st.in_use + z->moving == z->st.present)
		return NULL;
	return g_strdup_printf("pages of node %d: %" G_GUINT64_FORMAT " free, %" G_GUINT64_FORMAT
			       " on CPUs' lists, %" G_GUINT64_FORMAT
			       " in use, of %" G_GUINT64_FORMAT,
			       node, free, listed, z->st.in_use, z->st.present);
}

void eh_buddy_init(struct eh_mm *mm, struct zone *z, int node)
{
	z->node = (uint16_t)node;
	eh_spin_init(&z->lock, eh_lines_named(mm->m, 1, node, "zone.lock"));
	z->free_area = eh_lines_named(mm->m, EH_PAGE_ORDERS, node, "zone.free_area");
	z->blocks = g_ptr_array_new_with_free_func(g_free);
}

void eh_buddy_fini(struct zone *z)
{
	g_ptr_array_unref(z->blocks);
}
