/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "queue.h"

#include <glib.h>

#include "internal.h"

void eh_queue_init(struct eh_queue *q)
{
	memset(q, 0, sizeof(*q));
	q->next_at = EH_TIME_NEVER;
	for (int l = 0; l < EH_QUEUE_LEVELS; l++)
		for (int s = 0; s < 64; s++)
			q->bucket[l][s].tailp = &q->bucket[l][s].head;
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
	unsigned level, slot;
	struct eh_bucket *b;

	if (!ev->pprev)
		return;
	level = eh_queue_level(q->base, ev->at);
	slot = eh_queue_slot(ev->at, level);
	b = &q->bucket[level][slot];
	*ev->pprev = ev->next;
	if (ev->next)
		ev->next->pprev = ev->pprev;
	else
		b->tailp = ev->pprev;
	ev->pprev = NULL;
	if (!b->head)
		eh_queue_mark_empty(q, level, slot);
	q->count--;
	if (q->next == ev)
		q->next = NULL;
}

/* Link a list of events anew after base moved; they are the earliest of all that is pending. */
void eh_queue_spread(struct eh_queue *q, struct eh_event *ev)
{
	struct eh_event *first = ev, *following;

	for (; ev; ev = following) {
		following = ev->next;
		first = eh_queue_earlier(first, ev);
		eh_queue_link(q, ev);
	}
	q->next = first;
	q->next_at = first->at;
}

eh_time eh_queue_sharpen(struct eh_queue *q, eh_time at, eh_time floor)
{
	while (q->levels) {
		unsigned level = (unsigned)__builtin_ctzll(q->levels);
		unsigned slot = (unsigned)__builtin_ctzll(q->occupied[level]);
		unsigned shift = level * EH_DIGIT_BITS;
		struct eh_bucket *b = &q->bucket[level][slot];
		struct eh_event *ev = b->head, *first = ev;
		eh_time start;

		if (level > 0 && ev->next) {
			/* Where the bucket begins: the digits above are those of base. */
			start = (q->base >> shift & ~(eh_time)63) << shift;
			start |= (eh_time)slot << shift;
			if (at < start)
				return q->next_at = start;
			if (floor >= start) {
				q->base = floor;
				b->head = NULL;
				b->tailp = &b->head;
				eh_queue_mark_empty(q, level, slot);
				eh_queue_spread(q, ev);
				return q->next_at;
			}
			while ((ev = ev->next))
				first = eh_queue_earlier(first, ev);
		}
		q->next = first;
		return q->next_at = first->at;
	}
	return q->next_at = EH_TIME_NEVER;
}

struct eh_event *eh_queue_take(struct eh_queue *q, eh_time limit)
{
	if (eh_queue_bound(q, limit, q->base) > limit || !q->next)
		return NULL;
	return eh_queue_pop(q);
}

uint64_t eh_queue_count(const struct eh_queue *q)
{
	return q->count;
}
