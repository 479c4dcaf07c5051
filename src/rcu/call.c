/* SPDX-License-Identifier: GPL-3.0-or-later */
/* call_rcu, the invocation of callbacks, synchronize_rcu. */
#include "internal.h"

#define UNLIMITED 10000 /* blimit while a list is too long (DEFAULT_MAX_RCU_BLIMIT) */
#define LONG_BATCH 100	/* callbacks: a longer batch looks at the clock */
#define LOOK_EVERY 32	/* ... so many callbacks apart */

void eh_rcu_count_waiting(struct eh_rcu *r, int64_t objects, int64_t bytes)
{
	struct eh_rcu_stats *st = &r->stats;

	st->waiting += (uint64_t)objects;
	st->bytes += bytes;
	st->waiting_peak = MAX(st->waiting_peak, st->waiting);
	st->bytes_peak = MAX(st->bytes_peak, st->bytes);
}

/* --- a long list --- */

void eh_rcu_check_overload_locked(struct rcu_cpu *rc)
{
	if (rc->cbs.len < rc->r->cfg->qovld) {
		rc->leaf->overloaded &= ~rc->bit;
		return;
	}
	rc->r->stats.overloads += !(rc->leaf->overloaded & rc->bit);
	rc->leaf->overloaded |= rc->bit;
}

static void check_overload(struct eh_cpu *c, struct rcu_cpu *rc)
{
	bool over = rc->cbs.len >= rc->r->cfg->qovld;

	if (over == ((rc->leaf->overloaded & rc->bit) != 0))
		return;
	eh_rcu_lock(c, rc->r, rc->leaf);
	eh_rcu_check_overload_locked(rc);
	eh_rcu_unlock(c, rc->r, rc->leaf, EH_SYM(__call_rcu_common));
}

static void force(struct eh_cpu *c, struct eh_rcu *r)
{
	struct rcu_node *root = r->nodes;

	eh_rcu_lock(c, r, root);
	if (!(r->flags & FLAG_FQS)) {
		r->flags |= FLAG_FQS;
		r->stats.kicks++;
	}
	eh_rcu_unlock(c, r, root, EH_SYM(__call_rcu_common));
	eh_rcu_wake_kthread(c, r);
}

/* qhimark callbacks more than at the last kick: invoke without limit, hurry the grace period. */
static void kick(struct eh_cpu *c, struct rcu_cpu *rc, const struct eh_rcu_head *h)
{
	struct eh_rcu *r = rc->r;
	bool wake;

	if (rc->cbs.len <= rc->qlen_last_fqs + r->cfg->qhimark)
		return;
	eh_rcu_lock(c, r, rc->leaf);
	wake = eh_rcu_note_changes(c, rc);
	eh_rcu_unlock(c, r, rc->leaf, EH_SYM(__call_rcu_common));
	if (wake)
		eh_rcu_wake_kthread(c, r);
	if (!eh_rcu_in_progress(r)) {
		eh_rcu_accelerate_unlocked(c, rc);
		return;
	}
	rc->blimit = UNLIMITED;
	if (r->forced == rc->forced_snap && *rc->cbs.tail[SEG_DONE] != h)
		force(c, r);
	rc->forced_snap = r->forced;
	rc->qlen_last_fqs = rc->cbs.len;
}

void eh_call_rcu(struct eh_rcu *r, struct eh_cpu *c, struct eh_rcu_head *h)
{
	struct rcu_cpu *rc = &r->cpus[c->id];

	eh_path(c, EH_SYM(__call_rcu_common), r->kernel->cost.call_rcu);
	if (h->line)
		eh_store(c, EH_SYM(__call_rcu_common), h->line);
	eh_cpu_sync(c, c->retire);
	h->queued = eh_sim_now(r->sim);
	eh_cblist_add(&rc->cbs, h);
	r->stats.called++;
	r->stats.qlen_peak = MAX(r->stats.qlen_peak, (uint64_t)rc->cbs.len);
	eh_rcu_count_waiting(r, h->bytes > 0, h->bytes);
	if (r->cfg->kind == EH_RCU_CLASSIC)
		return;
	eh_rcu_need_tick(rc);
	check_overload(c, rc);
	if (!c->in_irq)
		kick(c, rc, h);
}

/* --- invocation --- */

void eh_rcu_invoke(struct eh_cpu *c, struct rcu_cpu *rc, struct eh_rcu_head *h)
{
	struct eh_rcu *r = rc->r;

	eh_rcu_check_freed(r, h->queued);
	eh_rcu_count_waiting(r, -(h->bytes > 0), -h->bytes);
	r->stats.invoked++;
	if (h->line)
		eh_load(c, EH_SYM(rcu_do_batch), h->line, 0);
	eh_path(c, EH_SYM(rcu_do_batch), r->kernel->cost.rcu_invoke);
	h->fn(c, h, h->arg);
}

/* Below which the limits are those of a quiet CPU again. */
static void adjust_limits(struct rcu_cpu *rc)
{
	const struct eh_rcu_config *cfg = rc->r->cfg;

	if (rc->blimit >= UNLIMITED && rc->cbs.len <= cfg->qlowmark)
		rc->blimit = cfg->blimit;
	if (!rc->cbs.len && rc->qlen_last_fqs) {
		rc->qlen_last_fqs = 0;
		rc->forced_snap = rc->r->forced;
	} else if (rc->cbs.len < rc->qlen_last_fqs - cfg->qhimark) {
		rc->qlen_last_fqs = rc->cbs.len;
	}
}

void eh_rcu_do_batch(struct eh_cpu *c, struct rcu_cpu *rc)
{
	const struct eh_rcu_config *cfg = rc->r->cfg;
	int64_t count = 0, limit = MAX(rc->blimit, rc->cbs.n[SEG_DONE] >> cfg->divisor);
	eh_time until = limit > LONG_BATCH ? c->retire + cfg->resched : EH_TIME_NEVER;
	struct taken t;

	if (!eh_cblist_take_done(&rc->cbs, &t))
		return;
	rc->r->stats.batches++;
	while (t.n) {
		struct eh_rcu_head *h = t.first;

		t.first = h->next;
		t.n--;
		eh_rcu_invoke(c, rc, h);
		count++;
		if (count >= limit && (c->need_resched || !c->curr->is_idle))
			break;
		if (count % LOOK_EVERY == 0 && c->retire >= until)
			break;
		eh_cpu_point(c);
	}
	eh_cpu_sync(c, c->retire);
	eh_cblist_put_back(&rc->cbs, &t);
	rc->cbs.len -= count;
	adjust_limits(rc);
	eh_rcu_need_tick(rc);
}

/* --- synchronize_rcu --- */

static void wake_me(struct eh_cpu *c, struct eh_rcu_head *h, void *arg)
{
	struct eh_task *t = arg;

	h->arg = NULL;
	eh_task_wake(c, t);
}

void eh_synchronize_rcu(struct eh_rcu *r, struct eh_task *t)
{
	struct eh_rcu_head h = {.fn = wake_me, .arg = t};
	eh_time from;

	eh_cpu_point(t->cpu);
	from = eh_sim_now(r->sim);
	eh_path(t->cpu, EH_SYM(synchronize_rcu), r->kernel->cost.rcu_core);
	eh_call_rcu(r, t->cpu, &h);
	while (h.arg)
		eh_task_block(t);
	eh_rcu_length_add(&r->sync, eh_sim_now(r->sim) - from);
}
