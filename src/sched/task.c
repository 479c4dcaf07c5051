/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sched.h"

#include <ehsim/c2c.h>

struct eh_sched *eh_sched_new(struct eh_machine *m, const struct eh_kernel_config *kernel)
{
	struct eh_sched *s = g_new0(struct eh_sched, 1);

	s->m = m;
	s->sim = m->sim;
	s->kernel = kernel;
	s->jiffy = EH_SEC / kernel->hz;
	eh_lock_class_init(&s->rq_lock, m, "rq->lock");
	g_ptr_array_add(m->kept, s->runnable = eh_little_new(m->sim, "run queues", 0));
	s->tasks = g_ptr_array_new_with_free_func(g_free);
	s->rqs = g_new0(struct eh_rq, m->ncpus);
	for (int i = 0; i < m->ncpus; i++)
		eh_rq_init(s, i);
	return s;
}

void eh_sched_free(struct eh_sched *s)
{
	if (!s)
		return;
	for (int i = 0; i < s->m->ncpus; i++) {
		eh_sim_cancel(s->sim, &s->rqs[i].ipi);
		eh_sim_cancel(s->sim, &s->rqs[i].tick);
		eh_sim_cancel(s->sim, &s->m->cpus[i].ev);
		s->m->cpus[i].curr = NULL;
	}
	g_ptr_array_free(s->tasks, TRUE);
	g_free(s->rqs);
	g_free(s);
}

void eh_sched_hook(struct eh_sched *s, const struct eh_sched_hooks *h)
{
	eh_assert(s->sim, s->nhooks < MAX_HOOKS);
	s->hooks[s->nhooks++] = *h;
}

struct eh_machine *eh_sched_machine(const struct eh_sched *s)
{
	return s->m;
}

struct eh_lock_class *eh_sched_rq_lock(struct eh_sched *s)
{
	return &s->rq_lock;
}

const struct eh_little *eh_sched_runnable(const struct eh_sched *s, struct eh_little_reading *r)
{
	eh_little_read(s->runnable, s->dequeued, s->waited, r);
	return s->runnable;
}

/* Both at the present instant. */
static void enqueue(struct eh_rq *rq, struct eh_task *t)
{
	t->queued = true;
	t->queued_at = eh_sim_now(rq->s->sim);
	eh_little_enter(rq->s->runnable, t->queued_at);
	t->next = NULL;
	*rq->tailp = t;
	rq->tailp = &t->next;
}

static struct eh_task *dequeue(struct eh_rq *rq)
{
	struct eh_task *t = rq->head;
	struct eh_sched *s = rq->s;
	eh_time now = eh_sim_now(s->sim);

	if (!t)
		return NULL;
	rq->head = t->next;
	if (!rq->head)
		rq->tailp = &rq->head;
	t->queued = false;
	s->dequeued++;
	s->waited += now - t->queued_at;
	eh_little_leave(s->runnable, t->queued_at, now);
	return t;
}

static void account(struct eh_rq *rq, struct eh_task *t)
{
	eh_time user = eh_cpu_user(rq->c), busy = eh_cpu_busy(rq->c);

	t->utime += user - rq->user_mark;
	t->stime += busy - rq->busy_mark - (user - rq->user_mark);
	rq->user_mark = user;
	rq->busy_mark = busy;
}

/* What the next one finds is ready before anybody else runs; prev is a parked fiber from then on.
 */
static void switch_to(struct eh_rq *rq, struct eh_task *prev, struct eh_task *next, bool exits)
{
	struct eh_cpu *c = rq->c;
	struct eh_sched *s = rq->s;

	account(rq, prev);
	for (int i = 0; i < s->nhooks; i++)
		if (s->hooks[i].context_switch)
			s->hooks[i].context_switch(c, s->hooks[i].arg);
	if (next == prev)
		return;
	c->curr = next;
	if (!next->is_idle)
		eh_tick_arm(rq);
	c->ev.fiber = next->fiber;
	eh_sim_at(s->sim, &c->ev, eh_sim_now(s->sim));
	if (!exits)
		eh_sim_park(s->sim);
}

void eh_schedule(struct eh_rq *rq, struct eh_task *prev, enum eh_schedule how)
{
	const struct eh_kernel_cost *cost = &rq->s->kernel->cost;
	struct eh_cpu *c = rq->c;
	struct eh_task *next = NULL;

	eh_path(c, EH_SYM(__schedule), cost->schedule);
	eh_spin_lock(c, &rq->lock, &rq->s->rq_lock, EH_SYM(_raw_spin_lock));
	eh_cpu_sync(c, c->retire);
	eh_spin_unlock(c, &rq->lock, EH_SYM(__schedule), cost->spin_unlock);

	/* From here on nobody else runs until the switch. */
	c->need_resched = false;
	if (how == EH_SCHEDULE_SLEEP && prev->wake_pending) {
		prev->wake_pending = false;
		next = prev;
	} else if (how == EH_SCHEDULE_SLEEP) {
		prev->sleeping = true;
	} else if (how == EH_SCHEDULE_YIELD) {
		enqueue(rq, prev);
	}
	if (!next)
		next = dequeue(rq);
	switch_to(rq, prev, next ? next : &rq->idle, how == EH_SCHEDULE_EXIT);
}

static void task_main(void *arg)
{
	struct eh_task *t = arg;

	t->fn(t, t->arg);
	eh_schedule(eh_rq_of(t->sched, t->cpu), t, EH_SCHEDULE_EXIT);
}

struct eh_task *eh_task_new(struct eh_sched *s, int cpu, const char *comm,
			    void (*fn)(struct eh_task *t, void *arg), void *arg)
{
	struct eh_task *t = g_new0(struct eh_task, 1);

	eh_rq_online(&s->rqs[cpu]);
	t->sched = s;
	t->cpu = &s->m->cpus[cpu];
	t->fn = fn;
	t->arg = arg;
	t->comm = comm;
	t->sleeping = true;
	t->line = eh_lines_named(s->m, 1, t->cpu->die, "task_struct.pi_lock");
	t->fiber = eh_sim_fiber(s->sim, task_main, t);
	g_ptr_array_add(s->tasks, t);
	return t;
}

void eh_task_start(struct eh_task *t)
{
	struct eh_rq *rq = eh_rq_of(t->sched, t->cpu);

	if (!t->sleeping) {
		t->wake_pending |= !t->queued;
		return;
	}
	t->sleeping = false;
	enqueue(rq, t);
	if (rq->c->idle)
		eh_cpu_notice(rq->c);
}

void eh_task_block(struct eh_task *t)
{
	eh_assert(t->sched->sim, t->cpu->curr == t);
	eh_cpu_point(t->cpu);
	if (t->wake_pending)
		t->wake_pending = false;
	else
		eh_schedule(eh_rq_of(t->sched, t->cpu), t, EH_SCHEDULE_SLEEP);
}

void eh_task_yield(struct eh_task *t)
{
	eh_cpu_point(t->cpu);
	eh_schedule(eh_rq_of(t->sched, t->cpu), t, EH_SCHEDULE_YIELD);
}

void eh_task_wake(struct eh_cpu *c, struct eh_task *t)
{
	struct eh_sched *s = t->sched;
	const struct eh_kernel_cost *cost = &s->kernel->cost;
	struct eh_rq *rq;

	eh_cpu_sync(c, c->retire);
	if (!t->sleeping) {
		t->wake_pending |= !t->queued;
		return;
	}
	t->sleeping = false;
	t->queued = true;
	rq = eh_rq_of(s, t->cpu);
	eh_rmw(c, EH_SYM(try_to_wake_up), t->line);
	eh_path(c, EH_SYM(try_to_wake_up), cost->wakeup);
	eh_spin_lock(c, &rq->lock, &s->rq_lock, EH_SYM(_raw_spin_lock));
	eh_cpu_sync(c, c->retire);
	enqueue(rq, t);
	eh_spin_unlock(c, &rq->lock, EH_SYM(try_to_wake_up), cost->spin_unlock);
	if (rq->c != c && rq->c->idle && !eh_event_pending(&rq->ipi))
		eh_sim_at(s->sim, &rq->ipi, c->retire + s->m->cfg->ipi);
}

void eh_task_set_cpu(struct eh_task *t, int cpu)
{
	eh_assert(t->sched->sim, t->sleeping);
	eh_rq_online(&t->sched->rqs[cpu]);
	t->cpu = &t->sched->m->cpus[cpu];
}

void eh_task_times(const struct eh_task *t, eh_time *utime, eh_time *stime)
{
	*utime = t->utime;
	*stime = t->stime;
	if (t->cpu->curr == t) {
		const struct eh_rq *rq = eh_rq_of(t->sched, t->cpu);
		eh_time user = eh_cpu_user(t->cpu) - rq->user_mark;

		*utime += user;
		*stime += eh_cpu_busy(t->cpu) - rq->busy_mark - user;
	}
}
