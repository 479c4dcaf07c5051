/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bulk frames on their way from the wire to IP: the ring of buffers, GRO. */
#include "bulk.h"

#include <ehsim/link.h>
#include <ehsim/skb.h>
#include <ehsim/softnet.h>

#define GRO_FLOWS 8 /* MAX_GRO_SKBS of a bucket */

struct buffer {
	struct eh_page *page;
	uint16_t at;
};

struct eh_rx_ring {
	struct buffer *free; /* in turn */
	int size, first, n;
	struct eh_page *half; /* its second half goes in next */
	struct eh_packets held; /* no buffer yet */
	struct eh_packet *gro[GRO_FLOWS]; /* oldest first */
	int ngro;
};

int eh_bulk_mss(const struct eh_kernel_config *k, const struct eh_network_config *n)
{
	int64_t headers = (n->family == 1 ? 40 : 20) + 20 + (k->tcp_timestamps ? 12 : 0);

	return (int)MIN(n->mtu - headers, EH_PAGE_BYTES);
}

static int mss_of(const struct eh_host *h)
{
	return eh_bulk_mss(h->kernel, h->net);
}

static int lines_of(const struct eh_packet *p)
{
	return (p->payload + EH_LINE_BYTES - 1) / EH_LINE_BYTES;
}

static eh_line_id frame_line(struct eh_host *h, const struct eh_packet *p)
{
	return eh_bulk_page(h->m->mm, p->page) + p->at;
}

void eh_bulk_settle(struct eh_host *h, struct eh_packet *frame)
{
	eh_line_id first = frame_line(h, frame);

	if (frame->dma == UINT64_MAX || h->nic->dma[frame->page->node] - frame->dma <= (uint64_t)h->net->ddio)
		return;
	frame->dma = UINT64_MAX;
	for (int i = 0; i < (frame->frame_bytes + EH_LINE_BYTES - 1) / EH_LINE_BYTES; i++)
		eh_line_displaced(h->m, first + (eh_line_id)i);
}

/* --- the ring --- */

static void post(struct eh_rx_ring *r, struct eh_page *page, int half)
{
	r->free[(r->first + r->n++) % r->size] = (struct buffer){page, (uint16_t)(half * EH_LINES_PER_PAGE / 2)};
}

static struct eh_rx_ring *ring_new(const struct eh_nic_queue *q)
{
	struct eh_rx_ring *r = g_new0(struct eh_rx_ring, 1);
	struct eh_host *h = q->nic->host;
	int halves = EH_PAGE_BYTES / eh_bulk_buffer(mss_of(h));

	r->size = (int)h->net->ring;
	r->free = g_new(struct buffer, r->size);
	while (r->n + halves <= r->size) {
		struct eh_page *page = eh_page_preset(h->m->mm, 0, q->cpu->die);

		eh_bulk_set_refs(page, (uintptr_t)halves);
		for (int i = 0; i < halves; i++)
			post(r, page, i);
	}
	return r;
}

void eh_rx_rings_fill(struct eh_nic *nic)
{
	for (int i = 0; i < nic->nqueues; i++)
		if (!nic->queues[i].bulk)
			nic->queues[i].bulk = ring_new(&nic->queues[i]);
}

void eh_rx_ring_free(struct eh_rx_ring *r)
{
	if (!r)
		return;
	g_free(r->free);
	g_free(r);
}

/* The device writes the frame. */
static void write_frame(struct eh_rx_ring *r, struct eh_host *h, struct eh_packet *p)
{
	struct buffer b = r->free[r->first];
	eh_line_id first;

	r->first = (r->first + 1) % r->size;
	r->n--;
	p->page = b.page;
	p->at = b.at;
	p->frame_bytes = p->payload;
	p->frames = p->parts = 1;
	p->more = NULL;
	p->last = p;
	first = frame_line(h, p);
	for (int i = 0; i < lines_of(p); i++)
		eh_line_from_device(h->m, first + (eh_line_id)i);
	p->dma = h->nic->dma[b.page->node] += p->payload;
}

bool eh_bulk_dma(struct eh_nic_queue *q, struct eh_packet *p)
{
	if (!q->bulk->n || q->bulk->held.head) {
		eh_packets_push(&q->bulk->held, p);
		return false;
	}
	write_frame(q->bulk, q->nic->host, p);
	return true;
}

/* A new buffer for the one just taken; then what has waited for one goes on. */
static void refill(struct eh_cpu *c, struct eh_nic_queue *q)
{
	struct eh_host *h = q->nic->host;
	struct eh_rx_ring *r = q->bulk;
	struct eh_packet *p;

	if (r->half) {
		post(r, r->half, 1);
		r->half = NULL;
	} else {
		struct eh_page *page = eh_page_alloc(c, h->m->mm, 0, c->die);
		int halves = EH_PAGE_BYTES / eh_bulk_buffer(mss_of(h));

		eh_bulk_set_refs(page, (uintptr_t)halves);
		post(r, page, 0);
		r->half = halves > 1 ? page : NULL;
	}
	eh_cpu_sync(c, c->retire);
	while (r->n && (p = eh_packets_pop(&r->held))) {
		write_frame(r, h, p);
		eh_packets_push(&q->ring, p);
	}
}

/* --- GRO --- */

static bool same_flow(const struct eh_packet *a, const struct eh_packet *b)
{
	return a->saddr == b->saddr && a->daddr == b->daddr && a->sport == b->sport && a->dport == b->dport;
}

static void complete(struct eh_cpu *c, struct eh_nic_queue *q, int i)
{
	struct eh_rx_ring *r = q->bulk;
	struct eh_packet *p = r->gro[i];

	r->ngro--;
	for (; i < r->ngro; i++)
		r->gro[i] = r->gro[i + 1];
	eh_netif_receive_skb(c, q->nic->host, p, (int)(q - q->nic->queues));
}

static void new_skb(struct eh_cpu *c, struct eh_host *h, struct eh_packet *frame)
{
	eh_rx_skb_alloc(c, h, frame);
	frame->alloc_cpu = c->id;
	eh_touch(c, EH_SYM(napi_gro_frags), frame->skb->line + 1, 3, true);
}

/* skb_gro_receive: the frame's part of a page goes to the last sk_buff, or its own one behind it. */
static void merge(struct eh_cpu *c, struct eh_host *h, struct eh_packet *into, struct eh_packet *p)
{
	const int sym = EH_SYM(skb_gro_receive);

	eh_path(c, sym, h->kernel->cost.gro_merge);
	if (into->parts == EH_SKB_PARTS) {
		new_skb(c, h, p);
		into->shinfo = eh_rx_skb_shinfo(p);
		into->parts = 0;
	}
	eh_store(c, sym, into->shinfo);
	eh_store(c, sym, into->skb->line + 1);
	into->parts++;
	into->frames++;
	into->payload = (uint16_t)(into->payload + p->payload);
	into->last->more = p;
	into->last = p;
}

void eh_bulk_receive(struct eh_cpu *c, struct eh_nic_queue *q, struct eh_packet *p)
{
	struct eh_host *h = q->nic->host;
	struct eh_rx_ring *r = q->bulk;
	int i = 0;

	eh_path(c, EH_SYM(napi_gro_frags), h->kernel->cost.rx_frame);
	eh_bulk_settle(h, p);
	eh_load(c, EH_SYM(napi_gro_frags), frame_line(h, p), 0);
	refill(c, q);
	while (i < r->ngro && !same_flow(r->gro[i], p))
		i++;
	if (i < r->ngro) {
		struct eh_packet *into = r->gro[i];

		if (h->kernel->gro && into->seq + into->payload == p->seq &&
		    into->payload + p->payload <= EH_BULK_MOST) {
			merge(c, h, into, p);
			if (p->frame_bytes < mss_of(h))
				complete(c, q, i);
			return;
		}
		complete(c, q, i);
	}
	if (r->ngro == GRO_FLOWS)
		complete(c, q, 0);
	new_skb(c, h, p);
	p->shinfo = eh_rx_skb_shinfo(p);
	r->gro[r->ngro++] = p;
}

void eh_bulk_poll_end(struct eh_cpu *c, struct eh_nic_queue *q, bool empty)
{
	while (empty && q->bulk->ngro)
		complete(c, q, 0);
}

/* --- the sender's interface --- */

void eh_bulk_xmit(struct eh_nic *nic, struct eh_packet *p, eh_time at)
{
	int mss = mss_of(nic->host), left = p->payload;
	uint32_t seq = p->seq;

	while (left > mss) {
		struct eh_packet *frame = eh_packet_new(&nic->link->pool);

		*frame = *p;
		frame->seq = seq;
		frame->payload = (uint16_t)mss;
		seq += (uint32_t)mss;
		left -= mss;
		eh_link_send(nic->link, nic, frame, at);
	}
	p->seq = seq;
	p->payload = (uint16_t)left;
	eh_link_send(nic->link, nic, p, at);
}
