/* SPDX-License-Identifier: GPL-3.0-or-later */
/* neper's tcp_stream: each flow's client writes whenever it may, its server reads whatever there is. */
#include "crr.h"

#include <ehsim/bulk.h>
#include <ehsim/inet_hash.h>

#define OTHERS 1000 /* addresses of idle peers begin here */

static void event(struct eh_task *t, struct eh_crr *w, struct eh_tcp *tp, bool client)
{
	eh_crr_user(t, w->cfg->user_work);
	if (client)
		eh_sys_bulk_send(t, tp, (int)w->cfg->tcp_stream.write);
	else if (eh_sys_bulk_recv(t, tp, (int)w->cfg->tcp_stream.read) > 0)
		w->stats.transactions++;
}

void eh_stream_client_thread(struct eh_task *t, void *arg)
{
	struct eh_client_thread *th = arg;

	for (;;) {
		int n = eh_sys_epoll_wait(t, th->ep, th->events, EH_CRR_EVENTS);

		for (int i = 0; i < n; i++)
			event(t, th->w, ((struct eh_flow *)th->events[i].data)->tcp, true);
	}
}

void eh_stream_server_thread(struct eh_task *t, void *arg)
{
	struct eh_server_thread *th = arg;

	for (;;) {
		int n = eh_sys_epoll_wait(t, th->ep, th->events, EH_CRR_EVENTS);

		for (int i = 0; i < n; i++)
			event(t, th->w, th->events[i].data, false);
	}
}

/* Idle sockets came later than the stream's: in front of it, as new ones go to the head. */
static void fill_chain(struct eh_tcp *tp, int64_t n, int cpu)
{
	struct eh_sock tuple = {.laddr = tp->sk.laddr, .lport = tp->sk.lport, .rport = tp->sk.rport};

	for (uint32_t peer = OTHERS; n > 0; peer++) {
		tuple.raddr = peer;
		if (eh_inet_same_chain(&tp->sk, &tuple)) {
			eh_tcp_preset(tp->sk.host, cpu, &tuple);
			n--;
		}
	}
}

void eh_stream_preset_server(struct eh_server_thread *th, struct eh_tcp *tp)
{
	int cpu = th->task->cpu->id;

	eh_bulk_preset(tp, cpu, th->w->cfg->tcp_stream.read);
	fill_chain(tp, th->w->cfg->tcp_stream.chain, cpu);
}

uint64_t eh_crr_bytes(const struct eh_crr *w)
{
	uint64_t sum = 0;

	for (int i = 0; i < w->nthreads; i++)
		for (int j = 0; j < w->threads[i].nflows; j++)
			if (w->threads[i].flows[j].peer)
				sum += w->threads[i].flows[j].peer->bulk->bytes;
	return sum;
}

bool eh_crr_reads_on(const struct eh_crr *w, int cpu)
{
	for (int i = 0; i < w->nservers; i++)
		if (w->servers[i].task->cpu->id == cpu)
			return true;
	return false;
}
