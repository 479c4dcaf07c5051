/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/net: sizes and times on the wire; a full accept queue; a segment that finds an owner; epoll's
 * order.
 */
#include <errno.h>

#include "../../src/net/path.h"
#include "hosts.h"
#include "suite.h"

/* --- when packets arrive --- */

static struct {
	eh_time at[8];
	int n;
} arrivals;

void __real_eh_nic_receive(struct eh_nic *nic, struct eh_packet *p);
void __wrap_eh_nic_receive(struct eh_nic *nic, struct eh_packet *p);
void __wrap_eh_nic_receive(struct eh_nic *nic, struct eh_packet *p)
{
	if (arrivals.n < 8)
		arrivals.at[arrivals.n++] = eh_sim_now(nic->host->sim);
	__real_eh_nic_receive(nic, p);
}

/* --- the wire --- */

START_TEST(wire_bytes)
{
	struct eh_network_config v6 = {.family = 1}, v4 = {.family = 0};
	struct eh_packet p = {.flags = EH_SYN};

	ck_assert_int_eq(eh_link_wire_bytes(&v6, &p), 94 + 24);
	ck_assert_int_eq(eh_link_wire_bytes(&v4, &p), 74 + 24);
	p.flags = EH_ACK;
	ck_assert_int_eq(eh_link_wire_bytes(&v6, &p), 86 + 24);
	ck_assert_int_eq(eh_link_wire_bytes(&v4, &p), 66 + 24);
	p.payload = 1;
	ck_assert_int_eq(eh_link_wire_bytes(&v6, &p), 87 + 24);
	p.payload = 1428;
	ck_assert_int_eq(eh_link_wire_bytes(&v6, &p), 1514 + 24);
}
END_TEST

/* Two SYNs at once: the second is serialised behind the first; delay counts once each. */
START_TEST(link_times)
{
	struct world w;
	eh_time wire;

	setup(&w, 128);
	wire = (94 + 24) * 8 * EH_SEC / w.nc.rate;
	memset(&arrivals, 0, sizeof(arrivals));
	for (int i = 0; i < 2; i++) {
		struct eh_packet *p = eh_packet_new(&w.link->pool);

		p->flags = EH_SYN;
		p->saddr = CLIENT;
		p->daddr = SERVER;
		p->sport = (uint16_t)(1000 + i);
		p->dport = PORT;
		eh_link_send(w.link, w.client->nic, p, EH_US);
	}
	eh_sim_run(w.sim, EH_US + wire + w.nc.delay - 1);
	ck_assert_int_eq(arrivals.n, 0);
	eh_sim_run(w.sim, 2 * EH_US + w.nc.delay);
	ck_assert_int_eq(arrivals.n, 2);
	ck_assert_int_eq(arrivals.at[0], EH_US + wire + w.nc.delay);
	ck_assert_int_eq(arrivals.at[1], EH_US + 2 * wire + w.nc.delay);
	/* moderation: no interrupt before it has passed */
	eh_sim_run(w.sim, arrivals.at[0] + w.nc.moderation - 1);
	ck_assert_uint_eq(w.server->nic->interrupts, 0);
	eh_sim_run(w.sim, arrivals.at[1] + w.nc.moderation + 10 * EH_US);
	ck_assert_uint_ge(w.server->nic->interrupts, 1);
	teardown(&w);
}
END_TEST

/* --- corners --- */

static void connect_four(struct eh_task *t, void *arg)
{
	struct world *w = arg;

	for (int i = 0; i < 4; i++) {
		w->tp[i] = eh_sys_socket(t);
		ck_assert_int_eq(eh_sys_connect(t, w->tp[i], SERVER, PORT), 0);
		if (i != 1) /* a handshake, then two at once, then a SYN */
			eh_cpu_wait_until(t->cpu, EH_SYM_USER, t->cpu->retire + EH_MS / 2);
	}
	eh_cpu_wait_until(t->cpu, EH_SYM_USER, t->cpu->retire + EH_MS);
	w->got = 1;
	eh_cpu_wait_until(t->cpu, EH_SYM_USER, t->cpu->retire + EH_MS);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(eh_sys_send(t, w->tp[i], 5), 5);
	w->got = 2;
}

static void accept_all(struct eh_task *t, void *arg)
{
	struct world *w = arg;

	while (w->n < 3) {
		eh_cpu_wait_until(t->cpu, EH_SYM_USER, t->cpu->retire + 100 * EH_US);
		if (w->got >= 1 && (w->child[w->n] = eh_sys_accept(t, w->listener)))
			w->n++;
	}
}

/*
 * Room for two: the third ACK is dropped, the fourth SYN too; the request brings the child, and the
 * SYN comes again.
 */
START_TEST(full_accept_queue)
{
	struct world w;

	setup(&w, 1);
	start(&w, w.server, accept_all);
	start(&w, w.client, connect_four);
	eh_sim_run(w.sim, 2 * EH_MS);
	ck_assert_int_eq(w.got, 0);
	ck_assert_uint_eq(w.server->tcp->count.ack_dropped, 1);
	ck_assert_uint_eq(w.server->tcp->count.syn_dropped, 1);
	ck_assert_int_eq(w.listener->accept->length, 2);
	ck_assert_int_eq(w.listener->accept->requests, 1);
	eh_sim_run(w.sim, 10 * EH_MS);
	ck_assert_int_eq(w.got, 2);
	ck_assert_int_eq(w.n, 3);
	ck_assert_uint_eq(w.server->tcp->count.ack_dropped, 1);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(w.child[i]->received.head->payload, 5);
	ck_assert_int_eq(w.listener->refs, 1);
	ck_assert_int_eq(w.tp[3]->sk.state, EH_TCP_SYN_SENT);
	eh_sim_run(w.sim, 2 * EH_SEC);
	ck_assert_int_eq(w.tp[3]->sk.state, EH_TCP_ESTABLISHED);
	teardown(&w);
}
END_TEST

static void connect_and_close(struct eh_task *t, void *arg)
{
	struct world *w = arg;
	struct eh_tcp *tp = eh_sys_socket(t);

	eh_sys_setsockopt(t, tp);
	ck_assert_int_eq(eh_sys_connect(t, tp, SERVER, PORT), 0);
	eh_sys_epoll_ctl(t, w->cep, EH_EPOLL_ADD, &tp->item, EH_EPOLLOUT, tp);
	next_event(t, w->cep, EH_EPOLLOUT);
	eh_sys_epoll_ctl(t, w->cep, EH_EPOLL_DEL, &tp->item, 0, NULL);
	eh_cpu_wait_until(t->cpu, EH_SYM_USER, t->cpu->retire + EH_MS);
	eh_sys_close(t, tp);
}

static void own_while_reset(struct eh_task *t, void *arg)
{
	struct world *w = arg;
	struct eh_tcp *tp;

	next_event(t, w->sep, EH_EPOLLIN);
	tp = w->child[0] = eh_sys_accept(t, w->listener);
	eh_lock_sock(t->cpu, tp);
	eh_cpu_wait_until(t->cpu, EH_SYM_USER, t->cpu->retire + 3 * EH_MS);
	ck_assert_uint_eq(w->server->tcp->count.backlogged, 1);
	ck_assert_uint_eq(w->server->tcp->count.resets, 0);
	ck_assert_int_eq(tp->sk.state, EH_TCP_ESTABLISHED);
	eh_release_sock(t->cpu, tp);
	ck_assert_int_eq(tp->sk.state, EH_TCP_CLOSE);
	ck_assert(!tp->sk.hashed);
	eh_sys_close(t, tp);
	w->got = 1;
}

START_TEST(backlog)
{
	struct world w;

	setup(&w, 128);
	start(&w, w.server, own_while_reset);
	start(&w, w.client, connect_and_close);
	eh_sim_run(w.sim, 10 * EH_MS);
	ck_assert_int_eq(w.got, 1);
	ck_assert_uint_eq(w.server->tcp->count.resets, 1);
	nothing_left(&w);
	teardown(&w);
}
END_TEST

/* --- epoll alone --- */

static struct eh_epitem items[3];
static bool readiness[3];

static uint32_t poll_item(struct eh_cpu *c, struct eh_epitem *item)
{
	(void)c;
	return readiness[item - items] ? EH_EPOLLIN : 0;
}

static void expect_events(struct eh_task *t, struct world *w, int max, const char *names)
{
	int n = eh_sys_epoll_wait(t, w->cep, w->ev, max);
	char got[8] = "";

	for (int i = 0; i < n; i++)
		got[i] = (char)('a' + ((struct eh_epitem *)w->ev[i].data - items));
	ck_assert_str_eq(got, names);
}

static void poll_around(struct eh_task *t, void *arg)
{
	struct world *w = arg;

	for (int i = 0; i < 3; i++) {
		items[i] = (struct eh_epitem){.poll = poll_item};
		readiness[i] = true;
		eh_sys_epoll_ctl(t, w->cep, EH_EPOLL_ADD, &items[i], EH_EPOLLIN, &items[i]);
	}
	expect_events(t, w, 2, "ab");
	expect_events(t, w, 2, "ca"); /* handed out again as long as it is ready: at the tail */
	expect_events(t, w, 8, "bca");
	readiness[1] = false;
	expect_events(t, w, 8, "ca");
	readiness[1] = true; /* not told: nobody looks */
	expect_events(t, w, 8, "ca");
	eh_ep_poll_callback(t->cpu, &items[1], EH_EPOLLOUT); /* not what is wanted */
	expect_events(t, w, 8, "ca");
	eh_ep_poll_callback(t->cpu, &items[1], EH_EPOLLIN);
	expect_events(t, w, 8, "cab");
	eh_sys_epoll_ctl(t, w->cep, EH_EPOLL_DEL, &items[0], 0, NULL);
	eh_sys_epoll_ctl(t, w->cep, EH_EPOLL_MOD, &items[2], EH_EPOLLOUT, &items[2]);
	expect_events(t, w, 8, "b");
	readiness[1] = false;
	w->got = 1;
	expect_events(t, w, 8, "b"); /* sleeps until told */
	w->got = 2;
}

static void tell(struct eh_task *t, void *arg)
{
	struct world *w = arg;

	eh_cpu_wait_until(t->cpu, EH_SYM_USER, t->cpu->retire + EH_MS);
	ck_assert_int_eq(w->got, 1);
	readiness[1] = true;
	eh_ep_poll_callback(t->cpu, &items[1], EH_EPOLLIN);
}

START_TEST(epoll_order)
{
	struct world w;

	setup(&w, 128);
	start(&w, w.client, poll_around);
	eh_task_start(eh_task_new(w.client->sched, 3, "tell", tell, &w));
	eh_sim_run(w.sim, 5 * EH_MS);
	ck_assert_int_eq(w.got, 2);
	teardown(&w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("wire");
	TCase *wire = tcase_create("wire"), *corners = tcase_create("corners");

	tcase_add_test(wire, wire_bytes);
	tcase_add_test(wire, link_times);
	tcase_add_test(corners, full_accept_queue);
	tcase_add_test(corners, backlog);
	tcase_add_test(corners, epoll_order);
	suite_add_tcase(s, wire);
	suite_add_tcase(s, corners);
	return run_suite(s);
}
