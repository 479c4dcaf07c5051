/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The wheel itself, inline for queue.c and sim.c.
 *
 * A pending time belongs to the level of the highest 6-bit digit in which it differs from `base`,
 * and there to the bucket of that digit. Every digit above is equal to base's, so the earliest
 * event sits in the lowest occupied level, in its first occupied bucket. `base` only moves to the
 * time of an event that is being taken (or to a time before which nothing can be added any more):
 * then exactly one bucket, the one base moved into, is no longer in its place and is spread over
 * the levels below; nothing else moves. An event therefore moves at most once per level, usually
 * two or three times in its life, and a lone event in a bucket is taken from where it is.
 *
 * Equal times are in the same bucket at any moment; buckets are first in, first out and are
 * spread from head to tail; so equal times stay in the order in which they were added.
 *
 * `next` remembers the earliest event once it has been looked for. Adding something earlier
 * replaces it; taking or cancelling it forgets it, and next_at stays as a lower bound.
 */
#ifndef EH_ENGINE_QUEUE_H
#define EH_ENGINE_QUEUE_H

#include <ehsim/sim.h>

#define EH_DIGIT_BITS 6

static inline unsigned eh_queue_level(eh_time base, eh_time at)
{
	unsigned bit = 63 ^ (unsigned)__builtin_clzll((uint64_t)(at ^ base) | 1);

	return bit * 43 >> 8; /* bit / 6 for 0..63 */
}

static inline unsigned eh_queue_slot(eh_time at, unsigned level)
{
	return (uint64_t)at >> (level * EH_DIGIT_BITS) & 63;
}

/* `b` if it is earlier than `a`, else `a`; by a mask, since a branch would miss half the time. */
static inline struct eh_event *eh_queue_earlier(struct eh_event *a, struct eh_event *b)
{
	uintptr_t mask = -(uintptr_t)(b->at < a->at);

	return (struct eh_event *)((uintptr_t)a ^ (((uintptr_t)a ^ (uintptr_t)b) & mask));
}

static inline void eh_queue_link(struct eh_queue *q, struct eh_event *ev)
{
	unsigned level = eh_queue_level(q->base, ev->at);
	unsigned slot = eh_queue_slot(ev->at, level);
	struct eh_bucket *b = &q->bucket[level][slot];

	ev->next = NULL;
	ev->pprev = b->tailp;
	*b->tailp = ev;
	b->tailp = &ev->next;
	q->occupied[level] |= UINT64_C(1) << slot;
	q->levels |= UINT64_C(1) << level;
}

static inline void eh_queue_mark_empty(struct eh_queue *q, unsigned level, unsigned slot)
{
	q->occupied[level] &= ~(UINT64_C(1) << slot);
	if (!q->occupied[level])
		q->levels &= ~(UINT64_C(1) << level);
}

static inline void eh_queue_insert(struct eh_queue *q, struct eh_event *ev, eh_time at)
{
	ev->at = at;
	eh_queue_link(q, ev);
	q->count++;
	if (at < q->next_at) {
		q->next = ev;
		q->next_at = at;
	}
}

void eh_queue_spread(struct eh_queue *q, struct eh_event *ev);

/* The next event, if one look tells: it is alone in the first bucket. */
static inline void eh_queue_peek(struct eh_queue *q)
{
	unsigned level = (unsigned)__builtin_ctzll(q->levels | UINT64_C(1) << (EH_QUEUE_LEVELS - 1));
	unsigned slot = (unsigned)__builtin_ctzll(q->occupied[level] | UINT64_C(1) << 63);
	struct eh_event *first = q->bucket[level][slot].head;

	if (first && (!first->next || level == 0)) {
		q->next = first;
		q->next_at = first->at;
	}
}

/* Remove q->next and move base to it. */
static inline struct eh_event *eh_queue_pop(struct eh_queue *q)
{
	struct eh_event *ev = q->next, *rest;
	unsigned level = eh_queue_level(q->base, ev->at);
	unsigned slot = eh_queue_slot(ev->at, level);
	struct eh_bucket *b = &q->bucket[level][slot];

	q->next = NULL;
	q->base = ev->at;
	q->count--;
	*ev->pprev = ev->next;
	if (ev->next)
		ev->next->pprev = ev->pprev;
	else
		b->tailp = ev->pprev;
	ev->pprev = NULL;
	rest = b->head;
	if (!rest) {
		eh_queue_mark_empty(q, level, slot);
		eh_queue_peek(q);
	} else if (level == 0) {
		q->next = rest; /* the same time */
	} else {
		b->head = NULL;
		b->tailp = &b->head;
		eh_queue_mark_empty(q, level, slot);
		eh_queue_spread(q, rest);
	}
	return ev;
}

#endif
