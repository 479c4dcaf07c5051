/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench [TOPIC...]: all of them without an argument. */
#include "bench.h"

#include <ehsim/stream.h>

#include <glib.h>
#include <gsl/gsl_randist.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct topic {
	const char *name;
	void (*run)(void);
} topics[] = {
	{"queues", bench_queues},
	{"fibers", bench_fibers},
	{"ports", bench_ports},
};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double bench_best(bench_fn fn, void *arg)
{
	double best = 1e9, total = 0;

	for (int i = 0; i < 12 && (i < 2 || total < 0.5); i++) {
		double start = cpu_seconds(), took;
		uint64_t operations = fn(arg);

		took = cpu_seconds() - start;
		total += took;
		best = MIN(best, took / (double)operations);
	}
	return best;
}

void bench_line(const char *what, const char *which, double value, const char *unit, double ratio,
		const char *of)
{
	printf("%-36s %-14s %9.2f ", what, which, value);
	if (ratio > 0)
		printf("%-12s %6.2f x %s", unit, ratio, of);
	else
		printf("%s", unit);
	putchar('\n');
	fflush(stdout);
}

int64_t *bench_exponential(double mean)
{
	gsl_rng *r = eh_stream_new(1, "bench");
	int64_t *delay = g_new(int64_t, BENCH_DELAYS);

	for (int i = 0; i < BENCH_DELAYS; i++)
		delay[i] = 1 + (int64_t)gsl_ran_exponential(r, mean);
	gsl_rng_free(r);
	return delay;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		bool known = false;

		for (size_t t = 0; t < G_N_ELEMENTS(topics); t++)
			known |= !strcmp(argv[i], topics[t].name);
		if (!known) {
			fprintf(stderr, "bench: no topic '%s'; there are:", argv[i]);
			for (size_t t = 0; t < G_N_ELEMENTS(topics); t++)
				fprintf(stderr, " %s", topics[t].name);
			fputc('\n', stderr);
			return 2;
		}
	}
	for (size_t t = 0; t < G_N_ELEMENTS(topics); t++) {
		bool wanted = argc == 1;

		for (int i = 1; i < argc; i++)
			wanted |= !strcmp(argv[i], topics[t].name);
		if (wanted)
			topics[t].run();
	}
	return 0;
}
