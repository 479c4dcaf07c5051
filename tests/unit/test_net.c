/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/net: one connection from SYN to reset, call by call in each of its four contexts; sizes and
 * times on the wire; a full accept queue; a segment that finds an owner; epoll's order.
 *
 * The order is seen through the linker: --wrap puts a recorder in front of eh_path, the table calls
 * and net_rx_action (Makefile.am lists them), so nothing in the paths knows of the test.
 */
#include <ehsim/inet_hash.h>
#include <ehsim/link.h>
#include <ehsim/nic.h>
#include <ehsim/tcp.h>

#include <errno.h>
#include <string.h>

#include "../../src/net/path.h"
#include "host.h"
#include "suite.h"

#define PORT 12867
#define CLIENT 1
#define SERVER 2

/* --- the recorder --- */

enum { TASK, SOFTIRQ, CONTEXTS };

static struct recorder {
	GString *log[3][CONTEXTS]; /* by address of the host */
	bool softirq[3][64];
	eh_time arrived[8];
	int arrivals;
} rec;

static void record(const struct eh_cpu *c, const char *what)
{
	const struct eh_host *h = c->host;

	if (h && rec.log[h->addr][0])
		g_string_append_printf(rec.log[h->addr][rec.softirq[h->addr][c->id]], "%s\n", what);
}

/* The scheduler and the clock have tests of their own. */
static bool of_interest(int sym)
{
	return sym != EH_SYM(__schedule) && sym != EH_SYM(try_to_wake_up) &&
	       sym != EH_SYM(sched_tick) && sym != EH_SYM(kmem_cache_alloc_noprof) &&
	       sym != EH_SYM(kmem_cache_free);
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

void __real_eh_nic_receive(struct eh_nic *nic, struct eh_packet *p);
void __wrap_eh_nic_receive(struct eh_nic *nic, struct eh_packet *p);
void __wrap_eh_nic_receive(struct eh_nic *nic, struct eh_packet *p)
{
	if (rec.arrivals < 8)
		rec.arrived[rec.arrivals++] = eh_sim_now(nic->host->sim);
	__real_eh_nic_receive(nic, p);
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

/* --- two hosts --- */

struct world {
	struct eh_machine_config mc;
	struct eh_kernel_config kc;
	struct eh_network_config nc;
	struct eh_sim *sim;
	struct eh_host *client, *server;
	struct eh_link *link;
	struct eh_tcp *listener;
	struct eh_epoll *cep, *sep;
	struct eh_epoll_event ev[8];
	struct eh_tcp *tp[8], *child[8];
	int n, got;
	eh_time hold;
};

static void setup(struct world *w, int backlog)
{
	memset(w, 0, sizeof(*w));
	w->mc = host_machine(1, 1, 4, 1);
	eh_keys_defaults(eh_kernel_keys, &w->kc);
	eh_keys_defaults(eh_network_keys, &w->nc);
	w->nc.queues = 2;
	w->sim = eh_sim_new(1);
	w->client = eh_host_new(w->sim, "client", CLIENT, &w->mc, &w->kc, &w->nc);
	w->server = eh_host_new(w->sim, "server", SERVER, &w->mc, &w->kc, &w->nc);
	w->link = eh_link_new(w->client, w->server);
	w->cep = eh_epoll_new(w->client, 2);
	w->sep = eh_epoll_new(w->server, 2);
	w->listener = eh_tcp_listen(w->server, 2, PORT, backlog);
	eh_epoll_preset(w->sep, &w->listener->item, EH_EPOLLIN, w->listener, false);
}

static void teardown(struct world *w)
{
	eh_epoll_free(w->cep);
	eh_epoll_free(w->sep);
	eh_link_free(w->link);
	eh_host_free(w->client);
	eh_host_free(w->server);
	eh_keys_clear(eh_kernel_keys, &w->kc);
	eh_keys_clear(eh_network_keys, &w->nc);
	eh_sim_free(w->sim);
}

static void start(struct world *w, struct eh_host *h, void (*fn)(struct eh_task *t, void *arg))
{
	eh_task_start(eh_task_new(h->sched, 2, "test", fn, w));
}

static void *next_event(struct eh_task *t, struct eh_epoll *ep, uint32_t want)
{
	struct eh_epoll_event ev;

	ck_assert_int_eq(eh_sys_epoll_wait(t, ep, &ev, 1), 1);
	ck_assert_uint_eq(ev.events & want, want);
	return ev.data;
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

static void nothing_left(struct world *w)
{
	ck_assert_uint_eq(eh_kmem_active(w->client->sk_cache), 0);
	ck_assert_uint_eq(eh_kmem_active(w->server->sk_cache), 1);
	ck_assert_uint_eq(eh_kmem_active(w->client->file_cache), 0);
	ck_assert_uint_eq(eh_kmem_active(w->server->file_cache), 1);
	ck_assert_uint_eq(eh_kmem_active(w->server->req_cache), 0);
	ck_assert_uint_eq(w->link->pool.taken, 0);
	ck_assert_int_eq(w->listener->refs, 1);
	ck_assert_int_eq(w->listener->accept->requests, 0);
	ck_assert(eh_inet_port_free(w->client, SERVER, PORT, (uint16_t)w->kc.port_low));
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
	memset(&rec, 0, sizeof(rec));
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
	ck_assert_int_eq(rec.arrivals, 0);
	eh_sim_run(w.sim, 2 * EH_US + w.nc.delay);
	ck_assert_int_eq(rec.arrivals, 2);
	ck_assert_int_eq(rec.arrived[0], EH_US + wire + w.nc.delay);
	ck_assert_int_eq(rec.arrived[1], EH_US + 2 * wire + w.nc.delay);
	/* moderation: no interrupt before it has passed */
	eh_sim_run(w.sim, rec.arrived[0] + w.nc.moderation - 1);
	ck_assert_uint_eq(w.server->nic->interrupts, 0);
	eh_sim_run(w.sim, rec.arrived[1] + w.nc.moderation + 10 * EH_US);
	ck_assert_uint_ge(w.server->nic->interrupts, 1);
	teardown(&w);
}
END_TEST

/* --- corners --- */

static void connect_three(struct eh_task *t, void *arg)
{
	struct world *w = arg;

	for (int i = 0; i < 3; i++) {
		w->tp[i] = eh_sys_socket(t);
		ck_assert_int_eq(eh_sys_connect(t, w->tp[i], SERVER, PORT), 0);
		if (i == 1) /* two handshakes at once, then a third SYN */
			eh_cpu_wait_until(t->cpu, EH_SYM_USER, t->cpu->retire + EH_MS);
	}
	eh_cpu_wait_until(t->cpu, EH_SYM_USER, t->cpu->retire + EH_MS);
	w->got = 1;
	eh_cpu_wait_until(t->cpu, EH_SYM_USER, t->cpu->retire + EH_MS);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(eh_sys_send(t, w->tp[i], 5), 5);
	w->got = 2;
}

static void accept_all(struct eh_task *t, void *arg)
{
	struct world *w = arg;

	while (w->n < 2) {
		eh_cpu_wait_until(t->cpu, EH_SYM_USER, t->cpu->retire + 100 * EH_US);
		if (w->got >= 1 && (w->child[w->n] = eh_sys_accept(t, w->listener)))
			w->n++;
	}
}

/* Room for one: the second ACK is dropped, the third SYN too; the request brings the child. */
START_TEST(full_accept_queue)
{
	struct world w;

	setup(&w, 0);
	start(&w, w.server, accept_all);
	start(&w, w.client, connect_three);
	eh_sim_run(w.sim, 2 * EH_MS);
	ck_assert_int_eq(w.got, 0);
	ck_assert_uint_eq(w.server->tcp->count.ack_dropped, 1);
	ck_assert_uint_eq(w.server->tcp->count.syn_dropped, 1);
	ck_assert_int_eq(w.listener->accept->length, 1);
	ck_assert_int_eq(w.listener->accept->requests, 1);
	eh_sim_run(w.sim, 10 * EH_MS);
	ck_assert_int_eq(w.got, 2);
	ck_assert_int_eq(w.n, 2);
	ck_assert_uint_eq(w.server->tcp->count.ack_dropped, 1);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(w.child[i]->received.head->payload, 5);
	ck_assert_int_eq(w.listener->refs, 1);
	teardown(&w);
}
END_TEST

static void connect_and_close(struct eh_task *t, void *arg)
{
	struct world *w = arg;
	struct eh_tcp *tp = eh_sys_socket(t);

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
	Suite *s = suite_create("net");
	TCase *order = tcase_create("one connection"), *wire = tcase_create("wire"),
	      *corners = tcase_create("corners");

	tcase_add_test(order, counts_of_one_connection);
	tcase_add_test(order, order_in_tasks);
	tcase_add_test(order, order_in_softirq);
	tcase_add_test(wire, wire_bytes);
	tcase_add_test(wire, link_times);
	tcase_add_test(corners, full_accept_queue);
	tcase_add_test(corners, backlog);
	tcase_add_test(corners, epoll_order);
	suite_add_tcase(s, order);
	suite_add_tcase(s, wire);
	suite_add_tcase(s, corners);
	return run_suite(s);
}
