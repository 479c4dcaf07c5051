/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab.h"

#include <ehsim/ehash2004.h>

#define SYM EH_SYM(tcp_v4_rcv)
#define FIRST_PORT 1024
#define PORTS 60000 /* of one address */

struct connection {
	struct eh_four2004 four;
};

struct table {
	const struct eh_workload_config *cfg;
	struct eh_lab *lab;
	struct eh_ehash2004 *t;
	struct connection *conn;
	gsl_rng **random;
};

static struct eh_four2004 four_of(int64_t i)
{
	return (struct eh_four2004){.laddr = 0x0a000103, /* 10.0.1.3 */
				    .lport = 22,
				    .raddr = 0x0a010101 + (uint32_t)(i / PORTS),
				    .rport = (uint16_t)(FIRST_PORT + i % PORTS)};
}

static void *build(struct eh_lab *lab)
{
	struct table *s = g_new0(struct table, 1);
	int64_t n = lab->cfg->ehash2004.connections;

	s->cfg = lab->cfg;
	s->lab = lab;
	s->t = eh_ehash2004_new(lab->m, lab->rcu, lab->kernel);
	s->conn = g_new0(struct connection, n);
	s->random = eh_lab_streams(lab, "ehash2004");
	for (int64_t i = 0; i < n; i++) {
		s->conn[i].four = four_of(i);
		eh_sock2004_preset(s->t, &s->conn[i].four,
				   eh_lab_place(lab->m, lab->cfg->placement,
						(int)(i % lab->nthreads)));
	}
	return s;
}

/* Whose packet comes to this thread's CPU. */
static struct connection *next_packet(struct table *s, int thread)
{
	int64_t n = s->cfg->ehash2004.connections, threads = s->lab->nthreads, mine;

	if (s->cfg->ehash2004.irq == EH_IRQ_ROTATING)
		return &s->conn[eh_stream_below(s->random[thread], (uint64_t)n)];
	mine = (n - thread + threads - 1) / threads;
	return &s->conn[thread + threads * (int64_t)eh_stream_below(s->random[thread], (uint64_t)mine)];
}

static uint64_t step(void *state, struct eh_task *t, int thread)
{
	struct table *s = state;
	struct eh_cpu *c = t->cpu;
	struct eh_sock2004 *sk;

	eh_local_bh_disable(c);
	sk = eh_ehash2004_lookup(c, s->t, &next_packet(s, thread)->four);
	eh_sock2004_lock(c, sk, SYM);
	eh_path(c, SYM, s->cfg->ehash2004.work);
	eh_sock2004_unlock(c, sk, SYM);
	eh_sock2004_put(c, sk, SYM);
	eh_local_bh_enable(c);
	return 1;
}

static void table_free(void *state)
{
	struct table *s = state;

	eh_lab_streams_free(s->random, s->lab->nthreads);
	eh_ehash2004_free(s->t);
	g_free(s->conn);
	g_free(s);
}

static const struct eh_lock_class *locks(const void *state)
{
	return &((const struct table *)state)->t->class;
}

static char *problem(const struct eh_machine_config *m, const struct eh_workload_config *w,
		     const char **key)
{
	(void)m;
	*key = "ehash2004.connections";
	if (w->ehash2004.irq != EH_IRQ_ROTATING && w->ehash2004.connections < w->threads)
		return g_strdup("with irq: flow each thread needs a connection");
	return NULL;
}

const struct eh_lab_ops eh_lab_ehash2004 = {
	.build = build,
	.step = step,
	.free = table_free,
	.locks = locks,
	.problem = problem,
};
