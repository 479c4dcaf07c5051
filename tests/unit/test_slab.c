/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/mm, SLAB: its arrays by their lengths, its locks by their counts, the way home of other
 * nodes' objects; the reaper.
 */
#include <ehsim/task.h>

#include "mm.h"
#include "suite.h"

static void setup_slab(struct world *w, int sockets, int cores)
{
	w->kc = host_kernel(1000);
	w->kc.allocator = 1;
	build(w, sockets, 1, cores, 4, 0); /* objects of 256 bytes: arrays of 120, 16 in a slab */
}

static uint64_t list_locks(const struct world *w)
{
	return eh_kmem_list_lock(w->k)->acquisitions;
}

static struct eh_kmem_info info_of(const struct world *w)
{
	struct eh_kmem_info info;

	eh_kmem_info(w->k, &info);
	return info;
}

START_TEST(sizes_of_arrays)
{
	static const struct {
		int size, limit, batch, per_slab, pages;
	} want[] = {
		{64, 120, 60, 64, 1}, {256, 120, 60, 16, 1}, {512, 54, 27, 8, 1},
		{2048, 24, 12, 2, 1}, {2368, 24, 12, 3, 2},  {8192, 8, 4, 1, 2},
	};
	struct world w;

	setup_slab(&w, 1, 2);
	for (size_t i = 0; i < G_N_ELEMENTS(want); i++) {
		struct eh_kmem_spec spec = {"size", want[i].size, 1, 0, 0};
		struct eh_kmem_cache *k = eh_kmem_cache_make(w.m, &spec);
		struct eh_kmem_info info;

		eh_kmem_info(k, &info);
		ck_assert_int_eq(info.limit, want[i].limit);
		ck_assert_int_eq(info.batch, want[i].batch);
		ck_assert_int_eq(info.per_slab, want[i].per_slab);
		ck_assert_int_eq(info.pages, want[i].pages);
		ck_assert_int_eq(info.shared_factor, want[i].size > 4096 ? 0 : 8);
		eh_kmem_cache_free(k);
	}
	teardown(&w);
}
END_TEST

START_TEST(youngest_comes_first)
{
	struct world w;
	struct job a = {.n = 4}, b = {.n = 4};

	setup_slab(&w, 1, 1);
	run(&w, 0, alloc_all, &a);
	run(&w, 0, free_all, &a);
	run(&w, 0, alloc_all, &b);
	for (int i = 0; i < 4; i++)
		ck_assert_ptr_eq(b.o[i], a.o[3 - i]);
	ck_assert_uint_eq(info_of(&w).counts.allochit, 7);
	teardown(&w);
}
END_TEST

/* A new slab of 16 objects: one look without a lock, then once the lock to add it; locked, four
 * times. */
START_TEST(a_new_slab_takes_the_lock)
{
	struct job a = {.n = 16};
	struct world w;

	setup_slab(&w, 1, 1);
	run(&w, 0, alloc_all, &a);
	ck_assert_uint_eq(info_of(&w).slabs, 1);
	ck_assert_uint_eq(list_locks(&w), 1);
	teardown(&w);
	w.kc.slab_refill = EH_REFILL_LOCKED;
	build(&w, 1, 1, 1, 4, 0);
	run(&w, 0, alloc_all, &a);
	ck_assert_uint_eq(info_of(&w).slabs, 1);
	ck_assert_uint_eq(list_locks(&w), 4);
	teardown(&w);
}
END_TEST

/* 120 frees fill the array; the next one gives the oldest 60 to the shared array, which holds 480.
 */
START_TEST(a_full_array_flushes_half)
{
	struct world w;
	struct job a = {.n = 181};
	uint64_t before;

	setup_slab(&w, 1, 2);
	run(&w, 0, alloc_all, &a);
	before = list_locks(&w);
	run(&w, 1, free_all, &(struct job){.n = 120, .from = a.o});
	ck_assert_uint_eq(list_locks(&w), before);
	ck_assert_uint_eq(info_of(&w).shared_avail, 0);
	run(&w, 1, free_all, &(struct job){.n = 1, .from = a.o + 120});
	ck_assert_uint_eq(list_locks(&w), before + 1);
	ck_assert_uint_eq(info_of(&w).shared_avail, 60);
	run(&w, 1, free_all, &(struct job){.n = 60, .from = a.o + 121});
	ck_assert_uint_eq(list_locks(&w), before + 2);
	ck_assert_uint_eq(info_of(&w).shared_avail, 120);
	teardown(&w);
}
END_TEST

/* Twelve objects of the other node gather; the thirteenth takes them home under the owner's lock.
 */
START_TEST(aliens_go_home_by_the_dozen)
{
	struct world w;
	struct job a = {.n = 32};
	uint64_t before;

	setup_slab(&w, 2, 1);
	run(&w, 0, alloc_all, &a);
	before = list_locks(&w);
	run(&w, 1, free_all, &(struct job){.n = 12, .from = a.o});
	ck_assert_uint_eq(list_locks(&w), before);
	ck_assert_uint_eq(eh_kmem_alien_lock(w.k)->acquisitions, 12);
	run(&w, 1, free_all, &(struct job){.n = 13, .from = a.o + 12});
	ck_assert_uint_eq(list_locks(&w), before + 2);
	ck_assert_uint_eq(info_of(&w).counts.alienoverflow, 2);
	ck_assert_uint_eq(info_of(&w).counts.remotefrees, 25);
	ck_assert_uint_eq(info_of(&w).shared_avail, 24);
	ck_assert_uint_eq(eh_kmem_alive(w.k, 0), 7);
	ck_assert_uint_eq(eh_kmem_alive(w.k, 1), 0);
	teardown(&w);
}
END_TEST

START_TEST(noaliencache_takes_the_owners_lock)
{
	struct world w;
	struct job a = {.n = 32};
	uint64_t before;

	setup_slab(&w, 2, 1);
	teardown(&w);
	w.kc.alien = false;
	build(&w, 2, 1, 1, 4, 0);
	run(&w, 0, alloc_all, &a);
	before = list_locks(&w);
	run(&w, 1, free_all, &a);
	ck_assert_uint_eq(list_locks(&w), before + 32);
	ck_assert_uint_eq(eh_kmem_alien_lock(w.k)->acquisitions, 0);
	teardown(&w);
}
END_TEST

START_TEST(nothing_twice)
{
	struct eh_kernel_config kc = host_kernel(1000);

	kc.allocator = 1;
	play_all(&kc, 0);
	kc.slab_refill = EH_REFILL_LOCKED;
	play_all(&kc, 0);
	kc.alien = false;
	play_all(&kc, 0);
}
END_TEST

/* Every 2 s: an alien array at once, an array that nobody used in between by a fifth of its length.
 */
START_TEST(the_reaper_comes)
{
	struct world w;
	struct job a = {.n = 100};
	struct eh_sched *s;

	setup_slab(&w, 2, 1);
	run(&w, 0, alloc_all, &a);
	run(&w, 1, free_all, &(struct job){.n = 5, .from = a.o});
	run(&w, 0, free_all, &(struct job){.n = 90, .from = a.o + 5});
	s = eh_sched_new(w.m, &w.kc);
	eh_mm_reap(w.m->mm, s);
	for (int cpu = 0; cpu < 2; cpu++)
		eh_sched_need_tick(s, cpu, true);
	eh_sim_run(w.sim, 20 * EH_SEC);
	ck_assert_uint_eq(eh_kmem_active(w.k), 5);
	ck_assert_uint_gt(w.m->cpus[0].charged[EH_SYM(cache_reap)], 0);
	ck_assert_uint_le(info_of(&w).active_slabs, 4); /* of seven: objects went back to them */
	eh_mm_check(w.m->mm);
	eh_sched_free(s);
	teardown(&w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("slab");
	TCase *t = tcase_create("slab");

	tcase_add_test(t, sizes_of_arrays);
	tcase_add_test(t, youngest_comes_first);
	tcase_add_test(t, a_new_slab_takes_the_lock);
	tcase_add_test(t, a_full_array_flushes_half);
	tcase_add_test(t, aliens_go_home_by_the_dozen);
	tcase_add_test(t, noaliencache_takes_the_owners_lock);
	tcase_add_test(t, nothing_twice);
	tcase_add_test(t, the_reaper_comes);
	suite_add_tcase(s, t);
	return run_suite(s);
}
