/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the tests of a connection: a client and a server host with a link between them. */
#ifndef TESTS_UNIT_HOSTS_H
#define TESTS_UNIT_HOSTS_H

#include <ehsim/inet_hash.h>
#include <ehsim/link.h>
#include <ehsim/nic.h>
#include <ehsim/tcp.h>

#include <check.h>
#include <string.h>

#include "host.h"

#define PORT 12867
#define CLIENT 1
#define SERVER 2

struct world {
	struct eh_machine_config mc;
	struct eh_kernel_config kc;
	struct eh_network_config nc;
	struct eh_sim *sim;
	struct eh_host *client, *server;
	struct eh_link *link;
	struct eh_tcp *listener;
	struct eh_epoll *cep, *sep;
	struct eh_epoll_event ev[8];
	struct eh_tcp *tp[8], *child[8];
	int n, got;
	eh_time hold;
};

static inline void configure(struct world *w)
{
	memset(w, 0, sizeof(*w));
	w->mc = host_machine(1, 1, 4, 1);
	eh_keys_defaults(eh_kernel_keys, &w->kc);
	eh_keys_defaults(eh_network_keys, &w->nc);
	w->nc.queues = 2;
}

static inline void build(struct world *w, int backlog)
{
	w->sim = eh_sim_new(1);
	w->client = eh_host_new(w->sim, "client", CLIENT, &w->mc, &w->kc, &w->nc);
	w->server = eh_host_new(w->sim, "server", SERVER, &w->mc, &w->kc, &w->nc);
	w->link = eh_link_new(w->client, w->server);
	w->cep = eh_epoll_new(w->client, 2);
	w->sep = eh_epoll_new(w->server, 2);
	w->listener = eh_tcp_listen(w->server, 2, PORT, backlog);
	eh_epoll_preset(w->sep, &w->listener->item, EH_EPOLLIN, w->listener, false);
}

static inline void setup(struct world *w, int backlog)
{
	configure(w);
	build(w, backlog);
}

static inline void teardown(struct world *w)
{
	eh_epoll_free(w->cep);
	eh_epoll_free(w->sep);
	eh_link_free(w->link);
	eh_host_free(w->client);
	eh_host_free(w->server);
	eh_keys_clear(eh_kernel_keys, &w->kc);
	eh_keys_clear(eh_network_keys, &w->nc);
	eh_sim_free(w->sim);
}

static inline void start(struct world *w, struct eh_host *h,
			 void (*fn)(struct eh_task *t, void *arg))
{
	eh_task_start(eh_task_new(h->sched, 2, "test", fn, w));
}

static inline void *next_event(struct eh_task *t, struct eh_epoll *ep, uint32_t want)
{
	struct eh_epoll_event ev;

	ck_assert_int_eq(eh_sys_epoll_wait(t, ep, &ev, 1), 1);
	ck_assert_uint_eq(ev.events & want, want);
	return ev.data;
}

static inline void nothing_left(struct world *w)
{
	ck_assert_uint_eq(eh_kmem_active(w->client->sk_cache), 0);
	ck_assert_uint_eq(eh_kmem_active(w->server->sk_cache), 1);
	ck_assert_uint_eq(eh_kmem_active(w->client->file_cache), 0);
	ck_assert_uint_eq(eh_kmem_active(w->server->file_cache), 1);
	ck_assert_uint_eq(eh_kmem_active(w->server->req_cache), 0);
	ck_assert_uint_eq(w->link->pool.taken, 0);
	ck_assert_int_eq(w->listener->refs, 1);
	ck_assert_int_eq(w->listener->accept->requests, 0);
	ck_assert(eh_inet_port_free(w->client, SERVER, PORT, (uint16_t)w->kc.port_low));
}

#endif
