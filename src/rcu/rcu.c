/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Its life. */
#include "internal.h"

/* jiffies_till_first_fqs and the rest, as computed at boot unless they are given. */
static void set_periods(struct eh_rcu *r)
{
	const struct eh_rcu_config *cfg = r->cfg;
	int64_t cpus = r->m->ncpus, hz = r->kernel->hz;
	int64_t d = 1 + (hz > 250) + (hz > 500) + cpus / 256;

	r->first_fqs = cfg->first_fqs < 0 ? d : MIN(cfg->first_fqs, hz);
	r->next_fqs = cfg->next_fqs < 0 ? d : CLAMP(cfg->next_fqs, 1, hz);
	r->sched_qs = cfg->sched_qs >= 0
			      ? cfg->sched_qs
			      : MAX(r->first_fqs + 2 * r->next_fqs, hz / 10 + cpus / 256);
}

struct eh_lock_class *eh_rcu_node_lock(struct eh_rcu *r)
{
	return &r->node_lock;
}

struct eh_lock_class *eh_rcu_exp_lock(struct eh_rcu *r)
{
	return &r->exp_lock;
}

void eh_rcu_sizes(struct eh_rcu *r, int64_t (*bytes_of)(const struct eh_kmem_cache *k))
{
	r->bytes_of = bytes_of;
}

struct eh_rcu *eh_rcu_new(struct eh_sched *s, const struct eh_kernel_config *kernel)
{
	struct eh_rcu *r = g_new0(struct eh_rcu, 1);

	r->s = s;
	r->m = eh_sched_machine(s);
	r->sim = r->m->sim;
	r->kernel = kernel;
	r->cfg = &kernel->rcu;
	r->safe = -1;
	eh_lock_class_init(&r->node_lock, r->m, "rcu_node");
	eh_lock_class_init(&r->exp_lock, r->m, "rcu_node.exp_lock");
	set_periods(r);
	r->cpus = g_new0(struct rcu_cpu, r->m->ncpus);
	for (int i = 0; i < r->m->ncpus; i++) {
		struct rcu_cpu *rc = &r->cpus[i];

		rc->r = r;
		rc->c = &r->m->cpus[i];
		rc->blimit = r->cfg->blimit;
		eh_cblist_init(&rc->cbs);
		eh_kfree_init(rc);
	}
	eh_rcu_stats_window(r);
	eh_rcu_build_tree(r);
	eh_rcu_exp_init(r);
	eh_rcu_core_init(r);
	if (r->cfg->kind == EH_RCU_CLASSIC)
		eh_classic_init(r);
	return r;
}

void eh_rcu_free(struct eh_rcu *r)
{
	if (!r)
		return;
	eh_rcu_kthread_fini(r);
	eh_rcu_exp_fini(r);
	eh_classic_fini(r);
	for (int i = 0; i < r->m->ncpus; i++)
		eh_kfree_fini(&r->cpus[i]);
	eh_kfree_free_list(r->spare);
	eh_hist_free(r->normal.hist);
	eh_hist_free(r->sync.hist);
	eh_hist_free(r->expedited.hist);
	g_free(r->nodes);
	g_free(r->cpus);
	g_free(r);
}
