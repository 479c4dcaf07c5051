/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crossing.h"

#include <ehsim/hub.h>
#include <ehsim/lock.h>
#include <ehsim/tags.h>
#include <inttypes.h>
#include <string.h>

/* Of tags.h and machine.c. */
#define LINES_PER_SET 4094
#define FIXED_LINES (1 << 16) /* what every host takes: tasks, run queues, RCU, slabs, locks */

static void check_start(struct eh_crossing *c)
{
	static const char *const names[] = {"run.start", "workload.kind", NULL};

	if (c->v.run.start != EH_START_STEADY && eh_cross_sound(c, names))
		eh_cross_breach(c, names,
				"a laboratory kind (%s) has no set-up; write start: steady",
				c->kind->name);
}

static void check_warmup(struct eh_crossing *c)
{
	static const char *const names[] = {"run.warmup", "workload.start_within", NULL};

	if (c->v.run.warmup < c->v.workload.start_within && eh_cross_sound(c, names))
		eh_cross_breach(c, names,
				"warmup (%" PRId64 " ns) must not end before all threads have begun: "
				"start_within is %" PRId64 " ns",
				c->v.run.warmup / EH_NS, c->v.workload.start_within / EH_NS);
}

static void check_kind(struct eh_crossing *c)
{
	const char *key = NULL, *machine;
	struct eh_place at;
	char *bad, *name;

	if (!c->kind->lab->problem)
		return;
	bad = c->kind->lab->problem(&c->v.machine, &c->v.workload, &key);
	if (!bad)
		return;
	name = g_strconcat("workload.", key, NULL);
	/* A default can be wrong only for this machine. */
	machine = eh_cross_given(c, name, &at) ? NULL : "machine.sockets";
	if (eh_cross_sound(c, (const char *const[]){name, NULL}))
		eh_cross_breach(c,
				(const char *const[]){name, "workload.threads", machine,
						      "machine.dies_per_socket",
						      "machine.cores_per_die",
						      "machine.threads_per_core", NULL},
				"%s", bad);
	g_free(name);
	g_free(bad);
}

static void check_ping_pong(struct eh_crossing *c)
{
	static const char *const names[] = {"workload.threads", "workload.line.op", NULL};

	if (c->v.workload.kind != EH_LAB_LINE || c->v.workload.line.op != EH_LINE_PING_PONG)
		return;
	if (c->v.workload.threads > 2 && eh_cross_sound(c, names))
		eh_cross_breach(c, names, "a ping_pong has 2 threads, not %" PRId64 "; write threads: 2",
				c->v.workload.threads);
}

/* Of one lock. */
static int64_t lock_lines(const struct eh_crossing *c, int kind)
{
	const struct eh_machine_config *m = &c->v.machine;

	return 2 + eh_lock_kinds[kind]->nodes * m->sockets * m->dies_per_socket * m->cores_per_die *
			   m->threads_per_core;
}

/* The model tells a few thousand lines per set of the L2 apart. */
static void check_lines(struct eh_crossing *c)
{
	static const char *const names[] = {"machine.cache.l2_lines", "workload.hash.buckets",
					    "workload.hash.elements", "workload.lock.locks",
					    "workload.lock.touch",    "workload.bind.bound",
					    "workload.slab.count",    "workload.slab.bulk",
					    NULL};
	const struct eh_workload_config *w = &c->v.workload;
	int64_t known = c->v.machine.cache.l2_lines / EH_L2_WAYS * LINES_PER_SET;
	int64_t needed = FIXED_LINES;

	if (w->kind == EH_LAB_HASH)
		needed += 2 * w->hash.buckets + w->hash.elements;
	if (w->kind == EH_LAB_HASH && w->hash.protection != EH_HASH_NONE)
		needed += lock_lines(c, w->hash.lock) *
			  (w->hash.protection == EH_HASH_GLOBAL ? 1 : w->hash.buckets);
	if (w->kind == EH_LAB_BIND)
		needed += c->v.kernel.ehash_buckets / 8 + 2 * 65536 / 4 + 8192 +
			  16 * w->bind.bound; /* tables; sockets and their buckets */
	if (w->kind == EH_LAB_LOCK)
		needed += w->lock.locks * (w->lock.touch + lock_lines(c, w->lock.kind));
	if (w->kind == EH_LAB_SLAB && w->slab.op != EH_SLAB_PAIR)
		needed += 2 * w->threads *
			  (w->slab.op == EH_SLAB_BULK ? w->slab.bulk : w->slab.count);
	if (known <= needed && eh_cross_sound(c, names))
		eh_cross_breach(c, names,
				"l2_lines (%" PRId64
				") must be larger: what the threads touch takes "
				"%" PRId64 " lines, and only %" PRId64 " can be told apart",
				c->v.machine.cache.l2_lines, needed, known);
}

/* Every thread finds a port: all may be in the call at once. */
static void check_bind(struct eh_crossing *c)
{
	static const char *const names[] = {"workload.bind.bound", "workload.bind.port",
					    "workload.threads",	   "kernel.port_low",
					    "kernel.port_high",	   NULL};
	const struct eh_kernel_config *k = &c->v.kernel;
	const struct eh_workload_config *w = &c->v.workload;
	int64_t ports = k->port_high - k->port_low + 1;

	if (w->kind != EH_LAB_BIND || w->bind.port != EH_BIND_CHOSEN ||
	    w->bind.bound + w->threads <= ports || !eh_cross_sound(c, names))
		return;
	eh_cross_breach(c, names,
			"bound (%" PRId64 ") must leave each of %" PRId64
			" threads a port: %" PRId64 "-%" PRId64 " has %" PRId64
			"; take at most %" PRId64,
			w->bind.bound, w->threads, k->port_low, k->port_high, MAX(ports, 0),
			MAX(ports - w->threads, 0));
}

/* Farther stations would collide behind the end of their frames. */
static void check_hub(struct eh_crossing *c)
{
	static const char *const names[] = {"network.delay", "network.rate",
					    "workload.transfer.medium", "workload.kind", NULL};
	const struct eh_network_config *n = &c->v.network;
	int64_t most = EH_HUB_FARTHEST * (EH_SEC / EH_NS) / n->rate;

	if (c->v.workload.kind != EH_LAB_TRANSFER || c->v.workload.transfer.medium ||
	    n->delay / EH_NS <= most || !eh_cross_sound(c, names))
		return;
	eh_cross_breach(c, names,
			"delay (%" PRId64 " ns) must be at most half a slot of a hub, %d bit times: here %"
			PRId64 " ns; or write transfer.medium: switch",
			n->delay / EH_NS, EH_HUB_FARTHEST, most);
}

static void check_detail(struct eh_crossing *c)
{
	static const char *const names[] = {"run.detail", "workload.kind", NULL};

	if (c->v.run.detail == EH_DETAIL_SAMPLED && eh_cross_sound(c, names))
		eh_cross_breach(c, names,
				"detail (sampled) needs kind tcp_crr: a loop of the laboratory has no "
				"candidate ports");
}

void eh_cross_lab(struct eh_crossing *c)
{
	check_detail(c);
	check_bind(c);
	check_start(c);
	check_warmup(c);
	check_kind(c);
	check_hub(c);
	check_ping_pong(c);
	check_lines(c);
}

/* Which kinds take the key, as a text. */
static char *takers(const struct eh_setting *setting)
{
	GString *text = g_string_new(NULL);

	for (const struct eh_workload_kind *k = eh_workload_kinds; k->name; k++)
		if (eh_workload_takes(k, setting->section->name, setting->key->name))
			g_string_append_printf(text, "%s%s", text->len ? ", " : "", k->name);
	return g_string_free(text, FALSE);
}

void eh_cross_strangers(struct eh_scenario *s, struct eh_messages *msgs)
{
	const struct eh_setting *kind = eh_setting_named(s, "workload.kind");

	for (guint i = 0; i < s->settings->len && !kind->bad; i++) {
		const struct eh_setting *setting = g_ptr_array_index(s->settings, i);
		char *name, *others;

		if (!setting->choices->len || eh_setting_taken(s, setting))
			continue;
		name = eh_setting_name(setting);
		others = takers(setting);
		eh_message(msgs, EH_ERROR,
			   ((const struct eh_choice *)g_ptr_array_index(setting->choices, 0))->at,
			   "'%s' means nothing to workload.kind %s, only to %s; remove it", name,
			   eh_setting_text(kind, 0), others);
		g_free(others);
		g_free(name);
	}
}
