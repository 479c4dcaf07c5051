/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel timers of one host (timer_list), pinned to the CPU that armed them.
 *
 * Linux keeps them in a wheel per CPU. Its levels grow coarser by eight: 63 jiffies ahead a timer is
 * kept to one jiffy, 504 ahead to 8, 4032 ahead to 64, and so on; it fires at the end of the bucket
 * it falls into, never early. So at HZ 1000 a second becomes up to 1.064 s, a minute up to 64.1 s,
 * and timers armed within one bucket fire together. The expiry of a bucket is the tick of the
 * timer's CPU; an idle CPU, which does not tick, is woken by its clock's interrupt. Handlers run in
 * the timer softirq, before the receive softirq, one after the other.
 *
 * Here each timer is an event of the simulation at the instant its bucket expires; what arming and
 * deleting cost is inside the paths that do it (both are local list operations under the base's
 * lock, which nobody else takes as long as timers are pinned).
 * Not modelled: the base's lock, deferrable timers, migration of timers that are not pinned.
 * Source: description of kernel/time/timer.c, v6.12.
 */
#ifndef EHSIM_TIMER_H
#define EHSIM_TIMER_H

#include <ehsim/host.h>

struct eh_timer;

/* In softirq on the CPU of the timer, which is no longer pending. May arm it again, or free it. */
typedef void (*eh_timer_fn)(struct eh_cpu *c, struct eh_timer *t);

struct eh_timer {
	struct eh_event ev;  /* the end of its bucket */
	struct eh_ring due;  /* of its CPU: expired, handler not yet called; prev NULL: not there */
	struct eh_cpu *cpu;
	eh_timer_fn fn;
};

struct eh_timers *eh_timers_new(struct eh_host *h);
void eh_timers_free(struct eh_timers *base); /* of a host whose timers have all been deleted */

/* mod_timer: `delay` from now, on CPU c. Pending or not. */
void eh_timer_mod(struct eh_cpu *c, struct eh_timer *t, eh_timer_fn fn, eh_time delay);
/* timer_delete: true if it was pending. A handler that has been called goes on. */
bool eh_timer_del(struct eh_sim *sim, struct eh_timer *t);

static inline bool eh_timer_pending(const struct eh_timer *t)
{
	return eh_event_pending(&t->ev) || t->due.prev;
}

/* When a timer that is armed now fires on that CPU. */
eh_time eh_timer_expiry(const struct eh_host *h, int cpu, eh_time delay);

/* struct eh_cpu's irq and softirq: timers, then the network. */
void eh_net_interrupt(struct eh_cpu *c);
void eh_net_softirq(struct eh_cpu *c);

#endif
