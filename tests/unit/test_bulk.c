/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/net: bulk data. Does every byte arrive, and is all memory given back, by whom it should? Windows,
 * merging, steering and deferred frees.
 */
#include <ehsim/bulk.h>
#include <ehsim/check.h>
#include <ehsim/skb.h>
#include <ehsim/softnet.h>
#include <errno.h>

#include "hosts.h"
#include "suite.h"

#define CLIENT_PORT 40000
#define WRITE 16384
#define READ 65536

static struct bulk_test {
	int64_t to_send, sent, read;
	int reads;
} bulk;

static void connect_both(struct world *w)
{
	const struct eh_sock there = {.laddr = CLIENT, .lport = CLIENT_PORT, .raddr = SERVER, .rport = PORT};
	const struct eh_sock here = {.laddr = SERVER, .lport = PORT, .raddr = CLIENT, .rport = CLIENT_PORT};

	w->tp[0] = eh_tcp_preset(w->client, 2, &there);
	w->child[0] = eh_tcp_preset(w->server, 2, &here);
	eh_bulk_preset(w->tp[0], 2, WRITE);
	eh_bulk_preset(w->child[0], 2, READ);
	eh_epoll_preset(w->cep, &w->tp[0]->item, EH_EPOLLOUT, w->tp[0], true);
	eh_epoll_preset(w->sep, &w->child[0]->item, EH_EPOLLIN, w->child[0], false);
}

static void send_all(struct eh_task *t, void *arg)
{
	struct world *w = arg;

	while (bulk.sent < bulk.to_send) {
		next_event(t, w->cep, EH_EPOLLOUT);
		bulk.sent += eh_sys_bulk_send(t, w->tp[0], (int)MIN(WRITE, bulk.to_send - bulk.sent));
	}
	for (;;)
		eh_task_block(t);
}

static void read_all(struct eh_task *t, void *arg)
{
	struct world *w = arg;
	int n;

	for (;;) {
		next_event(t, w->sep, EH_EPOLLIN);
		n = eh_sys_bulk_recv(t, w->child[0], READ);
		ck_assert_int_gt(n, 0);
		ck_assert_int_le(n, READ);
		bulk.read += n;
		bulk.reads++;
	}
}

static void begin(struct world *w, int64_t bytes, bool reader)
{
	bulk = (struct bulk_test){.to_send = bytes};
	build(w, 8);
	connect_both(w);
	start(w, w->client, send_all);
	if (reader)
		start(w, w->server, read_all);
}

static void nothing_held(struct world *w)
{
	struct eh_zone_stats z;

	eh_net_check(w->client, w->server);
	eh_mm_check(w->client->m->mm);
	eh_mm_check(w->server->m->mm);
	ck_assert_uint_eq(eh_bulk_skbs(w->tp[0]->bulk), 0);
	ck_assert_uint_eq(eh_kmem_active(w->client->skbs->pairs), 0); /* completed, too */
	ck_assert_ptr_null(w->child[0]->received.head);
	ck_assert_uint_eq(w->link->pool.taken, 0);
	ck_assert_int_eq(w->tp[0]->bulk->queued, 0);
	ck_assert_int_eq(w->child[0]->bulk->rmem, 0);
	eh_zone_stats(w->client->m->mm, 0, &z);
	/* the block at hand, slabs; buffers to receive into */
	ck_assert_uint_le(z.in_use, 256 + (uint64_t)(w->client->nic->nqueues * w->nc.ring));
}

/* --- sizes --- */

START_TEST(segments)
{
	struct eh_network_config n = {.family = 1, .mtu = 1500};
	struct eh_kernel_config k = {.tcp_timestamps = true};

	ck_assert_int_eq(eh_bulk_mss(&k, &n), 1428);
	n.family = 0;
	ck_assert_int_eq(eh_bulk_mss(&k, &n), 1448);
	k.tcp_timestamps = false;
	ck_assert_int_eq(eh_bulk_mss(&k, &n), 1460);
	n.mtu = 4168;
	ck_assert_int_eq(eh_bulk_mss(&k, &n), 4096); /* a page */
}
END_TEST

/* --- every byte, and nothing left; whatever the switches --- */

static const struct {
	int64_t bytes, mtu;
	int steering;
	bool tso, gro, defer;
	int64_t rmem; /* 0: as it is */
} ways[] = {
	{1, 1500, EH_STEER_OFF, true, true, false, 0},
	{1428, 1500, EH_STEER_OFF, true, true, false, 0},
	{1429, 1500, EH_STEER_OFF, true, true, false, 0},
	{3000000, 1500, EH_STEER_OFF, true, true, false, 0},
	{3000000, 1500, EH_STEER_OFF, false, true, false, 0},
	{3000000, 1500, EH_STEER_OFF, true, false, true, 0},
	{3000001, 4168, EH_STEER_RFS, true, true, false, 0},
	{3000001, 4168, EH_STEER_RFS, true, true, true, 0},
	{3000001, 1500, EH_STEER_RPS, true, true, true, 0},
	{3000001, 1500, EH_STEER_OFF, true, true, false, 65536}, /* a window of less than 64 KiB */
	{3000001, 576, EH_STEER_OFF, true, true, false, 65536},
	{3000001, 4168, EH_STEER_OFF, true, true, false, 100000},
};

START_TEST(every_byte)
{
	struct world w;

	configure(&w);
	w.kc.steering = ways[_i].steering;
	w.kc.tso = ways[_i].tso;
	w.kc.gro = ways[_i].gro;
	w.kc.skb_defer = ways[_i].defer;
	w.nc.mtu = ways[_i].mtu;
	if (ways[_i].rmem)
		w.kc.tcp_rmem = ways[_i].rmem;
	begin(&w, ways[_i].bytes, true);
	eh_sim_run(w.sim, 300 * EH_MS); /* the last ACK may be a delayed one */
	ck_assert_int_eq(bulk.sent, ways[_i].bytes);
	ck_assert_int_eq(bulk.read, ways[_i].bytes);
	ck_assert_uint_eq(w.child[0]->rcv_nxt, (uint32_t)ways[_i].bytes);
	ck_assert_uint_eq(w.tp[0]->snd_una, (uint32_t)ways[_i].bytes);
	if (w.server->softnet && w.server->softnet->cpus) { /* what waits to be freed waits for a poll */
		for (int i = 0; i < w.server->m->ncpus; i++)
			ck_assert_int_lt(w.server->softnet->cpus[i].ndefer, (int)w.kc.skb_defer_max);
	}
	if (!ways[_i].defer)
		nothing_held(&w);
	else
		eh_net_check(w.client, w.server);
	teardown(&w);
}
END_TEST

/* --- windows --- */

/* Nobody reads: the sender stops when the window is used up, and memory stays below the limits. */
START_TEST(nobody_reads)
{
	struct world w;

	configure(&w);
	w.kc.tcp_rmem = 1 << 20;
	w.kc.tcp_wmem = 1 << 20;
	begin(&w, 64 << 20, false);
	eh_sim_run(w.sim, 100 * EH_MS);
	ck_assert_int_le(w.child[0]->bulk->rmem, w.kc.tcp_rmem);
	ck_assert_int_gt(w.child[0]->bulk->rmem, w.kc.tcp_rmem / 2);
	ck_assert_int_le(w.tp[0]->bulk->queued, w.kc.tcp_wmem + 65536 + 768);
	ck_assert_int_lt(bulk.sent, 3 << 20);
	ck_assert_uint_le(w.tp[0]->snd_nxt, w.child[0]->bulk->edge);
	eh_net_check(w.client, w.server);
	teardown(&w);
}
END_TEST

/* --- merging --- */

static uint64_t packets_up(bool gro)
{
	struct world w;
	uint64_t wakes;

	configure(&w);
	w.kc.gro = gro;
	begin(&w, 1428 * 45 * 20, false);
	eh_sim_run(w.sim, 200 * EH_MS);
	wakes = 0;
	for (const struct eh_packet *p = w.child[0]->received.head; p; p = p->next) {
		int frames = 0, skbs = 0, bytes = 0;

		for (const struct eh_packet *f = p; f; f = f->more) {
			frames++;
			skbs += f->skb != NULL;
			bytes += f->frame_bytes;
		}
		ck_assert_int_eq(frames, p->frames);
		ck_assert_int_eq(bytes, p->payload);
		ck_assert_int_eq(skbs, (frames + 16) / 17);
		wakes++;
	}
	teardown(&w);
	return wakes;
}

START_TEST(merged)
{
	ck_assert_uint_ge(packets_up(false), 45 * 20); /* the first write leaves at once, with a short one */
	ck_assert_uint_lt(packets_up(true), 45 * 20 / 4);
}
END_TEST

/* --- who goes on, who frees --- */

static uint64_t frees_elsewhere(struct world *w, int steering, bool defer)
{
	struct eh_kmem_info info;

	configure(w);
	w->mc = host_machine(2, 1, 2, 1);
	w->kc.steering = steering;
	w->kc.skb_defer = defer;
	begin(w, 8 << 20, true);
	eh_sim_run(w->sim, 100 * EH_MS);
	ck_assert_int_eq(bulk.read, 8 << 20);
	eh_kmem_info(w->server->skbs->heads, &info);
	return info.counts.remotefrees;
}

/* Two queues, on CPUs 0 and 2; the reader is on CPU 2. */
START_TEST(goes_home)
{
	struct world w;
	uint64_t kept, steered;

	kept = frees_elsewhere(&w, EH_STEER_RFS, false);
	steered = w.server->softnet->count.steered;
	ck_assert_uint_eq(w.server->softnet->count.deferred, 0);
	teardown(&w);
	if (!steered) /* the flow's queue is the reader's own: the hash may say so */
		ck_assert_uint_eq(kept, 0);
	ck_assert_uint_eq(frees_elsewhere(&w, EH_STEER_RFS, true), 0);
	ck_assert((w.server->softnet->count.deferred > 0) == (steered > 0));
	teardown(&w);
}
END_TEST

/* An interrupt comes when the list is full, and only then. */
START_TEST(full_list)
{
	struct world w;

	configure(&w);
	w.kc.skb_defer = true;
	w.kc.skb_defer_max = 2;
	w.kc.steering = EH_STEER_RFS;
	begin(&w, 8 << 20, true);
	eh_sim_run(w.sim, 100 * EH_MS);
	ck_assert_uint_le(w.server->softnet->count.kicks, w.server->softnet->count.deferred / 2);
	if (w.server->softnet->count.deferred > 100)
		ck_assert_uint_gt(w.server->softnet->count.kicks, 0);
	teardown(&w);
}
END_TEST

/* --- broken on purpose --- */

START_TEST(lost)
{
	struct world w;
	struct eh_packet *p;
	char *why;

	configure(&w);
	begin(&w, 1 << 20, false);
	eh_sim_run(w.sim, 50 * EH_MS);
	eh_net_check(w.client, w.server);
	p = eh_packets_pop(&w.child[0]->received);
	p->skb = NULL;
	why = eh_link_problem(w.client, w.server);
	ck_assert_ptr_nonnull(why);
	g_free(why);
	teardown(&w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("bulk");
	TCase *data = tcase_create("data"), *cpus = tcase_create("cpus");

	tcase_add_test(data, segments);
	tcase_add_loop_test(data, every_byte, 0, (int)G_N_ELEMENTS(ways));
	tcase_add_test(data, nobody_reads);
	tcase_add_test(data, merged);
	tcase_add_test(data, lost);
	tcase_add_test(cpus, goes_home);
	tcase_add_test(cpus, full_list);
	suite_add_tcase(s, data);
	suite_add_tcase(s, cpus);
	return run_suite(s);
}
