/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Connections between SYN and child: the timer that sends a SYN-ACK again until it gives the request
 * up, and the cookies that take the place of requests when too many are open.
 */
#include "inet_table.h"
#include "path.h"

#include <ehsim/stream.h>

#define COOKIE_PERIOD (60 * EH_SEC)
#define COOKIE_AGE 2 /* periods */

static void timer_fires(struct eh_cpu *c, struct eh_timer *t);

void eh_request_start_timer(struct eh_cpu *c, struct eh_request *req)
{
	const struct eh_kernel_config *k = req->sk.host->kernel;

	eh_timer_mod(c, &req->timer, timer_fires,
		     MIN(k->tcp_syn_timeout << MIN(req->timeouts, 16), k->tcp_rto_max));
}

void eh_request_unlist(struct eh_cpu *c, struct eh_request *req, int sym)
{
	struct eh_accept_queue *q = req->listener->accept;

	if (!req->timeouts)
		eh_rmw(c, sym, q->lock.line); /* young */
	eh_rmw(c, sym, q->lock.line);	      /* qlen */
	q->requests--;
	req->listed = false;
}

/* inet_csk_reqsk_queue_drop */
bool eh_request_drop(struct eh_cpu *c, struct eh_request *req, int sym)
{
	struct eh_host *h = req->sk.host;
	struct eh_spinlock *lock = eh_ehash_lockp(h->hash, &req->sk);
	bool ours;

	eh_call(c, EH_SYM(_raw_spin_lock), h->kernel->cost.spin_lock);
	eh_spin_lock(c, lock, &h->ehash_lock, EH_SYM(_raw_spin_lock));
	ours = req->sk.hashed;
	if (ours)
		eh_ehash_remove_locked(c, &req->sk, sym);
	eh_spin_unlock(c, lock, sym, h->kernel->cost.spin_unlock);
	if (!ours)
		return false;
	eh_timer_del(c->sim, &req->timer);
	eh_request_unlist(c, req, sym);
	eh_request_put(c, req, sym);
	return true;
}

void eh_tcp_synack(struct eh_cpu *c, struct eh_request *req, struct eh_tcp *owner, uint32_t isn)
{
	struct eh_host *h = req->sk.host;

	if (owner && h->kernel->synack_owner)
		eh_nic_own_next(c, h->nic, owner->sk.obj->line + EH_SOCK_SEND);
	eh_tcp_segment(c, &req->sk, NULL, EH_SYN | EH_ACK, 0, isn, req->rcv_nxt);
}

/* reqsk_timer_handler: an ACK that found no room does not keep its request from being asked again. */
static void timer_fires(struct eh_cpu *c, struct eh_timer *t)
{
	struct eh_request *req = eh_container_of(t, struct eh_request, timer);
	struct eh_host *h = req->sk.host;
	const int sym = EH_SYM(reqsk_timer_handler);

	req->refs++;
	eh_path(c, sym, h->kernel->cost.timer);
	eh_touch(c, sym, req->sk.obj->line, EH_REQ_LINES, false);
	eh_cpu_sync(c, c->retire);
	if (!req->sk.hashed) {
		;
	} else if (req->timeouts >= h->kernel->tcp_synack_retries) {
		h->tcp->count.timeouts++;
		eh_request_drop(c, req, sym);
	} else {
		h->tcp->count.synack_retransmits++;
		eh_tcp_synack(c, req, NULL, req->isn);
		if (!req->timeouts++)
			eh_rmw(c, sym, req->listener->accept->lock.line); /* young no more */
		if (req->sk.hashed)
			eh_request_start_timer(c, req);
	}
	eh_request_put(c, req, sym);
}

/* --- SYN cookies --- */

static uint32_t cookie_of(const struct eh_host *h, const struct eh_sock *sk, int64_t period)
{
	const uint64_t words[] = {(uint64_t)sk->laddr << 32 | sk->raddr,
				  (uint64_t)sk->lport << 16 | sk->rport, (uint64_t)period};

	return (uint32_t)eh_siphash(h->tcp->key[1], h->tcp->key[0], words, 3);
}

uint32_t eh_tcp_cookie(const struct eh_host *h, const struct eh_sock *sk)
{
	return cookie_of(h, sk, eh_sim_now(h->sim) / COOKIE_PERIOD);
}

static bool cookie_is_valid(const struct eh_host *h, const struct eh_sock *sk, uint32_t cookie)
{
	int64_t now = eh_sim_now(h->sim) / COOKIE_PERIOD;

	for (int64_t age = 0; age < COOKIE_AGE && age <= now; age++)
		if (cookie_of(h, sk, now - age) == cookie)
			return true;
	return false;
}

bool eh_tcp_cookie_check(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p)
{
	struct eh_tcp *listener = eh_tcp_lookup_listener(c, h, p);
	const int sym = h->tcp->sym.cookie;
	const struct eh_sock sk = {
		.laddr = p->daddr, .lport = p->dport, .raddr = p->saddr, .rport = p->sport};
	bool valid = h->kernel->tcp_syncookies && h->tcp->count.cookies_sent &&
		     p->flags & EH_ACK && cookie_is_valid(h, &sk, p->ack - 1);

	if (valid) {
		struct eh_request *req;

		eh_path(c, sym, h->kernel->cost.cookie);
		eh_load(c, sym, listener->sk.obj->line + EH_SOCK_RECEIVE, 0);
		eh_cpu_sync(c, c->retire);
		if (listener->accept->length > listener->accept->limit) {
			h->tcp->count.ack_dropped++;
			eh_packet_consume(c, h, p);
		} else {
			h->tcp->count.cookies_accepted++;
			req = eh_tcp_new_request(c, listener, p, sym, 0);
			req->isn = p->ack - 1;
			req->rcv_nxt = p->seq;
			eh_tcp_establish(c, req, p);
		}
	}
	eh_tcp_put_listener(c, listener);
	return valid;
}
