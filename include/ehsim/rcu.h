/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tree RCU of a non-preemptible kernel, as far as kfree_rcu of bind buckets needs it.
 *
 * Modelled: one grace period at a time, started when callbacks wait; leaves of 16 CPUs under one
 * root; a CPU's quiescent state is a context switch, a tick that interrupted user mode or idle, or
 * rcu_all_qs with the urgent flag set; the report takes the leaf's lock (and the root's when the
 * leaf is empty); force-quiescent-state scans every d jiffies, d = 1 + (HZ>250) + (HZ>500) +
 * cpus/256, which find idle CPUs quiescent; after max(3d, HZ/10 + cpus/256) jiffies the scan sets
 * the urgent flag of CPUs that still owe a report. kfree_rcu: per-CPU pages of pointers, drained a
 * jiffy after a page is full, else after 5 s; one grace period; freed in bulk on the same CPU.
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

/* The slow half of rcu_all_qs: report a quiescent state. Called when c->rcu_urgent is set. */
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
	uint64_t grace_periods, scans, urgent;
	uint64_t waiting, waiting_peak; /* objects between kfree_rcu and free */
	const struct eh_hist *length;	/* ns per grace period */
};
void eh_rcu_stats(const struct eh_rcu *r, struct eh_rcu_stats *st);

#endif
