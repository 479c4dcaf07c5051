/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For the tests of the port search: one host, ports taken without cost or at an instant, searches
 * on bare CPUs (no ticks, no scheduler: nothing happens but what the test makes happen).
 */
#ifndef TESTS_UNIT_PORTS_H
#define TESTS_UNIT_PORTS_H

#include <check.h>
#include <errno.h>
#include <string.h>

#include "../../src/net/inet_table.h"
#include "bare.h"
#include "host.h"

#define HERE 1
#define THERE 2
#define TO 12867
#define LOW 40000

struct world {
	struct eh_machine_config mc;
	struct eh_kernel_config kc;
	struct eh_network_config nc;
	struct eh_sim *sim;
	struct eh_host *h;
	struct eh_inet_hash *t;
	struct eh_tuple *u;
	GPtrArray *socks;
	struct eh_sock *at[65536]; /* by port: who has taken it */
	int range_low, range_high; /* of sockets that connect: their own */
};

static inline void configure(struct world *w, int state, int ports)
{
	memset(w, 0, sizeof(*w));
	w->mc = host_machine(1, 2, 4, 1);
	eh_keys_defaults(eh_kernel_keys, &w->kc);
	eh_keys_defaults(eh_network_keys, &w->nc);
	w->kc.connect = state;
	w->kc.ehash_buckets = 4096;
	w->kc.port_low = LOW;
	w->kc.port_high = LOW + ports - 1;
}

static inline void build(struct world *w)
{
	w->sim = eh_sim_new(3);
	w->h = eh_host_new(w->sim, "client", HERE, &w->mc, &w->kc, &w->nc);
	w->t = w->h->hash;
	w->u = eh_tuple_get(w->t, THERE, TO);
	w->socks = g_ptr_array_new_with_free_func(g_free);
}

static inline void teardown(struct world *w)
{
	eh_host_free(w->h);
	eh_sim_free(w->sim);
	eh_keys_clear(eh_kernel_keys, &w->kc);
	eh_keys_clear(eh_network_keys, &w->nc);
	g_ptr_array_free(w->socks, TRUE);
}

static inline struct eh_sock *new_sock(struct world *w)
{
	struct eh_sock *sk = g_new0(struct eh_sock, 1);

	sk->host = w->h;
	sk->laddr = HERE;
	sk->raddr = THERE;
	sk->rport = TO;
	g_ptr_array_add(w->socks, sk);
	return sk;
}

/* Connected from the beginning; the search finds only clean lines there. */
static inline void take(struct world *w, int port)
{
	w->at[port] = new_sock(w);
	eh_inet_preset(w->at[port], (uint16_t)port, 1);
	eh_line_shared(w->h->m, w->t->bhash[port].line);
}

static inline void take_all(struct world *w, int but)
{
	for (int port = (int)w->kc.port_low; port <= w->kc.port_high; port++)
		if (port != but && !w->t->reserved[port])
			take(w, port);
}

/* Gives the port back at this instant, without cost. */
static inline void drop(struct world *w, int port)
{
	struct eh_sock *sk = w->at[port];
	struct eh_bind_bucket *tb = sk->tb;

	w->at[port] = NULL;
	eh_ehash_del(w->t, sk);
	sk->tb = NULL;
	w->t->tb[port] = NULL;
	eh_bind_bucket_forget(tb);
	eh_ports_refresh(w->t, (uint16_t)port);
	eh_lookahead_port(w->t, (uint16_t)port);
}

/* The port it got, or -EADDRNOTAVAIL. */
static inline int connect_on(struct world *w, struct eh_cpu *c)
{
	struct eh_sock *sk = new_sock(w);
	int ret;

	sk->obj = eh_kmem_alloc(c, w->h->sk_cache);
	sk->port_low = (uint16_t)w->range_low;
	sk->port_high = (uint16_t)w->range_high;
	ret = eh_inet_hash_connect(c, sk);
	if (ret < 0)
		return ret;
	ck_assert_ptr_null(w->at[sk->lport]);
	ck_assert(sk->hashed);
	w->at[sk->lport] = sk;
	return sk->lport;
}

static inline void disconnect_on(struct world *w, struct eh_cpu *c, int port)
{
	struct eh_sock *sk = w->at[port];

	w->at[port] = NULL;
	eh_inet_unhash(c, sk, true);
	eh_inet_put_port(c, sk, true);
}

/* --- code on bare CPUs --- */

struct job {
	struct world *w;
	struct eh_cpu *c;
	void (*fn)(struct job *j);
	int n;
	int port[512]; /* results */
	eh_time at[512];
	eh_time when; /* something happens */
};

static inline void job_main(void *arg)
{
	struct job *j = arg;

	eh_cpu_wait_until(j->c, -1, eh_sim_now(j->w->sim));
	j->fn(j);
	eh_cpu_sync(j->c, j->c->retire);
}

static inline void add(struct world *w, struct job *j, int cpu, void (*fn)(struct job *))
{
	j->w = w;
	j->c = &w->h->m->cpus[cpu];
	j->fn = fn;
	run_bare(j->c, job_main, j, 0);
}

static inline void note(struct job *j, int port)
{
	ck_assert_int_lt(j->n, 512);
	j->at[j->n] = j->c->retire;
	j->port[j->n++] = port;
}

/* One connect by CPU 0, alone. */
static inline void connect_job(struct job *j)
{
	note(j, connect_on(j->w, j->c));
}

static inline int connect_once(struct world *w)
{
	struct job j = {0};

	add(w, &j, 0, connect_job);
	eh_sim_run(w->sim, eh_sim_now(w->sim) + EH_SEC);
	ck_assert_int_eq(j.n, 1);
	return j.port[0];
}

static inline struct eh_search_stats stats(const struct world *w)
{
	struct eh_search_stats st;

	eh_inet_search_stats(w->h, &st);
	return st;
}

#endif
