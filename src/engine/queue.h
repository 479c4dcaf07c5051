/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The wheel itself, inline for queue.c and sim.c.
 *
 * A time is cut into digits: 10 bits of picoseconds, 11 bits that count stretches of 1,024 ps, and
 * above them digits of 6 bits. Each value of each digit has a bucket. A pending event lies in the
 * bucket of the highest digit in which its time differs from `base`; the digits above are those of
 * base. So a bucket of a lower digit holds earlier times than one of a higher digit, and within a
 * digit times rise with its value. All buckets stand in one array in that order, with a bit each
 * for "not empty", and a word tells which words of those bits are not zero: two counts of trailing
 * zeroes find the first bucket.
 *
 *	bucket		     holds
 *	   0 .. 1023  exact  one picosecond each
 *	1024 .. 3071  near   a stretch of 1,024 ps each, together 2.1 us
 *	3072 .. 3519  far    64 for each digit above: 2.1 us each, 134 us each, 8.6 ms each, ...
 *
 * The second digit is that wide because a simulated CPU waits for some hundred nanoseconds and a
 * few hundred CPUs have about one event per nanosecond: nearly all events are put into a near
 * bucket, share it with one other or none, and are taken from there without having been moved.
 *
 * The exact digit is an exception to the rule above. Events that differ from base in nothing but
 * their picoseconds stay in the near bucket of their stretch as long as they are few: then the
 * earliest is found by looking at all of them. A crowd is split over the exact buckets, and `split`
 * notes of which stretch: whatever is added to the same stretch later goes to an exact bucket too.
 * A stretch is split only when nothing can be added before it any more, so that the exact buckets
 * are the first; and it is over when they are empty. However dense the times are, taking an event
 * costs a bounded number of looks.
 *
 * `base` only moves to the time of an event that is being taken, or to the start of the first
 * bucket once nothing can be added before it. What is left in a far bucket that base has moved into
 * is out of place and is spread over the lower digits; nothing else moves. An event that is alone
 * in a far bucket is taken from where it is.
 *
 * Equal times are in the same bucket at any moment; a bucket is first in, first out, is spread from
 * its head to its tail, and of equals the first is taken: so equal times stay in the order in which
 * they were added. A bucket and its events form a ring, so that adding and removing need not ask
 * for the ends.
 *
 * `next` remembers the earliest event once it has been looked for. Adding something earlier
 * replaces it; taking or cancelling it forgets it, and next_at stays as a lower bound.
 */
#ifndef EH_ENGINE_QUEUE_H
#define EH_ENGINE_QUEUE_H

#include <ehsim/sim.h>

#define EH_EXACT_BITS 10
#define EH_NEAR_BITS 11
#define EH_FAR_BITS 6
#define EH_FAR_SHIFT (EH_EXACT_BITS + EH_NEAR_BITS) /* 7 far digits: 63 bits in all */

#define EH_FIRST_NEAR (1u << EH_EXACT_BITS)
#define EH_FIRST_FAR (EH_FIRST_NEAR + (1u << EH_NEAR_BITS))

#define EH_QUEUE_FEW 8 /* events of a near bucket that are looked at before it is split */

/* The bucket of a time that is pending or to be added. */
static inline unsigned eh_queue_place(const struct eh_queue *q, eh_time at)
{
	uint64_t differs = (uint64_t)(at ^ q->base);
	eh_time stretch = at >> EH_EXACT_BITS;
	unsigned digit;

	if (eh_likely(differs < UINT64_C(1) << EH_FAR_SHIFT)) {
		if (eh_unlikely(stretch == q->split))
			return (unsigned)at % EH_FIRST_NEAR;
		return EH_FIRST_NEAR + (unsigned)stretch % (1u << EH_NEAR_BITS);
	}
	digit = (63 - EH_FAR_SHIFT - (unsigned)__builtin_clzll(differs)) / EH_FAR_BITS;
	return EH_FIRST_FAR + (digit << EH_FAR_BITS) +
	       (unsigned)((uint64_t)at >> (EH_FAR_SHIFT + digit * EH_FAR_BITS) & 63);
}

/* The first bucket that holds anything, if there is one. */
static inline unsigned eh_queue_first(const struct eh_queue *q)
{
	unsigned word = (unsigned)__builtin_ctzll(q->words);

	return word * 64 + (unsigned)__builtin_ctzll(q->occupied[word]);
}

static inline struct eh_event *eh_queue_event(struct eh_ring *l)
{
	return eh_container_of(l, struct eh_event, ring);
}

/*
 * How many events share a bucket and which of two is earlier depend on chance: a branch would be
 * predicted wrongly half the time. Where the compiler cannot know what x is, it makes none.
 */
#define EH_OPAQUE(x) __asm__("" : "+r"(x))

static inline void eh_queue_earlier(struct eh_event **first, eh_time *at, struct eh_event *ev)
{
	*first = ev->at < *at ? ev : *first;
	*at = ev->at < *at ? ev->at : *at;
}

static inline void eh_queue_link(struct eh_queue *q, struct eh_event *ev)
{
	unsigned i = eh_queue_place(q, ev->at);
	struct eh_ring *b = &q->bucket[i], *last;

	EH_OPAQUE(b);
	last = b->prev;
	ev->ring.next = b;
	last->next = &ev->ring;
	ev->ring.prev = last;
	b->prev = &ev->ring;
	q->occupied[i / 64] |= UINT64_C(1) << i % 64;
	q->words |= UINT64_C(1) << i / 64;
}

static inline void eh_queue_unlink(struct eh_event *ev)
{
	struct eh_ring *next = ev->ring.next, *prev = ev->ring.prev;

	prev->next = next;
	next->prev = prev;
	ev->ring.prev = NULL;
}

static inline void eh_queue_mark_empty(struct eh_queue *q, unsigned i)
{
	uint64_t left = q->occupied[i / 64] & ~(UINT64_C(1) << i % 64);

	q->occupied[i / 64] = left;
	if (!left)
		q->words &= ~(UINT64_C(1) << i / 64);
}

static inline void eh_queue_insert(struct eh_queue *q, struct eh_event *ev, eh_time at)
{
	ev->at = at;
	eh_queue_link(q, ev);
	if (at < q->next_at) {
		q->next = ev;
		q->next_at = at;
	}
}

/*
 * The earliest event of bucket i, which is the first, becomes the next one if a short look tells
 * which it is; else the next one is not known. What is left in a far bucket into which base has
 * moved is out of place and not looked at.
 */
static inline bool eh_queue_look(struct eh_queue *q, unsigned i, unsigned moved_into)
{
	struct eh_ring *b = &q->bucket[i], *l;
	struct eh_event *first;
	eh_time at;

	EH_OPAQUE(b);
	l = b->next;
	first = eh_queue_event(l);
	at = first->at;
	if (eh_likely(i - EH_FIRST_NEAR < EH_FIRST_FAR - EH_FIRST_NEAR)) {
		int more = EH_QUEUE_FEW;

		/* One that is alone is compared with itself. */
		l = l->next != b ? l->next : l;
		EH_OPAQUE(l);
		for (;;) {
			eh_queue_earlier(&first, &at, eh_queue_event(l));
			l = l->next;
			if (eh_likely(l == b))
				break;
			if (eh_unlikely(--more == 0)) {
				q->next = NULL;
				return false;
			}
		}
	} else if (i >= EH_FIRST_FAR && (i == moved_into || l->next != b)) {
		q->next = NULL;
		return false;
	}
	q->next = first;
	q->next_at = at;
	return true;
}

void eh_queue_spread(struct eh_queue *q, unsigned i);

/* Remove q->next, which is in the first bucket, and move base to it. */
static inline struct eh_event *eh_queue_pop(struct eh_queue *q)
{
	struct eh_event *ev = q->next;
	unsigned word = (unsigned)__builtin_ctzll(q->words);
	uint64_t occupied = q->occupied[word];
	unsigned i = word * 64 + (unsigned)__builtin_ctzll(occupied), first, empty;

	q->base = ev->at;
	empty = ev->ring.next == ev->ring.prev; /* when it was alone: both are the bucket */
	EH_OPAQUE(empty);
	eh_queue_unlink(ev);
	occupied &= occupied - empty;
	q->occupied[word] = occupied;
	if (eh_unlikely(!occupied)) {
		q->words &= q->words - 1;
		if (!q->words) {
			q->next = NULL;
			return ev;
		}
		word = (unsigned)__builtin_ctzll(q->words);
		occupied = q->occupied[word];
	}
	first = word * 64 + (unsigned)__builtin_ctzll(occupied);
	if (eh_unlikely(!eh_queue_look(q, first, i)) && first == i)
		eh_queue_spread(q, i);
	return ev;
}

#endif
