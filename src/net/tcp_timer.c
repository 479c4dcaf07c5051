/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The timers of a full socket. A handler takes a reference and the socket lock; if a system call owns
 * the socket, that does the handler's work when it releases it.
 */
#include "path.h"

#include <errno.h>

#define BACKOFF_MAX 16

enum { RETRANSMIT = 1, DELACK = 2 }; /* eh_tcp.deferred */

static void write_timer(struct eh_cpu *c, struct eh_timer *t);

static eh_time backed_off(const struct eh_tcp *tp)
{
	const struct eh_kernel_config *k = tp->sk.host->kernel;
	int shift = MIN(tp->retransmits, BACKOFF_MAX);

	return MIN(tp->rto << shift, k->tcp_rto_max);
}

void eh_tcp_start_retransmit(struct eh_cpu *c, struct eh_tcp *tp)
{
	if (!eh_timer_pending(&tp->retransmit))
		eh_timer_mod(c, &tp->retransmit, write_timer, backed_off(tp));
}

void eh_tcp_restart_retransmit(struct eh_cpu *c, struct eh_tcp *tp, eh_time delay)
{
	eh_timer_mod(c, &tp->retransmit, write_timer, delay);
}

void eh_tcp_stop_timers(struct eh_tcp *tp)
{
	eh_timer_del(tp->sk.host->sim, &tp->retransmit);
	eh_timer_del(tp->sk.host->sim, &tp->delack);
}

void eh_tcp_retransmit(struct eh_cpu *c, struct eh_tcp *tp)
{
	int bytes = (int)(tp->snd_nxt - tp->snd_una) - tp->fin;

	tp->sk.host->tcp->count.retransmits++;
	if (tp->sk.state == EH_TCP_SYN_SENT)
		eh_tcp_segment(c, &tp->sk, tp, EH_SYN, 0, tp->snd_una, 0);
	else
		eh_tcp_segment(c, &tp->sk, tp,
			       EH_ACK | (bytes ? EH_PSH : 0) | (tp->fin ? EH_FIN : 0), bytes,
			       tp->snd_una, tp->rcv_nxt);
}

/* tcp_retransmit_timer: the oldest again, later each time, or the end. */
static void retransmit_timeout(struct eh_cpu *c, struct eh_tcp *tp)
{
	const struct eh_kernel_config *k = tp->sk.host->kernel;
	int64_t most = tp->sk.state == EH_TCP_SYN_SENT ? k->tcp_syn_retries : k->tcp_retries2;

	if (tp->sk.state == EH_TCP_CLOSE || tp->snd_una == tp->snd_nxt)
		return;
	if (tp->retransmits >= most) {
		tp->sk.host->tcp->count.timeouts++;
		eh_tcp_done(c, tp, -ETIMEDOUT, false);
		return;
	}
	tp->retransmits++;
	eh_tcp_retransmit(c, tp);
	eh_tcp_start_retransmit(c, tp);
}

static void delack_timeout(struct eh_cpu *c, struct eh_tcp *tp)
{
	if (tp->sk.state != EH_TCP_CLOSE)
		eh_tcp_transmit(c, tp, EH_ACK, 0);
}

void eh_tcp_release_cb(struct eh_cpu *c, struct eh_tcp *tp)
{
	int deferred = tp->deferred;

	tp->deferred = 0;
	if (deferred & RETRANSMIT)
		retransmit_timeout(c, tp);
	if (deferred & DELACK)
		delack_timeout(c, tp);
}

static void handle(struct eh_cpu *c, struct eh_tcp *tp, int which, int sym)
{
	struct eh_host *h = tp->sk.host;

	tp->refs++; /* the timer's, charged to nobody as it was when it was armed */
	eh_path(c, sym, h->kernel->cost.timer);
	eh_bh_lock_sock(c, tp);
	tp->deferred |= which;
	if (!tp->owned)
		eh_tcp_release_cb(c, tp);
	eh_bh_unlock_sock(c, tp);
	eh_tcp_put(c, tp, sym);
}

static void write_timer(struct eh_cpu *c, struct eh_timer *t)
{
	handle(c, eh_container_of(t, struct eh_tcp, retransmit), RETRANSMIT,
	       EH_SYM(tcp_write_timer_handler));
}

static void delack_timer(struct eh_cpu *c, struct eh_timer *t)
{
	handle(c, eh_container_of(t, struct eh_tcp, delack), DELACK,
	       EH_SYM(tcp_delack_timer_handler));
}

void eh_tcp_start_delack(struct eh_cpu *c, struct eh_tcp *tp)
{
	if (!eh_timer_pending(&tp->delack))
		eh_timer_mod(c, &tp->delack, delack_timer, tp->sk.host->kernel->tcp_delack_min);
}
