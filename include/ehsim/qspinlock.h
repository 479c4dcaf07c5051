/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's queued spinlock (4 bytes: locked byte, pending bit, MCS tail), whole: fast path,
 * one pending waiter that spins on the lock word, and beyond it an MCS queue whose members spin on
 * nodes of their own. Everything it costs is line accesses:
 *
 *	fast		locked cmpxchg on the lock's line (in _raw_spin_lock, where perf sees it)
 *	pending		locked bts on that line, then reads of it; the owner's unlock has to take the
 *			line back, the waiter has to fetch it again
 *	queue		xchg of the tail; a store into the predecessor's node; reads of the own node;
 *			the head reads the lock word and, once it has the lock, stores into the next
 *			node
 *
 * Time from the failed cmpxchg to ownership is charged to queued_spin_lock_slowpath. unlock is a
 * plain byte store. A lock shares its line with its neighbours: the caller says which line.
 *
 * An unlock may lie ahead of the simulated clock (the CPU ran on): the lock remembers when it is
 * released, and whoever comes earlier waits exactly until then.
 *
 * A machine may have ticket locks in place of all these (kernel.lock), as Linux 2.6.25 to 4.1: the
 * locked operation draws a ticket, and whoever waits spins on the lock's own line, reading it again
 * after each release, until its turn has come.
 *
 * Not modelled: paravirtual spinlocks, lock stealing by virtual machines, lockdep.
 * Source of the algorithm: description of kernel/locking/qspinlock.c, v6.12.
 */
#ifndef EHSIM_QSPINLOCK_H
#define EHSIM_QSPINLOCK_H

#include <ehsim/cpu.h>
#include <ehsim/little.h>

/*
 * What is kept of a class beside its counts: what cannot be a difference of two readings, and its queue.
 * Of locks that come through lock.h the queue holds who is between the call and ownership, waiting or
 * not (`asked` of them, `asking` their time); of others who waits: contentions, wait_total.
 */
struct eh_lock_watch {
	eh_time wait_min, wait_max; /* of contentions since eh_lock_watch_reset; none: NEVER, 0 */
	eh_time hold_min, hold_max; /* of releases since then */
	uint64_t asked;
	eh_time asking;
	bool asks;
	struct eh_little *queue;
};

/*
 * Statistics of all locks of one kind, as lock_stat names them. A contention is counted, with its wait,
 * when the lock has been got. con_bounces: contentions for a lock that another CPU has or had last.
 * bounces: acquisitions for which the lock's line had to come from elsewhere; of lock.h: on another CPU
 * than the one before. A hold lasts from ownership to the release (of mm: until the release can be seen)
 * and is counted there; readers of one lock hold it each.
 */
struct eh_lock_class {
	const char *name;
	uint64_t acquisitions, contentions, bounces, con_bounces;
	eh_time wait_total, wait_max;
	eh_time hold_total;
	struct eh_lock_watch *watch; /* NULL: nobody reads it */
};

/* Both go with the machine; for a class nobody has used yet. */
void eh_lock_class_init(struct eh_lock_class *class, struct eh_machine *m, const char *name);
void eh_lock_class_watch(struct eh_lock_class *class, struct eh_machine *m, bool asks);
void eh_lock_watch_reset(struct eh_lock_watch *w);
/* The class's queue, for Little's law. */
void eh_lock_class_read(const struct eh_lock_class *class, struct eh_little_reading *r);
/* Somebody has got a lock of the class after a contention with another CPU's, or not. */
void eh_lock_class_waited(struct eh_lock_class *class, eh_time waited, bool bounce);

/* For the trace: c waited or held for so long. */
void eh_lock_note_add(const struct eh_cpu *c, const struct eh_lock_class *class, eh_time from, eh_time to,
		      bool waits);
static inline void eh_lock_note(const struct eh_cpu *c, const struct eh_lock_class *class, eh_time from,
				eh_time to, bool waits)
{
	if (eh_unlikely(c->m->lock_log != NULL))
		eh_lock_note_add(c, class, from, to, waits);
}

/* Somebody gives one back. */
static inline void eh_lock_class_held(struct eh_lock_class *class, eh_time held)
{
	struct eh_lock_watch *w = class->watch;

	class->hold_total += held;
	if (!w)
		return;
	if (held < w->hold_min)
		w->hold_min = held;
	if (held > w->hold_max)
		w->hold_max = held;
}

struct eh_spin_waiters; /* who waits: exists only while somebody does */

struct eh_spinlock {
	union {
		eh_time release_at; /* without an owner */
		eh_time taken_at;   /* with one */
	};
	eh_line_id line;
	uint16_t owner; /* CPU, EH_NO_CPU when free from release_at on */
	uint16_t last;	/* CPU that released it last */
	struct eh_lock_class *class; /* as it was last taken for; has to be there at the release */
	struct eh_spin_waiters *waiters;
};

void eh_spin_init(struct eh_spinlock *l, eh_line_id line);
/* The slow path, if it is still needed at c->retire, when the failed attempt is known. */
void eh_spin_contended(struct eh_cpu *c, struct eh_spinlock *l, struct eh_lock_class *class);
void eh_spin_unlock_contended(struct eh_cpu *c, struct eh_spinlock *l);
/* Taken while somebody had it, or given back by somebody who had not. */
_Noreturn void eh_spin_broken(const struct eh_cpu *c, const struct eh_spinlock *l);

static inline void eh_spin_taken(struct eh_spinlock *l, const struct eh_cpu *c,
				 struct eh_lock_class *class, eh_time at)
{
	l->owner = c->id;
	l->class = class;
	l->taken_at = at;
}

static inline void eh_spin_released(struct eh_spinlock *l, const struct eh_cpu *c, eh_time at)
{
	eh_lock_class_held(l->class, at - l->taken_at);
	eh_lock_note(c, l->class, l->taken_at, at, false);
	l->owner = EH_NO_CPU;
	l->last = c->id;
	l->release_at = at;
}

/*
 * Take it, with a copy of the core's registers in hand: the locked cmpxchg and, if that fails, the
 * rest. As for eh_core_rmw_bare, dispatch and entry in the window are the caller's.
 */
eh_always_inline struct eh_rmw eh_core_spin_lock_bare(struct eh_core *k, struct eh_cpu *c,
						      struct eh_spinlock *l,
						      struct eh_lock_class *class, int sym)
{
	struct eh_rmw r = eh_core_rmw_bare(k, c, &c->charged[sym], l->line);

	class->acquisitions++;
	class->bounces += r.latency > 0;
	/* Released while the line is on its way: the cmpxchg is done when it is there. */
	if (eh_unlikely(l->owner != EH_NO_CPU || l->release_at > r.start || l->waiters)) {
		eh_core_enter(k, c);
		c->core = *k;
		eh_spin_contended(c, l, class);
		eh_core_take(k, c);
	}
	eh_spin_taken(l, c, class, k->retire);
	return r;
}

/* Nobody holds it at `at` or waits for it, as far as can be seen now. */
static inline bool eh_spin_is_free(const struct eh_spinlock *l, eh_time at)
{
	return l->owner == EH_NO_CPU && l->release_at <= at && !l->waiters;
}

/*
 * The same, ahead of the clock: for a lock that is free and whose line nobody else will ask for until
 * then. The caller knows why.
 */
eh_always_inline struct eh_rmw eh_core_spin_lock_ahead(struct eh_core *k, struct eh_cpu *c,
						       struct eh_spinlock *l,
						       struct eh_lock_class *class, int sym)
{
	struct eh_rmw r;
	eh_time before = k->retire, asked, bus;

	c->accesses++;
	r.start = asked = eh_later(eh_later(k->dispatch, k->retire), c->drain);
	bus = eh_cpu_bus_lock(c, l->line);
	r.latency = eh_line_own(c, l->line, &r.start);
	r.done = r.start + r.latency + c->m->locked_op + bus;
	eh_core_retire(k, &c->charged[sym], c->instr, r.done);
	if (eh_unlikely(k->account))
		eh_account_rmw(k->account, before, k->retire, k->dispatch, asked, &r);
	class->acquisitions++;
	class->bounces += r.latency > 0;
	eh_spin_taken(l, c, class, k->retire);
	return r;
}

/* A plain byte store, charged with the instructions around it by the caller. */
eh_always_inline void eh_core_spin_unlock(struct eh_core *k, struct eh_cpu *c,
					  struct eh_spinlock *l)
{
	if (eh_unlikely(l->waiters)) {
		c->core = *k;
		eh_spin_unlock_contended(c, l);
		eh_core_take(k, c);
		return;
	}
	if (eh_unlikely(l->owner != c->id))
		eh_spin_broken(c, l);
	eh_spin_released(l, c, k->retire);
}

/*
 * Take it. `sym` is where the cmpxchg is charged: EH_SYM(_raw_spin_lock) or, from
 * process context, EH_SYM(_raw_spin_lock_bh). The returned value holds when the line's data is
 * there for younger loads (they start beneath the locked operation): see eh_rmw.
 */
static inline struct eh_rmw eh_spin_lock(struct eh_cpu *c, struct eh_spinlock *l,
					 struct eh_lock_class *class, int sym)
{
	struct eh_rmw r;

	eh_core_dispatch(&c->core, c, 1, c->instr);
	r = eh_core_spin_lock_bare(&c->core, c, l, class, sym);
	eh_core_enter(&c->core, c);
	return r;
}

/* A plain byte store; charged with the `k` instructions around it to `sym`, the caller. */
static inline void eh_spin_unlock(struct eh_cpu *c, struct eh_spinlock *l, int sym, int64_t k)
{
	eh_work(c, sym, k);
	eh_core_spin_unlock(&c->core, c, l);
}

#endif
