/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this folder share. */
#ifndef EHSIM_RCU_INTERNAL_H
#define EHSIM_RCU_INTERNAL_H

#include <ehsim/qspinlock.h>
#include <ehsim/rcu.h>

/* A page less its header, in pointers. */
#define BLOCK_ENTRIES 507
#define BATCHES 2
#define DRAIN_SECONDS 5

struct rcu_node {
	struct eh_spinlock lock;
	uint64_t mask; /* children that still owe a report */
	uint64_t full;
	struct rcu_node *parent;
	uint64_t bit; /* in the parent's mask */
};

struct block { /* a page of pointers */
	struct block *next;
	uint64_t snap; /* grace period after which all of it may be freed */
	int n;
	struct {
		struct eh_kmem_cache *k;
		struct eh_object *o;
		eh_rcu_free_fn free_fn;
	} entry[BLOCK_ENTRIES];
};

struct rcu_cpu {
	struct eh_rcu *r;
	struct eh_cpu *c;
	/* grace periods */
	struct rcu_node *leaf;
	uint64_t bit;
	uint64_t noticed; /* number of the grace period this CPU knows of */
	bool no_qs;	  /* no quiescent state since */
	uint64_t idle_snap;
	/* kfree_rcu */
	struct block *collecting; /* newest first */
	int ncollecting;
	struct {
		struct block *blocks;
		uint64_t snap; /* 0: not asked for yet */
	} batch[BATCHES];
	struct block *ready;
	struct eh_event monitor;
	bool monitor_due;
	struct eh_task *worker;
};

struct eh_rcu {
	struct eh_sched *s;
	struct eh_machine *m;
	struct eh_sim *sim;
	const struct eh_kernel_config *kernel;
	struct rcu_node *nodes; /* leaves first, the root last */
	int nnodes, nleaves;
	struct rcu_cpu *cpus;
	struct eh_lock_class node_lock;
	/* the present grace period is number completed + 1 */
	uint64_t completed, wanted;
	bool active, first_scan;
	eh_time started;
	eh_time scan_period, urgent_after;
	struct eh_event scan;
	struct block *spare;
	struct eh_rcu_stats stats;
	struct eh_hist *length;
};

/* gp.c: the grace period after whose end everything queued now may be freed; ask for it. */
uint64_t eh_rcu_snap(const struct eh_rcu *r);
void eh_rcu_want(struct eh_rcu *r, uint64_t snap);

/* kfree.c */
void eh_kfree_init(struct rcu_cpu *rc);
void eh_kfree_fini(struct rcu_cpu *rc);
void eh_kfree_tick(struct rcu_cpu *rc);
void eh_kfree_free_list(struct block *b);

#endif
