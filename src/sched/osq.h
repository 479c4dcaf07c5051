/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Optimistic spinning, what mutex and rwsem have in common: as long as the owner runs, waiting for it
 * is cheaper than sleeping. Spinners queue up as in an MCS lock (osq); the first one watches the
 * owner, and gives up when that leaves its CPU or somebody else wants the spinner's.
 *
 * Not modelled: leaving the queue from its middle.
 * Source: descriptions of kernel/locking/osq_lock.c, mutex.c and rwsem.c, v6.12.
 */
#ifndef EHSIM_SCHED_OSQ_H
#define EHSIM_SCHED_OSQ_H

#include <ehsim/lock.h>
#include <ehsim/task.h>

#define EH_OWNER_FLAGS 7u /* the low bits of an owner word */

struct eh_osq_node {
	struct eh_word next, locked;
};

struct eh_osq {
	struct eh_word tail;
	struct eh_osq_node *nodes; /* by CPU, the same for all queues */
};

void eh_osq_init(struct eh_osq *q, struct eh_machine *m, eh_line_id line);
void eh_osq_lock(struct eh_osq *q, struct eh_cpu *c);
void eh_osq_unlock(struct eh_osq *q, struct eh_cpu *c);

static inline uint64_t eh_owner_word(const struct eh_task *t)
{
	return (uint64_t)(uintptr_t)t;
}

static inline struct eh_task *eh_word_owner(uint64_t word)
{
	return (struct eh_task *)(uintptr_t)(word & ~(uint64_t)EH_OWNER_FLAGS);
}

static inline bool eh_owner_runs(const struct eh_task *owner)
{
	return owner->cpu->curr == owner;
}

/* Spin until the word names somebody else; false: no use in waiting for that. */
bool eh_spin_on_owner(struct eh_cpu *c, int sym, const struct eh_word *w,
		      const struct eh_task *owner);

#endif
