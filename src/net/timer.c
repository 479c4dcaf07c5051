/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path.h"

#include <ehsim/nic.h>
#include <ehsim/timer.h>

/* The wheel: buckets of 8^level jiffies, and 63 of them before the next level begins. */
#define LEVEL_BITS 3
#define LEVEL_BUCKETS 63
#define LEVELS 9

struct base {
	struct eh_ring due;
	bool woken; /* no tick brought it */
};

struct eh_timers {
	struct eh_host *host;
	struct base *of_cpu;
};

struct eh_timers *eh_timers_new(struct eh_host *h)
{
	struct eh_timers *base = g_new0(struct eh_timers, 1);

	base->host = h;
	base->of_cpu = g_new0(struct base, h->m->ncpus);
	for (int i = 0; i < h->m->ncpus; i++) {
		struct eh_ring *due = &base->of_cpu[i].due;

		due->next = due->prev = due;
		h->m->cpus[i].irq = eh_net_interrupt;
		h->m->cpus[i].softirq = eh_net_softirq;
	}
	return base;
}

void eh_timers_free(struct eh_timers *base)
{
	if (!base)
		return;
	g_free(base->of_cpu);
	g_free(base);
}

static struct base *base_of(const struct eh_cpu *c)
{
	return &eh_host_of(c)->timers->of_cpu[c->id];
}

eh_time eh_timer_expiry(const struct eh_host *h, int cpu, eh_time delay)
{
	eh_time jiffy = eh_sched_jiffy(h->sched), now = eh_sim_now(h->sim);
	int64_t delta = (delay + jiffy - 1) / jiffy, bucket;
	int shift = 0;

	while (shift < LEVEL_BITS * (LEVELS - 1) && delta >= (int64_t)LEVEL_BUCKETS << shift)
		shift += LEVEL_BITS;
	bucket = (((now / jiffy + delta) >> shift) + 1) << shift;
	return bucket * jiffy + jiffy * cpu / h->m->ncpus; /* CPUs tick in turn: sched/tick.c */
}

static void expired(struct eh_event *ev)
{
	struct eh_timer *t = eh_container_of(ev, struct eh_timer, ev);
	struct base *b = base_of(t->cpu);

	t->due.next = &b->due;
	t->due.prev = b->due.prev;
	b->due.prev->next = &t->due;
	b->due.prev = &t->due;
	b->woken |= t->cpu->idle;
	eh_cpu_raise(t->cpu);
}

static void unlink_due(struct eh_timer *t)
{
	t->due.prev->next = t->due.next;
	t->due.next->prev = t->due.prev;
	t->due.next = t->due.prev = NULL;
}

bool eh_timer_del(struct eh_sim *sim, struct eh_timer *t)
{
	bool pending = eh_timer_pending(t);

	eh_sim_cancel(sim, &t->ev);
	if (t->due.prev)
		unlink_due(t);
	return pending;
}

void eh_timer_mod(struct eh_cpu *c, struct eh_timer *t, eh_timer_fn fn, eh_time delay)
{
	if (t->due.prev)
		unlink_due(t);
	t->cpu = c;
	t->fn = fn;
	t->ev.fn = expired;
	eh_sim_at(c->sim, &t->ev, eh_timer_expiry(eh_host_of(c), c->id, delay));
}

void eh_net_interrupt(struct eh_cpu *c)
{
	struct base *b = base_of(c);

	if (eh_unlikely(b->due.next != &b->due)) {
		if (b->woken)
			eh_path(c, EH_SYM(asm_sysvec_apic_timer_interrupt), eh_cost_of(c)->hardirq);
		b->woken = false;
		c->softirq_pending = true;
	}
	eh_nic_interrupt(c);
}

void eh_net_softirq(struct eh_cpu *c)
{
	struct base *b = base_of(c);

	while (eh_unlikely(b->due.next != &b->due)) {
		struct eh_timer *t = eh_container_of(b->due.next, struct eh_timer, due);

		unlink_due(t);
		eh_path(c, EH_SYM(run_timer_softirq), eh_cost_of(c)->timer);
		eh_cpu_sync(c, c->retire);
		t->fn(c, t);
	}
	eh_net_rx_action(c);
}
