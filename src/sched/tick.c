/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sched.h"

static eh_time offset_of(const struct eh_sched *s, int cpu)
{
	return s->jiffy * cpu / s->m->ncpus;
}

eh_time eh_sched_timer(const struct eh_sched *s, int cpu, eh_time at)
{
	eh_time offset = offset_of(s, cpu);

	return at <= offset ? offset : offset + (at - offset + s->jiffy - 1) / s->jiffy * s->jiffy;
}

/* The first tick of this CPU behind now. */
void eh_tick_arm(struct eh_rq *rq)
{
	struct eh_sched *s = rq->s;
	eh_time offset = offset_of(s, rq->c->id);
	eh_time now = eh_sim_now(s->sim);
	eh_time past = now < offset ? -1 : (now - offset) / s->jiffy;

	if (!eh_event_pending(&rq->tick))
		eh_sim_at(s->sim, &rq->tick, offset + (past + 1) * s->jiffy);
}

/* A tick that finds the CPU idle is the last one. */
static void tick_due(struct eh_event *ev)
{
	struct eh_rq *rq = eh_container_of(ev, struct eh_rq, tick);

	if (rq->c->curr->is_idle && !rq->need_tick)
		return;
	eh_sim_at(rq->s->sim, &rq->tick, ev->at + rq->s->jiffy);
	eh_cpu_raise_tick(rq->c);
}

static void tick_interrupt(struct eh_cpu *c)
{
	struct eh_rq *rq = c->tick_arg;
	struct eh_sched *s = rq->s;
	bool user_or_idle = !c->bh_off && (c->user || c->curr->is_idle);

	eh_path(c, EH_SYM(sched_tick), s->kernel->cost.tick);
	if (rq->head && !c->curr->is_idle)
		c->need_resched = true;
	for (int i = 0; i < s->nhooks; i++)
		if (s->hooks[i].tick)
			s->hooks[i].tick(c, user_or_idle, s->hooks[i].arg);
}

void eh_tick_init(struct eh_rq *rq)
{
	rq->tick.fn = tick_due;
	rq->c->tick = tick_interrupt;
	rq->c->tick_arg = rq;
}

void eh_sched_need_tick(struct eh_sched *s, int cpu, bool needed)
{
	struct eh_rq *rq = &s->rqs[cpu];

	if (rq->need_tick == needed)
		return;
	rq->need_tick = needed;
	if (needed) {
		eh_rq_online(rq);
		eh_tick_arm(rq);
	}
}

eh_time eh_sched_jiffy(const struct eh_sched *s)
{
	return s->jiffy;
}
