/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path.h"

#include <ehsim/inet_hash.h>

/* sock_def_readable, sk_state_change, sk_error_report: the callback that epoll has hung there. */
static void wake(struct eh_cpu *c, struct eh_tcp *tp, uint32_t key)
{
	eh_path(c, EH_SYM(sock_def_readable), eh_cost_of(c)->readable);
	eh_tcp_lines(c, EH_SYM(sock_def_readable), tp, EH_SOCK_WAIT, 1, false);
	eh_ep_poll_callback(c, &tp->item, key);
}

/* Third packet of the handshake and its news, in SYN_SENT. */
static void rcv_synack(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p)
{
	struct eh_host *h = tp->sk.host;
	const struct eh_kernel_cost *cost = &h->kernel->cost;

	eh_path(c, EH_SYM(tcp_rcv_state_process), cost->rcv_state);
	eh_path(c, EH_SYM(tcp_ack), cost->ack);
	eh_tcp_lines(c, EH_SYM(tcp_rcv_state_process), tp, EH_SOCK_SEND, 2, true);
	eh_tcp_lines(c, EH_SYM(tcp_rcv_state_process), tp, EH_SOCK_TCP_TXRX, 2, true);
	eh_tcp_lines(c, EH_SYM(tcp_rcv_state_process), tp, EH_SOCK_COMMON, 1, true);
	tp->sk.state = EH_TCP_ESTABLISHED;
	h->tcp->count.connected++;
	wake(c, tp, 0);
	eh_tcp_transmit(c, &tp->sk, tp, EH_ACK, 0);
	eh_packet_consume(c, h, p);
}

/* A young connection acknowledges at once; then the reader hears of it. */
void eh_tcp_data_queue(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p)
{
	eh_tcp_lines(c, EH_SYM(tcp_rcv_established), tp, EH_SOCK_RECEIVE, 1, true);
	eh_packets_push(&tp->received, p);
	eh_tcp_transmit(c, &tp->sk, tp, EH_ACK, 0);
	wake(c, tp, EH_EPOLLIN);
}

static void rcv_established(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p)
{
	const struct eh_kernel_cost *cost = eh_cost_of(c);

	eh_path(c, EH_SYM(tcp_rcv_established), cost->rcv_established);
	eh_tcp_lines(c, EH_SYM(tcp_rcv_established), tp, EH_SOCK_TCP_TXRX, 2, true);
	eh_path(c, EH_SYM(tcp_ack), cost->ack);
	eh_tcp_lines(c, EH_SYM(tcp_ack), tp, EH_SOCK_SEND, 2, true);
	if (p->payload)
		eh_tcp_data_queue(c, tp, p);
	else
		eh_packet_consume(c, tp->sk.host, p);
}

/* tcp_reset and tcp_done: out of the tables, then the owner hears of it, twice. */
static void reset(struct eh_cpu *c, struct eh_tcp *tp, bool process)
{
	eh_path(c, EH_SYM(tcp_reset), eh_cost_of(c)->reset);
	eh_tcp_lines(c, EH_SYM(tcp_reset), tp, EH_SOCK_SEND, 2, true);
	eh_tcp_lines(c, EH_SYM(tcp_reset), tp, EH_SOCK_COMMON, 1, true);
	tp->sk.state = EH_TCP_CLOSE;
	tp->sk.host->tcp->count.resets++;
	eh_inet_unhash(c, &tp->sk, process);
	eh_inet_put_port(c, &tp->sk, process);
	wake(c, tp, 0);
	wake(c, tp, EH_EPOLLERR);
}

bool eh_tcp_do_rcv(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p, bool process)
{
	struct eh_host *h = tp->sk.host;

	if (tp->sk.state == EH_TCP_SYN_SENT && p->flags == (EH_SYN | EH_ACK)) {
		rcv_synack(c, tp, p);
	} else if (tp->sk.state == EH_TCP_ESTABLISHED && p->flags & EH_RST) {
		reset(c, tp, process);
		eh_packet_consume(c, h, p);
	} else if (tp->sk.state == EH_TCP_ESTABLISHED && p->flags == EH_SYN) {
		h->tcp->count.overtaken++;
		reset(c, tp, process);
		return false;
	} else if (tp->sk.state == EH_TCP_ESTABLISHED) {
		rcv_established(c, tp, p);
	} else {
		h->tcp->count.stray++;
		eh_packet_consume(c, h, p);
	}
	return true;
}

/* Is it still what the lookup found? Others may have run while the reference was taken. */
static bool still_there(const struct eh_sock *sk, const struct eh_packet *p)
{
	return sk->hashed && sk->lport == p->dport && sk->raddr == p->saddr &&
	       sk->rport == p->sport;
}

static void rcv_socket(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p)
{
	struct eh_tcp_host *th = tp->sk.host->tcp;
	bool again = false;

	tp->refs++;
	eh_bh_lock_sock(c, tp);
	if (tp->owned) {
		eh_tcp_lines(c, th->sym.rcv, tp, EH_SOCK_RECEIVE, 1, true);
		eh_packets_push(&tp->backlog, p);
		th->count.backlogged++;
	} else {
		again = !eh_tcp_do_rcv(c, tp, p, false);
	}
	eh_bh_unlock_sock(c, tp);
	eh_tcp_put(c, tp, th->sym.rcv);
	if (again)
		eh_tcp_conn_request(c, th->host, p);
}

/* tcp_v{4,6}_rcv */
void eh_tcp_rcv(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p)
{
	struct eh_sock *sk;

	eh_path(c, h->tcp->sym.rcv, h->kernel->cost.tcp_rcv);
	sk = eh_inet_lookup(c, h, p->daddr, p->dport, p->saddr, p->sport);
	if (sk && still_there(sk, p)) {
		if (sk->state == EH_TCP_NEW_SYN_RECV)
			eh_tcp_check_req(c, sk->tcp, p);
		else
			rcv_socket(c, sk->tcp, p);
	} else if (p->flags == EH_SYN && eh_tcp_listen_group(h->tcp, p->dport)) {
		eh_tcp_conn_request(c, h, p);
	} else {
		h->tcp->count.stray++;
		eh_packet_consume(c, h, p);
	}
}
