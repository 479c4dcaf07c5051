/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab.h"

#include <ehsim/c2c.h>
#include <ehsim/inet_hash.h>
#include <ehsim/link.h>
#include <ehsim/nic.h>
#include <ehsim/tcp.h>

#define PEER 2
#define PORT 12867
#define STREAM_PORT 40000
#define OTHERS 1000 /* addresses of idle peers begin here */

struct stream {
	struct eh_lab *lab;
	struct eh_link *link;
	eh_line_id payload;  /* a ring of lines */
	uint32_t nlines, next;
};

/* Idle sockets that came later than the stream's: in front of it, as new ones go to the head. */
static void fill_chain(struct stream *s, const struct eh_tcp *tp, int64_t n, int cpu)
{
	struct eh_host *h = s->lab->host;
	struct eh_sock tuple = {.laddr = h->addr, .lport = PORT, .rport = STREAM_PORT};

	for (uint32_t peer = OTHERS; n > 0; peer++) {
		tuple.raddr = peer;
		if (eh_inet_same_chain(&tp->sk, &tuple)) {
			eh_tcp_preset(h, cpu, &tuple);
			n--;
		}
	}
}

static int cpu(const struct eh_machine *m, const struct eh_workload_config *w, int thread)
{
	(void)w;
	return eh_machine_spread(m, thread);
}

static void *build(struct eh_lab *lab)
{
	struct stream *s = g_new0(struct stream, 1);
	struct eh_host *h = lab->host;
	struct eh_sock tuple = {
		.laddr = h->addr, .lport = PORT, .raddr = PEER, .rport = STREAM_PORT};
	int at = eh_machine_spread(lab->m, 0);
	struct eh_tcp *tp;

	s->lab = lab;
	s->link = eh_link_new_sink(h);
	eh_tcp_listen(h, at, PORT, 128);
	tp = eh_tcp_preset(h, at, &tuple);
	fill_chain(s, tp, lab->cfg->chain.length, at);
	s->nlines = (uint32_t)MAX(2 * lab->m->cfg->cache.l2_lines, lab->cfg->chain.payload);
	s->payload = eh_lines_named(lab->m, s->nlines, lab->m->die_of[at], "payload");
	return s;
}

/* A packet merged by GRO: its lookup, what its bytes bring into the caches, and the rest. */
static uint64_t step(void *state, struct eh_task *t, int thread)
{
	struct stream *s = state;
	struct eh_host *h = s->lab->host;
	struct eh_cpu *c = t->cpu;
	struct eh_sock *sk;

	(void)thread;
	sk = eh_inet_lookup(c, h, h->addr, PORT, PEER, STREAM_PORT);
	eh_assert(s->lab->sim, sk != NULL);
	for (int64_t i = 0; i < s->lab->cfg->chain.payload; i++) {
		eh_load(c, EH_SYM(tcp_rcv_established), s->payload + s->next, 0);
		s->next = (s->next + 1) % s->nlines;
	}
	eh_path(c, EH_SYM(tcp_rcv_established), s->lab->cfg->chain.instr);
	eh_sock_put(c, sk, h->tcp->sym.rcv);
	return 1;
}

static void stream_free(void *state)
{
	struct stream *s = state;

	eh_link_free(s->link);
	g_free(s);
}

static int threads(const struct eh_workload_config *w)
{
	(void)w;
	return 1;
}

static char *problem(const struct eh_machine_config *m, const struct eh_workload_config *w,
		     const char **key)
{
	(void)m;
	*key = "chain.length";
	if (w->threads > 1)
		return g_strdup("one stream is received by one thread; write threads: 1");
	return NULL;
}

const struct eh_lab_ops eh_lab_chain = {
	.networked = true,
	.threads = threads,
	.cpu = cpu,
	.build = build,
	.step = step,
	.free = stream_free,
	.problem = problem,
};
