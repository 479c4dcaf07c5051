/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/net: graceful close, TIME_WAIT, and what timers send again. One client and one server host;
 * times are checked to the picosecond where the kernel's rules fix them.
 */
#include <errno.h>
#include <string.h>

#include "hosts.h"
#include "suite.h"

#define JIFFY EH_MS /* HZ 1000 */

/* The expiry of a timer by the rules of the wheel, written down apart from timer.c. */
static eh_time fires(const struct eh_host *h, int cpu, eh_time now, int64_t jiffies)
{
	int64_t gran = jiffies < 63 ? 1 : jiffies < 504 ? 8 : jiffies < 4032 ? 64 :
		       jiffies < 32256 ? 512 : 4096;
	int64_t at = now / JIFFY + jiffies;

	return (at / gran + 1) * gran * JIFFY + JIFFY * cpu / h->m->ncpus;
}

/* So many local ports. */
static void setup_with(struct world *w, int backlog, int state, int ports)
{
	configure(w);
	w->kc.connect = state;
	w->kc.port_high = w->kc.port_low + ports - 1;
	build(w, backlog);
}

static void setup_far(struct world *w, int backlog, eh_time delay)
{
	configure(w);
	w->nc.delay = delay;
	build(w, backlog);
}

/* --- graceful close --- */

static void await(struct eh_task *t, const struct eh_tcp *tp, enum eh_tcp_state state)
{
	for (int i = 0; tp->sk.state != state && i < 100; i++)
		eh_cpu_wait_until(t->cpu, EH_SYM_USER, t->cpu->retire + 10 * EH_US);
	ck_assert_int_eq(tp->sk.state, state);
}

static void close_first(struct eh_task *t, void *arg)
{
	struct world *w = arg;

	for (int i = 0; i < MAX(w->n, 1); i++) {
		struct eh_tcp *tp = w->tp[0] = eh_sys_socket(t);

		if (eh_sys_connect(t, tp, SERVER, PORT)) {
			eh_sys_close(t, tp);
			w->got = -EADDRNOTAVAIL;
			return;
		}
		await(t, tp, EH_TCP_ESTABLISHED);
		eh_sys_close(t, tp);
		w->got++;
		eh_cpu_wait_until(t->cpu, EH_SYM_USER, t->cpu->retire + EH_MS);
	}
}

static void close_second(struct eh_task *t, void *arg)
{
	struct world *w = arg;

	for (;;) {
		struct eh_tcp *tp;

		next_event(t, w->sep, EH_EPOLLIN);
		tp = w->child[0] = eh_sys_accept(t, w->listener);
		await(t, tp, EH_TCP_CLOSE_WAIT);
		ck_assert_uint_eq(tp->item.poll(t->cpu, &tp->item) & EH_EPOLLRDHUP, EH_EPOLLRDHUP);
		ck_assert_int_eq(eh_sys_recv(t, tp), 0);
		if (w->hold)
			eh_cpu_wait_until(t->cpu, EH_SYM_USER, t->cpu->retire + w->hold);
		eh_sys_close(t, tp);
	}
}

static void close_both(struct world *w)
{
	start(w, w->server, close_second);
	start(w, w->client, close_first);
}

static uint16_t port(const struct world *w)
{
	return (uint16_t)w->kc.port_low;
}

START_TEST(states_and_segments)
{
	struct world w;

	setup_with(&w, 128, EH_S0, 1);
	close_both(&w);
	eh_sim_run(w.sim, 10 * EH_MS);
	ck_assert_int_eq(w.got, 1);
	/* SYN, ACK, FIN, ACK; SYN-ACK, FIN that carries the ACK */
	ck_assert_uint_eq(w.client->nic->sent, 4);
	ck_assert_uint_eq(w.server->nic->sent, 2);
	ck_assert_uint_eq(w.client->tcp->count.time_waits, 1);
	ck_assert_uint_eq(w.server->tcp->count.time_waits, 0);
	ck_assert_uint_eq(w.client->tcp->count.retransmits + w.server->tcp->count.retransmits, 0);
	ck_assert_uint_eq(w.client->tcp->count.stray + w.server->tcp->count.stray, 0);
	/* full sockets are gone, the small one holds port and tuple */
	ck_assert_uint_eq(eh_kmem_active(w.client->sk_cache), 0);
	ck_assert_uint_eq(eh_kmem_active(w.server->sk_cache), 1);
	ck_assert_uint_eq(eh_kmem_active(w.client->tw_cache), 1);
	ck_assert_uint_eq(eh_kmem_active(w.client->tb_cache), 1);
	ck_assert(!eh_inet_port_free(w.client, SERVER, PORT, port(&w)));
	teardown(&w);
}
END_TEST

/* The server waits longer than a delayed ACK: it comes alone, and FIN_WAIT2 waits in the small socket. */
START_TEST(half_closed)
{
	struct world w;
	eh_time fin;

	setup(&w, 128);
	w.hold = 100 * EH_MS;
	close_both(&w);
	while (w.server->nic->received < 3)
		eh_sim_run(w.sim, eh_sim_now(w.sim) + EH_US);
	fin = eh_sim_now(w.sim);
	eh_sim_run(w.sim, fires(w.server, w.server->m->ncpus - 1, fin, 40) + EH_MS);
	ck_assert_uint_eq(w.server->nic->sent, 2); /* SYN-ACK, the ACK */
	ck_assert_uint_eq(w.client->tcp->count.time_waits, 1);
	ck_assert_int_eq(w.child[0]->sk.state, EH_TCP_CLOSE_WAIT);
	eh_sim_run(w.sim, 200 * EH_MS);
	ck_assert_uint_eq(w.server->nic->sent, 3);
	ck_assert_uint_eq(w.client->nic->sent, 4); /* TIME_WAIT acknowledges the FIN */
	ck_assert_uint_eq(eh_kmem_active(w.server->sk_cache), 1);
	teardown(&w);
}
END_TEST

/* --- TIME_WAIT --- */

/* Not one picosecond earlier, and then everything. */
START_TEST(expiry)
{
	struct world w;
	eh_time began = 0, due = 0;

	setup(&w, 128);
	w.kc.timewait = 60 * EH_SEC;
	close_both(&w);
	while (!w.client->tcp->count.time_waits) {
		began = eh_sim_now(w.sim);
		eh_sim_run(w.sim, began + EH_US);
	}
	for (int cpu = 0; cpu < w.client->m->ncpus; cpu++) { /* which one? */
		eh_time at = fires(w.client, cpu, began, 60000);

		eh_sim_run(w.sim, at - 1);
		ck_assert_int_eq(w.client->tcp->tw_count, 1);
		eh_sim_run(w.sim, at + 20 * EH_US);
		due = at;
		if (w.client->tcp->tw_count == 0)
			break;
	}
	ck_assert_int_ge(due - began, 60 * EH_SEC);
	ck_assert_int_le(due - began, 60 * EH_SEC + 4097 * JIFFY);
	ck_assert_uint_eq(w.client->tcp->count.tw_killed, 1);
	nothing_left(&w);
	ck_assert_uint_eq(eh_kmem_active(w.client->tw_cache), 0);
	ck_assert_uint_eq(eh_kmem_active(w.client->tb_cache), 0);
	ck_assert_uint_eq(eh_kmem_active(w.client->tb2_cache), 0);
	teardown(&w);
}
END_TEST

START_TEST(at_most)
{
	struct world w;

	setup(&w, 128);
	w.kc.tcp_max_tw_buckets = 2;
	w.n = 4;
	close_both(&w);
	eh_sim_run(w.sim, 30 * EH_MS);
	ck_assert_int_eq(w.got, 4);
	ck_assert_int_eq(w.client->tcp->tw_peak, 2);
	ck_assert_uint_eq(w.client->tcp->count.tw_overflow, 2);
	ck_assert_uint_eq(eh_kmem_active(w.client->sk_cache), 0);
	teardown(&w);
}
END_TEST

/*
 * Two ports, both in TIME_WAIT since `second`; a third connection at `then`. What it gets: the port's
 * TIME_WAIT socket, or EADDRNOTAVAIL.
 */
static int third(int state, int reuse, bool timestamps, eh_time then)
{
	struct world w;
	int got;

	setup_with(&w, 128, state, 2);
	w.kc.tcp_tw_reuse = reuse;
	w.kc.tcp_timestamps = timestamps;
	w.n = 2;
	close_both(&w);
	eh_sim_run(w.sim, 20 * EH_MS);
	ck_assert_int_eq(w.client->tcp->tw_count, 2);
	eh_sim_run(w.sim, then);
	w.n = 1;
	w.got = 0;
	start(&w, w.client, close_first);
	eh_sim_run(w.sim, then + 20 * EH_MS);
	got = w.got;
	ck_assert_int_eq(w.client->tcp->tw_count, 2);
	ck_assert_uint_eq(w.client->tcp->count.tw_reused, got == 1);
	eh_sim_run(w.sim, 70 * EH_SEC);
	ck_assert_int_eq(w.client->tcp->tw_count, 0);
	nothing_left(&w);
	ck_assert_uint_eq(eh_kmem_active(w.client->tw_cache), 0);
	teardown(&w);
	return got;
}

START_TEST(reuse)
{
	const int no = -EADDRNOTAVAIL;

	for (int state = EH_S0; state <= EH_S3; state++) {
		ck_assert_int_eq(third(state, 0, true, 2 * EH_SEC), no);
		ck_assert_int_eq(third(state, 2, true, 2 * EH_SEC), no); /* no loopback here */
		ck_assert_int_eq(third(state, 1, true, EH_SEC - 30 * EH_MS), no); /* same second */
		ck_assert_int_eq(third(state, 1, true, EH_SEC), 1);
		ck_assert_int_eq(third(state, 1, false, 2 * EH_SEC), no);
	}
}
END_TEST

/* --- what comes again --- */

static void connect_only(struct eh_task *t, void *arg)
{
	struct world *w = arg;

	w->tp[w->got] = eh_sys_socket(t);
	ck_assert_int_eq(eh_sys_connect(t, w->tp[w->got], SERVER, PORT), 0);
	w->got++;
}

/* The accept queue is full for good: each SYN is dropped, exactly then. */
START_TEST(syn_retries)
{
	struct world w;
	eh_time sent, at;

	setup(&w, 0);
	w.kc.tcp_syn_retries = 2;
	start(&w, w.client, connect_only);
	eh_sim_run(w.sim, EH_MS);
	ck_assert_int_eq(w.listener->accept->length, 1);
	start(&w, w.client, connect_only);
	eh_sim_run(w.sim, 2 * EH_MS);
	ck_assert_uint_eq(w.server->tcp->count.syn_dropped, 1);
	sent = EH_MS;
	for (int i = 0; i < 3; i++) { /* 1 s, 2 s, then the end after 4 s */
		at = fires(w.client, 2, sent, 1000 << i);
		eh_sim_run(w.sim, at - 1);
		ck_assert_uint_eq(w.client->tcp->count.retransmits, i);
		ck_assert_int_eq(w.tp[1]->sk.state, EH_TCP_SYN_SENT);
		eh_sim_run(w.sim, at + EH_MS / 2);
		sent = at;
	}
	ck_assert_uint_eq(w.server->tcp->count.syn_dropped, 3);
	ck_assert_uint_eq(w.client->tcp->count.timeouts, 1);
	ck_assert_int_eq(w.tp[1]->sk.state, EH_TCP_CLOSE);
	ck_assert_int_eq(w.tp[1]->err, -ETIMEDOUT);
	ck_assert(eh_inet_port_free(w.client, SERVER, PORT, (uint16_t)(port(&w) + 2)) ||
		  eh_inet_port_free(w.client, SERVER, PORT, port(&w)));
	teardown(&w);
}
END_TEST

/* The way is longer than the timers: the request is given up before its ACK can come. */
START_TEST(synack_retries)
{
	struct world w;

	setup_far(&w, 128, EH_SEC);
	w.kc.tcp_syn_timeout = 10 * EH_MS;
	w.kc.tcp_syn_retries = 1;
	w.kc.tcp_synack_retries = 3;
	start(&w, w.client, connect_only);
	eh_sim_run(w.sim, EH_SEC + 5 * EH_MS);
	ck_assert_uint_eq(eh_kmem_active(w.server->req_cache), 1);
	ck_assert_int_eq(w.listener->accept->requests, 1);
	eh_sim_run(w.sim, 2 * EH_SEC - 5 * EH_MS);
	/* by its timer, and once for the SYN that came again */
	ck_assert_uint_eq(w.server->tcp->count.synack_retransmits, 3 + 1);
	ck_assert_uint_eq(w.server->tcp->count.timeouts, 1);
	ck_assert_uint_eq(eh_kmem_active(w.server->req_cache), 0);
	ck_assert_int_eq(w.listener->accept->requests, 0);
	ck_assert_int_eq(w.listener->refs, 1);
	teardown(&w);
}
END_TEST

static void connect_two(struct eh_task *t, void *arg)
{
	connect_only(t, arg);
	connect_only(t, arg);
}

/* An ACK that finds no room: with tcp_abort_on_overflow the client hears of it. */
START_TEST(abort_on_overflow)
{
	struct world w;

	setup(&w, 1);
	w.kc.tcp_abort_on_overflow = true;
	start(&w, w.client, connect_only);
	eh_sim_run(w.sim, EH_MS);
	start(&w, w.client, connect_two);
	eh_sim_run(w.sim, 2 * EH_MS);
	ck_assert_uint_eq(w.server->tcp->count.ack_dropped, 1);
	ck_assert_int_eq(w.listener->accept->length, 2);
	ck_assert_int_eq(w.listener->accept->requests, 0);
	ck_assert_int_eq(w.tp[1]->sk.state, EH_TCP_ESTABLISHED);
	ck_assert_int_eq(w.tp[2]->sk.state, EH_TCP_CLOSE);
	ck_assert_int_eq(w.tp[2]->err, -ECONNRESET);
	teardown(&w);
}
END_TEST

/* More requests than the accept queue holds: the next SYN gets a cookie, and its ACK makes a child. */
START_TEST(cookies)
{
	struct world w;

	setup_far(&w, 0, EH_MS);
	start(&w, w.client, connect_only);
	eh_sim_run(w.sim, EH_MS / 2);
	start(&w, w.client, connect_only);
	eh_sim_run(w.sim, EH_MS + EH_MS / 2 + 100 * EH_US);
	ck_assert_int_eq(w.listener->accept->requests, 1);
	ck_assert_uint_eq(w.server->tcp->count.cookies_sent, 1);
	ck_assert_uint_eq(eh_kmem_active(w.server->req_cache), 1);
	w.listener->accept->limit = 1; /* by the time the ACKs come there is room for both */
	eh_sim_run(w.sim, 5 * EH_MS);
	ck_assert_uint_eq(w.server->tcp->count.cookies_accepted, 1);
	ck_assert_int_eq(w.listener->accept->length, 2);
	ck_assert_int_eq(w.listener->accept->requests, 0);
	ck_assert_int_eq(w.listener->refs, 2); /* itself, and the one request */
	teardown(&w);
}
END_TEST

/* --- a SYN that overtakes a reset --- */

/* The server still has the half of an older connection from that port. */
START_TEST(challenge)
{
	struct world w;
	struct eh_sock old = {.laddr = SERVER, .lport = PORT, .raddr = CLIENT};
	struct eh_tcp *half;

	setup_with(&w, 128, EH_S1, 1);
	old.rport = port(&w);
	half = eh_tcp_preset(w.server, 2, &old);
	start(&w, w.client, connect_only);
	eh_sim_run(w.sim, 200 * EH_US);
	/* SYN, challenge ACK, reset: the old half is gone, the SYN waits for its timer */
	ck_assert_uint_eq(w.server->tcp->count.challenge_acks, 1);
	ck_assert_uint_eq(w.server->tcp->count.overtaken, 1);
	ck_assert_uint_eq(w.server->tcp->count.resets, 1);
	ck_assert_int_eq(half->sk.state, EH_TCP_CLOSE);
	ck_assert_int_eq(w.tp[0]->sk.state, EH_TCP_SYN_SENT);
	eh_sim_run(w.sim, 2 * JIFFY - 1); /* two jiffies, and the rest of this one */
	ck_assert_uint_eq(w.client->tcp->count.retransmits, 0);
	eh_sim_run(w.sim, 5 * EH_MS);
	ck_assert_uint_eq(w.client->tcp->count.retransmits, 1);
	ck_assert_int_eq(w.tp[0]->sk.state, EH_TCP_ESTABLISHED);
	teardown(&w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("close");
	TCase *close = tcase_create("graceful close"), *tw = tcase_create("TIME_WAIT"),
	      *again = tcase_create("again");

	tcase_add_test(close, states_and_segments);
	tcase_add_test(close, half_closed);
	tcase_add_test(tw, expiry);
	tcase_add_test(tw, at_most);
	tcase_add_test(tw, reuse);
	tcase_add_test(again, syn_retries);
	tcase_add_test(again, synack_retries);
	tcase_add_test(again, abort_on_overflow);
	tcase_add_test(again, cookies);
	tcase_add_test(again, challenge);
	tcase_set_timeout(tw, 60);
	suite_add_tcase(s, close);
	suite_add_tcase(s, tw);
	suite_add_tcase(s, again);
	return run_suite(s);
}
