/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A word in a cache line that several CPUs load, store and change by locked operations: what
 * locks, counters and flags are made of. The words of one line share its fate (false sharing).
 *
 * Every access happens in global order, and a word changes at the instant its line is granted to
 * the writer: for a line nobody else is asking for, when the access starts; for a contended one,
 * when its home gets round to it (line.c). What the caller does to plain C state right after a
 * locked operation happens at that same instant.
 *
 *	load	waits for the data, then for global order; the value is the one at that time
 *	store	leaves through the store buffer: the CPU goes on, the value changes when the line is
 *		there. One store may be outstanding; the next store to a word and every locked
 *		operation of that CPU wait for it
 *	locked	xchg, add, or, cmpxchg: a locked read-modify-write; all return the old value
 *	wait	spins on the CPU's own copy of the line: costs nothing but time until somebody writes
 *		the line; then the copy is gone, the CPU reads again (N spinners: N reads, one after
 *		the other at the home), and again until the word's value differs from `old`
 *
 * All time is charged to `sym`. Calls are made from a fiber.
 *
 * Not modelled: store forwarding from the own store buffer, monitor/mwait, pause.
 */
#ifndef EHSIM_WORD_H
#define EHSIM_WORD_H

#include <ehsim/cpu.h>

struct eh_word {
	uint64_t value;
	eh_line_id line;
};

static inline void eh_word_init(struct eh_word *w, eh_line_id line, uint64_t value)
{
	*w = (struct eh_word){.value = value, .line = line};
}

uint64_t eh_word_load(struct eh_cpu *c, int sym, const struct eh_word *w);
/* As the one CPU that may write it now has left it, granted or not: it knows, for nothing. */
uint64_t eh_word_stored(const struct eh_cpu *c, const struct eh_word *w);
void eh_word_store(struct eh_cpu *c, int sym, struct eh_word *w, uint64_t value);
uint64_t eh_word_xchg(struct eh_cpu *c, int sym, struct eh_word *w, uint64_t value);
uint64_t eh_word_add(struct eh_cpu *c, int sym, struct eh_word *w, uint64_t delta); /* old value */
uint64_t eh_word_or(struct eh_cpu *c, int sym, struct eh_word *w, uint64_t bits);
/* The old value; `value` was stored exactly when it equals `old`. */
uint64_t eh_word_cmpxchg(struct eh_cpu *c, int sym, struct eh_word *w, uint64_t old,
			 uint64_t value);
/*
 * Spin until the word's value is not `old`; returns it. The caller has loaded `old`. Interrupts are
 * not taken meanwhile.
 */
uint64_t eh_word_wait(struct eh_cpu *c, int sym, const struct eh_word *w, uint64_t old);

#endif
