/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "queue.h"

#include <glib.h>

#include "internal.h"

void eh_queue_init(struct eh_queue *q)
{
	memset(q, 0, sizeof(*q));
	q->next_at = EH_TIME_NEVER;
	q->split = -1;
	for (int i = 0; i < EH_QUEUE_WORDS * 64; i++)
		q->bucket[i].next = q->bucket[i].prev = &q->bucket[i];
}

struct eh_queue *eh_queue_new(void)
{
	struct eh_queue *q = g_aligned_alloc(1, sizeof(*q), 64);

	eh_queue_init(q);
	return q;
}

void eh_queue_free(struct eh_queue *q)
{
	g_aligned_free(q);
}

void eh_queue_add(struct eh_queue *q, struct eh_event *ev, eh_time at)
{
	eh_queue_insert(q, ev, at);
}

void eh_queue_cancel(struct eh_queue *q, struct eh_event *ev)
{
	struct eh_ring *neighbour = ev->ring.next;
	bool alone = neighbour == ev->ring.prev; /* then it is the bucket */

	if (!eh_event_pending(ev))
		return;
	eh_queue_unlink(ev);
	if (alone)
		eh_queue_mark_empty(q, (unsigned)(neighbour - q->bucket));
	if (q->next == ev)
		q->next = NULL;
}

/* Put what is in bucket i, the first, where it belongs after base moved, or split a near one. */
void eh_queue_spread(struct eh_queue *q, unsigned i)
{
	struct eh_ring *b = &q->bucket[i], *l = b->next, *following;
	struct eh_event *first = eh_queue_event(l);
	eh_time at = first->at;

	b->next = b->prev = b;
	eh_queue_mark_empty(q, i);
	if (i < EH_FIRST_FAR)
		q->split = at >> EH_EXACT_BITS;
	for (; l != b; l = following) {
		following = l->next;
		eh_queue_earlier(&first, &at, eh_queue_event(l));
		eh_queue_link(q, eh_queue_event(l));
	}
	q->next = first;
	q->next_at = at;
}

/* Where the near or far bucket begins in which `at` lies. */
static eh_time start_of(unsigned i, eh_time at)
{
	unsigned shift = EH_EXACT_BITS;

	if (i >= EH_FIRST_FAR)
		shift = EH_FAR_SHIFT + (i - EH_FIRST_FAR) / 64 * EH_FAR_BITS;
	return at >> shift << shift;
}

eh_time eh_queue_sharpen(struct eh_queue *q, eh_time at, eh_time floor)
{
	struct eh_ring *b;
	struct eh_event *first;
	eh_time start;
	unsigned i;

	if (!q->words)
		return q->next_at = EH_TIME_NEVER;
	i = eh_queue_first(q);
	if (eh_queue_look(q, i, 0)) /* base did not move */
		return q->next_at;
	b = &q->bucket[i];
	first = eh_queue_event(b->next);
	start = start_of(i, first->at);
	if (at < start)
		return q->next_at = start;
	if (floor >= start) {
		q->base = eh_later(q->base, start);
		eh_queue_spread(q, i);
		return q->next_at;
	}
	q->next_at = first->at;
	for (struct eh_ring *l = b->next; l != b; l = l->next)
		eh_queue_earlier(&first, &q->next_at, eh_queue_event(l));
	q->next = first;
	return q->next_at;
}

struct eh_event *eh_queue_take(struct eh_queue *q, eh_time limit)
{
	if (eh_queue_bound(q, limit, limit) > limit || !q->next)
		return NULL;
	return eh_queue_pop(q);
}

uint64_t eh_queue_count(const struct eh_queue *q)
{
	uint64_t n = 0;

	for (int i = 0; i < EH_QUEUE_WORDS * 64; i++)
		for (const struct eh_ring *l = q->bucket[i].next; l != &q->bucket[i]; l = l->next)
			n++;
	return n;
}
