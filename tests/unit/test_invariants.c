/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What must hold of two hosts (check.h), broken on purpose, one after the other: is each noticed? That it
 * holds in runs every run says itself.
 */
#include <ehsim/check.h>
#include <ehsim/qspinlock.h>

#include "ports.h"
#include "suite.h"

static void broken(struct world *w)
{
	configure(w, EH_S1, 100);
	build(w);
	take(w, LOW + 2);
}

START_TEST(the_same_tuple_twice)
{
	struct world w;
	struct eh_sock *sk;

	broken(&w);
	sk = new_sock(&w);
	sk->lport = LOW + 2;
	sk->obj = eh_kmem_preset(w.h->sk_cache, 0);
	eh_ehash_add(w.t, sk);
}
END_TEST

/* A TIME_WAIT socket takes over from its socket: that is none. */
START_TEST(handed_over)
{
	struct world w;
	struct eh_sock *sk;

	broken(&w);
	sk = new_sock(&w);
	sk->lport = LOW + 2;
	sk->state = EH_TCP_TIME_WAIT;
	sk->obj = eh_kmem_preset(w.h->sk_cache, 0);
	w.at[LOW + 2]->state = EH_TCP_ESTABLISHED;
	eh_ehash_add(w.t, sk);
	ck_assert_ptr_null(eh_tuple_problem(sk));
	eh_ehash_del(w.t, sk);
	teardown(&w);
}
END_TEST

START_TEST(a_lookup_that_misses)
{
	struct world w;
	struct eh_sock other;
	char *why;

	broken(&w);
	why = eh_lookup_problem(w.h, w.at[LOW + 2], EH_NS);
	ck_assert_ptr_nonnull(why);
	g_free(why);
	ck_assert_ptr_null(eh_lookup_problem(w.h, w.at[LOW + 2], 0)); /* came in meanwhile */
	other = *w.at[LOW + 2];
	other.rport++;
	ck_assert_ptr_null(eh_lookup_problem(w.h, &other, EH_NS));
	teardown(&w);
}
END_TEST

static void unlock_of_another(void *arg)
{
	struct world *w = arg;
	struct eh_cpu *c = &w->h->m->cpus[0];

	eh_spin_lock(c, &w->t->bhash[LOW], &w->h->bhash_lock, EH_SYM(_raw_spin_lock));
	w->t->bhash[LOW].owner = 1; /* two owners */
	eh_spin_unlock(c, &w->t->bhash[LOW], EH_SYM(_raw_spin_lock), 1);
}

START_TEST(a_lock_with_two_owners)
{
	struct world w;

	broken(&w);
	run_bare(&w.h->m->cpus[0], unlock_of_another, &w, 0);
	eh_sim_run(w.sim, EH_MS);
}
END_TEST

/* Of each cache one object that nobody has; a socket that has left its chain; one in the wrong chain. */
START_TEST(what_is_lost)
{
	struct world w;
	struct eh_kmem_cache *caches[4];
	char *why;

	configure(&w, EH_S1, 100);
	build(&w);
	ck_assert_ptr_null(eh_host_problem(w.h));
	caches[0] = w.h->sk_cache;
	caches[1] = w.h->req_cache;
	caches[2] = w.h->tb_cache;
	caches[3] = w.h->tb2_cache;
	eh_kmem_preset(caches[_i], 0);
	why = eh_host_problem(w.h);
	ck_assert_ptr_nonnull(why);
	g_free(why);
	w.h->in_hand = 1; /* unless a CPU is about to put it somewhere */
	ck_assert_ptr_null(eh_host_problem(w.h));
	teardown(&w);
}
END_TEST

START_TEST(a_chain_that_is_wrong)
{
	struct world w;
	char *why;

	broken(&w);
	w.at[LOW + 2]->rport++;
	why = eh_host_problem(w.h);
	ck_assert_ptr_nonnull(strstr(why, "chain"));
	g_free(why);
	w.at[LOW + 2]->rport--;
	teardown(&w);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("invariants");
	TCase *t = tcase_create("invariants");

	tcase_add_test_raise_signal(t, the_same_tuple_twice, SIGABRT);
	tcase_add_test(t, handed_over);
	tcase_add_test(t, a_lookup_that_misses);
	tcase_add_test_raise_signal(t, a_lock_with_two_owners, SIGABRT);
	tcase_add_loop_test(t, what_is_lost, 0, 4);
	tcase_add_test(t, a_chain_that_is_wrong);
	suite_add_tcase(suite, t);
	return run_suite(suite);
}
