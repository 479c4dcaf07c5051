/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "internal.h"

static struct block *new_block(struct eh_rcu *r)
{
	struct block *b = r->spare;

	if (b)
		r->spare = b->next;
	else
		b = g_new(struct block, 1);
	b->n = 0;
	return b;
}

void eh_kfree_free_list(struct block *b)
{
	while (b) {
		struct block *next = b->next;

		g_free(b);
		b = next;
	}
}

/* --- the monitor: sees to it that what was collected gets its grace period --- */

static void monitor_fires(struct eh_event *ev)
{
	struct rcu_cpu *rc = eh_container_of(ev, struct rcu_cpu, monitor);

	rc->monitor_due = true; /* delayed work: runs with the CPU's next tick */
	eh_sched_need_tick(rc->r->s, rc->c->id, true);
}

/* In a jiffy if a page is full, else in a while; a timer that is due earlier stays. */
static void arm_monitor(struct rcu_cpu *rc)
{
	eh_time jiffy = eh_sched_jiffy(rc->r->s);
	eh_time delay = rc->ncollecting >= BLOCK_ENTRIES
				? jiffy
				: DRAIN_SECONDS * rc->r->kernel->hz * jiffy;
	eh_time at = eh_sim_now(rc->r->sim) + delay;

	if (!rc->monitor_due && (!eh_event_pending(&rc->monitor) || rc->monitor.at > at))
		eh_sim_at(rc->r->sim, &rc->monitor, at);
}

static void make_ready(struct rcu_cpu *rc, struct block *list)
{
	struct block **p = &rc->ready;

	while (*p)
		p = &(*p)->next;
	*p = list;
}

/* Blocks are in order of age, so what is behind a ready one is ready, too. */
static void drain_ready(struct rcu_cpu *rc)
{
	struct block **p = &rc->collecting;

	while (*p && (*p)->snap > rc->r->completed)
		p = &(*p)->next;
	for (struct block *b = *p; b; b = b->next)
		rc->ncollecting -= b->n;
	make_ready(rc, *p);
	*p = NULL;
}

static void run_monitor(struct rcu_cpu *rc)
{
	rc->monitor_due = false;
	drain_ready(rc);
	for (int i = 0; i < BATCHES && rc->collecting; i++) {
		if (rc->batch[i].blocks)
			continue;
		rc->batch[i].blocks = rc->collecting;
		rc->batch[i].snap = 0;
		rc->collecting = NULL;
		rc->ncollecting = 0;
	}
	if (rc->collecting)
		arm_monitor(rc);
}

/* --- the kworker: frees --- */

static void free_block(struct rcu_cpu *rc, struct block *b)
{
	struct eh_rcu *r = rc->r;

	for (int i = 0; i < b->n; i++) {
		eh_path(rc->c, EH_SYM(kfree_rcu_work), r->kernel->cost.kfree_rcu_work);
		b->entry[i].free_fn(rc->c, b->entry[i].k, b->entry[i].o);
		r->stats.waiting--;
		eh_cpu_point(rc->c);
	}
	b->next = r->spare;
	r->spare = b;
}

static void worker(struct eh_task *t, void *arg)
{
	struct rcu_cpu *rc = arg;
	struct block *b;

	for (;;) {
		while ((b = rc->ready)) {
			rc->ready = b->next;
			free_block(rc, b);
			if (rc->c->need_resched)
				eh_task_yield(t);
		}
		eh_task_block(t);
	}
}

static void wake_worker(struct rcu_cpu *rc)
{
	if (!rc->worker)
		rc->worker = eh_task_new(rc->r->s, rc->c->id, "kworker", worker, rc);
	eh_task_wake(rc->c, rc->worker);
}

/* --- from the tick --- */

void eh_kfree_tick(struct rcu_cpu *rc)
{
	struct eh_rcu *r = rc->r;
	bool waits = false;

	eh_cpu_sync(rc->c, rc->c->retire);
	for (int i = 0; i < BATCHES; i++) {
		if (!rc->batch[i].blocks)
			continue;
		if (!rc->batch[i].snap) {
			rc->batch[i].snap = eh_rcu_snap(r);
			eh_rcu_want(r, rc->batch[i].snap);
		} else if (rc->batch[i].snap <= r->completed) {
			make_ready(rc, rc->batch[i].blocks);
			rc->batch[i].blocks = NULL;
		}
	}
	if (rc->monitor_due)
		run_monitor(rc);
	for (int i = 0; i < BATCHES; i++)
		waits |= rc->batch[i].blocks != NULL;
	eh_sched_need_tick(r->s, rc->c->id, waits);
	if (rc->ready)
		wake_worker(rc);
}

void eh_kfree_rcu(struct eh_rcu *r, struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o,
		  eh_rcu_free_fn free_fn)
{
	struct rcu_cpu *rc = &r->cpus[c->id];
	struct block *b = rc->collecting;

	eh_path(c, EH_SYM(kvfree_call_rcu), r->kernel->cost.kfree_rcu);
	eh_cpu_sync(c, c->retire);
	if (!b || b->n == BLOCK_ENTRIES) {
		b = new_block(r);
		b->next = rc->collecting;
		rc->collecting = b;
	}
	b->entry[b->n].k = k;
	b->entry[b->n].o = o;
	b->entry[b->n].free_fn = free_fn;
	b->n++;
	b->snap = eh_rcu_snap(r);
	rc->ncollecting++;
	r->stats.waiting++;
	if (r->stats.waiting_peak < r->stats.waiting)
		r->stats.waiting_peak = r->stats.waiting;
	arm_monitor(rc);
}

void eh_kfree_init(struct rcu_cpu *rc)
{
	rc->monitor.fn = monitor_fires;
}

void eh_kfree_fini(struct rcu_cpu *rc)
{
	eh_sim_cancel(rc->r->sim, &rc->monitor);
	eh_kfree_free_list(rc->collecting);
	eh_kfree_free_list(rc->ready);
	for (int i = 0; i < BATCHES; i++)
		eh_kfree_free_list(rc->batch[i].blocks);
}
