/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of 2004: what lies in which line, how many locked operations a packet takes, which
 * references there are, and what is freed when.
 */
#include <string.h>

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
	ck_assert_uint_eq(j.sk->refcnt.value, 1);
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
	ck_assert_uint_eq(j.sk->refcnt.value, 2);
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

/* --- the dance, and a lookup that begins at every instant of it --- */

#define STEPS 400
#define STEP (4 * EH_NS)

static void dance(struct job *j)
{
	struct eh_four2004 of = four(j->i);

	j->sk = eh_ehash2004_entry(j->w->t, 2); /* the only one */
	ck_assert(!memcmp(&j->sk->four, &of, sizeof(of)));
	eh_sock2004_lock(j->c, j->sk, EH_SYM(tcp_v4_rcv));
	eh_ehash2004_time_wait(j->c, j->sk);
	eh_sock2004_unlock(j->c, j->sk, EH_SYM(tcp_v4_rcv));
}

struct outcome {
	int nobody, old, waiting, waits;
};

static struct outcome dance_and_look(int lookup, int order)
{
	struct eh_ehash2004_config cfg = table_config(lookup);
	struct eh_four2004 of = four(7);
	struct outcome o = {0, 0, 0, 0};

	cfg.dance = order;
	for (int i = 0; i < STEPS; i++) {
		struct job dancing = {.i = 7}, looking = {.i = 7};
		struct world w;

		setup_table(&w, &cfg, 2);
		eh_sock2004_preset(w.t, &of, 0);
		add_job(&w, &dancing, 0, dance, EH_US);
		add_job(&w, &looking, 1, look, EH_US + i * STEP);
		eh_sim_run(w.sim, EH_MS);
		o.nobody += !looking.sk;
		o.old += looking.sk && looking.sk->kind == EH_SOCK2004;
		o.waiting += looking.sk && looking.sk->kind == EH_TW2004;
		o.waits += (int)w.t->count.tomb_waits;
		ck_assert_uint_eq(w.t->count.dances, 1);
		teardown_table(&w);
	}
	ck_assert_int_gt(o.old, 0);
	ck_assert_int_gt(o.waiting, 0);
	return o;
}

START_TEST(removed_then_added_it_is_nowhere_for_a_while)
{
	ck_assert_int_gt(dance_and_look(EH_LOOKUP_RCU, EH_DANCE_REMOVE_ADD).nobody, 0);
	ck_assert_int_gt(dance_and_look(EH_LOOKUP_NULLS, EH_DANCE_REMOVE_ADD).nobody, 0);
}
END_TEST

START_TEST(but_not_for_who_takes_the_lock)
{
	ck_assert_int_eq(dance_and_look(EH_LOOKUP_RWLOCK, EH_DANCE_REMOVE_ADD).nobody, 0);
	ck_assert_int_eq(dance_and_look(EH_LOOKUP_SPIN, EH_DANCE_REMOVE_ADD).nobody, 0);
}
END_TEST

START_TEST(added_then_removed_it_is_always_there)
{
	ck_assert_int_eq(dance_and_look(EH_LOOKUP_RCU, EH_DANCE_ADD_REMOVE).nobody, 0);
	ck_assert_int_eq(dance_and_look(EH_LOOKUP_NULLS, EH_DANCE_ADD_REMOVE).nobody, 0);
}
END_TEST

START_TEST(at_a_tombstone_lookups_wait)
{
	struct outcome o = dance_and_look(EH_LOOKUP_RCU, EH_DANCE_TOMBSTONE);

	ck_assert_int_eq(o.nobody, 0);
	ck_assert_int_gt(o.waits, 0);
	ck_assert_int_eq(dance_and_look(EH_LOOKUP_NULLS, EH_DANCE_TOMBSTONE).nobody, 0);
}
END_TEST

/* --- the last reference, and a lookup that takes one at every instant --- */

static void last_put(struct job *j)
{
	j->sk = eh_ehash2004_entry(j->w->t, 2);
	eh_ehash2004_unhash(j->c, j->sk);
	eh_sock2004_put(j->c, j->sk, EH_SYM(tcp_v4_rcv));
}

static void look_and_put(struct job *j)
{
	look(j);
	if (j->sk)
		eh_sock2004_put(j->c, j->sk, EH_SYM(tcp_v4_rcv));
}

static struct eh_ehash2004_counts put_and_hold(int lookup, int put)
{
	struct eh_ehash2004_config cfg = table_config(lookup);
	struct eh_ehash2004_counts sum = {.lookups = 0};
	struct eh_four2004 of = four(7);

	cfg.put = put;
	for (int i = 0; i < STEPS; i++) {
		struct job last = {.i = 7}, looking = {.i = 7};
		struct world w;

		setup_table(&w, &cfg, 2);
		eh_sock2004_preset(w.t, &of, 0);
		add_job(&w, &last, 0, last_put, EH_US);
		add_job(&w, &looking, 1, look_and_put, EH_US + i * STEP);
		eh_sim_run(w.sim, EH_MS);
		sum.frees += w.t->count.frees;
		sum.deferred += w.t->count.deferred;
		sum.use_after_free += w.t->count.use_after_free;
		sum.double_free += w.t->count.double_free;
		sum.resurrected += w.t->count.resurrected;
		teardown_table(&w);
	}
	return sum;
}

START_TEST(a_lookup_without_a_lock_must_not_free_at_once)
{
	struct eh_ehash2004_counts n = put_and_hold(EH_LOOKUP_RCU, EH_PUT_DIRECT);

	ck_assert_uint_gt(n.use_after_free, 0);
	ck_assert_uint_gt(n.double_free, 0);
	n = put_and_hold(EH_LOOKUP_RWLOCK, EH_PUT_DIRECT);
	ck_assert_uint_eq(n.use_after_free + n.double_free, 0);
	ck_assert_uint_eq(n.frees, STEPS);
	n = put_and_hold(EH_LOOKUP_NULLS, EH_PUT_DIRECT);
	ck_assert_uint_eq(n.double_free, 0);
	ck_assert_uint_eq(n.frees, STEPS);
}
END_TEST

START_TEST(behind_a_grace_period_nothing_is_lost)
{
	for (int put = EH_PUT_JUMP; put <= EH_PUT_LOOP; put++) {
		struct eh_ehash2004_counts n = put_and_hold(EH_LOOKUP_RCU, put);

		ck_assert_uint_eq(n.use_after_free + n.double_free, 0);
		ck_assert_uint_gt(n.resurrected, 0);
		ck_assert_uint_eq(n.frees, 0); /* no CPU has been quiescent yet */
		ck_assert_uint_eq(n.deferred, STEPS);
	}
}
END_TEST

/* --- who lists the table --- */

static void count(const struct eh_sock2004 *sk, void *arg)
{
	(void)sk;
	++*(int *)arg;
}

static void list(struct job *j)
{
	struct eh_four2004 of = four(7);
	uint32_t bucket = eh_ehash2004_bucket(j->w->t, &of);

	eh_ehash2004_visit(j->c, j->w->t, bucket, j->i, 10, count, &j->seen);
}

static void dance_and_list(int order, bool lock, int *twice, int *nobody)
{
	struct eh_ehash2004_config cfg = table_config(EH_LOOKUP_RCU);
	struct eh_four2004 of = four(7);

	cfg.dance = order;
	*twice = *nobody = 0;
	for (int i = 0; i < STEPS; i++) {
		struct job dancing = {.i = 7}, listing = {.i = lock};
		struct world w;

		setup_table(&w, &cfg, 2);
		eh_sock2004_preset(w.t, &of, 0);
		add_job(&w, &dancing, 0, dance, EH_US);
		add_job(&w, &listing, 1, list, EH_US + i * STEP);
		eh_sim_run(w.sim, EH_MS);
		*twice += listing.seen == 2;
		*nobody += listing.seen == 0;
		teardown_table(&w);
	}
}

START_TEST(without_the_lock_a_walk_sees_a_dancer_twice_in_any_order)
{
	int twice, nobody;

	dance_and_list(EH_DANCE_ADD_REMOVE, false, &twice, &nobody);
	ck_assert_int_gt(twice, 0);
	ck_assert_int_eq(nobody, 0);
	dance_and_list(EH_DANCE_REMOVE_ADD, false, &twice, &nobody);
	ck_assert_int_gt(twice, 0);
	ck_assert_int_gt(nobody, 0);
}
END_TEST

START_TEST(with_the_lock_once)
{
	int twice, nobody;

	for (int order = EH_DANCE_REMOVE_ADD; order <= EH_DANCE_TOMBSTONE; order++) {
		dance_and_list(order, true, &twice, &nobody);
		ck_assert_int_eq(twice + nobody, 0);
	}
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
	tcase_add_test(tc, removed_then_added_it_is_nowhere_for_a_while);
	tcase_add_test(tc, but_not_for_who_takes_the_lock);
	tcase_add_test(tc, added_then_removed_it_is_always_there);
	tcase_add_test(tc, at_a_tombstone_lookups_wait);
	tcase_add_test(tc, a_lookup_without_a_lock_must_not_free_at_once);
	tcase_add_test(tc, behind_a_grace_period_nothing_is_lost);
	tcase_add_test(tc, without_the_lock_a_walk_sees_a_dancer_twice_in_any_order);
	tcase_add_test(tc, with_the_lock_once);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	return run_suite(suite());
}
