/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "internal.h"

#include <ehsim/c2c.h>

/* Nodes per level above n things, `fanout` of them each. */
static int above(int n, int64_t fanout)
{
	return (n + (int)fanout - 1) / (int)fanout;
}

/* Widths of the levels, leaves first; returns how many. */
static int levels(const struct eh_rcu *r, int *width)
{
	int n = 0;

	width[n] = above(r->m->ncpus, r->cfg->leaf_fanout);
	while (width[n] > 1) {
		width[n + 1] = above(width[n], r->cfg->fanout);
		n++;
	}
	return n + 1;
}

static void connect(struct eh_rcu *r, struct rcu_node *parents, struct rcu_node *children, int n)
{
	for (int i = 0; i < n; i++) {
		struct rcu_node *up = &parents[i / r->cfg->fanout];

		children[i].parent = up;
		children[i].bit = (uint64_t)1 << i % r->cfg->fanout;
		up->full |= children[i].bit;
	}
}

static void place_lines(struct eh_rcu *r)
{
	/* The kernel's static array: all nodes lie in the memory of the first die. */
	eh_line_id locks = eh_lines_named(r->m, (uint32_t)r->nnodes, 0, "rcu_node.lock");
	eh_line_id exp = eh_lines_named(r->m, (uint32_t)r->nnodes, 0, "rcu_node.exp_lock");

	for (int i = 0; i < r->nnodes; i++) {
		eh_spin_init(&r->nodes[i].lock, locks + (eh_line_id)i);
		eh_spin_init(&r->nodes[i].exp_lock, exp + (eh_line_id)i);
	}
	r->state = eh_lines_named(r->m, 1, 0, "rcu_state");
	for (int i = 0; i < r->m->ncpus; i++) {
		int die = r->m->die_of[i];

		r->cpus[i].data = eh_lines_named(r->m, 1, die, "rcu_data");
		r->cpus[i].watching = eh_lines_named(r->m, 1, die, "context_tracking.state");
		r->cpus[i].csd = eh_lines_named(r->m, 1, die, "call_single_queue");
	}
}

void eh_rcu_build_tree(struct eh_rcu *r)
{
	int width[16], n = levels(r, width), at;

	r->nleaves = width[0];
	for (int l = 0; l < n; l++)
		r->nnodes += width[l];
	r->nodes = g_new0(struct rcu_node, r->nnodes);
	r->leaves = r->nodes + r->nnodes - r->nleaves;
	at = r->nnodes - r->nleaves;
	for (int l = 1; l < n; l++) {
		connect(r, r->nodes + at - width[l], r->nodes + at, width[l - 1]);
		at -= width[l];
	}
	for (int i = 0; i < r->m->ncpus; i++) {
		struct rcu_cpu *rc = &r->cpus[i];

		rc->leaf = &r->leaves[i / r->cfg->leaf_fanout];
		rc->bit = (uint64_t)1 << i % r->cfg->leaf_fanout;
		if (!rc->leaf->full)
			rc->leaf->first = i;
		rc->leaf->last = i;
		rc->leaf->full |= rc->bit;
	}
	place_lines(r);
}

void eh_rcu_lock(struct eh_cpu *c, struct eh_rcu *r, struct rcu_node *n)
{
	eh_spin_lock(c, &n->lock, &r->node_lock, EH_SYM(_raw_spin_lock));
	eh_cpu_sync(c, c->retire);
}

void eh_rcu_unlock(struct eh_cpu *c, struct eh_rcu *r, struct rcu_node *n, int sym)
{
	eh_spin_unlock(c, &n->lock, sym, r->kernel->cost.spin_unlock);
}

void eh_rcu_report(struct eh_cpu *c, struct eh_rcu *r, struct rcu_node *n, uint64_t bits,
		   uint64_t seq)
{
	const int sym = EH_SYM(rcu_report_qs_rnp);

	for (;;) {
		eh_path(c, sym, r->kernel->cost.gp_report);
		eh_cpu_sync(c, c->retire);
		if (!(n->mask & bits) || n->seq != seq) { /* too late, or somebody else did */
			eh_rcu_unlock(c, r, n, sym);
			return;
		}
		n->mask &= ~bits;
		if (n->mask || !n->parent)
			break;
		bits = n->bit;
		eh_rcu_unlock(c, r, n, sym);
		n = n->parent;
		eh_rcu_lock(c, r, n);
	}
	if (n->mask) {
		eh_rcu_unlock(c, r, n, sym);
		return;
	}
	eh_store(c, sym, r->state);
	r->flags |= FLAG_FQS;
	eh_rcu_unlock(c, r, n, sym);
	eh_rcu_wake_kthread(c, r);
}

/* Already asked for, or begun, as far as this node knows. */
static bool known(const struct rcu_node *n, uint64_t seq, bool is_leaf)
{
	return n->needed >= seq || n->seq + 1 >= seq || (!is_leaf && n->seq & 1);
}

bool eh_rcu_start_gp(struct eh_cpu *c, struct rcu_cpu *rc, uint64_t seq)
{
	const int sym = EH_SYM(rcu_start_this_gp);
	struct eh_rcu *r = rc->r;
	struct rcu_node *n = rc->leaf;
	bool wake = false;

	for (;;) {
		eh_path(c, sym, r->kernel->cost.gp_node);
		eh_cpu_sync(c, c->retire);
		if (known(n, seq, n == rc->leaf))
			break;
		n->needed = seq;
		if (n == rc->leaf && n->seq & 1) /* the cleanup of the present one will see it */
			break;
		if (n != rc->leaf && n->parent)
			eh_rcu_unlock(c, r, n, sym);
		if (!n->parent) {
			wake = !eh_rcu_in_progress(r);
			break;
		}
		n = n->parent;
		eh_rcu_lock(c, r, n);
	}
	if (wake) {
		eh_store(c, sym, r->state);
		r->flags |= FLAG_INIT;
	}
	if (n != rc->leaf)
		eh_rcu_unlock(c, r, n, sym);
	rc->leaf->needed = MAX(rc->leaf->needed, seq);
	rc->needed = MAX(rc->needed, seq);
	return wake;
}
