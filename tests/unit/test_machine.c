/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/machine, the lines: each latency where it belongs, copies that go stale or are displaced,
 * occupancy, order.
 */
#include <stdlib.h>

#include "machine.h"

#define DIES 4 /* per socket */

/* --- topology --- */

START_TEST(cpus_are_numbered_as_linux_does)
{
	struct world w;

	setup(&w, 2, 3, 4, 2);
	ck_assert_int_eq(w.m->ncpus, 48);
	ck_assert_int_eq(w.m->ncores, 24);
	ck_assert_int_eq(w.m->cpus[0].die, 0);
	ck_assert_int_eq(w.m->cpus[4].die, 1);
	ck_assert_int_eq(w.m->cpus[23].die, 5);
	ck_assert_int_eq(w.m->cpus[24].die, 0);
	ck_assert_int_eq(w.m->cpus[47].die, 5);
	ck_assert(eh_cpu_siblings(&w.m->cpus[3], 27));
	ck_assert(!eh_cpu_siblings(&w.m->cpus[3], 3));
	ck_assert(!eh_cpu_siblings(&w.m->cpus[3], 4));
	for (int i = 0; i < 48; i++)
		ck_assert_int_eq(w.m->cpus[eh_machine_spread(w.m, i)].die, i % 6);
	ck_assert_int_eq(eh_machine_spread(w.m, 6), 1);
	ck_assert_int_eq(eh_machine_spread(w.m, 24), 24);
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(w.m->cpus[eh_machine_on_die(w.m, 2, i)].die, 2);
	ck_assert_int_eq(eh_machine_on_die(w.m, 2, 4), 24 + 8);
	ck_assert_int_eq(eh_machine_on_die(w.m, 2, 8), 8);
	teardown(&w);
}
END_TEST

START_TEST(configurations_that_cannot_be)
{
	struct eh_machine_config c = host_machine(2, 2, 4, 2);

	ck_assert_ptr_null(eh_machine_config_problem(&c));
	c.cache.l1_lines = 500;
	ck_assert_ptr_nonnull(eh_machine_config_problem(&c));
	c = host_machine(1, 300, 1, 1);
	ck_assert_ptr_nonnull(eh_machine_config_problem(&c));
	c = host_machine(8, 7, 1200, 1);
	ck_assert_ptr_nonnull(eh_machine_config_problem(&c));
	c = host_machine(1, 1, 1, 1);
	c.cache.l1_lines = 2 * c.cache.l2_lines;
	ck_assert_ptr_nonnull(eh_machine_config_problem(&c));
}
END_TEST

START_TEST(pages_go_round_the_dies)
{
	struct world w;
	eh_line_id first;

	setup(&w, 2, 2, 1, 1);
	first = eh_lines_new(w.m, 64 * 9, -1);
	for (unsigned int i = 0; i < 64 * 9; i++)
		ck_assert_uint_eq(w.m->lines[first + i].home, i / 64 % 4);
	ck_assert_uint_eq(eh_lines_new(w.m, 1, 3), first + 64 * 9);
	ck_assert_uint_eq(w.m->lines[first + 64 * 9].home, 3);
	teardown(&w);
}
END_TEST

/* --- latencies --- */

static int distance(int a, int b)
{
	return a / DIES != b / DIES ? 3 : abs(a - b) > 2 ? 2 : abs(a - b);
}

static void check_latencies(struct job *j)
{
	static const int64_t clean[] = {30, 50, 80, 180}, dirty[] = {65, 95, 110, 270},
			     dram[] = {130, 150, 170, 230};
	struct eh_machine *m = j->w->m;
	struct eh_cpu *c = j->c;

	for (int die = 0; die < 2 * DIES; die++) {
		int d = distance(c->die, die);
		int owner = eh_machine_on_die(m, die, 1); /* not the sibling */
		eh_line_id line = eh_lines_new(m, 1, die);

		ck_assert_int_eq(load_latency(c, line), dram[d] * EH_NS);
		ck_assert_int_eq(load_latency(c, line), L1_HIT);
		line = eh_lines_new(m, 1, die);
		eh_line_shared(m, line);
		ck_assert_int_eq(load_latency(c, line), clean[d] * EH_NS);
		ck_assert_int_eq(load_latency(c, line), L1_HIT);
		line = eh_lines_new(m, 1, die);
		ck_assert_int_eq(rmw_latency(c, line), dram[d] * EH_NS);
		ck_assert_int_eq(rmw_latency(c, line), 0);
		if (owner % m->ncores == c->id % m->ncores)
			owner = eh_machine_on_die(m, die, 0);
		/* Dirty: how far the owner is, wherever the home. */
		for (int home = 0; home < 2 * DIES; home++) {
			line = eh_lines_new(m, 1, home);
			eh_line_written_by(m, line, owner);
			ck_assert_int_eq(load_latency(c, line), dirty[d] * EH_NS);
			ck_assert_int_eq(load_latency(c, line), L1_HIT);
			eh_line_written_by(m, line, owner);
			ck_assert_int_eq(rmw_latency(c, line), dirty[d] * EH_NS);
			ck_assert_int_eq(rmw_latency(c, line), 0);
			ck_assert_int_eq(load_latency(c, line), L1_HIT);
		}
	}
	eh_line_written_by(m, j->line, (c->id + m->ncores) % m->ncpus);
	ck_assert_int_eq(load_latency(c, j->line), 8 * EH_NS);
	eh_line_written_by(m, j->line, (c->id + m->ncores) % m->ncpus);
	ck_assert_int_eq(rmw_latency(c, j->line), 8 * EH_NS);
}

START_TEST(latencies_by_distance)
{
	struct world w;

	setup(&w, 2, DIES, 2, 2);
	for (int cpu = 0; cpu < w.m->ncpus; cpu += 3)
		run(&w, cpu, check_latencies, eh_lines_new(w.m, 1, 0));
	teardown(&w);
}
END_TEST

static void check_write_to_shared(struct job *j)
{
	struct eh_machine *m = j->w->m;
	struct eh_cpu *c = j->c;
	eh_time far = m->ndies > m->dies_per_socket ? 270 * EH_NS : 95 * EH_NS;

	/* All sockets have copies: they have to go, the farthest decides. */
	eh_line_shared(m, j->line);
	ck_assert_int_eq(rmw_latency(c, j->line), far);
	ck_assert_int_eq(rmw_latency(c, j->line), 0);
	/* The same if we hold a copy ourselves. */
	eh_line_shared(m, j->line);
	load_latency(c, j->line);
	ck_assert_int_eq(rmw_latency(c, j->line), far);
}

START_TEST(writing_takes_copies_away)
{
	struct world w;

	setup(&w, 2, 2, 2, 1);
	run(&w, 0, check_write_to_shared, eh_lines_new(w.m, 1, 0));
	teardown(&w);
	setup(&w, 1, 2, 2, 1);
	run(&w, 0, check_write_to_shared, eh_lines_new(w.m, 1, 0));
	teardown(&w);
}
END_TEST

static void check_capacity(struct job *j)
{
	struct eh_cpu *c = j->c;
	eh_line_id a = j->line;

	load_latency(c, a);
	ck_assert_int_eq(load_latency(c, a), L1_HIT);
	load_latency(c, a + 64); /* same set of the L1 */
	ck_assert_int_eq(load_latency(c, a), L2_HIT);
	ck_assert_int_eq(load_latency(c, a), L1_HIT);
	load_latency(c, a + 1024); /* same set of the L2 */
	ck_assert_int_eq(load_latency(c, a), 30 * EH_NS);
	ck_assert_int_eq(load_latency(c, a), L1_HIT);
	/* 1024 lines fit, one after the other */
	for (unsigned int i = 0; i < 1024; i++)
		load_latency(c, a + i);
	for (unsigned int i = 0; i < 1024; i++)
		ck_assert_int_eq(load_latency(c, a + i), L2_HIT);
	/* A modified line that was displaced comes back from the L3. */
	rmw_latency(c, a);
	load_latency(c, a + 1024);
	ck_assert_int_eq(rmw_latency(c, a), 30 * EH_NS);
	load_latency(c, a + 1024);
	ck_assert_int_eq(load_latency(c, a), 30 * EH_NS);
}

START_TEST(hits_and_capacity)
{
	struct world w;

	setup(&w, 1, 1, 1, 1);
	run(&w, 0, check_capacity, eh_lines_new(w.m, 4096, 0));
	teardown(&w);
}
END_TEST

static void check_stale(struct job *j)
{
	struct eh_cpu *c = j->c;

	for (int i = 0; i < 3000; i++) { /* also when version numbers wrap */
		load_latency(c, j->line);
		ck_assert_int_eq(load_latency(c, j->line), L1_HIT);
		eh_line_written_by(j->w->m, j->line, 1);
		ck_assert_int_eq(load_latency(c, j->line), 65 * EH_NS);
		ck_assert_int_eq(load_latency(c, j->line), L1_HIT);
	}
}

START_TEST(a_write_makes_copies_stale)
{
	struct world w;

	setup(&w, 1, 1, 2, 1);
	run(&w, 0, check_stale, eh_lines_new(w.m, 1, 0));
	teardown(&w);
}
END_TEST

static void rmw_once(struct job *j)
{
	j->rmw = eh_rmw(j->c, SYM, j->line);
}

/* Latency is not occupancy: k at once are done after latency + i * occupancy. */
START_TEST(occupancy)
{
	struct job j[12] = {{0}};
	struct world w;
	eh_line_id line;

	setup(&w, 1, 1, 13, 1);
	line = eh_lines_new(w.m, 1, 0);
	eh_line_written_by(w.m, line, 12);
	for (int i = 0; i < 12; i++) {
		j[i].line = line;
		add(&w, &j[i], i, rmw_once);
	}
	eh_sim_run(w.sim, EH_MS);
	for (int i = 0; i < 12; i++) {
		ck_assert_int_eq(j[i].rmw.latency, 65 * EH_NS);
		ck_assert_int_eq(j[i].rmw.done, INSTR + (65 + 25 * i) * EH_NS + LOCKED);
	}
	teardown(&w);
}
END_TEST

/* Far apart in time nobody waits; order is by time, not by who asked first. */
START_TEST(order_is_by_time)
{
	struct job j[4] = {{.at = 3000 * EH_NS}, {.at = 1000 * EH_NS}, {.at = 1010 * EH_NS}, {0}};
	struct world w;
	eh_line_id line;

	setup(&w, 1, 1, 5, 1);
	line = eh_lines_new(w.m, 1, 0);
	eh_line_written_by(w.m, line, 4);
	for (int i = 0; i < 4; i++) {
		j[i].line = line;
		add(&w, &j[i], i, rmw_once);
	}
	eh_sim_run(w.sim, EH_MS);
	ck_assert_int_eq(j[3].rmw.start, INSTR);
	ck_assert_int_eq(j[1].rmw.start, 1001 * EH_NS);
	ck_assert_int_eq(j[2].rmw.start, 1026 * EH_NS); /* 25 behind, not 10 */
	ck_assert_int_eq(j[0].rmw.start, 3001 * EH_NS);
	teardown(&w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("machine");
	TCase *t = tcase_create("machine");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, cpus_are_numbered_as_linux_does);
	tcase_add_test(t, configurations_that_cannot_be);
	tcase_add_test(t, pages_go_round_the_dies);
	tcase_add_test(t, latencies_by_distance);
	tcase_add_test(t, writing_takes_copies_away);
	tcase_add_test(t, hits_and_capacity);
	tcase_add_test(t, a_write_makes_copies_stale);
	tcase_add_test(t, occupancy);
	tcase_add_test(t, order_is_by_time);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
