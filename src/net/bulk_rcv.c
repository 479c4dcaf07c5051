/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bulk data, segments received: data to the queue, ACKs to the sender's. */
#include "bulk.h"

#include <ehsim/skb.h>

/* What the window may be: half of the memory that is left (tcp_adv_win_scale 1). */
static int64_t select_window(const struct eh_tcp *tp)
{
	const struct eh_host *h = tp->sk.host;
	int64_t window = (h->kernel->tcp_rmem - tp->bulk->rmem) / 2;

	return window >= eh_bulk_mss(h->kernel, h->net) ? window : 0;
}

static int64_t offered(const struct eh_tcp *tp)
{
	return (int64_t)(tp->bulk->edge - tp->rcv_nxt);
}

uint32_t eh_bulk_window(struct eh_tcp *tp)
{
	struct eh_bulk *b = tp->bulk;
	uint32_t window = (uint32_t)MAX(select_window(tp), offered(tp));

	b->edge = tp->rcv_nxt + window;
	b->acked = tp->rcv_nxt;
	return window;
}

static bool more_than_a_segment(const struct eh_tcp *tp)
{
	const struct eh_host *h = tp->sk.host;

	return tp->rcv_nxt - tp->bulk->acked > (uint32_t)eh_bulk_mss(h->kernel, h->net);
}

/* tcp_cleanup_rbuf, when recvmsg has `copied` bytes. */
void eh_bulk_cleanup(struct eh_cpu *c, struct eh_tcp *tp, int copied)
{
	int64_t now = offered(tp), window = select_window(tp);
	bool due = tp->rcv_nxt != tp->bulk->acked && more_than_a_segment(tp);

	if (!due && copied && 2 * now <= tp->sk.host->kernel->tcp_rmem / 2)
		due = window && window >= 2 * now;
	if (due)
		eh_tcp_transmit(c, tp, EH_ACK, 0);
}

static void data(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p)
{
	struct eh_host *h = tp->sk.host;
	int64_t window = offered(tp);

	eh_assert(h->sim, p->seq == tp->rcv_nxt);
	eh_tcp_lines(c, EH_SYM(tcp_rcv_established), tp, EH_SOCK_RECEIVE, 1, true);
	tp->rcv_nxt += p->payload;
	tp->bulk->rmem += eh_bulk_truesize(h, p);
	eh_packets_push(&tp->received, p);
	if (more_than_a_segment(tp) && select_window(tp) >= window)
		eh_tcp_transmit(c, tp, EH_ACK, 0);
	else
		eh_tcp_start_delack(c, tp);
	eh_tcp_wake(c, tp, EH_EPOLLIN);
}

/* One sk_buff that has arrived whole: its parts of page blocks, then itself. */
static void free_sent(struct eh_cpu *c, struct eh_tcp *tp, struct eh_tx_skb *s)
{
	struct eh_host *h = tp->sk.host;
	struct eh_skb *skb = s->skb;

	h->in_hand++;
	eh_path(c, EH_SYM(tcp_clean_rtx_queue), h->kernel->cost.clean_skb);
	eh_touch(c, EH_SYM(tcp_clean_rtx_queue), skb->head->line, 2, true);
	for (int i = 0; i < s->nblocks; i++)
		if (eh_bulk_put_page(c, EH_SYM(skb_release_data), s->block[i]))
			eh_page_free(c, h->m->mm, s->block[i]);
	tp->bulk->queued -= s->bytes + EH_SKB_TRUESIZE;
	s->next = tp->bulk->spare;
	tp->bulk->spare = s;
	skb->where &= ~EH_SKB_SOCKET;
	eh_skb_free(c, h, skb);
	h->in_hand--;
}

static void ack(struct eh_cpu *c, struct eh_tcp *tp, const struct eh_packet *p)
{
	struct eh_bulk *b = tp->bulk;
	struct eh_tx_skb *s;

	eh_path(c, EH_SYM(tcp_ack), eh_cost_of(c)->ack);
	eh_tcp_lines(c, EH_SYM(tcp_ack), tp, EH_SOCK_SEND, 2, true);
	if (eh_seq_before(b->window_end, p->ack + p->window))
		b->window_end = p->ack + p->window;
	if (eh_seq_before(tp->snd_una, p->ack))
		tp->snd_una = p->ack;
	while ((s = b->sent.head) && !eh_seq_before(tp->snd_una, s->end)) {
		b->sent.head = s->next;
		free_sent(c, tp, s);
	}
	eh_bulk_push(c, tp);
	if (b->full && eh_bulk_writable(tp)) {
		b->full = false;
		eh_tcp_wake(c, tp, EH_EPOLLOUT);
	}
}

void eh_bulk_rcv(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p)
{
	eh_path(c, EH_SYM(tcp_rcv_established), eh_cost_of(c)->rcv_established);
	eh_tcp_lines(c, EH_SYM(tcp_rcv_established), tp, EH_SOCK_TCP_TXRX, 2, true);
	if (p->payload) {
		data(c, tp, p);
		return;
	}
	ack(c, tp, p);
	eh_packet_consume(c, tp->sk.host, p);
}
