/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tree RCU of a non-preemptible kernel, as far as kfree_rcu of bind buckets needs it.
 *
 * Modelled: one grace period at a time, started when callbacks wait; leaves of 16 CPUs, inner nodes
 * of 64. A CPU learns of a grace period at its next tick; from then on a context switch, a tick that
 * interrupted user mode or idle, or rcu_all_qs with the urgent flag set is its quiescent state, which
 * it reports at the tick after: it takes the leaf's lock, and the parent's when the leaf is empty.
 * The grace period ends with the last report.
 *
 * Force-quiescent-state scans every d jiffies, d = 1 + (HZ > 250) + (HZ > 500) + cpus / 256, find
 * CPUs quiescent that are idle, or were since the last scan (the first one only takes stock of those
 * that are not). A scan more than max(3d, HZ / 10 + cpus / 256) jiffies after the start sets the
 * urgent flag of CPUs that still owe a report; a tick that finds it set asks for a reschedule.
 *
 * kfree_rcu: per-CPU pages of 507 pointers, drained a jiffy after a page is full, else after 5 s: what
 * has seen a grace period by then is freed, the rest waits for one in one of two batches (while both
 * wait, more is collected). Freed by a kworker task on the CPU that asked. While a batch waits the
 * CPU ticks even if it idles.
 *
 * The grace-period kthread's work happens in no time and on no CPU, but its writes to the nodes are
 * seen: it leaves their lines with CPU 0.
 *
 * Not modelled yet: call_rcu callback lists and their batch limits, expedited grace periods, nocb,
 * the heavy flag, callback overload.
 * Source: description of kernel/rcu, v6.12.
 */
#ifndef EHSIM_RCU_H
#define EHSIM_RCU_H

#include <ehsim/stats.h>
#include <ehsim/task.h>

struct eh_rcu;
struct eh_object;
struct eh_kmem_cache;

struct eh_rcu *eh_rcu_new(struct eh_sched *s, const struct eh_kernel_config *kernel);
void eh_rcu_free(struct eh_rcu *r);

/* A read section costs nothing but instructions in this kernel; they are charged to the caller. */

/* The slow half of rcu_all_qs: note a quiescent state. Called when c->rcu_urgent is set. */
void eh_rcu_all_qs(struct eh_rcu *r, struct eh_cpu *c);

/*
 * Free `o` of cache `k` after a grace period: calls free_fn(c, k, o) on the CPU that asked. Charges
 * kvfree_call_rcu to the caller and kfree_rcu_work when freed. (free_fn: eh_kmem_free; rcu stands
 * before mm, so it is handed in.)
 */
typedef void (*eh_rcu_free_fn)(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o);
void eh_kfree_rcu(struct eh_rcu *r, struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o,
		  eh_rcu_free_fn free_fn);

struct eh_rcu_stats {
	uint64_t grace_periods, scans;
	uint64_t urgent; /* flags set */
	uint64_t waiting, waiting_peak; /* objects between kfree_rcu and free */
	eh_time started;		/* of the present grace period, EH_TIME_NEVER: there is none */
	const struct eh_hist *length;	/* ns per grace period */
};
void eh_rcu_stats(const struct eh_rcu *r, struct eh_rcu_stats *st);
struct eh_lock_class *eh_rcu_node_lock(struct eh_rcu *r);

#endif
