/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sched.h"

#include <ehsim/c2c.h>

/* Time asleep is charged to nobody, neither is the latency of waking up. */
static void leave_idle(struct eh_rq *rq)
{
	struct eh_cpu *c = rq->c;

	eh_cpu_set_idle(c, false);
	eh_cpu_wait_until(c, -1, eh_sim_now(c->sim));
	eh_cpu_wait_until(c, -1, c->retire + c->m->cfg->idle_exit);
}

static void idle_loop(void *arg)
{
	struct eh_rq *rq = arg;
	struct eh_cpu *c = rq->c;

	for (;;) { /* begins as if just woken: the first notice starts this fiber */
		leave_idle(rq);
		for (;;) {
			eh_cpu_point(c);
			if (rq->head || c->need_resched)
				eh_schedule(rq, &rq->idle, EH_SCHEDULE_IDLE);
			else if (c->retire == eh_sim_now(c->sim) && !c->irq_pending)
				break;
		}
		eh_cpu_set_idle(c, true);
		rq->idle_entries++;
		eh_sim_park(c->sim);
	}
}

static void ipi_arrives(struct eh_event *ev)
{
	struct eh_rq *rq = eh_container_of(ev, struct eh_rq, ipi);

	if (rq->c->idle)
		eh_cpu_notice(rq->c);
}

void eh_rq_init(struct eh_sched *s, int cpu)
{
	struct eh_rq *rq = &s->rqs[cpu];

	rq->s = s;
	rq->c = &s->m->cpus[cpu];
	rq->tailp = &rq->head;
	rq->ipi.fn = ipi_arrives;
	rq->idle = (struct eh_task){.sched = s, .cpu = rq->c, .comm = "swapper", .is_idle = true};
	rq->c->curr = &rq->idle;
	eh_tick_init(rq);
	eh_ksoftirqd_init(rq);
}

void eh_rq_online(struct eh_rq *rq)
{
	struct eh_cpu *c = rq->c;

	if (rq->online)
		return;
	rq->online = true;
	eh_cpu_start(c);
	eh_spin_init(&rq->lock, eh_lines_named(c->m, 1, c->die, "rq.lock"));
	rq->idle.fiber = eh_sim_fiber(c->sim, idle_loop, rq);
	c->ev.fiber = rq->idle.fiber;
	eh_cpu_set_idle(c, true);
}

void eh_sched_online(struct eh_sched *s, int cpu)
{
	eh_rq_online(&s->rqs[cpu]);
}

bool eh_sched_idle(const struct eh_sched *s, int cpu)
{
	return !s->rqs[cpu].online || s->rqs[cpu].c->idle;
}

uint64_t eh_sched_idle_entries(const struct eh_sched *s, int cpu)
{
	return s->rqs[cpu].idle_entries;
}
