/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include <ehsim/stats.h>

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
