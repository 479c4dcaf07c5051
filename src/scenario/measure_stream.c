/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

/* What the readers' CPUs do, in the groups that published profiles of them show. */
static const struct group {
	const char *metric;
	int symbols[8]; /* up to the first 0 behind the first */
} groups[] = {
	{"reader_copy_share", {EH_SYM(copy_user_enhanced_fast_string)}},
	{"reader_release_share", {EH_SYM(skb_release_data)}},
	{"reader_pages_share", {EH_SYM(free_unref_page), EH_SYM(free_pcppages_bulk), EH_SYM(__free_one_page)}},
	{"reader_slab_share",
	 {EH_SYM(kmem_cache_free), EH_SYM(__slab_free), EH_SYM(__cache_free_alien), EH_SYM(cache_flusharray),
	  EH_SYM(free_block), EH_SYM(__drain_alien_cache)}},
	{"reader_locks_share", {EH_SYM(_raw_spin_lock), EH_SYM(_raw_spin_lock_bh),
				EH_SYM(queued_spin_lock_slowpath)}},
};

void eh_reading_stream(struct eh_reading *r, const struct eh_world *w)
{
	const struct eh_machine *m = w->server->m;

	r->bytes = eh_crr_bytes(w->crr);
	for (int i = 0; i < m->ncpus; i++)
		for (int sym = 0; eh_crr_reads_on(w->crr, i) && sym < EH_SYM_COUNT; sym++)
			r->reader[sym] += m->cpus[i].charged[sym];
}

static eh_time sum(const eh_time *to, const eh_time *from)
{
	eh_time t = 0;

	for (int sym = 0; sym < EH_SYM_COUNT; sym++)
		t += to[sym] - from[sym];
	return t;
}

static void number(struct eh_point *p, const char *name, double x)
{
	eh_point_metric(p, name, x, x, x);
}

void eh_measure_stream(struct eh_point *p, const struct eh_reading *from, const struct eh_reading *to)
{
	double window = (double)(to->at - from->at), readers = (double)sum(to->reader, from->reader);
	double all = (double)sum(to->charged[1], from->charged[1]);

	number(p, "reader_busy_cpus", readers / window);
	number(p, "softirq_busy_cpus", (all - readers) / window);
	for (size_t i = 0; readers > 0 && i < G_N_ELEMENTS(groups); i++) {
		const int *sym = groups[i].symbols;
		eh_time t = 0;

		for (int k = 0; k < (int)G_N_ELEMENTS(groups[i].symbols) && (!k || sym[k]); k++)
			t += to->reader[sym[k]] - from->reader[sym[k]];
		number(p, groups[i].metric, (double)t / readers);
	}
}
