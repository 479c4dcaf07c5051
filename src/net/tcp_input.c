/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path.h"

#include <ehsim/bulk.h>
#include <ehsim/inet_hash.h>
#include <errno.h>

#define TIMEOUT_MIN 2 /* jiffies until a SYN answered by an old half is sent again */

void eh_tcp_wake(struct eh_cpu *c, struct eh_tcp *tp, uint32_t key)
{
	if (tp->dead)
		return;
	eh_path(c, EH_SYM(sock_def_readable), eh_cost_of(c)->readable);
	eh_tcp_lines(c, EH_SYM(sock_def_readable), tp, EH_SOCK_WAIT, 1, false);
	eh_ep_poll_callback(c, &tp->item, key);
}

void eh_tcp_note_timestamp(struct eh_tcp *tp, const struct eh_packet *p)
{
	if (!p->plain)
		tp->ts_stamp = eh_second(tp->sk.host->sim);
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
	eh_tcp_ack(c, tp, p);
	tp->rto = h->kernel->tcp_rto_min + c->retire - tp->syn_at;
	tp->rcv_nxt = p->seq + 1;
	eh_tcp_note_timestamp(tp, p);
	tp->sk.state = EH_TCP_ESTABLISHED;
	h->tcp->count.connected++;
	eh_tcp_wake(c, tp, 0);
	eh_tcp_transmit(c, tp, EH_ACK, 0);
	eh_packet_consume(c, h, p);
}

/* A connection that has not answered yet acknowledges at once; then the reader hears of it. */
void eh_tcp_data_queue(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p)
{
	eh_tcp_lines(c, EH_SYM(tcp_rcv_established), tp, EH_SOCK_RECEIVE, 1, true);
	eh_rmw(c, EH_SYM(tcp_rcv_established), tp->sk.obj->line + EH_SOCK_RECEIVE); /* sk_rmem_alloc */
	tp->rcv_nxt += p->payload;
	tp->received_at = c->retire;
	eh_packets_push(&tp->received, p);
	if (tp->pingpong)
		eh_tcp_start_delack(c, tp);
	else
		eh_tcp_transmit(c, tp, EH_ACK, 0);
	eh_tcp_wake(c, tp, EH_EPOLLIN);
}

static void rcv_established(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p)
{
	const struct eh_kernel_cost *cost = eh_cost_of(c);
	struct eh_host *h = tp->sk.host;
	bool fin = p->flags & EH_FIN;

	eh_path(c, EH_SYM(tcp_rcv_established), cost->rcv_established);
	eh_tcp_lines(c, EH_SYM(tcp_rcv_established), tp, EH_SOCK_TCP_TXRX, 2, true);
	eh_path(c, EH_SYM(tcp_ack), cost->ack);
	eh_tcp_lines(c, EH_SYM(tcp_ack), tp, EH_SOCK_SEND, 2, true);
	eh_tcp_ack(c, tp, p);
	eh_tcp_note_timestamp(tp, p);
	if ((p->payload || fin) && p->seq != tp->rcv_nxt) { /* a copy: its ACK has crossed it */
		h->tcp->count.duplicates++;
		eh_tcp_transmit(c, tp, EH_ACK, 0);
		eh_packet_consume(c, h, p);
		return;
	}
	if (p->payload)
		eh_tcp_data_queue(c, tp, p);
	if (fin)
		eh_tcp_passive_fin(c, tp);
	if (!p->payload)
		eh_packet_consume(c, h, p);
}

/* tcp_reset and tcp_done: out of the tables, then the owner hears of it, twice. */
static void reset(struct eh_cpu *c, struct eh_tcp *tp, int err, bool process)
{
	eh_path(c, EH_SYM(tcp_reset), eh_cost_of(c)->reset);
	eh_tcp_lines(c, EH_SYM(tcp_reset), tp, EH_SOCK_SEND, 2, true);
	eh_tcp_lines(c, EH_SYM(tcp_reset), tp, EH_SOCK_COMMON, 1, true);
	tp->sk.host->tcp->count.resets++;
	eh_tcp_done(c, tp, err, process);
}

static void useless(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p)
{
	h->tcp->count.stray++;
	eh_packet_consume(c, h, p);
}

/* tcp_rcv_synsent_state_process */
static void rcv_syn_sent(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p, bool process)
{
	struct eh_host *h = tp->sk.host;

	if (p->flags & EH_ACK && p->ack != tp->snd_nxt) { /* an old half's */
		eh_path(c, EH_SYM(tcp_rcv_state_process), h->kernel->cost.rcv_state);
		if (!tp->retransmits)
			eh_tcp_restart_retransmit(c, tp, TIMEOUT_MIN * eh_sched_jiffy(h->sched));
		eh_tcp_send_reset(c, h, p);
		useless(c, h, p);
	} else if (p->flags & EH_RST && p->flags & EH_ACK) {
		reset(c, tp, -ECONNREFUSED, process);
		eh_packet_consume(c, h, p);
	} else if (p->flags == (EH_SYN | EH_ACK)) {
		rcv_synack(c, tp, p);
	} else {
		useless(c, h, p);
	}
}

/* A SYN, or a reset that may be forged: say where we are, and go on. */
static void challenge(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p)
{
	struct eh_host *h = tp->sk.host;

	h->tcp->count.challenge_acks++;
	if (p->flags == EH_SYN)
		h->tcp->count.overtaken++;
	eh_path(c, EH_SYM(tcp_send_challenge_ack), h->kernel->cost.challenge_ack);
	eh_tcp_transmit(c, tp, EH_ACK, 0);
	eh_packet_consume(c, h, p);
}

void eh_tcp_do_rcv(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p, bool process)
{
	struct eh_host *h = tp->sk.host;

	if (tp->sk.state == EH_TCP_SYN_SENT) {
		rcv_syn_sent(c, tp, p, process);
	} else if (tp->sk.state == EH_TCP_CLOSE) {
		useless(c, h, p);
	} else if (p->flags & EH_RST && p->seq == tp->rcv_nxt) {
		reset(c, tp, -ECONNRESET, process);
		eh_packet_consume(c, h, p);
	} else if (p->flags & EH_RST && eh_seq_before(p->seq, tp->rcv_nxt)) {
		useless(c, h, p);
	} else if (p->flags & (EH_SYN | EH_RST)) {
		challenge(c, tp, p);
	} else if (tp->sk.state == EH_TCP_ESTABLISHED && tp->bulk) {
		eh_bulk_rcv(c, tp, p);
	} else if (tp->sk.state == EH_TCP_ESTABLISHED) {
		rcv_established(c, tp, p);
	} else {
		eh_tcp_note_timestamp(tp, p);
		eh_tcp_rcv_closing(c, tp, p, process);
	}
}

static void rcv_socket(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p)
{
	struct eh_tcp_host *th = tp->sk.host->tcp;
	struct eh_packet *read = NULL;

	tp->refs++;
	eh_bh_lock_sock(c, tp);
	if (tp->owned) {
		eh_tcp_lines(c, th->sym.rcv, tp, EH_SOCK_RECEIVE, 1, true);
		eh_packets_push(&tp->backlog, p);
		th->count.backlogged++;
	} else {
		read = tp->rx_skb;
		tp->rx_skb = NULL;
		tp->sk.host->in_hand += read != NULL;
		eh_tcp_do_rcv(c, tp, p, false);
	}
	eh_bh_unlock_sock(c, tp);
	if (read) {
		eh_packet_consume(c, tp->sk.host, read);
		tp->sk.host->in_hand--;
	}
	eh_tcp_put(c, tp, th->sym.rcv);
}

/* What no socket of a connection wants: a new connection, a cookie, or nobody's. */
static void rcv_listener(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p)
{
	bool listens = eh_tcp_listen_group(h->tcp, p->dport) != NULL;

	if (p->flags == EH_SYN && listens)
		eh_tcp_conn_request(c, h, p);
	else if (p->flags & (EH_SYN | EH_RST) || !listens || !eh_tcp_cookie_check(c, h, p)) {
		eh_tcp_send_reset(c, h, p);
		useless(c, h, p);
	}
}

/* tcp_v{4,6}_rcv */
void eh_tcp_rcv(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p)
{
	struct eh_sock *sk;
	bool done = false;

	eh_path(c, h->tcp->sym.rcv, h->kernel->cost.tcp_rcv);
	while (!done) {
		sk = eh_inet_lookup(c, h, p->daddr, p->dport, p->saddr, p->sport);
		done = true;
		if (!sk)
			rcv_listener(c, h, p);
		else if (sk->state == EH_TCP_NEW_SYN_RECV)
			done = eh_tcp_check_req(c, sk->tcp, p);
		else if (sk->state != EH_TCP_TIME_WAIT)
			rcv_socket(c, sk->tcp, p);
		else if (!eh_tcp_timewait_rcv(c, sk->tcp, p))
			rcv_listener(c, h, p);
	}
}
