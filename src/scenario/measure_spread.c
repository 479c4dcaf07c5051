/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include <ehsim/stats.h>
#include <math.h>

const double eh_spread_at[EH_SPREAD_AT] = {0,	 0.01, 0.05, 0.1,  0.25,  0.5,	0.75,	0.9,
					   0.95, 0.98, 0.99, 0.995, 0.999, 0.9999, 0.99999, 1};

void eh_spread_begin(const struct eh_world *w)
{
	if (w->client)
		w->client->searches = eh_hist_new();
}

static void searches(const struct eh_hist *h, struct eh_point *p)
{
	struct eh_spread *s;

	if (!eh_hist_count(h))
		return;
	s = eh_spread_add(p->spreads, "candidates_per_connect");
	s->count = eh_hist_count(h);
	for (int i = 0; i < EH_SPREAD_AT; i++)
		s->value[i] = (double)(i ? eh_hist_quantile(h, eh_spread_at[i]) : eh_hist_min(h));
}

void eh_measure_latencies(const struct eh_world *w, struct eh_point *p)
{
	const struct eh_survival *lengths = eh_crr_follow_end(w->crr);
	struct eh_interval x[EH_PERCENTILES];
	struct eh_spread *s;

	if (!lengths || !eh_survival_count(lengths))
		return;
	s = eh_spread_add(p->spreads, "latency_s");
	s->count = eh_survival_count(lengths);
	for (int i = 0; i < EH_SPREAD_AT; i++) {
		double at = eh_survival_quantile(lengths, eh_spread_at[i]).mean;

		s->value[i] = isfinite(at) ? at / (double)EH_SEC : NAN;
	}
	for (int i = 0; i < EH_PERCENTILES; i++)
		x[i] = eh_survival_quantile(lengths, eh_percentiles[i] / 100.0);
	for (int i = 0; isfinite(x[EH_PERCENTILES - 1].mean) && i < EH_PERCENTILES; i++) {
		char *name = g_strdup_printf("latency_p%d_s", eh_percentiles[i]);

		eh_point_metric(p, name, x[i].mean / (double)EH_SEC, x[i].lo / (double)EH_SEC,
				x[i].hi / (double)EH_SEC);
		g_free(name);
	}
}

static void latencies(const struct eh_world *w, struct eh_point *p)
{
	struct eh_crr_stats st;
	struct eh_neper n;
	struct eh_spread *s;

	eh_crr_stats(w->crr, &st);
	eh_crr_neper(w->crr, &n);
	if (!st.finished || !n.num_transactions || !st.running)
		return;
	s = eh_spread_add(p->spreads, "latency_s");
	s->count = n.num_transactions;
	for (int i = 0; i < EH_SPREAD_AT; i++)
		s->value[i] = eh_crr_latency(w->crr, eh_spread_at[i]);
}

void eh_spread_end(const struct eh_world *w, struct eh_point *p)
{
	if (!w->client)
		return;
	searches(w->client->searches, p);
	latencies(w, p);
	eh_hist_free(w->client->searches);
	w->client->searches = NULL;
}
