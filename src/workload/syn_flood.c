/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab.h"

#include <ehsim/link.h>
#include <ehsim/nic.h>
#include <ehsim/tcp.h>

#define PORT 80

struct flood {
	struct eh_lab *lab;
	struct eh_link *link;
	struct eh_tcp *listener;
	gsl_rng **random;
};

/* The CPU that the thread's own receive queue interrupts. */
static int cpu(const struct eh_machine *m, const struct eh_workload_config *w, int thread)
{
	(void)w;
	return eh_machine_spread(m, thread);
}

static void *build(struct eh_lab *lab)
{
	struct flood *s = g_new0(struct flood, 1);

	s->lab = lab;
	s->link = eh_link_new_sink(lab->host);
	s->listener = eh_tcp_listen(lab->host, eh_machine_spread(lab->m, 0), PORT,
				    (int)lab->cfg->syn_flood.backlog);
	s->random = eh_lab_streams(lab, "syn_flood");
	return s;
}

/* From anybody, to the listener; it has just arrived. */
static void refill(struct flood *s, struct eh_nic_queue *q, gsl_rng *r)
{
	struct eh_nic *nic = s->lab->host->nic;
	eh_time now = eh_sim_now(s->lab->sim);

	for (int i = 0; i < EH_NAPI_WEIGHT; i++) {
		struct eh_packet *p = eh_packet_new(&s->link->pool);
		uint64_t from = eh_stream_u64(r);

		p->saddr = (uint32_t)from;
		p->sport = (uint16_t)(from >> 32);
		p->seq = (uint32_t)(from >> 48);
		p->daddr = s->lab->host->addr;
		p->dport = PORT;
		p->flags = EH_SYN;
		p->received = now;
		nic->received++;
		eh_little_enter(nic->waiting, now);
		eh_packets_push(&q->ring, p);
	}
}

/* One NAPI poll of a full ring: the softirq never gets to its end. */
static uint64_t step(void *state, struct eh_task *t, int thread)
{
	struct flood *s = state;
	struct eh_cpu *c = t->cpu;
	struct eh_nic *nic = s->lab->host->nic;
	struct eh_nic_queue *q = &nic->queues[thread];
	struct eh_nic_cpu *mine = &nic->cpus[c->id];

	eh_cpu_sync(c, c->retire);
	refill(s, q, s->random[thread]);
	q->masked = true;
	q->next = NULL;
	mine->poll = q;
	mine->polltail = &q->next;
	c->bh_off++;
	eh_net_rx_action(c);
	c->bh_off--;
	mine->poll = NULL;
	mine->polltail = &mine->poll;
	c->softirq_pending = false;
	return EH_NAPI_WEIGHT;
}

static void flood_free(void *state)
{
	struct flood *s = state;

	eh_lab_streams_free(s->random, s->lab->nthreads);
	eh_link_free(s->link);
	g_free(s);
}

const struct eh_lab_ops eh_lab_syn_flood = {
	.networked = true,
	.cpu = cpu,
	.build = build,
	.step = step,
	.free = flood_free,
};
