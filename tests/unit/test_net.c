/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/net: one connection from SYN to reset, call by call in each of its four contexts.
 *
 * The order is seen through the linker: --wrap puts a recorder in front of eh_path, the table calls
 * and net_rx_action (Makefile.am lists them), so nothing in the paths knows of the test.
 */
#include <errno.h>
#include <string.h>

#include "hosts.h"
#include "suite.h"

/* --- the recorder --- */

enum { TASK, SOFTIRQ, CONTEXTS };

static struct recorder {
	GString *log[3][CONTEXTS]; /* by address of the host */
	bool softirq[3][64];
} rec;

static void record(const struct eh_cpu *c, const char *what)
{
	const struct eh_host *h = c->host;

	if (h && rec.log[h->addr][0])
		g_string_append_printf(rec.log[h->addr][rec.softirq[h->addr][c->id]], "%s\n", what);
}

/* The scheduler, the clock and the memory have tests of their own. */
static bool of_interest(int sym)
{
	return sym != EH_SYM(__schedule) && sym != EH_SYM(try_to_wake_up) &&
	       sym != EH_SYM(sched_tick) && sym != EH_SYM(kmem_cache_alloc_noprof) &&
	       sym != EH_SYM(kmem_cache_free) && sym != EH_SYM(___slab_alloc) &&
	       sym != EH_SYM(allocate_slab) && sym != EH_SYM(__slab_free) &&
	       sym != EH_SYM(get_page_from_freelist) && sym != EH_SYM(rmqueue_bulk);
}

void __real_eh_path(struct eh_cpu *c, int sym, int64_t k);
void __wrap_eh_path(struct eh_cpu *c, int sym, int64_t k);
void __wrap_eh_path(struct eh_cpu *c, int sym, int64_t k)
{
	if (of_interest(sym))
		record(c, eh_symbol_name(sym));
	__real_eh_path(c, sym, k);
}

void __real_eh_net_rx_action(struct eh_cpu *c);
void __wrap_eh_net_rx_action(struct eh_cpu *c);
void __wrap_eh_net_rx_action(struct eh_cpu *c)
{
	bool *in = &rec.softirq[((struct eh_host *)c->host)->addr][c->id];

	*in = true;
	__real_eh_net_rx_action(c);
	*in = false;
}

#define WRAP(name, args, call, c)                                                                  \
	void __real_##name args;                                                                   \
	void __wrap_##name args;                                                                   \
	void __wrap_##name args                                                                    \
	{                                                                                          \
		record(c, "> " #name);                                                             \
		__real_##name call;                                                                \
		record(c, "<");                                                                    \
	}

WRAP(eh_inet_unhash, (struct eh_cpu *c, struct eh_sock *sk, bool process), (c, sk, process), c)
WRAP(eh_inet_put_port, (struct eh_cpu *c, struct eh_sock *sk, bool process), (c, sk, process), c)
WRAP(eh_inet_reqsk_insert, (struct eh_cpu *c, struct eh_sock *sk), (c, sk), c)
WRAP(eh_inet_inherit_port, (struct eh_cpu *c, struct eh_sock *l, struct eh_sock *sk), (c, l, sk), c)
WRAP(eh_inet_hashdance, (struct eh_cpu *c, struct eh_sock *r, struct eh_sock *sk), (c, r, sk), c)

WRAP(eh_inet_share_port, (struct eh_cpu *c, struct eh_sock *o, struct eh_sock *sk, int sym),
     (c, o, sk, sym), c)
WRAP(eh_ehash_insert_locked, (struct eh_cpu *c, struct eh_sock *sk, int sym), (c, sk, sym), c)
WRAP(eh_ehash_remove_locked, (struct eh_cpu *c, struct eh_sock *sk, int sym), (c, sk, sym), c)

int __real_eh_inet_hash_connect(struct eh_cpu *c, struct eh_sock *sk);
int __wrap_eh_inet_hash_connect(struct eh_cpu *c, struct eh_sock *sk);
int __wrap_eh_inet_hash_connect(struct eh_cpu *c, struct eh_sock *sk)
{
	int ret;

	record(c, "> eh_inet_hash_connect");
	ret = __real_eh_inet_hash_connect(c, sk);
	record(c, "<");
	return ret;
}

/* --- one connection --- */

static void client_once(struct eh_task *t, void *arg)
{
	struct world *w = arg;
	struct eh_tcp *tp = eh_sys_socket(t);

	eh_sys_setsockopt(t, tp);
	ck_assert_int_eq(eh_sys_connect(t, tp, SERVER, PORT), 0);
	ck_assert_int_eq(tp->sk.state, EH_TCP_SYN_SENT);
	eh_sys_epoll_ctl(t, w->cep, EH_EPOLL_ADD, &tp->item, EH_EPOLLOUT, tp);
	ck_assert_ptr_eq(next_event(t, w->cep, EH_EPOLLOUT), tp);
	ck_assert_int_eq(eh_sys_recv(t, tp), -EAGAIN);
	ck_assert_int_eq(eh_sys_send(t, tp, 7), 7);
	eh_sys_epoll_ctl(t, w->cep, EH_EPOLL_MOD, &tp->item, EH_EPOLLIN, tp);
	next_event(t, w->cep, EH_EPOLLIN);
	ck_assert_int_eq(eh_sys_recv(t, tp), 9);
	eh_sys_epoll_ctl(t, w->cep, EH_EPOLL_DEL, &tp->item, 0, NULL);
	eh_sys_close(t, tp);
	ck_assert_ptr_null(tp->sk.obj);
	w->got++;
}

static void server_once(struct eh_task *t, void *arg)
{
	struct world *w = arg;
	struct eh_tcp *tp;

	next_event(t, w->sep, EH_EPOLLIN);
	tp = eh_sys_accept(t, w->listener);
	ck_assert_ptr_nonnull(tp);
	ck_assert_ptr_null(eh_sys_accept(t, w->listener));
	eh_sys_epoll_ctl(t, w->sep, EH_EPOLL_ADD, &tp->item, EH_EPOLLIN, tp);
	ck_assert_ptr_eq(next_event(t, w->sep, EH_EPOLLIN), tp);
	ck_assert_int_eq(eh_sys_recv(t, tp), 7);
	ck_assert_int_eq(eh_sys_send(t, tp, 9), 9);
	ck_assert_ptr_eq(next_event(t, w->sep, EH_EPOLLHUP | EH_EPOLLERR), tp);
	ck_assert_int_eq(eh_sys_recv(t, tp), -ECONNRESET);
	eh_sys_epoll_ctl(t, w->sep, EH_EPOLL_DEL, &tp->item, 0, NULL);
	eh_sys_close(t, tp);
	w->got++;
}

START_TEST(counts_of_one_connection)
{
	struct world w;

	setup(&w, 128);
	start(&w, w.server, server_once);
	start(&w, w.client, client_once);
	eh_sim_run(w.sim, 10 * EH_MS);
	ck_assert_int_eq(w.got, 2);
	/* SYN, ACK, request, ACK of the response, RST; SYN-ACK, ACK of the request, response */
	ck_assert_uint_eq(w.client->nic->sent, 5);
	ck_assert_uint_eq(w.server->nic->received, 5);
	ck_assert_uint_eq(w.server->nic->sent, 3);
	ck_assert_uint_eq(w.client->nic->received, 3);
	ck_assert_uint_eq(w.client->tcp->count.connected, 1);
	ck_assert_uint_eq(w.server->tcp->count.accepted, 1);
	ck_assert_uint_eq(w.server->tcp->count.resets, 1);
	ck_assert_uint_eq(w.server->tcp->count.stray + w.client->tcp->count.stray, 0);
	ck_assert_uint_eq(w.server->tcp->count.overtaken, 0);
	nothing_left(&w);
	teardown(&w);
}
END_TEST

/* --- its order --- */

static void begin_record(void)
{
	for (int h = 1; h <= 2; h++)
		for (int i = 0; i < CONTEXTS; i++)
			rec.log[h][i] = g_string_new(NULL);
}

static void end_record(void)
{
	for (int h = 1; h <= 2; h++)
		for (int i = 0; i < CONTEXTS; i++)
			g_string_free(rec.log[h][i], TRUE);
	memset(&rec, 0, sizeof(rec));
}

/* The lines between two markers, markers left out; without what happens inside a table call. */
static char *outline(const char *log)
{
	GString *out = g_string_new(NULL);
	char **lines = g_strsplit(log, "\n", -1);
	int depth = 0;

	for (int i = 0; lines[i]; i++) {
		if (lines[i][0] == '<')
			depth--;
		else if (depth == 0 && lines[i][0])
			g_string_append_printf(out, "%s\n", lines[i]);
		if (lines[i][0] == '>')
			depth++;
	}
	g_strfreev(lines);
	return g_string_free(out, FALSE);
}

static void same_lines(const char *got, const char *expected)
{
	char **a = g_strsplit(got, "\n", -1), **b = g_strsplit(expected, "\n", -1);

	for (int i = 0; a[i] && b[i]; i++)
		ck_assert_msg(strcmp(a[i], b[i]) == 0, "line %d: %s, not %s", i + 1, a[i], b[i]);
	ck_assert_uint_eq(g_strv_length(a), g_strv_length(b));
	g_strfreev(a);
	g_strfreev(b);
}

#define LOCK "lock_sock_nested\n"
#define RELEASE "release_sock\n"
#define SYSCALL "entry_SYSCALL_64\n"
#define TRANSMIT "__tcp_transmit_skb\nip6_xmit\n__dev_queue_xmit\n"
#define WAIT SYSCALL "do_epoll_wait\n"
#define EVENT "do_epoll_wait\n"
#define RECV SYSCALL LOCK "tcp_recvmsg_locked\n" RELEASE
#define SEND SYSCALL LOCK "tcp_sendmsg_locked\n" TRANSMIT RELEASE
#define CTL SYSCALL "do_epoll_ctl\n"
#define INTERRUPT "asm_common_interrupt\n"

#define RECEIVE "napi_gro_receive\n__netif_receive_skb_core\nip6_rcv_core\ntcp_v6_rcv\n"
#define LOOKUP "__inet6_lookup_established\n"
#define READABLE "sock_def_readable\nep_poll_callback\n"

/* What the host's task does; interrupts on idle CPUs are in the same log. */
static void check_task(int host, const char *expected)
{
	char **parts = g_strsplit(rec.log[host][TASK]->str, INTERRUPT, -1);
	char *log = g_strjoinv("", parts), *text = outline(log);

	same_lines(text, expected);
	g_free(text);
	g_free(log);
	g_strfreev(parts);
}

static void run_recorded(struct world *w)
{
	setup(w, 128);
	begin_record();
	start(w, w->server, server_once);
	start(w, w->client, client_once);
	eh_sim_run(w->sim, 10 * EH_MS);
}

START_TEST(order_in_tasks)
{
	struct world w;

	run_recorded(&w);
	check_task(CLIENT, SYSCALL "sk_alloc\nalloc_empty_file\n"
		   SYSCALL "do_sock_setsockopt\n" LOCK RELEASE
		   SYSCALL LOCK "tcp_v6_connect\n> eh_inet_hash_connect\ntcp_v6_connect\n"
		   TRANSMIT RELEASE
		   CTL WAIT EVENT RECV SEND CTL WAIT EVENT RECV CTL
		   SYSCALL "__fput\n" LOCK
		   "tcp_disconnect\n> eh_inet_unhash\n> eh_inet_put_port\n"
		   "tcp_send_active_reset\n" TRANSMIT
		   "inet_csk_destroy_sock\n" RELEASE "sk_free\n");
	check_task(SERVER, WAIT EVENT
		   SYSCALL "alloc_empty_file\ninet_csk_accept\n" LOCK RELEASE
		   SYSCALL "alloc_empty_file\ninet_csk_accept\n" LOCK RELEASE
		   CTL WAIT EVENT RECV SEND WAIT EVENT RECV CTL
		   SYSCALL "__fput\n" LOCK "inet_csk_destroy_sock\n" RELEASE "sk_free\n");
	end_record();
	teardown(&w);
}
END_TEST

/* Without polls and completions. */
static char *packets_only(const char *log)
{
	GString *out = g_string_new(NULL);
	char *text = outline(log), **lines = g_strsplit(text, "\n", -1);

	for (int i = 0; lines[i]; i++)
		if (lines[i][0] && strcmp(lines[i], "net_rx_action") != 0 &&
		    strcmp(lines[i], "napi_consume_skb") != 0)
			g_string_append_printf(out, "%s\n", lines[i]);
	g_strfreev(lines);
	g_free(text);
	return g_string_free(out, FALSE);
}

START_TEST(order_in_softirq)
{
	struct world w;
	char *client, *server;

	run_recorded(&w);
	client = packets_only(rec.log[CLIENT][SOFTIRQ]->str);
	server = packets_only(rec.log[SERVER][SOFTIRQ]->str);
	same_lines(client,
		   /* SYN-ACK: the waiter hears of it, then the ACK goes out */
		   RECEIVE LOOKUP "tcp_rcv_state_process\ntcp_ack\n" READABLE TRANSMIT
		   /* ACK of the request */
		   RECEIVE LOOKUP "tcp_rcv_established\ntcp_ack\n"
		   /* response: acknowledged at once */
		   RECEIVE LOOKUP "tcp_rcv_established\ntcp_ack\n" TRANSMIT READABLE);
	same_lines(server,
		   /* SYN */
		   RECEIVE LOOKUP "inet6_lookup_listener\ntcp_conn_request\n"
		   "> eh_inet_reqsk_insert\n" TRANSMIT
		   /* ACK: child, port, tables, accept queue, listener's waiter */
		   RECEIVE LOOKUP "tcp_check_req\ntcp_v6_syn_recv_sock\n"
		   "> eh_inet_inherit_port\n> eh_inet_hashdance\n"
		   "tcp_rcv_state_process\ntcp_ack\n" READABLE
		   /* request, right behind: the child is in no epoll set yet */
		   RECEIVE LOOKUP "tcp_rcv_established\ntcp_ack\n" TRANSMIT "sock_def_readable\n"
		   /* ACK of the response */
		   RECEIVE LOOKUP "tcp_rcv_established\ntcp_ack\n"
		   /* RST: out of the tables, port given back, hang-up and error */
		   RECEIVE LOOKUP "tcp_reset\n> eh_inet_unhash\n> eh_inet_put_port\n"
		   READABLE READABLE);
	g_free(client);
	g_free(server);
	end_record();
	teardown(&w);
}
END_TEST

/* --- graceful close --- */

static void client_closes(struct eh_task *t, void *arg)
{
	struct world *w = arg;
	struct eh_tcp *tp = eh_sys_socket(t);

	ck_assert_int_eq(eh_sys_connect(t, tp, SERVER, PORT), 0);
	eh_sys_epoll_ctl(t, w->cep, EH_EPOLL_ADD, &tp->item, EH_EPOLLOUT, tp);
	next_event(t, w->cep, EH_EPOLLOUT);
	eh_sys_epoll_ctl(t, w->cep, EH_EPOLL_DEL, &tp->item, 0, NULL);
	end_record();
	begin_record();
	eh_sys_close(t, tp);
	w->got++;
}

static void server_closes(struct eh_task *t, void *arg)
{
	struct world *w = arg;
	struct eh_tcp *tp;

	next_event(t, w->sep, EH_EPOLLIN);
	tp = eh_sys_accept(t, w->listener);
	eh_sys_epoll_ctl(t, w->sep, EH_EPOLL_ADD, &tp->item, EH_EPOLLIN | EH_EPOLLRDHUP, tp);
	next_event(t, w->sep, EH_EPOLLIN | EH_EPOLLRDHUP);
	eh_sys_epoll_ctl(t, w->sep, EH_EPOLL_DEL, &tp->item, 0, NULL);
	eh_sys_close(t, tp);
	w->got++;
}

/* Into the bind bucket, in before out in the chain, then the old socket's own port; and the end. */
START_TEST(order_of_time_wait)
{
	struct world w;
	char *client, *server, *last;

	setup(&w, 128);
	w.kc.timewait = 20 * EH_MS;
	begin_record();
	start(&w, w.server, server_closes);
	start(&w, w.client, client_closes);
	eh_sim_run(w.sim, 10 * EH_MS);
	ck_assert_int_eq(w.got, 2);
	client = packets_only(rec.log[CLIENT][SOFTIRQ]->str);
	server = packets_only(rec.log[SERVER][SOFTIRQ]->str);
	same_lines(client, RECEIVE LOOKUP "tcp_rcv_state_process\ntcp_ack\ntcp_fin\n" TRANSMIT
		   "tcp_time_wait\n> eh_inet_share_port\ninet_twsk_hashdance_schedule\n"
		   "> eh_ehash_insert_locked\n> eh_ehash_remove_locked\n"
		   "> eh_inet_put_port\ninet_csk_destroy_sock\nsk_free\n");
	last = strstr(server, "tcp_fin\n");
	ck_assert_ptr_nonnull(last);
	same_lines(last, "tcp_fin\nsock_def_readable\n" RECEIVE LOOKUP "tcp_rcv_state_process\ntcp_ack\n"
		   "> eh_inet_unhash\n> eh_inet_put_port\ninet_csk_destroy_sock\nsk_free\n");
	end_record();
	begin_record();
	eh_sim_run(w.sim, 50 * EH_MS);
	g_free(client);
	client = outline(rec.log[CLIENT][TASK]->str);
	last = strstr(client, "run_timer_softirq");
	ck_assert_ptr_nonnull(last);
	same_lines(last, "run_timer_softirq\ninet_twsk_kill\n> eh_ehash_remove_locked\n"
		   "> eh_inet_put_port\n");
	nothing_left(&w);
	g_free(client);
	g_free(server);
	end_record();
	teardown(&w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("net");
	TCase *order = tcase_create("one connection");

	tcase_add_test(order, counts_of_one_connection);
	tcase_add_test(order, order_in_tasks);
	tcase_add_test(order, order_in_softirq);
	tcase_add_test(order, order_of_time_wait);
	suite_add_tcase(s, order);
	return run_suite(s);
}
