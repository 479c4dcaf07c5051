/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path.h"

#include <ehsim/inet_hash.h>

/* A socket option that is a field of the socket. */
static void set_option(struct eh_task *t, struct eh_tcp *tp)
{
	struct eh_cpu *c = eh_sys_enter(t);

	eh_path(c, EH_SYM(do_sock_setsockopt), eh_cost_of(c)->setsockopt);
	eh_lock_sock(c, tp);
	eh_release_sock(c, tp);
	eh_sys_exit(t);
}

void eh_sys_local_port_range(struct eh_task *t, struct eh_tcp *tp, uint16_t low, uint16_t high)
{
	set_option(t, tp);
	tp->sk.port_low = low;
	tp->sk.port_high = high;
}

void eh_sys_bind_no_port(struct eh_task *t, struct eh_tcp *tp)
{
	set_option(t, tp);
	tp->sk.bind_no_port = true;
}

void eh_sys_reuseaddr(struct eh_task *t, struct eh_tcp *tp)
{
	set_option(t, tp);
	tp->sk.reuse = true;
}

int eh_sys_bind(struct eh_task *t, struct eh_tcp *tp, uint32_t laddr, uint16_t port)
{
	struct eh_cpu *c = eh_sys_enter(t);
	struct eh_host *h = tp->sk.host;
	const int sym = h->ipv6 ? EH_SYM(__inet6_bind) : EH_SYM(__inet_bind);
	int err = 0;

	eh_lock_sock(c, tp);
	eh_path(c, sym, h->kernel->cost.bind);
	eh_tcp_lines(c, sym, tp, EH_SOCK_COMMON, 2, true);
	tp->sk.laddr = laddr;
	if (port || !tp->sk.bind_no_port)
		err = eh_inet_get_port(c, &tp->sk, port);
	eh_release_sock(c, tp);
	eh_sys_exit(t);
	return err;
}
