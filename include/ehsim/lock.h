/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lock kinds behind one interface, all made of line accesses (word.h), so that one workload and one
 * set of tests runs them all. A kind is one file and one line in the table eh_lock_kinds
 * (src/sched/lock_kinds.c: the first folder that may know both those that spin and those that
 * sleep).
 *
 * A kind's own struct begins with struct eh_lock. `size` bytes, zeroed, are what init gets; the
 * kind takes its lines from the machine (home: `die`). Nothing needs to be freed: memory beyond
 * `size` goes with the machine (eh_machine.kept).
 *
 * Waiting time is charged to the kind's symbols; eh_lock_take and eh_lock_release keep the class's
 * statistics and check exclusion; a hold lasts from ownership to the call of the release. They count as lock_stat does: a contention is an acquisition
 * whose first attempt failed, its wait lasts from there to ownership; a bounce is an acquisition
 * on another CPU than the one before.
 *
 * Read sections of an optimistic kind (seqlock) keep nobody out: eh_lock_release_read tells that
 * the section has to be repeated. Whoever may meet one writes
 *	do {
 *		eh_lock_take_read(l, c);
 *		...
 *	} while (eh_lock_release_read(l, c));
 *
 * Nodes of queues are kept by lock and CPU: who has asked for a lock that spins does not give up
 * the CPU before the release. Kinds that sleep are for tasks that stay on their CPU; a wake-up may
 * come late, when the task has the lock already, and end its next sleep early.
 *
 * The network path does not come through here: it calls qspinlock.h directly.
 *
 * Not modelled: lockdep, priority inheritance, preemption of who spins.
 */
#ifndef EHSIM_LOCK_H
#define EHSIM_LOCK_H

#include <ehsim/qspinlock.h>
#include <ehsim/word.h>

struct eh_lock;

/*
 * Instructions around the accesses, the same for all kinds that spin: call, preempt count, compare,
 * branch, return; and the count again on the way out.
 */
enum { EH_LOCK_CALL = 6, EH_LOCK_UNLOCK = 2 };

struct eh_lock_kind {
	const char *name; /* as in scenarios: "ticket" */
	const char *help; /* one line: what it is, where it was used */
	size_t size;
	bool fifo;	  /* who asks first gets it first */
	bool sleeps;	  /* may block: only tasks take it */
	bool optimistic;  /* read sections overlap writes, and are then repeated */
	int nodes;	  /* lines that each lock has for each CPU, beside its own */
	int lines;	  /* lines of a hand-over with one waiter, kernel-paths: 1 pending, 2 queue */
	void (*init)(struct eh_lock *l, struct eh_machine *m, int die);
	/* returns how long it waited since its first attempt failed */
	eh_time (*lock)(struct eh_lock *l, struct eh_cpu *c);
	void (*unlock)(struct eh_lock *l, struct eh_cpu *c);
	/* NULL: no read side; lock and unlock stand in */
	eh_time (*read_lock)(struct eh_lock *l, struct eh_cpu *c);
	bool (*read_unlock)(struct eh_lock *l, struct eh_cpu *c); /* true: read again */
};

struct eh_lock {
	const struct eh_lock_kind *kind;
	struct eh_lock_class *class; /* statistics, shared by all locks of a class */
	int readers, writers;	     /* inside now: checked */
	int last;		     /* CPU that took it last */
	eh_time taken_at;	     /* by the writer */
	struct eh_lock_reader *inside, *spare; /* lock.c; last one first */
};

extern const struct eh_lock_kind *const eh_lock_kinds[]; /* ends with NULL */

const struct eh_lock_kind *eh_lock_kind_find(const char *name); /* NULL: no such kind */
/* Newly made, goes with the machine. */
struct eh_lock *eh_lock_new(struct eh_machine *m, const struct eh_lock_kind *kind, int die,
			    struct eh_lock_class *class);

void eh_lock_take(struct eh_lock *l, struct eh_cpu *c);
void eh_lock_release(struct eh_lock *l, struct eh_cpu *c);
void eh_lock_take_read(struct eh_lock *l, struct eh_cpu *c);
bool eh_lock_release_read(struct eh_lock *l, struct eh_cpu *c); /* true: read again */

#endif
