/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crr.h"

#include <errno.h>

static int bind_socket(struct eh_task *t, struct eh_flow *f)
{
	const struct eh_workload_config *cfg = f->th->w->cfg;

	if (cfg->port_low || cfg->port_high)
		eh_sys_local_port_range(t, f->tcp, (uint16_t)cfg->port_low,
					(uint16_t)cfg->port_high);
	if (cfg->local_bind == EH_BIND_NONE && !f->source_port)
		return 0;
	if (cfg->local_bind == EH_BIND_NO_PORT)
		eh_sys_bind_no_port(t, f->tcp);
	return eh_sys_bind(t, f->tcp, f->th->w->client->addr, f->source_port);
}

/* The next connection of the flow, up to where the handshake goes on without it. */
void eh_client_open(struct eh_task *t, struct eh_flow *f)
{
	struct eh_crr *w = f->th->w;

	f->tcp = eh_sys_socket(t);
	if (bind_socket(t, f) < 0) {
		eh_crr_fail(w, t->cpu->retire, "bind: Address already in use");
		eh_crr_sleep_for_ever(t);
	}
	if (!w->cfg->time_wait)
		eh_sys_setsockopt(t, f->tcp);
	if (eh_sys_connect(t, f->tcp, eh_crr_addr(w, f->to), eh_crr_port(w, f->to)) < 0) {
		eh_crr_fail(w, t->cpu->retire, "connect: Cannot assign requested address");
		eh_crr_sleep_for_ever(t);
	}
	eh_sys_fcntl(t);
	eh_sys_fcntl(t);
	eh_sys_epoll_ctl(t, f->th->ep, EH_EPOLL_ADD, &f->tcp->item, EH_EPOLLOUT | EH_EPOLLRDHUP, f);
}

static void record(struct eh_flow *f, eh_time now)
{
	struct eh_crr *w = f->th->w;
	double latency = (double)(now - f->last) / (double)EH_SEC;

	w->stats.transactions++;
	if (f->timed) {
		w->timed++;
		w->latencies += now - f->last;
		eh_little_leave(w->flows, f->last, now);
		eh_moments_add(&w->stats.latency, latency);
		if (w->window)
			eh_survival_add(w->window, eh_crr_age(w, f), MAX(now - f->last, 0), true);
		if (!w->neper.started && w->run->start == EH_START_COLD)
			eh_crr_usage(w, &w->start);
		eh_neper_event(&w->neper, &f->neper, now, latency);
	}
	eh_crr_begin(f, now);
}

/* What a handshake or a connection has met, in neper's words. */
static const char *failure(int err)
{
	switch (-err) {
	case ETIMEDOUT:
		return "connect: Connection timed out";
	case ECONNREFUSED:
		return "connect: Connection refused";
	default:
		return "connect: Connection reset by peer";
	}
}

static void flow_event(struct eh_task *t, struct eh_flow *f, uint32_t events)
{
	struct eh_crr *w = f->th->w;
	struct eh_tcp *tp = f->tcp;

	eh_crr_user(t, w->cfg->user_work);
	if (events & (EH_EPOLLHUP | EH_EPOLLERR)) {
		eh_crr_fail(w, t->cpu->retire, failure(tp->err));
		eh_crr_sleep_for_ever(t);
	}
	if (events & EH_EPOLLOUT) {
		eh_sys_send(t, tp, (int)w->cfg->request);
		eh_sys_epoll_ctl(t, f->th->ep, EH_EPOLL_MOD, &tp->item,
				 EH_EPOLLIN | EH_EPOLLRDHUP, f);
		return;
	}
	if (eh_sys_recv(t, tp) < 0)
		return;
	record(f, t->cpu->retire);
	if (!w->cfg->reconnect) {
		eh_sys_epoll_ctl(t, f->th->ep, EH_EPOLL_MOD, &tp->item,
				 EH_EPOLLOUT | EH_EPOLLRDHUP, f);
		return;
	}
	eh_sys_epoll_ctl(t, f->th->ep, EH_EPOLL_DEL, &tp->item, 0, NULL);
	eh_sys_close(t, tp);
	eh_client_open(t, f);
}

/* Every flow's last snapshot. */
static void flush(struct eh_task *t, struct eh_client_thread *th)
{
	struct eh_crr *w = th->w;

	for (int i = 0; i < th->nflows; i++)
		eh_neper_flush(&w->neper, &th->flows[i].neper, t->cpu->retire);
	th->done = true;
	if (++w->nstopped == w->nthreads) {
		w->stats.finished = true;
		eh_sim_stop(w->client->sim);
	}
}

void eh_client_loop(struct eh_task *t, struct eh_client_thread *th)
{
	while (!th->stop) {
		int n = eh_sys_epoll_wait(t, th->ep, th->events, EH_CRR_EVENTS);

		for (int i = 0; i < n && !th->stop; i++) {
			if (th->events[i].data == th)
				th->stop = true;
			else
				flow_event(t, th->events[i].data, th->events[i].events);
		}
	}
	flush(t, th);
	eh_crr_sleep_for_ever(t);
}
