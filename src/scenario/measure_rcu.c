/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

_Static_assert((int)EH_RCU_BINS == (int)EH_RCU_OCTAVES &&
		       (int)EH_RCU_BIN_1MS == (int)EH_RCU_OCTAVE_1MS,
	       "result.h and rcu.h count in the same octaves");

struct eh_rcu_window {
	eh_time at;
	struct eh_rcu_stats from[2];
};

static struct eh_rcu *rcu_of(const struct eh_world *w, int host)
{
	if (w->lab)
		return host ? NULL : eh_lab_rcu(w->lab);
	return (host ? w->server : w->client)->rcu;
}

struct eh_rcu_window *eh_rcu_window_begin(const struct eh_world *w)
{
	struct eh_rcu_window *from = g_new0(struct eh_rcu_window, 1);

	from->at = eh_sim_now(w->sim);
	for (int h = 0; h < 2; h++) {
		struct eh_rcu *r = rcu_of(w, h);

		if (!r)
			continue;
		eh_rcu_stats_window(r);
		eh_rcu_stats(r, &from->from[h]);
	}
	return from;
}

static void fill_times(struct eh_rcu_times *t, const struct eh_rcu_lengths *l)
{
	t->count = eh_hist_count(l->hist);
	if (!t->count)
		return;
	t->mean = l->sum / (eh_time)t->count;
	t->p50 = eh_hist_quantile(l->hist, 0.5) * EH_NS;
	t->p90 = eh_hist_quantile(l->hist, 0.9) * EH_NS;
	t->p99 = eh_hist_quantile(l->hist, 0.99) * EH_NS;
	t->max = eh_hist_max(l->hist) * EH_NS;
	for (int i = 0; i < EH_RCU_BINS; i++)
		t->bin[i] = l->octave[i];
}

static void fill(struct eh_rcu_table *t, const struct eh_rcu_stats *a, const struct eh_rcu_stats *b)
{
	*t = (struct eh_rcu_table){
		.scans = b->scans - a->scans,
		.urgent = b->urgent - a->urgent,
		.heavy = b->heavy - a->heavy,
		.reports = b->reports - a->reports,
		.found = b->found - a->found,
		.kicks = b->kicks - a->kicks,
		.overloads = b->overloads - a->overloads,
		.ipis = b->ipis - a->ipis,
		.called = b->called - a->called,
		.invoked = b->invoked - a->invoked,
		.batches = b->batches - a->batches,
		.freed = b->freed - a->freed,
		.qlen_peak = b->qlen_peak,
		.waiting = b->waiting,
		.waiting_peak = b->waiting_peak,
		.bytes = b->bytes,
		.bytes_peak = b->bytes_peak,
	};
	fill_times(&t->times[EH_RCU_NORMAL], b->normal);
	fill_times(&t->times[EH_RCU_SYNC], b->sync);
	fill_times(&t->times[EH_RCU_EXP], b->exp);
}

static double seconds(eh_time t)
{
	return (double)t / (double)EH_SEC;
}

static void number(struct eh_point *p, const char *name, double x)
{
	eh_point_metric(p, name, x, x, x);
}

static void no_number(struct eh_point *p, const char *const *names, const char *why)
{
	for (; *names; names++)
		eh_point_metric_null(p, *names, why);
}

/* Grace periods of the kind that is asked for, and what their callers waited. */
static void metrics(struct eh_point *p, const struct eh_rcu_table *t, double length)
{
	static const char *const of_gp[] = {"gp_mean_s", "gp_p50_s", "gp_p99_s", "gp_max_s", NULL};
	const struct eh_rcu_times *gp = &t->times[EH_RCU_NORMAL], *wait = &t->times[EH_RCU_SYNC];

	if (!wait->count)
		wait = &t->times[EH_RCU_EXP];
	number(p, "grace_periods_per_s", (double)gp->count / length);
	if (gp->count) {
		number(p, "gp_mean_s", seconds(gp->mean));
		number(p, "gp_p50_s", seconds(gp->p50));
		number(p, "gp_p99_s", seconds(gp->p99));
		number(p, "gp_max_s", seconds(gp->max));
	} else {
		no_number(p, of_gp, "no grace period ended in the window");
	}
	if (wait->count) {
		number(p, "gp_wait_mean_s", seconds(wait->mean));
		number(p, "gp_wait_p50_s", seconds(wait->p50));
		number(p, "gp_wait_max_s", seconds(wait->max));
	}
	number(p, "rcu_waiting_peak", (double)t->waiting_peak);
	number(p, "rcu_waiting_peak_bytes", (double)t->bytes_peak);
}

void eh_rcu_window_end(struct eh_rcu_window *from, const struct eh_world *w,
		       const struct eh_values *v, struct eh_point *p)
{
	double length = seconds(eh_sim_now(w->sim) - from->at);

	for (int h = 0; h < 2; h++) {
		struct eh_rcu *r = rcu_of(w, h);
		struct eh_rcu_stats now;

		if (!r)
			continue;
		eh_rcu_stats(r, &now);
		fill(&p->rcu[h], &from->from[h], &now);
	}
	if (w->lab && v->workload.kind == EH_LAB_RCU && length > 0)
		metrics(p, &p->rcu[0], length);
	g_free(from);
}
