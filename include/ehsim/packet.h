/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A TCP segment on its way, and queues of them. Packets come from a pool and go back to it: nothing
 * is allocated in the steady state. The memory that carries a packet in a host (its sk_buff) is a
 * few slab objects of that host: skb.h.
 *
 * A request and a response are one segment each. The link loses and reorders nothing; what a host
 * drops (a full accept queue) is sent again by its sender, so that copies may meet: sequence numbers
 * tell them apart.
 */
#ifndef EHSIM_PACKET_H
#define EHSIM_PACKET_H

#include <ehsim/sim.h>
#include <glib.h>

struct eh_nic;
struct eh_object;
struct eh_page;

#define EH_PACKET_BLOCK 1024 /* packets the pool grows by */

enum { EH_SYN = 1, EH_ACK = 2, EH_PSH = 4, EH_RST = 8, EH_FIN = 16 };

struct eh_packet {
	struct eh_event ev;	/* its arrival */
	struct eh_packet *next; /* in whatever queue it is */
	eh_time received;	/* by the NIC */
	struct eh_nic *to;
	struct eh_object *skb, *data; /* of the receiver: skb.h */
	uint32_t saddr, daddr;
	uint32_t seq, ack;
	uint16_t sport, dport;
	uint16_t payload; /* bytes */
	uint8_t flags;
	bool plain; /* without timestamps */
	bool bulk;  /* of a stream: bulk.h */
	uint16_t alloc_cpu; /* of skb */
	uint32_t window;    /* bytes behind ack that may be sent */
	/* a bulk frame's part of a page; what GRO has merged into it, itself included */
	struct eh_page *page;
	uint16_t at; /* line of the page */
	uint16_t frame_bytes, frames, parts; /* its own bytes; parts: of the last of its sk_buffs */
	uint64_t dma; /* bytes the device had written on that node, with it */
	struct eh_packet *more, *last;
	uint32_t shinfo; /* line of skb_shared_info of the last of its sk_buffs */
};

struct eh_packet_pool {
	struct eh_packet *free;
	GPtrArray *blocks;
	uint64_t taken; /* outside the pool now */
};

void eh_packet_pool_init(struct eh_packet_pool *pool);
void eh_packet_pool_clear(struct eh_packet_pool *pool, struct eh_sim *sim); /* arrivals too */
struct eh_packet *eh_packet_new(struct eh_packet_pool *pool); /* all zero */
void eh_packet_free(struct eh_packet_pool *pool, struct eh_packet *p);

/* First in, first out. */
struct eh_packets {
	struct eh_packet *head, *tail;
};

static inline void eh_packets_push(struct eh_packets *q, struct eh_packet *p)
{
	p->next = NULL;
	if (q->head)
		q->tail->next = p;
	else
		q->head = p;
	q->tail = p;
}

static inline struct eh_packet *eh_packets_pop(struct eh_packets *q)
{
	struct eh_packet *p = q->head;

	if (p)
		q->head = p->next;
	return p;
}

#endif
