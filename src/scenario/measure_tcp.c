/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

static void add(struct eh_point *p, const char *name, uint64_t n)
{
	if (n)
		eh_point_metric(p, name, (double)n, (double)n, (double)n);
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
}
