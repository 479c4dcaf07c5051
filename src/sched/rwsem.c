/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's rw_semaphore (kernel/locking/rwsem.c, v6.12): a count that readers add to and a
 * writer sets the lowest bit of, and an owner word, on one line with the list, its lock and the
 * spinners' queue. A reader that comes in writes the line twice (count, owner), one that leaves
 * once. Writers spin while a writer that owns it runs; readers sleep. Who has waited 4 ms asks for
 * it to be handed over.
 *
 * Not modelled: writers that spin while readers own it.
 */
#include "osq.h"
#include "sched.h"

#include <ehsim/c2c.h>

enum { WRITER = 1, WAITERS = 2, HANDOFF = 4, READER = 0x100 }; /* the count */
enum { READER_OWNED = 1 };				       /* beside the owner in its word */
enum { MOST_WOKEN = 256 };

#define LOCKED (~(uint64_t)(WAITERS | HANDOFF)) /* bits of the count that say somebody is inside */

struct waiter {
	struct eh_task *t;
	struct waiter *next;
	eh_time deadline;
	bool reads, granted, handoff;
};

struct rwsem {
	struct eh_lock lock;
	struct eh_word count, owner;
	struct eh_spinlock wait_lock;
	struct eh_lock_class wait_class;
	struct eh_osq osq;
	struct waiter *first;
};

static void rwsem_init(struct eh_lock *l, struct eh_machine *m, int die)
{
	struct rwsem *s = (struct rwsem *)l;

	eh_word_init(&s->count, eh_lines_named(m, 1, die, "rw_semaphore"), 0);
	eh_word_init(&s->owner, s->count.line, 0);
	eh_spin_init(&s->wait_lock, s->count.line);
	eh_osq_init(&s->osq, m, s->count.line);
}

static void owned(struct rwsem *s, struct eh_cpu *c, int sym, const struct eh_task *t, bool reads)
{
	eh_word_store(c, sym, &s->owner, eh_owner_word(t) | (reads ? READER_OWNED : 0));
}

/* NULL: nobody, or readers. */
static struct eh_task *writing(uint64_t owner)
{
	return owner & READER_OWNED ? NULL : eh_word_owner(owner);
}

/* DIV_ROUND_UP(HZ, 250) jiffies from now */
static struct waiter *enlist(struct rwsem *s, const struct eh_cpu *c, struct waiter *w)
{
	struct waiter **last = &s->first;
	eh_time jiffy = eh_sched_jiffy(w->t->sched);

	w->deadline = c->retire + (EH_SEC / jiffy + 249) / 250 * jiffy;
	while (*last)
		last = &(*last)->next;
	return *last = w;
}

static void delist(struct rwsem *s, const struct waiter *w)
{
	struct waiter **p = &s->first;

	while (*p != w)
		p = &(*p)->next;
	*p = w->next;
}

/* --- under wait_lock: who comes next, chained by next, to be woken when it is free again --- */

static struct waiter *mark_wake(struct rwsem *s, struct eh_cpu *c)
{
	const int sym = EH_SYM(rwsem_wake);
	struct waiter *w = s->first, *woken = NULL, **last = &woken, **p = &s->first;
	uint64_t old, adjust = 0;
	int n = 0;

	if (!w || !w->reads)
		return w;
	old = eh_word_add(c, sym, &s->count, READER);
	if (old & WRITER) { /* stolen meanwhile */
		if (c->retire > w->deadline && !(old & HANDOFF)) {
			w->handoff = true;
			adjust = HANDOFF;
		}
		eh_word_add(c, sym, &s->count, adjust - READER);
		return NULL;
	}
	owned(s, c, sym, w->t, true);
	while ((w = *p) && n < MOST_WOKEN) {
		if (!w->reads) {
			p = &w->next;
			continue;
		}
		*p = w->next;
		w->next = NULL;
		*last = w;
		last = &w->next;
		n++;
	}
	adjust = (uint64_t)(n - 1) * READER - (s->first ? 0 : WAITERS);
	if (old & HANDOFF)
		adjust -= HANDOFF;
	if (adjust)
		eh_word_add(c, sym, &s->count, adjust);
	return woken;
}

/* A waiter's place is its fiber's stack: it is gone as soon as it runs. */
static void wake(struct eh_cpu *c, struct waiter *w)
{
	while (w) {
		struct waiter *next = w->reads ? w->next : NULL;
		struct eh_task *t = w->t;

		w->granted = w->reads;
		eh_task_wake(c, t);
		w = next;
	}
}

static void wake_waiters(struct rwsem *s, struct eh_cpu *c)
{
	struct waiter *w;

	eh_spin_lock(c, &s->wait_lock, &s->wait_class, EH_SYM(rwsem_wake));
	w = mark_wake(s, c);
	eh_spin_unlock(c, &s->wait_lock, EH_SYM(rwsem_wake), EH_LOCK_UNLOCK);
	wake(c, w);
}

/* --- readers --- */

static void wait_to_read(struct rwsem *s, struct eh_task *t, uint64_t count)
{
	const int sym = EH_SYM(rwsem_down_read_slowpath);
	struct waiter w = {.t = t, .reads = true}, *woken = NULL;
	bool readers = s->owner.value & READER_OWNED && count / READER > 1;
	struct eh_cpu *c = t->cpu;
	uint64_t adjust = (uint64_t)-READER;

	if (!(count & (WRITER | HANDOFF)) && !readers) { /* steal it */
		owned(s, c, sym, t, true);
		if (count / READER == 1 && (count & WAITERS))
			wake_waiters(s, c);
		return;
	}
	eh_spin_lock(c, &s->wait_lock, &s->wait_class, sym);
	if (!s->first) {
		if (!(eh_word_load(c, sym, &s->count) & WRITER)) {
			eh_spin_unlock(c, &s->wait_lock, sym, EH_LOCK_UNLOCK);
			owned(s, c, sym, t, true);
			return;
		}
		adjust += WAITERS;
	}
	enlist(s, c, &w);
	count = eh_word_add(c, sym, &s->count, adjust) + adjust;
	if (!(count & LOCKED))
		woken = mark_wake(s, c);
	eh_spin_unlock(c, &s->wait_lock, sym, EH_LOCK_UNLOCK);
	wake(c, woken);
	while (!w.granted)
		eh_task_block(t);
}

static eh_time rwsem_read_lock(struct eh_lock *l, struct eh_cpu *c)
{
	struct rwsem *s = (struct rwsem *)l;
	uint64_t count;
	eh_time failed;

	eh_assert(c->sim, !c->curr->is_idle);
	eh_call(c, EH_SYM(down_read), EH_LOCK_CALL);
	count = eh_word_add(c, EH_SYM(down_read), &s->count, READER) + READER;
	if (!(count & (WRITER | WAITERS | HANDOFF))) {
		owned(s, c, EH_SYM(down_read), c->curr, true);
		return 0;
	}
	failed = c->retire;
	wait_to_read(s, c->curr, count);
	return c->retire - failed;
}

static bool rwsem_read_unlock(struct eh_lock *l, struct eh_cpu *c)
{
	struct rwsem *s = (struct rwsem *)l;
	uint64_t count;

	eh_call(c, EH_SYM(up_read), EH_LOCK_CALL);
	count = eh_word_add(c, EH_SYM(up_read), &s->count, (uint64_t)-READER) - READER;
	if (!(count & LOCKED) && (count & WAITERS))
		wake_waiters(s, c);
	return false;
}

/* --- writers --- */

/* From no one inside; with a handoff asked for, only for the one who asked. */
static bool try_write(struct rwsem *s, struct eh_cpu *c, struct waiter *w)
{
	const int sym = EH_SYM(rwsem_down_write_slowpath);
	uint64_t count = eh_word_load(c, sym, &s->count), old, next;

	for (;; count = old) {
		if ((count & HANDOFF) && (!w || (s->first != w && s->first->handoff)))
			return false;
		if (!(count & LOCKED)) {
			next = (count | WRITER) & ~(uint64_t)(w ? HANDOFF : 0);
			if (w && s->first == w && !w->next)
				next &= ~(uint64_t)WAITERS;
		} else if (w && !(count & HANDOFF) && c->retire > w->deadline) {
			next = count | HANDOFF;
		} else {
			return false;
		}
		old = eh_word_cmpxchg(c, sym, &s->count, count, next);
		if (old != count)
			continue;
		if (!(next & WRITER) || (count & WRITER)) {
			s->first->handoff = true;
			return false;
		}
		owned(s, c, sym, c->curr, false);
		return true;
	}
}

static bool spin_to_write(struct rwsem *s, struct eh_cpu *c)
{
	const int slow = EH_SYM(rwsem_down_write_slowpath), spin = EH_SYM(rwsem_spin_on_owner);
	uint64_t owner = eh_word_load(c, slow, &s->owner);
	bool got, hope = true;

	if (c->need_resched || !writing(owner) || !eh_owner_runs(writing(owner)))
		return false;
	eh_osq_lock(&s->osq, c);
	while (!(got = try_write(s, c, NULL)) && hope) {
		owner = eh_word_load(c, slow, &s->owner);
		if (writing(owner))
			hope = eh_spin_on_owner(c, spin, &s->owner, writing(owner));
		else
			hope = !owner && !c->need_resched; /* between two owners */
	}
	eh_osq_unlock(&s->osq, c);
	return got;
}

static void wait_to_write(struct rwsem *s, struct eh_task *t)
{
	const int sym = EH_SYM(rwsem_down_write_slowpath);
	struct waiter w = {.t = t}, *woken = NULL;
	struct eh_cpu *c = t->cpu;

	eh_spin_lock(c, &s->wait_lock, &s->wait_class, sym);
	enlist(s, c, &w);
	if (s->first == &w)
		eh_word_or(c, sym, &s->count, WAITERS);
	else if (!(eh_word_load(c, sym, &s->count) & LOCKED))
		woken = mark_wake(s, c);
	if (woken) {
		eh_spin_unlock(c, &s->wait_lock, sym, EH_LOCK_UNLOCK);
		wake(c, woken);
		eh_spin_lock(c, &s->wait_lock, &s->wait_class, sym);
	}
	while (!try_write(s, c, &w)) {
		eh_spin_unlock(c, &s->wait_lock, sym, EH_LOCK_UNLOCK);
		eh_task_block(t);
		eh_spin_lock(c, &s->wait_lock, &s->wait_class, sym);
	}
	delist(s, &w);
	eh_spin_unlock(c, &s->wait_lock, sym, EH_LOCK_UNLOCK);
}

static eh_time rwsem_lock(struct eh_lock *l, struct eh_cpu *c)
{
	struct rwsem *s = (struct rwsem *)l;
	eh_time failed;

	eh_assert(c->sim, !c->curr->is_idle);
	eh_call(c, EH_SYM(down_write), EH_LOCK_CALL);
	if (eh_word_cmpxchg(c, EH_SYM(down_write), &s->count, 0, WRITER) == 0) {
		owned(s, c, EH_SYM(down_write), c->curr, false);
		return 0;
	}
	failed = c->retire;
	if (!spin_to_write(s, c))
		wait_to_write(s, c->curr);
	return c->retire - failed;
}

static void rwsem_unlock(struct eh_lock *l, struct eh_cpu *c)
{
	struct rwsem *s = (struct rwsem *)l;

	eh_call(c, EH_SYM(up_write), EH_LOCK_CALL);
	eh_word_store(c, EH_SYM(up_write), &s->owner, 0);
	if (eh_word_add(c, EH_SYM(up_write), &s->count, (uint64_t)-WRITER) & WAITERS)
		wake_waiters(s, c);
}

const struct eh_lock_kind eh_lock_rwsem = {
	.name = "rwsem",
	.help = "read-write semaphore: readers write its line three times, who fails sleeps",
	.size = sizeof(struct rwsem),
	.sleeps = true,
	.lines = 1,
	.init = rwsem_init,
	.lock = rwsem_lock,
	.unlock = rwsem_unlock,
	.read_lock = rwsem_read_lock,
	.read_unlock = rwsem_read_unlock,
};
