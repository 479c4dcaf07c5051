/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who lists the table, as /proc/net/tcp does: how long it takes, and whom it sees twice or not at all. */
#include "ehash2004.h"

#define STEP 64 /* buckets between two looks at the clock */

static void saw(const struct eh_sock2004 *sk, void *arg)
{
	struct walker2004 *w = arg;
	const struct connection2004 *k = w->s->of_bucket[w->bucket];
	uint64_t *seen;

	while (k && memcmp(&k->four, &sk->four, sizeof(k->four)))
		k = k->next;
	if (!k)
		return; /* it stood in a chain that has gone elsewhere */
	seen = &w->seen[k - w->s->conn];
	/* A new connection of the same addresses is another one. */
	if (*seen == w->walk && k->epoch == w->epoch[k - w->s->conn])
		w->s->count[EH_COUNT_TWICE]++;
	*seen = w->walk;
	w->s->count[EH_COUNT_SEEN]++;
}

static void enter(struct table2004 *s, struct walker2004 *w)
{
	for (struct connection2004 *k = s->of_bucket[w->bucket]; k; k = k->next) {
		int64_t i = k - s->conn;

		w->epoch[i] = k->exists ? k->epoch : UINT64_MAX;
		w->seen[i] = 0;
	}
}

static void leave(struct table2004 *s, struct walker2004 *w)
{
	for (const struct connection2004 *k = s->of_bucket[w->bucket]; k; k = k->next) {
		int64_t i = k - s->conn;

		if (k->exists && k->epoch == w->epoch[i] && w->seen[i] != w->walk)
			s->count[EH_COUNT_MISSED]++;
	}
}

void eh_walk2004(struct table2004 *s, struct eh_cpu *c, struct walker2004 *w)
{
	const struct eh_workload_config *cfg = s->cfg;

	for (int i = 0; i < STEP; i++) {
		eh_time from;

		eh_cpu_point(c);
		from = c->retire;
		enter(s, w);
		eh_ehash2004_visit(c, s->t, w->bucket, cfg->ehash2004.walk_lock,
				   cfg->ehash2004.print, saw, w);
		eh_cpu_sync(c, c->retire);
		leave(s, w);
		s->count[EH_COUNT_VISITS]++;
		s->count[EH_COUNT_VISIT_TIME] += c->retire - from;
		w->bucket = (w->bucket + 1) & s->t->mask;
		if (!w->bucket)
			w->walk++;
	}
}
