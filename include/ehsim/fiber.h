/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fibers: a simulated context is straight-line C on a small stack of its own. Switching saves the
 * callee-saved registers and jumps (x86-64 and aarch64: own assembly that ends in pop; jmp, since a
 * `ret` would miss the return predictor); elsewhere ucontext. AddressSanitizer is told about every
 * switch. Stacks are pooled per eh_fiber_pool and have a guard page.
 */
#ifndef EHSIM_FIBER_H
#define EHSIM_FIBER_H

#include <ehsim/types.h>

struct eh_fiber;
struct eh_fiber_pool;

typedef void (*eh_fiber_fn)(void *arg); /* may return: the fiber is then finished */

struct eh_fiber_pool *eh_fiber_pool_new(size_t stack_bytes);
void eh_fiber_pool_free(struct eh_fiber_pool *pool); /* also of unfinished fibers */

/* Made suspended: the first switch to it starts fn(arg). */
struct eh_fiber *eh_fiber_new(struct eh_fiber_pool *pool, eh_fiber_fn fn, void *arg);
struct eh_fiber *eh_fiber_main(struct eh_fiber_pool *pool); /* the stack of the caller of run */
struct eh_fiber *eh_fiber_current(const struct eh_fiber_pool *pool);
bool eh_fiber_finished(const struct eh_fiber *f);
/* A finished fiber switches to main. */
void eh_fiber_switch(struct eh_fiber_pool *pool, struct eh_fiber *to);

/* The pool of a simulation (64 KiB stacks), and a shorthand. */
struct eh_sim;
struct eh_fiber_pool *eh_sim_fibers(struct eh_sim *sim);
struct eh_fiber *eh_sim_fiber(struct eh_sim *sim, eh_fiber_fn fn, void *arg);

#endif
