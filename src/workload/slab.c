/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab.h"

#include <ehsim/c2c.h>

#define SLOTS_PER_LINE 8

struct slab_thread {
	struct eh_object **o; /* count or bulk of them; of a pair, in its first thread */
	int64_t i;	      /* objects of this phase so far */
	int64_t rounds;
	bool freeing;
	struct eh_task *waits; /* for the others */
	struct eh_word put,
		got; /* of a pair, in its first thread: objects handed over, and taken */
	eh_line_id slots;
	uint64_t allocs, frees;
	eh_time alloc_time, free_time;
};

struct slab_loop {
	const struct eh_workload_config *cfg;
	struct eh_kmem_cache *cache;
	struct slab_thread *threads;
	int nthreads, arrived;
};

static int64_t room(const struct eh_workload_config *cfg)
{
	return cfg->slab.op == EH_SLAB_BULK ? cfg->slab.bulk : cfg->slab.count;
}

static void *build(struct eh_lab *lab)
{
	const struct eh_workload_config *cfg = lab->cfg;
	struct slab_loop *s = g_new0(struct slab_loop, 1);
	struct eh_kmem_spec spec = {"slab_test", (int)cfg->slab.size, 1, 0, 0};

	s->cfg = cfg;
	s->cache = eh_kmem_cache_make(lab->m, &spec);
	s->nthreads = lab->nthreads;
	s->threads = g_new0(struct slab_thread, s->nthreads);
	for (int i = 0; i < s->nthreads; i++) {
		struct slab_thread *th = &s->threads[i];
		int die = lab->m->die_of[eh_lab_place(lab->m, cfg->placement, i)];

		th->o = g_new0(struct eh_object *, room(cfg));
		if (cfg->slab.op != EH_SLAB_REMOTE)
			continue;
		eh_word_init(&th->put, eh_lines_named(lab->m, 1, die, "ring head"), 0);
		eh_word_init(&th->got, eh_lines_named(lab->m, 1, die, "ring tail"), 0);
		th->slots = eh_lines_named(lab->m, (uint32_t)(cfg->slab.count / SLOTS_PER_LINE) + 1,
					   die, "ring");
	}
	return s;
}

static struct eh_object *alloc(struct slab_loop *s, struct slab_thread *th, struct eh_cpu *c)
{
	eh_time from = c->retire;
	struct eh_object *o = eh_kmem_alloc(c, s->cache);

	th->alloc_time += c->retire - from;
	th->allocs++;
	return o;
}

static void release(struct slab_loop *s, struct slab_thread *th, struct eh_cpu *c,
		    struct eh_object *o)
{
	eh_time from = c->retire;

	eh_kmem_free(c, s->cache, o);
	th->free_time += c->retire - from;
	th->frees++;
}

static void sleep_until_woken(struct slab_thread *th, struct eh_task *t)
{
	th->waits = t;
	while (th->waits)
		eh_task_block(t);
}

/* The last one wakes the others; who has done all its rounds sleeps for ever. */
static void next_phase(struct slab_loop *s, struct slab_thread *th, struct eh_task *t)
{
	eh_cpu_sync(t->cpu, t->cpu->retire);
	th->i = 0;
	th->rounds += th->freeing;
	th->freeing = !th->freeing;
	if (++s->arrived < s->nthreads) {
		sleep_until_woken(th, t);
	} else {
		s->arrived = 0;
		for (int i = 0; i < s->nthreads; i++) {
			struct eh_task *other = s->threads[i].waits;

			s->threads[i].waits = NULL;
			if (other)
				eh_task_wake(t->cpu, other);
		}
	}
	if (s->cfg->slab.rounds && th->rounds == s->cfg->slab.rounds)
		sleep_until_woken(th, t);
}

static uint64_t concurrent(struct slab_loop *s, struct eh_task *t, int thread)
{
	struct slab_thread *th = &s->threads[thread];

	if (th->i == s->cfg->slab.count)
		next_phase(s, th, t);
	if (th->freeing)
		release(s, th, t->cpu, th->o[th->i++]);
	else
		th->o[th->i++] = alloc(s, th, t->cpu);
	return th->freeing;
}

static void touch_slot(struct eh_cpu *c, const struct slab_thread *pair, uint64_t n, int64_t count,
		       bool write)
{
	eh_line_id line = pair->slots + (eh_line_id)(n % (uint64_t)count / SLOTS_PER_LINE);

	eh_touch(c, EH_SYM_USER, line, 1, write);
}

/* The first of a pair allocates and hands over so many at a time, as long as there is room for
 * them. */
static uint64_t hand_over(struct slab_loop *s, struct slab_thread *pair, struct eh_cpu *c)
{
	uint64_t count = (uint64_t)s->cfg->slab.count, bulk = (uint64_t)s->cfg->slab.bulk;
	uint64_t put = eh_word_stored(c, &pair->put), got = eh_word_load(c, EH_SYM_USER, &pair->got);

	while (put + bulk - got > count)
		got = eh_word_wait(c, EH_SYM_USER, &pair->got, got);
	for (uint64_t end = put + bulk; put < end; put++) {
		pair->o[put % count] = alloc(s, pair, c);
		touch_slot(c, pair, put, s->cfg->slab.count, true);
	}
	eh_word_store(c, EH_SYM_USER, &pair->put, put);
	return 0;
}

/* The second one frees what has come. */
static uint64_t take_over(struct slab_loop *s, struct slab_thread *pair, struct slab_thread *th,
			  struct eh_cpu *c)
{
	uint64_t count = (uint64_t)s->cfg->slab.count, got = eh_word_stored(c, &pair->got), n;
	uint64_t put = eh_word_load(c, EH_SYM_USER, &pair->put);

	if (put == got)
		put = eh_word_wait(c, EH_SYM_USER, &pair->put, put);
	n = put - got;
	for (; got < put; got++) {
		touch_slot(c, pair, got, s->cfg->slab.count, false);
		release(s, th, c, pair->o[got % count]);
	}
	eh_word_store(c, EH_SYM_USER, &pair->got, got);
	return n;
}

static uint64_t bulk(struct slab_loop *s, struct slab_thread *th, struct eh_cpu *c)
{
	int n = (int)s->cfg->slab.bulk;
	eh_time from = c->retire, between;

	eh_kmem_alloc_bulk(c, s->cache, n, th->o);
	between = c->retire;
	eh_kmem_free_bulk(c, s->cache, n, th->o);
	th->alloc_time += between - from;
	th->free_time += c->retire - between;
	th->allocs += (uint64_t)n;
	th->frees += (uint64_t)n;
	return (uint64_t)n;
}

static uint64_t step(void *state, struct eh_task *t, int thread)
{
	struct slab_loop *s = state;
	struct slab_thread *th = &s->threads[thread];

	switch (s->cfg->slab.op) {
	case EH_SLAB_CONCURRENT:
		return concurrent(s, t, thread);
	case EH_SLAB_REMOTE:
		return thread % 2 ? take_over(s, th - 1, th, t->cpu) : hand_over(s, th, t->cpu);
	case EH_SLAB_BULK:
		return bulk(s, th, t->cpu);
	default:
		release(s, th, t->cpu, alloc(s, th, t->cpu));
		return 1;
	}
}

static void loop_free(void *state)
{
	struct slab_loop *s = state;

	for (int i = 0; i < s->nthreads; i++)
		g_free(s->threads[i].o);
	eh_kmem_cache_free(s->cache);
	g_free(s->threads);
	g_free(s);
}

static void stats(const void *state, struct eh_lab_stats *st)
{
	const struct slab_loop *s = state;

	for (int i = 0; i < s->nthreads; i++) {
		st->allocs += s->threads[i].allocs;
		st->frees += s->threads[i].frees;
		st->alloc_time += s->threads[i].alloc_time;
		st->free_time += s->threads[i].free_time;
	}
}

static char *problem(const struct eh_machine_config *m, const struct eh_workload_config *w,
		     const char **key)
{
	(void)m;
	if (w->slab.op != EH_SLAB_REMOTE)
		return NULL;
	if (w->threads % 2) {
		*key = "slab.op";
		return g_strdup("threads of op: remote come in pairs; write an even number");
	}
	if (w->slab.bulk > w->slab.count) {
		*key = "slab.bulk";
		return g_strdup_printf(
			"only slab.count (%" G_GINT64_FORMAT
			") objects may be on their way, fewer than are handed over at a time",
			w->slab.count);
	}
	return NULL;
}

const struct eh_lab_ops eh_lab_slab = {
	.build = build,
	.step = step,
	.free = loop_free,
	.stats = stats,
	.problem = problem,
};
