/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pages: what slabs are made of. Blocks of 2^order pages of 4 KiB, each on the node (die) it lies
 * on for ever.
 *
 * Modelled: per zone (one per node) a buddy allocator, lists of free blocks by order, split on the
 * way out, merged with the buddy on the way in, under the zone's lock; in front of it per CPU and
 * zone lists of blocks up to order kernel.pcp_order, filled kernel.pcp_batch pages at a time when
 * empty, emptied as many at a time beyond kernel.pcp_high. A CPU that frees a page of another node
 * has it in its own list for that node, and takes that node's zone lock when it has too many.
 * Lines: struct page of every block, one (64 bytes); the zone's lock, and a free list by order; the
 * CPU's list per zone. What a list changes of its neighbours (their struct page) is written, too.
 *
 * A page has been in no cache before it is first used. Memory does not run out.
 * Not modelled: migrate types, watermarks and reclaim, zones beside one per node, fragmentation by
 * others, a second node to fall back to, the growing of a CPU's batch under many frees (since
 * v5.14), clearing of pages.
 * Source: description of mm/page_alloc.c, v6.1.
 */
#ifndef EHSIM_PAGE_H
#define EHSIM_PAGE_H

#include <ehsim/qspinlock.h>

#define EH_PAGE_BYTES 4096
#define EH_PAGE_ORDERS 11

struct eh_mm;

struct eh_page {
	struct eh_page *next, *prev; /* of whatever list it is on */
	void *slab;		     /* whoever uses it */
	eh_line_id line;	     /* struct page; 0: not touched yet */
	eh_line_id data;	     /* the first of its lines, see eh_page_data */
	uint32_t ndata;		     /* so many follow each other from there on */
	uint32_t pfn; /* of the node, from 0 */
	uint16_t node;
	uint8_t order;
	bool buddy; /* on a free list of its zone */
};

/* Counts since the start, of one node. */
struct eh_zone_stats {
	uint64_t in_use, present; /* pages now, those on the CPUs' lists are not in use */
	uint64_t listed;	  /* on the CPUs' lists */
	uint64_t fills, drains;	  /* batches, under the zone's lock */
	uint64_t splits, merges;
};

struct eh_page *eh_page_alloc(struct eh_cpu *c, struct eh_mm *mm, int order, int node);
void eh_page_free(struct eh_cpu *c, struct eh_mm *mm, struct eh_page *p);
/* Before time 0; costs nothing. */
struct eh_page *eh_page_preset(struct eh_mm *mm, int order, int node);
/*
 * p->data is the first line of the block from now on, the same one to whoever asks: a block of 4 KiB
 * << order has that many bytes of lines, numbered as they lie, the first number a multiple of how
 * many there are. So the caches' sets are chosen by where in its page something lies, as in hardware,
 * whose L2 takes the bits above those of a page from the frame's number.
 * false: half of all numbers are given away, and a block that had none by then has only as many lines
 * as its user touches, one behind the other.
 */
bool eh_page_data(struct eh_mm *mm, struct eh_page *p, int line_bytes, uint32_t touched);

struct eh_lock_class *eh_zone_lock(struct eh_mm *mm);
void eh_zone_stats(const struct eh_mm *mm, int node, struct eh_zone_stats *st);
/* NULL when every page of the node is in one place; else what is wrong, newly allocated. */
char *eh_zone_problem(const struct eh_mm *mm, int node);

#endif
