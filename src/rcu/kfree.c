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
				: rc->r->cfg->drain;
	eh_time at = eh_sim_now(rc->r->sim) + delay;

	if (!rc->monitor_due && (!eh_event_pending(&rc->monitor) || rc->monitor.at > at))
		eh_sim_at(rc->r->sim, &rc->monitor, at);
}

static void wake_worker(struct eh_cpu *c, struct rcu_cpu *rc);

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

	while (*p && (*p)->snap > rc->r->seq)
		p = &(*p)->next;
	for (struct block *b = *p; b; b = b->next)
		rc->ncollecting -= b->n;
	make_ready(rc, *p);
	*p = NULL;
}

/* The batch's callback: the kworker may free it. */
static void batch_done(struct eh_cpu *c, struct eh_rcu_head *h, void *arg)
{
	struct rcu_cpu *rc = arg;
	struct batch *b = eh_container_of(h, struct batch, head);

	make_ready(rc, b->blocks);
	b->blocks = NULL;
	wake_worker(c, rc);
}

static void run_monitor(struct rcu_cpu *rc)
{
	struct eh_cpu *c = rc->c;

	eh_path(c, EH_SYM(kfree_rcu_monitor), rc->r->kernel->cost.rcu_core);
	eh_cpu_sync(c, c->retire);
	drain_ready(rc);
	for (int i = 0; i < BATCHES && rc->collecting; i++) {
		if (rc->batch[i].blocks)
			continue;
		rc->batch[i].blocks = rc->collecting;
		rc->batch[i].head = (struct eh_rcu_head){.fn = batch_done, .arg = rc};
		rc->collecting = NULL;
		rc->ncollecting = 0;
		eh_call_rcu(rc->r, c, &rc->batch[i].head);
	}
	if (rc->collecting)
		arm_monitor(rc);
}

/* --- the kworker: frees --- */

static void free_block(struct rcu_cpu *rc, struct block *b)
{
	struct eh_rcu *r = rc->r;

	eh_rcu_check_freed(r, b->newest);
	for (int i = 0; i < b->n; i++) {
		int64_t bytes = r->bytes_of ? r->bytes_of(b->entry[i].k) : 0;

		eh_path(rc->c, EH_SYM(kfree_rcu_work), r->kernel->cost.kfree_rcu_work);
		b->entry[i].free_fn(rc->c, b->entry[i].k, b->entry[i].o);
		eh_rcu_count_waiting(r, -1, -bytes);
		r->stats.freed++;
		eh_cpu_point(rc->c);
	}
	rc->freeing = NULL;
	b->next = r->spare;
	r->spare = b;
}

static void worker(struct eh_task *t, void *arg)
{
	struct rcu_cpu *rc = arg;
	struct block *b;

	for (;;) {
		if (rc->monitor_due) {
			rc->monitor_due = false;
			run_monitor(rc);
			eh_rcu_need_tick(rc);
		}
		while ((b = rc->ready)) {
			rc->ready = b->next;
			b->next = NULL;
			rc->freeing = b; /* a run may end meanwhile */
			free_block(rc, b);
			eh_rcu_cond_resched(rc->r, t);
		}
		if (!rc->monitor_due)
			eh_task_block(t);
	}
}

static void wake_worker(struct eh_cpu *c, struct rcu_cpu *rc)
{
	if (!rc->worker)
		rc->worker = eh_task_new(rc->r->s, rc->c->id, "kworker", worker, rc);
	eh_task_wake(c, rc->worker);
}

/* --- from the tick --- */

void eh_kfree_tick(struct rcu_cpu *rc)
{
	if (rc->monitor_due)
		wake_worker(rc->c, rc);
}

void eh_kfree_rcu(struct eh_rcu *r, struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o,
		  eh_rcu_free_fn free_fn)
{
	struct rcu_cpu *rc = &r->cpus[c->id];
	struct block *b = rc->collecting;

	if (r->cfg->kind == EH_RCU_CLASSIC) {
		eh_classic_kfree(r, c, k, o, free_fn);
		return;
	}
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
	b->newest = eh_sim_now(r->sim);
	rc->ncollecting++;
	eh_rcu_count_waiting(r, 1, r->bytes_of ? r->bytes_of(k) : 0);
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
	eh_kfree_free_list(rc->freeing);
	for (int i = 0; i < BATCHES; i++)
		eh_kfree_free_list(rc->batch[i].blocks);
}
