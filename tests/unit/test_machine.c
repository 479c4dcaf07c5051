/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/machine: each latency where it belongs, copies that go stale or are displaced, occupancy,
 * what overlaps in a core and what does not, interrupts, and that all time is charged to somebody.
 */
#include <ehsim/cpu.h>
#include <ehsim/stream.h>

#include <check.h>
#include <glib.h>
#include <string.h>

#include "host.h"

#define SYM EH_SYM(tcp_ack)
#define INSTR EH_NS /* one instruction per ns */
#define L1_HIT (5 * EH_NS)
#define L2_HIT (16 * EH_NS)
#define LOCKED (20 * EH_NS)
#define DIES 4 /* per socket */

struct world {
	struct eh_machine_config mc;
	struct eh_sim *sim;
	struct eh_machine *m;
};

static void setup(struct world *w, int sockets, int dies, int cores, int threads)
{
	w->mc = host_machine(sockets, dies, cores, threads);
	w->sim = eh_sim_new(1);
	w->m = eh_machine_new(w->sim, "host", &w->mc);
}

static void teardown(struct world *w)
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

static void job_main(void *arg)
{
	struct job *j = arg;

	eh_cpu_wait_until(j->c, -1, eh_sim_now(j->w->sim));
	j->fn(j);
	eh_cpu_sync(j->c, j->c->retire);
}

static void add(struct world *w, struct job *j, int cpu, void (*fn)(struct job *))
{
	j->w = w;
	j->c = &w->m->cpus[cpu];
	j->fn = fn;
	eh_cpu_start(j->c);
	j->c->ev.fiber = eh_sim_fiber(w->sim, job_main, j);
	eh_sim_at(w->sim, &j->c->ev, MAX(j->at, eh_sim_now(w->sim)));
}

static void run(struct world *w, int cpu, void (*fn)(struct job *), eh_line_id line)
{
	struct job j = {.line = line};

	add(w, &j, cpu, fn);
	eh_sim_run(w->sim, eh_sim_now(w->sim) + EH_MS);
}

/* The pipeline is empty and the store buffer, too. */
static eh_time settle(struct eh_cpu *c)
{
	eh_cpu_wait_until(c, -1, MAX(c->retire, c->drain) + EH_US);
	return c->retire;
}

static eh_time load_latency(struct eh_cpu *c, eh_line_id line)
{
	eh_time from = settle(c);

	return eh_load(c, SYM, line, 0) - from - INSTR;
}

static eh_time rmw_latency(struct eh_cpu *c, eh_line_id line)
{
	struct eh_rmw r;

	settle(c);
	r = eh_rmw(c, SYM, line);
	ck_assert_int_eq(r.done, r.start + r.latency + LOCKED);
	ck_assert_int_eq(c->retire, r.done);
	return r.latency;
}

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
	struct world w;

	setup(&w, 1, 1, 1, 1);
	run(&w, 0, check_overlap, eh_lines_new(w.m, 64, 0));
	teardown(&w);
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
	struct world w;

	setup(&w, 1, 1, 1, 1);
	run(&w, 0, check_locked, eh_lines_new(w.m, 64, 0));
	teardown(&w);
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
	struct world w;

	setup(&w, 1, 1, 1, 1);
	run(&w, 0, check_buffers, eh_lines_new(w.m, 64, 0));
	teardown(&w);
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
	for (int i = 0; i < 6; i++) {
		j[i].line = line;
		add(&w, &j[i], i, do_anything);
	}
	eh_sim_run(w.sim, EH_SEC);
	for (int i = 0; i < 6; i++) {
		ck_assert_int_gt(j[i].c->retire, EH_MS);
		ck_assert_int_eq(eh_cpu_busy(j[i].c), j[i].c->retire);
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
	tcase_add_test(t, loads_overlap);
	tcase_add_test(t, a_full_window_stalls);
	tcase_add_test(t, locked_operations_do_not_overlap);
	tcase_add_test(t, line_buffers_and_mispredicts);
	tcase_add_test(t, all_time_is_charged);
	tcase_add_test(t, contexts_nest_in_order);
	tcase_add_test(t, notice_wakes_or_kicks);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
