/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab.h"

#define LINES_PER_PAGE 64
#define HOST_ADDRESS 1

int eh_lab_place(const struct eh_machine *m, enum eh_placement placement, int i)
{
	int per_core = (int)m->cfg->threads_per_core;

	switch (placement) {
	case EH_PLACE_SPREAD:
		return eh_machine_spread(m, i);
	case EH_PLACE_SIBLINGS:
		return i % per_core * m->ncores + i / per_core;
	default: /* Linux counts the first threads of all cores, then the second ones */
		return i;
	}
}

int eh_lab_home(const struct eh_machine *m, int64_t die, int64_t i)
{
	return die >= 0 ? (int)die : (int)(i / LINES_PER_PAGE % m->ndies);
}

gsl_rng **eh_lab_streams(const struct eh_lab *lab, const char *what)
{
	gsl_rng **streams = g_new(gsl_rng *, lab->nthreads);

	for (int i = 0; i < lab->nthreads; i++) {
		char *name = g_strdup_printf("lab.%s.%d", what, i);

		streams[i] = eh_stream_new(eh_sim_seed(lab->sim), name);
		g_free(name);
	}
	return streams;
}

void eh_lab_streams_free(gsl_rng **streams, int n)
{
	for (int i = 0; i < n; i++)
		gsl_rng_free(streams[i]);
	g_free(streams);
}

/*
 * Von Neumann's way, which needs only comparisons: of a falling run of uniform numbers that is odd
 * in length the first one is the fraction; each run that is even adds one to the whole part.
 */
int64_t eh_lab_exponential(gsl_rng *r, int64_t mean)
{
	for (int64_t whole = 0;; whole++) {
		uint64_t first = eh_stream_u64(r), last = first, next;
		bool odd = true;

		while ((next = eh_stream_u64(r)) < last) {
			last = next;
			odd = !odd;
		}
		if (odd)
			return whole * mean +
			       (int64_t)(((unsigned __int128)first * (uint64_t)mean) >> 64);
	}
}

static void loop(struct eh_task *t, void *arg)
{
	struct eh_lab_thread *th = arg;
	const struct eh_lab *lab = th->lab;
	struct eh_cpu *c = t->cpu;

	for (;;) {
		uint64_t done = lab->ops->step(lab->state, t, th->index);

		c->user = true; /* for whatever interrupts it here */
		eh_cpu_point(c);
		c->user = false;
		th->operations += done;
		if (eh_unlikely(c->rcu_urgent))
			eh_rcu_all_qs(lab->rcu, c);
		if (eh_unlikely(c->need_resched))
			eh_task_yield(t);
	}
}

static void first_instruction(struct eh_event *ev)
{
	struct eh_lab_thread *th = eh_container_of(ev, struct eh_lab_thread, start);

	eh_task_start(th->task);
}

static void make_threads(struct eh_lab *lab)
{
	gsl_rng *r = eh_stream_new(eh_sim_seed(lab->sim), "lab.start");
	uint64_t within = (uint64_t)lab->cfg->start_within + 1;

	for (int i = 0; i < lab->nthreads; i++) {
		struct eh_lab_thread *th = &lab->threads[i];
		int cpu = lab->ops->cpu ? lab->ops->cpu(lab->m, lab->cfg, i)
					: eh_lab_place(lab->m, lab->cfg->placement, i);

		th->lab = lab;
		th->index = i;
		th->task = eh_task_new(lab->sched, cpu, eh_workload_kinds[lab->cfg->kind].name,
				       loop, th);
		th->start.fn = first_instruction;
		eh_sim_at(lab->sim, &th->start, (eh_time)eh_stream_below(r, within));
	}
	gsl_rng_free(r);
}

static void make_machine(struct eh_lab *lab, const struct eh_machine_config *machine)
{
	lab->m = eh_machine_new(lab->sim, "host", machine);
	lab->sched = eh_sched_new(lab->m, lab->kernel);
	lab->rcu = eh_rcu_new(lab->sched, lab->kernel);
	eh_mm_reap(eh_mm_new(lab->m, lab->kernel), lab->sched);
	eh_rcu_sizes(lab->rcu, eh_kmem_bytes);
}

/* A receive queue for every thread. */
static void make_host(struct eh_lab *lab, const struct eh_machine_config *machine)
{
	lab->net.queues = lab->nthreads;
	lab->host = eh_host_new(lab->sim, "host", HOST_ADDRESS, machine, lab->kernel, &lab->net);
	lab->m = lab->host->m;
	lab->sched = lab->host->sched;
	lab->rcu = lab->host->rcu;
}

struct eh_lab *eh_lab_new(struct eh_sim *sim, const struct eh_machine_config *machine,
			  const struct eh_kernel_config *kernel,
			  const struct eh_network_config *net, const struct eh_workload_config *w)
{
	struct eh_lab *lab = g_new0(struct eh_lab, 1);

	lab->sim = sim;
	lab->kernel = kernel;
	if (net)
		lab->net = *net;
	lab->cfg = w;
	lab->ops = eh_workload_kinds[w->kind].lab;
	lab->nthreads = lab->ops->threads ? lab->ops->threads(w) : (int)w->threads;
	if (lab->ops->networked)
		make_host(lab, machine);
	else
		make_machine(lab, machine);
	lab->threads = g_new0(struct eh_lab_thread, lab->nthreads);
	lab->state = lab->ops->build(lab);
	make_threads(lab);
	return lab;
}

void eh_lab_free(struct eh_lab *lab)
{
	if (!lab)
		return;
	for (int i = 0; i < lab->nthreads; i++)
		eh_sim_cancel(lab->sim, &lab->threads[i].start);
	lab->ops->free(lab->state);
	if (lab->host) {
		eh_host_free(lab->host);
	} else {
		eh_mm_free(lab->m->mm);
		eh_rcu_free(lab->rcu);
		eh_sched_free(lab->sched);
		eh_machine_free(lab->m);
	}
	g_free(lab->threads);
	g_free(lab);
}

struct eh_host *eh_lab_host(const struct eh_lab *lab)
{
	return lab->host;
}

struct eh_machine *eh_lab_machine(const struct eh_lab *lab)
{
	return lab->m;
}

struct eh_sched *eh_lab_sched(const struct eh_lab *lab)
{
	return lab->sched;
}

struct eh_rcu *eh_lab_rcu(const struct eh_lab *lab)
{
	return lab->rcu;
}

int eh_lab_threads(const struct eh_lab *lab)
{
	return lab->nthreads;
}

void eh_lab_stats(const struct eh_lab *lab, struct eh_lab_stats *st)
{
	*st = (struct eh_lab_stats){.operations = 0};
	for (int i = 0; i < lab->nthreads; i++)
		st->operations += lab->threads[i].operations;
	if (lab->ops->locks && lab->ops->locks(lab->state))
		st->locks = *lab->ops->locks(lab->state);
	if (lab->ops->stats)
		lab->ops->stats(lab->state, st);
}

uint64_t eh_lab_operations(const struct eh_lab *lab, int thread)
{
	return lab->threads[thread].operations;
}
