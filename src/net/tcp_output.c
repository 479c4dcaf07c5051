/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path.h"

#include <ehsim/link.h>
#include <ehsim/nic.h>

void eh_tcp_transmit(struct eh_cpu *c, struct eh_sock *sk, struct eh_tcp *tp, int flags,
		     int payload)
{
	struct eh_host *h = sk->host;
	const struct eh_kernel_cost *cost = &h->kernel->cost;
	struct eh_object *skb = eh_kmem_alloc(c, h->skb_cache);
	struct eh_packet *p;

	eh_touch(c, EH_SYM(__tcp_transmit_skb), skb->line + 1, 3, true);
	eh_path(c, EH_SYM(__tcp_transmit_skb), cost->transmit);
	if (tp)
		eh_tcp_lines(c, EH_SYM(__tcp_transmit_skb), tp, EH_SOCK_TCP_TX, 2, true);
	eh_path(c, h->tcp->sym.xmit, cost->ip_xmit);
	p = eh_packet_new(&h->nic->link->pool);
	p->saddr = sk->laddr;
	p->sport = sk->lport;
	p->daddr = sk->raddr;
	p->dport = sk->rport;
	p->flags = (uint8_t)flags;
	p->payload = (uint16_t)payload;
	eh_nic_xmit(c, h->nic, p, skb);
}
