/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path.h"

void eh_lock_sock(struct eh_cpu *c, struct eh_tcp *tp)
{
	struct eh_host *h = tp->sk.host;
	const struct eh_kernel_cost *cost = &h->kernel->cost;

	eh_path(c, EH_SYM(lock_sock_nested), cost->lock_sock);
	eh_local_bh_disable(c);
	eh_spin_lock(c, &tp->slock, &h->sock_lock, EH_SYM(_raw_spin_lock_bh));
	eh_assert(h->sim, !tp->owned); /* one thread per socket */
	tp->owned = true;
	eh_spin_unlock(c, &tp->slock, EH_SYM(lock_sock_nested), cost->spin_unlock);
	eh_call(c, EH_SYM(__local_bh_enable_ip), cost->bh_enable);
	eh_local_bh_enable(c);
}

/* __release_sock: what came while the socket had an owner, with the spinlock dropped. */
static void process_backlog(struct eh_cpu *c, struct eh_tcp *tp)
{
	struct eh_host *h = tp->sk.host;
	const struct eh_kernel_cost *cost = &h->kernel->cost;
	struct eh_packet *p;

	while (tp->backlog.head) {
		struct eh_packets list = tp->backlog;

		tp->backlog.head = NULL;
		eh_spin_unlock(c, &tp->slock, EH_SYM(release_sock), cost->spin_unlock);
		eh_local_bh_enable(c);
		while ((p = eh_packets_pop(&list)))
			eh_tcp_do_rcv(c, tp, p, true);
		eh_local_bh_disable(c);
		eh_spin_lock(c, &tp->slock, &h->sock_lock, EH_SYM(_raw_spin_lock_bh));
	}
}

void eh_release_sock(struct eh_cpu *c, struct eh_tcp *tp)
{
	struct eh_host *h = tp->sk.host;
	const struct eh_kernel_cost *cost = &h->kernel->cost;

	eh_path(c, EH_SYM(release_sock), cost->release_sock);
	eh_local_bh_disable(c);
	eh_spin_lock(c, &tp->slock, &h->sock_lock, EH_SYM(_raw_spin_lock_bh));
	process_backlog(c, tp);
	if (eh_unlikely(tp->deferred))
		eh_tcp_release_cb(c, tp);
	tp->owned = false;
	eh_spin_unlock(c, &tp->slock, EH_SYM(release_sock), cost->spin_unlock);
	eh_call(c, EH_SYM(__local_bh_enable_ip), cost->bh_enable);
	eh_local_bh_enable(c);
}

void eh_bh_lock_sock(struct eh_cpu *c, struct eh_tcp *tp)
{
	struct eh_host *h = tp->sk.host;

	eh_call(c, EH_SYM(_raw_spin_lock), h->kernel->cost.spin_lock);
	eh_spin_lock(c, &tp->slock, &h->sock_lock, EH_SYM(_raw_spin_lock));
}

void eh_bh_unlock_sock(struct eh_cpu *c, struct eh_tcp *tp)
{
	struct eh_tcp_host *th = tp->sk.host->tcp;

	eh_spin_unlock(c, &tp->slock, th->sym.rcv, th->host->kernel->cost.spin_unlock);
}
