/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/net, the port search: which ports are looked at and in which order, what each look locks,
 * where the next search begins; S0 and S1 by the same rules.
 *
 * Locks are seen through the linker (--wrap, Makefile.am lists the functions).
 */
#include "ports.h"
#include "suite.h"

/* --- the recorder: what is done at a port, and which of its locks this CPU holds then --- */

static struct {
	struct world *w; /* NULL: off */
	int port;
	GString *log;
} rec;

static void record(const struct eh_cpu *c, const char *what)
{
	const struct eh_inet_hash *t = rec.w->t;
	const struct eh_spinlock *ehash = &t->ehash_locks[rec.w->u->ports[rec.port].lock];

	g_string_append_printf(rec.log, "%s%s%s%s\n", what,
			       t->bhash[rec.port].owner == c->id ? " +bhash" : "",
			       eh_bhash2(t, HERE, (uint16_t)rec.port)->owner == c->id ? " +bhash2" : "",
			       ehash->owner == c->id ? " +ehash" : "");
}

/* Busy with another port, whose ehash lock may lie on the same line. */
static bool elsewhere(const struct eh_cpu *c)
{
	for (int port = LOW; port < LOW + 20; port++)
		if (port != rec.port && rec.w->t->bhash[port].owner == c->id)
			return true;
	return false;
}

/* Every locked operation takes its line here, in whatever function the compiler has put it. */
eh_time __real_eh_line_own(struct eh_cpu *c, eh_line_id id, eh_time *start);
eh_time __wrap_eh_line_own(struct eh_cpu *c, eh_line_id id, eh_time *start);
eh_time __wrap_eh_line_own(struct eh_cpu *c, eh_line_id id, eh_time *start)
{
	if (rec.w && !elsewhere(c)) {
		const struct eh_inet_hash *t = rec.w->t;
		const char *lock = id == t->bhash[rec.port].line    ? "lock bhash"
				   : id == eh_bhash2(t, HERE, (uint16_t)rec.port)->line ? "lock bhash2"
				   : id == t->ehash_locks[rec.w->u->ports[rec.port].lock].line
					   ? "lock ehash"
					   : NULL;

		if (lock)
			record(c, lock);
	}
	return __real_eh_line_own(c, id, start);
}

void __real_eh_ehash_insert_locked(struct eh_cpu *c, struct eh_sock *sk, int sym);
void __wrap_eh_ehash_insert_locked(struct eh_cpu *c, struct eh_sock *sk, int sym);
void __wrap_eh_ehash_insert_locked(struct eh_cpu *c, struct eh_sock *sk, int sym)
{
	if (rec.w && sk->lport == rec.port)
		record(c, "into ehash");
	__real_eh_ehash_insert_locked(c, sk, sym);
}

struct eh_bind_bucket *__real_eh_bind_bucket_create(struct eh_cpu *c, struct eh_inet_hash *t,
						    uint16_t port);
struct eh_bind_bucket *__wrap_eh_bind_bucket_create(struct eh_cpu *c, struct eh_inet_hash *t,
						    uint16_t port);
struct eh_bind_bucket *__wrap_eh_bind_bucket_create(struct eh_cpu *c, struct eh_inet_hash *t,
						    uint16_t port)
{
	if (rec.w && port == rec.port)
		record(c, "new bucket");
	return __real_eh_bind_bucket_create(c, t, port);
}

void __real_eh_bind_hash(struct eh_cpu *c, struct eh_sock *sk, struct eh_bind_bucket *tb);
void __wrap_eh_bind_hash(struct eh_cpu *c, struct eh_sock *sk, struct eh_bind_bucket *tb);
void __wrap_eh_bind_hash(struct eh_cpu *c, struct eh_sock *sk, struct eh_bind_bucket *tb)
{
	if (rec.w && sk->lport == rec.port)
		record(c, "into bhash");
	__real_eh_bind_hash(c, sk, tb);
}

/* What happens at `port` in one connect. */
static char *recorded(struct world *w, int port)
{
	rec.w = w;
	rec.port = port;
	rec.log = g_string_new(NULL);
	connect_once(w);
	rec.w = NULL;
	return g_string_free(rec.log, FALSE);
}

/* --- the commits, one by one --- */

enum { RCU_CHECK = EH_S3 + 1, RCU_BIND_WALK, LINEAR, SPREAD_LOCKS, NO_BHASH2, VARIANTS };

static void variant(struct world *w, int i, int ports)
{
	configure(w, i <= EH_S3 ? i : EH_S0, ports);
	if (i == RCU_CHECK)
		w->kc.rcu_check = EH_ON;
	if (i == RCU_BIND_WALK)
		w->kc.rcu_bind_walk = EH_ON;
	if (i == LINEAR)
		w->kc.linear_port_hash = EH_ON;
	if (i == SPREAD_LOCKS)
		w->kc.spread_ehash_locks = EH_ON;
	if (i == NO_BHASH2)
		w->kc.bhash2 = EH_OFF;
}

static bool rcu_check(int i)
{
	return i == RCU_CHECK || (i >= EH_S1 && i <= EH_S3);
}

static bool rcu_bind_walk(int i)
{
	return i == RCU_BIND_WALK || (i >= EH_S1 && i <= EH_S3);
}

/* S0 to S3 are names of sets; a switch counts more than the state. */
START_TEST(states_are_sets)
{
	struct eh_kernel_config k = {.connect = _i};
	struct eh_kernel_switches on = eh_kernel_switches(&k);

	ck_assert_int_eq(on.rcu_check, _i >= EH_S1);
	ck_assert_int_eq(on.rcu_bind_walk, _i >= EH_S1);
	ck_assert_int_eq(on.linear_port_hash, _i >= EH_S2);
	ck_assert_int_eq(on.hash_once, _i >= EH_S3);
	ck_assert(!on.spread_ehash_locks);
	ck_assert(on.bhash2);
	k.rcu_check = k.linear_port_hash = k.bhash2 = EH_OFF;
	k.rcu_bind_walk = k.spread_ehash_locks = EH_ON;
	on = eh_kernel_switches(&k);
	ck_assert(!on.rcu_check && on.rcu_bind_walk);
	ck_assert(!on.linear_port_hash && !on.hash_once); /* one rests on the other */
	ck_assert(on.spread_ehash_locks && !on.bhash2);
}
END_TEST

/* One block on a die, or pages in turn, at least one for each. */
START_TEST(where_the_ehash_locks_lie)
{
	struct world w;

	configure(&w, EH_S0, 20);
	w.kc.ehash_locks_die = 1;
	build(&w);
	ck_assert_uint_eq(w.t->lock_mask + 1, 256); /* 32 for each of 8 CPUs */
	for (uint32_t i = 0; i <= w.t->lock_mask; i++)
		ck_assert_uint_eq(w.h->m->lines[w.t->ehash_locks[i].line].home, 1);
	teardown(&w);
	variant(&w, SPREAD_LOCKS, 20);
	build(&w);
	ck_assert_uint_eq(w.t->lock_mask + 1, 2 * 4096 / 4);
	for (uint32_t i = 0; i <= w.t->lock_mask; i++)
		ck_assert_uint_eq(w.h->m->lines[w.t->ehash_locks[i].line].home,
				  w.h->m->lines[w.t->ehash_locks[0].line].home ^ (i / 1024));
	teardown(&w);
}
END_TEST

/* --- which ports --- */

START_TEST(first_parity_first)
{
	struct world w;

	for (int from = LOW; from < LOW + 20; from += 2) {
		variant(&w, _i, 20);
		build(&w);
		take_all(&w, LOW + 12);
		drop(&w, LOW + 13); /* nobody asks for it */
		eh_port_cursor_set(w.t, w.u, (uint16_t)from);
		ck_assert_int_eq(connect_once(&w), LOW + 12);
		ck_assert_uint_eq(stats(&w).candidates,
				  (uint64_t)(LOW + 12 - from + 20) % 20 / 2 + 1);
		ck_assert_uint_eq(w.h->candidates, stats(&w).candidates);
		ck_assert_uint_eq(stats(&w).odd_passes, 0);
		teardown(&w);
	}
}
END_TEST

START_TEST(then_the_other)
{
	struct world w;

	variant(&w, _i, 20);
	build(&w);
	take_all(&w, LOW + 7);
	eh_port_cursor_set(w.t, w.u, LOW + 10);
	ck_assert_int_eq(connect_once(&w), LOW + 7);
	/* ten of the first parity, then 11, 13, ... 19, 1, 3, 5, 7 */
	ck_assert_uint_eq(stats(&w).candidates, 10 + 9);
	ck_assert_uint_eq(stats(&w).odd_passes, 1);
	ck_assert_uint_eq(stats(&w).failures, 0);
	teardown(&w);
}
END_TEST

/* One port alone has one pass. */
START_TEST(all_ports_then_none)
{
	const int ports[] = {20, 2, 1};
	struct world w;

	for (int i = 0; i < 3; i++) {
		variant(&w, _i, ports[i]);
		build(&w);
		for (int n = 0; n < ports[i]; n++) {
			int port = connect_once(&w); /* never twice the same: ports.h checks */

			ck_assert_int_ge(port, LOW);
			ck_assert_int_lt(port, LOW + ports[i]);
			ck_assert_int_eq((port - LOW) & 1, n >= (ports[i] + 1) / 2);
		}
		ck_assert_uint_eq(w.h->connects, (uint64_t)ports[i]);
		ck_assert_int_eq(connect_once(&w), -EADDRNOTAVAIL);
		ck_assert_uint_eq(stats(&w).failures, 1);
		ck_assert_uint_eq(stats(&w).searches, (uint64_t)ports[i] + 1);
		ck_assert_uint_eq(w.h->connects, (uint64_t)ports[i]);
		drop(&w, LOW);
		ck_assert_int_eq(connect_once(&w), LOW);
		teardown(&w);
	}
}
END_TEST

/*
 * Of an odd number a pass leaves one out: the last port when it begins with the first, otherwise the
 * first.
 */
START_TEST(odd_range_leaves_one_out)
{
	struct world w;

	for (int from = LOW; from < LOW + 10; from += 2) {
		variant(&w, _i, 11);
		build(&w);
		take_all(&w, 0);
		drop(&w, LOW);
		drop(&w, LOW + 10);
		eh_port_cursor_set(w.t, w.u, (uint16_t)from);
		ck_assert_int_eq(connect_once(&w), from == LOW ? LOW : LOW + 10);
		eh_port_cursor_set(w.t, w.u, (uint16_t)from);
		ck_assert_int_eq(connect_once(&w), -EADDRNOTAVAIL);
		ck_assert_uint_eq(stats(&w).candidates, (uint64_t)(LOW + 10 - from) % 10 / 2 + 1 + 10);
		teardown(&w);
	}
}
END_TEST

/* --- a socket's own range --- */

static int connect_from(struct world *w, int low, int high)
{
	w->range_low = low;
	w->range_high = high;
	return connect_once(w);
}

/* Port by port, in one pass. */
START_TEST(own_range)
{
	uint64_t looks;
	struct world w;

	variant(&w, _i, 100);
	build(&w);
	for (int port = LOW + 11; port < LOW + 20; port++)
		take(&w, port);
	eh_port_cursor_set(w.t, w.u, LOW);
	for (int i = 0; i < 2; i++) {
		int port = connect_from(&w, LOW + 10, LOW + 20);

		ck_assert(port == LOW + 10 || port == LOW + 20);
	}
	looks = stats(&w).candidates;
	ck_assert_int_eq(connect_from(&w, LOW + 10, LOW + 20), -EADDRNOTAVAIL);
	ck_assert_uint_eq(stats(&w).candidates - looks, 11);
	ck_assert_uint_eq(stats(&w).odd_passes, 0);
	drop(&w, LOW + 13);
	ck_assert_int_eq(connect_from(&w, LOW + 10, LOW + 20), LOW + 13);
	teardown(&w);
}
END_TEST

/* Only within the host's range does a limit count; the option's other effect stays. */
START_TEST(own_range_is_narrower)
{
	const int limits[][4] = {{LOW + 5, 0, LOW + 5, LOW + 99},
				 {0, LOW + 7, LOW, LOW + 7},
				 {LOW - 5, LOW + 7, LOW, LOW + 7},
				 {LOW + 5, LOW + 200, LOW + 5, LOW + 99}};
	struct world w;

	configure(&w, EH_S0, 100);
	build(&w);
	for (int i = 0; i < 4; i++) {
		struct eh_sock sk = {.port_low = (uint16_t)limits[i][0],
				     .port_high = (uint16_t)limits[i][1]};
		struct eh_port_range r = eh_port_range(w.t, &sk);

		ck_assert_int_eq((int)r.low, limits[i][2]);
		ck_assert_int_eq((int)(r.low + r.span - 1), limits[i][3]);
		ck_assert_uint_eq(r.remaining, r.span);
		ck_assert_uint_eq(r.step, 1);
	}
	teardown(&w);
}
END_TEST

START_TEST(reserved_ports)
{
	struct world w;
	uint64_t before;

	variant(&w, _i, 20);
	g_free(w.kc.reserved_ports);
	w.kc.reserved_ports = g_strdup("40002,40006-40009,50000");
	build(&w);
	for (int n = 0; n < 15; n++) {
		int port = connect_once(&w);

		ck_assert(port != 40002 && (port < 40006 || port > 40009));
	}
	before = stats(&w).candidates;
	ck_assert_int_eq(connect_once(&w), -EADDRNOTAVAIL);
	ck_assert_uint_eq(stats(&w).candidates - before, 15); /* it passes them by without a look */
	teardown(&w);
}
END_TEST

/* A port that bind() owns is turned down as it is, however many ports lie before and behind. */
START_TEST(bound_ports)
{
	struct world w;
	uint64_t looks;

	variant(&w, _i, 20);
	build(&w);
	for (int port = LOW; port < LOW + 12; port += 4) {
		take(&w, port);
		eh_inet_listen(new_sock(&w), (uint16_t)(port + 2));
	}
	eh_port_cursor_set(w.t, w.u, LOW);
	ck_assert_int_eq(connect_once(&w), LOW + 12);
	looks = stats(&w).candidates;
	ck_assert_uint_eq(looks, 7);
	/* S0 locks every bhash bucket, and the ehash lock unless the port is bound; S1 only its
	 * own. */
	ck_assert_uint_eq(w.h->bhash_lock.acquisitions, rcu_bind_walk(_i) ? 1 : looks);
	ck_assert_uint_eq(w.h->ehash_lock.acquisitions, rcu_check(_i) ? 1 : looks - 3);
	ck_assert_uint_eq(w.h->bhash2_lock.acquisitions, _i != NO_BHASH2);
	teardown(&w);
}
END_TEST

/* --- where the next search begins --- */

START_TEST(cursor)
{
	uint32_t seen = 0;
	struct world w;

	for (int distance = 0; distance < 40; distance += 2) {
		uint32_t spread, before;
		gsl_rng *same;

		variant(&w, _i, 60);
		w.kc.port_high += distance; /* whatever the size */
		build(&w);
		for (int n = 0; n < distance; n++)
			eh_stream_u64(w.h->random); /* another number each time */
		for (int port = LOW; port < LOW + distance; port += 2)
			take(&w, port);
		eh_port_cursor_set(w.t, w.u, LOW);
		before = w.u->perturb;
		same = gsl_rng_clone(w.h->random);
		ck_assert_int_eq(connect_once(&w), LOW + distance);
		spread = 2 * (uint32_t)eh_stream_below(same, 8);
		seen |= 1u << spread / 2;
		ck_assert_uint_eq(w.u->perturb - before, MAX((uint32_t)distance, spread) + 2);
		gsl_rng_free(same);
		teardown(&w);
	}
	ck_assert_int_ge(__builtin_popcount(seen), 5); /* 20 draws of 8 */
}
END_TEST

/* A search that fails leaves it alone; one that needs the other parity counts from there. */
START_TEST(cursor_of_second_pass)
{
	struct world w;
	uint32_t before;

	variant(&w, _i, 100);
	build(&w);
	take_all(&w, 0);
	before = w.u->perturb;
	ck_assert_int_eq(connect_once(&w), -EADDRNOTAVAIL);
	ck_assert_uint_eq(w.u->perturb, before);
	eh_port_cursor_set(w.t, w.u, LOW + 10);
	before = w.u->perturb;
	drop(&w, LOW + 41);
	ck_assert_int_eq(connect_once(&w), LOW + 41);
	ck_assert_uint_eq(w.u->perturb - before, 30 + 2);
	teardown(&w);
}
END_TEST

/* --- the states agree --- */

/* 400 connects one after another, among them some that give a port back. */
static void mixed(struct job *j)
{
	struct world *w = j->w;
	gsl_rng *r = eh_stream_new((uint64_t)j->when, "mix");

	for (int i = 0; i < 400; i++) {
		int port = LOW + (int)eh_stream_below(r, (uint64_t)(w->kc.port_high - LOW + 1));

		if (eh_stream_below(r, 3) == 0 && w->at[port])
			disconnect_on(w, j->c, port);
		note(j, connect_on(w, j->c));
	}
	gsl_rng_free(r);
}

static struct eh_search_stats run_mixed(int state, int seed, struct job *j)
{
	struct eh_search_stats st;
	struct world w;

	*j = (struct job){.when = seed};
	variant(&w, state, 300);
	build(&w);
	add(&w, j, 0, mixed);
	eh_sim_run(w.sim, EH_SEC);
	ck_assert_int_eq(j->n, 400);
	st = stats(&w);
	teardown(&w);
	return st;
}

START_TEST(all_take_the_ports_s0_takes)
{
	struct job s0;

	for (int seed = 1; seed < 4; seed++) {
		struct eh_search_stats a = run_mixed(EH_S0, seed, &s0), b;
		struct job other;
		int failed = 0;

		b = run_mixed(_i, seed, &other);
		for (int i = 0; i < 400; i++) {
			ck_assert_int_eq(s0.port[i], other.port[i]);
			failed += s0.port[i] < 0;
		}
		ck_assert_int_gt(failed, 0);
		ck_assert_uint_eq(a.candidates, b.candidates);
		ck_assert_uint_eq(a.odd_passes, b.odd_passes);
		ck_assert_uint_eq(a.failures, (uint64_t)failed);
		if (rcu_check(_i) || rcu_bind_walk(_i))
			ck_assert_int_gt(s0.at[399], other.at[399]);
	}
}
END_TEST

/* --- the order of steps --- */

/* `taken` ports from LOW + 2 on, where the search begins. LOW + 4, + 8, ... have lines of their
 * own. */
static void prepare(struct world *w, int state, int taken)
{
	variant(w, state, 20);
	build(w);
	for (int i = 1; i <= taken; i++)
		take(w, LOW + 2 * i);
	eh_port_cursor_set(w->t, w->u, LOW + 2);
}

START_TEST(order_of_a_rejected_candidate)
{
	struct world w;
	char *log;

	prepare(&w, _i, 1);
	log = recorded(&w, LOW + 2);
	if (rcu_bind_walk(_i))
		ck_assert_str_eq(log, rcu_check(_i) ? "" : "lock ehash\n");
	else
		ck_assert_str_eq(log, rcu_check(_i) ? "lock bhash\n"
						    : "lock bhash\nlock ehash +bhash\n");
	ck_assert_ptr_nonnull(w.at[LOW + 4]);
	/* with BH still on, then off */
	ck_assert_int_gt(w.h->m->cpus[0].charged[EH_SYM(_raw_spin_lock_bh)], 0);
	ck_assert_int_gt(w.h->m->cpus[0].charged[EH_SYM(_raw_spin_lock)], 0);
	g_free(log);
	teardown(&w);
}
END_TEST

/* No bucket: nobody can have the tuple, and the socket goes into ehash at the very end. */
START_TEST(order_at_a_free_port)
{
	struct world w;
	char *log;
	const char *from;

	prepare(&w, _i, 3);
	log = recorded(&w, LOW + 8);
	from = log;
	if (_i == RCU_BIND_WALK) /* of ports before it, whose locks share its line */
		while (g_str_has_prefix(from, "lock ehash\n"))
			from += strlen("lock ehash\n");
	ck_assert_str_eq(from, _i == NO_BHASH2 ? "lock bhash\n"
						"new bucket +bhash\n"
						"into bhash +bhash\n"
						"lock ehash +bhash\n"
						"into ehash +bhash +ehash\n"
					      : "lock bhash\n"
						"lock bhash2 +bhash\n"
						"new bucket +bhash +bhash2\n"
						"into bhash +bhash +bhash2\n"
						"lock ehash +bhash +bhash2\n"
						"into ehash +bhash +bhash2 +ehash\n");
	ck_assert_ptr_nonnull(w.at[LOW + 8]);
	g_free(log);
	teardown(&w);
}
END_TEST

/* A bucket whose connection leads elsewhere: the check inserts, under the ehash lock alone. */
START_TEST(order_at_a_shared_port)
{
	struct eh_sock *other;
	struct world w;
	char *log, *expect;

	prepare(&w, _i, 1);
	other = new_sock(&w);
	other->rport = TO + 1;
	eh_inet_preset(other, LOW + 4, 1);
	log = recorded(&w, LOW + 4);
	expect = g_strconcat(_i == RCU_BIND_WALK ? "lock ehash\n" : "",
			     "lock bhash\n"
			     "lock ehash +bhash\n"
			     "into ehash +bhash +ehash\n",
			     _i == NO_BHASH2 ? "into bhash +bhash\n"
					     : "lock bhash2 +bhash\n"
					       "into bhash +bhash +bhash2\n",
			     NULL);
	ck_assert_str_eq(log, expect);
	g_free(expect);
	ck_assert_ptr_nonnull(w.at[LOW + 4]);
	ck_assert_ptr_eq(w.at[LOW + 4]->tb, other->tb);
	ck_assert_int_eq(other->tb->owners, 2);
	g_free(log);
	teardown(&w);
}
END_TEST

#define in_all(tcase, test) tcase_add_loop_test(tcase, test, EH_S0, VARIANTS)

int main(void)
{
	Suite *s = suite_create("ports");
	TCase *which = tcase_create("which"), *next = tcase_create("cursor"),
	      *order = tcase_create("order");

	in_all(which, first_parity_first);
	in_all(which, then_the_other);
	in_all(which, all_ports_then_none);
	in_all(which, odd_range_leaves_one_out);
	in_all(which, own_range);
	tcase_add_test(which, own_range_is_narrower);
	in_all(which, reserved_ports);
	in_all(which, bound_ports);
	in_all(next, cursor);
	in_all(next, cursor_of_second_pass);
	tcase_add_loop_test(next, all_take_the_ports_s0_takes, EH_S1, VARIANTS);
	tcase_add_loop_test(which, states_are_sets, EH_S0, EH_S3 + 1);
	tcase_add_test(which, where_the_ehash_locks_lie);
	in_all(order, order_of_a_rejected_candidate);
	in_all(order, order_at_a_free_port);
	in_all(order, order_at_a_shared_port);
	suite_add_tcase(s, which);
	suite_add_tcase(s, next);
	suite_add_tcase(s, order);
	return run_suite(s);
}
