/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's mutex (kernel/locking/mutex.c, v6.12): an owner word taken by cmpxchg; who fails
 * spins while the owner runs, else stands in a list and sleeps. Owner, list, its lock and the
 * spinners' queue are on one line. A waiter that has slept and fails again asks for the mutex to
 * be handed to it, so that spinners cannot keep it out for ever.
 */
#include "osq.h"

#include <ehsim/c2c.h>

enum { WAITERS = 1, HANDOFF = 2, PICKUP = 4 }; /* beside the owner in its word */

#define SLOW EH_SYM(__mutex_lock)

struct waiter {
	struct eh_task *t;
	struct waiter *next;
};

struct mutex {
	struct eh_lock lock;
	struct eh_word owner;
	struct eh_spinlock wait_lock;
	struct eh_lock_class wait_class;
	struct eh_osq osq;
	struct waiter *first;
};

static void mutex_init(struct eh_lock *l, struct eh_machine *m, int die)
{
	struct mutex *mx = (struct mutex *)l;

	eh_word_init(&mx->owner, eh_lines_named(m, 1, die, "mutex"), 0);
	eh_spin_init(&mx->wait_lock, mx->owner.line);
	eh_osq_init(&mx->osq, m, mx->owner.line);
}

/* NULL: it is ours now. handoff: whoever has it shall hand it to the first in the list. */
static struct eh_task *trylock_or_owner(struct mutex *mx, struct eh_cpu *c, bool handoff)
{
	struct eh_task *me = c->curr;
	uint64_t seen = eh_word_load(c, SLOW, &mx->owner), old;

	for (;; seen = old) {
		struct eh_task *owner = eh_word_owner(seen);
		uint64_t flags = seen & EH_OWNER_FLAGS;

		if (!owner || (owner == me && (flags & PICKUP))) {
			owner = me;
			flags &= ~(uint64_t)PICKUP;
		} else if (!handoff || (flags & (HANDOFF | PICKUP))) {
			return owner;
		} else {
			flags |= HANDOFF;
		}
		old = eh_word_cmpxchg(c, SLOW, &mx->owner, seen, eh_owner_word(owner) | flags);
		if (old == seen)
			return owner == me ? NULL : owner;
	}
}

/* first: in the list, which takes the place of the queue. */
static bool optimistic_spin(struct mutex *mx, struct eh_cpu *c, bool first)
{
	struct eh_task *owner = eh_word_owner(eh_word_load(c, SLOW, &mx->owner));
	bool hope = true;

	if (!first && (c->need_resched || (owner && !eh_owner_runs(owner))))
		return false;
	if (!first)
		eh_osq_lock(&mx->osq, c);
	while (hope && (owner = trylock_or_owner(mx, c, false)))
		hope = eh_spin_on_owner(c, EH_SYM(mutex_spin_on_owner), &mx->owner, owner);
	if (!first)
		eh_osq_unlock(&mx->osq, c);
	return hope;
}

static void enlist(struct mutex *mx, struct eh_cpu *c, struct waiter *w)
{
	struct waiter **last = &mx->first;

	if (!mx->first)
		eh_word_or(c, SLOW, &mx->owner, WAITERS);
	while (*last)
		last = &(*last)->next;
	*last = w;
}

static void delist(struct mutex *mx, struct eh_cpu *c, const struct waiter *w)
{
	struct waiter **p = &mx->first;

	while (*p != w)
		p = &(*p)->next;
	*p = w->next;
	if (!mx->first) /* clears the flags */
		eh_word_add(c, SLOW, &mx->owner, -(mx->owner.value & EH_OWNER_FLAGS));
}

static void wait_in_list(struct mutex *mx, struct eh_task *t)
{
	struct waiter w = {.t = t};
	struct eh_cpu *c = t->cpu;

	eh_spin_lock(c, &mx->wait_lock, &mx->wait_class, SLOW);
	if (trylock_or_owner(mx, c, false)) {
		enlist(mx, c, &w);
		while (trylock_or_owner(mx, c, false)) {
			bool got, first;

			eh_spin_unlock(c, &mx->wait_lock, SLOW, EH_LOCK_UNLOCK);
			eh_task_block(t);
			first = mx->first == &w;
			got = !trylock_or_owner(mx, c, first) || (first && optimistic_spin(mx, c, true));
			eh_spin_lock(c, &mx->wait_lock, &mx->wait_class, SLOW);
			if (got)
				break;
		}
		delist(mx, c, &w);
	}
	eh_spin_unlock(c, &mx->wait_lock, SLOW, EH_LOCK_UNLOCK);
}

static eh_time mutex_lock(struct eh_lock *l, struct eh_cpu *c)
{
	struct mutex *mx = (struct mutex *)l;
	eh_time failed;

	eh_assert(c->sim, !c->curr->is_idle);
	eh_call(c, EH_SYM(mutex_lock), EH_LOCK_CALL);
	if (!eh_word_cmpxchg(c, EH_SYM(mutex_lock), &mx->owner, 0, eh_owner_word(c->curr)))
		return 0;
	failed = c->retire;
	if (trylock_or_owner(mx, c, false) && !optimistic_spin(mx, c, false))
		wait_in_list(mx, c->curr);
	return c->retire - failed;
}

/* Someone waits, or shall get it from our hands. */
static void wake_first(struct mutex *mx, struct eh_cpu *c, uint64_t seen)
{
	const int sym = EH_SYM(__mutex_unlock_slowpath);
	struct eh_task *next;

	eh_spin_lock(c, &mx->wait_lock, &mx->wait_class, sym);
	next = mx->first ? mx->first->t : NULL;
	while (seen & HANDOFF) { /* we still have it; the flags may change */
		uint64_t to = next ? eh_owner_word(next) | PICKUP : 0;
		uint64_t old = eh_word_cmpxchg(c, sym, &mx->owner, seen, to | (seen & WAITERS));

		if (old == seen)
			break;
		seen = old;
	}
	eh_spin_unlock(c, &mx->wait_lock, sym, EH_LOCK_UNLOCK);
	if (next)
		eh_task_wake(c, next);
}

static void mutex_unlock(struct eh_lock *l, struct eh_cpu *c)
{
	const int sym = EH_SYM(__mutex_unlock_slowpath);
	struct mutex *mx = (struct mutex *)l;
	uint64_t me = eh_owner_word(c->curr), seen, old;

	eh_call(c, EH_SYM(mutex_unlock), EH_LOCK_CALL);
	seen = eh_word_cmpxchg(c, EH_SYM(mutex_unlock), &mx->owner, me, 0);
	if (seen == me)
		return;
	for (; !(seen & HANDOFF); seen = old) {
		old = eh_word_cmpxchg(c, sym, &mx->owner, seen, seen & EH_OWNER_FLAGS);
		if (old == seen)
			break;
	}
	if (seen & (WAITERS | HANDOFF))
		wake_first(mx, c, seen);
}

const struct eh_lock_kind eh_lock_mutex = {
	.name = "mutex",
	.help = "mutex: spins while the owner runs, else sleeps",
	.size = sizeof(struct mutex),
	.sleeps = true,
	.lines = 1,
	.init = mutex_init,
	.lock = mutex_lock,
	.unlock = mutex_unlock,
};
