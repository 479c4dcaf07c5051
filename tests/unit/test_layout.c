/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where objects lie: at their size's distance in pages that begin at whole pages, so that the sets of
 * a cache are chosen as in hardware; SLAB's colours; pages that change hands change names; what
 * happens when line numbers run short.
 */
#include <ehsim/c2c.h>
#include <ehsim/slab.h>

#include <glib.h>

#include "mm.h"
#include "suite.h"

#define PAGE_LINES (EH_PAGE_BYTES / 64)
#define SETS_OF_L2 2048 /* 2 MiB, 16 ways */

static struct eh_kmem_cache *cache_of(const struct world *w, int size, int lines, int per_slab)
{
	return eh_kmem_cache_make(w->m, &(struct eh_kmem_spec){"thing", size, lines, per_slab, 0});
}

/* TCPv6 sockets: 13 of 39 lines in a block of 512; the first lines of many share 52 sets of an L2. */
START_TEST(sockets_share_few_sets)
{
	GHashTable *sets = g_hash_table_new(NULL, NULL);
	struct eh_kmem_cache *k;
	struct world w;

	setup(&w, 1, 1, 1, 2, 8);
	k = cache_of(&w, 2496, 12, 13);
	for (int slab = 0; slab < 100; slab++) {
		eh_line_id first = 0;

		for (int i = 0; i < 13; i++) {
			eh_line_id line = eh_kmem_preset(k, 0)->line;

			if (!i)
				first = line;
			ck_assert_uint_eq(first % 512, 0);
			ck_assert_uint_eq(line, first + 39 * (unsigned int)i);
			g_hash_table_add(sets, GUINT_TO_POINTER(line % SETS_OF_L2));
		}
	}
	ck_assert_uint_le(g_hash_table_size(sets), 52);
	g_hash_table_destroy(sets);
	eh_kmem_cache_free(k);
	teardown(&w);
}
END_TEST

/* Of 192 bytes 21 fit into a page: three lines each; no two pages overlap. */
START_TEST(pages_are_whole)
{
	GHashTable *seen = g_hash_table_new(NULL, NULL);
	struct eh_kmem_cache *k, *small;
	struct world w;

	setup(&w, 1, 1, 1, 2, 8);
	k = cache_of(&w, 192, 3, 21);
	small = cache_of(&w, 16, 1, 256);
	for (int i = 0; i < 10 * 21; i++) {
		eh_line_id line = eh_kmem_preset(k, 0)->line;

		ck_assert_uint_eq(line % PAGE_LINES, 3 * (unsigned int)(i % 21));
		for (unsigned int j = 0; j < 3; j++)
			ck_assert(g_hash_table_add(seen, GUINT_TO_POINTER(line + j)));
	}
	for (int i = 0; i < 256; i++) { /* four to a line */
		eh_line_id line = eh_kmem_preset(small, 0)->line;

		ck_assert_uint_eq(line % PAGE_LINES, (unsigned int)i / 4);
		ck_assert(g_hash_table_add(seen, GUINT_TO_POINTER(line)) == !(i % 4));
	}
	g_hash_table_destroy(seen);
	eh_kmem_cache_free(small);
	eh_kmem_cache_free(k);
	teardown(&w);
}
END_TEST

/* 2368 bytes: three in 8 KiB, 1085 bytes to spare behind their index: 16 colours, one after another. */
START_TEST(slab_has_colours)
{
	struct eh_kmem_cache *k;
	struct world w;

	w.kc = host_kernel(1000);
	w.kc.allocator = 1;
	build(&w, 1, 1, 1, 1, 0);
	ck_assert_str_eq(eh_kmem_kind_name(1), "slab");
	k = cache_of(&w, 2368, 12, 0);
	for (unsigned int slab = 0; slab < 40; slab++)
		for (unsigned int i = 0; i < 3; i++)
			ck_assert_uint_eq(eh_kmem_preset(k, 0)->line % (2 * PAGE_LINES),
					  (slab + 1) % 16 + 37 * i);
	eh_kmem_cache_free(k);
	teardown(&w);
}
END_TEST

static const char *name_of(struct eh_machine *m, eh_line_id line)
{
	const char *name;
	GArray *rows;

	eh_c2c_reset(m);
	eh_c2c_count(&m->cpus[0], line, 1, true, EH_NS);
	rows = eh_c2c_rows(m);
	ck_assert_uint_eq(rows->len, 1);
	name = g_array_index(rows, struct eh_c2c_row, 0).name;
	g_array_unref(rows);
	return name;
}

/* A page is somebody else's later: its lines are called as the last one calls them. */
START_TEST(names_are_of_the_last_user)
{
	struct world w;
	eh_line_id first;

	setup(&w, 2, 1, 1, 2, 8);
	eh_c2c_start(w.m);
	first = eh_lines_new(w.m, 100, 0);
	eh_line_name(w.m, first, 40, 1, "a");
	eh_line_name(w.m, first + 60, 40, 1, "b");
	eh_line_name(w.m, first + 40, 20, 1, "c"); /* between */
	ck_assert_str_eq(name_of(w.m, first + 39), "a");
	ck_assert_str_eq(name_of(w.m, first + 59), "c");
	ck_assert_str_eq(name_of(w.m, first + 60), "b");
	eh_line_name(w.m, first + 30, 40, 1, "d"); /* ends of two, one whole */
	ck_assert_str_eq(name_of(w.m, first + 29), "a");
	ck_assert_str_eq(name_of(w.m, first + 30), "d");
	ck_assert_str_eq(name_of(w.m, first + 69), "d");
	ck_assert_str_eq(name_of(w.m, first + 70), "b");
	eh_line_name(w.m, first + 80, 10, 1, "e"); /* inside one */
	ck_assert_str_eq(name_of(w.m, first + 79), "b");
	ck_assert_str_eq(name_of(w.m, first + 85), "e");
	ck_assert_str_eq(name_of(w.m, first + 90), "b");
	teardown(&w);
}
END_TEST

/* Beyond half of all numbers objects are packed, and there are enough for more than on whole pages. */
START_TEST(short_of_numbers)
{
	struct eh_kmem_cache *k;
	eh_line_id last = 0;
	struct world w;
	bool packed = false;

	w.kc = host_kernel(1000);
	w.mc = host_machine(1, 1, 1, 1);
	w.mc.cache.l1_lines = w.mc.cache.l2_lines = 64; /* 16 sets: 65,504 numbers */
	w.sim = eh_sim_new(1);
	w.m = eh_machine_new(w.sim, "host", &w.mc);
	eh_mm_new(w.m, &w.kc);
	w.k = eh_kmem_cache_new(w.m, "test", 1, 8, 10);
	k = cache_of(&w, 4096, 1, 8);
	for (int i = 0; i < 4000; i++) { /* 256,000 lines of pages */
		eh_line_id line = eh_kmem_preset(k, 0)->line;

		if (i % 8 == 1) { /* never back */
			ck_assert(!packed || line - last == 1);
			packed = line - last == 1;
			ck_assert(!packed || eh_lines_scarce(w.m));
		} else if (i % 8) {
			ck_assert_uint_eq(line - last, packed ? 1 : 64);
		}
		last = line;
	}
	ck_assert(packed);
	eh_kmem_cache_free(k);
	teardown(&w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("layout");
	TCase *t = tcase_create("layout");

	tcase_add_test(t, sockets_share_few_sets);
	tcase_add_test(t, pages_are_whole);
	tcase_add_test(t, slab_has_colours);
	tcase_add_test(t, names_are_of_the_last_user);
	tcase_add_test(t, short_of_numbers);
	suite_add_tcase(s, t);
	return run_suite(s);
}
