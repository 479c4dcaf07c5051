/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of 2004: what lies in which line, how many locked operations a packet takes, which
 * references there are, and what is freed when.
 */
#include "suite.h"
#include "table2004.h"

static int locked; /* operations since the test set it to 0 */

struct eh_rmw __real_eh_rmw(struct eh_cpu *c, int sym, eh_line_id id);
struct eh_rmw __wrap_eh_rmw(struct eh_cpu *c, int sym, eh_line_id id);

struct eh_rmw __wrap_eh_rmw(struct eh_cpu *c, int sym, eh_line_id id)
{
	locked++;
	return __real_eh_rmw(c, sym, id);
}

static void look(struct job *j)
{
	struct eh_four2004 of = four(j->i);

	j->sk = eh_ehash2004_lookup(j->c, j->w->t, &of);
}

/* tcp_v4_rcv: lookup, bh_lock_sock, sock_put */
static void packet(struct job *j)
{
	look(j);
	eh_sock2004_lock(j->c, j->sk, EH_SYM(tcp_v4_rcv));
	eh_sock2004_unlock(j->c, j->sk, EH_SYM(tcp_v4_rcv));
	eh_sock2004_put(j->c, j->sk, EH_SYM(tcp_v4_rcv));
}

static void one_packet(int lookup, int operations)
{
	struct eh_ehash2004_config cfg = table_config(lookup);
	struct job j = {.i = 7};
	struct eh_four2004 of = four(7);
	struct world w;

	setup_table(&w, &cfg, 2);
	eh_sock2004_preset(w.t, &of, 1);
	locked = 0;
	run_job(&w, &j, 0, packet);
	ck_assert_ptr_nonnull(j.sk);
	ck_assert_int_eq(locked, operations);
	ck_assert_uint_eq(j.sk->refcnt.value, 2);
	ck_assert_uint_eq(w.t->count.found, 1);
	teardown_table(&w);
}

START_TEST(a_packet_takes_five_locked_operations_under_the_reader_lock)
{
	one_packet(EH_LOOKUP_RWLOCK, 5);
}
END_TEST

START_TEST(and_four_under_a_spinlock)
{
	one_packet(EH_LOOKUP_SPIN, 4);
}
END_TEST

START_TEST(and_three_without_a_lock)
{
	one_packet(EH_LOOKUP_RCU, 3);
	one_packet(EH_LOOKUP_NULLS, 3);
}
END_TEST

START_TEST(a_lookup_takes_a_reference_and_finds_nothing_else)
{
	struct eh_ehash2004_config cfg = table_config(_i);
	struct eh_four2004 of = four(7);
	struct job j = {.i = 7}, other = {.i = 7 + 16 * 257};
	struct world w;

	setup_table(&w, &cfg, 2);
	eh_sock2004_preset(w.t, &of, 1);
	run_job(&w, &j, 0, look);
	ck_assert_uint_eq(j.sk->refcnt.value, 3);
	run_job(&w, &other, 0, look);
	ck_assert_ptr_null(other.sk);
	teardown_table(&w);
}
END_TEST

static void lines_of(int64_t line_size, eh_line_id per_line)
{
	struct eh_ehash2004_config cfg = table_config(EH_LOOKUP_RWLOCK);
	struct world w;

	cfg.line_size = line_size;
	setup_table(&w, &cfg, 1);
	for (uint32_t i = 0; i < BUCKETS; i++) {
		eh_line_id line = w.t->head[0][0].line + i / per_line;

		ck_assert_uint_eq(w.t->lock[i].line, line);
		ck_assert_uint_eq(w.t->head[0][i].line, line);
		ck_assert_uint_ne(w.t->head[1][i].line, line);
	}
	teardown_table(&w);
}

START_TEST(four_buckets_share_a_line_of_32_bytes)
{
	lines_of(32, 4);
	lines_of(64, 8);
}
END_TEST

static void come_and_go(struct job *j)
{
	struct eh_four2004 of = four(j->i);

	j->sk = eh_sock2004_new(j->c, j->w->t, &of, EH_SOCK2004);
	eh_ehash2004_insert(j->c, j->sk);
	ck_assert_uint_eq(j->sk->refcnt.value, 2);
	eh_ehash2004_unhash(j->c, j->sk);
	ck_assert_uint_eq(j->sk->refcnt.value, 1);
	look(j);
	ck_assert_ptr_null(j->sk);
}

START_TEST(what_is_inserted_and_unhashed_leaves_no_trace)
{
	struct eh_ehash2004_config cfg = table_config(_i);
	struct job j = {.i = 9};
	struct world w;

	setup_table(&w, &cfg, 1);
	run_job(&w, &j, 0, come_and_go);
	ck_assert_uint_eq(w.t->count.lookups, 1);
	ck_assert_uint_eq(w.t->count.found, 0);
	teardown_table(&w);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("ehash2004");
	TCase *tc = tcase_create("ehash2004");

	tcase_add_test(tc, a_packet_takes_five_locked_operations_under_the_reader_lock);
	tcase_add_test(tc, and_four_under_a_spinlock);
	tcase_add_test(tc, and_three_without_a_lock);
	tcase_add_loop_test(tc, a_lookup_takes_a_reference_and_finds_nothing_else, 0, 4);
	tcase_add_test(tc, four_buckets_share_a_line_of_32_bytes);
	tcase_add_loop_test(tc, what_is_inserted_and_unhashed_leaves_no_trace, 0, 4);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	return run_suite(suite());
}
