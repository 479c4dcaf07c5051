/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What protects a reader and is no lock:
 *
 *	refcount	an object's reference count: one locked operation on its line to get it, one
 *			to put it, whoever else does the same (refcount_inc, refcount_dec_and_test)
 *	srcu		sleepable RCU: a reader counts itself in and out on a line of its own CPU, and
 *			each time a full barrier, a locked operation on the CPU's own stack, puts the
 *			count before the body or behind it (__srcu_read_lock, __srcu_read_unlock)
 *
 * A section of RCU itself costs nothing but instructions in a kernel that is not preemptible.
 *
 * Not modelled: saturation of reference counts; the update side of SRCU (grace periods, the flip of
 * the index), so the index stays and its line is only ever read.
 * Source: descriptions of include/linux/refcount.h and kernel/rcu/srcutree.c, v6.12.
 */
#ifndef EHSIM_READ_SIDE_H
#define EHSIM_READ_SIDE_H

#include <ehsim/word.h>

struct eh_refcount {
	struct eh_word refs;
};

void eh_refcount_init(struct eh_refcount *r, eh_line_id line); /* 1: its maker's */
void eh_refcount_inc(struct eh_cpu *c, struct eh_refcount *r);
bool eh_refcount_dec_and_test(struct eh_cpu *c, struct eh_refcount *r); /* true: that was the last */

struct eh_srcu_cpu {
	eh_line_id line, stack;
	uint64_t locks, unlocks;
};

struct eh_srcu {
	eh_line_id index;
	struct eh_srcu_cpu *cpu; /* goes with the machine */
};

void eh_srcu_init(struct eh_srcu *s, struct eh_machine *m, int die);
void eh_srcu_read_lock(struct eh_cpu *c, struct eh_srcu *s);
void eh_srcu_read_unlock(struct eh_cpu *c, struct eh_srcu *s);
uint64_t eh_srcu_readers(const struct eh_srcu *s, const struct eh_machine *m); /* inside now */

#endif
