/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab.h"

#include <ehsim/inet_hash.h>

#define PORT 443
#define ADDRESS 1	   /* of the first thread, and of all whose port is chosen */
#define ELSEWHERE (1 << 20) /* addresses of sockets that are bound already */

struct bind {
	const struct eh_workload_config *cfg;
	struct eh_lab *lab;
	struct eh_network_config net; /* the family, for what it is on */
	struct eh_host *host;
	struct eh_sock *bound; /* cfg->bind.bound of them */
	struct eh_sock *own;   /* by thread */
	uint64_t binds;
	eh_time time;
};

/* So many ports of the range, in random order. */
static void bind_ports(struct bind *s)
{
	const struct eh_kernel_config *k = s->lab->kernel;
	gsl_rng *r = eh_stream_new(eh_sim_seed(s->lab->sim), "lab.bind");
	int64_t n = k->port_high - k->port_low + 1;
	uint16_t *ports = g_new(uint16_t, n);

	for (int64_t i = 0; i < n; i++)
		ports[i] = (uint16_t)(k->port_low + i);
	for (int64_t i = 0; i < s->cfg->bind.bound; i++) {
		int64_t j = i + (int64_t)eh_stream_below(r, (uint64_t)(n - i));
		uint16_t port = ports[j];

		ports[j] = ports[i];
		s->bound[i].laddr = ADDRESS;
		eh_inet_preset_bound(&s->bound[i], port, 0);
	}
	g_free(ports);
	gsl_rng_free(r);
}

static void *build(struct eh_lab *lab)
{
	struct bind *s = g_new0(struct bind, 1);
	int64_t n = lab->cfg->bind.bound;

	s->cfg = lab->cfg;
	s->lab = lab;
	s->net.family = lab->cfg->bind.family;
	s->host = eh_host_on(lab->m, lab->sched, lab->rcu, ADDRESS, lab->kernel, &s->net);
	s->bound = g_new0(struct eh_sock, n);
	s->own = g_new0(struct eh_sock, lab->nthreads);
	for (int64_t i = 0; i < n; i++)
		s->bound[i].host = s->host;
	if (s->cfg->bind.port == EH_BIND_CHOSEN) {
		bind_ports(s);
		return s;
	}
	for (int64_t i = 0; i < n; i++) {
		s->bound[i].laddr = (uint32_t)(ELSEWHERE + i);
		eh_inet_preset_bound(&s->bound[i], PORT, 0);
	}
	return s;
}

static void displace(const struct bind *s)
{
	for (int64_t i = 0; i < s->cfg->bind.bound; i++)
		eh_inet_displaced(&s->bound[i]);
}

/* The system call. */
static void bind_call(struct bind *s, struct eh_cpu *c, struct eh_sock *sk, uint16_t port)
{
	const struct eh_kernel_cost *cost = &s->lab->kernel->cost;
	const int sym = s->host->ipv6 ? EH_SYM(__inet6_bind) : EH_SYM(__inet_bind);
	eh_time from = c->retire;
	int err;

	eh_path(c, EH_SYM(entry_SYSCALL_64), cost->syscall);
	eh_path(c, sym, cost->bind);
	eh_touch(c, sym, sk->obj->line, 2, true);
	err = eh_inet_get_port(c, sk, port);
	eh_assert(s->lab->sim, err == 0);
	s->binds++;
	s->time += c->retire - from;
}

static uint64_t step(void *state, struct eh_task *t, int thread)
{
	struct bind *s = state;
	struct eh_cpu *c = t->cpu;
	struct eh_sock *sk = &s->own[thread];
	bool given = s->cfg->bind.port == EH_BIND_GIVEN;

	*sk = (struct eh_sock){.host = s->host,
			       .laddr = (uint32_t)(given ? ADDRESS + thread : ADDRESS)};
	sk->obj = eh_kmem_alloc(c, s->host->sk_cache);
	eh_cpu_sync(c, c->retire);
	if (s->cfg->bind.caches == EH_BIND_COLD)
		displace(s);
	bind_call(s, c, sk, given ? PORT : 0);
	eh_inet_put_port(c, sk, true);
	eh_kmem_free(c, s->host->sk_cache, sk->obj);
	return 1;
}

static void bind_free(void *state)
{
	struct bind *s = state;

	eh_host_free(s->host);
	g_free(s->bound);
	g_free(s->own);
	g_free(s);
}

static void stats(const void *state, struct eh_lab_stats *st)
{
	const struct bind *s = state;

	st->binds = s->binds;
	st->bind_time = s->time;
}

const struct eh_lab_ops eh_lab_bind = {
	.build = build,
	.step = step,
	.free = bind_free,
	.stats = stats,
};
