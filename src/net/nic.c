/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path.h"

#include <ehsim/bulk.h>
#include <ehsim/link.h>
#include <ehsim/nic.h>
#include <ehsim/skb.h>
#include <ehsim/softnet.h>

static void interrupt_due(struct eh_event *ev)
{
	struct eh_nic_queue *q = eh_container_of(ev, struct eh_nic_queue, irq);

	q->raised = true;
	eh_cpu_raise(q->cpu);
}

struct eh_nic *eh_nic_new(struct eh_host *h)
{
	struct eh_nic *nic = g_new0(struct eh_nic, 1);

	nic->host = h;
	nic->nqueues = (int)MIN(h->net->queues, h->m->ncpus);
	nic->queues = g_new0(struct eh_nic_queue, nic->nqueues);
	nic->cpus = g_new0(struct eh_nic_cpu, h->m->ncpus);
	nic->dma = g_new0(uint64_t, h->m->ndies);
	nic->waiting = eh_little_new(h->sim, "receive queues", 0);
	nic->key[0] = eh_stream_u64(h->random);
	nic->key[1] = eh_stream_u64(h->random);
	for (int i = 0; i < nic->nqueues; i++) {
		struct eh_nic_queue *q = &nic->queues[i];
		int cpu = eh_nic_cpu_of(nic, i);

		eh_sched_online(h->sched, cpu);
		q->nic = nic;
		q->cpu = &h->m->cpus[cpu];
		q->irq.fn = interrupt_due;
		q->sibling = nic->cpus[cpu].queues;
		nic->cpus[cpu].queues = q;
	}
	for (int i = 0; i < h->m->ncpus; i++) {
		nic->cpus[i].polltail = &nic->cpus[i].poll;
		nic->cpus[i].completes = eh_nic_completes(nic, i);
	}
	eh_nic_place_init(nic);
	return nic;
}

void eh_nic_free(struct eh_nic *nic)
{
	if (!nic)
		return;
	for (int i = 0; i < nic->nqueues; i++) {
		eh_sim_cancel(nic->host->sim, &nic->queues[i].irq);
		eh_rx_ring_free(nic->queues[i].bulk);
	}
	g_free(nic->waiting);
	g_free(nic->queues);
	g_free(nic->cpus);
	g_free(nic->sender);
	g_free(nic->dma);
	g_free(nic);
}

void eh_nic_xmit(struct eh_cpu *c, struct eh_nic *nic, struct eh_packet *p, struct eh_skb *skb)
{
	struct eh_nic_queue *q = nic->cpus[c->id].completes;

	eh_path(c, EH_SYM(__dev_queue_xmit), eh_cost_of(c)->dev_xmit);
	eh_cpu_sync(c, c->retire);
	skb->sent = q->sent;
	q->sent = skb;
	skb->where |= EH_SKB_DEVICE;
	nic->host->in_hand--;
	nic->sent++;
	eh_nic_learn(c, nic, p);
	if (!p->bulk) {
		eh_link_send(nic->link, nic, p, c->retire);
		return;
	}
	q->bulk_sent = true;
	if (!q->masked)
		eh_nic_queue_arm(q);
	eh_bulk_xmit(nic, p, c->retire);
}

void eh_nic_own_next(struct eh_cpu *c, struct eh_nic *nic, eh_line_id owner)
{
	struct eh_nic_queue *q = nic->cpus[c->id].completes;

	eh_rmw(c, EH_SYM(skb_set_owner_w), owner);
	q->owner = owner;
	q->owned++;
}

void eh_nic_queue_arm(struct eh_nic_queue *q)
{
	struct eh_sim *sim = q->nic->host->sim;

	if (!q->raised && !eh_event_pending(&q->irq))
		eh_sim_at(sim, &q->irq, eh_sim_now(sim) + q->nic->host->net->moderation);
}

void eh_nic_receive(struct eh_nic *nic, struct eh_packet *p)
{
	struct eh_nic_queue *q = eh_nic_receives(nic, p);

	nic->received++;
	p->received = eh_sim_now(nic->host->sim);
	eh_little_enter(nic->waiting, p->received);
	if (p->bulk && !eh_bulk_dma(q, p))
		return;
	eh_packets_push(&q->ring, p);
	if (!q->masked)
		eh_nic_queue_arm(q);
}

void eh_nic_interrupt(struct eh_cpu *c)
{
	struct eh_nic *nic = eh_host_of(c)->nic;
	struct eh_nic_cpu *nc = &nic->cpus[c->id];

	for (struct eh_nic_queue *q = nc->queues; q; q = q->sibling) {
		if (!q->raised)
			continue;
		eh_path(c, EH_SYM(asm_common_interrupt), eh_cost_of(c)->hardirq);
		nic->interrupts++;
		q->raised = false;
		q->masked = true;
		q->next = NULL;
		*nc->polltail = q;
		nc->polltail = &q->next;
		c->softirq_pending = true;
	}
	if (nic->host->softnet)
		eh_softnet_interrupt(c, nic->host->softnet);
}
