/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames as they come without NAPI: an interrupt each, netif_rx, and a softirq behind it. */
#include "ehash2004.h"

#define SYM EH_SYM(asm_common_interrupt)

struct connection2004 *eh_next2004(struct table2004 *s, gsl_rng *r, int receiver)
{
	int64_t n = s->cfg->ehash2004.connections, mine;

	if (s->cfg->ehash2004.irq != EH_IRQ_FLOW)
		return &s->conn[eh_stream_below(r, (uint64_t)n)];
	mine = (n - receiver + s->receivers - 1) / s->receivers;
	return &s->conn[receiver + s->receivers * (int64_t)eh_stream_below(r, (uint64_t)mine)];
}

static void next_frame(struct table2004 *s)
{
	int64_t mean = EH_SEC / s->cfg->ehash2004.rate;

	eh_sim_at(s->lab->sim, &s->arrival,
		  eh_sim_now(s->lab->sim) + 1 + eh_lab_exponential(s->arrivals, mean));
}

/* Interrupts go round; or all to the first; or where the connection belongs. */
static struct rx2004 *receiver_of(struct table2004 *s, const struct connection2004 *k)
{
	switch (s->cfg->ehash2004.irq) {
	case EH_IRQ_ONE:
		return &s->rx[0];
	case EH_IRQ_FLOW:
		return &s->rx[(k - s->conn) % s->receivers];
	default:
		return &s->rx[s->arrived % (uint64_t)s->receivers];
	}
}

static void arrives(struct eh_event *ev)
{
	struct table2004 *s = eh_container_of(ev, struct table2004, arrival);
	uint64_t which = eh_stream_below(s->arrivals, (uint64_t)s->cfg->ehash2004.connections);
	struct connection2004 *k = &s->conn[which];
	struct rx2004 *rx = receiver_of(s, k);

	s->arrived++;
	next_frame(s);
	if (rx->n == EH_BACKLOG2004) {
		s->count[EH_COUNT_DROPPED]++;
		return;
	}
	rx->backlog[(rx->head + rx->n++) % EH_BACKLOG2004] = k;
	eh_cpu_raise(s->lab->threads[rx->thread].task->cpu);
}

static void interrupt(struct eh_cpu *c)
{
	const struct rx2004 *rx = c->irq_arg;

	eh_path(c, SYM, rx->s->cfg->ehash2004.interrupt);
	eh_cpu_sync(c, c->retire);
	c->softirq_pending = true;
}

static void softirq(struct eh_cpu *c)
{
	struct rx2004 *rx = c->irq_arg;

	eh_cpu_point(c);
	while (rx->n) {
		struct connection2004 *k = rx->backlog[rx->head];

		rx->head = (rx->head + 1) % EH_BACKLOG2004;
		rx->n--;
		eh_packet2004(rx->s, c, k);
		rx->s->lab->threads[rx->thread].operations++;
		eh_cpu_point(c);
	}
}

void eh_irq2004_start(struct table2004 *s)
{
	for (int i = 0; i < s->receivers; i++) {
		int cpu = eh_lab_place(s->lab->m, s->cfg->placement, i);
		struct eh_cpu *c = &s->lab->m->cpus[cpu];

		c->irq = interrupt;
		c->irq_arg = &s->rx[i];
		c->softirq = softirq;
	}
	s->arrival.fn = arrives;
	eh_sim_at(s->lab->sim, &s->arrival, s->cfg->start_within + 1);
}

void eh_irq2004_stop(struct table2004 *s)
{
	eh_sim_cancel(s->lab->sim, &s->arrival);
}
