/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Classic RCU: one control block for all CPUs, one mask of those that have not been quiescent, and
 * a tasklet per CPU. nxtlist, curlist and donelist are the segments next, wait and done.
 */
#include "internal.h"

#include <ehsim/c2c.h>

struct kfree_head { /* 2004 has no kfree_rcu: call_rcu with a callback that frees */
	struct eh_rcu_head head;
	struct kfree_head *next;
	struct eh_rcu *r;
	struct eh_kmem_cache *k;
	struct eh_object *o;
	eh_rcu_free_fn free_fn;
};

/* --- batches, with the control block's lock --- */

static void start_batch(struct eh_cpu *c, struct eh_rcu *r)
{
	struct eh_classic *b = &r->classic;

	if (!b->next_pending || b->cur != b->completed)
		return;
	eh_path(c, EH_SYM(rcu_start_batch), r->kernel->cost.gp_node);
	eh_store(c, EH_SYM(rcu_start_batch), b->line);
	eh_cpu_sync(c, c->retire);
	b->next_pending = false;
	b->cur++;
	b->left = r->m->ncpus;
	r->seq = 2 * b->completed + 1;
	r->started = eh_sim_now(r->sim);
	eh_sim_mix(r->sim, r->seq);
	eh_rcu_check_begin(r, WATCH_NORMAL);
}

static void end_batch(struct eh_rcu *r)
{
	struct eh_classic *b = &r->classic;

	eh_rcu_check_end(r, WATCH_NORMAL);
	eh_rcu_length_add(&r->normal, eh_sim_now(r->sim) - r->started);
	r->stats.grace_periods++;
	b->completed = b->cur;
	r->seq = 2 * b->completed;
}

static void lock(struct eh_cpu *c, struct eh_rcu *r)
{
	eh_spin_lock(c, &r->classic.lock, &r->node_lock, EH_SYM(_raw_spin_lock));
	eh_cpu_sync(c, c->retire);
}

static void unlock(struct eh_cpu *c, struct eh_rcu *r, int sym)
{
	eh_spin_unlock(c, &r->classic.lock, sym, r->kernel->cost.spin_unlock);
}

/* --- the tasklet --- */

/* The counter of quiescent states has moved since this CPU has heard of the batch. */
static bool passed(const struct rcu_cpu *rc)
{
	return rc->qsctr != rc->last_qsctr;
}

static void check_quiescent_state(struct eh_cpu *c, struct rcu_cpu *rc)
{
	struct eh_rcu *r = rc->r;
	struct eh_classic *b = &r->classic;
	const int sym = EH_SYM(rcu_check_quiescent_state);

	if (rc->quiescbatch != b->cur) {
		rc->core_needs_qs = true;
		rc->last_qsctr = rc->qsctr;
		rc->quiescbatch = b->cur;
		return;
	}
	if (!rc->core_needs_qs || !passed(rc))
		return;
	rc->core_needs_qs = false;
	lock(c, r);
	eh_path(c, sym, r->kernel->cost.gp_report);
	eh_store(c, sym, b->mask + (eh_line_id)(c->id / 512)); /* cpumask */
	eh_cpu_sync(c, c->retire);
	if (rc->quiescbatch == b->cur && b->cur != b->completed) {
		r->stats.reports++;
		if (!--b->left) {
			end_batch(r);
			start_batch(c, r);
		}
	}
	unlock(c, r, sym);
}

static void do_batch(struct eh_cpu *c, struct rcu_cpu *rc)
{
	struct taken t;
	int64_t count = 0;

	if (!eh_cblist_take_done(&rc->cbs, &t))
		return;
	rc->r->stats.batches++;
	while (t.n && count++ < rc->r->cfg->blimit) {
		struct eh_rcu_head *h = t.first;

		t.first = h->next;
		t.n--;
		rc->cbs.len--;
		eh_rcu_invoke(c, rc, h);
		eh_cpu_point(c);
	}
	eh_cpu_sync(c, c->retire);
	eh_cblist_put_back(&rc->cbs, &t);
}

void eh_classic_core(struct eh_cpu *c, struct rcu_cpu *rc)
{
	struct eh_rcu *r = rc->r;
	struct eh_classic *b = &r->classic;

	eh_path(c, EH_SYM(rcu_core), r->kernel->cost.rcu_core);
	eh_load(c, EH_SYM(rcu_core), b->line, 0);
	eh_cpu_sync(c, c->retire);
	eh_cblist_advance(&rc->cbs, b->completed);
	if (!rc->cbs.n[SEG_WAIT] && rc->cbs.n[SEG_NEXT]) {
		eh_cblist_accelerate(&rc->cbs, b->cur + 1);
		if (!b->next_pending) {
			lock(c, r);
			b->next_pending = true;
			start_batch(c, r);
			unlock(c, r, EH_SYM(rcu_core));
		}
	}
	check_quiescent_state(c, rc);
	if (eh_cblist_ready(&rc->cbs))
		do_batch(c, rc);
}

/* --- the tick --- */

static bool pending(struct eh_cpu *c, const struct rcu_cpu *rc)
{
	const struct eh_classic *b = &rc->r->classic;

	eh_load(c, EH_SYM(sched_tick), b->line, 0);
	return (rc->cbs.n[SEG_WAIT] && b->completed >= rc->cbs.seq[SEG_WAIT]) ||
	       (!rc->cbs.n[SEG_WAIT] && rc->cbs.n[SEG_NEXT]) || eh_cblist_ready(&rc->cbs) ||
	       rc->quiescbatch != b->cur || (rc->core_needs_qs && passed(rc));
}

void eh_classic_tick(struct eh_cpu *c, struct rcu_cpu *rc, bool user_or_idle)
{
	if (user_or_idle) {
		rc->witness.quiet++;
		rc->qsctr++;
	}
	if (pending(c, rc))
		eh_cpu_raise_rcu(c);
}

/* --- kfree --- */

static void free_it(struct eh_cpu *c, struct eh_rcu_head *h, void *arg)
{
	struct kfree_head *f = eh_container_of(h, struct kfree_head, head);
	struct eh_rcu *r = f->r;

	(void)arg;
	f->free_fn(c, f->k, f->o);
	r->stats.freed++;
	f->next = r->classic.spare;
	r->classic.spare = f;
}

void eh_classic_kfree(struct eh_rcu *r, struct eh_cpu *c, struct eh_kmem_cache *k,
		      struct eh_object *o, eh_rcu_free_fn free_fn)
{
	struct kfree_head *f = r->classic.spare;

	if (f) {
		r->classic.spare = f->next;
	} else {
		f = g_new0(struct kfree_head, 1);
		g_ptr_array_add(r->classic.heads, f);
	}
	f->r = r;
	f->k = k;
	f->o = o;
	f->free_fn = free_fn;
	f->head = (struct eh_rcu_head){.fn = free_it, .bytes = r->bytes_of ? r->bytes_of(k) : 0};
	eh_call_rcu(r, c, &f->head);
}

/* --- life --- */

void eh_classic_init(struct eh_rcu *r)
{
	struct eh_classic *b = &r->classic;

	/* The lock and what it guards lie apart from what every CPU reads in every tick. */
	b->line = eh_lines_named(r->m, 1, 0, "rcu_ctrlblk");
	eh_spin_init(&b->lock, eh_lines_named(r->m, 1, 0, "rcu_state.lock"));
	b->mask = eh_lines_named(r->m, (uint32_t)(r->m->ncpus / 512 + 1), 0, "rcu_state.cpumask");
	b->heads = g_ptr_array_new_with_free_func(g_free);
	for (int i = 0; i < r->m->ncpus; i++) /* no dynticks: idle CPUs tick, too */
		eh_sched_need_tick(r->s, i, true);
}

void eh_classic_fini(struct eh_rcu *r)
{
	if (r->classic.heads)
		g_ptr_array_free(r->classic.heads, TRUE);
}
