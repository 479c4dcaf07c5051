/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The zone behind the CPUs' lists. c NULL: before time 0, nothing costs anything. */
#ifndef EHSIM_MM_BUDDY_H
#define EHSIM_MM_BUDDY_H

#include "kmem.h"

struct page_list {
	struct eh_page *head, *tail;
};

struct pcp {
	struct page_list list[EH_PAGE_ORDERS];
	int64_t count; /* pages */
	eh_line_id line;
};

struct zone {
	struct eh_spinlock lock;
	eh_line_id free_area; /* heads of the lists, one line by order */
	struct page_list free[EH_PAGE_ORDERS];
	GPtrArray *blocks; /* of the largest order, struct eh_page[]; all there has ever been */
	eh_line_id fresh;  /* lines for struct page not given to one yet */
	uint32_t nfresh;
	uint16_t node;
	uint64_t moving; /* pages in somebody's hands, on the way from one list to another */
	struct eh_zone_stats st;
};

void eh_buddy_init(struct eh_mm *mm, struct zone *z, int node);
void eh_buddy_fini(struct zone *z);
/* Under the zone's lock. */
struct eh_page *eh_buddy_take(struct eh_cpu *c, struct eh_mm *mm, struct zone *z, int order);
void eh_buddy_put(struct eh_cpu *c, struct eh_mm *mm, struct zone *z, struct eh_page *p);

static inline void page_list_add(struct page_list *l, struct eh_page *p)
{
	p->prev = NULL;
	p->next = l->head;
	*(l->head ? &l->head->prev : &l->tail) = p;
	l->head = p;
}

static inline void page_list_add_tail(struct page_list *l, struct eh_page *p)
{
	p->next = NULL;
	p->prev = l->tail;
	*(l->tail ? &l->tail->next : &l->head) = p;
	l->tail = p;
}

static inline void page_list_del(struct page_list *l, struct eh_page *p)
{
	*(p->prev ? &p->prev->next : &l->head) = p->next;
	*(p->next ? &p->next->prev : &l->tail) = p->prev;
}

#endif
