/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the tests of src/mm: one cache on a host of round numbers, and code that allocates and frees.
 */
#ifndef TESTS_UNIT_MM_H
#define TESTS_UNIT_MM_H

#include <ehsim/slab.h>
#include <ehsim/stream.h>

#include <check.h>
#include <glib.h>

#include "bare.h"
#include "host.h"

struct world {
	struct eh_machine_config mc;
	struct eh_kernel_config kc;
	struct eh_sim *sim;
	struct eh_machine *m;
	struct eh_kmem_cache *k;
};

/* Of w->kc. */
static inline void build(struct world *w, int sockets, int dies, int cores, int lines, int per_slab)
{
	w->mc = host_machine(sockets, dies, cores, 1);
	w->sim = eh_sim_new(1);
	w->m = eh_machine_new(w->sim, "host", &w->mc);
	eh_mm_new(w->m, &w->kc);
	w->k = eh_kmem_cache_new(w->m, "test", lines, per_slab, 10);
}

static inline void setup(struct world *w, int sockets, int dies, int cores, int lines, int per_slab)
{
	w->kc = host_kernel(1000);
	build(w, sockets, dies, cores, lines, per_slab);
}

static inline void teardown(struct world *w)
{
	eh_mm_check(w->m->mm);
	eh_kmem_cache_free(w->k);
	eh_mm_free(w->m->mm);
	eh_machine_free(w->m);
	eh_sim_free(w->sim);
}

struct job {
	struct world *w;
	struct eh_cpu *c;
	struct eh_object *o[512];
	struct eh_object **from; /* free these instead of o */
	int n;
	eh_time cost;
};

static inline void alloc_all(void *arg)
{
	struct job *j = arg;

	eh_cpu_wait_until(j->c, -1, eh_sim_now(j->w->sim));
	for (int i = 0; i < j->n; i++)
		j->o[i] = eh_kmem_alloc(j->c, j->w->k);
	eh_cpu_sync(j->c, j->c->retire);
}

static inline void free_all(void *arg)
{
	struct job *j = arg;

	eh_cpu_wait_until(j->c, -1, eh_sim_now(j->w->sim));
	for (int i = 0; i < j->n; i++)
		eh_kmem_free(j->c, j->w->k, j->from ? j->from[i] : j->o[i]);
	j->cost = j->c->retire;
	eh_cpu_sync(j->c, j->c->retire);
}

static inline void run(struct world *w, int cpu, eh_fiber_fn fn, struct job *j)
{
	j->w = w;
	j->c = &w->m->cpus[cpu];
	run_bare(&w->m->cpus[cpu], fn, j, 0);
	eh_sim_run(w->sim, eh_sim_now(w->sim) + 10 * EH_MS);
}

/* Every CPU allocates and frees at random, also what others allocated: nothing is handed out twice.
 */
#define POT 600

struct pot {
	struct world w;
	struct eh_object *o[POT];
	GHashTable *out;
	gsl_rng *rng;
	int64_t ops;
};

struct player {
	struct pot *p;
	struct eh_cpu *c;
};

static inline void play(void *arg)
{
	struct player *pl = arg;
	struct pot *p = pl->p;

	for (int i = 0; i < 3000; i++) {
		struct eh_object **slot = &p->o[eh_stream_below(p->rng, POT)], *o = *slot;

		*slot = NULL;
		if (o) {
			ck_assert(g_hash_table_remove(p->out, o));
			eh_kmem_free(pl->c, p->w.k, o);
		} else {
			o = eh_kmem_alloc(pl->c, p->w.k);
			ck_assert(g_hash_table_add(p->out, o));
			eh_cpu_sync(pl->c, pl->c->retire);
			if (*slot) { /* filled meanwhile */
				ck_assert(g_hash_table_remove(p->out, o));
				eh_kmem_free(pl->c, p->w.k, o);
			} else {
				*slot = o;
			}
		}
		eh_cpu_sync(pl->c, pl->c->retire);
		p->ops++;
	}
}

/* So many objects per slab, on two sockets of two dies of three CPUs. */
static inline void play_all(const struct eh_kernel_config *kc, int per_slab)
{
	struct pot *p = g_new0(struct pot, 1);
	struct player pl[12];
	uint64_t left;

	p->w.kc = *kc;
	build(&p->w, 2, 2, 3, 1, per_slab);
	p->out = g_hash_table_new(NULL, NULL);
	p->rng = eh_stream_new(1, "pot");
	for (int i = 0; i < 12; i++) {
		pl[i] = (struct player){p, &p->w.m->cpus[i]};
		run_bare(&p->w.m->cpus[i], play, &pl[i], 0);
	}
	for (int i = 1; i <= 100; i++) { /* in the midst of it, too */
		eh_sim_run(p->w.sim, i * 20 * EH_US);
		eh_mm_check(p->w.m->mm);
	}
	eh_sim_run(p->w.sim, EH_SEC);
	ck_assert_int_eq(p->ops, 12 * 3000);
	left = g_hash_table_size(p->out);
	ck_assert_uint_eq(eh_kmem_active(p->w.k), left);
	ck_assert_uint_le(left, POT);
	g_hash_table_destroy(p->out);
	gsl_rng_free(p->rng);
	teardown(&p->w);
	g_free(p);
}

#endif
