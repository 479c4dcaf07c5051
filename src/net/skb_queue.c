/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sent buffers of a socket: its retransmit queue and its cache. */
#include "path.h"

#include <ehsim/skb.h>

static void push(struct eh_tcp *tp, struct eh_skb *skb)
{
	skb->next = NULL;
	if (tp->rtx.head)
		tp->rtx.tail->next = skb;
	else
		tp->rtx.head = skb;
	tp->rtx.tail = skb;
	skb->where |= EH_SKB_SOCKET;
}

static struct eh_skb *pop(struct eh_tcp *tp)
{
	struct eh_skb *skb = tp->rtx.head;

	tp->rtx.head = skb->next;
	return skb;
}

/* The buffer in the socket's cache, if its clone is gone: pskb_trim, tcp_skb_cb and list anew. */
static struct eh_skb *reuse(struct eh_cpu *c, struct eh_tcp *tp)
{
	const int sym = EH_SYM(sk_stream_alloc_skb);
	struct eh_skb *skb = tp->tx_skb;

	if (!skb || eh_word_load(c, sym, &skb->dataref) != 1)
		return NULL;
	tp->tx_skb = NULL;
	push(tp, skb);
	if (skb->page)
		eh_rmw(c, sym, skb->page);
	skb->page = 0;
	eh_touch(c, sym, skb->head->line, 2, true);
	eh_store(c, sym, skb->dataref.line);
	tp->sk.host->skbs->reused++;
	return skb;
}

struct eh_skb *eh_skb_queue(struct eh_cpu *c, struct eh_tcp *tp, uint32_t end, bool payload)
{
	struct eh_host *h = tp->sk.host;
	struct eh_skb *skb = payload ? reuse(c, tp) : NULL;

	if (!skb) {
		skb = eh_skb_alloc(c, h, true);
		push(tp, skb);
		eh_skb_placed(h);
	}
	skb->end = end;
	eh_tcp_lines(c, EH_SYM(sk_stream_alloc_skb), tp, EH_SOCK_RECEIVE, 1, true);
	if (payload) {
		skb->page = h->skbs->pages[c->id];
		eh_rmw(c, EH_SYM(tcp_sendmsg_locked), skb->page);
	}
	return skb;
}

/* sk_wmem_free_skb */
static void drop(struct eh_cpu *c, struct eh_tcp *tp, struct eh_skb *skb)
{
	struct eh_host *h = tp->sk.host;

	if (h->kernel->tx_skb_cache && !tp->tx_skb && !h->skbs->pressure) {
		tp->tx_skb = skb;
		return;
	}
	skb->where &= ~EH_SKB_SOCKET;
	eh_skb_free(c, h, skb);
}

void eh_skb_acked(struct eh_cpu *c, struct eh_tcp *tp)
{
	const int sym = EH_SYM(tcp_clean_rtx_queue);

	while (tp->rtx.head && !eh_seq_before(tp->snd_una, tp->rtx.head->end)) {
		struct eh_skb *skb = pop(tp);

		tp->sk.host->in_hand++;
		eh_touch(c, sym, skb->head->line, 2, false);
		eh_tcp_lines(c, sym, tp, EH_SOCK_RECEIVE, 1, true);
		tp->sk.host->in_hand--;
		drop(c, tp, skb);
	}
}

void eh_skb_purge(struct eh_cpu *c, struct eh_tcp *tp)
{
	struct eh_skb *skb;

	while (tp->rtx.head) {
		skb = pop(tp);
		skb->where &= ~EH_SKB_SOCKET;
		eh_skb_free(c, tp->sk.host, skb);
	}
	skb = tp->tx_skb;
	tp->tx_skb = NULL;
	if (!skb)
		return;
	skb->where &= ~EH_SKB_SOCKET;
	eh_skb_free(c, tp->sk.host, skb);
}
