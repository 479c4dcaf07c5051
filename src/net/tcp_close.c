/* SPDX-License-Identifier: GPL-3.0-or-later */
/* close(), and the states a connection goes through after the first FIN. */
#include "path.h"

#include <errno.h>
#include <ehsim/inet_hash.h>
#include <ehsim/skb.h>

void eh_tcp_purge(struct eh_cpu *c, struct eh_tcp *tp)
{
	struct eh_packet *p;

	while ((p = eh_packets_pop(&tp->received)))
		eh_packet_consume(c, tp->sk.host, p);
}

/* inet_csk_destroy_sock, by whoever closed the last half. */
static void destroy(struct eh_cpu *c, struct eh_tcp *tp)
{
	const int sym = EH_SYM(inet_csk_destroy_sock);

	eh_skb_purge(c, tp);
	eh_path(c, sym, eh_cost_of(c)->destroy);
	eh_tcp_lines(c, sym, tp, EH_SOCK_RECEIVE, 4, true);
}

void eh_tcp_done(struct eh_cpu *c, struct eh_tcp *tp, int err, bool process)
{
	tp->sk.state = EH_TCP_CLOSE;
	tp->err = err;
	eh_tcp_stop_timers(tp);
	if (tp->sk.hashed)
		eh_inet_unhash(c, &tp->sk, process);
	eh_inet_put_port(c, &tp->sk, process);
	if (!tp->dead) {
		eh_skb_purge(c, tp);
		eh_tcp_wake(c, tp, 0);
		if (err)
			eh_tcp_wake(c, tp, EH_EPOLLERR);
		return;
	}
	destroy(c, tp);
	eh_tcp_put(c, tp, EH_SYM(inet_csk_destroy_sock));
}

/* tcp_disconnect with a reset: tables first, then the RST, then the queues. */
static void disconnect(struct eh_cpu *c, struct eh_tcp *tp)
{
	const struct eh_kernel_cost *cost = eh_cost_of(c);
	bool connected = tp->sk.state != EH_TCP_SYN_SENT;

	eh_path(c, EH_SYM(tcp_disconnect), cost->disconnect);
	eh_tcp_lines(c, EH_SYM(tcp_disconnect), tp, EH_SOCK_COMMON, 1, true);
	tp->sk.state = EH_TCP_CLOSE;
	eh_tcp_stop_timers(tp);
	eh_inet_unhash(c, &tp->sk, true);
	eh_inet_put_port(c, &tp->sk, true);
	if (!connected)
		return;
	eh_path(c, EH_SYM(tcp_send_active_reset), cost->send_reset);
	eh_tcp_transmit(c, tp, EH_RST | EH_ACK, 0);
}

/* The FIN is on its way: the socket lives on without a file until the last ACK. */
static void orphan(struct eh_cpu *c, struct eh_tcp *tp)
{
	struct eh_host *h = tp->sk.host;
	const int sym = EH_SYM(tcp_send_fin);
	bool passive = tp->sk.state == EH_TCP_CLOSE_WAIT;

	eh_tcp_lines(c, sym, tp, EH_SOCK_COMMON, 1, true);
	tp->sk.state = passive ? EH_TCP_LAST_ACK : EH_TCP_FIN_WAIT1;
	tp->fin = true;
	eh_path(c, sym, h->kernel->cost.send_fin);
	eh_tcp_lines(c, sym, tp, EH_SOCK_SEND, 2, true);
	eh_tcp_transmit(c, tp, EH_FIN | EH_ACK, 0);
	eh_rmw(c, sym, tp->sk.obj->line + EH_SOCK_LOCK); /* sock_hold */
	tp->refs++;
	tp->dead = true;
	eh_release_sock(c, tp);
	eh_local_bh_disable(c);
	eh_bh_lock_sock(c, tp);
	if (tp->sk.state == EH_TCP_FIN_WAIT2) /* the ACK came while close() owned the socket */
		eh_tcp_time_wait(c, tp, true, false);
	eh_bh_unlock_sock(c, tp);
	eh_local_bh_enable(c);
}

/* tcp_close and inet_csk_destroy_sock; the last reference may be somebody else's. */
static void close_socket(struct eh_cpu *c, struct eh_tcp *tp)
{
	bool unread = tp->received.head != NULL;

	eh_lock_sock(c, tp);
	if (tp->sk.state == EH_TCP_SYN_SENT || tp->reset_on_close || unread) {
		if (tp->sk.state != EH_TCP_CLOSE)
			disconnect(c, tp);
		eh_tcp_purge(c, tp);
	} else if (tp->sk.state != EH_TCP_CLOSE) {
		orphan(c, tp);
		eh_tcp_put(c, tp, EH_SYM(inet_csk_destroy_sock));
		return;
	}
	destroy(c, tp);
	eh_release_sock(c, tp);
	eh_tcp_put(c, tp, EH_SYM(inet_csk_destroy_sock));
}

void eh_sys_close(struct eh_task *t, struct eh_tcp *tp)
{
	struct eh_cpu *c = eh_sys_enter(t);
	struct eh_host *h = tp->sk.host;
	struct eh_object *file = tp->file;

	eh_assert(h->sim, !tp->item.ep && !tp->accept);
	eh_path(c, EH_SYM(__fput), h->kernel->cost.fd_free);
	eh_touch(c, EH_SYM(__fput), file->line, 2, true);
	tp->file = NULL;
	close_socket(c, tp);
	eh_kmem_free(c, h->file_cache, file);
	eh_sys_exit(t);
}

bool eh_tcp_ack(struct eh_cpu *c, struct eh_tcp *tp, const struct eh_packet *p)
{
	if (!(p->flags & EH_ACK) || !eh_seq_before(tp->snd_una, p->ack) ||
	    eh_seq_before(tp->snd_nxt, p->ack))
		return false;
	tp->snd_una = p->ack;
	tp->retransmits = 0;
	eh_timer_del(c->sim, &tp->retransmit);
	if (tp->snd_una != tp->snd_nxt)
		eh_tcp_start_retransmit(c, tp);
	eh_skb_acked(c, tp);
	return true;
}

/* tcp_fin of an established socket: the ACK waits for our own FIN to carry it. */
void eh_tcp_passive_fin(struct eh_cpu *c, struct eh_tcp *tp)
{
	eh_path(c, EH_SYM(tcp_fin), eh_cost_of(c)->fin);
	eh_tcp_lines(c, EH_SYM(tcp_fin), tp, EH_SOCK_COMMON, 1, true);
	tp->rcv_nxt++;
	tp->sk.state = EH_TCP_CLOSE_WAIT;
	eh_tcp_start_delack(c, tp);
	eh_tcp_wake(c, tp, 0);
}

/* tcp_fin of a socket that has closed its half. */
static void active_fin(struct eh_cpu *c, struct eh_tcp *tp, bool process)
{
	eh_path(c, EH_SYM(tcp_fin), eh_cost_of(c)->fin);
	tp->rcv_nxt++;
	eh_tcp_transmit(c, tp, EH_ACK, 0);
	if (tp->sk.state == EH_TCP_FIN_WAIT2)
		eh_tcp_time_wait(c, tp, false, process);
	else
		tp->sk.state = EH_TCP_CLOSING;
}

/* Our FIN has been acknowledged. True: this segment has no more to say. */
static bool fin_acked(struct eh_cpu *c, struct eh_tcp *tp, const struct eh_packet *p, bool process)
{
	switch (tp->sk.state) {
	case EH_TCP_FIN_WAIT1:
		eh_tcp_lines(c, EH_SYM(tcp_rcv_state_process), tp, EH_SOCK_COMMON, 1, true);
		tp->sk.state = EH_TCP_FIN_WAIT2;
		if (p->flags & EH_FIN || process)
			return false;
		eh_tcp_time_wait(c, tp, true, process);
		return true;
	case EH_TCP_CLOSING:
		eh_tcp_time_wait(c, tp, false, process);
		return true;
	case EH_TCP_LAST_ACK:
		eh_tcp_done(c, tp, 0, process);
		return true;
	default:
		return false;
	}
}

void eh_tcp_rcv_closing(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p, bool process)
{
	struct eh_host *h = tp->sk.host;
	const struct eh_kernel_cost *cost = &h->kernel->cost;
	bool done = false, fresh = p->seq == tp->rcv_nxt;

	eh_path(c, EH_SYM(tcp_rcv_state_process), cost->rcv_state);
	eh_tcp_lines(c, EH_SYM(tcp_rcv_state_process), tp, EH_SOCK_TCP_TXRX, 2, true);
	eh_path(c, EH_SYM(tcp_ack), cost->ack);
	eh_tcp_lines(c, EH_SYM(tcp_ack), tp, EH_SOCK_SEND, 2, true);
	eh_tcp_ack(c, tp, p);
	if (tp->fin && tp->snd_una == tp->snd_nxt)
		done = fin_acked(c, tp, p, process);
	if (done) {
		;
	} else if (p->payload && fresh && tp->dead) { /* nobody will read it */
		eh_tcp_send_reset(c, h, p);
		eh_tcp_done(c, tp, -ECONNRESET, process);
	} else if (p->payload || (p->flags & EH_FIN && !fresh)) {
		h->tcp->count.duplicates++;
		eh_tcp_transmit(c, tp, EH_ACK, 0);
	} else if (p->flags & EH_FIN) {
		active_fin(c, tp, process);
	}
	eh_packet_consume(c, h, p);
}
