/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crr.h"

static bool is_listener(const struct eh_server_thread *th, const void *data)
{
	const char *p = data, *first = (const char *)th->listeners;

	return p >= first && p < first + sizeof(*th->listeners) * (size_t)th->w->cfg->server_ports;
}

static void accept_one(struct eh_task *t, struct eh_server_thread *th, struct eh_tcp *listener)
{
	struct eh_tcp *tp = eh_sys_accept(t, listener);

	if (!tp)
		return;
	eh_sys_fcntl(t);
	eh_sys_fcntl(t);
	eh_sys_epoll_ctl(t, th->ep, EH_EPOLL_ADD, &tp->item, EH_EPOLLIN | EH_EPOLLRDHUP, tp);
}

static void flow_event(struct eh_task *t, struct eh_server_thread *th, struct eh_tcp *tp,
		       uint32_t events)
{
	if (events & (EH_EPOLLHUP | EH_EPOLLERR | EH_EPOLLRDHUP)) {
		eh_sys_epoll_ctl(t, th->ep, EH_EPOLL_DEL, &tp->item, 0, NULL);
		eh_sys_close(t, tp);
	} else if (events & EH_EPOLLIN) {
		if (eh_sys_recv(t, tp) > 0)
			eh_sys_epoll_ctl(t, th->ep, EH_EPOLL_MOD, &tp->item,
					 EH_EPOLLOUT | EH_EPOLLRDHUP, tp);
	} else {
		eh_sys_send(t, tp, (int)th->w->cfg->response);
		eh_sys_epoll_ctl(t, th->ep, EH_EPOLL_MOD, &tp->item, EH_EPOLLIN | EH_EPOLLRDHUP,
				 tp);
	}
}

void eh_server_thread(struct eh_task *t, void *arg)
{
	struct eh_server_thread *th = arg;

	for (;;) {
		int n = eh_sys_epoll_wait(t, th->ep, th->events, EH_CRR_EVENTS);

		for (int i = 0; i < n; i++) {
			eh_crr_user(t, th->w->cfg->user_work);
			if (is_listener(th, th->events[i].data))
				accept_one(t, th, *(struct eh_tcp **)th->events[i].data);
			else
				flow_event(t, th, th->events[i].data, th->events[i].events);
		}
	}
}
