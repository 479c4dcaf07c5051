/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/mm, SLUB and what all allocators share: objects come back in SLUB's order and at its price;
 * none is handed out twice; remote frees find their way home; a lost object is missed.
 */
#include <ehsim/qspinlock.h>
#include <ehsim/slab.h>
#include <ehsim/stream.h>

#include <glib.h>
#include <string.h>

#include "mm.h"
#include "suite.h"

#define SYM_FREE EH_SYM(kmem_cache_free)

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
	struct eh_kmem_info info;
	eh_time from;
	uint64_t accesses;

	setup(&w, 2, 1, 1, 1, 8);
	run(&w, 0, alloc_all, &a);
	from = eh_sim_now(w.sim);
	accesses = w.m->cpus[1].accesses;
	run(&w, 1, free_all, &(struct job){.n = 1, .o = {a.o[3]}});
	ck_assert_uint_eq(w.m->cpus[1].accesses - accesses, 2);
	ck_assert_int_ge(w.m->cpus[1].retire - from, 2 * 270 * EH_NS);
	ck_assert_int_eq(w.m->cpus[1].charged[SYM_FREE] + w.m->cpus[1].charged[EH_SYM(__slab_free)],
			 w.m->cpus[1].retire - from);
	b.n = 1;
	run(&w, 0, alloc_all, &b);
	ck_assert_ptr_eq(b.o[0], a.o[3]);
	eh_kmem_info(w.k, &info);
	ck_assert_uint_eq(info.slabs, 1); /* no second one was needed */
	ck_assert_uint_eq(info.counts.remotefrees, 1);
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
	struct eh_kmem_info info;

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
	 * own list: far from the 1250 slabs that 20000 objects would take.
	 */
	eh_kmem_info(w.k, &info);
	ck_assert_uint_le(info.slabs, 45);
	ck_assert_int_gt(w.m->cpus[1].charged[EH_SYM(_raw_spin_lock)], 0);
	teardown(&w);
	g_free(p);
}
END_TEST

START_TEST(nothing_twice)
{
	static const int per_slab[] = {1, 3, 16, 32};

	for (int i = 0; i < 4; i++) {
		struct eh_kernel_config kc = host_kernel(1000);

		play_all(&kc, per_slab[i]);
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

/* A freelist with an object cut out of it: nobody has it, nobody counts it. */
START_TEST(a_lost_object_is_missed)
{
	struct world w;
	struct job a = {.n = 4};
	struct eh_object *second;
	char *why;

	setup(&w, 1, 1, 1, 1, 8);
	run(&w, 0, alloc_all, &a);
	run(&w, 0, free_all, &a);
	ck_assert_ptr_null(eh_kmem_problem(w.k));
	second = a.o[3]->next;
	a.o[3]->next = second->next;
	why = eh_kmem_problem(w.k);
	ck_assert_ptr_nonnull(why);
	ck_assert_ptr_nonnull(strstr(why, "cache 'test', node 0"));
	ck_assert_ptr_nonnull(strstr(why, "0 objects allocated and not freed, but 1 of 8"));
	g_free(why);
	a.o[3]->next = second;
	teardown(&w);
}
END_TEST

/* Objects of two slabs in turn, freed together: two operations on page descriptors, not sixteen. */
static void free_bulk(void *arg)
{
	struct job *j = arg;

	eh_cpu_wait_until(j->c, -1, eh_sim_now(j->w->sim));
	eh_kmem_free_bulk(j->c, j->w->k, j->n, j->o);
	eh_cpu_sync(j->c, j->c->retire);
}

static eh_time bulk_time(int how)
{
	struct world w = {.kc = host_kernel(1000)};
	struct job a = {.n = 16};
	eh_time time;

	w.kc.slub_bulk = how;
	build(&w, 1, 1, 2, 1, 8);
	run(&w, 0, alloc_all, &a);
	time = w.m->cpus[1].charged[EH_SYM(__slab_free)];
	run(&w, 1, free_bulk, &a);
	time = w.m->cpus[1].charged[EH_SYM(__slab_free)] - time;
	ck_assert_uint_eq(eh_kmem_active(w.k), 0);
	teardown(&w);
	return time;
}

START_TEST(bulk_free_joins_what_belongs_together)
{
	eh_time each = bulk_time(EH_BULK_EACH), joined = bulk_time(EH_BULK_DETACHED);

	/*
	 * Two page descriptors that another CPU has, 65 ns and 20 ns each; one by one, 14
	 * operations on them more, of which each waits until the store into its object is out (65
	 * ns).
	 */
	ck_assert_int_ge(joined, 2 * 85 * EH_NS);
	ck_assert_int_ge(each - joined, 14 * 20 * EH_NS);
	ck_assert_int_le(each - joined, 14 * 85 * EH_NS);
}
END_TEST

/* --- pages --- */

static void some_pages(void *arg)
{
	struct job *j = arg;
	struct eh_mm *mm = j->w->m->mm;
	struct eh_page *p[40];

	eh_cpu_wait_until(j->c, -1, eh_sim_now(j->w->sim));
	for (int i = 0; i < 40; i++) {
		p[i] = eh_page_alloc(j->c, mm, i % 4, i % 2);
		ck_assert_int_eq(p[i]->node, i % 2);
		ck_assert_int_eq(p[i]->order, i % 4);
		ck_assert_int_eq(p[i]->pfn % (1u << (i % 4)), 0);
		for (int k = 0; k < i; k++)
			ck_assert(p[k]->node != p[i]->node ||
				  p[k]->pfn + (1u << (k % 4)) <= p[i]->pfn ||
				  p[i]->pfn + (1u << (i % 4)) <= p[k]->pfn);
	}
	for (int i = 0; i < 40; i++)
		eh_page_free(j->c, mm, p[i]);
}

START_TEST(blocks_of_pages_do_not_overlap)
{
	struct world w;
	struct job a = {0};
	struct eh_zone_stats st;

	setup(&w, 2, 1, 1, 1, 8);
	run(&w, 0, some_pages, &a);
	for (int node = 0; node < 2; node++) {
		eh_zone_stats(w.m->mm, node, &st);
		ck_assert_uint_eq(st.in_use, 0);
		ck_assert_uint_eq(st.present, 1024);
		ck_assert_uint_lt(st.listed, 16);
		ck_assert_uint_gt(st.merges, 0);
	}
	teardown(&w);
}
END_TEST

/* Order 0 comes four at a time: one lock for four pages. */
static void nine_pages(void *arg)
{
	struct job *j = arg;

	eh_cpu_wait_until(j->c, -1, eh_sim_now(j->w->sim));
	for (int i = 0; i < 9; i++)
		eh_page_alloc(j->c, j->w->m->mm, 0, 0);
}

START_TEST(pages_come_in_batches)
{
	struct world w;
	struct job a = {0};
	struct eh_zone_stats st;

	setup(&w, 1, 1, 1, 1, 8);
	run(&w, 0, nine_pages, &a);
	eh_zone_stats(w.m->mm, 0, &st);
	ck_assert_uint_eq(st.fills, 3);
	ck_assert_uint_eq(eh_zone_lock(w.m->mm)->acquisitions, 3);
	ck_assert_uint_eq(st.listed, 3);
	ck_assert_uint_eq(st.in_use, 9);
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
	tcase_add_test(t, a_lost_object_is_missed);
	tcase_add_test(t, bulk_free_joins_what_belongs_together);
	tcase_add_test(t, blocks_of_pages_do_not_overlap);
	tcase_add_test(t, pages_come_in_batches);
	suite_add_tcase(s, t);
	return run_suite(s);
}
