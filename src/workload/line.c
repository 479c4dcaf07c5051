/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab.h"

#include <ehsim/c2c.h>
#include <inttypes.h>

#define STORE_LOOP 3 /* instructions beside a plain store; a locked operation hides them */
#define LINE_BYTES 64 /* counters of one line: a byte each at least */

struct line {
	const struct eh_workload_config *cfg;
	int nwords;
	struct eh_word *words;
	struct eh_cpu *waits; /* ping_pong: who waits for the other one's hop to end */
	bool hopping;	      /* the word has changed, the line is still on its way */
	eh_line_id lines;     /* sequential: all of them read, twice what an L2 holds */
	uint32_t nlines, *at; /* by thread: the next one */
	eh_time *known;	      /* ... when its address is known */
};

static bool is_shared(const struct eh_workload_config *w)
{
	return w->line.op == EH_LINE_FALSE_SHARING || w->line.op == EH_LINE_PADDED;
}

static int threads(const struct eh_workload_config *w)
{
	return w->line.op == EH_LINE_PING_PONG ? 2 : (int)w->threads;
}

/* The first CPU of the class, seen from CPU 0; -1: the host has none. */
static int partner(const struct eh_machine_config *m, enum eh_line_pair pair)
{
	int64_t per_die = m->cores_per_die, per_socket = per_die * m->dies_per_socket;
	int64_t cpu = -1;

	switch (pair) {
	case EH_PAIR_SMT:
		cpu = m->threads_per_core > 1 ? per_socket * m->sockets : -1;
		break;
	case EH_PAIR_SAME_DIE:
		cpu = per_die > 1 ? 1 : -1;
		break;
	case EH_PAIR_ADJACENT_DIE:
		cpu = m->dies_per_socket > 1 ? per_die : -1;
		break;
	case EH_PAIR_FAR_DIE:
		cpu = m->dies_per_socket > 2 ? 2 * per_die : -1;
		break;
	case EH_PAIR_OTHER_SOCKET:
		cpu = MIN(m->sockets, m->sockets_per_group) > 1 ? per_socket : -1;
		break;
	case EH_PAIR_FAR_SOCKET:
		cpu = m->sockets > m->sockets_per_group ? m->sockets_per_group * per_socket : -1;
		break;
	}
	return (int)cpu;
}

static int cpu_of(const struct eh_machine *m, const struct eh_workload_config *w, int thread)
{
	if (w->line.op != EH_LINE_PING_PONG)
		return eh_lab_place(m, w->placement, thread);
	return thread ? partner(m->cfg, w->line.pair) : 0;
}

/* Read before by everybody, so that they are clean in the L3. */
static void make_sequence(struct line *s, struct eh_lab *lab)
{
	s->nlines = 2 * (uint32_t)lab->m->cfg->cache.l2_lines;
	s->lines = eh_lines_named(lab->m, s->nlines, (int)lab->cfg->line.home, "sequence");
	for (uint32_t i = 0; i < s->nlines; i++)
		eh_line_shared(lab->m, s->lines + i);
	s->at = g_new0(uint32_t, lab->nthreads);
	s->known = g_new0(eh_time, lab->nthreads);
}

static void *build(struct eh_lab *lab)
{
	struct line *s = g_new0(struct line, 1);
	const char *name = lab->cfg->line.op == EH_LINE_FALSE_SHARING ? "counters" : "counter";
	eh_line_id line = eh_lines_named(lab->m, 1, (int)lab->cfg->line.home, name);

	s->cfg = lab->cfg;
	s->nwords = is_shared(lab->cfg) ? lab->nthreads : 1;
	s->words = g_new(struct eh_word, s->nwords);
	for (int i = 0; i < s->nwords; i++) {
		int die = lab->m->die_of[cpu_of(lab->m, lab->cfg, i)];

		if (lab->cfg->line.op == EH_LINE_PADDED)
			line = eh_lines_named(lab->m, 1, die, name);
		eh_word_init(&s->words[i], line, 0);
	}
	if (lab->cfg->line.op == EH_LINE_SEQUENTIAL)
		make_sequence(s, lab);
	return s;
}

static void count(const struct line *s, struct eh_cpu *c, struct eh_word *w)
{
	if (s->cfg->line.access == EH_ACCESS_ADD) {
		eh_word_add(c, EH_SYM_USER, w, 1);
	} else {
		eh_work(c, EH_SYM_USER, STORE_LOOP);
		eh_word_store(c, EH_SYM_USER, w, eh_word_stored(c, w) + 1);
	}
}

/* The hop of the CPU whose turn it is; the other one sleeps beside the line until it has ended. */
static uint64_t hop(struct line *s, struct eh_cpu *c, uint64_t mine)
{
	struct eh_word *w = s->words;

	eh_cpu_sync(c, c->retire);
	if (w->value != mine || s->hopping) {
		s->waits = c;
		eh_sim_park(c->sim);
		eh_cpu_wait_until(c, EH_SYM_USER, eh_sim_now(c->sim));
	}
	s->hopping = true;
	eh_word_cmpxchg(c, EH_SYM_USER, w, mine, !mine);
	eh_cpu_sync(c, c->retire);
	s->hopping = false;
	if (s->waits)
		eh_sim_at(c->sim, &s->waits->ev, c->retire);
	s->waits = NULL;
	return 1;
}

static uint64_t step(void *state, struct eh_task *t, int thread)
{
	struct line *s = state;
	struct eh_cpu *c = t->cpu;
	struct eh_word *w = s->words;

	switch ((enum eh_line_op)s->cfg->line.op) {
	case EH_LINE_FETCH_ADD:
		eh_word_add(c, EH_SYM_USER, w, 1);
		break;
	case EH_LINE_PING_PONG:
		return hop(s, c, (uint64_t)thread);
	case EH_LINE_ONE_WRITER:
		if (thread) {
			eh_word_load(c, EH_SYM_USER, w);
			eh_cpu_wait_until(c, EH_SYM_USER, c->retire); /* it is looked at */
		} else {
			eh_work(c, EH_SYM_USER, s->cfg->line.writes);
			eh_word_store(c, EH_SYM_USER, w, eh_word_stored(c, w) + 1);
		}
		break;
	case EH_LINE_SEQUENTIAL: /* each line tells where the next one is */
		s->known[thread] = eh_load(c, EH_SYM_USER, s->lines + s->at[thread], s->known[thread]);
		s->at[thread] = (s->at[thread] + 1) % s->nlines;
		break;
	case EH_LINE_FALSE_SHARING:
	case EH_LINE_PADDED:
		count(s, c, &w[thread]);
		break;
	}
	return 1;
}

static void line_free(void *state)
{
	struct line *s = state;

	g_free(s->words);
	g_free(s->at);
	g_free(s->known);
	g_free(s);
}

static char *problem(const struct eh_machine_config *m, const struct eh_workload_config *w,
		     const char **key)
{
	static const char *const pairs[] = {"cores with two threads", "dies with two cores",
					    "sockets with two dies",  "sockets with three dies",
					    "groups of two sockets",  "two groups of sockets"};

	*key = "line.pair";
	if (w->line.op == EH_LINE_PING_PONG && partner(m, w->line.pair) < 0)
		return g_strdup_printf("this pair needs a host that has %s", pairs[w->line.pair]);
	*key = "line.home";
	if (w->line.home >= m->sockets * m->dies_per_socket)
		return g_strdup_printf("home (%" PRId64
				       ") must be below the number of dies: %" PRId64
				       ", counted from 0",
				       w->line.home, m->sockets * m->dies_per_socket);
	*key = "threads";
	if (w->line.op == EH_LINE_FALSE_SHARING && w->threads > LINE_BYTES)
		return g_strdup_printf("threads (%" PRId64
				       ") with a word each in one line of %d bytes",
				       w->threads, LINE_BYTES);
	return NULL;
}

const struct eh_lab_ops eh_lab_line = {
	.threads = threads,
	.cpu = cpu_of,
	.build = build,
	.step = step,
	.free = line_free,
	.problem = problem,
};
