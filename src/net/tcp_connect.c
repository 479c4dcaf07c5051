/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path.h"

#include <ehsim/inet_hash.h>

struct eh_tcp *eh_sys_socket(struct eh_task *t)
{
	struct eh_cpu *c = eh_sys_enter(t);
	struct eh_host *h = eh_host_of(c);
	struct eh_tcp *tp;

	eh_path(c, EH_SYM(sk_alloc), h->kernel->cost.sk_alloc);
	tp = eh_tcp_new(c, h);
	eh_tcp_lines(c, EH_SYM(sk_alloc), tp, 0, EH_SOCK_LINES, true);
	tp->file = eh_kmem_alloc(c, h->file_cache);
	eh_path(c, EH_SYM(alloc_empty_file), h->kernel->cost.fd_alloc);
	eh_touch(c, EH_SYM(alloc_empty_file), tp->file->line, 3, true);
	eh_sys_exit(t);
	return tp;
}

void eh_sys_setsockopt(struct eh_task *t, struct eh_tcp *tp)
{
	struct eh_cpu *c = eh_sys_enter(t);

	eh_path(c, EH_SYM(do_sock_setsockopt), eh_cost_of(c)->setsockopt);
	eh_lock_sock(c, tp);
	eh_release_sock(c, tp);
	eh_sys_exit(t);
}

void eh_sys_fcntl(struct eh_task *t)
{
	struct eh_cpu *c = eh_sys_enter(t);

	eh_path(c, EH_SYM(do_fcntl), eh_cost_of(c)->fcntl);
	eh_sys_exit(t);
}

int eh_sys_connect(struct eh_task *t, struct eh_tcp *tp, uint32_t raddr, uint16_t rport)
{
	struct eh_cpu *c = eh_sys_enter(t);
	struct eh_host *h = tp->sk.host;
	int64_t before = h->kernel->cost.connect / 2; /* route and addresses; then port, sequence */
	int err;

	eh_lock_sock(c, tp);
	eh_path(c, h->tcp->sym.connect, before);
	eh_tcp_lines(c, h->tcp->sym.connect, tp, EH_SOCK_COMMON, 2, true);
	tp->sk.state = EH_TCP_SYN_SENT;
	tp->sk.raddr = raddr;
	tp->sk.rport = rport;
	err = eh_inet_hash_connect(c, &tp->sk);
	if (err == 0) {
		eh_path(c, h->tcp->sym.connect, h->kernel->cost.connect - before);
		eh_tcp_lines(c, h->tcp->sym.connect, tp, EH_SOCK_SEND, 2, true);
		eh_tcp_transmit(c, &tp->sk, tp, EH_SYN, 0);
	} else {
		tp->sk.state = EH_TCP_CLOSE;
	}
	eh_release_sock(c, tp);
	eh_sys_exit(t);
	return err;
}

/* tcp_disconnect with a reset: tables first, then the RST, then the queues. */
static void disconnect(struct eh_cpu *c, struct eh_tcp *tp)
{
	const struct eh_kernel_cost *cost = eh_cost_of(c);
	bool connected = tp->sk.state == EH_TCP_ESTABLISHED;

	eh_path(c, EH_SYM(tcp_disconnect), cost->disconnect);
	eh_tcp_lines(c, EH_SYM(tcp_disconnect), tp, EH_SOCK_COMMON, 1, true);
	tp->sk.state = EH_TCP_CLOSE;
	eh_inet_unhash(c, &tp->sk, true);
	eh_inet_put_port(c, &tp->sk, true);
	if (!connected)
		return;
	eh_path(c, EH_SYM(tcp_send_active_reset), cost->send_reset);
	eh_tcp_transmit(c, &tp->sk, tp, EH_RST | EH_ACK, 0);
}

static void purge(struct eh_cpu *c, struct eh_host *h, struct eh_packets *q)
{
	struct eh_packet *p;

	while ((p = eh_packets_pop(q)))
		eh_packet_consume(c, h, p);
}

/* tcp_close, orphaning and inet_csk_destroy_sock; the last reference may be somebody else's. */
static void close_socket(struct eh_cpu *c, struct eh_tcp *tp)
{
	struct eh_host *h = tp->sk.host;
	const int sym = EH_SYM(inet_csk_destroy_sock);

	eh_lock_sock(c, tp);
	if (tp->sk.state != EH_TCP_CLOSE)
		disconnect(c, tp);
	purge(c, h, &tp->received);
	eh_path(c, sym, h->kernel->cost.destroy);
	eh_tcp_lines(c, sym, tp, EH_SOCK_RECEIVE, 4, true);
	eh_release_sock(c, tp);
	eh_tcp_put(c, tp, sym);
}

void eh_sys_close(struct eh_task *t, struct eh_tcp *tp)
{
	struct eh_cpu *c = eh_sys_enter(t);
	struct eh_host *h = tp->sk.host;
	struct eh_object *file = tp->file;

	eh_assert(h->sim, !tp->item.ep && !tp->accept);
	eh_path(c, EH_SYM(__fput), h->kernel->cost.fd_free);
	eh_touch(c, EH_SYM(__fput), file->line, 2, true);
	close_socket(c, tp);
	eh_kmem_free(c, h->file_cache, file);
	eh_sys_exit(t);
}
