/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "memory.h"
#include <ehsim/lock.h>
#include <ehsim/workload.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)
#define PROGRAM (20 * MIB) /* code, libraries, tables that every run has (per port, per page) */
#define HOST (12 * MIB)	   /* lines to begin with, on huge pages */
#define PER_CPU (8 * KIB)
#define PER_THREAD (24 * KIB) /* a stack and what lies on it */
#define PER_FLOW (6 * KIB)    /* a socket on either side, all lines of its pages, its timers */
#define PER_STREAM(bytes) ((bytes) / 2) /* lines and packets of what a stream has on its way */
#define PER_TUPLE (2 * MIB)   /* an address and port of the server: who has which of the local ports */
#define PER_TIME_WAIT KIB
#define PER_LOCK 256	      /* itself and its lines */
#define PER_NODE 96	      /* of a queue lock, for each CPU */
#define PER_BUCKET 24
#define PER_ELEMENT 64
#define PER_LINE 32
#define PER_BOUND 640	      /* a socket that is bound, and its bucket */
#define PER_OBJECT 64	      /* that may be allocated at a time, with its share of a slab */
#define PER_BYTE(size) ((uint64_t)(size) * 5 / 8) /* lines of objects, on whole pages */
#define PER_SLICE 224	      /* of a trace and of its locks, twice: as it is seen and as text */
#define SLICES_PER_CPU_US 8
#define PARACHUTE (256 * KIB)

static uint64_t of_host(const struct eh_values *v)
{
	const struct eh_machine_config *m = &v->machine;
	uint64_t cpus = (uint64_t)(m->sockets * m->dies_per_socket * m->cores_per_die * m->threads_per_core);
	uint64_t tags = (uint64_t)m->cache.l1_lines * sizeof(uint32_t) +
			(uint64_t)m->cache.l2_lines * sizeof(uint16_t);

	return HOST + cpus * (PER_CPU + tags);
}

/* One is in PROGRAM. */
static uint64_t of_tuples(const struct eh_values *v)
{
	uint64_t tuples = (uint64_t)(v->workload.server_ports * v->workload.server_addresses);
	uint64_t most = tuples * (uint64_t)(v->kernel.port_high - v->kernel.port_low + 1);

	return (tuples - 1) * PER_TUPLE +
	       (v->workload.time_wait ? MIN(most, (uint64_t)v->kernel.tcp_max_tw_buckets) * PER_TIME_WAIT : 0);
}

static uint64_t of_locks(int kind, int64_t locks, uint64_t cpus)
{
	return (uint64_t)locks * (PER_LOCK + (uint64_t)eh_lock_kinds[kind]->nodes * PER_NODE * cpus);
}

/* The tables of a laboratory kind. */
static uint64_t of_lab(const struct eh_workload_config *w, uint64_t cpus)
{
	uint64_t threads = (uint64_t)w->threads;

	switch (w->kind) {
	case EH_LAB_LOCK:
		return of_locks(w->lock.kind, w->lock.locks, cpus) +
		       (uint64_t)(w->lock.locks * w->lock.touch) * PER_LINE;
	case EH_LAB_HASH:
		return (uint64_t)w->hash.buckets * PER_BUCKET + (uint64_t)w->hash.elements * PER_ELEMENT +
		       (w->hash.protection == EH_HASH_BUCKET || w->hash.protection == EH_HASH_RCU ?
				of_locks(w->hash.lock, w->hash.buckets, cpus) : 0);
	case EH_LAB_BIND:
		return (uint64_t)w->bind.bound * PER_BOUND;
	case EH_LAB_SLAB:
		if (w->slab.op == EH_SLAB_PAIR)
			return 0;
		return threads * (uint64_t)(w->slab.op == EH_SLAB_BULK ? w->slab.bulk : w->slab.count) *
		       (PER_OBJECT + PER_BYTE(w->slab.size));
	default:
		return 0;
	}
}

uint64_t eh_memory_of_run(const struct eh_values *v, eh_time trace_length)
{
	const struct eh_machine_config *m = &v->machine;
	bool lab = eh_workload_kinds[v->workload.kind].lab != NULL;
	uint64_t cpus = (uint64_t)(m->sockets * m->dies_per_socket * m->cores_per_die * m->threads_per_core);
	uint64_t threads = (uint64_t)v->workload.threads, slices, sum = PROGRAM + of_host(v);

	if (lab) {
		sum += of_lab(&v->workload, cpus);
	} else {
		threads += (uint64_t)v->workload.server_threads;
		sum += of_host(v) + 2 * sizeof(void *) * (uint64_t)v->kernel.ehash_buckets +
		       PER_FLOW * (uint64_t)v->workload.flows + of_tuples(v);
		if (v->workload.kind == EH_TCP_STREAM)
			sum += (uint64_t)v->workload.flows *
			       PER_STREAM((uint64_t)(v->kernel.tcp_rmem + v->kernel.tcp_wmem));
	}
	slices = (uint64_t)(trace_length / EH_US + (trace_length > 0)) * cpus * SLICES_PER_CPU_US;
	return sum + threads * PER_THREAD + MIN(slices, (uint64_t)EH_TRACE_MOST) * PER_SLICE;
}

/* The number behind `word` in a file of the kernel, UINT64_MAX if there is none ("max"). */
static uint64_t number_in(const char *path, const char *word)
{
	char *text, *at;
	uint64_t value = UINT64_MAX;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return value;
	at = strstr(text, word);
	if (at)
		at += strlen(word);
	while (at && *at == ' ')
		at++;
	if (at && g_ascii_isdigit(*at))
		value = g_ascii_strtoull(at, NULL, 10);
	g_free(text);
	return value;
}

/* What the groups from ours up to the root leave; version 2 of control groups. */
static uint64_t left_in_groups(void)
{
	uint64_t least = UINT64_MAX;
	char *text, *at, *group;

	if (!g_file_get_contents("/proc/self/cgroup", &text, NULL, NULL))
		return least;
	at = g_str_has_prefix(text, "0::") ? text + 3 : strstr(text, "\n0::");
	group = g_strdup(at ? (*at == '\n' ? at + 4 : at) : "/");
	group[strcspn(group, "\n")] = '\0';
	while (*group) {
		char *most = g_strdup_printf("/sys/fs/cgroup%s/memory.max", group);
		char *used = g_strdup_printf("/sys/fs/cgroup%s/memory.current", group);
		uint64_t limit = number_in(most, ""), now = number_in(used, "");

		if (limit != UINT64_MAX && now != UINT64_MAX)
			least = MIN(least, limit > now ? limit - now : 0);
		g_free(most);
		g_free(used);
		*strrchr(group, '/') = '\0';
		if (!strchr(group, '/'))
			break;
	}
	g_free(group);
	g_free(text);
	return least;
}

uint64_t eh_memory_available(void)
{
	uint64_t free_kib = number_in("/proc/meminfo", "MemAvailable:");
	uint64_t machine = free_kib == UINT64_MAX ? UINT64_MAX : free_kib * KIB;
#ifdef _SC_PHYS_PAGES
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	if (machine == UINT64_MAX && pages > 0 && page > 0)
		machine = (uint64_t)pages * (uint64_t)page;
#endif
	return MIN(machine, left_in_groups());
}

uint64_t eh_memory_limit(void)
{
	uint64_t least = UINT64_MAX;
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		least = limit.rlim_cur;
	if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		least = MIN(least, (uint64_t)limit.rlim_cur);
	return least;
}

char *eh_memory_text(uint64_t bytes)
{
	if (bytes >= 1024 * MIB)
		return g_strdup_printf("%.1f GiB", (double)bytes / (double)(1024 * MIB));
	return g_strdup_printf("%.0f MiB", (double)bytes / (double)MIB);
}

/* GLib's handler of last words has no argument to reach anything else. */
static struct {
	const char *who;
	int status;
	void *parachute;
} last;

/* GLib says "failed to allocate", the model's tables "out of memory". */
static void last_words(const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
	char words[256];
	ssize_t said;
	int n;

	if (!strstr(message, "failed to allocate") && !strstr(message, "out of memory") &&
	    !strstr(message, "no memory")) {
		g_log_default_handler(domain, level, message, data);
		return;
	}
	free(last.parachute);
	last.parachute = NULL;
	n = g_snprintf(words, sizeof(words), "%s: out of memory: " EH_NO_MEMORY "\n",
		       last.who ? last.who : "");
	said = last.who ? write(STDERR_FILENO, words, (size_t)n) : 0;
	(void)said;
	_exit(last.status);
}

void eh_memory_guard(const char *who, int status)
{
	last.who = who;
	last.status = status;
	if (!last.parachute)
		last.parachute = malloc(PARACHUTE);
	g_log_set_default_handler(last_words, NULL);
}
