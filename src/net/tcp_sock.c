/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path.h"

#include <ehsim/bulk.h>
#include <ehsim/c2c.h>
#include <ehsim/inet_hash.h>
#include <ehsim/link.h>
#include <ehsim/nic.h>
#include <ehsim/skb.h>
#include <string.h>

#define BLOCK EH_TCP_BLOCK

struct eh_tcp_host *eh_tcp_host_new(struct eh_host *h)
{
	struct eh_tcp_host *th = g_new0(struct eh_tcp_host, 1);
	bool v6 = h->ipv6;

	th->host = h;
	th->sym.connect = v6 ? EH_SYM(tcp_v6_connect) : EH_SYM(tcp_v4_connect);
	th->sym.xmit = v6 ? EH_SYM(ip6_xmit) : EH_SYM(__ip_queue_xmit);
	th->sym.ip_rcv = v6 ? EH_SYM(ip6_rcv_core) : EH_SYM(ip_rcv_core);
	th->sym.rcv = v6 ? EH_SYM(tcp_v6_rcv) : EH_SYM(tcp_v4_rcv);
	th->sym.lookup_listener = v6 ? EH_SYM(inet6_lookup_listener) :
				       EH_SYM(__inet_lookup_listener);
	th->sym.syn_recv = v6 ? EH_SYM(tcp_v6_syn_recv_sock) : EH_SYM(tcp_v4_syn_recv_sock);
	th->sym.send_reset = v6 ? EH_SYM(tcp_v6_send_reset) : EH_SYM(tcp_v4_send_reset);
	th->sym.cookie = v6 ? EH_SYM(cookie_v6_check) : EH_SYM(cookie_v4_check);
	th->groups = g_ptr_array_new();
	th->key[0] = eh_stream_u64(h->random);
	th->key[1] = eh_stream_u64(h->random);
	th->blocks = g_ptr_array_new_with_free_func(g_free);
	th->request_blocks = g_ptr_array_new_with_free_func(g_free);
	th->timewait_blocks = g_ptr_array_new_with_free_func(g_free);
	return th;
}

static void stop_timers(struct eh_tcp_host *th)
{
	struct eh_sim *sim = th->host->sim;

	for (guint i = 0; i < th->blocks->len; i++) {
		struct eh_tcp *block = g_ptr_array_index(th->blocks, i);

		for (int j = 0; j < BLOCK; j++) {
			if (block[j].bulk)
				eh_bulk_free(block[j].bulk);
			eh_timer_del(sim, &block[j].retransmit);
			eh_timer_del(sim, &block[j].delack);
		}
	}
	for (guint i = 0; i < th->request_blocks->len; i++) {
		struct eh_request *block = g_ptr_array_index(th->request_blocks, i);

		for (int j = 0; j < BLOCK; j++)
			eh_timer_del(sim, &block[j].timer);
	}
	for (guint i = 0; i < th->timewait_blocks->len; i++) {
		struct eh_timewait *block = g_ptr_array_index(th->timewait_blocks, i);

		for (int j = 0; j < BLOCK; j++)
			eh_timer_del(sim, &block[j].timer);
	}
}

void eh_tcp_host_free(struct eh_tcp_host *th)
{
	if (!th)
		return;
	for (guint i = 0; i < th->groups->len; i++) {
		struct eh_listen_group *group = g_ptr_array_index(th->groups, i);

		for (guint j = 0; j < group->socks->len; j++)
			g_free(((struct eh_tcp *)g_ptr_array_index(group->socks, j))->accept);
		g_ptr_array_free(group->socks, TRUE);
		g_free(group);
	}
	g_ptr_array_free(th->groups, TRUE);
	stop_timers(th);
	g_ptr_array_free(th->blocks, TRUE);
	g_ptr_array_free(th->request_blocks, TRUE);
	g_ptr_array_free(th->timewait_blocks, TRUE);
	g_free(th);
}

/* --- struct eh_tcp --- */

static struct eh_tcp *take_tcp(struct eh_tcp_host *th)
{
	struct eh_sock place;
	struct eh_tcp *tp;

	if (!th->free) {
		struct eh_tcp *block = g_new0(struct eh_tcp, BLOCK);

		g_ptr_array_add(th->blocks, block);
		for (int i = BLOCK; i-- > 0;) {
			block[i].next = th->free;
			th->free = &block[i];
		}
	}
	tp = th->free;
	th->free = tp->next;
	place = tp->sk;
	memset(tp, 0, sizeof(*tp));
	eh_sock_keep_place(&tp->sk, &place);
	tp->sk.host = th->host;
	tp->sk.laddr = th->host->addr;
	tp->sk.tcp = tp;
	tp->refs = 1;
	tp->rto = th->host->kernel->tcp_rto_min;
	tp->item.poll = eh_tcp_poll;
	return tp;
}

static void set_object(struct eh_tcp *tp, struct eh_object *obj)
{
	tp->sk.obj = obj;
	eh_spin_init(&tp->slock, obj->line + EH_SOCK_LOCK);
}

struct eh_tcp *eh_tcp_new(struct eh_cpu *c, struct eh_host *h)
{
	struct eh_tcp *tp = take_tcp(h->tcp);

	set_object(tp, eh_net_alloc(c, h, h->sk_cache));
	return tp;
}

void eh_tcp_put(struct eh_cpu *c, struct eh_tcp *tp, int sym)
{
	struct eh_host *h = tp->sk.host;

	eh_sock_put(c, &tp->sk, sym);
	if (--tp->refs)
		return;
	eh_assert(h->sim, !eh_timer_pending(&tp->retransmit) && !eh_timer_pending(&tp->delack));
	eh_path(c, EH_SYM(sk_free), h->kernel->cost.sk_free);
	eh_assert(h->sim, !tp->rtx.head && !tp->tx_skb);
	if (tp->rx_skb)
		eh_packet_consume(c, h, tp->rx_skb);
	tp->rx_skb = NULL;
	eh_net_free(c, h, h->sk_cache, tp->sk.obj);
	tp->sk.obj = NULL;
	tp->next = h->tcp->free;
	h->tcp->free = tp;
}

/* --- struct eh_request --- */

struct eh_request *eh_request_new(struct eh_cpu *c, struct eh_host *h)
{
	struct eh_tcp_host *th = h->tcp;
	struct eh_sock place;
	struct eh_request *req;

	if (!th->free_requests) {
		struct eh_request *block = g_new0(struct eh_request, BLOCK);

		g_ptr_array_add(th->request_blocks, block);
		for (int i = BLOCK; i-- > 0;) {
			block[i].next = th->free_requests;
			th->free_requests = &block[i];
		}
	}
	req = th->free_requests;
	th->free_requests = req->next;
	place = req->sk;
	memset(req, 0, sizeof(*req));
	eh_sock_keep_place(&req->sk, &place);
	req->sk.host = h;
	req->sk.tcp = req;
	req->sk.state = EH_TCP_NEW_SYN_RECV;
	req->sk.obj = eh_net_alloc(c, h, h->req_cache);
	req->refs = 1;
	return req;
}

void eh_request_put(struct eh_cpu *c, struct eh_request *req, int sym)
{
	struct eh_host *h = req->sk.host;

	eh_sock_put(c, &req->sk, sym);
	if (--req->refs)
		return;
	eh_assert(h->sim, !eh_timer_pending(&req->timer));
	if (req->holds_listener)
		eh_tcp_put(c, req->listener, sym);
	eh_net_free(c, h, h->req_cache, req->sk.obj);
	req->sk.obj = NULL;
	req->next = h->tcp->free_requests;
	h->tcp->free_requests = req;
}

/* --- struct eh_timewait --- */

struct eh_timewait *eh_timewait_new(struct eh_cpu *c, struct eh_host *h)
{
	struct eh_tcp_host *th = h->tcp;
	struct eh_sock place;
	struct eh_timewait *tw;

	if (!th->free_timewaits) {
		struct eh_timewait *block = g_new0(struct eh_timewait, BLOCK);

		g_ptr_array_add(th->timewait_blocks, block);
		for (int i = BLOCK; i-- > 0;) {
			block[i].next = th->free_timewaits;
			th->free_timewaits = &block[i];
		}
	}
	if (!th->tw_line)
		th->tw_line = eh_lines_named(h->m, 1, 0, "tcp_death_row");
	tw = th->free_timewaits;
	th->free_timewaits = tw->next;
	place = tw->sk;
	memset(tw, 0, sizeof(*tw));
	eh_sock_keep_place(&tw->sk, &place);
	tw->sk.host = h;
	tw->sk.tcp = tw;
	tw->sk.state = EH_TCP_TIME_WAIT;
	tw->sk.obj = eh_net_alloc(c, h, h->tw_cache);
	tw->refs = 1;
	return tw;
}

void eh_timewait_put(struct eh_cpu *c, struct eh_timewait *tw, int n, int sym)
{
	struct eh_host *h = tw->sk.host;

	eh_sock_put(c, &tw->sk, sym);
	tw->refs -= n;
	if (tw->refs)
		return;
	eh_assert(h->sim, !eh_timer_pending(&tw->timer));
	eh_net_free(c, h, h->tw_cache, tw->sk.obj);
	tw->sk.obj = NULL;
	tw->next = h->tcp->free_timewaits;
	h->tcp->free_timewaits = tw;
}

void eh_packet_consume(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p)
{
	if (p->bulk) {
		eh_bulk_consume(c, h, p);
		return;
	}
	eh_rx_skb_free(c, h, p);
	eh_packet_free(&h->nic->link->pool, p);
}

/* tcp_poll */
uint32_t eh_tcp_poll(struct eh_cpu *c, struct eh_epitem *item)
{
	struct eh_tcp *tp = eh_container_of(item, struct eh_tcp, item);
	const int sym = EH_SYM(do_epoll_wait);

	eh_tcp_lines(c, sym, tp, EH_SOCK_COMMON, 1, false);
	eh_tcp_lines(c, sym, tp, tp->accept ? EH_SOCK_ACCEPT : EH_SOCK_RECEIVE, 1, false);
	eh_cpu_sync(c, c->retire);
	switch (tp->sk.state) {
	case EH_TCP_LISTEN:
		return tp->accept->head ? EH_EPOLLIN : 0;
	case EH_TCP_ESTABLISHED:
		return (!tp->bulk || eh_bulk_poll(tp) ? EH_EPOLLOUT : 0) |
		       (tp->received.head ? EH_EPOLLIN : 0);
	case EH_TCP_CLOSE_WAIT: /* the other side has shut its half */
		return EH_EPOLLOUT | EH_EPOLLIN | EH_EPOLLRDHUP;
	case EH_TCP_CLOSE:
		return EH_EPOLLIN | EH_EPOLLOUT | EH_EPOLLERR | EH_EPOLLHUP | EH_EPOLLRDHUP;
	default:
		return 0;
	}
}

/* --- before time 0 --- */

static struct eh_tcp *preset_tcp(struct eh_host *h, int cpu)
{
	struct eh_tcp *tp = take_tcp(h->tcp);

	set_object(tp, eh_kmem_preset(h->sk_cache, cpu));
	tp->file = eh_kmem_preset(h->file_cache, cpu);
	return tp;
}

static struct eh_listen_group *new_group(struct eh_host *h, uint16_t port)
{
	struct eh_listen_group *group = g_new0(struct eh_listen_group, 1);

	group->port = port;
	group->socks = g_ptr_array_new();
	group->lines = eh_lines_named(h->m, 1 + UINT16_MAX / 8, 0, "lhash2");
	g_ptr_array_add(h->tcp->groups, group);
	return group;
}

struct eh_tcp *eh_tcp_listen(struct eh_host *h, int cpu, uint16_t port, int backlog)
{
	struct eh_listen_group *group = eh_tcp_listen_group(h->tcp, port);
	struct eh_tcp *tp = preset_tcp(h, cpu);

	tp->sk.state = EH_TCP_LISTEN;
	tp->accept = g_new0(struct eh_accept_queue, 1);
	tp->accept->tail = &tp->accept->head;
	tp->accept->limit = backlog;
	eh_spin_init(&tp->accept->lock, tp->sk.obj->line + EH_SOCK_ACCEPT);
	eh_word_init(&tp->accept->lookups, tp->sk.obj->line + EH_SOCK_LOCK, 1);
	eh_inet_listen(&tp->sk, port);
	g_ptr_array_add((group ? group : new_group(h, port))->socks, tp);
	return tp;
}

struct eh_tcp *eh_tcp_preset(struct eh_host *h, int cpu, const struct eh_sock *tuple)
{
	struct eh_tcp *tp = preset_tcp(h, cpu);

	tp->sk.state = EH_TCP_ESTABLISHED;
	tp->sk.laddr = tuple->laddr;
	tp->sk.raddr = tuple->raddr;
	tp->sk.rport = tuple->rport;
	tp->sk.bound = tuple->bound;
	eh_inet_preset(&tp->sk, tuple->lport, cpu);
	return tp;
}

void eh_tcp_preset_segment(struct eh_tcp *tp, int cpu, int bytes)
{
	struct eh_host *h = tp->sk.host;
	struct eh_packet *p = eh_packet_new(&h->nic->link->pool);

	p->saddr = tp->sk.raddr;
	p->sport = tp->sk.rport;
	p->daddr = tp->sk.laddr;
	p->dport = tp->sk.lport;
	p->flags = EH_PSH | EH_ACK;
	p->payload = (uint16_t)bytes;
	p->alloc_cpu = (uint16_t)cpu;
	eh_rx_skb_preset(h, cpu, p);
	eh_packets_push(&tp->received, p);
}
