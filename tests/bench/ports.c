/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The whole simulator where it works hardest: 200 threads search ports among 30,000 flows, steady.
 * The values are the defaults of the key tables: a scenario's own numbers do not matter here. World
 * building is included; the best of two runs per state. Each state has a process of its own, for its
 * peak memory.
 */
#include "bench.h"

#include <ehsim/inet_hash.h>
#include <ehsim/scenario.h>

#include <glib.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct state {
	const char *name;
	int connect;
	eh_time length; /* takes some five seconds */
};

static void configure(struct eh_values *v, const struct state *s)
{
	eh_values_init(v);
	v->machine.sockets = 2;
	v->machine.dies_per_socket = 3;
	v->machine.cores_per_die = 40;
	v->kernel.connect = s->connect;
	v->kernel.port_low = 30000;
	v->workload.threads = v->workload.server_threads = 200;
	v->workload.flows = 30000;
	v->run.start = EH_START_STEADY;
	v->run.warmup = EH_MS;
	v->run.length = s->length;
	v->run.until_within = 0;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void bench_state(const struct state *s)
{
	double best = 0, candidates = 0, lines = 0, simulated = 0;
	struct rusage usage;
	struct eh_values v;

	configure(&v, s);
	for (int i = 0; i < 2; i++) {
		struct eh_point *p = eh_point_new(1);
		double start = cpu_seconds(), took;

		eh_run_point(&v, 1, NULL, NULL, p);
		took = cpu_seconds() - start;
		if (i == 0 || took < best)
			best = took;
		candidates = (double)p->candidates;
		lines = (double)p->line_accesses;
		simulated = (double)p->simulated / (double)EH_SEC;
		eh_point_free(p);
	}
	bench_line("candidate ports, 200 threads", s->name, 1e-6 * candidates / best, "M/s", 0, "");
	bench_line("line accesses, 200 threads", s->name, 1e-6 * lines / best, "M/s", 0, "");
	bench_line("simulated time, 200 threads", s->name, 1e3 * simulated / best, "ms/s", 0, "");
	getrusage(RUSAGE_SELF, &usage);
	bench_line("peak memory, 200 threads", s->name, (double)usage.ru_maxrss / 1024, "MiB", 0, "");
	eh_values_clear(&v);
}

void bench_ports(void)
{
	static const struct state states[] = {
		{"S0", EH_S0, 30 * EH_MS},
		{"S1", EH_S1, 35 * EH_MS},
		{"S3", EH_S3, 35 * EH_MS},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(states); i++) {
		pid_t child = fork();

		if (child == 0) {
			bench_state(&states[i]);
			_exit(EXIT_SUCCESS);
		}
		waitpid(child, NULL, 0);
	}
}
