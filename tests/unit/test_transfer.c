/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hub: times of a frame alone, of two that collide, of two stations that always send. The host of
 * 2004: is everything that was sent read, is each frame looked up once; who gets the interrupts, and what
 * does a lookup fetch then; do locks cost what a bus that stops costs? The same run twice.
 */
#include <ehsim/hub.h>
#include <ehsim/workload.h>

#include <string.h>

#include "../../src/workload/lab.h"
#include "host.h"
#include "suite.h"

/* --- the hub --- */

#define BIT (10 * EH_NS) /* at 100 Mbit/s */
#define DELAY (500 * EH_NS)
#define FRAME 1500

struct station {
	struct eh_hub_port *port;
	struct eh_hub_frame frame;
	eh_time sent_at, got_at;
	int sent, got, most;
};

struct net {
	struct eh_sim *sim;
	struct eh_network_config cfg;
	struct eh_hub *hub;
	struct station s[2];
};

static void sent(void *arg, struct eh_hub_frame *f)
{
	struct station *s = arg;

	s->sent_at = eh_sim_now(s->port->hub->sim);
	if (++s->sent < s->most)
		eh_hub_send(s->port, f);
}

static void got(void *arg, struct eh_hub_frame *f)
{
	struct station *s = arg;

	(void)f;
	s->got++;
	s->got_at = eh_sim_now(s->port->hub->sim);
}

static void net_build_far(struct net *n, bool switched, eh_time delay)
{
	memset(n, 0, sizeof(*n));
	n->sim = eh_sim_new(3);
	n->cfg.rate = 100000000;
	n->cfg.delay = delay;
	n->hub = eh_hub_new(n->sim, &n->cfg, switched);
	for (int i = 0; i < 2; i++) {
		n->s[i].port = &n->hub->port[i];
		n->s[i].frame.bits = eh_hub_bits(FRAME);
		n->s[i].port->arg = &n->s[i];
		n->s[i].port->receive = got;
		n->s[i].port->sent = sent;
	}
}

static void net_build(struct net *n, bool switched)
{
	net_build_far(n, switched, DELAY);
}

static void net_free(struct net *n)
{
	eh_hub_free(n->hub);
	eh_sim_free(n->sim);
}

START_TEST(test_alone)
{
	struct net n;

	ck_assert_int_eq(eh_hub_bits(FRAME), 8 * (8 + 14 + FRAME + 4));
	ck_assert_int_eq(eh_hub_bits(1), 8 * (8 + 60 + 4)); /* the shortest */
	net_build(&n, false);
	eh_hub_send(n.s[0].port, &n.s[0].frame);
	eh_sim_run(n.sim, EH_MS);
	ck_assert_int_eq(n.s[0].sent_at, eh_hub_bits(FRAME) * BIT);
	ck_assert_int_eq(n.s[1].got_at, n.s[0].sent_at + DELAY);
	ck_assert_uint_eq(n.hub->collisions, 0);
	net_free(&n);
}
END_TEST

/* Both at once: the first attempt collides, both frames come through, each after the other. */
START_TEST(test_collide)
{
	struct net n;

	net_build(&n, false);
	for (int i = 0; i < 2; i++)
		eh_hub_send(n.s[i].port, &n.s[i].frame);
	eh_sim_run(n.sim, 10 * EH_MS);
	ck_assert_uint_ge(n.hub->collisions, 1);
	ck_assert_uint_eq(n.s[0].port->collided, n.hub->collisions);
	ck_assert_int_eq(n.s[0].got + n.s[1].got, 2);
	ck_assert_int_ge(ABS(n.s[0].sent_at - n.s[1].sent_at), (eh_hub_bits(FRAME) + 96) * BIT);
	net_free(&n);
}
END_TEST

/* One that begins while the other is heard waits for silence, and then has it alone. */
START_TEST(test_defer)
{
	struct net n;

	net_build(&n, false);
	eh_hub_send(n.s[0].port, &n.s[0].frame);
	eh_sim_run(n.sim, 10 * EH_US);
	eh_hub_send(n.s[1].port, &n.s[1].frame);
	eh_sim_run(n.sim, EH_MS);
	ck_assert_uint_eq(n.hub->collisions, 0);
	ck_assert_int_eq(n.s[1].sent_at - n.s[0].sent_at,
			 DELAY + (96 + eh_hub_bits(FRAME)) * BIT);
	net_free(&n);
}
END_TEST

static void both_always(bool switched, struct net *n)
{
	net_build(n, switched);
	for (int i = 0; i < 2; i++) {
		n->s[i].most = 200;
		eh_hub_send(n->s[i].port, &n->s[i].frame);
	}
	eh_sim_run(n->sim, EH_SEC);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(n->s[i].sent, 200);
		ck_assert_int_eq(n->s[i].got, 200);
	}
}

START_TEST(test_always)
{
	struct net n;

	both_always(false, &n);
	ck_assert_uint_gt(n.hub->collisions, 10);
	ck_assert_uint_eq(n.s[0].port->frames, 200);
	net_free(&n);
	both_always(true, &n);
	ck_assert_uint_eq(n.hub->collisions, 0);
	net_free(&n);
}
END_TEST

/* Many frames are on their way at a time, and come in order, each a delay after it was sent. */
START_TEST(test_far)
{
	struct eh_hub_frame *frames = g_new0(struct eh_hub_frame, 50);
	const eh_time delay = 20 * EH_MS;
	struct net n;

	net_build_far(&n, true, delay);
	n.s[0].most = 1;
	for (int i = 0; i < 50; i++) {
		frames[i].bits = eh_hub_bits(FRAME);
		eh_hub_send(n.s[0].port, &frames[i]);
	}
	eh_sim_run(n.sim, delay);
	ck_assert_int_eq(n.s[0].sent, 50);
	ck_assert_int_eq(n.s[1].got, 0);
	eh_sim_run(n.sim, EH_SEC);
	ck_assert_int_eq(n.s[1].got, 50);
	ck_assert_int_eq(n.s[1].got_at, n.s[0].sent_at + delay);
	net_free(&n);
	g_free(frames);
}
END_TEST

/* --- the host --- */

struct world {
	struct eh_machine_config mc;
	struct eh_kernel_config kc;
	struct eh_network_config nc;
	struct eh_workload_config wc;
	struct eh_sim *sim;
	struct eh_lab *lab;
};

/* Eight sockets of one core, four to a bus. */
static void configure(struct world *w, int irq, int lookup)
{
	memset(w, 0, sizeof(*w));
	w->mc = host_machine(8, 1, 1, 1);
	w->mc.sockets_per_group = 4;
	w->mc.coherence = EH_SNOOPED_BUS;
	w->mc.latency.dirty_far_socket = 400 * EH_NS;
	w->mc.cache.l2_lines = 65536;
	eh_keys_defaults(eh_kernel_keys, &w->kc);
	eh_keys_defaults(eh_network_keys, &w->nc);
	eh_keys_defaults(eh_workload_keys, &w->wc);
	w->kc.ehash_buckets = 1024;
	w->kc.ehash2004.lookup = lookup;
	w->nc.rate = 100000000;
	w->nc.delay = DELAY;
	w->wc.kind = EH_LAB_TRANSFER;
	w->wc.transfer.stack.irq = irq;
	w->wc.transfer.size = 1000000;
}

static void run(struct world *w, eh_time length, struct eh_lab_stats *st)
{
	w->sim = eh_sim_new(5);
	w->lab = eh_lab_new(w->sim, &w->mc, &w->kc, &w->nc, &w->wc);
	eh_sim_run(w->sim, length);
	eh_lab_stats(w->lab, st);
}

static void teardown(struct world *w)
{
	eh_lab_free(w->lab);
	eh_sim_free(w->sim);
	eh_keys_clear(eh_kernel_keys, &w->kc);
	eh_keys_clear(eh_network_keys, &w->nc);
	eh_keys_clear(eh_workload_keys, &w->wc);
}

static double cycles(const struct eh_lab_stats *st) /* of 1 ns */
{
	return (double)st->transfer.lookup_time / (double)EH_NS / (double)st->transfer.lookups;
}

START_TEST(test_all_is_read)
{
	struct eh_lab_stats st;
	const struct eh_transfer_stats *t = &st.transfer;
	struct world w;

	configure(&w, EH_STACK2004_ROTATING, EH_LOOKUP_RWLOCK);
	run(&w, 500 * EH_MS, &st);
	ck_assert_uint_gt(t->segments, 2000);
	ck_assert_uint_le(t->segments * 1448, t->bytes);
	ck_assert_uint_ge((t->segments + 6) * 1448, t->bytes); /* parts of one at a time */
	ck_assert_uint_ge(t->lookups, t->segments);
	ck_assert_uint_le(t->lookups, t->segments + 46); /* a window */
	ck_assert_uint_eq(t->files, t->bytes / 1000000);
	ck_assert_uint_eq(t->excessive, 0);
	teardown(&w);
}
END_TEST

START_TEST(test_who_is_interrupted)
{
	struct eh_lab_stats rotating, random, fixed;
	struct world w;

	configure(&w, EH_STACK2004_ROTATING, EH_LOOKUP_RWLOCK);
	run(&w, 200 * EH_MS, &rotating);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_gt(10 * rotating.transfer.irqs[i], rotating.transfer.interrupts);
	teardown(&w);
	configure(&w, EH_STACK2004_RANDOM, EH_LOOKUP_RWLOCK);
	run(&w, 200 * EH_MS, &random);
	teardown(&w);
	configure(&w, EH_STACK2004_FIXED, EH_LOOKUP_RWLOCK);
	w.wc.transfer.stack.irq_cpu = 3;
	run(&w, 200 * EH_MS, &fixed);
	ck_assert_uint_eq(fixed.transfer.irqs[3], fixed.transfer.interrupts);
	ck_assert_uint_le(fixed.transfer.lookup_transfers, 8); /* the first lookup: the socket was made elsewhere */
	teardown(&w);
	ck_assert_double_gt(cycles(&random), 2 * cycles(&fixed));
	ck_assert_double_gt(cycles(&rotating), 2 * cycles(&fixed));
}
END_TEST

/*
 * The control block is in a line that whoever refilled the ring had cleared: on its way to the CPU it is
 * waited for by the first locked operation, under RCU beneath the lookup's own lines. With all on one CPU
 * it is there, and the lock costs its two locked operations.
 */
START_TEST(test_older_store)
{
	struct eh_lab_stats st[4];
	struct world w;

	for (int i = 0; i < 4; i++) {
		configure(&w, i & 2 ? EH_STACK2004_FIXED : EH_STACK2004_ROTATING,
			  i & 1 ? EH_LOOKUP_RCU : EH_LOOKUP_RWLOCK);
		w.mc.core.locked_fence = true;
		run(&w, 200 * EH_MS, &st[i]);
		teardown(&w);
	}
	/* more than the bucket's line: 270 to 400 ns */
	ck_assert_double_gt(cycles(&st[0]) - cycles(&st[1]), 410);
	ck_assert_double_lt(cycles(&st[2]) - cycles(&st[3]), 150);
}
END_TEST

/* Of a lookup under RCU no locked operation finds its line gone; under a read lock one does. */
START_TEST(test_stopped_buses)
{
	struct eh_lab_stats st[4];
	struct world w;

	for (int i = 0; i < 4; i++) {
		configure(&w, EH_STACK2004_ROTATING, i & 1 ? EH_LOOKUP_RCU : EH_LOOKUP_RWLOCK);
		w.mc.latency.bus_lock = i & 2 ? 3 * EH_US : 0;
		run(&w, 200 * EH_MS, &st[i]);
		teardown(&w);
	}
	ck_assert_double_gt(cycles(&st[0]), cycles(&st[1]));
	ck_assert_double_eq_tol(cycles(&st[3]), cycles(&st[1]), 50);
	ck_assert_double_eq_tol(cycles(&st[2]) - cycles(&st[0]), 3000, 100);
}
END_TEST

START_TEST(test_same_twice)
{
	struct eh_lab_stats st;
	uint64_t first = 0;

	for (int i = 0; i < 2; i++) {
		struct world w;

		configure(&w, EH_STACK2004_RANDOM, EH_LOOKUP_RCU);
		run(&w, 50 * EH_MS, &st);
		if (i)
			ck_assert_uint_eq(eh_sim_fingerprint(w.sim), first);
		first = eh_sim_fingerprint(w.sim);
		teardown(&w);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("transfer");
	TCase *hub = tcase_create("hub"), *host = tcase_create("host");

	tcase_add_test(hub, test_alone);
	tcase_add_test(hub, test_collide);
	tcase_add_test(hub, test_defer);
	tcase_add_test(hub, test_always);
	tcase_add_test(hub, test_far);
	suite_add_tcase(s, hub);
	tcase_set_timeout(host, 60);
	tcase_add_test(host, test_all_is_read);
	tcase_add_test(host, test_who_is_interrupted);
	tcase_add_test(host, test_older_store);
	tcase_add_test(host, test_stopped_buses);
	tcase_add_test(host, test_same_twice);
	suite_add_tcase(s, host);
	return run_suite(s);
}
