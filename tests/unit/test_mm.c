/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/mm: objects come back in SLUB's order and at its price; none is handed out twice; remote
 * frees find their way home.
 */
#include <ehsim/qspinlock.h>
#include <ehsim/slab.h>
#include <ehsim/stream.h>

#include <glib.h>

#include "bare.h"
#include "host.h"
#include "suite.h"

#define SYM_ALLOC EH_SYM(kmem_cache_alloc_noprof)
#define SYM_FREE EH_SYM(kmem_cache_free)

struct world {
	struct eh_machine_config mc;
	struct eh_sim *sim;
	struct eh_machine *m;
	struct eh_kmem_cache *k;
};

static void setup(struct world *w, int sockets, int dies, int cores, int lines, int per_slab)
{
	w->mc = host_machine(sockets, dies, cores, 1);
	w->sim = eh_sim_new(1);
	w->m = eh_machine_new(w->sim, "host", &w->mc);
	w->k = eh_kmem_cache_new(w->m, "test", lines, per_slab, 10);
}

static void teardown(struct world *w)
{
	eh_kmem_cache_free(w->k);
	eh_machine_free(w->m);
	eh_sim_free(w->sim);
}

struct job {
	struct world *w;
	struct eh_cpu *c;
	struct eh_object *o[64];
	int n;
	eh_time cost;
};

static void alloc_all(void *arg)
{
	struct job *j = arg;

	eh_cpu_wait_until(j->c, -1, eh_sim_now(j->w->sim));
	for (int i = 0; i < j->n; i++)
		j->o[i] = eh_kmem_alloc(j->c, j->w->k);
	eh_cpu_sync(j->c, j->c->retire);
}

static void free_all(void *arg)
{
	struct job *j = arg;

	eh_cpu_wait_until(j->c, -1, eh_sim_now(j->w->sim));
	for (int i = 0; i < j->n; i++)
		eh_kmem_free(j->c, j->w->k, j->o[i]);
	j->cost = j->c->retire;
	eh_cpu_sync(j->c, j->c->retire);
}

static void run(struct world *w, int cpu, eh_fiber_fn fn, struct job *j)
{
	j->w = w;
	j->c = &w->m->cpus[cpu];
	run_bare(&w->m->cpus[cpu], fn, j, 0);
	eh_sim_run(w->sim, eh_sim_now(w->sim) + EH_MS);
}

START_TEST(last_in_first_out)
{
	struct world w;
	struct job a = {.n = 4}, b = {.n = 4};

	setup(&w, 1, 1, 2, 2, 8);
	run(&w, 0, alloc_all, &a);
	ck_assert_uint_eq(eh_kmem_active(w.k), 4);
	for (int i = 1; i < 4; i++)
		ck_assert_uint_eq(a.o[i]->line, a.o[0]->line + 2 * (unsigned int)i);
	run(&w, 0, free_all, &a);
	ck_assert_uint_eq(eh_kmem_active(w.k), 0);
	run(&w, 0, alloc_all, &b);
	for (int i = 0; i < 4; i++)
		ck_assert_ptr_eq(b.o[i], a.o[3 - i]);
	teardown(&w);
}
END_TEST

static void fast_pair(void *arg)
{
	struct job *j = arg;
	struct eh_object *o = eh_kmem_alloc(j->c, j->w->k);
	eh_time from;

	eh_kmem_free(j->c, j->w->k, o);
	eh_cpu_wait_until(j->c, -1, j->c->drain + EH_US);
	from = j->c->retire;
	o = eh_kmem_alloc(j->c, j->w->k);
	ck_assert_int_eq(j->c->retire - from,
			 10 * EH_NS + 5 * EH_NS + EH_NS); /* path, L1, dispatch */
	from = j->c->retire;
	eh_kmem_free(j->c, j->w->k, o);
	j->cost = j->c->retire - from;
	eh_cpu_sync(j->c, j->c->retire);
}

START_TEST(fast_path_touches_one_line)
{
	struct world w;
	struct job a = {0};
	uint64_t before;

	setup(&w, 1, 1, 1, 2, 8);
	run(&w, 0, fast_pair, &a);
	ck_assert_int_ge(a.cost, 6 * EH_NS);
	ck_assert_int_le(a.cost, 11 * EH_NS);
	before = w.m->cpus[0].accesses;
	run(&w, 0, fast_pair, &a);
	ck_assert_uint_eq(w.m->cpus[0].accesses - before, 4);
	teardown(&w);
}
END_TEST

/*
 * A free into another CPU's current slab: one store into the object and one locked operation on the
 * page, both dirty in the other socket; no lock. The owner finds the objects when it runs out.
 */
START_TEST(remote_free_goes_into_the_slab)
{
	struct world w;
	struct job a = {.n = 8}, b = {.n = 8};
	eh_time from;
	uint64_t accesses;

	setup(&w, 2, 1, 1, 1, 8);
	run(&w, 0, alloc_all, &a);
	from = eh_sim_now(w.sim);
	accesses = w.m->cpus[1].accesses;
	run(&w, 1, free_all, &(struct job){.n = 1, .o = {a.o[3]}});
	ck_assert_uint_eq(w.m->cpus[1].accesses - accesses, 2);
	ck_assert_int_ge(w.m->cpus[1].retire - from, 2 * 270 * EH_NS);
	ck_assert_int_eq(w.m->cpus[1].charged[SYM_FREE], w.m->cpus[1].retire - from);
	b.n = 1;
	run(&w, 0, alloc_all, &b);
	ck_assert_ptr_eq(b.o[0], a.o[3]);
	ck_assert_int_eq(w.m->nlines, 1 + 2 + 1 + 8); /* no second page was needed */
	teardown(&w);
}
END_TEST

/*
 * A producer on one die, a consumer on the other: objects keep their home, the producer gets them
 * back through its die's list, and the number of pages stays bounded.
 */
struct pipe {
	struct world *w;
	struct eh_cpu *from, *to;
	struct eh_object *o[4096];
	int rounds, put, got;
};

static void produce(void *arg)
{
	struct pipe *p = arg;

	for (int i = 0; i < p->rounds; i++) {
		eh_cpu_sync(p->from, p->from->retire);
		while (p->put - p->got >= 100)
			eh_cpu_wait_until(p->from, -1, p->from->retire + EH_US);
		p->o[p->put % 4096] = eh_kmem_alloc(p->from, p->w->k);
		ck_assert_int_eq(p->o[p->put % 4096]->home, 0);
		eh_cpu_sync(p->from, p->from->retire);
		p->put++;
	}
}

static void consume(void *arg)
{
	struct pipe *p = arg;

	while (p->got < p->rounds) {
		eh_cpu_sync(p->to, p->to->retire);
		while (p->got == p->put)
			eh_cpu_wait_until(p->to, -1, p->to->retire + EH_US);
		eh_kmem_free(p->to, p->w->k, p->o[p->got++ % 4096]);
	}
}

START_TEST(objects_find_their_way_home)
{
	struct pipe *p = g_new0(struct pipe, 1);
	struct world w;
	uint32_t lines;

	setup(&w, 2, 1, 1, 1, 16);
	p->w = &w;
	p->from = &w.m->cpus[0];
	p->to = &w.m->cpus[1];
	p->rounds = 20000;
	run_bare(&w.m->cpus[0], produce, p, 0);
	run_bare(&w.m->cpus[1], consume, p, 0);
	eh_sim_run(w.sim, EH_SEC);
	ck_assert_int_eq(p->got, p->rounds);
	ck_assert_uint_eq(eh_kmem_active(w.k), 0);
	/*
	 * 100 objects in flight, the consumer's partial list of 15 slabs (2 * 120 / 16), the die's
	 * own list: far from the 1250 pages of 17 lines that 20000 objects would take.
	 */
	lines = w.m->nlines;
	ck_assert_int_le(lines, 45 * 17);
	ck_assert_int_gt(w.m->cpus[1].charged[EH_SYM(_raw_spin_lock)], 0);
	teardown(&w);
	g_free(p);
}
END_TEST

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

static void play(void *arg)
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

START_TEST(nothing_twice)
{
	static const int per_slab[] = {1, 3, 16, 32};

	for (int run_no = 0; run_no < 4; run_no++) {
		struct pot *p = g_new0(struct pot, 1);
		struct player pl[12];
		uint64_t left;

		setup(&p->w, 2, 2, 3, 1, per_slab[run_no]);
		p->out = g_hash_table_new(NULL, NULL);
		p->rng = eh_stream_new(1, "pot");
		for (int i = 0; i < 12; i++) {
			pl[i] = (struct player){p, &p->w.m->cpus[i]};
			run_bare(&p->w.m->cpus[i], play, &pl[i], 0);
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
}
END_TEST

START_TEST(presets_cost_nothing)
{
	struct world w;
	struct job a = {.n = 20};

	setup(&w, 2, 1, 2, 3, 8);
	for (int i = 0; i < 20; i++) {
		a.o[i] = eh_kmem_preset(w.k, 2);
		ck_assert_int_eq(a.o[i]->home, 1);
		ck_assert_int_eq(w.m->lines[a.o[i]->line + 2].owner, 2);
		ck_assert_int_eq(w.m->lines[a.o[i]->line + 2].home, 1);
		for (int j = 0; j < i; j++)
			ck_assert_ptr_ne(a.o[i], a.o[j]);
	}
	ck_assert_uint_eq(eh_kmem_active(w.k), 20);
	ck_assert_int_eq(eh_cpu_busy(&w.m->cpus[2]), 0);
	run(&w, 1, free_all, &a);
	ck_assert_uint_eq(eh_kmem_active(w.k), 0);
	teardown(&w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("mm");
	TCase *t = tcase_create("slub");

	tcase_add_test(t, last_in_first_out);
	tcase_add_test(t, fast_path_touches_one_line);
	tcase_add_test(t, remote_free_goes_into_the_slab);
	tcase_add_test(t, objects_find_their_way_home);
	tcase_add_test(t, nothing_twice);
	tcase_add_test(t, presets_cost_nothing);
	suite_add_tcase(s, t);
	return run_suite(s);
}
