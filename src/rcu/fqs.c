/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Force-quiescent-state scans: look at those who have not reported. */
#include "internal.h"

bool eh_rcu_extended(const struct rcu_cpu *rc)
{
	return eh_sched_idle(rc->r->s, rc->c->id) || (rc->r->cfg->user_eqs && rc->c->user);
}

void eh_rcu_disable_urgency(struct rcu_cpu *rc)
{
	rc->c->rcu_urgent = rc->heavy = false;
}

static void make_urgent(struct rcu_cpu *rc, bool heavy)
{
	struct eh_rcu *r = rc->r;

	if (heavy && !rc->heavy) {
		rc->heavy = true;
		r->stats.heavy++;
	}
	if (rc->c->rcu_urgent)
		return;
	rc->c->rcu_urgent = true;
	r->stats.urgent++;
	eh_cpu_notice(rc->c);
}

/* The counter of its extended quiescent states: its own writes are not simulated one by one. */
static void look_at_counter(struct eh_cpu *c, struct rcu_cpu *rc)
{
	if (eh_sched_idle_entries(rc->r->s, rc->c->id) != rc->idle_snap && rc->c != c)
		eh_line_written_by(rc->r->m, rc->watching, rc->c->id);
	eh_load(c, EH_SYM(force_qs_rnp), rc->watching, 0);
	eh_cpu_sync(c, c->retire);
}

/* rcu_watching_snap_save */
static bool first_look(struct eh_cpu *c, struct rcu_cpu *rc)
{
	look_at_counter(c, rc);
	rc->idle_snap = eh_sched_idle_entries(rc->r->s, rc->c->id);
	rc->momentary_snap = rc->momentary;
	eh_store(c, EH_SYM(force_qs_rnp), rc->data);
	return eh_rcu_extended(rc);
}

/* rcu_watching_snap_recheck */
static bool look_again(struct eh_cpu *c, struct rcu_cpu *rc)
{
	struct eh_rcu *r = rc->r;
	int64_t late;

	look_at_counter(c, rc);
	if (eh_rcu_extended(rc) || rc->momentary != rc->momentary_snap ||
	    eh_sched_idle_entries(r->s, rc->c->id) != rc->idle_snap)
		return true;
	late = eh_rcu_jiffies(r) - r->started_jiffies;
	if (late > 2 * r->sched_qs || r->overload)
		make_urgent(rc, true);
	else if (late > r->sched_qs)
		make_urgent(rc, false);
	else
		return false;
	eh_store(c, EH_SYM(force_qs_rnp), rc->data);
	return false;
}

static void scan_leaf(struct eh_rcu *r, struct eh_cpu *c, struct rcu_node *n, bool first)
{
	uint64_t quiescent = 0;

	eh_rcu_lock(c, r, n);
	r->overload_next |= n->overloaded != 0;
	for (int i = n->first; i <= n->last && n->mask; i++) {
		struct rcu_cpu *rc = &r->cpus[i];

		if (!(n->mask & rc->bit))
			continue;
		eh_path(c, EH_SYM(force_qs_rnp), r->kernel->cost.fqs_cpu);
		if (!(first ? first_look(c, rc) : look_again(c, rc)))
			continue;
		quiescent |= rc->bit;
		rc->witness.quiet += rc->c->user && r->cfg->user_eqs;
		r->stats.found++;
		eh_rcu_disable_urgency(rc);
	}
	if (quiescent)
		eh_rcu_report(c, r, n, quiescent, r->seq);
	else
		eh_rcu_unlock(c, r, n, EH_SYM(force_qs_rnp));
}

void eh_rcu_scan(struct eh_rcu *r, struct eh_task *t, bool first)
{
	r->stats.scans++;
	r->forced++;
	r->overload = r->overload_next;
	r->overload_next = false;
	for (int i = 0; i < r->nleaves; i++) {
		eh_rcu_cond_resched(r, t);
		scan_leaf(r, t->cpu, &r->leaves[i], first);
	}
}
