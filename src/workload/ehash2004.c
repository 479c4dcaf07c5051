/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ehash2004.h"

#define FIRST_PORT 1024
#define PORTS 60000 /* of one address */

static struct eh_four2004 four_of(int64_t i)
{
	return (struct eh_four2004){.laddr = 0x0a000103, /* 10.0.1.3 */
				    .lport = 22,
				    .raddr = 0x0a010101 + (uint32_t)(i / PORTS),
				    .rport = (uint16_t)(FIRST_PORT + i % PORTS)};
}

static void make_connections(struct table2004 *s)
{
	struct eh_lab *lab = s->lab;
	int64_t n = s->cfg->ehash2004.connections;
	gsl_rng *r = eh_stream_new(eh_sim_seed(lab->sim), "lab.ehash2004.age");

	s->conn = g_new0(struct connection2004, n);
	for (int64_t i = 0; i < n; i++) {
		s->conn[i].four = four_of(i);
		eh_connection2004_preset(s, &s->conn[i],
					 eh_lab_place(lab->m, s->cfg->placement,
						      (int)(i % s->receivers)), r);
	}
	gsl_rng_free(r);
}

static void make_walkers(struct table2004 *s)
{
	int64_t n = s->cfg->ehash2004.connections, walkers = s->cfg->ehash2004.walkers;

	if (!walkers)
		return;
	s->of_bucket = g_new0(struct connection2004 *, s->t->mask + 1);
	for (int64_t i = n - 1; i >= 0; i--) {
		uint32_t bucket = eh_ehash2004_bucket(s->t, &s->conn[i].four);

		s->conn[i].next = s->of_bucket[bucket];
		s->of_bucket[bucket] = &s->conn[i];
	}
	s->walkers = g_new0(struct walker2004, walkers);
	for (int64_t i = 0; i < walkers; i++)
		s->walkers[i] = (struct walker2004){.walk = 1, .s = s,
						    .seen = g_new0(uint64_t, n),
						    .epoch = g_new0(uint64_t, n)};
}

static void *build(struct eh_lab *lab)
{
	struct table2004 *s = g_new0(struct table2004, 1);

	s->cfg = lab->cfg;
	s->lab = lab;
	s->receivers = lab->nthreads - (int)lab->cfg->ehash2004.walkers;
	s->t = eh_ehash2004_new(lab->m, lab->rcu, lab->kernel);
	s->random = eh_lab_streams(lab, "ehash2004");
	s->arrivals = eh_stream_new(eh_sim_seed(lab->sim), "lab.ehash2004.arrivals");
	s->rx = g_new0(struct rx2004, s->receivers);
	for (int i = 0; i < s->receivers; i++) {
		s->rx[i].s = s;
		s->rx[i].thread = i;
	}
	make_connections(s);
	make_walkers(s);
	if (s->cfg->ehash2004.rate)
		eh_irq2004_start(s);
	return s;
}

/* Nothing to do here: interrupts may come. */
static void rest(struct eh_task *t)
{
	eh_cpu_point(t->cpu);
	eh_task_block(t);
}

static uint64_t step(void *state, struct eh_task *t, int thread)
{
	struct table2004 *s = state;
	struct eh_cpu *c = t->cpu;

	if (thread >= s->receivers) {
		eh_walk2004(s, c, &s->walkers[thread - s->receivers]);
		return 0;
	}
	if (s->cfg->ehash2004.rate || (s->cfg->ehash2004.irq == EH_IRQ_ONE && thread > 0)) {
		rest(t);
		return 0;
	}
	eh_local_bh_disable(c);
	eh_packet2004(s, c, eh_next2004(s, s->random[thread], thread));
	eh_local_bh_enable(c);
	return 1;
}

static void table_free(void *state)
{
	struct table2004 *s = state;

	eh_irq2004_stop(s);
	for (int64_t i = 0; s->walkers && i < s->cfg->ehash2004.walkers; i++) {
		g_free(s->walkers[i].seen);
		g_free(s->walkers[i].epoch);
	}
	g_free(s->walkers);
	g_free(s->of_bucket);
	g_free(s->rx);
	gsl_rng_free(s->arrivals);
	eh_lab_streams_free(s->random, s->lab->nthreads);
	eh_ehash2004_free(s->t);
	g_free(s->conn);
	g_free(s);
}

static const struct eh_lock_class *locks(const void *state)
{
	return &((const struct table2004 *)state)->t->class;
}

static void stats(const void *state, struct eh_lab_stats *st)
{
	const struct table2004 *s = state;
	const struct eh_ehash2004_counts *of = &s->t->count;

	memcpy(st->count, s->count, sizeof(st->count));
	st->count[EH_COUNT_LOOKUPS] = (int64_t)of->lookups;
	st->count[EH_COUNT_LOOKUP_TIME] = of->lookup_time;
	st->count[EH_COUNT_TOMB_WAITS] = (int64_t)of->tomb_waits;
	st->count[EH_COUNT_TOMB_TIME] = of->tomb_time;
	st->count[EH_COUNT_FREES] = (int64_t)of->frees;
	st->count[EH_COUNT_USE_AFTER_FREE] = (int64_t)of->use_after_free;
	st->count[EH_COUNT_DOUBLE_FREE] = (int64_t)of->double_free;
	st->count[EH_COUNT_RESURRECTED] = (int64_t)of->resurrected;
	st->count[EH_COUNT_PUT_AGAIN] = (int64_t)of->put_again;
	st->count[EH_COUNT_HELD_AT_FREE] = (int64_t)of->held_at_free;
	st->count[EH_COUNT_RESTARTS] = (int64_t)of->restarts;
}

#define MILLION 1e6
#define NS 1e-3 /* of a picosecond */
static const struct eh_lab_ratio ratios[] = {
	{"lookup_ns", EH_COUNT_LOOKUP_TIME, EH_COUNT_LOOKUPS, NS, false},
	{"lookup_cycles", EH_COUNT_LOOKUP_TIME, EH_COUNT_LOOKUPS, NS, false},
	{"packet_ns", EH_COUNT_PACKET_TIME, EH_COUNT_PACKETS, NS, false},
	{"connection_ns", EH_COUNT_CONNECTION_TIME, EH_COUNT_CONNECTIONS, NS, false},
	{"dance_ns", EH_COUNT_DANCE_TIME, EH_COUNT_DANCES, NS, false},
	{"resets_per_million", EH_COUNT_RESETS, EH_COUNT_DANCES, MILLION, false},
	{"tomb_waits_per_million", EH_COUNT_TOMB_WAITS, EH_COUNT_DANCES, MILLION, true},
	{"tomb_wait_ns", EH_COUNT_TOMB_TIME, EH_COUNT_TOMB_WAITS, NS, false},
	{"late_per_million", EH_COUNT_LATE, EH_COUNT_DANCES, MILLION, true},
	{"twice_per_million", EH_COUNT_TWICE, EH_COUNT_SEEN, MILLION, false},
	{"missed_per_million", EH_COUNT_MISSED, EH_COUNT_SEEN, MILLION, false},
	{"bucket_ns", EH_COUNT_VISIT_TIME, EH_COUNT_VISITS, NS, false},
	{"use_after_free_per_million", EH_COUNT_USE_AFTER_FREE, EH_COUNT_FREES, MILLION, false},
	{"double_free_per_million", EH_COUNT_DOUBLE_FREE, EH_COUNT_FREES, MILLION, false},
	{"resurrected_per_million", EH_COUNT_RESURRECTED, EH_COUNT_FREES, MILLION, true},
	{"put_again_per_million", EH_COUNT_PUT_AGAIN, EH_COUNT_FREES, MILLION, true},
	{"held_at_free_per_million", EH_COUNT_HELD_AT_FREE, EH_COUNT_FREES, MILLION, true},
	{"restarts_per_million", EH_COUNT_RESTARTS, EH_COUNT_LOOKUPS, MILLION, true},
	{.metric = NULL},
};

static char *problem(const struct eh_machine_config *m, const struct eh_workload_config *w,
		     const char **key)
{
	(void)m;
	*key = "ehash2004.walkers";
	if (w->ehash2004.walkers >= w->threads)
		return g_strdup("walkers are threads, and one must be left to receive packets");
	*key = "ehash2004.connections";
	if (w->ehash2004.irq == EH_IRQ_FLOW &&
	    w->ehash2004.connections < w->threads - w->ehash2004.walkers)
		return g_strdup("with irq: flow every thread that receives needs a connection");
	return NULL;
}

const struct eh_lab_ops eh_lab_ehash2004 = {
	.build = build,
	.step = step,
	.free = table_free,
	.locks = locks,
	.stats = stats,
	.ratios = ratios,
	.problem = problem,
};
