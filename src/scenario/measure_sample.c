/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What sampling adds to the error of a point. The costs of all fast stretches are a weighted mean of
 * those of the measured ones; how well it is known is said by how neighbouring stretches differ
 * (eh_successive_interval). A number moves with the cost of a candidate by the share that the search
 * has in the time it is made of: that of the load, of the set-up, or (mean and spread of the
 * latencies, which contain the wait for the set-up) of both. latency_min is the luck of one connection
 * and stays a number without an interval.
 */
#include "measure.h"

#include <ehsim/sample.h>
#include <math.h>
#include <string.h>

#define CONFIDENCE 0.95

enum { SETUP, LOAD };

/* Half width of the mean cost of a phase, as a share of it. */
static double relative(const GArray *stretches)
{
	guint n = stretches->len;
	double *x, *w, half = 0;
	struct eh_interval i;

	if (!n)
		return 0;
	x = g_new(double, n);
	w = g_new(double, n);
	for (guint k = 0; k < n; k++) {
		const struct eh_sample_stretch *s =
			&g_array_index(stretches, struct eh_sample_stretch, k);

		x[k] = s->ns;
		w[k] = (double)(s->applied + s->measured);
	}
	i = eh_successive_interval(x, w, (int)n, CONFIDENCE);
	half = (i.hi - i.lo) / 2 / i.mean;
	g_free(x);
	g_free(w);
	return half;
}

static void widen(struct eh_point *p, const char *name, double by)
{
	struct eh_metric *m = (struct eh_metric *)eh_point_find(p, name);

	if (!m || m->null_why || !(by > 0))
		return;
	m->lo = fmax(m->mean - hypot(m->mean - m->lo, m->mean * by), 0);
	m->hi = m->mean + hypot(m->hi - m->mean, m->mean * by);
}

static double share(eh_time part, eh_time whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

void eh_measure_sample(struct eh_point *p, const struct eh_world *w, const struct eh_reading *from,
		       const struct eh_reading *to)
{
	static const char *const of_load[] = {
		"throughput_per_s",
		"stime_per_transaction_s",
		"utime_per_transaction_s",
		"latency_p50_s",
	};
	static const char *const of_both[] = {
		"latency_mean_s", "latency_stddev_s", "latency_max_s", "latency_p90_s",
		"latency_p99_s",
	};
	struct eh_sample_stats st;
	double error[EH_SAMPLE_PHASES], setup, load;
	uint64_t fast;
	bool whole;

	if (w->lab || !eh_sample_read(w->client, &st))
		return;
	whole = to->crr.setup_candidates > 0;
	error[SETUP] = relative(st.stretches[SETUP]);
	error[LOAD] = whole ? relative(st.stretches[LOAD]) : error[SETUP];
	setup = error[SETUP] * share(to->crr.setup_search, to->crr.setup_stime);
	load = error[LOAD] * share(to->search.time - from->search.time - to->crr.setup_search,
				   to->crr.stime - from->crr.stime - to->crr.setup_stime);
	for (size_t i = 0; i < G_N_ELEMENTS(of_load); i++)
		widen(p, of_load[i], load);
	for (size_t i = 0; i < G_N_ELEMENTS(of_both); i++)
		widen(p, of_both[i], whole ? hypot(setup, load) : load);
	widen(p, "ns_per_candidate", error[LOAD]);
	widen(p, "setup_ns_per_candidate", error[SETUP]);
	widen(p, "setup_stime_s", setup);
	fast = st.fast[SETUP] + st.fast[LOAD];
	p->sampled = true;
	p->stretches = (int)(st.stretches[SETUP]->len + st.stretches[LOAD]->len);
	p->in_detail = to->search.candidates ?
			       1 - (double)fast / (double)to->search.candidates : 1;
}
