/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include <ehsim/skb.h>

static void add(struct eh_point *p, const char *name, uint64_t n)
{
	if (n)
		eh_point_metric(p, name, (double)n, (double)n, (double)n);
}

/* Of the last instant of the window, and since the start. */
static void measure_skbs(struct eh_point *p, const struct eh_world *w)
{
	const struct eh_kernel_config *k = w->client->kernel;
	double kept = (double)(eh_skb_kept_bytes(w->client) + eh_skb_kept_bytes(w->server)), flush;

	if (!k->tx_skb_cache && !k->rx_skb_cache)
		return;
	eh_point_metric(p, "skb_kept_bytes", kept, kept, kept);
	flush = (double)MAX(w->client->skbs->flush_time, w->server->skbs->flush_time) / (double)EH_SEC;
	if (flush > 0)
		eh_point_metric(p, "skb_flush_s", flush, flush, flush);
	add(p, "skb_flushed", w->client->skbs->flushed + w->server->skbs->flushed);
}

/* What happens in a window but not in every run: left out where it did not. */
void eh_measure_tcp(struct eh_point *p, const struct eh_world *w, const struct eh_reading *from,
		    const struct eh_reading *to)
{
	struct eh_host *hosts[] = {w->lab ? eh_lab_host(w->lab) : w->client, w->server};
	int64_t peak = 0;

#define SUM(field)                                                                                 \
	(to->tcp[0].field - from->tcp[0].field + to->tcp[1].field - from->tcp[1].field)
	add(p, "syn_dropped", SUM(syn_dropped));
	add(p, "ack_dropped", SUM(ack_dropped));
	add(p, "syn_cookies", SUM(cookies_sent));
	if (SUM(syn_dropped) + SUM(ack_dropped) + SUM(timeouts) + SUM(time_waits)) {
		add(p, "retransmits", SUM(retransmits) + SUM(synack_retransmits));
		add(p, "challenge_acks", SUM(challenge_acks));
	}
	add(p, "lookup_restarts", SUM(lookup_restarts) + SUM(lookup_gone));
	add(p, "time_wait_reused", SUM(tw_reused));
#undef SUM
	for (int i = 0; i < 2; i++)
		if (hosts[i])
			peak = MAX(peak, hosts[i]->tcp->tw_peak);
	add(p, "time_wait_peak", (uint64_t)peak);
	if (w->client)
		measure_skbs(p, w);
}
