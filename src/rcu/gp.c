/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "internal.h"

#include <ehsim/c2c.h>

#define LEAF_FANOUT 16
#define INNER_FANOUT 64
#define KTHREAD_CPU 0

/* --- the tree --- */

/* One level above nodes[first .. first + n), behind them; returns how many it took. */
static int add_level(struct eh_rcu *r, int first, int n)
{
	int up = (n + INNER_FANOUT - 1) / INNER_FANOUT;

	for (int i = 0; i < n; i++) {
		struct rcu_node *parent = &r->nodes[first + n + i / INNER_FANOUT];

		r->nodes[first + i].parent = parent;
		r->nodes[first + i].bit = (uint64_t)1 << i % INNER_FANOUT;
		parent->full |= r->nodes[first + i].bit;
	}
	return up;
}

static void build_tree(struct eh_rcu *r)
{
	int first = 0, n;
	eh_line_id lines;

	r->nleaves = (r->m->ncpus + LEAF_FANOUT - 1) / LEAF_FANOUT;
	for (n = r->nleaves; n > 1; n = (n + INNER_FANOUT - 1) / INNER_FANOUT)
		r->nnodes += n;
	r->nnodes += 1;
	r->nodes = g_new0(struct rcu_node, r->nnodes);
	for (n = r->nleaves; n > 1;) {
		int up = add_level(r, first, n);

		first += n;
		n = up;
	}
	/* The kernel's static array: all nodes lie in the memory of the first die. */
	lines = eh_lines_named(r->m, (uint32_t)r->nnodes, 0, "rcu_node.lock");
	for (int i = 0; i < r->nnodes; i++)
		eh_spin_init(&r->nodes[i].lock, lines + (eh_line_id)i);
	for (int i = 0; i < r->m->ncpus; i++) {
		r->cpus[i].leaf = &r->nodes[i / LEAF_FANOUT];
		r->cpus[i].bit = (uint64_t)1 << i % LEAF_FANOUT;
		r->cpus[i].leaf->full |= r->cpus[i].bit;
	}
}

/* --- begin and end, what the kthread does --- */

static void touch_nodes(struct eh_rcu *r)
{
	for (int i = 0; i < r->nnodes; i++)
		eh_line_written_by(r->m, r->nodes[i].lock.line, KTHREAD_CPU);
}

static void begin(struct eh_rcu *r)
{
	r->active = true;
	r->first_scan = true;
	r->started = eh_sim_now(r->sim);
	for (int i = 0; i < r->nnodes; i++)
		r->nodes[i].mask = r->nodes[i].full;
	touch_nodes(r);
	eh_sim_at(r->sim, &r->scan, r->started + r->scan_period);
}

static void end(struct eh_rcu *r)
{
	eh_hist_add(r->length, (eh_sim_now(r->sim) - r->started) / EH_NS);
	r->stats.grace_periods++;
	r->active = false;
	r->completed++;
	eh_sim_cancel(r->sim, &r->scan);
	touch_nodes(r);
	if (r->wanted > r->completed)
		begin(r);
}

uint64_t eh_rcu_snap(const struct eh_rcu *r)
{
	return r->completed + (r->active ? 2 : 1);
}

void eh_rcu_want(struct eh_rcu *r, uint64_t snap)
{
	if (r->wanted < snap)
		r->wanted = snap;
	if (!r->active && r->wanted > r->completed)
		begin(r);
}

/* --- force-quiescent-state scan --- */

static bool owes(const struct eh_rcu *r, const struct rcu_cpu *rc)
{
	return r->active && (rc->leaf->mask & rc->bit);
}

/* On behalf of a CPU; true when that was the last one. */
static bool clear_for(struct rcu_cpu *rc)
{
	struct rcu_node *n = rc->leaf;
	uint64_t bit = rc->bit;

	rc->c->rcu_urgent = false;
	for (;;) {
		n->mask &= ~bit;
		if (n->mask || !n->parent)
			return !n->mask;
		bit = n->bit;
		n = n->parent;
	}
}

static bool scan_cpu(struct eh_rcu *r, struct rcu_cpu *rc)
{
	int cpu = rc->c->id;
	bool was_idle = !r->first_scan && eh_sched_idle_entries(r->s, cpu) != rc->idle_snap;

	if (eh_sched_idle(r->s, cpu) || was_idle)
		return clear_for(rc);
	if (r->first_scan) {
		rc->idle_snap = eh_sched_idle_entries(r->s, cpu);
	} else if (eh_sim_now(r->sim) - r->started > r->urgent_after && !rc->c->rcu_urgent) {
		rc->c->rcu_urgent = true;
		r->stats.urgent++;
		eh_cpu_notice(rc->c);
	}
	return false;
}

static void scan(struct eh_event *ev)
{
	struct eh_rcu *r = eh_container_of(ev, struct eh_rcu, scan);

	r->stats.scans++;
	for (int i = 0; i < r->m->ncpus; i++) {
		if (owes(r, &r->cpus[i]) && scan_cpu(r, &r->cpus[i])) {
			end(r);
			return;
		}
	}
	r->first_scan = false;
	eh_sim_at(r->sim, &r->scan, eh_sim_now(r->sim) + r->scan_period);
}

/* --- what a CPU does --- */

static void report(struct rcu_cpu *rc)
{
	struct eh_rcu *r = rc->r;
	const struct eh_kernel_cost *cost = &r->kernel->cost;
	struct eh_cpu *c = rc->c;
	struct rcu_node *n = rc->leaf;
	uint64_t bit = rc->bit;
	bool mine, empty;

	eh_path(c, EH_SYM(rcu_report_qs_rnp), cost->gp_report);
	do {
		eh_spin_lock(c, &n->lock, &r->node_lock, EH_SYM(_raw_spin_lock));
		eh_cpu_sync(c, c->retire);
		mine = r->active && r->completed + 1 == rc->noticed && (n->mask & bit);
		if (mine)
			n->mask &= ~bit;
		empty = mine && !n->mask;
		c->rcu_urgent = false;
		eh_spin_unlock(c, &n->lock, EH_SYM(rcu_report_qs_rnp), cost->spin_unlock);
		bit = n->bit;
		n = n->parent;
	} while (empty && n);
	if (empty) {
		eh_path(c, EH_SYM(try_to_wake_up), cost->wakeup);
		end(r);
	}
}

static void tick(struct eh_cpu *c, bool user_or_idle, void *arg)
{
	struct eh_rcu *r = arg;
	struct rcu_cpu *rc = &r->cpus[c->id];

	eh_cpu_sync(c, c->retire);
	if (user_or_idle)
		rc->no_qs = false;
	else if (c->rcu_urgent)
		c->need_resched = true;
	if (r->active && rc->noticed != r->completed + 1) {
		rc->noticed = r->completed + 1;
		rc->no_qs = true;
	} else if (owes(r, rc) && !rc->no_qs) {
		report(rc);
	}
	eh_kfree_tick(rc);
}

static void context_switch(struct eh_cpu *c, void *arg)
{
	struct eh_rcu *r = arg;

	r->cpus[c->id].no_qs = false;
	c->rcu_urgent = false;
}

void eh_rcu_all_qs(struct eh_rcu *r, struct eh_cpu *c)
{
	eh_work(c, EH_SYM(rcu_all_qs), r->kernel->cost.rcu_all_qs);
	r->cpus[c->id].no_qs = false;
	c->rcu_urgent = false;
}

/* --- life --- */

struct eh_lock_class *eh_rcu_node_lock(struct eh_rcu *r)
{
	return &r->node_lock;
}

struct eh_rcu *eh_rcu_new(struct eh_sched *s, const struct eh_kernel_config *kernel)
{
	struct eh_rcu *r = g_new0(struct eh_rcu, 1);
	struct eh_sched_hooks h = {.context_switch = context_switch, .tick = tick, .arg = r};
	int64_t cpus, d, urgent;

	r->s = s;
	r->m = eh_sched_machine(s);
	r->sim = r->m->sim;
	r->kernel = kernel;
	eh_lock_class_init(&r->node_lock, r->m, "rcu_node");
	cpus = r->m->ncpus;
	d = 1 + (kernel->hz > 250) + (kernel->hz > 500) + cpus / 256;
	urgent = MAX(3 * d, kernel->hz / 10 + cpus / 256);
	r->scan_period = d * eh_sched_jiffy(s);
	r->urgent_after = urgent * eh_sched_jiffy(s);
	r->scan.fn = scan;
	r->length = eh_hist_new();
	r->cpus = g_new0(struct rcu_cpu, cpus);
	for (int i = 0; i < cpus; i++) {
		r->cpus[i].r = r;
		r->cpus[i].c = &r->m->cpus[i];
		eh_kfree_init(&r->cpus[i]);
	}
	build_tree(r);
	eh_sched_hook(s, &h);
	return r;
}

void eh_rcu_free(struct eh_rcu *r)
{
	if (!r)
		return;
	eh_sim_cancel(r->sim, &r->scan);
	for (int i = 0; i < r->m->ncpus; i++)
		eh_kfree_fini(&r->cpus[i]);
	eh_kfree_free_list(r->spare);
	eh_hist_free(r->length);
	g_free(r->nodes);
	g_free(r->cpus);
	g_free(r);
}

void eh_rcu_stats(const struct eh_rcu *r, struct eh_rcu_stats *st)
{
	*st = r->stats;
	st->started = r->active ? r->started : EH_TIME_NEVER;
	st->length = r->length;
}
