/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kthread: a grace period from its beginning to its end. */
#include "internal.h"

/* --- where it wakes up --- */

static bool core_idles(const struct eh_rcu *r, int cpu)
{
	int core = r->m->core_of[cpu];

	for (int t = 0; t < r->m->cfg->threads_per_core; t++)
		if (!eh_sched_idle(r->s, t * r->m->ncores + core))
			return false;
	return true;
}

static int idle_near(const struct eh_rcu *r, int prev)
{
	int found = -1;

	if (eh_sched_idle(r->s, prev))
		return prev;
	for (int i = 1; i < r->m->ncpus; i++) {
		int cpu = (prev + i) % r->m->ncpus;

		if (r->m->die_of[cpu] != r->m->die_of[prev] || !eh_sched_idle(r->s, cpu))
			continue;
		if (core_idles(r, cpu))
			return cpu;
		if (found < 0)
			found = cpu;
	}
	return found < 0 ? prev : found;
}

static void place(struct eh_rcu *r)
{
	if (r->kthread->sleeping)
		eh_task_set_cpu(r->kthread, idle_near(r, r->kthread->cpu->id));
}

static void kthread(struct eh_task *t, void *arg);

static void preempt(struct eh_task *t)
{
	if (!t->queued || t->cpu->curr->is_idle)
		return;
	t->cpu->need_resched = true;
	eh_cpu_notice(t->cpu);
}

void eh_rcu_wake_preempting(struct eh_cpu *c, struct eh_task *t)
{
	eh_task_wake(c, t);
	preempt(t);
}

void eh_rcu_wake_kthread(struct eh_cpu *c, struct eh_rcu *r)
{
	if (!r->kthread)
		r->kthread = eh_task_new(r->s, idle_near(r, c->id), "rcu_sched", kthread, r);
	else if (c->curr == r->kthread) /* it looks before it sleeps */
		return;
	eh_cpu_sync(c, c->retire);
	place(r);
	eh_rcu_wake_preempting(c, r->kthread);
}

static void timer_fires(struct eh_event *ev)
{
	struct eh_rcu *r = eh_container_of(ev, struct eh_rcu, timer);

	r->timed_out = true;
	if (eh_sched_idle(r->s, r->kthread->cpu->id)) /* it was the timer that woke the CPU */
		eh_cpu_raise_tick(r->kthread->cpu);
	place(r);
	eh_task_start(r->kthread);
	preempt(r->kthread);
}

void eh_rcu_kthread_fini(struct eh_rcu *r)
{
	eh_sim_cancel(r->sim, &r->timer);
}

void eh_rcu_cond_resched(struct eh_rcu *r, struct eh_task *t)
{
	eh_cpu_point(t->cpu);
	if (t->cpu->need_resched)
		eh_task_yield(t);
	else if (t->cpu->rcu_urgent)
		eh_rcu_all_qs(r, t->cpu);
}

/* --- begin --- */

static void init_node(struct eh_rcu *r, struct eh_task *t, struct rcu_node *n)
{
	const int sym = EH_SYM(rcu_gp_init);
	struct eh_cpu *c = t->cpu;

	eh_rcu_lock(c, r, n);
	eh_path(c, sym, r->kernel->cost.gp_node);
	n->mask = n->full;
	n->seq = r->seq;
	if (n == r->cpus[c->id].leaf)
		eh_rcu_note_changes(c, &r->cpus[c->id]);
	eh_rcu_unlock(c, r, n, sym);
	eh_rcu_cond_resched(r, t);
}

/* The pass over the leaves in which the kernel takes in CPUs that came or went. */
static void hotplug_pass(struct eh_rcu *r, struct eh_task *t)
{
	for (int i = 0; i < r->nleaves; i++) {
		struct rcu_node *n = &r->leaves[i];

		eh_rcu_lock(t->cpu, r, n);
		eh_path(t->cpu, EH_SYM(rcu_gp_init), r->kernel->cost.gp_node);
		eh_rcu_unlock(t->cpu, r, n, EH_SYM(rcu_gp_init));
	}
}

static void gp_init(struct eh_rcu *r, struct eh_task *t)
{
	struct rcu_node *root = r->nodes;

	eh_rcu_lock(t->cpu, r, root);
	r->flags = 0;
	eh_store(t->cpu, EH_SYM(rcu_gp_init), r->state);
	r->seq++;
	eh_sim_mix(r->sim, r->seq);
	r->started = eh_sim_now(r->sim);
	r->started_jiffies = eh_rcu_jiffies(r);
	eh_rcu_check_begin(r, WATCH_NORMAL);
	eh_rcu_unlock(t->cpu, r, root, EH_SYM(rcu_gp_init));
	hotplug_pass(r, t);
	for (int i = 0; i < r->nnodes; i++)
		init_node(r, t, &r->nodes[i]);
}

/* --- wait --- */

static bool all_reported(const struct eh_rcu *r)
{
	return !r->nodes[0].mask;
}

/* Until `deadline`, or the root is empty, or somebody wants a scan. */
static void wait(struct eh_rcu *r, struct eh_task *t, eh_time deadline)
{
	eh_cpu_point(t->cpu);
	r->timed_out = eh_sim_now(r->sim) >= deadline;
	if (!r->timed_out)
		eh_sim_at(r->sim, &r->timer, deadline);
	while (!all_reported(r) && !r->timed_out && !(r->flags & FLAG_FQS)) {
		eh_task_block(t);
		eh_cpu_point(t->cpu);
	}
	eh_sim_cancel(r->sim, &r->timer);
}

static eh_time deadline(const struct eh_rcu *r, const struct eh_task *t, int64_t jiffies)
{
	if (r->overload)
		jiffies = MAX((jiffies + 2) / 3, 1);
	return eh_sched_timer(r->s, t->cpu->id,
			      eh_sim_now(r->sim) + jiffies * eh_sched_jiffy(r->s));
}

static void fqs_loop(struct eh_rcu *r, struct eh_task *t)
{
	eh_time at = deadline(r, t, r->first_fqs);
	bool first = true;

	for (;;) {
		wait(r, t, at);
		eh_path(t->cpu, EH_SYM(rcu_gp_fqs_loop), r->kernel->cost.gp_node);
		eh_load(t->cpu, EH_SYM(rcu_gp_fqs_loop), r->nodes[0].lock.line, 0);
		eh_cpu_sync(t->cpu, t->cpu->retire);
		if (all_reported(r))
			return;
		r->flags &= ~FLAG_FQS;
		eh_rcu_scan(r, t, first);
		first = false;
		at = deadline(r, t, r->next_fqs);
	}
}

/* --- end --- */

static bool cleanup_node(struct eh_rcu *r, struct eh_task *t, struct rcu_node *n, uint64_t seq)
{
	struct eh_cpu *c = t->cpu;
	bool needed = false;

	eh_rcu_lock(c, r, n);
	eh_path(c, EH_SYM(rcu_gp_cleanup), r->kernel->cost.gp_node);
	eh_assert(r->sim, !n->mask);
	n->seq = seq;
	if (n == r->cpus[c->id].leaf)
		needed = eh_rcu_note_changes(c, &r->cpus[c->id]);
	needed |= n->needed > seq;
	for (int i = n->first; n >= r->leaves && i <= n->last; i++)
		if (n->overloaded & r->cpus[i].bit)
			eh_rcu_check_overload_locked(&r->cpus[i]);
	eh_rcu_unlock(c, r, n, EH_SYM(rcu_gp_cleanup));
	eh_rcu_cond_resched(r, t);
	return needed;
}

static void gp_cleanup(struct eh_rcu *r, struct eh_task *t)
{
	struct rcu_node *root = r->nodes;
	bool needed = false;

	eh_cpu_sync(t->cpu, t->cpu->retire);
	eh_rcu_check_end(r, WATCH_NORMAL);
	eh_rcu_length_add(&r->normal, eh_sim_now(r->sim) - r->started);
	r->stats.grace_periods++;
	for (int i = 0; i < r->nnodes; i++)
		needed |= cleanup_node(r, t, &r->nodes[i], r->seq + 1);
	eh_rcu_lock(t->cpu, r, root);
	eh_store(t->cpu, EH_SYM(rcu_gp_cleanup), r->state);
	r->seq++;
	if (root->needed > r->seq)
		needed = true;
	r->flags = needed ? FLAG_INIT : r->flags & FLAG_INIT;
	eh_rcu_unlock(t->cpu, r, root, EH_SYM(rcu_gp_cleanup));
	eh_rcu_cond_resched(r, t);
}

static void kthread(struct eh_task *t, void *arg)
{
	struct eh_rcu *r = arg;

	r->timer.fn = timer_fires;
	for (;;) {
		eh_cpu_point(t->cpu);
		while (!(r->flags & FLAG_INIT))
			eh_task_block(t);
		gp_init(r, t);
		fqs_loop(r, t);
		gp_cleanup(r, t);
	}
}
