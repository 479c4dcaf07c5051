/* SPDX-License-Identifier: GPL-3.0-or-later */
/* src/net/skb*.c: who allocates and who frees what a message needs, and one that is lost on purpose. */
#include <ehsim/check.h>
#include <ehsim/skb.h>
#include <errno.h>

#include "hosts.h"
#include "suite.h"

#define ROUNDS 40

static void connect_both(struct world *w)
{
	const struct eh_sock there = {.laddr = CLIENT, .lport = 40000, .raddr = SERVER, .rport = PORT};
	const struct eh_sock here = {.laddr = SERVER, .lport = PORT, .raddr = CLIENT, .rport = 40000};

	w->tp[0] = eh_tcp_preset(w->client, 2, &there);
	w->child[0] = eh_tcp_preset(w->server, 2, &here);
	eh_epoll_preset(w->cep, &w->tp[0]->item, EH_EPOLLIN, w->tp[0], false);
	eh_epoll_preset(w->sep, &w->child[0]->item, EH_EPOLLIN, w->child[0], false);
}

static void ask(struct eh_task *t, void *arg)
{
	struct world *w = arg;

	for (int i = 0; i < ROUNDS; i++) {
		ck_assert_int_eq(eh_sys_send(t, w->tp[0], 1), 1);
		next_event(t, w->cep, EH_EPOLLIN);
		ck_assert_int_eq(eh_sys_recv(t, w->tp[0]), 1);
		w->got++;
	}
	for (;;)
		eh_task_block(t);
}

static void answer(struct eh_task *t, void *arg)
{
	struct world *w = arg;

	for (;;) {
		next_event(t, w->sep, EH_EPOLLIN);
		ck_assert_int_eq(eh_sys_recv(t, w->child[0]), 1);
		ck_assert_int_eq(eh_sys_send(t, w->child[0], 1), 1);
	}
}

static void converse(struct world *w)
{
	w->nc.queues = 1; /* that completes what is sent, too */
	build(w, 8);
	connect_both(w);
	start(w, w->client, ask);
	start(w, w->server, answer);
	eh_sim_run(w->sim, 20 * EH_MS);
	ck_assert_int_eq(w->got, ROUNDS);
	eh_net_check(w->client, w->server);
}

static struct eh_kmem_counts counts(const struct eh_kmem_cache *k)
{
	struct eh_kmem_info info;

	eh_kmem_info(k, &info);
	return info.counts;
}

/* A pair for each message, a head for each that comes and for the two ACKs before the first answers. */
START_TEST(one_of_each)
{
	struct world w;

	configure(&w);
	converse(&w);
	ck_assert_uint_eq(counts(w.client->skbs->pairs).allocs, ROUNDS);
	ck_assert_uint_eq(counts(w.server->skbs->pairs).allocs, ROUNDS);
	ck_assert_uint_eq(counts(w.server->skbs->heads).allocs, ROUNDS + 2);
	ck_assert_uint_eq(counts(w.server->skbs->rx_data).allocs, ROUNDS + 1);
	ck_assert_uint_eq(w.client->nic->sent, ROUNDS + 1); /* nothing but messages: ACKs ride on them */
	ck_assert_uint_eq(w.client->skbs->reused, 0);
	ck_assert_ptr_null(w.client->tcp->free->tx_skb);
	teardown(&w);
}
END_TEST

/* Two of each socket's turn: one is on its way while the other is in the cache. */
START_TEST(taken_again)
{
	struct world w;

	configure(&w);
	w.kc.tx_skb_cache = true;
	w.kc.rx_skb_cache = true;
	converse(&w);
	ck_assert_uint_ge(w.client->skbs->reused, ROUNDS - 3);
	ck_assert_uint_eq(counts(w.client->skbs->pairs).allocs + w.client->skbs->reused, ROUNDS);
	ck_assert_ptr_nonnull(w.client->tcp->blocks);
	ck_assert(w.tp[0]->tx_skb || w.tp[0]->rtx.head);
	ck_assert_ptr_nonnull(w.tp[0]->rx_skb);
	teardown(&w);
}
END_TEST

/* Heads of the one cache are pairs' objects; everything still adds up. */
START_TEST(one_cache)
{
	struct world w;

	configure(&w);
	w.kc.skb_caches = EH_SKB_CACHES_ONE;
	converse(&w);
	ck_assert_ptr_eq(w.client->skbs->heads, w.client->skbs->pairs);
	ck_assert_uint_ge(counts(w.client->skbs->pairs).allocs, 2 * ROUNDS);
	ck_assert_int_eq(eh_kmem_bytes(w.client->skbs->heads), 512);
	teardown(&w);
}
END_TEST

/* With RPS or RFS nothing is kept of what has been read. */
START_TEST(not_when_steered)
{
	struct world w;

	configure(&w);
	w.kc.rx_skb_cache = true;
	w.kc.steering = EH_STEER_RFS;
	converse(&w);
	ck_assert_ptr_null(w.tp[0]->rx_skb);
	ck_assert_ptr_null(w.child[0]->rx_skb);
	teardown(&w);
}
END_TEST

/* Nobody keeps any within a jiffy or two of memory pressure, nor while it lasts. */
START_TEST(under_pressure)
{
	struct world w;

	configure(&w);
	w.kc.tx_skb_cache = true;
	w.kc.rx_skb_cache = true;
	w.kc.skb_cache_flush = true;
	w.kc.tcp_pressure_at = 10 * EH_MS;
	w.kc.tcp_pressure_for = EH_SEC;
	converse(&w);
	ck_assert_int_eq(eh_skb_kept_bytes(w.client) + eh_skb_kept_bytes(w.server), 0);
	ck_assert_uint_eq(w.client->skbs->flushed + w.server->skbs->flushed, 3); /* the last answer has no ACK yet */
	ck_assert_int_le(w.client->skbs->flush_time, 2 * EH_MS);
	ck_assert(w.client->skbs->pressure && w.server->skbs->pressure);
	teardown(&w);
}
END_TEST

enum { A_HEAD, A_PAIR, DATA, A_REFERENCE, LOSSES };

START_TEST(lost)
{
	struct world w;
	char *why;

	configure(&w);
	w.kc.tx_skb_cache = true;
	converse(&w);
	ck_assert_ptr_null(eh_link_problem(w.client, w.server));
	switch (_i) {
	case A_HEAD:
		eh_kmem_preset(w.client->skbs->heads, 0);
		break;
	case A_PAIR:
		eh_kmem_preset(w.server->skbs->pairs, 0);
		break;
	case DATA:
		eh_kmem_preset(w.server->skbs->rx_data, 0);
		break;
	default: /* nobody will free it */
		ck_assert_ptr_nonnull(w.child[0]->rtx.head);
		w.child[0]->rtx.head = w.child[0]->rtx.head->next;
	}
	why = eh_link_problem(w.client, w.server);
	ck_assert_ptr_nonnull(why);
	ck_assert_ptr_nonnull(strstr(why, "sk_buffs"));
	g_free(why);
	teardown(&w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("skb");
	TCase *t = tcase_create("skb");

	tcase_add_test(t, one_of_each);
	tcase_add_test(t, taken_again);
	tcase_add_test(t, one_cache);
	tcase_add_test(t, not_when_steered);
	tcase_add_test(t, under_pressure);
	tcase_add_loop_test(t, lost, 0, LOSSES);
	suite_add_tcase(s, t);
	return run_suite(s);
}
