/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/machine, lines that many want at once (line.c) and the words in them (word.c): how fast a line
 * is handed on, who gets it next, when a spinner sees a store.
 */
#include <ehsim/c2c.h>
#include <ehsim/word.h>
#include <stdlib.h>

#include "machine.h"
#include "suite.h"

#define TRANSFER (65 * EH_NS)
#define FAR (270 * EH_NS)
#define MOST 64

struct crowd {
	struct world w;
	struct eh_word word, other;
	struct crew {
		struct crowd *crowd;
		struct eh_cpu *c;
		struct eh_event start;
		int id;
		uint64_t n;
		eh_time seen, began, longest;
	} crew[MOST];
	int last_die, moves; /* between sockets */
};

static void begin(struct crew *me)
{
	me->c->ev.fiber = eh_fiber_current(eh_sim_fibers(me->c->sim));
	eh_cpu_wait_until(me->c, -1, eh_sim_now(me->c->sim));
}

static void join(struct crowd *w, int id, int cpu, eh_time at, eh_fiber_fn fn)
{
	struct crew *me = &w->crew[id];

	me->crowd = w;
	me->id = id;
	me->c = &w->w.m->cpus[cpu];
	eh_cpu_start(me->c);
	me->start.fiber = eh_sim_fiber(w->w.sim, fn, me);
	eh_sim_at(w->w.sim, &me->start, at);
}

static void gather(struct crowd *w, int sockets, int cores, int threads)
{
	*w = (struct crowd){.last_die = -1};
	setup(&w->w, sockets, 1, cores, threads);
	eh_word_init(&w->word, eh_lines_new(w->w.m, 1, 0), 0);
	eh_word_init(&w->other, w->word.line, 0);
}

static void add_for_ever(void *arg)
{
	struct crew *me = arg;

	begin(me);
	for (;;) {
		eh_time from = me->c->retire;

		eh_word_add(me->c, SYM, &me->crowd->word, 1);
		me->longest = MAX(me->longest, me->c->retire - from);
		me->crowd->moves += me->c->die != me->crowd->last_die;
		me->crowd->last_die = me->c->die;
		me->n++;
	}
}

/* Half a transfer and the operation, whatever the number of CPUs; no update is lost. */
START_TEST(one_socket_hands_on_at_half_a_transfer)
{
	static const int cpus[] = {2, 3, 8, 20};

	for (int k = 0; k < 4; k++) {
		struct crowd w;
		uint64_t sum = 0;

		gather(&w, 1, 20, 1);
		for (int i = 0; i < cpus[k]; i++)
			join(&w, i, i, i + 1, add_for_ever);
		eh_sim_run(w.w.sim, EH_MS);
		for (int i = 0; i < cpus[k]; i++) {
			sum += w.crew[i].n;
			ck_assert_uint_ge(w.crew[i].n, w.crew[0].n - 2); /* and in turn */
		}
		ck_assert_uint_ge(w.word.value, sum);
		ck_assert_uint_le(w.word.value, sum + (uint64_t)cpus[k]);
		ck_assert_int_le(llabs(EH_MS / (int64_t)sum - (TRANSFER / 2 + LOCKED)), EH_NS);
		teardown(&w.w);
	}
}
END_TEST

/*
 * The line goes round a socket before it leaves, and begins the next round where it is: of two
 * sockets each has two turns, then the other. Nobody waits for more than two rounds.
 */
START_TEST(near_ones_first_nobody_starves)
{
	struct crowd w;
	uint64_t sum = 0;
	eh_time round = 2 * (8 * (TRANSFER / 2 + LOCKED) + FAR / 2 + LOCKED);

	gather(&w, 2, 8, 1);
	for (int i = 0; i < 16; i++)
		join(&w, i, i, i + 1, add_for_ever);
	eh_sim_run(w.w.sim, EH_MS);
	for (int i = 0; i < 16; i++) {
		sum += w.crew[i].n;
		ck_assert_int_le(w.crew[i].longest, 2 * round);
	}
	ck_assert_int_le(w.moves, (int)sum / 14);
	ck_assert_int_ge(w.moves, (int)sum / 16);
	teardown(&w.w);
}
END_TEST

/*
 * A sibling's turn comes at once, at the price of the way inside the core; but for a pair that the
 * end of a round has parted.
 */
START_TEST(siblings_first)
{
	struct crowd w;
	uint64_t sum = 0;

	gather(&w, 1, 4, 2);
	for (int i = 0; i < 8; i++)
		join(&w, i, i, i + 1, add_for_ever);
	eh_sim_run(w.w.sim, EH_MS);
	for (int i = 0; i < 8; i++)
		sum += w.crew[i].n;
	ck_assert_int_le(llabs(2 * EH_MS / (int64_t)sum - (TRANSFER / 2 + 8 * EH_NS + 2 * LOCKED)),
			 TRANSFER / 8);
	teardown(&w.w);
}
END_TEST

static void spin_once(void *arg)
{
	struct crew *me = arg;
	struct eh_word *word = &me->crowd->word;
	uint64_t v;

	begin(me);
	v = eh_word_load(me->c, SYM, word);
	while (!v)
		v = eh_word_wait(me->c, SYM, word, v);
	me->n = v;
	me->seen = me->c->retire;
	eh_cpu_sync(me->c, me->c->retire);
}

static void store_once(void *arg)
{
	struct crew *me = arg;

	begin(me);
	me->began = me->c->retire;
	eh_word_store(me->c, SYM, &me->crowd->word, 7);
	me->seen = me->c->retire;
}

/*
 * The store waits until the copies are gone, then each spinner's read makes the whole way; those
 * that arrive together are served one reread after the other.
 */
START_TEST(spinners_see_a_store_one_after_the_other)
{
	for (int n = 1; n <= 7; n++) {
		struct crowd w;
		eh_time store, turn;
		unsigned int seen = 0;

		gather(&w, 1, 8, 1);
		w.w.m->reread = 6 * EH_NS;
		for (int i = 0; i < n; i++)
			join(&w, i, i, i + 1, spin_once);
		join(&w, n, 7, 3 * EH_US, store_once);
		eh_sim_run(w.w.sim, EH_MS);
		store = w.crew[n].seen;
		ck_assert_int_eq(store, 3 * EH_US + INSTR + INSTR); /* the CPU went on */
		for (int i = 0; i < n; i++) {
			turn = w.crew[i].seen - store - 2 * TRANSFER;
			ck_assert_uint_eq(w.crew[i].n, 7);
			ck_assert_int_eq(turn % (6 * EH_NS), 0);
			seen |= 1u << turn / (6 * EH_NS);
		}
		ck_assert_uint_eq(seen, (1u << n) - 1); /* in whatever order */
		teardown(&w.w);
	}
}
END_TEST

/* As many fetches as cores, and both threads of a core go on at the same time. */
START_TEST(threads_of_a_core_fetch_one_copy)
{
	struct crowd w;
	unsigned int seen = 0;
	eh_time turn;

	gather(&w, 1, 8, 2);
	w.w.m->reread = 6 * EH_NS;
	for (int i = 0; i < 14; i++)
		join(&w, i, i % 7 + i / 7 * 8, i + 1, spin_once);
	join(&w, 14, 7, 3 * EH_US, store_once);
	eh_sim_run(w.w.sim, EH_MS);
	for (int i = 0; i < 7; i++) {
		turn = w.crew[i].seen - w.crew[14].seen - 2 * TRANSFER;
		ck_assert_int_eq(turn % (6 * EH_NS), 0);
		seen |= 1u << turn / (6 * EH_NS);
		ck_assert_uint_eq(w.crew[i + 7].n, 7);
		ck_assert_int_eq(w.crew[i + 7].seen, w.crew[i].seen);
	}
	ck_assert_uint_eq(seen, 0x7f);
	teardown(&w.w);
}
END_TEST

/* A whole transfer lies between two hand-overs; the owner's own operations go on meanwhile. */
START_TEST(a_home_that_blocks_waits_for_the_report)
{
	for (int n = 2; n <= 16; n *= 2) {
		struct crowd w;
		uint64_t sum = 0;

		gather(&w, 1, 16, 1);
		w.w.m->home_blocks = true;
		for (int i = 0; i < n; i++)
			join(&w, i, i, i + 1, add_for_ever);
		eh_sim_run(w.w.sim, EH_MS);
		for (int i = 0; i < n; i++)
			sum += w.w.m->cpus[i].transfers;
		ck_assert_int_gt(TRANSFER / 2, LOCKED);
		ck_assert_int_le(llabs(EH_MS / (int64_t)sum - TRANSFER), EH_NS);
		ck_assert_uint_gt(w.word.value, sum);
		teardown(&w.w);
	}
}
END_TEST

static void disturb(void *arg)
{
	struct crew *me = arg;

	begin(me);
	for (int i = 0; i < 50; i++) {
		eh_word_add(me->c, SYM, &me->crowd->other, 1);
		eh_cpu_wait_until(me->c, -1, me->c->retire + EH_US);
	}
	eh_word_store(me->c, SYM, &me->crowd->word, 7);
}

/* A neighbour on the line makes spinners read again, but not go on. */
START_TEST(words_of_a_line_share_its_fate)
{
	struct crowd w;

	gather(&w, 1, 4, 1);
	join(&w, 0, 0, 1, spin_once);
	join(&w, 1, 1, 3 * EH_US, disturb);
	eh_sim_run(w.w.sim, EH_MS);
	ck_assert_uint_eq(w.crew[0].n, 7);
	ck_assert_int_gt(w.crew[0].seen, 53 * EH_US);
	ck_assert_uint_ge(w.w.m->cpus[0].transfers, 50);
	teardown(&w.w);
}
END_TEST

static void add_to_other(void *arg)
{
	struct crew *me = arg;

	begin(me);
	for (int i = 0; i < 300; i++)
		eh_word_add(me->c, SYM, &me->crowd->other, 1);
}

static void count_up(void *arg)
{
	struct crew *me = arg;
	struct eh_word *word = &me->crowd->word;

	begin(me);
	for (int i = 0; i < 100; i++) {
		me->n += eh_word_stored(me->c, word) != word->value;
		eh_word_store(me->c, SYM, word, eh_word_stored(me->c, word) + 1);
	}
}

/* Whoever counts alone in a word goes on from its last store, also before that is granted. */
START_TEST(a_writer_knows_what_it_has_stored)
{
	struct crowd w;

	gather(&w, 1, 4, 1);
	join(&w, 0, 0, 1, count_up);
	for (int i = 1; i < 4; i++)
		join(&w, i, i, 1, add_to_other);
	eh_sim_run(w.w.sim, EH_MS);
	ck_assert_uint_gt(w.crew[0].n, 0);
	ck_assert_uint_eq(w.word.value, 100);
	teardown(&w.w);
}
END_TEST

static void lock_and_store(void *arg)
{
	struct crew *me = arg;
	struct crowd *w = me->crowd;

	begin(me);
	for (;;) {
		while (eh_word_xchg(me->c, SYM, &w->word, 1))
			;
		ck_assert_uint_eq(w->other.value, 0);
		w->other.value = 1; /* a plain C flag here */
		eh_work(me->c, SYM, 100);
		eh_cpu_sync(me->c, me->c->retire);
		w->other.value = 0;
		eh_word_store(me->c, SYM, &w->word, 0);
		me->longest = MAX(me->longest, me->c->retire - eh_sim_now(me->c->sim));
		eh_work(me->c, SYM, 50 + 37 * me->id + (int64_t)(me->n * 13 % 101));
		me->n++;
	}
}

/* The store that releases a test-and-set lock stands in the queue with the attempts of the others. */
START_TEST(a_store_waits_its_turn)
{
	struct crowd w;
	uint64_t sum[2] = {0};

	for (int k = 0; k < 2; k++) {
		int n = k ? 16 : 2;

		gather(&w, 1, 16, 1);
		for (int i = 0; i < n; i++)
			join(&w, i, i, i + 1, lock_and_store);
		eh_sim_run(w.w.sim, EH_MS);
		for (int i = 0; i < n; i++) {
			sum[k] += w.crew[i].n;
			ck_assert_int_eq(w.crew[i].longest, 0);
		}
		teardown(&w.w);
	}
	ck_assert_uint_lt(2 * sum[1], sum[0]);
}
END_TEST

/* Every hand-over is counted once, where it came from, under the name of its line. */
START_TEST(hand_overs_have_names)
{
	for (int remote = 0; remote < 2; remote++) {
		const struct eh_c2c_row *row;
		struct crowd w;
		GArray *rows;
		eh_line_id first;

		gather(&w, 2, 4, 1);
		first = eh_lines_new(w.w.m, 12, 0);
		eh_line_name(w.w.m, first, 12, 3, "thing");
		eh_word_init(&w.word, first + 7, 0); /* field 1 of the third */
		eh_c2c_start(w.w.m);
		join(&w, 0, 0, 1, add_for_ever);
		join(&w, 1, remote ? 4 : 1, 2, add_for_ever);
		eh_sim_run(w.w.sim, EH_MS);
		rows = eh_c2c_rows(w.w.m);
		ck_assert_uint_eq(rows->len, 1);
		row = &g_array_index(rows, struct eh_c2c_row, 0);
		ck_assert_str_eq(row->name, "thing");
		ck_assert_uint_eq(row->field, 1);
		ck_assert_uint_eq(row->lines, 1);
		ck_assert_uint_eq(row->hottest, first + 7);
		ck_assert_uint_eq(row->count.lcl_hitm + row->count.rmt_hitm, 0);
		ck_assert_uint_eq(row->count.lcl_store + row->count.rmt_store,
				  w.w.m->cpus[0].transfers + w.w.m->cpus[remote ? 4 : 1].transfers);
		ck_assert_uint_le(remote ? row->count.lcl_store : row->count.rmt_store, 0);
		ck_assert_uint_ge(row->count.lcl_store + row->count.rmt_store + 2, w.word.value);
		ck_assert_int_gt(row->count.waited, EH_MS); /* by both together */
		g_array_unref(rows);
		teardown(&w.w);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("line");
	TCase *t = tcase_create("line");

	tcase_add_test(t, one_socket_hands_on_at_half_a_transfer);
	tcase_add_test(t, near_ones_first_nobody_starves);
	tcase_add_test(t, siblings_first);
	tcase_add_test(t, spinners_see_a_store_one_after_the_other);
	tcase_add_test(t, threads_of_a_core_fetch_one_copy);
	tcase_add_test(t, a_home_that_blocks_waits_for_the_report);
	tcase_add_test(t, words_of_a_line_share_its_fate);
	tcase_add_test(t, a_writer_knows_what_it_has_stored);
	tcase_add_test(t, a_store_waits_its_turn);
	tcase_add_test(t, hand_overs_have_names);
	suite_add_tcase(s, t);
	return run_suite(s);
}
