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
	tp->reset_on_close = true;
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
		if (!tp->snd_nxt) /* no TIME_WAIT socket has left it one */
			tp->snd_nxt = eh_tcp_isn(h, &tp->sk);
		tp->snd_una = tp->snd_nxt;
		tp->rto = h->kernel->tcp_syn_timeout;
		tp->syn_at = c->retire;
		eh_tcp_transmit(c, tp, EH_SYN, 0);
	} else {
		tp->sk.state = EH_TCP_CLOSE;
	}
	eh_release_sock(c, tp);
	eh_sys_exit(t);
	return err;
}
