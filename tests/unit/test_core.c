/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/machine, the CPUs: what overlaps in a core and what does not, interrupts, and that all time
 * is charged to somebody.
 */
#include <ehsim/stream.h>

#include <string.h>

#include "machine.h"
#include "suite.h"

/* --- the core --- */

static void check_overlap(struct job *j)
{
	struct eh_cpu *c = j->c;
	eh_line_id a = j->line;
	eh_time from, one, two;

	from = settle(c);
	one = eh_load(c, SYM, a, 0);
	two = eh_load(c, SYM, a + 1, 0);
	ck_assert_int_eq(one, from + INSTR + 130 * EH_NS);
	ck_assert_int_eq(two, from + 2 * INSTR + 130 * EH_NS);
	ck_assert_int_eq(c->retire, two);

	/* A pointer chase adds up. */
	from = settle(c);
	one = eh_load(c, SYM, a + 2, 0);
	two = eh_load(c, SYM, a + 3, one);
	ck_assert_int_eq(two, one + 130 * EH_NS);

	/* Retirement is in order: a hit behind a miss retires with it. */
	from = settle(c);
	one = eh_load(c, SYM, a + 4, 0);
	two = eh_load(c, SYM, a + 4, 0);
	ck_assert_int_eq(two, from + 2 * INSTR + L1_HIT);
	ck_assert_int_eq(c->retire, one + INSTR);

	/* A hash whose input is loaded: known 10 cycles after the load. */
	from = settle(c);
	one = eh_load(c, SYM, a + 5, 0);
	two = eh_chain(c, SYM, 4, 10, one);
	ck_assert_int_eq(two, one + 10 * EH_NS);
	ck_assert_int_eq(eh_load(c, SYM, a + 6, two), two + 130 * EH_NS);
}

START_TEST(loads_overlap)
{
	run_alone(1, 1, 1, 1, check_overlap, 64);
}
END_TEST

static void check_window(struct job *j)
{
	struct eh_cpu *c = j->c;
	eh_time from = settle(c), one;

	one = eh_load(c, SYM, j->line, 0); /* the 1st instruction; a window of 64 follows */
	for (int i = 0; i < 64; i++)
		eh_work(c, SYM, 1);
	ck_assert_int_eq(c->dispatch, from + 65 * INSTR);
	eh_work(c, SYM, 1); /* the 66th needs the load's place */
	ck_assert_int_eq(c->dispatch, one);
	/* A second miss in the window starts with the first, one behind it starts late. */
	from = settle(c);
	one = eh_load(c, SYM, j->line + 1, 0);
	eh_work(c, SYM, 50);
	ck_assert_int_eq(eh_load(c, SYM, j->line + 2, 0), from + 52 * INSTR + 130 * EH_NS);
	eh_work(c, SYM, 50);
	ck_assert_int_eq(eh_load(c, SYM, j->line + 3, 0), one + INSTR + 130 * EH_NS);
}

START_TEST(a_full_window_stalls)
{
	struct world w;

	w.mc = host_machine(1, 1, 1, 1);
	w.mc.core.window = 64;
	w.sim = eh_sim_new(1);
	w.m = eh_machine_new(w.sim, "host", &w.mc);
	run(&w, 0, check_window, eh_lines_new(w.m, 64, 0));
	teardown(&w);
}
END_TEST

static void check_locked(struct job *j)
{
	struct eh_cpu *c = j->c;
	eh_line_id a = j->line;
	struct eh_rmw r, s;
	eh_time from, t;

	/* Two locked operations never overlap. */
	from = settle(c);
	r = eh_rmw(c, SYM, a);
	s = eh_rmw(c, SYM, a + 1);
	ck_assert_int_eq(r.done, from + INSTR + 130 * EH_NS + LOCKED);
	ck_assert_int_eq(s.start, r.done);
	ck_assert_int_eq(s.done, r.done + 130 * EH_NS + LOCKED);

	/* Younger loads start beneath one; it waits for older ones. */
	from = settle(c);
	r = eh_rmw(c, SYM, a + 2);
	t = eh_load(c, SYM, a + 3, 0);
	ck_assert_int_eq(t, from + 2 * INSTR + 130 * EH_NS);
	ck_assert_int_lt(t, r.done);
	ck_assert_int_eq(c->retire, r.done + INSTR);
	settle(c);
	t = eh_load(c, SYM, a + 4, 0);
	r = eh_rmw(c, SYM, a + 5);
	ck_assert_int_eq(r.start, t);

	/* A store is out of the way at once, but a locked operation waits until it is visible. */
	from = settle(c);
	t = eh_store(c, SYM, a + 6);
	ck_assert_int_eq(c->retire, from + INSTR);
	ck_assert_int_eq(t, from + INSTR + 130 * EH_NS);
	eh_work(c, SYM, 3);
	ck_assert_int_eq(c->retire, from + 4 * INSTR);
	r = eh_rmw(c, SYM, a + 2); /* held */
	ck_assert_int_eq(r.start, t);
	ck_assert_int_eq(r.latency, 0);
	ck_assert_int_eq(r.done, t + LOCKED);
}

START_TEST(locked_operations_do_not_overlap)
{
	run_alone(1, 1, 1, 1, check_locked, 64);
}
END_TEST

static void check_buffers(struct job *j)
{
	struct eh_cpu *c = j->c;
	eh_time from = settle(c), done[40], t;

	for (int i = 0; i < 40; i++)
		done[i] = eh_load(c, SYM, j->line + (eh_line_id)i, 0);
	for (int i = 0; i < 16; i++)
		ck_assert_int_eq(done[i], from + (1 + i) * INSTR + 130 * EH_NS);
	for (int i = 16; i < 40; i++)
		ck_assert_int_eq(done[i], done[i - 16] + 130 * EH_NS);

	from = settle(c);
	t = eh_load(c, SYM, j->line + 50, 0);
	eh_mispredict(c, t);
	eh_work(c, SYM, 1);
	ck_assert_int_eq(c->retire, t + 17 * EH_NS + INSTR);
	/* Known early, dispatch decides. */
	from = settle(c);
	eh_work(c, SYM, 10);
	eh_mispredict(c, from);
	eh_work(c, SYM, 1);
	ck_assert_int_eq(c->retire, from + 11 * INSTR + 17 * EH_NS);
}

START_TEST(line_buffers_and_mispredicts)
{
	run_alone(1, 1, 1, 1, check_buffers, 64);
}
END_TEST

/* Whatever a CPU does, what is charged is the time that passed. */
static void do_anything(struct job *j)
{
	gsl_rng *r = eh_stream_new(1, "anything");
	struct eh_cpu *c = j->c;
	eh_time known = 0;

	for (int i = 0; i < 20000; i++) {
		int sym = (int)eh_stream_below(r, EH_SYM_COUNT);
		eh_line_id line = j->line + (eh_line_id)eh_stream_below(r, 3000);
		int64_t k = 1 + (int64_t)eh_stream_below(r, 100);

		switch (eh_stream_below(r, 9)) {
		case 0:
			eh_work(c, sym, k);
			break;
		case 1:
			eh_path(c, sym, 20 * k);
			break;
		case 2:
			known = eh_load(c, sym, line, known);
			break;
		case 3:
			known = eh_load(c, sym, line, 0);
			break;
		case 4:
			eh_store(c, sym, line);
			break;
		case 5:
			known = eh_rmw(c, sym, line).done;
			break;
		case 6:
			known = eh_chain(c, sym, k, k, known);
			break;
		case 7:
			eh_mispredict(c, known);
			break;
		default:
			eh_cpu_wait_until(c, sym, c->retire + k * EH_NS);
		}
		ck_assert_int_ge(c->retire, eh_sim_now(c->sim));
	}
	gsl_rng_free(r);
}

START_TEST(all_time_is_charged)
{
	struct job j[6] = {{0}};
	struct world w;
	eh_line_id line;

	setup(&w, 2, 1, 3, 1);
	line = eh_lines_new(w.m, 3000, -1);
	if (_i)
		eh_accounts_start(w.m);
	for (int i = 0; i < 6; i++) {
		j[i].line = line;
		add(&w, &j[i], i, do_anything);
	}
	eh_sim_run(w.sim, EH_SEC);
	for (int i = 0; i < 6; i++) {
		ck_assert_int_gt(j[i].c->retire, EH_MS);
		ck_assert_int_eq(eh_cpu_busy(j[i].c), j[i].c->retire);
		eh_accounts_check(w.m);
	}
	teardown(&w);
}
END_TEST

/* --- contexts --- */

struct log {
	char text[64];
	int raise_again;
};

static void log_add(struct eh_cpu *c, char what)
{
	struct log *log = c->irq_arg;

	log->text[strlen(log->text)] = what;
}

static void on_irq(struct eh_cpu *c)
{
	struct log *log = c->irq_arg;

	log_add(c, 'i');
	c->softirq_pending = true;
	if (log->raise_again-- > 0)
		eh_cpu_raise(c);
	eh_cpu_point(c); /* takes none: one is running */
	log_add(c, 'e');
}

static void on_softirq(struct eh_cpu *c)
{
	log_add(c, 's');
}

static void on_tick(struct eh_cpu *c)
{
	log_add(c, 't');
}

static void check_contexts(struct job *j)
{
	struct eh_cpu *c = j->c;
	struct log *log = c->irq_arg;

	eh_cpu_raise(c);
	eh_work(c, SYM, 100);
	ck_assert_str_eq(log->text, ""); /* not before a point */
	eh_cpu_point(c);
	ck_assert_str_eq(log->text, "ies");

	memset(log, 0, sizeof(*log));
	eh_local_bh_disable(c);
	eh_local_bh_disable(c);
	eh_cpu_raise(c);
	eh_cpu_point(c);
	ck_assert_str_eq(log->text, "ie");
	eh_local_bh_enable(c);
	ck_assert_str_eq(log->text, "ie");
	eh_local_bh_enable(c);
	ck_assert_str_eq(log->text, "ies");

	memset(log, 0, sizeof(*log));
	eh_cpu_raise(c);
	eh_cpu_raise_tick(c);
	eh_cpu_point(c);
	ck_assert_str_eq(log->text, "ties");

	memset(log, 0, sizeof(*log));
	eh_cpu_raise_tick(c);
	eh_cpu_point(c);
	ck_assert_str_eq(log->text, "t");

	memset(log, 0, sizeof(*log));
	log->raise_again = 2;
	eh_cpu_raise(c);
	eh_cpu_point(c);
	ck_assert_str_eq(log->text, "iesiesies");
	ck_assert(!c->irq_pending && !c->softirq_pending);
}

START_TEST(contexts_nest_in_order)
{
	struct log log = {{0}, 0};
	struct eh_cpu *c;
	struct world w;

	setup(&w, 1, 1, 1, 1);
	c = &w.m->cpus[0];
	c->irq = on_irq;
	c->softirq = on_softirq;
	c->tick = on_tick;
	c->irq_arg = &log;
	run(&w, 0, check_contexts, 0);
	teardown(&w);
}
END_TEST

static int kicks;

static void on_kick(struct eh_cpu *c)
{
	(void)c;
	kicks++;
}

static void check_notice(struct job *j)
{
	struct eh_cpu *c = j->c;

	c->idle = true;
	eh_sim_park(c->sim);
	c->idle = false;
	ck_assert_int_eq(eh_sim_now(c->sim), 5 * EH_US);
	eh_cpu_wait_until(c, -1, eh_sim_now(c->sim));
	c->kick = on_kick;
	eh_cpu_notice(c);
	c->kick = NULL;
	eh_cpu_notice(c);
}

static void notice_first(struct job *j)
{
	eh_cpu_wait_until(j->c, -1, 5 * EH_US);
	eh_cpu_notice(&j->w->m->cpus[0]);
	eh_cpu_notice(&j->w->m->cpus[0]); /* twice is once */
}

START_TEST(notice_wakes_or_kicks)
{
	struct job a = {0}, b = {0};
	struct world w;

	kicks = 0;
	setup(&w, 1, 1, 2, 1);
	add(&w, &a, 0, check_notice);
	add(&w, &b, 1, notice_first);
	eh_sim_run(w.sim, EH_MS);
	ck_assert_int_eq(kicks, 1);
	ck_assert(!w.m->cpus[0].idle);
	teardown(&w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core");
	TCase *t = tcase_create("core");

	tcase_add_test(t, loads_overlap);
	tcase_add_test(t, a_full_window_stalls);
	tcase_add_test(t, locked_operations_do_not_overlap);
	tcase_add_test(t, line_buffers_and_mispredicts);
	tcase_add_loop_test(t, all_time_is_charged, 0, 2); /* without accounts, and with */
	tcase_add_test(t, contexts_nest_in_order);
	tcase_add_test(t, notice_wakes_or_kicks);
	suite_add_tcase(s, t);
	return run_suite(s);
}
