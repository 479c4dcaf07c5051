/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tree RCU of a non-preemptible kernel (CONFIG_TREE_RCU, v6.12).
 *
 * The tree. A leaf rcu_node for each rcu.leaf_fanout CPUs, inner ones for rcu.fanout nodes each, up to
 * one root; a lock and the masks it guards lie in one line each, all in the memory of die 0. CPUs
 * report a quiescent state to their leaf under its lock; whoever empties a node goes on to its parent;
 * whoever empties the root wakes the kthread.
 *
 * Grace periods, one at a time, are the work of the task rcu_sched: it
 * sets up all nodes breadth first, waits for the root to empty, cleans up all nodes, and begins anew
 * if somebody asked meanwhile. It wakes up on the CPU it ran on last if that is idle, else on an idle
 * one of the same die (whole cores first), else there all the same, as soon as what runs may be left.
 *
 * A CPU hears of a grace period in its next RCU softirq, which its tick raises; a context switch, a
 * tick that interrupted user mode or idle, or rcu_all_qs with the urgent flag set after that is its
 * quiescent state; the softirq of the tick after reports it.
 *
 * Force-quiescent-state scans: the kthread looks at CPUs that owe a report, leaf by leaf under the
 * lock, after first_fqs jiffies and every next_fqs jiffies from then on (both 1 + (HZ > 250) + (HZ >
 * 500) + cpus / 256), at a tick of its CPU; a third of that under callback overload. The first scan
 * reports for those that idle, later ones also for those that idled, or went through rcu_momentary_eqs,
 * since. A scan more than sched_qs (max(3d, HZ / 10 + cpus / 256)) jiffies after the start sets the
 * urgent flag of who still owes, one after twice that, or under overload, the heavy flag too: then
 * rcu_all_qs and a context switch pass through rcu_momentary_eqs, which the next scan sees without
 * waiting for the CPU. A tick that finds the urgent flag clears it and asks for a reschedule.
 *
 * call_rcu: per CPU a list in four segments (done, wait, next-ready, next), each with its grace period;
 * the softirq advances it, asks for grace periods and invokes what is done: at most blimit callbacks,
 * or a 2^divisor-th of those done, if somebody else wants the CPU; all the list above qhimark callbacks
 * more than at the last kick, which also forces a scan, until it is down to qlowmark; after `resched`
 * if more than 100 were allowed (looked at every 32). What is left is for the next round of softirqs. A CPU
 * with more than qovld callbacks is overloaded. While a CPU has callbacks it ticks even if it idles.
 *
 * kfree_rcu: per-CPU pages of 507 pointers, drained a jiffy after a page is full, else after rcu.drain;
 * what has seen a grace period by then is freed, the rest waits for one as one of two batches, by
 * call_rcu; freed by a kworker on the CPU that asked.
 *
 * synchronize_rcu: a callback that wakes the caller. synchronize_rcu_expedited: sequence numbers up the
 * tree so that one serves many, a mutex (in order of arrival), then per leaf a worker task (the last
 * leaf by the caller itself): reports for CPUs that idle, sends an interrupt to the others, whose
 * handler reports at once if it interrupted idle, else asks for a reschedule and lets the next
 * quiescent state report.
 *
 * rcu.kind classic, as in 2.6.8: a batch of callbacks waits for one grace period, for which a mask of all
 * CPUs, under one lock, has to empty. Every CPU ticks, idle or not (no dynticks), reads the control block
 * in each tick and runs its tasklet (here: the RCU softirq) when there is something to do: it hears of the
 * grace period, counts a quiescent state at a context switch or at a tick in user mode or idle, clears its
 * bit, moves its lists, and invokes maxbatch (rcu.blimit) callbacks per round. Whoever clears the last bit
 * starts the next grace period. kfree_rcu is a call_rcu each. cond_resched is no quiescent state unless
 * it switches.
 *
 * Checked in every run: nothing is freed before its grace period (a failed check ends the program). The
 * check looks at switches, ticks and idle times of every CPU from begin to end of each grace period,
 * not at the tree.
 *
 * Not modelled: preemptible RCU and boosting, nocb CPUs, rcuc kthreads, hotplug, stall warnings and
 * what jiffies_resched does after half their time, hurry and lazy callbacks, SRCU and Tasks RCU, polled
 * interfaces, the single worker of expedited grace periods (their caller does its part),
 * the way of an idle CPU's counter through every idle entry (a scan finds its
 * line as if its CPU had just written it). A CPU's own flags are not charged as loads.
 * Sources: descriptions of kernel/rcu, v6.12, and of kernel/rcupdate.c, v2.6.8.
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

/* --- call_rcu --- */

struct eh_rcu_head {
	struct eh_rcu_head *next;
	void (*fn)(struct eh_cpu *c, struct eh_rcu_head *h, void *arg);
	void *arg;
	int64_t bytes;	 /* of the object that waits, for the account; 0: none does */
	eh_line_id line; /* that it lies in; 0: none worth a look */
	eh_time queued;
};

/*
 * fn, arg, bytes and line are the caller's; fn is called in softirq on CPU c, or in ksoftirqd with
 * bottom halves off, and may free the head.
 */
void eh_call_rcu(struct eh_rcu *r, struct eh_cpu *c, struct eh_rcu_head *h);

/* By a task that may sleep, outside any read section. */
void eh_synchronize_rcu(struct eh_rcu *r, struct eh_task *t);
void eh_synchronize_rcu_expedited(struct eh_rcu *r, struct eh_task *t);

/*
 * Free `o` of cache `k` after a grace period: calls free_fn(c, k, o) on the CPU that asked. Charges
 * kvfree_call_rcu to the caller and kfree_rcu_work when freed. (free_fn: eh_kmem_free; rcu stands
 * before mm, so it is handed in.)
 */
typedef void (*eh_rcu_free_fn)(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o);
void eh_kfree_rcu(struct eh_rcu *r, struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o,
		  eh_rcu_free_fn free_fn);
/* What an object of a cache takes, in bytes (eh_kmem_bytes); without it objects have no size. */
void eh_rcu_sizes(struct eh_rcu *r, int64_t (*bytes_of)(const struct eh_kmem_cache *k));

/* --- counts --- */

/* Lengths of something, in a histogram and in octaves of a millisecond: [2^(i - 10), 2^(i - 9)) ms. */
enum { EH_RCU_OCTAVES = 24, EH_RCU_OCTAVE_1MS = 10 };
struct eh_rcu_lengths {
	struct eh_hist *hist; /* ns */
	uint64_t octave[EH_RCU_OCTAVES]; /* the last one: and all above */
	eh_time sum;
};

struct eh_rcu_stats {
	uint64_t grace_periods, scans;
	uint64_t urgent, heavy; /* flags set */
	uint64_t reports;	/* quiescent states reported by CPUs themselves */
	uint64_t found;		/* ... by scans on behalf of CPUs that idle or idled */
	uint64_t kicks;		/* scans asked for by long lists */
	uint64_t overloads;	/* times a CPU became overloaded */
	uint64_t called, invoked, batches; /* callbacks; rounds of invoking them */
	uint64_t freed;		/* objects of kfree_rcu */
	uint64_t expedited, ipis;
	/* objects and bytes between call_rcu or kfree_rcu and their end */
	uint64_t waiting, waiting_peak;
	int64_t bytes, bytes_peak;
	uint64_t qlen_peak;		/* callbacks of one CPU */
	eh_time started;		/* of the present grace period, EH_TIME_NEVER: there is none */
	const struct eh_hist *length;	/* ns per grace period */
	const struct eh_rcu_lengths *normal, *sync, *exp; /* grace periods; the two synchronize calls */
};
void eh_rcu_stats(const struct eh_rcu *r, struct eh_rcu_stats *st);
/* Peaks and lengths begin anew: the window that will be reported. */
void eh_rcu_stats_window(struct eh_rcu *r);
struct eh_lock_class *eh_rcu_node_lock(struct eh_rcu *r);
struct eh_lock_class *eh_rcu_exp_lock(struct eh_rcu *r);

#endif
