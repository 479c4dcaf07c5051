/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One queued spinlock on a machine where moving a line costs nothing: CPUs think and hold it for
 * exponential times, which is the machine repairman model. Mean value analysis gives its exact
 * throughput X and waiting time for n CPUs, think time Z and hold time S: with L(0) = 0,
 *	R(n) = S (1 + L(n - 1)), X(n) = n / (R(n) + Z), L(n) = X(n) R(n), wait = R(n) - S.
 * Owners hold the lock in step with the clock or far ahead of it: the same to the picosecond.
 */
#include <ehsim/qspinlock.h>
#include <ehsim/stats.h>
#include <ehsim/stream.h>

#include <glib.h>
#include <gsl/gsl_randist.h>
#include <stdio.h>

#include "../unit/bare.h"

#define THINK (1000 * EH_NS)
#define HOLD (100 * EH_NS)
#define BATCHES 100
#define BATCH (4 * EH_MS)
#define WARMUP (200 * EH_US)
#define CONFIDENCE 0.999 /* 14 figures are checked at once */

struct world {
	struct eh_sim *sim;
	struct eh_machine *m;
	struct eh_spinlock lock;
	struct eh_lock_class class;
	bool ahead;
};

struct user {
	struct world *w;
	struct eh_cpu *c;
	gsl_rng *think, *hold;
};

static eh_time drawn(gsl_rng *r, eh_time mean)
{
	return (eh_time)(gsl_ran_exponential(r, (double)mean) + 0.5);
}

static void use(void *arg)
{
	struct user *u = arg;
	struct eh_cpu *c = u->c;

	for (;;) {
		eh_time hold = drawn(u->hold, HOLD);

		eh_cpu_wait_until(c, EH_SYM_USER, c->retire + drawn(u->think, THINK));
		eh_spin_lock(c, &u->w->lock, &u->w->class, EH_SYM(_raw_spin_lock));
		if (u->w->ahead)
			eh_chain(c, EH_SYM(tcp_ack), 1, hold, c->retire);
		else
			eh_cpu_wait_until(c, EH_SYM(tcp_ack), c->retire + hold);
		eh_spin_unlock(c, &u->w->lock, EH_SYM(tcp_ack), 0);
	}
}

/* A cycle is a picosecond, instructions take none, lines travel in no time. */
static struct eh_machine_config free_machine(int cpus)
{
	return (struct eh_machine_config){
		.sockets = 1,
		.sockets_per_group = 8,
		.dies_per_socket = 1,
		.cores_per_die = cpus,
		.threads_per_core = 1,
		.clock_hz = EH_SEC,
		.core = {.width = 1000, .window = 512, .line_buffers = 16, .path_ipc = 1000},
		.cache = {.l1_lines = 64, .l2_lines = 64},
	};
}

struct measured {
	double acquired[BATCHES], waited[BATCHES]; /* per us; ns in all */
	uint64_t acquisitions;
	eh_time wait_total;
};

static void run(int cpus, bool ahead, struct measured *out)
{
	struct eh_machine_config mc = free_machine(cpus);
	struct user *u = g_new0(struct user, cpus);
	struct world w = {.sim = eh_sim_new(3), .ahead = ahead};

	w.m = eh_machine_new(w.sim, "host", &mc);
	eh_spin_init(&w.lock, eh_lines_new(w.m, 1, 0));
	for (int i = 0; i < cpus; i++) {
		char name[32];

		g_snprintf(name, sizeof(name), "think.%d", i);
		u[i] = (struct user){.w = &w, .c = &w.m->cpus[i], .think = eh_stream_new(3, name)};
		g_snprintf(name, sizeof(name), "hold.%d", i);
		u[i].hold = eh_stream_new(3, name);
		run_bare(u[i].c, use, &u[i], 0);
	}
	eh_sim_run(w.sim, WARMUP);
	for (int b = 0; b < BATCHES; b++) {
		uint64_t acquisitions = w.class.acquisitions;
		eh_time waited = w.class.wait_total;

		eh_sim_run(w.sim, eh_sim_now(w.sim) + BATCH);
		out->acquired[b] = (double)(w.class.acquisitions - acquisitions);
		out->waited[b] = (double)(w.class.wait_total - waited) / (double)EH_NS;
	}
	out->acquisitions = w.class.acquisitions;
	out->wait_total = w.class.wait_total;
	for (int i = 0; i < cpus; i++) {
		gsl_rng_free(u[i].think);
		gsl_rng_free(u[i].hold);
	}
	eh_machine_free(w.m);
	eh_sim_free(w.sim);
	g_free(u);
}

/* 1 when theory and simulation disagree; an interval wider than 3 % would show nothing. */
static int report(int cpus, const char *metric, struct eh_interval got, double want)
{
	bool ok = got.lo <= want && want <= got.hi && got.hi - got.lo <= 0.03 * want;

	printf("%-4s %2d CPUs %-24s theory %10.4f simulated %10.4f [%10.4f, %10.4f]\n",
	       ok ? "ok" : "FAIL", cpus, metric, want, got.mean, got.lo, got.hi);
	return !ok;
}

static int check(int cpus)
{
	double z = (double)THINK / (double)EH_US, s = (double)HOLD / (double)EH_US;
	double length = 0, x = 0, response = 0;
	struct measured step, ahead;
	struct eh_interval rate;
	int failures = 0;

	for (int n = 1; n <= cpus; n++) {
		response = s * (1 + length);
		x = n / (response + z);
		length = x * response;
	}
	run(cpus, false, &step);
	run(cpus, true, &ahead);
	if (step.acquisitions != ahead.acquisitions || step.wait_total != ahead.wait_total) {
		printf("FAIL %2d CPUs: in step or ahead makes a difference\n", cpus);
		failures++;
	}
	rate = eh_batch_interval(step.acquired, BATCHES, CONFIDENCE);
	rate.mean /= (double)BATCH / (double)EH_US;
	rate.lo /= (double)BATCH / (double)EH_US;
	rate.hi /= (double)BATCH / (double)EH_US;
	failures += report(cpus, "million acquisitions/s", rate, x);
	if (cpus > 1)
		failures +=
			report(cpus, "mean wait, ns",
			       eh_ratio_interval(step.waited, step.acquired, BATCHES, CONFIDENCE),
			       1000 * (response - s));
	else if (step.wait_total != 0)
		failures++;
	return failures;
}

int main(void)
{
	static const int cpus[] = {1, 4, 8, 11, 16, 32, 64};
	int failures = 0;

	for (int i = 0; i < 7; i++)
		failures += check(cpus[i]);
	return failures != 0;
}
