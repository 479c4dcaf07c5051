/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/net/ehash.c: a lookup without locks while others change the chain under it, at every instant of
 * the walk. It never misses a socket that was there all the time, and never returns one that is
 * another by now; how it saw that is counted.
 */
#include <ehsim/tcp.h>

#include "ports.h"
#include "suite.h"

#define BUCKETS 16
#define STEPS 400 /* instants, STEP apart, from before the walk to behind it */
#define STEP (4 * EH_NS)

struct change {
	struct eh_event ev;
	struct world *w;
	struct eh_sock *sk;
	void (*fn)(struct change *ch);
};

struct walk {
	struct world *w;
	struct eh_sock *found;
	uint16_t port, got; /* asked for; of what was found, at that instant */
	bool done;
};

static struct eh_tcp_counts counts;

static uint32_t bucket(const struct world *w, uint16_t port)
{
	return eh_ehashfn(w->t, HERE, port, THERE, TO) & w->t->bucket_mask;
}

/* The next port behind `after` in that bucket, or in another one. */
static uint16_t some_port(const struct world *w, uint16_t after, uint32_t where, bool there)
{
	do {
		after++;
	} while ((bucket(w, after) == where) != there);
	return after;
}

static struct eh_sock *put_in(struct world *w, uint16_t port)
{
	struct eh_sock *sk = new_sock(w);

	sk->lport = port;
	sk->obj = eh_kmem_preset(w->h->sk_cache, 1);
	eh_ehash_add(w->t, sk);
	return sk;
}

static void look(void *arg)
{
	struct walk *x = arg;
	struct eh_cpu *c = &x->w->h->m->cpus[0];

	eh_cpu_wait_until(c, -1, EH_US);
	x->found = eh_inet_lookup(c, x->w->h, HERE, x->port, THERE, TO);
	x->got = x->found ? x->found->lport : x->port;
	x->done = true;
	eh_sim_park(x->w->sim);
}

static void happens(struct eh_event *ev)
{
	struct change *ch = eh_container_of(ev, struct change, ev);

	ch->fn(ch);
}

/* Its memory is at once a socket in another chain. */
static void recycle(struct change *ch)
{
	uint32_t old = ch->sk->bucket;

	eh_ehash_del(ch->w->t, ch->sk);
	ch->sk->lport = some_port(ch->w, 50000, old, false);
	eh_ehash_add(ch->w->t, ch->sk);
}

static void release(struct change *ch)
{
	eh_ehash_del(ch->w->t, ch->sk);
	ch->sk->obj = NULL; /* no reference left */
}

/*
 * A chain of two; a lookup of the second entry, or of the first. `fn` happens to the first at each
 * instant in turn. `live`: what is looked for stays there.
 */
static void at_every_instant(void (*fn)(struct change *ch), bool second)
{
	memset(&counts, 0, sizeof(counts));
	for (int i = 0; i < STEPS; i++) {
		struct world w;
		struct change ch = {.ev.fn = happens, .w = &w, .fn = fn};
		struct walk x = {.w = &w};
		struct eh_sock *behind;
		uint16_t port;

		configure(&w, EH_S0, 2);
		w.kc.ehash_buckets = BUCKETS;
		build(&w);
		port = some_port(&w, 40000, 3, true);
		behind = put_in(&w, port);
		ch.sk = put_in(&w, some_port(&w, port, 3, true)); /* at the head */
		x.port = second ? port : ch.sk->lport;
		run_bare(&w.h->m->cpus[0], look, &x, EH_US);
		eh_sim_at(w.sim, &ch.ev, EH_US + i * STEP);
		eh_sim_run(w.sim, 10 * EH_US);
		ck_assert(x.done);
		if (second)
			ck_assert_ptr_eq(x.found, behind);
		ck_assert_int_eq(x.got, x.port);
		counts.lookup_restarts += w.h->tcp->count.lookup_restarts;
		counts.lookup_gone += w.h->tcp->count.lookup_gone;
		counts.wrong_chain += w.h->tcp->count.wrong_chain;
		teardown(&w);
	}
}

START_TEST(nulls)
{
	at_every_instant(recycle, true);
	ck_assert_uint_gt(counts.wrong_chain, 0);
	ck_assert_uint_eq(counts.wrong_chain, counts.lookup_restarts);
}
END_TEST

START_TEST(freed_on_the_way)
{
	at_every_instant(release, true); /* the place in the chain outlives the socket */
	ck_assert_uint_eq(counts.lookup_restarts + counts.lookup_gone, 0);
}
END_TEST

START_TEST(identity)
{
	at_every_instant(recycle, false);
	ck_assert_uint_gt(counts.lookup_restarts, counts.wrong_chain);
	at_every_instant(release, false);
	ck_assert_uint_gt(counts.lookup_gone, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("lookup");
	TCase *t = tcase_create("typesafe by RCU");

	tcase_add_test(t, nulls);
	tcase_add_test(t, freed_on_the_way);
	tcase_add_test(t, identity);
	tcase_set_timeout(t, 60);
	suite_add_tcase(s, t);
	return run_suite(s);
}
