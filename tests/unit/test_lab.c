/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/workload, the laboratory: where threads go, what one operation of each kind costs by itself,
 * what may and what may not grow with the threads, Little's law, the same run twice.
 */
#include <ehsim/tcp.h>
#include <ehsim/workload.h>

#include <math.h>
#include <string.h>

#include "../../src/workload/lab.h"
#include "host.h"
#include "suite.h"

#define L1_HIT 5.0  /* ns */
#define LOCKED 20.0 /* ns of a locked operation on an own line, of host.h */
#define SAME_DIE 65.0

struct world {
	struct eh_machine_config mc;
	struct eh_kernel_config kc;
	struct eh_network_config nc;
	struct eh_workload_config wc;
	struct eh_sim *sim;
	struct eh_lab *lab;
};

/* Without ticks, which would take their part. */
static void configure(struct world *w, enum eh_workload kind, int threads)
{
	memset(w, 0, sizeof(*w));
	w->mc = host_machine(2, 2, 4, 2);
	w->mc.cache.l2_lines = 4096;
	eh_keys_defaults(eh_kernel_keys, &w->kc);
	eh_keys_defaults(eh_network_keys, &w->nc);
	eh_keys_defaults(eh_workload_keys, &w->wc);
	w->kc.ehash_buckets = 1024;
	w->kc.hz = 100;
	w->wc.start_within = 2 * EH_US;
	w->wc.kind = kind;
	w->wc.threads = threads;
}

static void build(struct world *w)
{
	w->sim = eh_sim_new(5);
	w->lab = eh_lab_new(w->sim, &w->mc, &w->kc, &w->nc, &w->wc);
}

static void teardown(struct world *w)
{
	eh_lab_free(w->lab);
	eh_sim_free(w->sim);
	eh_keys_clear(eh_kernel_keys, &w->kc);
	eh_keys_clear(eh_network_keys, &w->nc);
	eh_keys_clear(eh_workload_keys, &w->wc);
}

static uint64_t operations(const struct world *w)
{
	struct eh_lab_stats st;

	eh_lab_stats(w->lab, &st);
	return st.operations;
}

/* Operations in so long a window behind a warm-up, ticks avoided. */
static double window(struct world *w, eh_time length)
{
	uint64_t before;

	eh_sim_run(w->sim, 100 * EH_US);
	before = operations(w);
	eh_sim_run(w->sim, 100 * EH_US + length);
	return (double)(operations(w) - before);
}

/* ns between two operations of the host. */
static double ns_per_op(struct world *w)
{
	double ns;

	build(w);
	ns = 100e3 / window(w, 100 * EH_US);
	teardown(w);
	return ns;
}

/* --- threads and numbers --- */

START_TEST(placement)
{
	struct world w;
	const struct eh_machine *m;

	configure(&w, EH_LAB_LINE, 1);
	build(&w);
	m = eh_lab_machine(w.lab);
	ck_assert_int_eq(m->ncores, 16);
	for (int i = 0; i < 32; i++) {
		ck_assert_int_eq(eh_lab_place(m, EH_PLACE_CORES, i), i);
		ck_assert_int_eq(eh_lab_place(m, EH_PLACE_SPREAD, i), eh_machine_spread(m, i));
		ck_assert_int_eq(eh_lab_place(m, EH_PLACE_SIBLINGS, i), i / 2 + i % 2 * 16);
	}
	ck_assert_int_eq(m->die_of[eh_lab_place(m, EH_PLACE_SPREAD, 1)], 1);
	teardown(&w);
}
END_TEST

START_TEST(every_thread_where_it_belongs)
{
	struct world w;

	configure(&w, EH_LAB_LINE, 6);
	w.wc.placement = EH_PLACE_SIBLINGS;
	build(&w);
	eh_sim_run(w.sim, 50 * EH_US);
	for (int i = 0; i < 6; i++) {
		ck_assert_int_eq(w.lab->threads[i].task->cpu->id, i / 2 + i % 2 * 16);
		ck_assert_uint_gt(eh_lab_operations(w.lab, i), 0);
	}
	teardown(&w);
}
END_TEST

/* Mean and variance within five standard errors. */
START_TEST(exponential)
{
	gsl_rng *r = eh_stream_new(1, "exponential");
	double sum = 0, squares = 0, n = 1e5, mean;

	for (int i = 0; i < (int)n; i++) {
		double x = (double)eh_lab_exponential(r, 1000000) / 1e6;

		sum += x;
		squares += x * x;
	}
	mean = sum / n;
	ck_assert_double_eq_tol(mean, 1, 5 / sqrt(n));
	ck_assert_double_eq_tol(squares / n - mean * mean, 1, 5 * sqrt(8 / n));
	ck_assert_int_eq(eh_lab_exponential(r, 0), 0);
	gsl_rng_free(r);
}
END_TEST

/* --- which key belongs to whom --- */

START_TEST(keys_of_kinds)
{
	enum { ALL = ~0, CRR = 1 << EH_TCP_CRR, STREAM = 1 << EH_TCP_STREAM, TCP = CRR | STREAM, NETWORKED = TCP | 1 << EH_LAB_SYN_FLOOD | 1 << EH_LAB_CHAIN };
	static const struct {
		const char *section, *key;
		int kinds; /* bit by enum eh_workload */
	} rows[] = {
		{"workload", "kind", ALL},	{"workload", "threads", ALL},
		{"workload", "flows", TCP},	{"workload", "user_work", TCP},
		{"workload", "request", CRR},	{"workload", "tcp_stream.read", STREAM},
		{"kernel", "tcp_rmem", STREAM},	{"network", "mtu", STREAM},
		{"workload", "placement", ~TCP},	{"workload", "line.op", 1 << EH_LAB_LINE},
		{"network", "delay", NETWORKED | 1 << EH_LAB_TRANSFER}, {"workload", "lock.kind", 1 << EH_LAB_LOCK},
		{"kernel", "connect", NETWORKED},	{"workload", "read_side.body", 1 << EH_LAB_READ_SIDE},
		{"kernel", "cost.hash6", NETWORKED},	{"workload", "hash.buckets", 1 << EH_LAB_HASH},
		{"kernel", "cost.slab", ALL},	{"workload", "bind.bound", 1 << EH_LAB_BIND},
		{"kernel", "hz", ALL},		{"kernel", "cost.conflict", NETWORKED | 1 << EH_LAB_BIND},
		{"kernel", "rcu.blimit", ALL},	{"workload", "rcu.op", 1 << EH_LAB_RCU},
		{"machine", "sockets", ALL},	{"run", "seed", ALL},
		{"workload", "slab.op", 1 << EH_LAB_SLAB}, {"kernel", "alien", ALL},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		for (int k = 0; eh_workload_kinds[k].name; k++)
			ck_assert_int_eq(eh_workload_takes(&eh_workload_kinds[k], rows[i].section,
							   rows[i].key),
					 rows[i].kinds >> k & 1);
}
END_TEST

/* --- line --- */

START_TEST(fetch_add_alone)
{
	struct world w;

	configure(&w, EH_LAB_LINE, 1);
	ck_assert_double_eq_tol(ns_per_op(&w), LOCKED, 0.01);
}
END_TEST

/* A plain store costs its instruction. */
START_TEST(padded_store_alone)
{
	struct world w;

	configure(&w, EH_LAB_LINE, 1);
	w.wc.line.op = EH_LINE_PADDED;
	w.wc.line.access = EH_ACCESS_STORE;
	ck_assert_double_lt(ns_per_op(&w), LOCKED);
}
END_TEST

START_TEST(padded_scales)
{
	struct world w;

	for (int threads = 1; threads <= 16; threads *= 2) {
		configure(&w, EH_LAB_LINE, threads);
		w.wc.line.op = EH_LINE_PADDED;
		ck_assert_double_eq_tol(ns_per_op(&w) * threads, LOCKED, 0.05);
	}
}
END_TEST

/* The words of one line share its fate: false sharing costs what sharing costs. */
START_TEST(false_sharing_is_sharing)
{
	struct world w;
	double shared, false_shared;

	for (int threads = 2; threads <= 16; threads *= 2) {
		configure(&w, EH_LAB_LINE, threads);
		shared = ns_per_op(&w);
		configure(&w, EH_LAB_LINE, threads);
		w.wc.line.op = EH_LINE_FALSE_SHARING;
		false_shared = ns_per_op(&w);
		ck_assert_double_eq_tol(shared, false_shared, 1e-9);
		ck_assert_double_gt(shared, 1.2 * LOCKED);
	}
}
END_TEST

START_TEST(ping_pong)
{
	struct world w;

	configure(&w, EH_LAB_LINE, 1); /* it takes two whatever is said */
	w.wc.line.op = EH_LINE_PING_PONG;
	ck_assert_double_eq_tol(ns_per_op(&w), SAME_DIE + LOCKED, 1);
	configure(&w, EH_LAB_LINE, 1);
	w.wc.line.op = EH_LINE_PING_PONG;
	build(&w);
	ck_assert_int_eq(eh_lab_threads(w.lab), 2);
	eh_sim_run(w.sim, 100 * EH_US);
	ck_assert_int_le(
		llabs((int64_t)(eh_lab_operations(w.lab, 0) - eh_lab_operations(w.lab, 1))), 1);
	teardown(&w);
}
END_TEST

START_TEST(partners)
{
	static const int cpus[] = {16, 1, 4, -1, 8, -1};
	struct world w;
	const char *key;

	for (int pair = 0; pair < 6; pair++) {
		char *bad;

		configure(&w, EH_LAB_LINE, 1);
		w.wc.line.op = EH_LINE_PING_PONG;
		w.wc.line.pair = pair;
		bad = eh_lab_line.problem(&w.mc, &w.wc, &key);
		ck_assert(!bad == (cpus[pair] >= 0));
		if (!bad) {
			build(&w);
			ck_assert_int_eq(w.lab->threads[1].task->cpu->id, cpus[pair]);
			teardown(&w);
		}
		if (bad)
			eh_keys_clear(eh_workload_keys, &w.wc);
		if (bad)
			eh_keys_clear(eh_kernel_keys, &w.kc);
		g_free(bad);
	}
}
END_TEST

/* Readers load an own copy, again and again, until the writer takes it from them. */
START_TEST(one_writer)
{
	struct world w;
	uint64_t rare;

	for (int i = 0; i < 2; i++) {
		configure(&w, EH_LAB_LINE, 3);
		w.wc.line.op = EH_LINE_ONE_WRITER;
		w.wc.line.writes = i ? 100 : 10000;
		build(&w);
		eh_sim_run(w.sim, 200 * EH_US);
		if (i)
			ck_assert_uint_lt(eh_lab_operations(w.lab, 1), rare);
		rare = eh_lab_operations(w.lab, 1);
		ck_assert_uint_gt(rare, eh_lab_operations(w.lab, 0));
		teardown(&w);
	}
}
END_TEST

/* --- lock --- */

static void configure_lock(struct world *w, const char *kind, int threads)
{
	configure(w, EH_LAB_LOCK, threads);
	for (int i = 0; eh_lock_kinds[i]; i++)
		if (!strcmp(eh_lock_kinds[i]->name, kind))
			w->wc.lock.kind = i;
}

/*
 * Closed loop, sections long against what the lock itself costs: a thread is inside, outside or it
 * waits, so threads = throughput x (inside + outside + wait).
 */
START_TEST(little)
{
	static const char *const kinds[] = {"ticket", "mcs", "queued"};
	struct world w;

	for (int threads = 1; threads <= 8; threads *= 2) {
		struct eh_lab_stats from, to;
		double n, wait;

		configure_lock(&w, kinds[_i], threads);
		w.wc.lock.inside = 5000;
		w.wc.lock.outside = 15000;
		w.wc.lock.distribution = EH_EXPONENTIAL;
		build(&w);
		eh_sim_run(w.sim, EH_MS);
		eh_lab_stats(w.lab, &from);
		eh_sim_run(w.sim, 9 * EH_MS);
		eh_lab_stats(w.lab, &to);
		n = (double)(to.operations - from.operations);
		wait = (double)(to.locks.wait_total - from.locks.wait_total) / n / (double)EH_NS;
		ck_assert_double_eq_tol(n / 8e6 * (20000 + wait) / threads, 1, 0.1);
		if (threads == 8) /* it cannot be taken more often than it can be held */
			ck_assert_double_le(n * 5000, 1.15 * 8e6);
		teardown(&w);
	}
}
END_TEST

START_TEST(per_op_counts_acquisitions)
{
	struct world w;
	double one, three;

	configure_lock(&w, "queued", 1);
	w.wc.lock.inside = w.wc.lock.outside = 200;
	one = ns_per_op(&w);
	configure_lock(&w, "queued", 1);
	w.wc.lock.inside = w.wc.lock.outside = 200;
	w.wc.lock.per_op = 3;
	three = ns_per_op(&w);
	ck_assert_double_eq_tol(three / one, 3, 0.02);
	ck_assert_double_ge(one, 400);
}
END_TEST

/* Another CPU's lines have to come, one's own are there. */
START_TEST(touched_lines)
{
	struct world w;
	double bare, alone, with;

	configure_lock(&w, "mcs", 1);
	w.wc.lock.touch = 4;
	alone = ns_per_op(&w);
	configure_lock(&w, "mcs", 4);
	bare = ns_per_op(&w);
	configure_lock(&w, "mcs", 4);
	w.wc.lock.touch = 4;
	with = ns_per_op(&w);
	ck_assert_double_gt(with, bare + SAME_DIE);
	ck_assert_double_gt(with, alone + SAME_DIE);
}
END_TEST

/* As many locks as threads and more: hardly anybody meets anybody. */
START_TEST(many_locks)
{
	struct eh_lab_stats st;
	struct world w;

	configure_lock(&w, "queued", 4);
	w.wc.lock.locks = 1000;
	w.wc.lock.inside = 100;
	build(&w);
	window(&w, 200 * EH_US);
	eh_lab_stats(w.lab, &st);
	ck_assert_uint_gt(st.locks.acquisitions, 1000);
	ck_assert_uint_lt(st.locks.contentions, st.locks.acquisitions / 50);
	teardown(&w);
}
END_TEST

START_TEST(every_kind_runs)
{
	for (int i = 0; eh_lock_kinds[i]; i++) {
		struct eh_lab_stats st;
		struct world w;

		configure(&w, EH_LAB_LOCK, 8);
		w.wc.lock.kind = i;
		w.wc.lock.inside = w.wc.lock.outside = 100;
		w.wc.lock.touch = 1;
		build(&w);
		eh_sim_run(w.sim, 300 * EH_US);
		eh_lab_stats(w.lab, &st);
		ck_assert_uint_gt(st.operations, 100);
		ck_assert_uint_le(st.locks.acquisitions - st.operations, 8);
		teardown(&w);
	}
}
END_TEST

/* --- read side --- */

START_TEST(rcu_costs_its_body)
{
	struct world w;

	for (int threads = 1; threads <= 16; threads *= 4) {
		configure(&w, EH_LAB_READ_SIDE, threads);
		w.wc.read_side.body = 7;
		/* counted by the thousand */
		ck_assert_double_eq_tol(ns_per_op(&w) * threads, 7, 0.5);
	}
}
END_TEST

/* What counts on one line gets dearer with every reader; what counts on its own does not. */
START_TEST(readers)
{
	for (int kind = EH_READ_SRCU; kind <= EH_READ_SEQLOCK; kind++) {
		bool own = kind == EH_READ_SRCU || kind == EH_READ_SEQLOCK;
		double one, eight;
		struct world w;

		configure(&w, EH_LAB_READ_SIDE, 1);
		w.wc.read_side.kind = kind;
		one = ns_per_op(&w);
		configure(&w, EH_LAB_READ_SIDE, 8);
		w.wc.read_side.kind = kind;
		eight = 8 * ns_per_op(&w);
		if (own)
			ck_assert_double_eq_tol(eight / one, 1, 0.05);
		else
			ck_assert_double_gt(eight, 4 * one);
	}
}
END_TEST

/*
 * Old objects are freed after grace periods: they do not pile up for ever. The rwlock of 2004 lets
 * a writer in only when no reader is there, so three readers may keep it out for ever.
 */
START_TEST(writers)
{
	for (int kind = EH_READ_RCU; kind <= EH_READ_SEQLOCK; kind++) {
		struct eh_rcu_stats rcu;
		struct world w;

		configure(&w, EH_LAB_READ_SIDE, 4);
		w.kc.hz = 1000;
		w.wc.read_side.kind = kind;
		w.wc.read_side.writers = 1;
		w.wc.read_side.body = 100;
		build(&w);
		eh_sim_run(w.sim, kind == EH_READ_RCU ? 60 * EH_MS : EH_MS);
		for (int i = kind == EH_READ_RWLOCK2004; i < 4; i++)
			ck_assert_msg(eh_lab_operations(w.lab, i) > 0, "kind %d thread %d", kind,
				      i);
		eh_rcu_stats(w.lab->rcu, &rcu);
		if (kind == EH_READ_RCU) {
			ck_assert_uint_gt(rcu.grace_periods, 1);
			ck_assert_uint_lt(rcu.waiting, eh_lab_operations(w.lab, 0));
		}
		teardown(&w);
	}
}
END_TEST

/* --- rcu --- */

/* Each way to wait: everybody gets on, and what waits does not pile up. */
START_TEST(rcu_loops)
{
	struct eh_rcu_stats rcu;
	struct world w;

	configure(&w, EH_LAB_RCU, 5);
	w.kc.hz = 1000;
	w.wc.rcu.op = _i;
	w.wc.rcu.updaters = 2;
	w.wc.rcu.pause = EH_MS;
	w.wc.rcu.burst = _i <= EH_RCU_KFREE ? 100 : 1;
	w.wc.rcu.section = 2000;
	w.wc.rcu.sections = 20;
	w.wc.rcu.calls = 1;
	w.wc.rcu.user = 200000;
	w.wc.rcu.sleep = 100 * EH_US;
	build(&w);
	eh_sim_run(w.sim, 200 * EH_MS);
	eh_rcu_stats(w.lab->rcu, &rcu);
	for (int i = 0; i < 5; i++)
		ck_assert_uint_gt(eh_lab_operations(w.lab, i), 5);
	ck_assert_uint_gt(rcu.grace_periods, 10);
	ck_assert_int_eq(eh_hist_count(rcu.sync->hist) > 0, _i == EH_RCU_SYNCHRONIZE);
	ck_assert_int_eq(rcu.expedited > 0, _i == EH_RCU_EXPEDITED);
	ck_assert_int_eq(rcu.freed > 0, _i == EH_RCU_KFREE);
	ck_assert_uint_gt(rcu.invoked, 1000);
	ck_assert_uint_lt(rcu.waiting, 6000);
	ck_assert_int_eq(rcu.bytes, 128 * (int64_t)rcu.waiting);
	teardown(&w);
}
END_TEST

/* --- hash --- */

static void configure_hash(struct world *w, int protection, int threads, double updates)
{
	configure(w, EH_LAB_HASH, threads);
	w->mc.cache.l2_lines = 16384;
	w->wc.hash.protection = protection;
	w->wc.hash.buckets = 64;
	w->wc.hash.elements = 256;
	w->wc.hash.updates = updates;
}

/* Reads alone never meet unless a lock makes them. */
START_TEST(lookups)
{
	for (int protection = EH_HASH_NONE; protection <= EH_HASH_RCU; protection++) {
		double one, eight;
		struct world w;

		configure_hash(&w, protection, 1, 0);
		one = ns_per_op(&w);
		configure_hash(&w, protection, 8, 0);
		eight = 8 * ns_per_op(&w);
		if (protection == EH_HASH_NONE || protection == EH_HASH_RCU)
			ck_assert_double_eq_tol(eight / one, 1, 0.05);
		else
			ck_assert_double_gt(eight / one, protection == EH_HASH_GLOBAL ? 2 : 1.05);
	}
}
END_TEST

/* All CPUs on one element: with bucket locks that is one lock, without it is a shared line. */
START_TEST(one_element)
{
	double spread, one;
	struct world w;

	configure_hash(&w, EH_HASH_BUCKET, 8, 0);
	spread = ns_per_op(&w);
	configure_hash(&w, EH_HASH_BUCKET, 8, 0);
	w.wc.hash.target = EH_HASH_ONE;
	one = ns_per_op(&w);
	ck_assert_double_gt(one, 2 * spread);
}
END_TEST

START_TEST(updates)
{
	for (int protection = EH_HASH_GLOBAL; protection <= EH_HASH_RCU; protection++) {
		struct eh_lab_stats st;
		struct world w;

		configure_hash(&w, protection, 8, 0.2);
		build(&w);
		eh_sim_run(w.sim, 2 * EH_MS);
		eh_lab_stats(w.lab, &st);
		ck_assert_uint_gt(st.operations, 1000);
		if (protection == EH_HASH_RCU) /* only updates take a lock */
			ck_assert_double_eq_tol(
				(double)st.locks.acquisitions / (double)st.operations, 0.2, 0.02);
		teardown(&w);
	}
}
END_TEST

/* --- the same twice --- */

/* --- bind --- */

static double bind_ns(struct world *w)
{
	struct eh_lab_stats st;

	build(w);
	eh_sim_run(w->sim, 5 * EH_MS);
	eh_lab_stats(w->lab, &st);
	ck_assert_uint_ge(st.binds, 2);
	ck_assert_uint_le(st.binds - st.operations, (uint64_t)w->wc.threads);
	teardown(w);
	return (double)st.bind_time / (double)EH_NS / (double)st.binds;
}

/* Before bhash2 it walks over all sockets of the port; out of the caches, memory after memory. */
START_TEST(bind_to_a_port_that_many_have)
{
	double cold, warm, after;
	struct world w;

	configure(&w, EH_LAB_BIND, 1);
	w.wc.bind.bound = 2000;
	w.kc.bhash2 = EH_OFF;
	cold = bind_ns(&w);
	configure(&w, EH_LAB_BIND, 1);
	w.wc.bind.bound = 2000;
	w.wc.bind.caches = EH_BIND_WARM;
	w.kc.bhash2 = EH_OFF;
	warm = bind_ns(&w);
	configure(&w, EH_LAB_BIND, 1);
	w.wc.bind.bound = 2000;
	after = bind_ns(&w);
	ck_assert_double_gt(cold, 2000 * 130);
	ck_assert_double_lt(cold, 2000 * 160);
	ck_assert_double_lt(warm, 2000 * 60);
	ck_assert_double_lt(after, 10e3);
}
END_TEST

/* A search: the fuller the range, the more ports it looks at. */
START_TEST(bind_to_any_port)
{
	double last = 0;
	struct world w;

	for (int bound = 0; bound <= 150; bound += 75) {
		double ns;

		configure(&w, EH_LAB_BIND, 2);
		w.kc.port_low = 40000;
		w.kc.port_high = 40159;
		w.wc.bind.port = EH_BIND_CHOSEN;
		w.wc.bind.bound = bound;
		ns = bind_ns(&w);
		ck_assert_double_gt(ns, 1.2 * last);
		last = ns;
	}
}
END_TEST

static uint64_t fingerprint(enum eh_workload kind)
{
	struct world w;
	uint64_t fp;

	configure(&w, kind, 6);
	w.wc.lock.inside = w.wc.lock.outside = 100;
	w.wc.lock.distribution = EH_EXPONENTIAL;
	w.wc.read_side.kind = EH_READ_QRWLOCK;
	w.wc.read_side.writers = 1;
	w.wc.hash.protection = EH_HASH_RCU;
	w.wc.hash.updates = 0.1;
	build(&w);
	eh_sim_run(w.sim, 300 * EH_US);
	fp = eh_sim_fingerprint(w.sim) ^ operations(&w);
	teardown(&w);
	return fp;
}

START_TEST(same_twice)
{
	for (int kind = EH_LAB_LINE; eh_workload_kinds[kind].name; kind++)
		ck_assert_uint_eq(fingerprint((enum eh_workload)kind),
				  fingerprint((enum eh_workload)kind));
}
END_TEST

/* --- slab --- */

static void slab(struct world *w, int allocator, enum eh_slab_op op, int threads)
{
	configure(w, EH_LAB_SLAB, threads);
	w->kc.allocator = allocator;
	w->wc.slab.op = op;
}

/* The fast path alone: its instructions, one line that is at hand. */
START_TEST(slab_pair)
{
	struct world w;
	double instr;

	slab(&w, 0, EH_SLAB_PAIR, 1);
	instr = 2.0 * (double)w.kc.cost.slab;
	ck_assert_double_eq_tol(ns_per_op(&w), instr + 1, 10);
}
END_TEST

START_TEST(slab_rounds_end)
{
	for (int allocator = 0; allocator < 2; allocator++) {
		struct eh_lab_stats st;
		struct world w;

		slab(&w, allocator, EH_SLAB_CONCURRENT, 6);
		w.wc.slab.count = 300;
		w.wc.slab.rounds = 2;
		build(&w);
		eh_sim_run(w.sim, 50 * EH_MS);
		eh_lab_stats(w.lab, &st);
		ck_assert_uint_eq(st.allocs, 6 * 300 * 2);
		ck_assert_uint_eq(st.frees, st.allocs);
		ck_assert_uint_eq(st.operations, st.frees);
		ck_assert_uint_eq(eh_kmem_active(eh_mm_cache(eh_lab_machine(w.lab)->mm, 0)), 0);
		eh_mm_check(eh_lab_machine(w.lab)->mm);
		teardown(&w);
	}
}
END_TEST

/* What one node allocates and another frees: alien arrays with SLAB, none on the same node. */
static struct eh_kmem_info handed_over(int allocator, enum eh_placement where)
{
	struct eh_kmem_info info;
	struct world w;

	slab(&w, allocator, EH_SLAB_REMOTE, 2);
	w.wc.placement = where;
	build(&w);
	eh_sim_run(w.sim, 5 * EH_MS);
	eh_mm_check(eh_lab_machine(w.lab)->mm);
	eh_kmem_info(eh_mm_cache(eh_lab_machine(w.lab)->mm, 0), &info);
	ck_assert_uint_gt(info.counts.frees, 5000);
	teardown(&w);
	return info;
}

START_TEST(slab_remote)
{
	struct eh_kmem_info info = handed_over(1, EH_PLACE_SPREAD);

	ck_assert_uint_eq(info.counts.remotefrees, info.counts.frees);
	ck_assert_uint_eq(info.counts.alienoverflow, (info.counts.frees - 1) / 12);
	info = handed_over(1, EH_PLACE_CORES);
	ck_assert_uint_eq(info.counts.remotefrees, 0);
	ck_assert_uint_eq(info.counts.alienoverflow, 0);
	info = handed_over(0, EH_PLACE_SPREAD);
	ck_assert_uint_eq(info.counts.remotefrees, info.counts.frees);
	ck_assert_uint_eq(info.counts.freehit, 0);
}
END_TEST

START_TEST(slab_bulk)
{
	double each, detached;
	struct world w;

	slab(&w, 0, EH_SLAB_BULK, 1);
	w.wc.slab.bulk = 200;
	w.kc.slub_bulk = EH_BULK_EACH;
	each = ns_per_op(&w);
	slab(&w, 0, EH_SLAB_BULK, 1);
	w.wc.slab.bulk = 200;
	detached = ns_per_op(&w);
	ck_assert_double_ge(each - detached, LOCKED);
}
END_TEST

/* --- networked kinds --- */

/*
 * The first SYNs leave requests, each thread perhaps one too many and one under way; all others get
 * cookies.
 */
START_TEST(syn_flood)
{
	struct world w;

	for (int refcount = 0; refcount < 2; refcount++) {
		const struct eh_tcp_counts *count;

		configure(&w, EH_LAB_SYN_FLOOD, 6);
		w.wc.syn_flood.backlog = 10;
		w.kc.listener_refcount = refcount;
		build(&w);
		ck_assert_double_ge(window(&w, 2 * EH_MS), 6 * 64);
		count = &eh_lab_host(w.lab)->tcp->count;
		ck_assert_uint_ge(eh_kmem_active(eh_lab_host(w.lab)->req_cache), 11);
		ck_assert_uint_le(eh_kmem_active(eh_lab_host(w.lab)->req_cache), 11 + 2 * 6);
			/* polls of 64, one of each thread under way */
		ck_assert_uint_ge(count->cookies_sent + 11 + 2 * 6, operations(&w));
		ck_assert_uint_le(count->cookies_sent, operations(&w) + 6 * 64);
		ck_assert_uint_eq(count->syn_dropped, 0);
		teardown(&w);
	}
}
END_TEST

/* Each entry in front costs at least two loads and a branch; the first is always found at once. */
START_TEST(chain)
{
	double one, before = 0;
	struct world w;

	for (int length = 0; length <= 16; length += 8) {
		configure(&w, EH_LAB_CHAIN, 1);
		w.wc.chain.length = length;
		w.wc.chain.instr = 1000;
		one = ns_per_op(&w);
		ck_assert_double_ge(one - before, before > 0 ? 8 * L1_HIT : 1000);
		before = one;
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("lab");
	TCase *numbers = tcase_create("numbers"), *line = tcase_create("line"),
	      *lock = tcase_create("lock"), *read_side = tcase_create("read side"),
	      *hash = tcase_create("hash"), *bind = tcase_create("bind"),
	      *mm = tcase_create("slab"), *net = tcase_create("networked");

	tcase_add_test(numbers, placement);
	tcase_add_test(numbers, every_thread_where_it_belongs);
	tcase_add_test(numbers, exponential);
	tcase_add_test(numbers, keys_of_kinds);
	tcase_add_test(numbers, same_twice);
	suite_add_tcase(s, numbers);
	tcase_add_test(net, syn_flood);
	tcase_add_test(net, chain);
	suite_add_tcase(s, net);
	tcase_add_test(line, fetch_add_alone);
	tcase_add_test(line, padded_store_alone);
	tcase_add_test(line, padded_scales);
	tcase_add_test(line, false_sharing_is_sharing);
	tcase_add_test(line, ping_pong);
	tcase_add_test(line, partners);
	tcase_add_test(line, one_writer);
	suite_add_tcase(s, line);
	tcase_add_loop_test(lock, little, 0, 3);
	tcase_add_test(lock, per_op_counts_acquisitions);
	tcase_add_test(lock, touched_lines);
	tcase_add_test(lock, many_locks);
	tcase_add_test(lock, every_kind_runs);
	suite_add_tcase(s, lock);
	tcase_add_test(read_side, rcu_costs_its_body);
	tcase_add_test(read_side, readers);
	tcase_add_test(read_side, writers);
	tcase_add_loop_test(read_side, rcu_loops, EH_RCU_CALL, EH_RCU_EXPEDITED + 1);
	suite_add_tcase(s, read_side);
	tcase_add_test(hash, lookups);
	tcase_add_test(hash, one_element);
	tcase_add_test(hash, updates);
	suite_add_tcase(s, hash);
	tcase_add_test(bind, bind_to_a_port_that_many_have);
	tcase_add_test(bind, bind_to_any_port);
	suite_add_tcase(s, bind);
	tcase_add_test(mm, slab_pair);
	tcase_add_test(mm, slab_rounds_end);
	tcase_add_test(mm, slab_remote);
	tcase_add_test(mm, slab_bulk);
	suite_add_tcase(s, mm);
	return run_suite(s);
}
