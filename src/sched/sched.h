/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this folder share. */
#ifndef EHSIM_SCHED_SCHED_H
#define EHSIM_SCHED_SCHED_H

#include <ehsim/qspinlock.h>
#include <ehsim/task.h>

#define MAX_HOOKS 4

struct eh_rq {
	struct eh_sched *s;
	struct eh_cpu *c;
	bool online, need_tick;
	struct eh_task idle;
	struct eh_task *head, **tailp; /* runnable, not running */
	struct eh_spinlock lock;
	struct eh_event ipi; /* a waker's notice on its way to an idle CPU */
	struct eh_event tick;
	uint64_t idle_entries;
	eh_time user_mark, busy_mark; /* charged up to the last switch */
	struct eh_task *ksoftirqd; /* once it was needed */
};

struct eh_sched {
	struct eh_machine *m;
	struct eh_sim *sim;
	const struct eh_kernel_config *kernel;
	struct eh_rq *rqs;
	GPtrArray *tasks;
	struct eh_sched_hooks hooks[MAX_HOOKS];
	int nhooks;
	struct eh_lock_class rq_lock;
	struct eh_little *runnable; /* tasks in run queues */
	uint64_t dequeued;
	eh_time waited; /* by those */
	eh_time jiffy;
};

static inline struct eh_rq *eh_rq_of(const struct eh_sched *s, const struct eh_cpu *c)
{
	return &s->rqs[c->id];
}

enum eh_schedule { EH_SCHEDULE_SLEEP, EH_SCHEDULE_YIELD, EH_SCHEDULE_EXIT, EH_SCHEDULE_IDLE };

/* task.c: leave prev (the caller), as `how` says; EXIT returns at once, the fiber must end then. */
void eh_schedule(struct eh_rq *rq, struct eh_task *prev, enum eh_schedule how);

/* idle.c */
void eh_rq_init(struct eh_sched *s, int cpu);
void eh_rq_online(struct eh_rq *rq);

/* tick.c */
void eh_tick_init(struct eh_rq *rq);
void eh_tick_arm(struct eh_rq *rq); /* no-op when armed */

/* ksoftirqd.c: who goes on where softirqs have had enough */
void eh_ksoftirqd_init(struct eh_rq *rq);

#endif
