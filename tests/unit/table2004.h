/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the tests of the table of 2004: a small one on a host of round numbers, and code on its CPUs. */
#ifndef TESTS_UNIT_TABLE2004_H
#define TESTS_UNIT_TABLE2004_H

#include <ehsim/ehash2004.h>

#include <check.h>
#include <glib.h>

#include "bare.h"
#include "host.h"

#define BUCKETS 16

struct world {
	struct eh_machine_config mc;
	struct eh_kernel_config kc;
	struct eh_sim *sim;
	struct eh_sched *sched;
	struct eh_rcu *rcu;
	struct eh_machine *m;
	struct eh_ehash2004 *t;
};

static inline struct eh_ehash2004_config table_config(int lookup)
{
	return (struct eh_ehash2004_config){.lookup = lookup,
					    .dance = EH_DANCE_ADD_REMOVE,
					    .line_size = 32,
					    .sock_size = 1024,
					    .tw_size = 128,
					    .find = 10,
					    .match = 5,
					    .insert = 10,
					    .unhash = 10,
					    .hashdance = 10,
					    .sk_free = 10};
}

static inline void setup_table(struct world *w, const struct eh_ehash2004_config *cfg, int cpus)
{
	w->mc = host_machine(1, 1, cpus, 1);
	w->kc = host_kernel(1000);
	w->kc.ehash_buckets = BUCKETS;
	w->kc.ehash2004 = *cfg;
	w->sim = eh_sim_new(1);
	w->m = eh_machine_new(w->sim, "host", &w->mc);
	w->sched = eh_sched_new(w->m, &w->kc);
	w->rcu = eh_rcu_new(w->sched, &w->kc);
	eh_mm_new(w->m, &w->kc);
	w->t = eh_ehash2004_new(w->m, w->rcu, &w->kc);
}

static inline void teardown_table(struct world *w)
{
	eh_mm_check(w->m->mm);
	eh_ehash2004_free(w->t);
	eh_mm_free(w->m->mm);
	eh_rcu_free(w->rcu);
	eh_sched_free(w->sched);
	eh_machine_free(w->m);
	eh_sim_free(w->sim);
}

static inline struct eh_four2004 four(int i)
{
	return (struct eh_four2004){.laddr = 0x0a000103, .raddr = 0x0a000101, .lport = 22,
				    .rport = (uint16_t)i};
}

struct job {
	struct world *w;
	struct eh_cpu *c;
	void (*fn)(struct job *j);
	int i;
	struct eh_sock2004 *sk;
	int seen;
};

static inline void job_main(void *arg)
{
	struct job *j = arg;

	eh_cpu_wait_until(j->c, -1, eh_sim_now(j->w->sim));
	j->fn(j);
	eh_cpu_sync(j->c, j->c->retire);
	eh_sim_park(j->w->sim);
}

static inline void add_job(struct world *w, struct job *j, int cpu, void (*fn)(struct job *j),
			   eh_time at)
{
	j->w = w;
	j->c = &w->m->cpus[cpu];
	j->fn = fn;
	run_bare(j->c, job_main, j, at);
}

/* fn(j) alone on that CPU, now. */
static inline void run_job(struct world *w, struct job *j, int cpu, void (*fn)(struct job *j))
{
	add_job(w, j, cpu, fn, 0);
	eh_sim_run(w->sim, eh_sim_now(w->sim) + EH_MS);
}

#endif
