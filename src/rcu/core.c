/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a CPU does: its tick, its softirq, its quiescent states. */
#include "internal.h"

/* --- quiescent states --- */

static void report_expedited(struct rcu_cpu *rc)
{
	if (!rc->exp_no_qs)
		return;
	rc->exp_no_qs = false;
	eh_rcu_exp_report(rc->c, rc);
}

void eh_rcu_qs(struct rcu_cpu *rc)
{
	rc->witness.quiet++;
	rc->no_qs = false;
	report_expedited(rc);
}

/* Nobody else may run before the switch is done, so what takes a lock goes to an interrupt behind
 * it. */
static void context_switch(struct eh_cpu *c, void *arg)
{
	struct eh_rcu *r = arg;
	struct rcu_cpu *rc = &r->cpus[c->id];

	rc->witness.quiet++;
	rc->no_qs = false;
	rc->qsctr++;
	if (rc->exp_no_qs) {
		rc->exp_no_qs = false;
		rc->exp_report = true;
		eh_cpu_raise_call(c);
	}
	if (!c->rcu_urgent)
		return;
	c->rcu_urgent = false;
	if (rc->heavy)
		rc->momentary++;
	rc->heavy = false;
}

void eh_rcu_all_qs(struct eh_rcu *r, struct eh_cpu *c)
{
	struct rcu_cpu *rc = &r->cpus[c->id];

	eh_work(c, EH_SYM(rcu_all_qs), r->kernel->cost.rcu_all_qs);
	eh_load(c, EH_SYM(rcu_all_qs), rc->data, 0); /* the scan has written it */
	c->rcu_urgent = false;
	if (rc->heavy) {
		rc->heavy = false;
		eh_rmw(c, EH_SYM(rcu_all_qs), rc->watching);
		rc->momentary++;
	}
	eh_cpu_sync(c, c->retire);
	eh_rcu_qs(rc);
}

/* --- what it knows of grace periods --- */

bool eh_rcu_accelerate(struct eh_cpu *c, struct rcu_cpu *rc)
{
	uint64_t seq;

	if (!eh_cblist_rest(&rc->cbs, SEG_DONE))
		return false;
	seq = eh_rcu_snap(rc->r);
	return eh_cblist_accelerate(&rc->cbs, seq) && eh_rcu_start_gp(c, rc, seq);
}

void eh_rcu_accelerate_unlocked(struct eh_cpu *c, struct rcu_cpu *rc)
{
	struct eh_rcu *r = rc->r;
	bool wake;

	if (rc->needed >= eh_rcu_snap(r)) { /* asked for already */
		eh_cblist_accelerate(&rc->cbs, eh_rcu_snap(r));
		return;
	}
	eh_rcu_lock(c, r, rc->leaf);
	wake = eh_rcu_accelerate(c, rc);
	eh_rcu_unlock(c, r, rc->leaf, EH_SYM(rcu_core));
	if (wake)
		eh_rcu_wake_kthread(c, r);
}

bool eh_rcu_note_changes(struct eh_cpu *c, struct rcu_cpu *rc)
{
	struct rcu_node *leaf = rc->leaf;
	bool wake, owes;

	eh_path(c, EH_SYM(note_gp_changes), rc->r->kernel->cost.gp_node);
	if (rc->seq == leaf->seq)
		return false;
	if (leaf->seq / 2 > rc->seq / 2) {
		if (eh_cblist_rest(&rc->cbs, SEG_DONE))
			eh_cblist_advance(&rc->cbs, leaf->seq);
		rc->core_needs_qs = false;
	}
	wake = eh_rcu_accelerate(c, rc);
	if ((leaf->seq + 1) / 2 > (rc->seq + 1) / 2) {
		owes = leaf->mask & rc->bit;
		rc->no_qs = rc->core_needs_qs = owes;
	}
	rc->seq = leaf->seq;
	rc->needed = MAX(rc->needed, leaf->needed);
	return wake;
}

/* The lock is only tried: who fails comes again with the next tick. */
static void try_note_changes(struct eh_cpu *c, struct rcu_cpu *rc)
{
	struct eh_rcu *r = rc->r;
	bool wake;

	eh_load(c, EH_SYM(note_gp_changes), rc->leaf->lock.line, 0);
	eh_cpu_sync(c, c->retire);
	if (rc->seq == rc->leaf->seq || !eh_spin_is_free(&rc->leaf->lock, c->retire))
		return;
	eh_rcu_lock(c, r, rc->leaf);
	wake = eh_rcu_note_changes(c, rc);
	eh_rcu_unlock(c, r, rc->leaf, EH_SYM(note_gp_changes));
	if (wake)
		eh_rcu_wake_kthread(c, r);
}

static void report_own(struct eh_cpu *c, struct rcu_cpu *rc)
{
	struct eh_rcu *r = rc->r;
	struct rcu_node *leaf = rc->leaf;
	bool wake;

	eh_rcu_lock(c, r, leaf);
	if (rc->no_qs || leaf->seq != rc->seq) { /* of an earlier grace period: does not count */
		rc->no_qs = true;
		eh_rcu_unlock(c, r, leaf, EH_SYM(rcu_core));
		return;
	}
	rc->core_needs_qs = false;
	if (!(leaf->mask & rc->bit)) {
		eh_rcu_unlock(c, r, leaf, EH_SYM(rcu_core));
		return;
	}
	wake = eh_rcu_accelerate(c, rc);
	eh_rcu_disable_urgency(rc);
	r->stats.reports++;
	eh_rcu_report(c, r, leaf, rc->bit, rc->seq);
	if (wake)
		eh_rcu_wake_kthread(c, r);
}

/* --- the softirq --- */

static void core(struct eh_cpu *c, struct rcu_cpu *rc)
{
	struct eh_rcu *r = rc->r;

	if (r->cfg->kind == EH_RCU_CLASSIC) {
		eh_classic_core(c, rc);
		return;
	}
	eh_path(c, EH_SYM(rcu_core), r->kernel->cost.rcu_core);
	try_note_changes(c, rc);
	if (rc->core_needs_qs && !rc->no_qs)
		report_own(c, rc);
	eh_cpu_sync(c, c->retire);
	if (!eh_rcu_in_progress(r) && eh_cblist_rest(&rc->cbs, SEG_NEXT_READY))
		eh_rcu_accelerate_unlocked(c, rc);
	if (eh_cblist_ready(&rc->cbs))
		eh_rcu_do_batch(c, rc);
}

static void softirq(struct eh_cpu *c)
{
	struct rcu_cpu *rc = &((struct eh_rcu *)c->rcu)->cpus[c->id];

	core(c, rc);
	if (eh_cblist_ready(&rc->cbs)) /* more is done than it may invoke at once */
		eh_cpu_raise_rcu(c);
}

static bool pending(const struct rcu_cpu *rc)
{
	const struct eh_rcu *r = rc->r;
	bool gp = eh_rcu_in_progress(r);

	return (rc->core_needs_qs && !rc->no_qs && gp) || eh_cblist_ready(&rc->cbs) ||
	       (!gp && eh_cblist_rest(&rc->cbs, SEG_NEXT_READY)) || rc->leaf->seq != rc->seq;
}

/* --- the tick --- */

void eh_rcu_need_tick(struct rcu_cpu *rc)
{
	eh_sched_need_tick(rc->r->s, rc->c->id, rc->cbs.len > 0 || rc->monitor_due);
}

static void tick(struct eh_cpu *c, bool user_or_idle, void *arg)
{
	struct eh_rcu *r = arg;
	struct rcu_cpu *rc = &r->cpus[c->id];

	eh_cpu_sync(c, c->retire);
	if (r->cfg->kind == EH_RCU_CLASSIC) {
		eh_classic_tick(c, rc, user_or_idle);
		return;
	}
	if (c->rcu_urgent) {
		if (!user_or_idle)
			c->need_resched = true;
		c->rcu_urgent = false;
	}
	if (user_or_idle)
		eh_rcu_qs(rc);
	eh_kfree_tick(rc);
	if (pending(rc))
		eh_cpu_raise_rcu(c);
	eh_rcu_need_tick(rc);
}

void eh_rcu_core_init(struct eh_rcu *r)
{
	struct eh_sched_hooks h = {.context_switch = context_switch, .tick = tick, .arg = r};

	for (int i = 0; i < r->m->ncpus; i++) {
		r->m->cpus[i].rcu = r;
		r->m->cpus[i].rcu_core = softirq;
	}
	eh_sched_hook(r->s, &h);
}
