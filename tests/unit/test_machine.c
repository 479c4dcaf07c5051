/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/machine, the lines: each latency where it belongs, copies that go stale or are displaced,
 * sets of tags against a list, hand-over, order.
 */
#include <ehsim/stream.h>
#include <stdlib.h>

#include "machine.h"
#include "suite.h"

#define DIES 4 /* per socket */
#define L2_SETS (1024 / EH_L2_WAYS)

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

/* Requester, home, owner: the farthest two decide, unless the socket has an agent that knows. */
static int journey(int req, int owner, int home, int64_t coherence)
{
	if (coherence == EH_SOCKET_AGENT && req / DIES == owner / DIES && req / DIES != home / DIES)
		return 2; /* the agent is somewhere in the socket */
	return MAX(distance(req, owner), MAX(distance(req, home), distance(owner, home)));
}

static const int64_t dirty[] = {65, 95, 110, 270};

static void check_latencies(struct job *j)
{
	static const int64_t clean[] = {30, 50, 80, 180}, dram[] = {130, 150, 170, 230};
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
		for (int home = 0; home < 2 * DIES; home++) {
			eh_time expect =
				dirty[journey(c->die, die, home, m->cfg->coherence)] * EH_NS;

			line = eh_lines_new(m, 1, home);
			eh_line_written_by(m, line, owner);
			ck_assert_int_eq(load_latency(c, line), expect);
			ck_assert_int_eq(load_latency(c, line), L1_HIT);
			eh_line_written_by(m, line, owner);
			ck_assert_int_eq(rmw_latency(c, line), expect);
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
	struct world w = {.mc = host_machine(2, DIES, 2, 2)};

	w.mc.coherence = _i;
	build(&w);
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
	run_alone(2, 2, 2, 1, check_write_to_shared, 1);
	run_alone(1, 2, 2, 1, check_write_to_shared, 1);
}
END_TEST

/* Who has read a modified line shares it with its writer. */
static void check_two_readers(struct job *j)
{
	struct eh_machine *m = j->w->m;
	struct eh_cpu *c = j->c;
	int far = eh_machine_on_die(m, 3, 0), near = eh_machine_on_die(m, 1, 0);

	eh_line_written_by(m, j->line, far);
	load_latency(c, j->line);
	ck_assert_uint_eq(m->lines[j->line].readers, 3);
	ck_assert_int_eq(rmw_latency(c, j->line), 270 * EH_NS);
	ck_assert_uint_eq(m->lines[j->line].readers, 0);
	eh_line_written_by(m, j->line, near);
	load_latency(c, j->line);
	ck_assert_uint_eq(m->lines[j->line].readers, 1);
	ck_assert_int_eq(rmw_latency(c, j->line), 95 * EH_NS);
	/* Our own modified line, displaced to the L3 and read back: nobody else has it. */
	for (unsigned int way = 1; way <= EH_L2_WAYS; way++)
		load_latency(c, j->line + way * L2_SETS);
	ck_assert_int_eq(load_latency(c, j->line), 30 * EH_NS);
	ck_assert_uint_eq(m->lines[j->line].readers, 1);
}

START_TEST(reading_a_modified_line_leaves_two_readers)
{
	run_alone(2, 2, 2, 1, check_two_readers, 4096);
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
	/* Four lines of one set of the L2 stay. */
	for (unsigned int way = 1; way < EH_L2_WAYS; way++)
		load_latency(c, a + way * L2_SETS);
	for (unsigned int way = 0; way < EH_L2_WAYS; way++)
		ck_assert_int_eq(load_latency(c, a + way * L2_SETS), L2_HIT);
	/* A fifth takes the place of the one that was read longest ago, whichever came first. */
	ck_assert_int_eq(load_latency(c, a), L2_HIT);
	load_latency(c, a + 4 * L2_SETS);
	ck_assert_int_eq(load_latency(c, a), L2_HIT);
	ck_assert_int_eq(load_latency(c, a + 2 * L2_SETS), L2_HIT);
	ck_assert_int_eq(load_latency(c, a + 3 * L2_SETS), L2_HIT);
	ck_assert_int_eq(load_latency(c, a + 4 * L2_SETS), L2_HIT);
	ck_assert_int_eq(load_latency(c, a + L2_SETS), 30 * EH_NS);
	ck_assert_int_eq(load_latency(c, a + L2_SETS), L1_HIT);
	ck_assert_int_eq(load_latency(c, a), 30 * EH_NS);
	ck_assert_int_eq(load_latency(c, a), L1_HIT);
	/* 1024 lines fit, one after the other */
	for (unsigned int i = 0; i < 1024; i++)
		load_latency(c, a + i);
	for (unsigned int i = 0; i < 1024; i++)
		ck_assert_int_eq(load_latency(c, a + i), L2_HIT);
	/* A modified line that was displaced comes back from the L3. */
	rmw_latency(c, a);
	for (unsigned int way = 1; way <= EH_L2_WAYS; way++)
		load_latency(c, a + way * L2_SETS);
	ck_assert_int_eq(rmw_latency(c, a), 30 * EH_NS);
	for (unsigned int way = 1; way <= EH_L2_WAYS; way++)
		load_latency(c, a + way * L2_SETS);
	ck_assert_int_eq(load_latency(c, a), 30 * EH_NS);
}

START_TEST(hits_and_capacity)
{
	run_alone(1, 1, 1, 1, check_capacity, 4096);
}
END_TEST

/* Lines of the other socket: what is modified waits in the own socket's L3, what is clean does not. */
static void check_kept(struct job *j)
{
	struct eh_cpu *c = j->c;
	eh_line_id a = j->line;

	rmw_latency(c, a);
	for (unsigned int way = 1; way <= EH_L2_WAYS; way++)
		load_latency(c, a + way * L2_SETS);
	ck_assert_int_eq(load_latency(c, a), 30 * EH_NS);
	rmw_latency(c, a);
	for (unsigned int way = 1; way <= EH_L2_WAYS; way++)
		ck_assert_int_eq(load_latency(c, a + way * L2_SETS), 180 * EH_NS);
	ck_assert_int_eq(rmw_latency(c, a), 30 * EH_NS);
}

START_TEST(modified_lines_stay_in_the_socket)
{
	struct world w;

	w.mc = host_machine(2, 1, 1, 1);
	w.mc.cache.remote_copies = EH_COPIES_AT_HOME;
	build(&w);
	run(&w, 0, check_kept, eh_lines_new(w.m, 4096, 1));
	teardown(&w);
}
END_TEST

/* The same as an array of tags, most recently used first. */
struct list {
	uint16_t way[EH_L2_WAYS];
};

static int find(const struct list *l, uint16_t tag, uint16_t mask)
{
	for (int i = 0; i < EH_L2_WAYS; i++)
		if (((l->way[i] ^ tag) & mask) == 0)
			return i;
	return -1;
}

/* What is at `from` (or falls off the end) makes room at the front. */
static void bring(struct list *l, int from, uint16_t tag)
{
	for (int i = from; i > 0; i--)
		l->way[i] = l->way[i - 1];
	l->way[0] = tag;
}

static void same_as_list(uint64_t set, const struct list *l)
{
	for (int i = 0; i < EH_L2_WAYS; i++)
		ck_assert_uint_eq((uint16_t)(set >> 16 * i), l->way[i]);
}

/* Tags of 5 numbers and 4 versions, so that all cases come often; 0 is an empty way. */
START_TEST(a_set_is_a_list_in_order_of_use)
{
	gsl_rng *r = eh_stream_new((uint64_t)_i, "sets");
	const uint16_t number = 0xff00;
	struct list l = {{0}};
	uint64_t set = 0;

	for (int i = 0; i < 20000; i++) {
		uint16_t tag = (uint16_t)((eh_stream_below(r, 5) + 1) << 8 | eh_stream_below(r, 4));
		uint64_t hit = eh_set_match(set, tag, 0xffff);
		int way = find(&l, tag, 0xffff), older = find(&l, tag, number);

		ck_assert_int_eq(hit ? __builtin_ctzll(hit) / 16 : -1, way);
		switch (eh_stream_below(r, 3)) {
		case 0:
			set = eh_set_put(set, tag, number);
			bring(&l, older < 0 ? EH_L2_WAYS - 1 : older, tag);
			break;
		case 1: /* without a match the last way */
			set = eh_set_front(set, hit, tag);
			bring(&l, way < 0 ? EH_L2_WAYS - 1 : way, tag);
			break;
		default: /* pushed, and taken back every other time */
			if (i % 2) {
				ck_assert_uint_eq(
					eh_set_pull(eh_set_push(set, tag), (uint16_t)(set >> 48)),
					set);
				break;
			}
			if (older >= 0)
				break;
			set = eh_set_push(set, tag);
			bring(&l, EH_L2_WAYS - 1, tag);
		}
		same_as_list(set, &l);
	}
	gsl_rng_free(r);
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
	run_alone(1, 1, 2, 1, check_stale, 1);
}
END_TEST

static void rmw_once(struct job *j)
{
	j->rmw = eh_rmw(j->c, SYM, j->line);
}

/*
 * Latency is not occupancy: of k at once the first waits for a whole transfer; the requests of the
 * others are under way meanwhile, so each is done half a transfer and one operation after the last.
 */
START_TEST(hand_over)
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
		ck_assert_int_eq(j[i].rmw.done,
				 INSTR + 65 * EH_NS + i * 65 * EH_NS / 2 + (i + 1) * LOCKED);
	}
	teardown(&w);
}
END_TEST

/*
 * The home of modified lines serves one after the other, whichever they are; four lines of another
 * home and a clean one do not wait, nor does who comes when all are served.
 */
START_TEST(transfers_queue_at_the_home)
{
	struct world w = {.mc = host_machine(1, 2, 12, 1)};
	struct job j[10] = {{0}};
	eh_line_id near, far;

	w.mc.latency.home_service = 10 * EH_NS;
	build(&w);
	near = eh_lines_new(w.m, 6, 0);
	far = eh_lines_new(w.m, 4, 1);
	for (int i = 0; i < 10; i++) {
		j[i].line = i < 6 ? near + (eh_line_id)i : far + (eh_line_id)i - 6;
		if (i != 4)
			eh_line_written_by(w.m, j[i].line, 11);
		else
			eh_line_shared(w.m, j[i].line);
		add(&w, &j[i], i, rmw_once);
	}
	eh_sim_run(w.sim, EH_US / 2);
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(j[i].rmw.start, INSTR + 10 * i * EH_NS);
		ck_assert_int_eq(j[i].rmw.latency, 65 * EH_NS);
		ck_assert_int_eq(j[i + 6].rmw.start, INSTR + 10 * i * EH_NS);
		ck_assert_int_eq(j[i + 6].rmw.latency, 95 * EH_NS);
	}
	ck_assert_int_eq(j[4].rmw.start, INSTR);
	ck_assert_int_eq(j[5].rmw.start, INSTR + 40 * EH_NS);
	eh_line_written_by(w.m, near, 11);
	j[0].at = EH_US;
	add(&w, &j[0], 0, rmw_once);
	eh_sim_run(w.sim, 2 * EH_US);
	ck_assert_int_eq(j[0].rmw.start, EH_US + INSTR);
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
	/* Its request arrives while the one before waits for the data. */
	ck_assert_int_eq(j[2].rmw.start, 1001 * EH_NS + 65 * EH_NS / 2 + LOCKED);
	ck_assert_int_eq(j[0].rmw.start, 3001 * EH_NS);
	teardown(&w);
}
END_TEST

/* Two neighbours make a sequence: what follows is in the L2, up to the end of the page. */
START_TEST(a_sequence_is_fetched_ahead)
{
	struct world w = {.mc = host_machine(1, 1, 2, 1)};
	struct eh_cpu *c;
	eh_line_id first;

	w.mc.core.prefetch = 4;
	build(&w);
	first = eh_lines_new(w.m, 256, 0);
	first += EH_LINES_PER_PAGE - first % EH_LINES_PER_PAGE;
	for (uint32_t i = 0; i < 192; i++)
		eh_line_shared(w.m, first + i);
	eh_line_written_by(w.m, first + 10, 1);
	c = &w.m->cpus[0];
	eh_cpu_start(c);
	for (eh_line_id i = 0; i < 128; i++) {
		eh_time from = c->retire, took;

		eh_core_empty(&c->core, c, from + EH_US);
		from = c->retire;
		eh_load(c, SYM, first + i, 0);
		took = c->retire - from - INSTR;
		if (i % EH_LINES_PER_PAGE < 2) /* a prefetcher does not know what page comes next */
			ck_assert_int_eq(took, 30 * EH_NS);
		else if (i == 10) /* nor does it take lines away */
			ck_assert_int_eq(took, 65 * EH_NS);
		else
			ck_assert_int_eq(took, L2_HIT);
	}
	eh_load(c, SYM, first + 150, 0);
	ck_assert(!eh_set_match(c->l2[(first + 151) & w.m->l2_mask], w.m->lines[first + 151].tag,
				0xffff));
	teardown(&w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("machine");
	TCase *t = tcase_create("machine");

	tcase_add_test(t, cpus_are_numbered_as_linux_does);
	tcase_add_test(t, configurations_that_cannot_be);
	tcase_add_test(t, pages_go_round_the_dies);
	tcase_add_loop_test(t, latencies_by_distance, EH_SOCKET_AGENT, EH_HOME_AGENT + 1);
	tcase_add_test(t, writing_takes_copies_away);
	tcase_add_test(t, reading_a_modified_line_leaves_two_readers);
	tcase_add_test(t, hits_and_capacity);
	tcase_add_test(t, modified_lines_stay_in_the_socket);
	tcase_add_loop_test(t, a_set_is_a_list_in_order_of_use, 1, 4);
	tcase_add_test(t, a_write_makes_copies_stale);
	tcase_add_test(t, hand_over);
	tcase_add_test(t, transfers_queue_at_the_home);
	tcase_add_test(t, order_is_by_time);
	tcase_add_test(t, a_sequence_is_fetched_ahead);
	suite_add_tcase(s, t);
	return run_suite(s);
}
