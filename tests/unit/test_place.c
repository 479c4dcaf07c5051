/* SPDX-License-Identifier: GPL-3.0-or-later */
/* src/net/nic_place.c: which CPU receives, and what crosses the nodes then. */
#include <ehsim/check.h>
#include <ehsim/skb.h>

#include "hosts.h"
#include "suite.h"

#define ROUNDS 40
#define THREAD 2 /* hosts.h starts them there: first CPU of the second die */

static void talk(struct eh_task *t, struct world *w, struct eh_epoll *ep, struct eh_tcp *tp, bool first)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (first)
			ck_assert_int_eq(eh_sys_send(t, tp, 1), 1);
		next_event(t, ep, EH_EPOLLIN);
		ck_assert_int_eq(eh_sys_recv(t, tp), 1);
		w->got++;
		if (!first)
			ck_assert_int_eq(eh_sys_send(t, tp, 1), 1);
	}
	for (;;)
		eh_task_block(t);
}

static void ask(struct eh_task *t, void *arg)
{
	struct world *w = arg;

	talk(t, w, w->cep, w->tp[0], true);
}

static void answer(struct eh_task *t, void *arg)
{
	struct world *w = arg;

	talk(t, w, w->sep, w->child[0], false);
}

static void converse(struct world *w)
{
	const struct eh_sock there = {.laddr = CLIENT, .lport = 40000, .raddr = SERVER, .rport = PORT};
	const struct eh_sock here = {.laddr = SERVER, .lport = PORT, .raddr = CLIENT, .rport = 40000};

	build(w, 8);
	w->tp[0] = eh_tcp_preset(w->client, THREAD, &there);
	w->child[0] = eh_tcp_preset(w->server, THREAD, &here);
	eh_epoll_preset(w->cep, &w->tp[0]->item, EH_EPOLLIN, w->tp[0], false);
	eh_epoll_preset(w->sep, &w->child[0]->item, EH_EPOLLIN, w->child[0], false);
	start(w, w->client, ask);
	start(w, w->server, answer);
	eh_sim_run(w->sim, 20 * EH_MS);
	ck_assert_int_eq(w->got, 2 * ROUNDS);
	eh_net_check(w->client, w->server);
}

static struct eh_kmem_counts counts(const struct eh_kmem_cache *k)
{
	struct eh_kmem_info info;

	eh_kmem_info(k, &info);
	return info.counts;
}

/* Same CPU, same node, other node: none, none, all of what was sent and acknowledged goes home from afar. */
START_TEST(placed)
{
	static const int place[] = {EH_PLACE_CPU, EH_PLACE_NODE, EH_PLACE_OTHER};
	const struct eh_packet p = {.saddr = SERVER, .sport = PORT, .daddr = CLIENT, .dport = 40000};
	struct eh_kmem_counts pairs;
	const struct eh_cpu *c;
	struct world w;

	configure(&w);
	w.mc = host_machine(2, 1, 2, 1);
	w.nc.queues = _i == 1 ? 4 : 2; /* one on that die: completions raise no interrupt of their own */
	w.nc.place = place[_i];
	w.kc.allocator = 1;
	converse(&w);
	c = eh_nic_receives(w.client->nic, &p)->cpu;
	ck_assert_int_eq(c->die, _i == 2 ? 0 : 1);
	ck_assert_int_eq(c->id == THREAD, _i == 0);
	ck_assert_int_eq(eh_nic_completes(w.client->nic, THREAD)->cpu->die, c->die);
	pairs = counts(w.client->skbs->pairs);
	ck_assert_uint_ge(pairs.frees, ROUNDS - 1);
	ck_assert_uint_eq(pairs.remotefrees, _i == 2 ? pairs.frees : 0);
	teardown(&w);
}
END_TEST

/* Nobody has sent yet: the hash decides, as without a table. */
START_TEST(not_learned)
{
	struct eh_packet p = {.saddr = SERVER, .sport = PORT, .daddr = CLIENT};
	int64_t q[64], now;
	struct world w;

	for (int pass = 0; pass < 2; pass++) {
		configure(&w);
		w.mc = host_machine(2, 1, 2, 1);
		w.nc.queues = 4;
		w.nc.place = pass ? EH_PLACE_OTHER : EH_PLACE_HASH;
		build(&w, 8);
		for (int i = 0; i < 64; i++) {
			p.dport = (uint16_t)(40000 + i);
			now = eh_nic_receives(w.client->nic, &p) - w.client->nic->queues;
			if (pass)
				ck_assert_int_eq(now, q[i]);
			q[i] = now;
		}
		teardown(&w);
	}
}
END_TEST

/* The interface's node first: its cores, their second threads, then the next node's. */
START_TEST(local)
{
	static const int order[] = {0, 1, 4, 5, 2, 3, 6, 7};
	struct world w;

	configure(&w);
	w.mc = host_machine(2, 1, 2, 2);
	w.nc.queues = 8;
	w.nc.irqs = EH_IRQS_LOCAL;
	build(&w, 8);
	for (int i = 0; i < 8; i++) {
		ck_assert_int_eq(eh_nic_cpu_of(w.client->nic, i), order[i]);
		ck_assert_ptr_eq(eh_nic_completes(w.client->nic, order[i]), &w.client->nic->queues[i]);
	}
	teardown(&w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("place");
	TCase *t = tcase_create("place");

	tcase_add_loop_test(t, placed, 0, 3);
	tcase_add_test(t, not_learned);
	tcase_add_test(t, local);
	suite_add_tcase(s, t);
	return run_suite(s);
}
