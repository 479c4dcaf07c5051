/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arena.h"
#include "line.h"

#include <ehsim/cpu.h>
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define VERSION_BITS 8
#define EH_MAX_LINES_PER_SET 4094 /* leaves 4 bits of version */

static bool power_of_two(int64_t n)
{
	return n > 0 && (n & (n - 1)) == 0;
}

const char *eh_machine_config_problem(const struct eh_machine_config *cfg)
{
	int64_t cpus = cfg->sockets * cfg->dies_per_socket * cfg->cores_per_die *
		       cfg->threads_per_core;

	if (cpus >= EH_NO_CPU)
		return "a host has at most 65534 CPUs";
	if (cfg->sockets * cfg->dies_per_socket > 255)
		return "a host has at most 255 dies";
	if (cfg->sockets > 8)
		return "a host has at most 8 sockets";
	if (!power_of_two(cfg->cache.l1_lines) || !power_of_two(cfg->cache.l2_lines))
		return "cache sizes are powers of two (they are looked up by masking)";
	if (cfg->cache.l1_lines > cfg->cache.l2_lines)
		return "the L2 holds what the L1 holds: cache.l1_lines must not exceed cache.l2_lines";
	return NULL;
}

static int die_distance(const struct eh_machine *m, int a, int b)
{
	int group = m->dies_per_socket * (int)m->cfg->sockets_per_group;

	if (a / group != b / group)
		return 4;
	if (a / m->dies_per_socket != b / m->dies_per_socket)
		return 3;
	return abs(a - b) > 2 ? 2 : abs(a - b);
}

/* The farthest pair of requester, owner and home. */
static int journey(const struct eh_machine *m, int req, int owner, int home)
{
	int pair = die_distance(m, req, owner);

	if (m->cfg->coherence == EH_SNOOPED_BUS)
		return pair;
	if (m->cfg->coherence == EH_SOCKET_AGENT && pair < 3 && die_distance(m, req, home) >= 3)
		return m->dies_per_socket > 2 ? 2 : m->dies_per_socket - 1;
	return MAX(pair, MAX(die_distance(m, req, home), die_distance(m, owner, home)));
}

static void fill_latencies(struct eh_machine *m)
{
	const struct eh_machine_config *c = m->cfg;
	const eh_time clean[] = {c->latency.clean_same_die, c->latency.clean_adjacent_die,
				 c->latency.clean_far_die, c->latency.clean_other_socket,
				 c->latency.clean_far_socket};
	const eh_time dirty[] = {c->latency.dirty_same_die, c->latency.dirty_adjacent_die,
				 c->latency.dirty_far_die, c->latency.dirty_other_socket,
				 c->latency.dirty_far_socket};
	const eh_time dram[] = {c->latency.dram_same_die, c->latency.dram_adjacent_die,
				c->latency.dram_far_die, c->latency.dram_other_socket,
				c->latency.dram_far_socket};
	bool many = m->ndies > m->dies_per_socket * c->sockets_per_group;

	m->clean = g_new(eh_time, m->ndies * m->ndies);
	m->copy = g_new(eh_time, m->ndies * m->ndies);
	m->dirty = g_new(eh_time, m->ndies * m->ndies * m->ndies);
	m->dram = g_new(eh_time, m->ndies * m->ndies);
	for (int a = 0; a < m->ndies; a++)
		for (int b = 0; b < m->ndies; b++) {
			int d = die_distance(m, a, b);

			m->clean[a * m->ndies + b] = clean[d];
			m->copy[a * m->ndies + b] =
				clean[c->cache.remote_copies == EH_COPIES_AT_READER && d > 2 ? 0 : d];
			for (int home = 0; home < m->ndies; home++)
				m->dirty[(a * m->ndies + b) * m->ndies + home] =
					dirty[journey(m, a, b, home)];
			m->dram[a * m->ndies + b] = dram[d];
		}
	m->invalidate_near = dirty[m->dies_per_socket > 1 ? 1 : 0];
	m->invalidate_far = dirty[many ? 4 : 3];
	m->invalidate_other = m->invalidate_far;
	if (c->latency.invalidate_other_socket)
		m->invalidate_other = c->latency.invalidate_other_socket;
	if (many && c->latency.invalidate_far_socket)
		m->invalidate_far = c->latency.invalidate_far_socket;
	m->bus_lock = many ? c->latency.bus_lock : 0;
	m->dirty_smt = c->latency.dirty_smt;
	m->home_blocks = c->home_blocks;
	m->residency = c->latency.residency;
	m->reread = c->latency.reread;
	m->home_service = c->latency.home_service;
	m->link_service = c->latency.link_service;
	m->home_busy = g_new0(eh_time, m->ndies);
}

static void fill_core(struct eh_machine *m)
{
	const struct eh_machine_config *c = m->cfg;

	m->cycle = EH_SEC / c->clock_hz;
	m->prefetch = c->core.prefetch > 0;
	m->pause = c->core.pause && c->threads_per_core > 1;
	m->locked_fence = c->core.locked_fence;
	m->instr = EH_SEC / (c->clock_hz * c->core.width);
	m->path_instr = (eh_time)((double)EH_SEC / ((double)c->clock_hz * c->core.path_ipc) + 0.5);
	m->path_instr_shared = (eh_time)((double)m->path_instr * 2 / c->core.smt_gain + 0.5);
	m->l1_hit = c->cache.l1_cycles * m->cycle;
	m->l2_hit = c->cache.l2_cycles * m->cycle;
	m->locked_op = c->core.locked_op * m->cycle;
	m->mispredict = c->core.mispredict * m->cycle;
	m->call = c->core.call * m->cycle;
	m->l1_mask = (uint32_t)c->cache.l1_lines - 1;
	m->l2_mask = (uint32_t)c->cache.l2_lines / EH_L2_WAYS - 1;
	m->l2_shift = (uint32_t)__builtin_ctzll((unsigned long long)c->cache.l2_lines / EH_L2_WAYS);
	m->version_bits = VERSION_BITS;
	m->version_mask = (uint16_t)((1u << VERSION_BITS) - 1);
}

struct eh_machine *eh_machine_new(struct eh_sim *sim, const char *name,
				  const struct eh_machine_config *cfg)
{
	struct eh_machine *m = g_new0(struct eh_machine, 1);

	eh_assert(sim, eh_machine_config_problem(cfg) == NULL);
	m->sim = sim;
	m->cfg = cfg;
	m->name = g_strdup(name);
	m->kept = g_ptr_array_new_with_free_func(g_free);
	m->dies_per_socket = (int)cfg->dies_per_socket;
	m->ndies = (int)(cfg->sockets * cfg->dies_per_socket);
	m->ncores = m->ndies * (int)cfg->cores_per_die;
	m->ncpus = m->ncores * (int)cfg->threads_per_core;
	m->die_of = g_new(int, m->ncpus);
	m->core_of = g_new(int, m->ncpus);
	for (int i = 0; i < m->ncpus; i++)
		m->core_of[i] = i % m->ncores;
	for (int i = 0; i < m->ncpus; i++)
		m->die_of[i] = i % m->ncores / (int)cfg->cores_per_die;
	m->socket_bit = g_new(uint8_t, m->ndies);
	for (int d = 0; d < m->ndies; d++)
		m->socket_bit[d] = (uint8_t)(1u << (d / m->dies_per_socket));
	m->group_bits = g_new0(uint8_t, m->ndies);
	for (int d = 0; d < m->ndies; d++)
		for (int e = 0; e < m->ndies; e++)
			if (die_distance(m, d, e) < 4)
				m->group_bits[d] |= m->socket_bit[e];
	fill_latencies(m);
	fill_core(m);
	m->cap_lines = 1 << 16;
	m->lines = eh_arena_new(m->cap_lines * sizeof(struct eh_line));
	m->transfer = eh_arena_new(m->cap_lines * sizeof(struct eh_transfer));
	m->demand = eh_demand_new();
	m->names = eh_names_new();
	m->nlines = 1; /* line 0 is nobody's */
	m->cpus = eh_cpus_new(m);
	return m;
}

void eh_machine_free(struct eh_machine *m)
{
	if (!m)
		return;
	eh_cpus_free(m);
	eh_arena_free(m->lines, m->cap_lines * sizeof(struct eh_line));
	eh_arena_free(m->transfer, m->cap_lines * sizeof(struct eh_transfer));
	eh_demand_free(m);
	eh_c2c_free(m);
	g_free(m->clean);
	g_free(m->copy);
	g_free(m->dirty);
	g_free(m->dram);
	g_free(m->home_busy);
	g_ptr_array_unref(m->kept);
	g_free(m->die_of);
	g_free(m->core_of);
	g_free(m->socket_bit);
	g_free(m->group_bits);
	g_free(m->name);
	g_free(m);
}

int eh_machine_spread(const struct eh_machine *m, int i)
{
	int per_die = (int)m->cfg->cores_per_die;
	int thread = i / m->ncores % (int)m->cfg->threads_per_core;
	int j = i % m->ncores;

	return thread * m->ncores + j % m->ndies * per_die + j / m->ndies;
}

int eh_machine_on_die(const struct eh_machine *m, int die, int i)
{
	int per_die = (int)m->cfg->cores_per_die;
	int thread = i / per_die % (int)m->cfg->threads_per_core;

	return thread * m->ncores + die * per_die + i % per_die;
}

static uint16_t first_tag(const struct eh_machine *m, eh_line_id id)
{
	return (uint16_t)(((id >> m->l2_shift) + 1) << m->version_bits);
}

/*
 * Tags keep as many version bits as the line numbers leave. When the numbers outgrow them all tags
 * are laid anew, so they start wide enough for what hosts usually have.
 */
static void fit_tags(struct eh_machine *m)
{
	uint32_t bits = m->version_bits;

	while ((m->nlines >> m->l2_shift) + 1 >= 1u << (16 - bits))
		bits--;
	if (bits == m->version_bits)
		return;
	m->version_bits = bits;
	m->version_mask = (uint16_t)((1u << bits) - 1);
	for (eh_line_id id = 1; id < m->nlines; id++)
		m->lines[id].tag = first_tag(m, id);
	eh_cpus_forget(m);
}

/* Memory that a run frees too late is not foreseen when the scenario is read. */
static _Noreturn void out_of_lines(const struct eh_machine *m)
{
	eh_time now = eh_sim_now(m->sim);

	fflush(stdout);
	fprintf(stderr,
		"ehsim: error: out of cache lines on the %s, after %.6f ms: the model tells %" PRIu64
		" apart (machine.cache.l2_lines sets how many), and so much memory is in use or waits to be freed\n",
		m->name, (double)now / (double)EH_MS,
		(uint64_t)EH_MAX_LINES_PER_SET << m->l2_shift);
	exit(1);
}

eh_line_id eh_lines_new(struct eh_machine *m, uint32_t n, int die)
{
	eh_line_id first = m->nlines;

	if (m->nlines + (uint64_t)n >= (uint64_t)EH_MAX_LINES_PER_SET << m->l2_shift)
		out_of_lines(m);
	if (m->nlines + n > m->cap_lines) {
		uint32_t cap = m->cap_lines;

		while (m->nlines + n > m->cap_lines)
			m->cap_lines *= 2;
		m->lines = eh_arena_grow(m->lines, cap * sizeof(struct eh_line),
					 m->cap_lines * sizeof(struct eh_line));
		m->transfer = eh_arena_grow(m->transfer, cap * sizeof(struct eh_transfer),
					    m->cap_lines * sizeof(struct eh_transfer));
	}
	m->nlines += n;
	fit_tags(m);
	for (uint32_t i = 0; i < n; i++) {
		int home = die >= 0 ? die : (int)(i / EH_LINES_PER_PAGE % (uint32_t)m->ndies);

		m->lines[first + i] = (struct eh_line){.tag = first_tag(m, first + i),
						  .owner = EH_NO_CPU,
						  .home = (uint8_t)home};
	}
	return first;
}

bool eh_lines_scarce(const struct eh_machine *m)
{
	return m->nlines >= (uint64_t)EH_MAX_LINES_PER_SET << m->l2_shift >> 1;
}

eh_line_id eh_lines_aligned(struct eh_machine *m, uint32_t n, int die)
{
	m->nlines = (m->nlines + n - 1) & ~(n - 1);
	return eh_lines_new(m, n, die);
}

void eh_line_written_by(struct eh_machine *m, eh_line_id id, int cpu)
{
	struct eh_line *l = &m->lines[id];

	eh_line_new_version(m, l);
	l->owner = (uint16_t)cpu;
	l->state = EH_LINE_DIRTY | EH_LINE_CACHED;
	l->readers = 0;
}

void eh_line_displaced(struct eh_machine *m, eh_line_id id)
{
	m->lines[id].state = 0;
	m->lines[id].readers = 0;
	eh_line_new_version(m, &m->lines[id]);
}

void eh_line_from_device(struct eh_machine *m, eh_line_id id)
{
	m->lines[id].state = EH_LINE_CACHED;
	m->lines[id].readers = 0;
	eh_line_new_version(m, &m->lines[id]);
}

void eh_line_shared(struct eh_machine *m, eh_line_id id)
{
	m->lines[id].state = EH_LINE_CACHED;
	m->lines[id].readers = (uint8_t)(2 * m->socket_bit[m->ndies - 1] - 1); /* all sockets */
}
