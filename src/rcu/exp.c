/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expedited grace periods. */
#include "internal.h"

/* --- reports --- */

/* With n's lock, which is given up. */
static void report_up(struct eh_cpu *c, struct eh_rcu *r, struct rcu_node *n, uint64_t bits)
{
	const int sym = EH_SYM(synchronize_rcu_expedited);
	bool empty;

	for (;;) {
		empty = (n->exp_mask & bits) && !(n->exp_mask & ~bits);
		n->exp_mask &= ~bits;
		eh_rcu_unlock(c, r, n, sym);
		if (!empty || !n->parent)
			break;
		bits = n->bit;
		n = n->parent;
		eh_rcu_lock(c, r, n);
	}
	if (empty && r->exp_task)
		eh_task_wake(c, r->exp_task);
}

void eh_rcu_exp_report(struct eh_cpu *c, struct rcu_cpu *rc)
{
	eh_rcu_lock(c, rc->r, rc->leaf);
	eh_path(c, EH_SYM(rcu_exp_handler), rc->r->kernel->cost.gp_report);
	eh_cpu_sync(c, c->retire);
	report_up(c, rc->r, rc->leaf, rc->bit);
}

/* --- the interrupt --- */

static void handler(struct eh_cpu *c)
{
	struct rcu_cpu *rc = &((struct eh_rcu *)c->rcu)->cpus[c->id];

	if (rc->exp_report) { /* left over from a context switch */
		rc->exp_report = false;
		eh_rcu_exp_report(c, rc);
	}
	if (!rc->exp_called)
		return;
	rc->exp_called = false;
	eh_path(c, EH_SYM(rcu_exp_handler), rc->r->kernel->cost.ipi);
	eh_load(c, EH_SYM(rcu_exp_handler), rc->leaf->lock.line, 0);
	eh_cpu_sync(c, c->retire);
	if (!(rc->leaf->exp_mask & rc->bit) || rc->exp_no_qs)
		return;
	if (c->curr->is_idle && !c->bh_off) {
		rc->witness.quiet++;
		eh_rcu_exp_report(c, rc);
		return;
	}
	rc->exp_no_qs = true;
	c->rcu_urgent = c->need_resched = true;
}

static void ipi_arrives(struct eh_event *ev)
{
	struct rcu_cpu *rc = eh_container_of(ev, struct rcu_cpu, ipi);

	rc->exp_called = true;
	eh_cpu_raise_call(rc->c);
}

static void send_ipi(struct eh_cpu *c, struct rcu_cpu *rc)
{
	struct eh_rcu *r = rc->r;
	const int sym = EH_SYM(smp_call_function_single);

	eh_path(c, sym, r->kernel->cost.ipi_send);
	eh_rmw(c, sym, rc->csd);
	eh_cpu_sync(c, c->retire);
	r->stats.ipis++;
	if (!eh_event_pending(&rc->ipi))
		eh_sim_at(r->sim, &rc->ipi, c->retire + r->m->cfg->ipi);
}

/* --- one leaf --- */

static bool quiet(const struct rcu_cpu *rc, const struct eh_cpu *self)
{
	return rc->c == self || eh_rcu_extended(rc);
}

static void select_cpus(struct eh_rcu *r, struct eh_task *t, struct rcu_node *leaf)
{
	const int sym = EH_SYM(synchronize_rcu_expedited);
	struct eh_cpu *c = t->cpu;
	uint64_t done = 0;

	eh_rcu_lock(c, r, leaf);
	for (int i = leaf->first; i <= leaf->last; i++) {
		struct rcu_cpu *rc = &r->cpus[i];

		eh_path(c, sym, r->kernel->cost.fqs_cpu);
		eh_load(c, sym, rc->watching, 0);
		eh_cpu_sync(c, c->retire);
		if (!quiet(rc, c))
			continue;
		done |= rc->bit;
		rc->witness.quiet++;
	}
	eh_rcu_unlock(c, r, leaf, sym);
	for (int i = leaf->first; i <= leaf->last; i++)
		if (!(done & r->cpus[i].bit))
			send_ipi(c, &r->cpus[i]);
	if (!done)
		return;
	eh_rcu_lock(c, r, leaf);
	report_up(c, r, leaf, done);
}

static void worker(struct eh_task *t, void *arg)
{
	struct rcu_node *leaf = arg;
	struct eh_rcu *r = ((struct eh_rcu *)t->cpu->rcu);

	for (;;) {
		eh_cpu_point(t->cpu);
		if (leaf->exp_work) {
			leaf->exp_work = false;
			select_cpus(r, t, leaf);
			eh_cpu_sync(t->cpu, t->cpu->retire);
			if (!--r->exp_working && r->exp_task)
				eh_task_wake(t->cpu, r->exp_task);
		}
		eh_task_block(t);
	}
}

static int idle_below(const struct eh_rcu *r, const struct rcu_node *leaf)
{
	for (int i = leaf->first; i <= leaf->last; i++)
		if (eh_sched_idle(r->s, i))
			return i;
	return leaf->first;
}

static void start_worker(struct eh_rcu *r, struct eh_cpu *c, struct rcu_node *leaf)
{
	leaf->exp_work = true;
	r->exp_working++;
	if (!leaf->exp_worker)
		leaf->exp_worker = eh_task_new(r->s, leaf->first, "rcu_exp_par_gp", worker, leaf);
	eh_cpu_sync(c, c->retire);
	if (leaf->exp_worker->sleeping)
		eh_task_set_cpu(leaf->exp_worker, idle_below(r, leaf));
	eh_rcu_wake_preempting(c, leaf->exp_worker);
}

/* --- who waits for whom --- */

static void wait_for(struct eh_task *t, struct eh_rcu_waiter *w)
{
	while (!w->woken)
		eh_task_block(t);
}

static void wake(struct eh_cpu *c, struct eh_rcu_waiter *w)
{
	struct eh_task *t = w->t;

	w->woken = true; /* it may be gone after this */
	eh_task_wake(c, t);
}

static void mutex_lock(struct eh_rcu *r, struct eh_task *t)
{
	struct eh_rcu_waiter w = {.t = t}, **p = &r->exp_mutex;

	eh_rmw(t->cpu, EH_SYM(mutex_lock), r->nodes[0].exp_lock.line);
	eh_cpu_sync(t->cpu, t->cpu->retire);
	if (!r->exp_busy) {
		r->exp_busy = true;
		return;
	}
	while (*p)
		p = &(*p)->next;
	*p = &w;
	wait_for(t, &w);
}

static void mutex_unlock(struct eh_rcu *r, struct eh_task *t)
{
	struct eh_rcu_waiter *first;

	eh_rmw(t->cpu, EH_SYM(mutex_unlock), r->nodes[0].exp_lock.line);
	eh_cpu_sync(t->cpu, t->cpu->retire);
	first = r->exp_mutex;
	r->exp_busy = first != NULL;
	if (!first)
		return;
	r->exp_mutex = first->next;
	wake(t->cpu, first);
}

static void exp_lock(struct eh_cpu *c, struct eh_rcu *r, struct rcu_node *n)
{
	eh_spin_lock(c, &n->exp_lock, &r->exp_lock, EH_SYM(_raw_spin_lock));
	eh_cpu_sync(c, c->retire);
}

static void exp_unlock(struct eh_cpu *c, struct eh_rcu *r, struct rcu_node *n)
{
	eh_spin_unlock(c, &n->exp_lock, EH_SYM(synchronize_rcu_expedited),
		       r->kernel->cost.spin_unlock);
}

/* True: grace period `s` has been somebody else's work; false: the mutex is ours, and so is the
 * work. */
static bool funnel(struct eh_rcu *r, struct eh_task *t, uint64_t s)
{
	for (struct rcu_node *n = r->cpus[t->cpu->id].leaf; n; n = n->parent) {
		struct eh_rcu_waiter w = {.t = t, .seq = s};

		if (r->exp_seq >= s)
			return true;
		exp_lock(t->cpu, r, n);
		if (n->exp_asked >= s && r->exp_seq < s) {
			w.next = n->exp_waiters;
			n->exp_waiters = &w;
			exp_unlock(t->cpu, r, n);
			wait_for(t, &w);
			return true;
		}
		n->exp_asked = MAX(n->exp_asked, s);
		exp_unlock(t->cpu, r, n);
	}
	mutex_lock(r, t);
	if (r->exp_seq < s)
		return false;
	mutex_unlock(r, t);
	return true;
}

static void wake_waiters(struct eh_rcu *r, struct eh_task *t)
{
	for (int i = 0; i < r->nnodes; i++) {
		struct rcu_node *n = &r->nodes[i];
		struct eh_rcu_waiter **p = &n->exp_waiters, *done = NULL, *w;

		exp_lock(t->cpu, r, n);
		while ((w = *p)) {
			if (w->seq > r->exp_seq) {
				p = &w->next;
				continue;
			}
			*p = w->next;
			w->next = done;
			done = w;
		}
		exp_unlock(t->cpu, r, n);
		while ((w = done)) {
			done = w->next;
			wake(t->cpu, w);
		}
	}
}

/* --- the grace period --- */

static void reset_tree(struct eh_rcu *r, struct eh_cpu *c)
{
	for (int i = 0; i < r->nnodes; i++) {
		eh_rcu_lock(c, r, &r->nodes[i]);
		eh_path(c, EH_SYM(synchronize_rcu_expedited), r->kernel->cost.gp_node);
		r->nodes[i].exp_mask = r->nodes[i].full;
		eh_rcu_unlock(c, r, &r->nodes[i], EH_SYM(synchronize_rcu_expedited));
	}
}

static void grace_period(struct eh_rcu *r, struct eh_task *t)
{
	r->exp_seq++;
	eh_sim_mix(r->sim, r->exp_seq);
	eh_rcu_check_begin(r, WATCH_EXPEDITED);
	reset_tree(r, t->cpu);
	r->exp_task = t;
	for (int i = 0; i < r->nleaves - 1; i++)
		start_worker(r, t->cpu, &r->leaves[i]);
	select_cpus(r, t, &r->leaves[r->nleaves - 1]);
	eh_cpu_point(t->cpu);
	while (r->nodes[0].exp_mask || r->exp_working)
		eh_task_block(t);
	r->exp_task = NULL;
	eh_rcu_check_end(r, WATCH_EXPEDITED);
	r->exp_seq++;
	r->stats.expedited++;
}

void eh_synchronize_rcu_expedited(struct eh_rcu *r, struct eh_task *t)
{
	eh_time from;

	if (r->cfg->kind == EH_RCU_CLASSIC) { /* there is no other */
		eh_synchronize_rcu(r, t);
		return;
	}
	eh_cpu_point(t->cpu);
	from = eh_sim_now(r->sim);
	eh_path(t->cpu, EH_SYM(synchronize_rcu_expedited), r->kernel->cost.rcu_core);
	eh_cpu_sync(t->cpu, t->cpu->retire);
	if (!funnel(r, t, (r->exp_seq + 3) & ~(uint64_t)1)) {
		grace_period(r, t);
		wake_waiters(r, t);
		mutex_unlock(r, t);
	}
	eh_cpu_sync(t->cpu, t->cpu->retire);
	eh_rcu_length_add(&r->expedited, eh_sim_now(r->sim) - from);
}

void eh_rcu_exp_init(struct eh_rcu *r)
{
	for (int i = 0; i < r->m->ncpus; i++) {
		r->cpus[i].ipi.fn = ipi_arrives;
		r->m->cpus[i].call = handler;
	}
}

void eh_rcu_exp_fini(struct eh_rcu *r)
{
	for (int i = 0; i < r->m->ncpus; i++)
		eh_sim_cancel(r->sim, &r->cpus[i].ipi);
}
