/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path.h"

#include <ehsim/inet_hash.h>

#define POINTERS_PER_LINE 8

struct eh_listen_group *eh_tcp_listen_group(const struct eh_tcp_host *th, uint16_t port)
{
	for (guint i = 0; i < th->groups->len; i++) {
		struct eh_listen_group *group = g_ptr_array_index(th->groups, i);

		if (group->port == port)
			return group;
	}
	return NULL;
}

int eh_tcp_select_listener(const struct eh_tcp_host *th, const struct eh_listen_group *group,
			   uint32_t saddr, uint16_t sport, uint32_t daddr)
{
	const uint64_t words[] = {(uint64_t)saddr << 32 | daddr,
				  (uint64_t)sport << 16 | group->port};
	uint64_t hash = eh_siphash(th->key[0], th->key[1], words, 2) & UINT32_MAX;

	return (int)(hash * group->socks->len >> 32);
}

/* atomic_inc_not_zero: a load, then a cmpxchg, again when somebody else came between. */
static void hold_unless_zero(struct eh_cpu *c, struct eh_word *refs, int sym)
{
	uint64_t old = eh_word_load(c, sym, refs), seen;

	while ((seen = eh_word_cmpxchg(c, sym, refs, old, old + 1)) != old)
		old = seen;
}

/* Bucket of the listening table, the reuseport group's array, the listener's state. */
struct eh_tcp *eh_tcp_lookup_listener(struct eh_cpu *c, struct eh_host *h,
				      const struct eh_packet *p)
{
	struct eh_tcp_host *th = h->tcp;
	const struct eh_listen_group *group = eh_tcp_listen_group(th, p->dport);
	int sym = th->sym.lookup_listener;
	int i = eh_tcp_select_listener(th, group, p->saddr, p->sport, p->daddr);
	struct eh_tcp *listener = g_ptr_array_index(group->socks, i);
	eh_line_id pointer = group->lines + 1 + (eh_line_id)(i / POINTERS_PER_LINE);
	eh_time known;

	eh_path(c, sym, h->kernel->cost.lookup_listener);
	known = eh_load(c, sym, group->lines, 0);
	known = eh_load(c, sym, pointer, known);
	eh_load(c, sym, listener->sk.obj->line + EH_SOCK_COMMON, known);
	if (h->kernel->listener_refcount)
		hold_unless_zero(c, &listener->accept->lookups, sym);
	return listener;
}

void eh_tcp_put_listener(struct eh_cpu *c, struct eh_tcp *listener)
{
	struct eh_host *h = listener->sk.host;

	if (h->kernel->listener_refcount)
		eh_word_add(c, h->tcp->sym.rcv, &listener->accept->lookups, (uint64_t)-1);
}

static bool accept_queue_full(const struct eh_tcp *listener)
{
	return listener->accept->length > listener->accept->limit;
}

/* More open requests than the accept queue holds, or cookies for all: -1 drop, 0 a request, 1 a cookie. */
static int want_cookie(const struct eh_tcp *listener)
{
	int64_t mode = listener->sk.host->kernel->tcp_syncookies;

	if (mode != 2 && listener->accept->requests <= listener->accept->limit)
		return 0;
	return mode ? 1 : -1;
}

struct eh_request *eh_tcp_new_request(struct eh_cpu *c, struct eh_tcp *listener,
				      const struct eh_packet *p, int sym, int64_t path)
{
	struct eh_host *h = listener->sk.host;
	struct eh_request *req = eh_request_new(c, h);

	eh_path(c, sym, path);
	eh_touch(c, sym, req->sk.obj->line, EH_REQ_LINES, true);
	req->listener = listener;
	req->sk.laddr = p->daddr;
	req->sk.lport = p->dport;
	req->sk.raddr = p->saddr;
	req->sk.rport = p->sport;
	req->rcv_nxt = p->seq + 1;
	return req;
}

/* Nothing is kept: what the ACK brings back is enough. */
static void answer_with_cookie(struct eh_cpu *c, struct eh_tcp *listener, struct eh_packet *p)
{
	struct eh_host *h = listener->sk.host;
	const int sym = EH_SYM(tcp_conn_request);
	struct eh_request *req =
		eh_tcp_new_request(c, listener, p, sym, h->kernel->cost.conn_request);

	h->tcp->count.cookies_sent++;
	eh_path(c, sym, h->kernel->cost.cookie);
	eh_tcp_synack(c, req, listener, eh_tcp_cookie(h, &req->sk));
	eh_request_put(c, req, sym);
	eh_packet_consume(c, h, p);
}

/* A SYN: request socket into the tables, SYN-ACK out; the listener is not locked. */
void eh_tcp_conn_request(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p)
{
	const int sym = EH_SYM(tcp_conn_request);
	struct eh_tcp *listener = eh_tcp_lookup_listener(c, h, p);
	struct eh_request *req;
	int cookie;

	eh_load(c, sym, listener->sk.obj->line + EH_SOCK_ACCEPT, 0);
	eh_cpu_sync(c, c->retire);
	cookie = want_cookie(listener);
	if (cookie < 0 || accept_queue_full(listener)) {
		h->tcp->count.syn_dropped++;
		eh_packet_consume(c, h, p);
		eh_tcp_put_listener(c, listener);
		return;
	}
	if (cookie) {
		answer_with_cookie(c, listener, p);
		eh_tcp_put_listener(c, listener);
		return;
	}
	req = eh_tcp_new_request(c, listener, p, sym, h->kernel->cost.conn_request);
	req->isn = eh_tcp_isn(h, &req->sk);
	eh_rmw(c, sym, listener->sk.obj->line + EH_SOCK_LOCK); /* the request holds its listener */
	listener->refs++;
	req->holds_listener = true;
	req->refs++; /* the table's, the timer's: one here */
	eh_inet_reqsk_insert(c, &req->sk);
	eh_request_start_timer(c, req);
	eh_rmw(c, EH_SYM(inet_csk_reqsk_queue_hash_add), listener->accept->lock.line); /* young */
	eh_rmw(c, EH_SYM(inet_csk_reqsk_queue_hash_add), listener->accept->lock.line); /* qlen */
	listener->accept->requests++;
	req->listed = true;
	eh_tcp_synack(c, req, NULL, req->isn);
	eh_request_put(c, req, sym);
	eh_packet_consume(c, h, p);
	eh_tcp_put_listener(c, listener);
}

/* tcp_v{4,6}_syn_recv_sock: the child, locked and in the tables in the request's stead. */
static struct eh_tcp *make_child(struct eh_cpu *c, struct eh_request *req)
{
	struct eh_host *h = req->sk.host;
	int sym = h->tcp->sym.syn_recv;
	struct eh_tcp *child = eh_tcp_new(c, h);

	eh_path(c, sym, h->kernel->cost.child);
	eh_tcp_lines(c, sym, req->listener, 0, EH_SOCK_LINES, false);
	eh_tcp_lines(c, sym, child, 0, EH_SOCK_LINES, true);
	eh_bh_lock_sock(c, child);
	child->sk.laddr = req->sk.laddr;
	child->sk.lport = req->sk.lport;
	child->sk.raddr = req->sk.raddr;
	child->sk.rport = req->sk.rport;
	child->sk.state = EH_TCP_ESTABLISHED;
	child->snd_una = child->snd_nxt = req->isn + 1;
	child->rcv_nxt = req->rcv_nxt;
	eh_inet_inherit_port(c, &req->listener->sk, &child->sk);
	eh_inet_hashdance(c, &req->sk, &child->sk);
	return child;
}

/* inet_csk_reqsk_queue_removed, inet_csk_reqsk_queue_add */
static void queue_child(struct eh_cpu *c, struct eh_request *req, struct eh_tcp *child)
{
	struct eh_host *h = req->sk.host;
	struct eh_accept_queue *q = req->listener->accept;
	const int sym = EH_SYM(inet_csk_reqsk_queue_add);

	if (req->listed) {
		eh_timer_del(c->sim, &req->timer);
		eh_request_unlist(c, req, EH_SYM(inet_csk_complete_hashdance));
	}
	eh_call(c, EH_SYM(_raw_spin_lock), h->kernel->cost.spin_lock);
	eh_spin_lock(c, &q->lock, &h->rskq_lock, EH_SYM(_raw_spin_lock));
	req->child = child;
	child->refs++; /* the accept queue's */
	req->next = NULL;
	*q->tail = req;
	q->tail = &req->next;
	q->length++;
	eh_store(c, sym, req->sk.obj->line + 3);
	eh_tcp_lines(c, sym, req->listener, EH_SOCK_RECEIVE, 1, true); /* sk_ack_backlog */
	eh_spin_unlock(c, &q->lock, sym, h->kernel->cost.spin_unlock);
}

/* tcp_child_process: the child's first segment; its listener's thread hears of it. */
static void child_process(struct eh_cpu *c, struct eh_request *req, struct eh_tcp *child,
			  struct eh_packet *p)
{
	struct eh_host *h = req->sk.host;
	struct eh_tcp *listener = req->listener;

	eh_path(c, EH_SYM(tcp_rcv_state_process), h->kernel->cost.rcv_state);
	eh_path(c, EH_SYM(tcp_ack), h->kernel->cost.ack);
	eh_tcp_lines(c, EH_SYM(tcp_rcv_state_process), child, EH_SOCK_TCP_TX, 3, true);
	eh_tcp_note_timestamp(child, p);
	if (p->payload)
		eh_tcp_data_queue(c, child, p);
	else
		eh_packet_consume(c, h, p);
	eh_path(c, EH_SYM(sock_def_readable), h->kernel->cost.readable);
	eh_tcp_lines(c, EH_SYM(sock_def_readable), listener, EH_SOCK_WAIT, 1, false);
	eh_ep_poll_callback(c, &listener->item, EH_EPOLLIN);
	eh_bh_unlock_sock(c, child);
	eh_tcp_put(c, child, h->tcp->sym.rcv);
}

void eh_tcp_establish(struct eh_cpu *c, struct eh_request *req, struct eh_packet *p)
{
	struct eh_tcp *child = make_child(c, req);

	queue_child(c, req, child);
	child_process(c, req, child, p);
}

/* The accept queue has no room for it: it stays, and what comes next may find some. */
static void overflow(struct eh_cpu *c, struct eh_request *req, struct eh_packet *p)
{
	struct eh_host *h = req->sk.host;

	h->tcp->count.ack_dropped++;
	req->acked = true;
	if (h->kernel->tcp_abort_on_overflow && eh_request_drop(c, req, EH_SYM(tcp_check_req)))
		eh_tcp_send_reset(c, h, p);
	eh_packet_consume(c, h, p);
}

/* The ACK of the handshake, or the request if that ACK was dropped. */
bool eh_tcp_check_req(struct eh_cpu *c, struct eh_request *req, struct eh_packet *p)
{
	struct eh_host *h = req->sk.host;
	struct eh_tcp *listener = req->listener;
	const int sym = EH_SYM(tcp_check_req);
	bool found = true;

	req->refs++;
	eh_rmw(c, h->tcp->sym.rcv, listener->sk.obj->line + EH_SOCK_LOCK); /* sock_hold */
	listener->refs++;
	eh_path(c, sym, h->kernel->cost.check_req);
	eh_touch(c, sym, req->sk.obj->line, EH_REQ_LINES, false);
	eh_load(c, sym, listener->sk.obj->line + EH_SOCK_RECEIVE, 0);
	eh_cpu_sync(c, c->retire);
	if (!req->sk.hashed) { /* somebody else has made a child of it, or dropped it */
		found = false;
	} else if (p->flags == EH_SYN && p->seq + 1 == req->rcv_nxt) { /* again */
		h->tcp->count.synack_retransmits++;
		eh_tcp_synack(c, req, NULL, req->isn);
		eh_packet_consume(c, h, p);
	} else if (p->flags & (EH_RST | EH_SYN)) {
		eh_request_drop(c, req, sym);
		if (p->flags & EH_SYN)
			eh_tcp_send_reset(c, h, p);
		eh_packet_consume(c, h, p);
	} else if (!(p->flags & EH_ACK) || p->ack != req->isn + 1) {
		h->tcp->count.stray++;
		eh_packet_consume(c, h, p);
	} else if (accept_queue_full(listener)) {
		overflow(c, req, p);
	} else {
		eh_tcp_establish(c, req, p);
	}
	eh_request_put(c, req, h->tcp->sym.rcv);
	eh_tcp_put(c, listener, h->tcp->sym.rcv);
	return found;
}

/* reqsk_queue_remove */
static struct eh_request *dequeue(struct eh_cpu *c, struct eh_host *h, struct eh_tcp *listener)
{
	struct eh_accept_queue *q = listener->accept;
	const int sym = EH_SYM(inet_csk_accept);
	struct eh_request *req;

	eh_local_bh_disable(c);
	eh_call(c, EH_SYM(_raw_spin_lock_bh), h->kernel->cost.spin_lock);
	eh_spin_lock(c, &q->lock, &h->rskq_lock, EH_SYM(_raw_spin_lock_bh));
	req = q->head;
	if (req) {
		eh_load(c, sym, req->sk.obj->line + 3, 0);
		q->head = req->next;
		if (!q->head)
			q->tail = &q->head;
		q->length--;
		eh_tcp_lines(c, sym, listener, EH_SOCK_RECEIVE, 1, true); /* sk_ack_backlog */
	}
	eh_spin_unlock(c, &q->lock, sym, h->kernel->cost.spin_unlock);
	eh_call(c, EH_SYM(__local_bh_enable_ip), h->kernel->cost.bh_enable);
	eh_local_bh_enable(c);
	return req;
}

struct eh_tcp *eh_sys_accept(struct eh_task *t, struct eh_tcp *listener)
{
	struct eh_cpu *c = eh_sys_enter(t);
	struct eh_host *h = listener->sk.host;
	const int sym = EH_SYM(inet_csk_accept);
	struct eh_request *req;
	struct eh_tcp *child = NULL;
	struct eh_object *file;

	file = eh_kmem_alloc(c, h->file_cache);
	eh_path(c, EH_SYM(alloc_empty_file), h->kernel->cost.fd_alloc);
	eh_touch(c, EH_SYM(alloc_empty_file), file->line, 3, true);
	eh_path(c, sym, h->kernel->cost.accept);
	eh_lock_sock(c, listener);
	req = dequeue(c, h, listener);
	eh_release_sock(c, listener);
	if (req) {
		child = req->child;
		child->file = file;
		eh_request_put(c, req, sym);
		eh_tcp_lines(c, sym, child, EH_SOCK_LOCK, 3, true); /* grafted to its file */
		h->tcp->count.accepted++;
	} else {
		eh_kmem_free(c, h->file_cache, file);
	}
	eh_sys_exit(t);
	return child;
}
