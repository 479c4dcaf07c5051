/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path.h"

#include <ehsim/bulk.h>
#include <ehsim/nic.h>
#include <ehsim/skb.h>
#include <ehsim/softnet.h>

static void complete_sent(struct eh_cpu *c, struct eh_host *h, struct eh_nic_queue *q)
{
	struct eh_skb *skb, *next = q->sent;

	for (struct eh_skb *s = next; s; s = s->sent) {
		h->in_hand++;
		s->where &= ~EH_SKB_DEVICE;
	}
	q->sent = NULL;
	q->bulk_sent = false;
	for (; q->owned; q->owned--)
		eh_rmw(c, EH_SYM(sock_wfree), q->owner);
	while ((skb = next)) {
		next = skb->sent;
		eh_path(c, EH_SYM(napi_consume_skb), h->kernel->cost.xmit_done);
		eh_skb_free_clone(c, h, skb);
		h->in_hand--;
	}
}

static void receive_skb(struct eh_cpu *c, struct eh_host *h, const struct eh_nic_queue *q,
			struct eh_packet *p)
{
	const struct eh_kernel_cost *cost = &h->kernel->cost;

	eh_rx_skb_alloc(c, h, p);
	eh_path(c, EH_SYM(napi_gro_receive), cost->gro);
	eh_touch(c, EH_SYM(napi_gro_receive), p->skb->line + 1, 3, true);
	p->alloc_cpu = c->id;
	eh_netif_receive_skb(c, h, p, (int)(q - h->nic->queues));
}

/* What has arrived by now. */
static struct eh_packet *take(struct eh_cpu *c, struct eh_nic *nic, struct eh_nic_queue *q)
{
	struct eh_packet *p;

	eh_cpu_sync(c, c->retire);
	p = eh_packets_pop(&q->ring);
	if (p) {
		nic->taken++;
		nic->waited += c->retire - p->received;
		eh_little_leave(nic->waiting, p->received, eh_sim_now(c->sim));
	}
	return p;
}

/* One NAPI poll: the packets taken. */
static int poll(struct eh_cpu *c, struct eh_host *h, struct eh_nic_queue *q)
{
	struct eh_packet *p;
	int n = 0;

	h->nic->polls++;
	eh_path(c, EH_SYM(net_rx_action), h->kernel->cost.rx_action);
	eh_cpu_sync(c, c->retire);
	complete_sent(c, h, q);
	while (n < EH_NAPI_WEIGHT && (p = take(c, h->nic, q))) {
		if (p->bulk)
			eh_bulk_receive(c, q, p);
		else
			receive_skb(c, h, q, p);
		n++;
	}
	if (q->bulk)
		eh_bulk_poll_end(c, q, n < EH_NAPI_WEIGHT);
	return n;
}

void eh_net_rx_action(struct eh_cpu *c)
{
	struct eh_host *h = eh_host_of(c);
	struct eh_nic_cpu *nc = &h->nic->cpus[c->id];
	struct eh_nic_queue *q, *list = nc->poll;

	nc->poll = NULL;
	nc->polltail = &nc->poll;
	while ((q = list)) {
		list = q->next;
		if (poll(c, h, q) == EH_NAPI_WEIGHT) {
			q->next = NULL;
			*nc->polltail = q;
			nc->polltail = &q->next;
		} else {
			q->masked = false;
			if (q->bulk_sent)
				eh_nic_queue_arm(q);
		}
	}
	if (h->softnet)
		eh_softnet_action(c, h->softnet);
	if (nc->poll)
		c->softirq_pending = true;
}
