/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine file of 2004. With one bus and 700 MHz: does each operation cost what McKenney's table of
 * 2003 says, within 25 %? Rows of cmpxchg and of whole locks do not apply: the model has one cost for
 * all locked operations, the atomic increment's. On snooped buses: does a home matter, what stops both?
 */
#include <ehsim/scenario.h>

#include "machine.h"
#include "suite.h"

#define MANY 1000

static struct eh_values values;

static void load(const char *const *sets)
{
	char *file = g_build_filename(g_getenv("srcdir") ? g_getenv("srcdir") : ".", "scenarios",
				      "lab-pentium3.yaml", NULL);
	struct eh_messages *msgs = eh_messages_new();
	struct eh_scenario *s = eh_scenario_load(file, sets, msgs);
	GPtrArray *set = g_ptr_array_new_with_free_func(eh_pair_free);

	ck_assert_msg(s != NULL, "%s", file);
	eh_scenario_point(s, 0, &values, set);
	g_ptr_array_unref(set);
	eh_scenario_free(s);
	eh_messages_free(msgs);
	g_free(file);
}

static void with(const char *const *sets, void (*fn)(struct job *))
{
	struct world w;

	load(sets);
	w.mc = values.machine;
	build(&w);
	run(&w, 0, fn, eh_lines_new(w.m, 64, 0));
	teardown(&w);
	eh_values_clear(&values);
}

static void like(const char *row, double ns, double published)
{
	ck_assert_msg(ns > 0.75 * published && ns < 1.25 * published, "%s: %.1f ns, published %.1f",
		      row, ns, published);
}

static double ns(eh_time t)
{
	return (double)t / (double)EH_NS;
}

static eh_time loaded(struct eh_cpu *c, eh_line_id line)
{
	eh_time from = settle(c);

	return eh_load(c, SYM, line, 0) - from - c->instr;
}

/* Locked, with its own cycles. */
static eh_time locked(struct eh_cpu *c, eh_line_id line)
{
	eh_time from = settle(c);

	return eh_rmw(c, SYM, line).done - from - c->instr;
}

static void check_rows(struct job *j)
{
	struct eh_cpu *c = j->c;
	eh_line_id line = j->line;
	eh_time from = settle(c);

	eh_work(c, SYM, MANY);
	like("instruction", ns(c->retire - from) / MANY, 0.7);
	like("main memory", ns(loaded(c, line)), 162.4);
	for (int i = 1; i < 64; i++)
		eh_load(c, SYM, line + (eh_line_id)i, 0);
	c->l1[line & c->m->l1_mask] = 0;
	like("L2 hit", ns(loaded(c, line)), 12.9);
	locked(c, line);
	like("atomic increment, line local", ns(locked(c, line)), 58.2);
	eh_line_written_by(c->m, line, 1);
	like("atomic increment and line transfer", ns(locked(c, line)), 113.2);
	eh_line_written_by(c->m, line, 1);
	like("cmpxchg, transfer and invalidate", ns(loaded(c, line) + locked(c, line)), 360.9);
}

START_TEST(test_table)
{
	with(NULL, check_rows);
}
END_TEST

/* CPU 1 is on the own bus, CPU 4 on the other; die 4 is the home on the other bus. */
static void check_buses(struct job *j)
{
	struct eh_cpu *c = j->c;
	const struct eh_machine *m = c->m;
	eh_line_id far_home = eh_lines_new(c->m, 1, 4);
	eh_time own = m->locked_op;

	for (int i = 0; i < 2; i++) { /* home near, home far: the same */
		eh_line_id line = i ? far_home : j->line;

		eh_line_written_by(c->m, line, 1);
		ck_assert_int_eq(loaded(c, line), 55 * EH_NS);
		eh_line_written_by(c->m, line, 4);
		ck_assert_int_eq(loaded(c, line), m->cfg->latency.dirty_far_socket);
	}
	/* Not held: LOCK#. A copy, or the line itself: the lock stays in the cache. */
	eh_line_written_by(c->m, j->line, 1);
	settle(c);
	ck_assert_int_eq(locked(c, j->line), own + 55 * EH_NS + 2 * EH_US);
	ck_assert_int_eq(locked(c, j->line), own);
	eh_line_written_by(c->m, j->line, 1);
	loaded(c, j->line);
	ck_assert_int_eq(locked(c, j->line),
			 own + m->cfg->latency.invalidate_other_socket);
	/* A plain store locks nothing. */
	eh_line_written_by(c->m, j->line, 1);
	settle(c);
	eh_store(c, SYM, j->line);
	ck_assert_int_le(c->drain - c->retire, 55 * EH_NS);
}

static const char *const eight[] = {"machine.sockets=8", "machine.latency.bus_lock=2us", NULL};
static const char *const four[] = {"machine.latency.bus_lock=2us", NULL};

START_TEST(test_buses)
{
	with(eight, check_buses);
}
END_TEST

START_TEST(test_one_bus)
{
	with(four, check_rows);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("pentium3");
	TCase *c = tcase_create("costs");

	tcase_add_test(c, test_table);
	tcase_add_test(c, test_buses);
	tcase_add_test(c, test_one_bus);
	suite_add_tcase(s, c);
	return run_suite(s);
}
