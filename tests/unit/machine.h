/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the tests of src/machine: a host of round numbers, and code that runs alone on its CPUs. */
#ifndef TESTS_UNIT_MACHINE_H
#define TESTS_UNIT_MACHINE_H

#include <ehsim/cpu.h>

#include <check.h>
#include <glib.h>

#include "bare.h"
#include "host.h"

#define SYM EH_SYM(tcp_ack)
#define INSTR EH_NS /* one instruction per ns */
#define L1_HIT (5 * EH_NS)
#define L2_HIT (16 * EH_NS)
#define LOCKED (20 * EH_NS)

struct world {
	struct eh_machine_config mc;
	struct eh_sim *sim;
	struct eh_machine *m;
};

/* From w->mc. */
static inline void build(struct world *w)
{
	w->sim = eh_sim_new(1);
	w->m = eh_machine_new(w->sim, "host", &w->mc);
}

static inline void setup(struct world *w, int sockets, int dies, int cores, int threads)
{
	w->mc = host_machine(sockets, dies, cores, threads);
	build(w);
}

static inline void teardown(struct world *w)
{
	eh_machine_free(w->m);
	eh_sim_free(w->sim);
}

struct job {
	struct world *w;
	struct eh_cpu *c;
	void (*fn)(struct job *j);
	eh_line_id line;
	int i;
	eh_time at; /* begins */
	struct eh_rmw rmw;
};

static inline void job_main(void *arg)
{
	struct job *j = arg;

	eh_cpu_wait_until(j->c, -1, eh_sim_now(j->w->sim));
	j->fn(j);
	eh_cpu_sync(j->c, j->c->retire);
}

static inline void add(struct world *w, struct job *j, int cpu, void (*fn)(struct job *))
{
	j->w = w;
	j->c = &w->m->cpus[cpu];
	j->fn = fn;
	run_bare(j->c, job_main, j, j->at);
}

static inline void run(struct world *w, int cpu, void (*fn)(struct job *), eh_line_id line)
{
	struct job j = {.line = line};

	add(w, &j, cpu, fn);
	eh_sim_run(w->sim, eh_sim_now(w->sim) + EH_MS);
}

/* fn alone on CPU 0 of a host of its own, with so many lines homed on die 0. */
static inline void run_alone(int sockets, int dies, int cores, int threads,
			     void (*fn)(struct job *), uint32_t lines)
{
	struct world w;

	setup(&w, sockets, dies, cores, threads);
	run(&w, 0, fn, eh_lines_new(w.m, lines, 0));
	teardown(&w);
}

/* The pipeline is empty and the store buffer, too. */
static inline eh_time settle(struct eh_cpu *c)
{
	eh_cpu_wait_until(c, -1, MAX(c->retire, c->drain) + EH_US);
	return c->retire;
}

static inline eh_time load_latency(struct eh_cpu *c, eh_line_id line)
{
	eh_time from = settle(c);

	return eh_load(c, SYM, line, 0) - from - INSTR;
}

static inline eh_time rmw_latency(struct eh_cpu *c, eh_line_id line)
{
	struct eh_rmw r;

	settle(c);
	r = eh_rmw(c, SYM, line);
	ck_assert_int_eq(r.done, r.start + r.latency + LOCKED);
	ck_assert_int_eq(c->retire, r.done);
	return r.latency;
}

#endif
