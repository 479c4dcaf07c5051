/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What no mechanism of this folder may be asked about: was every CPU quiescent meanwhile? And
 * counts. */
#include "internal.h"

#include <inttypes.h>

void eh_rcu_check_begin(struct eh_rcu *r, int watch)
{
	if (watch == WATCH_NORMAL)
		r->begun = eh_sim_now(r->sim);
	for (int i = 0; i < r->m->ncpus; i++) {
		struct witness *w = &r->cpus[i].witness;

		w->begin[watch].quiet = w->quiet;
		w->begin[watch].idle = eh_sched_idle_entries(r->s, i);
		w->begin[watch].extended = eh_rcu_extended(&r->cpus[i]);
	}
}

static bool was_quiet(const struct rcu_cpu *rc, int watch)
{
	const struct witness *w = &rc->witness;

	return w->begin[watch].extended || w->quiet != w->begin[watch].quiet ||
	       eh_rcu_extended(rc) ||
	       eh_sched_idle_entries(rc->r->s, rc->c->id) != w->begin[watch].idle;
}

void eh_rcu_check_end(struct eh_rcu *r, int watch)
{
	for (int i = 0; i < r->m->ncpus; i++) {
		char *why;

		if (eh_likely(was_quiet(&r->cpus[i], watch)))
			continue;
		why = g_strdup_printf(
			"%s grace period of %s ends, but CPU %d was never quiescent in it",
			watch == WATCH_NORMAL ? "a" : "an expedited", r->m->name, i);
		eh_assert_failed(r->sim, why, __FILE__, __LINE__);
	}
	if (watch == WATCH_NORMAL)
		r->safe = r->begun;
}

void eh_rcu_check_freed(const struct eh_rcu *r, eh_time queued)
{
	char *why;

	if (eh_likely(queued <= r->safe))
		return;
	why = g_strdup_printf("freed before its grace period on %s: queued at %" PRId64
			      " ps, the last whole one began at %" PRId64
			      " ps (-1: there was none)",
			      r->m->name, queued, r->safe);
	eh_assert_failed(r->sim, why, __FILE__, __LINE__);
}

void eh_rcu_length_add(struct eh_rcu_lengths *l, eh_time length)
{
	uint64_t units = (uint64_t)(length / (EH_MS >> EH_RCU_OCTAVE_1MS));
	int i = units ? 63 - __builtin_clzll(units) : 0;

	eh_hist_add(l->hist, length / EH_NS);
	l->octave[MIN(i, EH_RCU_OCTAVES - 1)]++;
	l->sum += length;
}

static void lengths_clear(struct eh_rcu_lengths *l)
{
	eh_hist_free(l->hist);
	*l = (struct eh_rcu_lengths){.hist = eh_hist_new()};
}

void eh_rcu_stats_window(struct eh_rcu *r)
{
	lengths_clear(&r->normal);
	lengths_clear(&r->sync);
	lengths_clear(&r->expedited);
	r->stats.waiting_peak = r->stats.waiting;
	r->stats.bytes_peak = r->stats.bytes;
	r->stats.qlen_peak = 0;
	for (int i = 0; i < r->m->ncpus; i++)
		r->stats.qlen_peak = MAX(r->stats.qlen_peak, (uint64_t)r->cpus[i].cbs.len);
}

void eh_rcu_stats(const struct eh_rcu *r, struct eh_rcu_stats *st)
{
	*st = r->stats;
	st->started = eh_rcu_in_progress(r) ? r->started : EH_TIME_NEVER;
	st->length = r->normal.hist;
	st->normal = &r->normal;
	st->sync = &r->sync;
	st->exp = &r->expedited;
}
