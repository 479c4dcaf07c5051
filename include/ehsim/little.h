/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Little's law, kept as an invariant: the mean number in a queue is the rate of arrivals times the
 * mean time in it.
 *
 * A queue follows N(t), how many are in it, as an integral over time. Whoever owns the queue counts on
 * its own how many have left and how long each was in it: the numbers that reports show. Over any
 * window [a, b] the two are tied together exactly,
 *
 *	integral of N over [a, b] = time of those who left in it
 *				    - age at a of those inside at a + age at b of those inside at b
 *
 * in whole picoseconds, without a tolerance. Where it does not hold, somebody was counted in but not
 * out, in another queue, for another time than he waited, or before the clock: a bug in the accounting,
 * an impossible state.
 *
 * A CPU may run ahead of the simulated clock: arrivals and departures that are not due yet are held back
 * and take part when the clock has passed them. None lies before it.
 */
#ifndef EHSIM_LITTLE_H
#define EHSIM_LITTLE_H

#include <ehsim/sim.h>

struct eh_little;

/*
 * A reading at one instant. `left` and `waited` are the owner's counts from the start of the run on,
 * of all departures it knows of, those ahead of the clock included.
 */
struct eh_little_reading {
	eh_time at, area; /* integral of N up to here */
	eh_time waited, ages;
	uint64_t left, departures; /* as the owner counts them, and as the queue does */
	int64_t inside;
};

/*
 * Empty at time 0; `name` is not copied. At most `room` arrivals and departures may lie ahead of the
 * clock at a time. One block of memory: g_free, or eh_machine.kept, frees it.
 */
struct eh_little *eh_little_new(const struct eh_sim *sim, const char *name, int room);
const char *eh_little_name(const struct eh_little *q);

void eh_little_enter(struct eh_little *q, eh_time at);
/* Who came at `since`; `at` may equal it. */
void eh_little_leave(struct eh_little *q, eh_time since, eh_time at);

void eh_little_read(struct eh_little *q, uint64_t left, eh_time waited, struct eh_little_reading *r);
bool eh_little_holds(const struct eh_little_reading *from, const struct eh_little_reading *to);
/* The same as an assertion that names the queue and its host. */
void eh_little_check(const struct eh_little *q, const char *host,
		     const struct eh_little_reading *from, const struct eh_little_reading *to);

#endif
