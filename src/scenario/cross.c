/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crossing.h"
#include "ports.h"
#include <ehsim/inet_hash.h>
#include <ehsim/quantity.h>
#include <ehsim/tags.h>
#include <inttypes.h>
#include <string.h>

#define MOST_CPUS (EH_NO_CPU - 1)
/* Of tags.h, machine.c, inet_table.h and tcp_sock.c. */
#define LINES_PER_SET 4094
#define BUCKETS_PER_LINE 8
#define PORT_LINES (2 * 65536 / 4 + 8192)
#define MOST_HASHED (1ll << 28) /* some seconds */
#define FLOW_LINES 32 /* a socket and its bind buckets, half of them on whole pages */

bool eh_cross_sound(const struct eh_crossing *c, const char *const *names)
{
	for (; *names; names++) {
		const struct eh_setting *setting = eh_setting_named(c->s, *names);

		if (!setting || setting->bad)
			return false;
	}
	return true;
}

bool eh_cross_given(const struct eh_crossing *c, const char *name, struct eh_place *at)
{
	const struct eh_setting *setting = eh_setting_named(c->s, name);
	guint choice = eh_setting_choice(c->s, setting, c->index);

	if (!setting->choices->len)
		return false;
	*at = ((const struct eh_choice *)g_ptr_array_index(setting->choices, choice))->at;
	return true;
}

void eh_cross_breach(struct eh_crossing *c, const char *const *names, const char *fmt, ...)
{
	struct eh_place at = {g_intern_string(c->s->file), 0, 0};
	bool placed = false;
	va_list args;
	char *text;

	va_start(args, fmt);
	text = g_strdup_vprintf(fmt, args);
	va_end(args);
	if (!g_hash_table_add(c->told, text))
		return;
	for (const char *const *name = names; *name; name++) {
		const struct eh_setting *setting = eh_setting_named(c->s, *name);

		if (!placed) {
			placed = eh_cross_given(c, *name, &at);
			if (placed)
				eh_message(c->msgs, EH_ERROR, at, "%s", text);
		} else if (eh_cross_given(c, *name, &at)) {
			eh_message(c->msgs, EH_NOTE, at, "'%s' is %s here", setting->key->name,
				   eh_setting_text(setting,
						   eh_setting_choice(c->s, setting, c->index)));
		}
	}
	if (!placed)
		eh_message(c->msgs, EH_ERROR, at, "%s", text);
}

static void check_threads(struct eh_crossing *c)
{
	static const char *const client[] = {"workload.threads",	 "machine.sockets",
					     "machine.dies_per_socket",	 "machine.cores_per_die",
					     "machine.threads_per_core", NULL};
	static const char *const server[] = {"workload.server_threads",	 "machine.sockets",
					     "machine.dies_per_socket",	 "machine.cores_per_die",
					     "machine.threads_per_core", NULL};
	const struct eh_machine_config *m = &c->v.machine;
	const struct eh_workload_config *w = &c->v.workload;
	int64_t cpus = m->sockets * m->dies_per_socket * m->cores_per_die * m->threads_per_core;

	for (int side = 0; side < (c->kind->lab ? 1 : 2); side++) {
		const char *const *names = side ? server : client;
		int64_t threads = side ? w->server_threads : w->threads;

		if (threads > cpus && eh_cross_sound(c, names))
			eh_cross_breach(c, names,
			       "%s (%" PRId64 ") must be at most the CPUs of a host: %" PRId64
			       " sockets x %" PRId64 " dies x %" PRId64 " cores x %" PRId64
			       " threads = %" PRId64,
			       strchr(names[0], '.') + 1, threads, m->sockets, m->dies_per_socket,
			       m->cores_per_die, m->threads_per_core, cpus);
	}
}

static void check_flows(struct eh_crossing *c)
{
	static const char *const names[] = {"workload.flows", "workload.threads", NULL};
	const struct eh_workload_config *w = &c->v.workload;

	if (w->flows < w->threads && eh_cross_sound(c, names))
		eh_cross_breach(c, names, "flows (%" PRId64 ") must be at least threads (%" PRId64 ")",
		       w->flows, w->threads);
}

/* The ports a client socket may have: the host's range, or what its own leaves of it. */
static void client_range(const struct eh_values *v, int64_t *low, int64_t *high)
{
	const struct eh_kernel_config *k = &v->kernel;
	const struct eh_workload_config *w = &v->workload;

	*low = w->port_low >= k->port_low && w->port_low <= k->port_high ? w->port_low : k->port_low;
	*high = w->port_high >= k->port_low && w->port_high <= k->port_high ? w->port_high
									     : k->port_high;
}

/* How many flows may have the same local port: it is bound for one, or each leads elsewhere. */
static int64_t flows_per_port(const struct eh_workload_config *w)
{
	return w->local_bind == EH_BIND_PORT ? 1 : w->server_ports * w->server_addresses;
}

static void check_enough_ports(struct eh_crossing *c)
{
	static const char *const all[] = {"workload.flows",	   "kernel.port_low",
					  "kernel.port_high",	   "kernel.reserved_ports",
					  "workload.server_ports", "workload.server_addresses",
					  "workload.local_bind",   "workload.port_low",
					  "workload.port_high",	   NULL};
	const struct eh_workload_config *w = &c->v.workload;
	int64_t low, high, ports, taken, each = flows_per_port(w);
	GString *sum;

	if (c->v.run.start != EH_START_STEADY) /* neper finds out while it connects, and so do we */
		return;
	client_range(&c->v, &low, &high);
	ports = high - low + 1;
	taken = eh_ports_count(c->v.kernel.reserved_ports, low, high, 1);
	if (w->flows <= (ports - taken) * each || !eh_cross_sound(c, all))
		return;
	sum = g_string_new(NULL);
	if (taken)
		g_string_append_printf(sum, ", %" PRId64 " of them reserved", taken);
	if (each > 1)
		g_string_append_printf(sum, ", for each of %" PRId64 " server ports and addresses",
				       each);
	eh_cross_breach(c, all,
	       "flows (%" PRId64 ") need as many local ports, but %" PRId64 "-%" PRId64
	       " has %" PRId64 " - %" PRId64 " + 1 = %" PRId64
	       "%s; widen the range or take at most %" PRId64 " flows",
	       w->flows, low, high, high, low, ports, sum->str, (ports - taken) * each);
	g_string_free(sum, TRUE);
}

static void check_ports(struct eh_crossing *c)
{
	static const char *const range[] = {"kernel.port_low", "kernel.port_high", NULL};
	static const char *const own[] = {"workload.port_low", "workload.port_high", NULL};
	static const char *const reserved[] = {"kernel.reserved_ports", NULL};
	static const char *const source[] = {"workload.source_port", "workload.flows", NULL};
	const struct eh_kernel_config *k = &c->v.kernel;
	const struct eh_workload_config *w = &c->v.workload;
	char *bad = eh_ports_check(k->reserved_ports);

	if (bad) {
		if (eh_cross_sound(c, reserved))
			eh_cross_breach(c, reserved, "%s", bad);
		g_free(bad);
		return;
	}
	if (k->port_low >= k->port_high) {
		if (eh_cross_sound(c, range))
			eh_cross_breach(c, range,
			       "port_low (%" PRId64 ") must be below port_high (%" PRId64 ")",
			       k->port_low, k->port_high);
		return;
	}
	if (w->port_high && w->port_low > w->port_high) {
		if (eh_cross_sound(c, own))
			eh_cross_breach(c, own,
			       "port_low (%" PRId64 ") must be at most port_high (%" PRId64 ")",
			       w->port_low, w->port_high);
		return;
	}
	if (!w->source_port)
		check_enough_ports(c);
	else if (w->source_port + w->flows - 1 > 65535 && eh_cross_sound(c, source))
		eh_cross_breach(c, source,
		       "source_port (%" PRId64 ") must leave a port for each flow: %" PRId64
		       " + %" PRId64 " - 1 = %" PRId64 ", and the last port is 65535; take at most %" PRId64,
		       w->source_port, w->source_port, w->flows, w->source_port + w->flows - 1,
		       65536 - w->flows);
}

/* What a host may not be though each of its keys is in range. */
static void check_machine(struct eh_crossing *c)
{
	static const char *const size[] = {"machine.threads_per_core", "machine.cores_per_die",
					   "machine.dies_per_socket", "machine.sockets", NULL};
	static const char *const caches[] = {"machine.cache.l1_lines", "machine.cache.l2_lines",
					     NULL};
	const struct eh_machine_config *m = &c->v.machine;
	int64_t cpus = m->sockets * m->dies_per_socket * m->cores_per_die * m->threads_per_core;

	if (m->cache.l1_lines > m->cache.l2_lines && eh_cross_sound(c, caches))
		eh_cross_breach(c, caches, "l1_lines (%" PRId64 ") must be at most l2_lines (%" PRId64 ")",
		       m->cache.l1_lines, m->cache.l2_lines);
	else if (cpus > MOST_CPUS && eh_cross_sound(c, size))
		eh_cross_breach(c, size,
		       "a host has at most %d CPUs, not %" PRId64 " sockets x %" PRId64
		       " dies x %" PRId64 " cores x %" PRId64 " threads = %" PRId64,
		       MOST_CPUS, m->sockets, m->dies_per_socket, m->cores_per_die,
		       m->threads_per_core, cpus);
}

/* The model tells a few thousand lines per set of the L2 apart; tables and flows need so many
   at least. */
static void check_sets(struct eh_crossing *c)
{
	static const char *const names[] = {"machine.cache.l2_lines", "kernel.ehash_buckets",
					    "workload.flows", NULL};
	int64_t known = c->v.machine.cache.l2_lines / EH_L2_WAYS * LINES_PER_SET;
	int64_t needed = c->v.kernel.ehash_buckets / BUCKETS_PER_LINE + PORT_LINES +
			 c->v.workload.flows * FLOW_LINES;

	if (known <= needed && eh_cross_sound(c, names))
		eh_cross_breach(c, names,
		       "l2_lines (%" PRId64 ") must be larger: ports, %" PRId64
		       " ehash_buckets and %" PRId64 " flows take %" PRId64
		       " lines, and only %" PRId64 " can be told apart",
		       c->v.machine.cache.l2_lines, c->v.kernel.ehash_buckets, c->v.workload.flows,
		       needed, known);
}

/* A steady start leaves the searches two ports of those they look at first. */
static void check_steady_ports(struct eh_crossing *c)
{
	static const char *const all[] = {"workload.flows", "kernel.port_low", "kernel.port_high",
					  "kernel.reserved_ports", "run.start",
					  "workload.server_ports", "workload.server_addresses",
					  "workload.local_bind", "workload.source_port",
					  "workload.port_low", "workload.port_high", NULL};
	const struct eh_workload_config *w = &c->v.workload;
	int64_t low, high, step = w->port_low || w->port_high ? 1 : 2, first, ports;
	int64_t each = flows_per_port(w), flows = (w->flows + each - 1) / each;

	if (c->v.run.start != EH_START_STEADY || w->local_bind == EH_BIND_PORT || w->source_port ||
	    !eh_cross_sound(c, all))
		return;
	client_range(&c->v, &low, &high);
	ports = high - low + 1 - eh_ports_count(c->v.kernel.reserved_ports, low, high, 1);
	first = (high - low) / step + 1 -
		eh_ports_count(c->v.kernel.reserved_ports, low, high, step);
	if (flows <= ports && flows > ports - MIN(first, 2))
		eh_cross_breach(c, all,
		       "flows (%" PRId64 ") leave a steady start no room: of the %" PRId64
		       " local ports it keeps %" PRId64 " free",
		       w->flows, ports, MIN(first, 2));
}

/* A run that waits for its precision needs two batches behind the warm-up to know any. */
static void check_length(struct eh_crossing *c)
{
	static const char *const names[] = {"run.at_most", "run.warmup", "run.batch", NULL};
	const struct eh_run_config *r = &c->v.run;
	char *most, *warmup, *batch, *least;

	if (r->start != EH_START_STEADY || r->until_within <= 0)
		return;
	if (r->at_most >= r->warmup + 2 * r->batch || !eh_cross_sound(c, names))
		return;
	most = eh_quantity_print(EH_DIM_TIME, r->at_most);
	warmup = eh_quantity_print(EH_DIM_TIME, r->warmup);
	batch = eh_quantity_print(EH_DIM_TIME, r->batch);
	least = eh_quantity_print(EH_DIM_TIME, r->warmup + 2 * r->batch);
	eh_cross_breach(c, names,
	       "at_most (%s) must be at least the warm-up and two batches: %s + 2 x %s = %s", most,
	       warmup, batch, least);
	g_free(most);
	g_free(warmup);
	g_free(batch);
	g_free(least);
}

static void check_metric(struct eh_crossing *c)
{
	static const char *const names[] = {"run.until.metric", NULL};
	const char *const *words = c->kind->lab ? eh_until_lab_words : eh_until_words;
	const char *metric = c->v.run.until_metric;
	struct eh_place at = {g_intern_string(c->s->file), 0, 0};

	if (!eh_cross_sound(c, names) || (c->kind->lab && !strcmp(metric, "throughput_per_s")))
		return;
	if (g_strv_contains(words, metric) || !g_hash_table_add(c->told, g_strdup(metric)))
		return;
	eh_cross_given(c, names[0], &at);
	eh_unknown(c->msgs, at, "metric", metric, " (of those that can end a run)", words);
}

static void check_powers(struct eh_crossing *c)
{
	static const char *const names[] = {"machine.cache.l1_lines", "machine.cache.l2_lines",
					    "kernel.ehash_buckets", "kernel.ehash2004.line_size"};
	const int64_t values[] = {c->v.machine.cache.l1_lines, c->v.machine.cache.l2_lines,
				  c->v.kernel.ehash_buckets, c->v.kernel.ehash2004.line_size};

	for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
		const char *const one[] = {names[i], NULL};

		if ((values[i] & (values[i] - 1)) && eh_cross_sound(c, one))
			eh_cross_breach(c, one,
					"%s (%" PRId64 ") must be a power of two; for example %d",
					strchr(names[i], '.') + 1, values[i],
					1 << g_bit_storage((gulong)values[i] - 1));
	}
}

static void check_lock_die(struct eh_crossing *c)
{
	static const char *const names[] = {"kernel.ehash_locks_die", "machine.sockets",
					    "machine.dies_per_socket", NULL};
	int64_t dies = c->v.machine.sockets * c->v.machine.dies_per_socket;

	if (c->v.kernel.ehash_locks_die >= dies && eh_cross_sound(c, names))
		eh_cross_breach(c, names,
		       "ehash_locks_die (%" PRId64 ") must be below the number of dies: %" PRId64
		       " sockets x %" PRId64 " dies = %" PRId64 ", counted from 0",
		       c->v.kernel.ehash_locks_die, c->v.machine.sockets,
		       c->v.machine.dies_per_socket, dies);
}

static void check_switches(struct eh_crossing *c)
{
	static const char *const names[] = {"kernel.hash_once", "kernel.linear_port_hash",
					    "kernel.connect", NULL};
	struct eh_kernel_switches on = eh_kernel_switches(&c->v.kernel);

	if (on.hash_once && !on.linear_port_hash && eh_cross_sound(c, names))
		eh_cross_breach(c, names,
		       "hash_once: a port can be added to a hash only if it is not mixed in; write "
		       "linear_port_hash: on");
}

/* Peers of a chain are found by their hash: of so many addresses one lies in it. */
static void check_chain(struct eh_crossing *c)
{
	static const char *const stream[] = {"workload.tcp_stream.chain", "kernel.ehash_buckets", NULL};
	static const char *const chain[] = {"workload.chain.length", "kernel.ehash_buckets", NULL};
	const struct eh_workload_config *w = &c->v.workload;
	const char *const *names = w->kind == EH_LAB_CHAIN ? chain : stream;
	int64_t n = w->kind == EH_LAB_CHAIN ? w->chain.length : w->tcp_stream.chain;

	if (w->kind != EH_LAB_CHAIN && w->kind != EH_TCP_STREAM)
		return;
	if (n * c->v.kernel.ehash_buckets > MOST_HASHED && eh_cross_sound(c, names))
		eh_cross_breach(c, names,
				"a chain of %" PRId64 " idle sockets needs fewer buckets: write "
				"kernel.ehash_buckets: %d",
				n, 1 << (g_bit_storage((gulong)(MOST_HASHED / n)) - 1));
}

/* Of every host with tables. */
static void check_tables(struct eh_crossing *c)
{
	check_chain(c);
	check_sets(c);
	check_lock_die(c);
}

/* A stream that grows from nothing is not modelled. */
static void check_stream(struct eh_crossing *c)
{
	static const char *const names[] = {"run.start", "workload.kind", NULL};
	static const char *const detail[] = {"run.detail", "workload.kind", NULL};

	if (c->v.workload.kind != EH_TCP_STREAM)
		return;
	if (c->v.run.start != EH_START_STEADY && eh_cross_sound(c, names))
		eh_cross_breach(c, names, "tcp_stream begins connected; write start: steady");
	if (c->v.run.detail != EH_DETAIL_FULL && eh_cross_sound(c, detail))
		eh_cross_breach(c, detail,
				"tcp_stream has no port search to sample; write detail: full");
}

static void check_tcp(struct eh_crossing *c)
{
	check_stream(c);
	check_switches(c);
	check_flows(c);
	check_ports(c);
	check_steady_ports(c);
	check_tables(c);
}

void eh_check_cross(struct eh_scenario *s, struct eh_messages *msgs)
{
	struct eh_crossing *c = g_new0(struct eh_crossing, 1);

	c->s = s;
	c->msgs = msgs;
	c->told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	eh_cross_strangers(s, msgs);
	for (c->index = 0; c->index < eh_scenario_points(s); c->index++) {
		if (c->index)
			eh_scenario_next(s, c->index, &c->v);
		else
			eh_scenario_point(s, 0, &c->v, NULL);
		c->kind = &eh_workload_kinds[c->v.workload.kind];
		check_threads(c);
		check_machine(c);
		check_length(c);
		check_metric(c);
		check_powers(c);
		if (c->kind->lab && c->kind->lab->networked)
			check_tables(c);
		if (c->kind->lab)
			eh_cross_lab(c);
		else
			check_tcp(c);
	}
	eh_values_clear(&c->v);
	g_hash_table_unref(c->told);
	g_free(c);
}
