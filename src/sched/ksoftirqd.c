/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sched.h"

static void ksoftirqd(struct eh_task *t, void *arg)
{
	(void)arg;
	for (;;) {
		while (t->cpu->softirq_pending) {
			struct eh_cpu *c = t->cpu;

			eh_cpu_softirq(c);
			eh_call(c, EH_SYM(__cond_resched), t->sched->kernel->cost.cond_resched);
			eh_cpu_point(c);
			if (c->need_resched)
				eh_task_yield(t);
		}
		eh_task_block(t);
	}
}

static bool enough(struct eh_cpu *c, int rounds, eh_time began)
{
	struct eh_rq *rq = c->tick_arg;
	const struct eh_kernel_config *kernel = rq->s->kernel;

	if (rounds < kernel->softirq_restart && !c->need_resched && c->retire - began < kernel->softirq_time)
		return false;
	if (!rq->ksoftirqd)
		rq->ksoftirqd = eh_task_new(rq->s, c->id, "ksoftirqd", ksoftirqd, NULL);
	if (c->curr != rq->ksoftirqd)
		eh_task_wake(c, rq->ksoftirqd);
	return true;
}

void eh_ksoftirqd_init(struct eh_rq *rq)
{
	rq->c->softirq_enough = enough;
}
