/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path.h"

#include <ehsim/bulk.h>
#include <ehsim/c2c.h>
#include <ehsim/link.h>
#include <ehsim/nic.h>
#include <ehsim/skb.h>
#include <ehsim/stream.h>

#define ISN_CLOCK (64 * EH_NS) /* RFC 6528's, as Linux ticks it */

/* __tcp_transmit_skb and below; the buffer is in hand until the interface has it. */
static void send_out(struct eh_cpu *c, struct eh_sock *sk, struct eh_tcp *tp, struct eh_skb *skb,
		     int flags, int payload, uint32_t seq, uint32_t ack)
{
	struct eh_host *h = sk->host;
	const struct eh_kernel_cost *cost = &h->kernel->cost;
	const int sym = EH_SYM(__tcp_transmit_skb);
	struct eh_packet *p;

	eh_path(c, sym, cost->transmit);
	eh_touch(c, sym, skb->data->line, EH_SKB_SHINFO, true);
	if (tp) {
		eh_tcp_lines(c, sym, tp, EH_SOCK_TCP_TX, 2, true);
		skb->owner = tp->sk.obj->line + EH_SOCK_SEND;
		eh_rmw(c, sym, skb->owner); /* sk_wmem_alloc */
	}
	eh_path(c, h->tcp->sym.xmit, cost->ip_xmit);
	p = eh_packet_new(&h->nic->link->pool);
	p->saddr = sk->laddr;
	p->sport = sk->lport;
	p->daddr = sk->raddr;
	p->dport = sk->rport;
	p->seq = seq;
	p->ack = ack;
	p->flags = (uint8_t)flags;
	p->payload = (uint16_t)payload;
	p->plain = !h->kernel->tcp_timestamps;
	if (tp && tp->bulk) {
		p->bulk = payload > 0;
		p->window = eh_bulk_window(tp);
	}
	eh_nic_xmit(c, h->nic, p, skb);
}

void eh_tcp_segment(struct eh_cpu *c, struct eh_sock *sk, struct eh_tcp *tp, int flags, int payload,
		    uint32_t seq, uint32_t ack)
{
	send_out(c, sk, tp, eh_skb_alloc(c, sk->host, false), flags, payload, seq, ack);
}

void eh_tcp_send_clone(struct eh_cpu *c, struct eh_tcp *tp, struct eh_skb *skb, int payload, uint32_t seq)
{
	eh_skb_clone(c, tp->sk.host, skb);
	send_out(c, &tp->sk, tp, skb, EH_ACK, payload, seq, tp->rcv_nxt);
}

void eh_tcp_transmit(struct eh_cpu *c, struct eh_tcp *tp, int flags, int payload)
{
	struct eh_host *h = tp->sk.host;
	uint32_t seq = tp->snd_nxt;
	struct eh_skb *skb;

	tp->snd_nxt += (uint32_t)payload + !!(flags & EH_SYN) + !!(flags & EH_FIN);
	if (flags & EH_ACK && eh_timer_pending(&tp->delack))
		eh_timer_del(c->sim, &tp->delack);
	if (tp->snd_nxt == seq) {
		eh_tcp_segment(c, &tp->sk, tp, flags, payload, seq, tp->rcv_nxt);
		return;
	}
	eh_tcp_start_retransmit(c, tp);
	skb = eh_skb_queue(c, tp, tp->snd_nxt, payload > 0);
	eh_skb_clone(c, h, skb);
	send_out(c, &tp->sk, tp, skb, flags, payload, seq, tp->rcv_nxt);
}

void eh_tcp_reply(struct eh_cpu *c, struct eh_host *h, const struct eh_packet *p, int flags,
		  uint32_t seq, uint32_t ack)
{
	struct eh_sock sk = {
		.host = h,
		.laddr = p->daddr,
		.lport = p->dport,
		.raddr = p->saddr,
		.rport = p->sport,
	};

	eh_tcp_segment(c, &sk, NULL, flags, 0, seq, ack);
}

/* tcp_v{4,6}_send_reset: a reset is never answered with one. */
void eh_tcp_send_reset(struct eh_cpu *c, struct eh_host *h, const struct eh_packet *p)
{
	if (p->flags & EH_RST)
		return;
	eh_path(c, h->tcp->sym.send_reset, h->kernel->cost.send_reset);
	if (p->flags & EH_ACK)
		eh_tcp_reply(c, h, p, EH_RST, p->ack, 0);
	else
		eh_tcp_reply(c, h, p, EH_RST | EH_ACK, 0,
			     p->seq + p->payload + !!(p->flags & EH_SYN) +
				     !!(p->flags & EH_FIN));
}

uint32_t eh_tcp_isn(const struct eh_host *h, const struct eh_sock *sk)
{
	const uint64_t words[] = {(uint64_t)sk->laddr << 32 | sk->raddr,
				  (uint64_t)sk->lport << 16 | sk->rport};
	uint64_t hash = eh_siphash(h->tcp->key[1], h->tcp->key[0], words, 2);

	return (uint32_t)(hash + (uint64_t)(eh_sim_now(h->sim) / ISN_CLOCK));
}
