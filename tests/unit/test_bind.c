/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/net, bind(): which port it chooses, who forbids it, whom it walks over with and without bhash2,
 * and what connect() makes of ports and addresses that bind() has given.
 */
#include "ports.h"
#include "suite.h"

#define OTHER 77 /* another local address */

struct request {
	uint32_t laddr;
	int port; /* 0: any */
	bool reuse;
	struct eh_sock *sk; /* bound, or NULL */
	eh_time took;
};

static struct request *request;

static void bind_job(struct job *j)
{
	struct eh_sock *sk = new_sock(j->w);
	eh_time from = j->c->retire;
	int err;

	sk->laddr = request->laddr;
	sk->reuse = request->reuse;
	sk->obj = eh_kmem_alloc(j->c, j->w->h->sk_cache);
	err = eh_inet_get_port(j->c, sk, (uint16_t)request->port);
	request->took = j->c->retire - from;
	request->sk = err ? NULL : sk;
	ck_assert_int_eq(j->c->bh_off, 0);
	note(j, err ? err : sk->lport);
}

static int bind_request(struct world *w, struct request *r)
{
	struct job j = {0};

	request = r;
	add(w, &j, 0, bind_job);
	eh_sim_run(w->sim, eh_sim_now(w->sim) + EH_SEC);
	ck_assert_int_eq(j.n, 1);
	return j.port[0];
}

static int bind_once(struct world *w, uint32_t laddr, int port, bool reuse)
{
	struct request r = {.laddr = laddr, .port = port, .reuse = reuse};

	return bind_request(w, &r);
}

static void put_job(struct job *j)
{
	eh_inet_put_port(j->c, request->sk, true);
	note(j, 0);
}

static void unbind(struct world *w, struct request *r)
{
	struct job j = {0};

	request = r;
	add(w, &j, 0, put_job);
	eh_sim_run(w->sim, eh_sim_now(w->sim) + EH_SEC);
}

static struct eh_bind_stats bind_stats(const struct world *w)
{
	struct eh_bind_stats st;

	eh_inet_bind_stats(w->h, &st);
	return st;
}

/* _i: with bhash2, or before it */
static void world(struct world *w, int before, int ports)
{
	configure(w, EH_S0, ports);
	w->kc.bhash2 = before ? EH_OFF : EH_BY_STATE;
}

/* --- a port of its own choice --- */

/* The parity that connect() looks at last comes first, then the other one; none twice. */
START_TEST(chooses_the_other_parity)
{
	bool seen[20] = {false};
	struct world w;

	world(&w, _i, 20);
	g_free(w.kc.reserved_ports);
	w.kc.reserved_ports = g_strdup("40004,40007");
	build(&w);
	for (int n = 0; n < 18; n++) {
		int at = bind_once(&w, HERE, 0, false) - LOW;

		ck_assert_int_ge(at, 0);
		ck_assert_int_lt(at, 20);
		ck_assert(!seen[at] && at != 4 && at != 7);
		ck_assert_int_eq(at & 1, n < 9);
		seen[at] = true;
	}
	ck_assert_int_eq(bind_once(&w, HERE, 0, false), -EADDRINUSE);
	ck_assert_uint_eq(bind_stats(&w).binds, 19);
	ck_assert_uint_eq(bind_stats(&w).failures, 1);
	teardown(&w);
}
END_TEST

/* It begins anywhere. */
START_TEST(begins_at_random)
{
	uint32_t seen = 0;
	struct request r;
	struct world w;

	world(&w, _i, 64);
	build(&w);
	for (int n = 0; n < 60; n++) {
		r = (struct request){.laddr = HERE};
		seen |= 1u << (bind_request(&w, &r) - LOW) / 2;
		unbind(&w, &r);
	}
	ck_assert_int_ge(__builtin_popcount(seen), 20); /* of 32: 60 draws leave out 5 */
	teardown(&w);
}
END_TEST

/* Who allows reuse looks in the lower half first. */
START_TEST(reuse_begins_in_the_lower_half)
{
	struct world w;

	world(&w, _i, 40);
	build(&w);
	for (int n = 0; n < 40; n++)
		ck_assert_int_eq(bind_once(&w, HERE, 0, true) - LOW < 20, n < 20);
	ck_assert_int_eq(bind_once(&w, HERE, 0, true), -EADDRINUSE);
	teardown(&w);
}
END_TEST

/* A connection from this address keeps its port; one from elsewhere does not. */
START_TEST(passes_by_what_is_connected)
{
	struct world w;

	for (int other = 0; other < 2; other++) {
		world(&w, _i, 4);
		build(&w);
		take(&w, LOW + 1);
		take(&w, LOW + 3);
		ck_assert_int_eq((bind_once(&w, other ? OTHER : HERE, 0, false) - LOW) & 1, other);
		teardown(&w);
	}
}
END_TEST

/* --- a given port --- */

START_TEST(who_forbids_it)
{
	static const struct {
		struct {
			uint32_t laddr;
			bool reuse;
		} first, second;
		bool allowed;
	} cases[] = {
		{{HERE, false}, {HERE, false}, false}, {{HERE, false}, {OTHER, false}, true},
		{{HERE, true}, {HERE, true}, true},    {{HERE, true}, {HERE, false}, false},
		{{HERE, false}, {HERE, true}, false},  {{0, false}, {HERE, false}, false},
		{{HERE, false}, {0, false}, false},    {{0, true}, {HERE, true}, true},
	};
	struct world w;

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct request first = {cases[i].first.laddr, LOW + 5, cases[i].first.reuse, NULL, 0};

		world(&w, _i, 20);
		build(&w);
		ck_assert_int_eq(bind_request(&w, &first), LOW + 5);
		ck_assert_int_eq(bind_once(&w, cases[i].second.laddr, LOW + 5, cases[i].second.reuse),
				 cases[i].allowed ? LOW + 5 : -EADDRINUSE);
		unbind(&w, &first);
		teardown(&w);
	}
}
END_TEST

/* Buckets and their objects go with the last socket. */
START_TEST(gives_all_back)
{
	struct request a = {.laddr = HERE, .port = LOW}, b = {.laddr = OTHER, .port = LOW};
	struct world w;

	world(&w, _i, 20);
	build(&w);
	ck_assert_int_eq(bind_request(&w, &a), LOW);
	ck_assert_int_eq(bind_request(&w, &b), LOW);
	ck_assert_uint_eq(eh_kmem_active(w.h->tb_cache), 1);
	ck_assert_uint_eq(eh_kmem_active(w.h->tb2_cache), _i ? 0 : 2);
	unbind(&w, &a);
	ck_assert_uint_eq(eh_kmem_active(w.h->tb_cache), 1);
	ck_assert_uint_eq(eh_kmem_active(w.h->tb2_cache), _i ? 0 : 1);
	ck_assert_int_eq(w.u->ports[LOW].state, EH_PORT_BOUND);
	unbind(&w, &b);
	ck_assert_uint_eq(eh_kmem_active(w.h->tb_cache), 0);
	ck_assert_uint_eq(eh_kmem_active(w.h->tb2_cache), 0);
	ck_assert_int_eq(w.u->ports[LOW].state, EH_PORT_FREE);
	teardown(&w);
}
END_TEST

/* --- the walk --- */

/* Many sockets on the port, each at an address of its own, nowhere in a cache. */
START_TEST(walk_over_other_addresses)
{
	struct request last = {.laddr = HERE, .port = LOW};
	struct world w;

	world(&w, _i, 20);
	build(&w);
	for (uint32_t i = 0; i < 500; i++) {
		struct eh_sock *sk = new_sock(&w);

		sk->laddr = 1000 + i;
		eh_inet_preset_bound(sk, LOW, 1);
		w.h->m->lines[sk->obj->line].state = 0;
	}
	ck_assert_int_eq(bind_request(&w, &last), LOW);
	ck_assert_uint_eq(bind_stats(&w).walked, _i ? 500 : 0);
	if (_i) { /* each known through the one before: memory of the die */
		ck_assert_int_ge(last.took, 500 * 130 * EH_NS);
		ck_assert_int_le(last.took, 500 * 180 * EH_NS + 5 * EH_US);
	} else {
		ck_assert_int_le(last.took, 10 * EH_US);
	}
	ck_assert_uint_eq(w.h->bhash_lock.acquisitions, 1);
	ck_assert_uint_eq(w.h->bhash2_lock.acquisitions, _i ? 0 : 2); /* any address, the own one */
	teardown(&w);
}
END_TEST

/* Any address: bhash2 is of no help. */
START_TEST(walk_for_any_address)
{
	struct world w;

	world(&w, _i, 20);
	build(&w);
	for (uint32_t i = 0; i < 50; i++) {
		struct eh_sock *sk = new_sock(&w);

		sk->laddr = 1000 + i;
		sk->reuse = true;
		sk->state = EH_TCP_ESTABLISHED;
		eh_inet_preset_bound(sk, LOW, 1);
	}
	ck_assert_int_eq(bind_once(&w, 0, LOW, true), LOW);
	ck_assert_uint_eq(bind_stats(&w).walked, 0); /* all allow reuse, and the bucket knows */
	w.t->tb[LOW]->fastreuse = 0;		     /* one that did not has gone */
	ck_assert_int_eq(bind_once(&w, 0, LOW, true), LOW);
	ck_assert_uint_eq(bind_stats(&w).walked, 51);
	teardown(&w);
}
END_TEST

/* --- bind() and connect() --- */

static struct eh_sock *connecting;

static void connect_bound(struct job *j)
{
	int err = eh_inet_hash_connect(j->c, connecting);

	note(j, err ? err : connecting->lport);
}

static int connect_with(struct world *w, struct eh_sock *sk)
{
	struct job j = {0};

	connecting = sk;
	add(w, &j, 0, connect_bound);
	eh_sim_run(w->sim, eh_sim_now(w->sim) + EH_SEC);
	ck_assert_int_eq(j.n, 1);
	return j.port[0];
}

/* From a port of its own: no search, one look. Two sockets may share the port, but not the tuple. */
START_TEST(connects_from_its_port)
{
	struct request a = {.laddr = HERE, .port = LOW + 9, .reuse = true}, b = a;
	struct world w;

	configure(&w, _i, 20);
	build(&w);
	bind_request(&w, &a);
	ck_assert_int_eq(bind_request(&w, &b), LOW + 9);
	ck_assert_int_eq(connect_with(&w, a.sk), LOW + 9);
	ck_assert(a.sk->hashed);
	ck_assert_ptr_eq(w.u->sk[LOW + 9], a.sk);
	ck_assert_int_eq(connect_with(&w, b.sk), -EADDRNOTAVAIL);
	ck_assert(!b.sk->hashed);
	b.sk->rport = TO + 1;
	ck_assert_int_eq(connect_with(&w, b.sk), LOW + 9);
	ck_assert_uint_eq(stats(&w).candidates, 0);
	ck_assert_uint_eq(w.h->connects, 2);
	ck_assert_int_eq(w.h->m->cpus[0].bh_off, 0);
	teardown(&w);
}
END_TEST

/* A search turns the port down whoever it leads to, and takes it once it is given back. */
START_TEST(search_turns_it_down)
{
	struct request r = {.laddr = HERE, .port = LOW + 4};
	struct world w;

	configure(&w, _i, 20);
	build(&w);
	ck_assert_int_eq(bind_request(&w, &r), LOW + 4);
	take_all(&w, LOW + 4);
	ck_assert_int_eq(connect_once(&w), -EADDRNOTAVAIL);
	unbind(&w, &r);
	ck_assert_int_eq(connect_once(&w), LOW + 4);
	teardown(&w);
}
END_TEST

/* Who binds without reuse makes a port its own that connect() had. */
START_TEST(takes_a_connected_port_over)
{
	struct world w;

	for (int reuse = 0; reuse < 2; reuse++) {
		configure(&w, EH_S0, 20);
		build(&w);
		take(&w, LOW + 4);
		ck_assert_int_eq(bind_once(&w, OTHER, LOW + 4, reuse), LOW + 4);
		ck_assert_int_eq(w.u->ports[LOW + 4].state, reuse ? EH_PORT_TAKEN : EH_PORT_BOUND);
		teardown(&w);
	}
}
END_TEST

#define both(tcase, test) tcase_add_loop_test(tcase, test, 0, 2)
#define in_all(tcase, test) tcase_add_loop_test(tcase, test, EH_S0, EH_S3 + 1)

int main(void)
{
	Suite *s = suite_create("bind");
	TCase *choice = tcase_create("choice"), *given = tcase_create("given"),
	      *walks = tcase_create("walk"), *connects = tcase_create("connect");

	both(choice, chooses_the_other_parity);
	both(choice, begins_at_random);
	both(choice, reuse_begins_in_the_lower_half);
	both(choice, passes_by_what_is_connected);
	both(given, who_forbids_it);
	both(given, gives_all_back);
	both(walks, walk_over_other_addresses);
	both(walks, walk_for_any_address);
	in_all(connects, connects_from_its_port);
	in_all(connects, search_turns_it_down);
	tcase_add_test(connects, takes_a_connected_port_over);
	suite_add_tcase(s, choice);
	suite_add_tcase(s, given);
	suite_add_tcase(s, walks);
	suite_add_tcase(s, connects);
	return run_suite(s);
}
