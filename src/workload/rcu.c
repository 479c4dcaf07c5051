/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab.h"

#include <ehsim/c2c.h>
#include <inttypes.h>

#define SLOTS 64     /* pointers that are read and replaced */
#define OBJECTS 32   /* per slab: of 128 bytes */
#define LINES 2	     /* of an object */
#define STRETCH 4096 /* instructions between two looks at interrupts */

/* What a slot points to, and where the callback's head lies. Never given back to the host. */
struct element {
	struct eh_rcu_head head;
	struct eh_object shadow; /* what kfree_rcu is given in place of `object` */
	struct eh_object *object;
	struct rcu_loop *loop;
	struct element *next; /* free */
	uint64_t lives;
};

struct sleeper {
	struct eh_event event;
	struct eh_task *task;
};

struct rcu_loop {
	const struct eh_workload_config *cfg;
	struct eh_lab *lab;
	struct eh_kmem_cache *cache;
	struct element *slot[SLOTS], *spare;
	GPtrArray *elements;
	eh_line_id slots;
	gsl_rng **rng;
	struct sleeper *sleepers;
};

/* --- objects --- */

static struct element *element_new(struct rcu_loop *s)
{
	struct element *e = s->spare;

	if (e) {
		s->spare = e->next;
		return e;
	}
	e = g_new0(struct element, 1);
	e->loop = s;
	g_ptr_array_add(s->elements, e);
	return e;
}

static void element_free(struct eh_cpu *c, struct element *e)
{
	e->lives++;
	eh_kmem_free(c, e->loop->cache, e->object);
	e->next = e->loop->spare;
	e->loop->spare = e;
}

static void from_callback(struct eh_cpu *c, struct eh_rcu_head *h, void *arg)
{
	(void)arg;
	element_free(c, eh_container_of(h, struct element, head));
}

static void from_kfree(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *o)
{
	(void)k;
	element_free(c, eh_container_of(o, struct element, shadow));
}

static void wake_up(struct eh_event *ev)
{
	struct sleeper *sl = eh_container_of(ev, struct sleeper, event);

	eh_task_start(sl->task);
}

static void *build(struct eh_lab *lab)
{
	struct rcu_loop *s = g_new0(struct rcu_loop, 1);

	s->cfg = lab->cfg;
	s->lab = lab;
	s->cache = eh_kmem_cache_new(lab->m, "rcu", LINES, OBJECTS, lab->kernel->cost.slab);
	s->elements = g_ptr_array_new_with_free_func(g_free);
	s->slots = eh_lines_named(lab->m, SLOTS, 0, "protected pointer");
	s->rng = eh_lab_streams(lab, "rcu");
	s->sleepers = g_new0(struct sleeper, lab->nthreads);
	for (int i = 0; i < lab->nthreads; i++)
		s->sleepers[i].event.fn = wake_up;
	for (int i = 0; i < SLOTS; i++) {
		s->slot[i] = element_new(s);
		s->slot[i]->object = eh_kmem_preset(s->cache, 0);
	}
	return s;
}

/* --- what threads do --- */

static void kernel_work(struct eh_cpu *c, int64_t instr)
{
	for (; instr > 0; instr -= STRETCH) {
		eh_work(c, EH_SYM_USER, MIN(instr, STRETCH));
		eh_cpu_point(c);
	}
}

static int64_t length(struct rcu_loop *s, int thread, int64_t mean)
{
	return s->cfg->rcu.distribution == EH_EXPONENTIAL && mean ?
		       eh_lab_exponential(s->rng[thread], mean) :
		       mean;
}

/* An interrupt that asks for it passes through the scheduler on its way back. */
static void user_work(struct eh_task *t, int64_t instr)
{
	struct eh_cpu *c = t->cpu;

	eh_cpu_point(c);
	for (; instr > 0; instr -= STRETCH) {
		c->user = true;
		eh_work(c, EH_SYM_USER, MIN(instr, STRETCH));
		eh_cpu_point(c);
		c->user = false;
		if (c->need_resched)
			eh_task_yield(t);
	}
}

static void cond_resched(struct rcu_loop *s, struct eh_task *t)
{
	if (t->cpu->need_resched)
		eh_task_yield(t);
	else if (t->cpu->rcu_urgent)
		eh_rcu_all_qs(s->lab->rcu, t->cpu);
}

static void sleep_for(struct rcu_loop *s, struct eh_task *t, int thread, eh_time time)
{
	struct sleeper *sl = &s->sleepers[thread];

	if (!time)
		return;
	eh_cpu_point(t->cpu);
	sl->task = t;
	eh_sim_at(s->lab->sim, &sl->event, t->cpu->retire + time);
	while (eh_event_pending(&sl->event))
		eh_task_block(t);
}

/* A section looks at one object; that it lives until the end is what RCU is for. */
static void read_section(struct rcu_loop *s, struct eh_task *t, int thread)
{
	int i = (int)eh_stream_below(s->rng[thread], SLOTS);
	struct eh_cpu *c = t->cpu;
	struct element *e;
	eh_time known;
	uint64_t lives;

	known = eh_load(c, EH_SYM_USER, s->slots + (eh_line_id)i, 0);
	eh_cpu_point(c);
	e = s->slot[i];
	lives = e->lives;
	eh_load(c, EH_SYM_USER, e->object->line, known);
	kernel_work(c, length(s, thread, s->cfg->rcu.section));
	eh_assert(s->lab->sim, e->lives == lives);
}

/* Publishes a new object; returns the old one. */
static struct element *replace(struct rcu_loop *s, struct eh_cpu *c, int thread)
{
	int i = (int)eh_stream_below(s->rng[thread], SLOTS);
	struct eh_object *fresh = eh_kmem_alloc(c, s->cache);
	struct element *e, *old;

	eh_store(c, EH_SYM_USER, fresh->line);
	eh_store(c, EH_SYM_USER, s->slots + (eh_line_id)i);
	eh_cpu_sync(c, c->retire);
	e = element_new(s);
	e->object = fresh;
	old = s->slot[i];
	s->slot[i] = e;
	return old;
}

static void call(struct rcu_loop *s, struct eh_cpu *c, struct element *old)
{
	old->head = (struct eh_rcu_head){.fn = from_callback,
					 .bytes = eh_kmem_bytes(s->cache),
					 .line = old->object->line};
	eh_call_rcu(s->lab->rcu, c, &old->head);
}

static void reader(struct rcu_loop *s, struct eh_task *t, int thread)
{
	for (int64_t i = 0; i < s->cfg->rcu.sections; i++) {
		read_section(s, t, thread);
		cond_resched(s, t);
	}
	for (int64_t i = 0; i < s->cfg->rcu.calls; i++)
		call(s, t->cpu, replace(s, t->cpu, thread));
	user_work(t, length(s, thread, s->cfg->rcu.user));
	sleep_for(s, t, thread, s->cfg->rcu.sleep);
}

static void dispose(struct rcu_loop *s, struct eh_task *t, struct element *old)
{
	struct eh_cpu *c = t->cpu;

	switch (s->cfg->rcu.op) {
	case EH_RCU_CALL:
		call(s, c, old);
		break;
	case EH_RCU_KFREE:
		old->shadow = *old->object;
		eh_kfree_rcu(s->lab->rcu, c, s->cache, &old->shadow, from_kfree);
		break;
	case EH_RCU_SYNCHRONIZE:
		eh_synchronize_rcu(s->lab->rcu, t);
		element_free(t->cpu, old);
		break;
	default:
		eh_synchronize_rcu_expedited(s->lab->rcu, t);
		element_free(t->cpu, old);
		break;
	}
}

static void updater(struct rcu_loop *s, struct eh_task *t, int thread)
{
	for (int64_t i = 0; i < s->cfg->rcu.burst; i++)
		dispose(s, t, replace(s, t->cpu, thread));
	user_work(t, length(s, thread, s->cfg->rcu.user));
	sleep_for(s, t, thread, s->cfg->rcu.pause);
}

static uint64_t step(void *state, struct eh_task *t, int thread)
{
	struct rcu_loop *s = state;

	if (thread < s->cfg->rcu.updaters)
		updater(s, t, thread);
	else
		reader(s, t, thread);
	return 1;
}

static void loop_free(void *state)
{
	struct rcu_loop *s = state;

	for (int i = 0; i < s->lab->nthreads; i++)
		eh_sim_cancel(s->lab->sim, &s->sleepers[i].event);
	eh_lab_streams_free(s->rng, s->lab->nthreads);
	g_ptr_array_free(s->elements, TRUE);
	eh_kmem_cache_free(s->cache);
	g_free(s->sleepers);
	g_free(s);
}

static char *problem(const struct eh_machine_config *m, const struct eh_workload_config *w,
		     const char **key)
{
	(void)m;
	*key = "rcu.updaters";
	if (w->rcu.updaters > w->threads)
		return g_strdup_printf("updaters (%" PRId64 ") must be at most threads (%" PRId64
				       ")",
				       w->rcu.updaters, w->threads);
	return NULL;
}

const struct eh_lab_ops eh_lab_rcu_loop = {
	.build = build,
	.step = step,
	.free = loop_free,
	.problem = problem,
};
