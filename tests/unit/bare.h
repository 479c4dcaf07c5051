/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code alone on a bare CPU: no scheduler, no ticks, nothing but what the test makes happen. */
#ifndef TESTS_UNIT_BARE_H
#define TESTS_UNIT_BARE_H

#include <ehsim/cpu.h>

/* fn(arg) begins on c at `at`, or now when that has passed. */
static inline void run_bare(struct eh_cpu *c, eh_fiber_fn fn, void *arg, eh_time at)
{
	eh_time now = eh_sim_now(c->sim);

	c->idle = false;
	eh_cpu_start(c);
	c->ev.fiber = eh_sim_fiber(c->sim, fn, arg);
	eh_sim_at(c->sim, &c->ev, at > now ? at : now);
}

#endif
