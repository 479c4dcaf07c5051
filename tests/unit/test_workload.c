/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/workload: neper's arithmetic on made-up events; whole runs of tcp_crr whose counts, times and
 * ports must fit together; Little's law; the same run twice.
 */
#include <ehsim/check.h>
#include <ehsim/inet_hash.h>
#include <ehsim/link.h>
#include <ehsim/tcp.h>
#include <ehsim/workload.h>

#include <string.h>

#include "../../src/net/inet_table.h"
#include "../../src/workload/crr.h"
#include "host.h"
#include "suite.h"

#define CLIENT 1
#define SERVER 2
#define PORT 12867

/* --- neper's arithmetic --- */

START_TEST(intervals)
{
	struct eh_neper_sum sum;

	eh_neper_init(&sum, 10 * EH_SEC);
	ck_assert_int_eq(sum.interval, EH_SEC);
	eh_neper_fini(&sum);
	eh_neper_init(&sum, 5 * EH_SEC);
	ck_assert_int_eq(sum.interval, EH_SEC);
	eh_neper_fini(&sum);
	eh_neper_init(&sum, 5 * EH_SEC - 1);
	ck_assert_int_eq(sum.interval, EH_SEC / 5);
	eh_neper_fini(&sum);
}
END_TEST

/* One flow, a transaction every 0.3 s from 100 s on: snapshots at 0, 2.1, 3.0, 4.2, ... */
START_TEST(snapshots_of_one_flow)
{
	const uint64_t folded[] = {1, 8, 11, 15, 18, 21}; /* events up to that snapshot */
	struct eh_neper_sum sum;
	struct eh_neper_flow f;
	uint64_t samples = 0;

	eh_neper_init(&sum, 10 * EH_SEC);
	eh_neper_flow_init(&f);
	for (uint64_t i = 1; i <= 22; i++) {
		eh_time now = 100 * EH_SEC + (eh_time)(i - 1) * 300 * EH_MS;

		eh_neper_event(&sum, &f, now, 0.3);
		if (samples < 6 && i == folded[samples]) {
			samples++;
			ck_assert_uint_eq(sum.latency.n, i);
		}
		ck_assert_uint_eq(sum.samples, samples);
	}
	ck_assert_uint_eq(samples, 6);
	eh_neper_flush(&sum, &f, 107 * EH_SEC);
	ck_assert_uint_eq(sum.samples, 7);
	ck_assert_uint_eq(sum.latency.n, 21); /* the last one counts for throughput only */
	ck_assert_double_eq_tol(eh_neper_throughput(&sum), 21 / 7.0, 1e-12);
	ck_assert_double_eq(eh_neper_quantile(&sum, 0.5), 0.3); /* all alike: not the bucket's end */
	eh_neper_flow_fini(&f);
	eh_neper_fini(&sum);
}
END_TEST

/* The second flow's first transaction lies behind several intervals: snapshot then, next at 6. */
START_TEST(late_flow)
{
	struct eh_neper_sum sum;
	struct eh_neper_flow a, b, silent;

	eh_neper_init(&sum, 10 * EH_SEC);
	eh_neper_flow_init(&a);
	eh_neper_flow_init(&b);
	eh_neper_flow_init(&silent);
	eh_neper_event(&sum, &a, EH_SEC, 1);
	eh_neper_event(&sum, &b, 6 * EH_SEC + EH_MS, 2);
	ck_assert_uint_eq(sum.samples, 2);
	eh_neper_event(&sum, &b, 7 * EH_SEC - 1, 2);
	ck_assert_uint_eq(sum.samples, 2);
	eh_neper_event(&sum, &b, 7 * EH_SEC, 2);
	ck_assert_uint_eq(sum.samples, 3);
	ck_assert_uint_eq(sum.latency.n, 4);
	ck_assert_double_eq(eh_neper_quantile(&sum, 0.25), sum.latency.min + 0.00663295);
	ck_assert_double_eq(eh_neper_quantile(&sum, 0.5), 2);
	eh_neper_flush(&sum, &silent, 9 * EH_SEC);
	ck_assert_uint_eq(sum.samples, 3);
	ck_assert_int_eq(sum.last, 7 * EH_SEC);
	eh_neper_flow_fini(&a);
	eh_neper_flow_fini(&b);
	eh_neper_flow_fini(&silent);
	eh_neper_fini(&sum);
}
END_TEST

START_TEST(fold_equals_adding)
{
	struct eh_moments all, sum, part;
	gsl_rng *r = eh_stream_new(1, "fold");

	eh_moments_init(&all);
	eh_moments_init(&sum);
	for (int i = 0; i < 20; i++) {
		eh_moments_init(&part);
		for (uint64_t n = eh_stream_below(r, 50); n > 0; n--) {
			double x = (double)eh_stream_below(r, 1000000) / 1e3;

			eh_moments_add(&part, x);
			eh_moments_add(&all, x);
		}
		eh_moments_fold(&sum, &part);
	}
	ck_assert_uint_eq(sum.n, all.n);
	ck_assert_double_eq_tol(sum.mean, all.mean, 1e-9);
	ck_assert_double_eq_tol(eh_moments_stddev(&sum, true), eh_moments_stddev(&all, true), 1e-9);
	ck_assert_double_eq(sum.min, all.min);
	ck_assert_double_eq(sum.max, all.max);
	gsl_rng_free(r);
}
END_TEST

/* --- whole runs --- */

struct world {
	struct eh_machine_config mc;
	struct eh_kernel_config kc;
	struct eh_network_config nc;
	struct eh_workload_config wc;
	struct eh_run_config rc;
	struct eh_sim *sim;
	struct eh_host *client, *server;
	struct eh_link *link;
	struct eh_crr *crr;
};

static void configure(struct world *w, int threads, int flows, int start)
{
	memset(w, 0, sizeof(*w));
	w->mc = host_machine(2, 2, 4, 1);
	eh_keys_defaults(eh_kernel_keys, &w->kc);
	eh_keys_defaults(eh_network_keys, &w->nc);
	eh_keys_defaults(eh_workload_keys, &w->wc);
	w->nc.queues = 4;
	w->wc.threads = w->wc.server_threads = threads;
	w->wc.flows = flows;
	w->rc.start = start;
	w->rc.length = 20 * EH_MS;
}

static void build(struct world *w)
{
	w->sim = eh_sim_new(7);
	w->client = eh_host_new(w->sim, "client", CLIENT, &w->mc, &w->kc, &w->nc);
	w->server = eh_host_new(w->sim, "server", SERVER, &w->mc, &w->kc, &w->nc);
	w->link = eh_link_new(w->client, w->server);
	w->crr = eh_crr_new(w->client, w->server, &w->wc, &w->rc);
}

static void teardown(struct world *w)
{
	eh_crr_free(w->crr);
	eh_link_free(w->link);
	eh_host_free(w->client);
	eh_host_free(w->server);
	eh_keys_clear(eh_kernel_keys, &w->kc);
	eh_keys_clear(eh_network_keys, &w->nc);
	eh_keys_clear(eh_workload_keys, &w->wc);
	eh_sim_free(w->sim);
}

static void no_trouble(const struct world *w)
{
	const struct eh_tcp_counts *c = &w->client->tcp->count, *s = &w->server->tcp->count;

	ck_assert_uint_eq(c->stray + s->stray, 0);
	ck_assert_uint_eq(s->syn_dropped + s->ack_dropped + s->overtaken, 0);
}

/* With ports this short a SYN may come before the RST of its port's last connection: tcp.h. */
static void few_are_overtaken(const struct world *w)
{
	const struct eh_tcp_counts *c = &w->client->tcp->count, *s = &w->server->tcp->count;

	ck_assert_uint_eq(c->stray + s->stray, 2 * s->overtaken);
	ck_assert_uint_le(s->overtaken, c->connected / 100);
	ck_assert_uint_eq(s->syn_dropped + s->ack_dropped, 0);
}

START_TEST(set_up_only)
{
	struct world w;
	struct eh_crr_stats st;

	configure(&w, 4, 42, EH_START_SETUP);
	build(&w);
	eh_sim_run(w.sim, EH_SEC);
	eh_crr_stats(w.crr, &st);
	ck_assert(st.finished && !st.running && !st.failed);
	ck_assert_int_eq(eh_sim_now(w.sim), st.setup_end); /* it stops there */
	ck_assert_uint_eq(st.setup_connects, 42);
	ck_assert_uint_ge(st.setup_candidates, 42);
	ck_assert_int_gt(st.setup_search, 0);
	ck_assert_int_gt(st.setup_stime, st.setup_search);
	/* one after another: the set-up's threads never overlap */
	ck_assert_int_le(st.setup_stime + st.setup_utime, st.setup_end);
	ck_assert_uint_eq(st.transactions, 0);
	no_trouble(&w);
	teardown(&w);
}
END_TEST

START_TEST(cold_run)
{
	struct world w;
	struct eh_crr_stats st;
	struct eh_neper n;

	configure(&w, 4, 42, EH_START_COLD);
	build(&w);
	eh_sim_run(w.sim, EH_SEC);
	eh_crr_stats(w.crr, &st);
	eh_crr_neper(w.crr, &n);
	ck_assert(st.finished && st.running && !st.failed);
	ck_assert_int_ge(eh_sim_now(w.sim), st.setup_end + w.rc.length);
	ck_assert_int_le(eh_sim_now(w.sim), st.setup_end + w.rc.length + 5 * EH_MS);
	/* a run of 20 ms is over before the first interval: first snapshots and last ones */
	ck_assert_uint_eq(n.num_samples, 2 * 42);
	ck_assert_uint_eq(n.num_transactions, 42);
	ck_assert_uint_eq(st.latency.n, st.transactions);
	ck_assert_double_eq_tol(n.throughput * (n.time_end - n.time_start),
				(double)st.transactions - 1, 1e-3);
	/* Little's law: the flows are all in the loop, from first receive to last */
	ck_assert_double_eq_tol(st.latency.mean * n.throughput / 42, 1, 0.1);
	/* window of system time: four threads, busy nearly all the time */
	ck_assert_double_gt(n.stime_end - n.stime_start, 3 * 0.02 * 0.8);
	ck_assert_double_le(n.stime_end - n.stime_start + n.utime_end - n.utime_start, 4 * 0.0205);
	no_trouble(&w);
	teardown(&w);
}
END_TEST

/* First latencies contain the wait for the set-up. */
START_TEST(first_latency_waits_for_set_up)
{
	struct world w;
	struct eh_crr_stats st;
	struct eh_neper n;

	configure(&w, 2, 200, EH_START_COLD);
	build(&w);
	eh_sim_run(w.sim, EH_SEC);
	eh_crr_stats(w.crr, &st);
	eh_crr_neper(w.crr, &n);
	ck_assert_double_gt(n.latency_max, (double)st.setup_end / (double)EH_SEC);
	teardown(&w);
}
END_TEST

/* Flows whose first receive was not simulated yet: their next latency has no beginning. */
static uint64_t untimed(const struct eh_crr *w)
{
	uint64_t n = 0;

	for (int i = 0; i < w->nthreads; i++)
		for (int j = 0; j < w->threads[i].nflows; j++)
			n += !w->threads[i].flows[j].timed;
	return n;
}

START_TEST(steady_run)
{
	struct world w;
	struct eh_crr_stats st;
	struct eh_neper n;
	uint64_t without;

	configure(&w, 4, 100, EH_START_STEADY);
	build(&w);
	eh_sim_run(w.sim, 5 * EH_MS);
	without = untimed(w.crr);
	eh_crr_reset(w.crr);
	eh_sim_run(w.sim, 45 * EH_MS);
	eh_crr_stats(w.crr, &st);
	eh_crr_neper(w.crr, &n);
	ck_assert(st.running && !st.finished && !st.failed);
	ck_assert_uint_gt(without, 0); /* five milliseconds are not enough for all */
	ck_assert_uint_eq(untimed(w.crr), 0);
	ck_assert_uint_eq(n.num_transactions, st.latency.n + without);
	ck_assert_double_eq_tol(n.time_end - n.time_start, 0.04, 1e-12);
	ck_assert_double_eq_tol(n.throughput * 0.04, (double)n.num_transactions, 1e-6);
	ck_assert_double_eq_tol(n.latency_mean * n.throughput / 100, 1, 0.05);
	no_trouble(&w);
	teardown(&w);
}
END_TEST

/* Packets go through the backlogs of all CPUs; each is polled when it has something, no flow waits for ever. */
START_TEST(steered_run)
{
	struct world w;

	configure(&w, 4, 8, EH_START_STEADY);
	w.mc = host_machine(1, 2, 2, 1); /* every CPU has a queue and a thread */
	w.kc.steering = _i;
	w.kc.skb_defer = true;
	build(&w);
	for (int ms = 1; ms <= 30; ms++) {
		eh_sim_run(w.sim, ms * EH_MS);
		eh_net_check(w.client, w.server);
		if (ms == 20)
			eh_crr_reset(w.crr);
	}
	ck_assert_uint_eq(untimed(w.crr), 0);
	no_trouble(&w);
	teardown(&w);
}
END_TEST

/* At first every flow has a port: the parity of port_low is full but for two. */
START_TEST(steady_ports)
{
	struct world w;
	int free_of[2] = {0, 0};

	configure(&w, 3, 150, EH_START_STEADY);
	w.kc.port_low = 40000;
	w.kc.port_high = 40199;
	build(&w);
	for (int64_t p = w.kc.port_low; p <= w.kc.port_high; p++)
		free_of[p & 1] += eh_inet_port_free(w.client, SERVER, PORT, (uint16_t)p);
	ck_assert_int_eq(free_of[0], 2);
	ck_assert_int_eq(free_of[1], 100 - 52);
	eh_sim_run(w.sim, 5 * EH_MS);
	no_trouble(&w);
	teardown(&w);
}
END_TEST

START_TEST(port_exhaustion)
{
	const int starts[] = {EH_START_COLD, EH_START_STEADY};
	struct world w;
	struct eh_crr_stats st;

	configure(&w, 2, 11, starts[_i]);
	w.kc.port_low = 40000;
	w.kc.port_high = 40009;
	build(&w);
	eh_sim_run(w.sim, EH_SEC);
	eh_crr_stats(w.crr, &st);
	ck_assert(st.failed && !st.running);
	ck_assert_int_lt(st.failed_at, EH_MS);
	teardown(&w);
}
END_TEST

/* --- where flows go, and where they come from --- */

/* The sum over the ports at which clients have a socket now. */
static int client_sockets(const struct world *w, int low, int high)
{
	int n = 0;

	for (int p = low; p <= high; p++)
		n += w->client->hash->tb[p] != NULL;
	return n;
}

/* Flows in turn to each port of each address: all are served, and no tuple is there twice. */
START_TEST(several_destinations)
{
	struct world w;
	struct eh_crr_stats st;

	configure(&w, 3, 60, _i);
	w.kc.port_low = 40000;
	w.kc.port_high = 40019; /* ten flows to each destination */
	w.wc.server_ports = 3;
	w.wc.server_addresses = 2;
	build(&w);
	ck_assert_int_eq(w.crr->ndest, 6);
	eh_sim_run(w.sim, 15 * EH_MS);
	eh_crr_stats(w.crr, &st);
	ck_assert(!st.failed);
	ck_assert_uint_gt(st.transactions, 300);
	for (int to = 0; to < 6; to++) {
		const struct eh_tuple *u = eh_tuple_get(w.client->hash, eh_crr_addr(w.crr, to),
							eh_crr_port(w.crr, to));
		int flows = 0;

		for (int p = 40000; p <= 40019; p++)
			flows += u->sk[p] != NULL;
		ck_assert_int_le(flows, 10);
		ck_assert_int_ge(flows, 7); /* each thread may be between two connections */
	}
	few_are_overtaken(&w);
	teardown(&w);
}
END_TEST

/* neper --source-port: flow by flow, connection by connection from its own port. */
START_TEST(source_ports)
{
	struct world w;
	struct eh_crr_stats st;

	configure(&w, 3, 60, _i);
	w.wc.source_port = 20000;
	build(&w);
	eh_sim_run(w.sim, 15 * EH_MS);
	eh_crr_stats(w.crr, &st);
	ck_assert(!st.failed);
	ck_assert_uint_gt(st.transactions, 300);
	ck_assert_uint_eq(w.client->candidates, 0);
	ck_assert_int_ge(client_sockets(&w, 20000, 20059), 57);
	ck_assert_int_eq(client_sockets(&w, 20060, 65535), 0);
	no_trouble(&w);
	teardown(&w);
}
END_TEST

/* bind() for any port: its parity is the other one, and connect() has no search. */
START_TEST(port_from_bind)
{
	const int starts[] = {EH_START_COLD, EH_START_STEADY};
	struct eh_bind_stats bind;
	struct world w;
	struct eh_crr_stats st;

	for (int no_port = 0; no_port < 2; no_port++) {
		configure(&w, 3, 60, starts[_i]);
		w.kc.port_low = 40000;
		w.kc.port_high = 40199;
		w.wc.local_bind = no_port ? EH_BIND_NO_PORT : EH_BIND_PORT;
		build(&w);
		eh_sim_run(w.sim, 15 * EH_MS);
		eh_crr_stats(w.crr, &st);
		eh_inet_bind_stats(w.client, &bind);
		ck_assert(!st.failed);
		ck_assert_uint_gt(st.transactions, 300);
		if (no_port)
			ck_assert_uint_eq(bind.binds, 0);
		else
			ck_assert_uint_ge(bind.binds, st.transactions - 3); /* one each, or next */
		for (int p = 40000 + !no_port; p < 40200; p += 2)
			ck_assert_int_eq(client_sockets(&w, p ^ 1, p ^ 1), 0);
		few_are_overtaken(&w);
		teardown(&w);
	}
}
END_TEST

/* IP_LOCAL_PORT_RANGE: nothing outside it. */
START_TEST(own_range)
{
	struct world w;

	configure(&w, 3, 60, _i);
	w.wc.port_low = 40000;
	w.wc.port_high = 40070;
	build(&w);
	eh_sim_run(w.sim, 15 * EH_MS);
	ck_assert_int_ge(client_sockets(&w, 40000, 40070), 57);
	ck_assert_int_eq(client_sockets(&w, 32768, 39999) + client_sockets(&w, 40071, 60999), 0);
	few_are_overtaken(&w);
	teardown(&w);
}
END_TEST

static uint64_t fingerprint(int start)
{
	struct world w;
	uint64_t fp;

	configure(&w, 4, 40, start);
	build(&w);
	eh_sim_run(w.sim, 10 * EH_MS);
	fp = eh_sim_fingerprint(w.sim);
	teardown(&w);
	return fp;
}

START_TEST(same_twice)
{
	ck_assert_uint_eq(fingerprint(EH_START_COLD), fingerprint(EH_START_COLD));
	ck_assert_uint_eq(fingerprint(EH_START_STEADY), fingerprint(EH_START_STEADY));
	ck_assert_uint_ne(fingerprint(EH_START_COLD), fingerprint(EH_START_STEADY));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("workload");
	TCase *neper = tcase_create("neper"), *runs = tcase_create("runs");

	tcase_add_test(neper, intervals);
	tcase_add_test(neper, snapshots_of_one_flow);
	tcase_add_test(neper, late_flow);
	tcase_add_test(neper, fold_equals_adding);
	tcase_set_timeout(runs, 60);
	tcase_add_test(runs, set_up_only);
	tcase_add_test(runs, cold_run);
	tcase_add_test(runs, first_latency_waits_for_set_up);
	tcase_add_test(runs, steady_run);
	tcase_add_loop_test(runs, steered_run, EH_STEER_RPS, EH_STEER_RFS + 1);
	tcase_add_test(runs, steady_ports);
	tcase_add_loop_test(runs, port_exhaustion, 0, 2);
	tcase_add_loop_test(runs, several_destinations, EH_START_COLD, EH_START_STEADY + 1);
	tcase_add_loop_test(runs, source_ports, EH_START_COLD, EH_START_STEADY + 1);
	tcase_add_loop_test(runs, port_from_bind, 0, 2);
	tcase_add_loop_test(runs, own_range, EH_START_COLD, EH_START_STEADY + 1);
	tcase_add_test(runs, same_twice);
	suite_add_tcase(s, neper);
	suite_add_tcase(s, runs);
	return run_suite(s);
}
