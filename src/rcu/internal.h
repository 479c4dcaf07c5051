/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this folder share. Sequence numbers: 2 * grace periods ended + 1 while one is
   under way; a snapshot is the number from which on its grace period has ended. */
#ifndef EHSIM_RCU_INTERNAL_H
#define EHSIM_RCU_INTERNAL_H

#include <ehsim/rcu.h>
#include <ehsim/stats.h>

#define BLOCK_ENTRIES 507 /* a page less its header, in pointers */
#define BATCHES 2

/* --- lists of callbacks (cblist.c) --- */

enum { SEG_DONE, SEG_WAIT, SEG_NEXT_READY, SEG_NEXT, SEGMENTS };

struct cblist {
	struct eh_rcu_head *head;
	struct eh_rcu_head **tail[SEGMENTS]; /* ends of the segments, one behind the other */
	uint64_t seq[SEGMENTS];		     /* grace period a segment waits for */
	int64_t n[SEGMENTS];
	int64_t len; /* all, and those taken out to be invoked just now */
};

void eh_cblist_init(struct cblist *l);
void eh_cblist_add(struct cblist *l, struct eh_rcu_head *h);
/* Segments whose grace period has ended by `seq` become done, the others move up. */
void eh_cblist_advance(struct cblist *l, uint64_t seq);
/* What has no grace period yet, or a later one than it needs, waits for `seq`; false: nothing new. */
bool eh_cblist_accelerate(struct cblist *l, uint64_t seq);
/* Anything behind segment s? */
static inline bool eh_cblist_rest(const struct cblist *l, int s)
{
	return *l->tail[s] != NULL;
}
static inline bool eh_cblist_ready(const struct cblist *l)
{
	return l->n[SEG_DONE] > 0;
}
struct taken { /* done segment, or what is left of it */
	struct eh_rcu_head *first, **end;
	int64_t n;
};
bool eh_cblist_take_done(struct cblist *l, struct taken *t); /* false: there is none */
void eh_cblist_put_back(struct cblist *l, const struct taken *t);

/* --- the tree and the CPUs --- */

struct rcu_node {
	struct eh_spinlock lock, exp_lock;
	uint64_t seq;	 /* newest grace period begun here; even: ended here */
	uint64_t needed; /* newest one asked for */
	uint64_t mask;	 /* children that still owe a report */
	uint64_t full;
	uint64_t overloaded; /* CPUs, in a leaf */
	struct rcu_node *parent;
	uint64_t bit; /* in the parent's masks */
	int first, last; /* CPUs below */
	/* expedited */
	uint64_t exp_mask, exp_asked;
	struct eh_rcu_waiter *exp_waiters;
	struct eh_task *exp_worker;
	bool exp_work;
};

struct eh_rcu_waiter { /* for an expedited grace period, or its mutex */
	struct eh_rcu_waiter *next;
	uint64_t seq;
	struct eh_task *t;
	bool woken;
};

struct block { /* a page of pointers */
	struct block *next;
	uint64_t snap; /* grace period after which all of it may be freed */
	eh_time newest;
	int n;
	struct {
		struct eh_kmem_cache *k;
		struct eh_object *o;
		eh_rcu_free_fn free_fn;
	} entry[BLOCK_ENTRIES];
};

/* What went by on a CPU, seen by nobody but the check (check.c). */
enum { WATCH_NORMAL, WATCH_EXPEDITED, WATCHES };
struct witness {
	uint64_t quiet; /* quiescent states so far, beside idle times */
	struct {
		uint64_t quiet, idle;
		bool extended;
	} begin[WATCHES];
};

struct rcu_cpu {
	struct eh_rcu *r;
	struct eh_cpu *c;
	eh_line_id data, watching; /* rcu_data; context_tracking.state */
	struct witness witness;
	/* grace periods */
	struct rcu_node *leaf;
	uint64_t bit;
	uint64_t seq, needed; /* what this CPU knows of its leaf's */
	bool core_needs_qs;   /* it owes a report */
	bool no_qs;	      /* no quiescent state since it knows */
	bool heavy;	      /* rcu_need_heavy_qs */
	uint64_t momentary, momentary_snap; /* extended quiescent states of rcu_momentary_eqs */
	uint64_t idle_snap;
	uint64_t qsctr, last_qsctr, quiescbatch; /* classic */
	/* callbacks */
	struct cblist cbs;
	int64_t blimit, qlen_last_fqs;
	uint64_t forced_snap;
	/* expedited */
	bool exp_no_qs, exp_called, exp_report;
	eh_line_id csd;
	struct eh_event ipi;
	/* kfree_rcu */
	struct block *collecting; /* newest first */
	int ncollecting;
	struct batch {
		struct eh_rcu_head head;
		struct block *blocks;
	} batch[BATCHES];
	struct block *ready;
	struct block *freeing; /* the one that the worker has in hand */
	struct eh_event monitor;
	bool monitor_due;
	struct eh_task *worker;
};

/* Classic RCU's control block (classic.c); batches are numbered from 1. */
struct kfree_head;
struct eh_classic {
	uint64_t cur, completed;
	bool next_pending;
	int left; /* CPUs in the mask */
	struct eh_spinlock lock;
	eh_line_id line, mask;
	struct kfree_head *spare;
	GPtrArray *heads;
};

enum { FLAG_INIT = 1, FLAG_FQS = 2 };

struct eh_rcu {
	struct eh_sched *s;
	struct eh_machine *m;
	struct eh_sim *sim;
	const struct eh_kernel_config *kernel;
	const struct eh_rcu_config *cfg;
	struct rcu_node *nodes; /* breadth first: the root, then level by level; leaves last */
	int nnodes, nleaves;
	struct rcu_node *leaves;
	struct rcu_cpu *cpus;
	struct eh_lock_class node_lock, exp_lock;
	eh_line_id state; /* rcu_state: flags, number of the grace period */
	/* grace periods */
	uint64_t seq;
	int flags;
	uint64_t forced; /* scans so far, n_force_qs */
	bool overload, overload_next;
	eh_time started;
	int64_t started_jiffies;
	int64_t first_fqs, next_fqs, sched_qs; /* jiffies */
	struct eh_task *kthread;
	struct eh_event timer;
	bool timed_out;
	/* the check */
	eh_time begun, safe; /* begin of the present one; of the last one that has been checked */
	struct eh_classic classic;
	/* expedited */
	uint64_t exp_seq;
	struct eh_task *exp_task; /* waits for the root to empty, or for workers */
	int exp_working;
	bool exp_busy;
	struct eh_rcu_waiter *exp_mutex;
	struct block *spare;
	int64_t (*bytes_of)(const struct eh_kmem_cache *k);
	struct eh_rcu_stats stats;
	struct eh_rcu_lengths normal, sync, expedited;
};

static inline bool eh_rcu_in_progress(const struct eh_rcu *r)
{
	return r->seq & 1;
}

/* The grace period after whose end everything queued now may be freed. */
static inline uint64_t eh_rcu_snap(const struct eh_rcu *r)
{
	return (r->seq + 3) & ~(uint64_t)1;
}

static inline int64_t eh_rcu_jiffies(const struct eh_rcu *r)
{
	return eh_sim_now(r->sim) / eh_sched_jiffy(r->s);
}

/* tree.c */
void eh_rcu_build_tree(struct eh_rcu *r);
void eh_rcu_lock(struct eh_cpu *c, struct eh_rcu *r, struct rcu_node *n);
void eh_rcu_unlock(struct eh_cpu *c, struct eh_rcu *r, struct rcu_node *n, int sym);
/* With n's lock, which is given up: these children are quiescent in grace period `seq`. */
void eh_rcu_report(struct eh_cpu *c, struct eh_rcu *r, struct rcu_node *n, uint64_t bits,
		   uint64_t seq);
/* With the leaf's lock: grace period `seq` is needed. True: the kthread has to be woken. */
bool eh_rcu_start_gp(struct eh_cpu *c, struct rcu_cpu *rc, uint64_t seq);

/* gp.c */
void eh_rcu_wake_kthread(struct eh_cpu *c, struct eh_rcu *r);
/* A thread that has slept for long goes before what runs there, as soon as that may be left. */
void eh_rcu_wake_preempting(struct eh_cpu *c, struct eh_task *t);
void eh_rcu_kthread_fini(struct eh_rcu *r);
/* In a kernel thread between two steps: interrupts, the scheduler if it asks, else RCU. */
void eh_rcu_cond_resched(struct eh_rcu *r, struct eh_task *t);

/* fqs.c */
void eh_rcu_scan(struct eh_rcu *r, struct eh_task *t, bool first);
void eh_rcu_disable_urgency(struct rcu_cpu *rc);
/* Is it idle, or as good as that, just now? */
bool eh_rcu_extended(const struct rcu_cpu *rc);

/* core.c */
void eh_rcu_core_init(struct eh_rcu *r);
bool eh_rcu_note_changes(struct eh_cpu *c, struct rcu_cpu *rc); /* with the leaf's lock */
bool eh_rcu_accelerate(struct eh_cpu *c, struct rcu_cpu *rc);	/* with the leaf's lock */
void eh_rcu_accelerate_unlocked(struct eh_cpu *c, struct rcu_cpu *rc);
void eh_rcu_qs(struct rcu_cpu *rc);
void eh_rcu_need_tick(struct rcu_cpu *rc);

/* call.c */
void eh_rcu_do_batch(struct eh_cpu *c, struct rcu_cpu *rc);
void eh_rcu_check_overload_locked(struct rcu_cpu *rc);
void eh_rcu_count_waiting(struct eh_rcu *r, int64_t objects, int64_t bytes);

void eh_rcu_invoke(struct eh_cpu *c, struct rcu_cpu *rc, struct eh_rcu_head *h);

/* classic.c */
void eh_classic_init(struct eh_rcu *r);
void eh_classic_fini(struct eh_rcu *r);
void eh_classic_core(struct eh_cpu *c, struct rcu_cpu *rc);
void eh_classic_tick(struct eh_cpu *c, struct rcu_cpu *rc, bool user_or_idle);
void eh_classic_kfree(struct eh_rcu *r, struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o,
		      eh_rcu_free_fn free_fn);

/* exp.c */
void eh_rcu_exp_init(struct eh_rcu *r);
void eh_rcu_exp_fini(struct eh_rcu *r);
void eh_rcu_exp_report(struct eh_cpu *c, struct rcu_cpu *rc); /* takes the leaf's lock */

/* kfree.c */
void eh_kfree_init(struct rcu_cpu *rc);
void eh_kfree_fini(struct rcu_cpu *rc);
void eh_kfree_tick(struct rcu_cpu *rc);
void eh_kfree_free_list(struct block *b);

/*
 * check.c: nothing is freed before its grace period. begin and end look at the CPUs themselves, not
 * at what the tree says of them; freed ends the program if `queued` is not before a grace period that
 * has been seen through.
 */
void eh_rcu_check_begin(struct eh_rcu *r, int watch);
void eh_rcu_check_end(struct eh_rcu *r, int watch);
void eh_rcu_check_freed(const struct eh_rcu *r, eh_time queued);
void eh_rcu_length_add(struct eh_rcu_lengths *l, eh_time length);

#endif
