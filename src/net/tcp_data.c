/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path.h"

#include <ehsim/link.h>
#include <ehsim/nic.h>
#include <ehsim/skb.h>
#include <ehsim/softnet.h>
#include <errno.h>

int eh_sys_send(struct eh_task *t, struct eh_tcp *tp, int bytes)
{
	struct eh_cpu *c = eh_sys_enter(t);
	struct eh_host *h = tp->sk.host;
	const int sym = EH_SYM(tcp_sendmsg_locked);
	int ret = -ECONNRESET;

	eh_rps_record_flow(c, h, &tp->sk);
	eh_lock_sock(c, tp);
	if (tp->sk.state == EH_TCP_ESTABLISHED || tp->sk.state == EH_TCP_CLOSE_WAIT) {
		eh_path(c, sym, eh_cost_of(c)->sendmsg);
		eh_tcp_lines(c, sym, tp, EH_SOCK_SEND, 2, true);
		if (tp->received_at && c->retire - tp->received_at < h->kernel->tcp_delack_min)
			tp->pingpong = true; /* tcp_event_data_sent */
		eh_tcp_transmit(c, tp, EH_PSH | EH_ACK, bytes);
		ret = bytes;
	}
	eh_release_sock(c, tp);
	eh_sys_exit(t);
	return ret;
}

/* sk_eat_skb */
static void eat_skb(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p)
{
	struct eh_host *h = tp->sk.host;

	if (eh_skb_defer(c, h, p))
		return;
	if (!h->kernel->rx_skb_cache || h->kernel->steering != EH_STEER_OFF || tp->rx_skb ||
	    h->skbs->pressure) {
		eh_packet_consume(c, h, p);
		return;
	}
	tp->rx_skb = p;
}

int eh_sys_recv(struct eh_task *t, struct eh_tcp *tp)
{
	struct eh_cpu *c = eh_sys_enter(t);
	const int sym = EH_SYM(tcp_recvmsg_locked);
	struct eh_packet *p;
	int ret;

	eh_rps_record_flow(c, tp->sk.host, &tp->sk);
	eh_lock_sock(c, tp);
	eh_path(c, sym, eh_cost_of(c)->recvmsg);
	eh_tcp_lines(c, sym, tp, EH_SOCK_RECEIVE, 1, true);
	eh_tcp_lines(c, sym, tp, EH_SOCK_TCP_RX, 1, true);
	p = eh_packets_pop(&tp->received);
	if (p) {
		ret = p->payload;
		eh_touch(c, sym, p->skb->line, EH_SKB_LINES, false);
		eh_load(c, sym, p->data->line, 0);
		eh_rmw(c, EH_SYM(sock_rfree), tp->sk.obj->line + EH_SOCK_RECEIVE);
		eat_skb(c, tp, p);
	} else if (tp->sk.state == EH_TCP_CLOSE_WAIT) {
		ret = 0;
	} else {
		ret = tp->sk.state == EH_TCP_ESTABLISHED ? -EAGAIN : -ECONNRESET;
	}
	eh_release_sock(c, tp);
	eh_sys_exit(t);
	return ret;
}
