/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of bulk data share. */
#ifndef EHSIM_NET_BULK_H
#define EHSIM_NET_BULK_H

#include "path.h"

#include <ehsim/bulk.h>

#define EH_LINE_BYTES 64
#define EH_SKB_PARTS 17		/* MAX_SKB_FRAGS */
#define EH_SKB_TRUESIZE 768	/* sk_buff, head and skb_shared_info, as SKB_TRUESIZE counts them */
#define EH_BULK_MOST 65535	/* of a merged packet, of an sk_buff that is sent */

/* References of a page in use, kept where its users may keep something. */
static inline void eh_bulk_set_refs(struct eh_page *p, uintptr_t refs)
{
	p->slab = (void *)refs;
}

/* put_page: true when it was the last reference. */
static inline bool eh_bulk_put_page(struct eh_cpu *c, int sym, struct eh_page *p)
{
	uintptr_t refs;

	eh_rmw(c, sym, p->line);
	refs = (uintptr_t)p->slab - 1;
	p->slab = (void *)refs;
	return refs == 0;
}

static inline eh_line_id eh_bulk_page(struct eh_mm *mm, struct eh_page *p)
{
	eh_page_data(mm, p, EH_LINE_BYTES, (EH_PAGE_BYTES / EH_LINE_BYTES) << p->order);
	return p->data;
}

/* A buffer of a frame: half a page as long as a segment fits. */
static inline int eh_bulk_buffer(int mss)
{
	return mss <= EH_PAGE_BYTES / 2 ? EH_PAGE_BYTES / 2 : EH_PAGE_BYTES;
}

static inline int64_t eh_bulk_truesize(const struct eh_host *h, const struct eh_packet *p)
{
	int64_t skbs = (p->frames + EH_SKB_PARTS - 1) / EH_SKB_PARTS;

	return p->frames * eh_bulk_buffer(eh_bulk_mss(h->kernel, h->net)) + skbs * EH_SKB_TRUESIZE;
}

/* bulk_data.c: a third of the send memory is free; whatever may leave. */
bool eh_bulk_writable(const struct eh_tcp *tp);
void eh_bulk_push(struct eh_cpu *c, struct eh_tcp *tp);
/* bulk_rcv.c: an ACK when recvmsg has copied so much, if one is due. */
void eh_bulk_cleanup(struct eh_cpu *c, struct eh_tcp *tp, int copied);

/* Where a frame is by now, as somebody begins to read it: its lines may have left the L3. */
void eh_bulk_settle(struct eh_host *h, struct eh_packet *frame);

/* Before time 0: the buffers of all receive queues that have none yet. */
void eh_rx_rings_fill(struct eh_nic *nic);

#endif
