/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Locks of Linux 2.6.8 on i386 as words of a line that belongs to somebody else: a hash bucket, say.
 * As macros of that time they were compiled into who uses them: the fast path is charged to `sym`,
 * only waiting has a symbol of its own.
 *
 *	rwlock	starts at the bias; a reader takes one by a locked operation and gives it back by
 *		another, a writer takes all. Who fails puts back what he took, spins until the word looks
 *		right, and tries again: nobody waits in turn
 *	spin	1 is free. A locked decrement; who finds less than 1 spins on his copy until the word is
 *		positive and decrements again. The release is a plain store
 *
 * `class` counts as for qspinlock.h. Taking returns when it was had, which giving back is told. To pair
 * them is the caller's; nothing checks exclusion here.
 */
#ifndef EHSIM_LOCK2004_H
#define EHSIM_LOCK2004_H

#include <ehsim/qspinlock.h>
#include <ehsim/word.h>

#define EH_RWLOCK2004_FREE 0x01000000 /* the bias */
#define EH_SPIN2004_FREE 1

eh_time eh_read2004_lock(struct eh_cpu *c, struct eh_word *w, struct eh_lock_class *class, int sym);
void eh_read2004_unlock(struct eh_cpu *c, struct eh_word *w, struct eh_lock_class *class,
			eh_time since, int sym);
eh_time eh_write2004_lock(struct eh_cpu *c, struct eh_word *w, struct eh_lock_class *class, int sym);
void eh_write2004_unlock(struct eh_cpu *c, struct eh_word *w, struct eh_lock_class *class,
			 eh_time since, int sym);
eh_time eh_spin2004_lock(struct eh_cpu *c, struct eh_word *w, struct eh_lock_class *class, int sym);
void eh_spin2004_unlock(struct eh_cpu *c, struct eh_word *w, struct eh_lock_class *class,
			eh_time since, int sym);

#endif
