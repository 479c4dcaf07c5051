/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Socket buffers of two connected hosts: a packet does not say whose memory carries it. */
#include "path.h"

#include <ehsim/bulk.h>
#include <ehsim/link.h>
#include <ehsim/skb.h>
#include <inttypes.h>

struct sum {
	uint64_t heads, data;	     /* objects that have been allocated and not freed */
	uint64_t skbs, packets_data, packets_heads; /* that somebody has */
	uint64_t marked, listed;     /* references of sockets and devices, as buffers say and lists hold */
	uint64_t in_hand;
};

static uint64_t alive(const struct eh_host *h, const struct eh_kmem_cache *k)
{
	uint64_t n = 0;

	for (int d = 0; d < h->m->ndies; d++)
		n += eh_kmem_alive(k, d);
	return n;
}

static void add_sent(struct sum *s, const struct eh_skb_host *skbs)
{
	for (guint i = 0; i < skbs->blocks->len; i++)
		for (int j = 0; j < EH_SKB_BLOCK; j++) {
			int where = ((const struct eh_skb *)skbs->blocks->pdata[i])[j].where;

			s->skbs += where != 0;
			s->marked += (where & EH_SKB_SOCKET) / EH_SKB_SOCKET +
				     (where & EH_SKB_DEVICE) / EH_SKB_DEVICE;
		}
}

static void add_lists(struct sum *s, const struct eh_host *h)
{
	const struct eh_tcp_host *th = h->tcp;

	for (guint i = 0; i < th->blocks->len; i++)
		for (int j = 0; j < EH_TCP_BLOCK; j++) {
			const struct eh_tcp *tp = &((const struct eh_tcp *)th->blocks->pdata[i])[j];

			s->listed += tp->tx_skb != NULL;
			s->listed += tp->bulk ? eh_bulk_skbs(tp->bulk) : 0;
			for (const struct eh_skb *skb = tp->rtx.head; skb; skb = skb->next)
				s->listed++;
		}
	for (int i = 0; i < h->nic->nqueues; i++)
		for (const struct eh_skb *skb = h->nic->queues[i].sent; skb; skb = skb->sent)
			s->listed++;
}

static void add_host(struct sum *s, const struct eh_host *h)
{
	const struct eh_skb_host *skbs = h->skbs;

	s->heads += alive(h, skbs->heads) + (skbs->pairs != skbs->heads ? alive(h, skbs->pairs) : 0);
	s->data += alive(h, skbs->tx_data) + alive(h, skbs->rx_data);
	s->in_hand += h->in_hand;
	add_sent(s, skbs);
	add_lists(s, h);
}

static char *differ(const char *what, uint64_t there, const char *how, uint64_t held, uint64_t in_hand)
{
	if (there <= held + in_hand && held <= there + in_hand)
		return NULL;
	return g_strdup_printf("%s: %" PRIu64 " %s, but %" PRIu64 " in use and %" PRIu64
			       " in the hands of CPUs", what, there, how, held, in_hand);
}

char *eh_link_problem(const struct eh_host *a, const struct eh_host *b)
{
	const GPtrArray *blocks = a->nic->link->pool.blocks;
	struct sum s = {0};
	char *why;

	for (guint i = 0; i < blocks->len; i++)
		for (int j = 0; j < EH_PACKET_BLOCK; j++) {
			const struct eh_packet *p = &((const struct eh_packet *)blocks->pdata[i])[j];

			s.packets_heads += p->skb != NULL;
			s.packets_data += p->data != NULL;
		}
	add_host(&s, a);
	add_host(&s, b);
	why = differ("sk_buffs", s.heads, "allocated and not freed", s.skbs + s.packets_heads,
		     s.in_hand);
	if (!why)
		why = differ("data of sk_buffs", s.data, "allocated and not freed",
			     s.skbs + s.packets_data, s.in_hand);
	if (!why)
		why = differ("references of sk_buffs", s.marked, "of sockets and devices", s.listed,
			     s.in_hand);
	return why;
}
