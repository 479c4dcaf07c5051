/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One lock on a machine where moving a line costs nothing: CPUs think and hold it for exponential
 * times, which is the machine repairman model. Mean value analysis gives its exact
 * throughput X and waiting time for n CPUs, think time Z and hold time S: with L(0) = 0,
 *	R(n) = S (1 + L(n - 1)), X(n) = n / (R(n) + Z), L(n) = X(n) R(n), wait = R(n) - S.
 * Owners of the queued spinlock hold it in step with the clock or far ahead of it: the same to the
 * picosecond. Kinds of locks made of words follow the same law, whatever their order of service; and
 * all that serve in turn agree to the picosecond.
 */
#include <ehsim/lock.h>
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
#define KIND_BATCH EH_MS
#define WARMUP (200 * EH_US)
#define CONFIDENCE 0.9995 /* 13 + 50 figures are checked at once */

struct world {
	struct eh_sim *sim;
	struct eh_machine *m;
	struct eh_spinlock lock;
	struct eh_lock *any; /* in its place, unless NULL */
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
		if (u->w->any)
			eh_lock_take(u->w->any, c);
		else
			eh_spin_lock(c, &u->w->lock, &u->w->class, EH_SYM(_raw_spin_lock));
		if (u->w->ahead)
			eh_chain(c, EH_SYM(tcp_ack), 1, hold, c->retire);
		else
			eh_cpu_wait_until(c, EH_SYM(tcp_ack), c->retire + hold);
		if (u->w->any)
			eh_lock_release(u->w->any, c);
		else
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
		.core = {.width = 1000, .window = 512, .line_buffers = 16, .smt_gain = 1.25, .path_ipc = 1000},
		.cache = {.l1_lines = 64, .l2_lines = 64},
	};
}

struct measured {
	double acquired[BATCHES], waited[BATCHES]; /* per us; ns in all */
	uint64_t acquisitions;
	eh_time wait_total;
};

static void run(int cpus, const char *kind, bool ahead, eh_time batch, struct measured *out)
{
	struct eh_machine_config mc = free_machine(cpus);
	struct user *u = g_new0(struct user, cpus);
	struct world w = {.sim = eh_sim_new(3), .ahead = ahead};

	w.m = eh_machine_new(w.sim, "host", &mc);
	eh_spin_init(&w.lock, eh_lines_new(w.m, 1, 0));
	if (kind)
		w.any = eh_lock_new(w.m, eh_lock_kind_find(kind), 0, &w.class);
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

		eh_sim_run(w.sim, eh_sim_now(w.sim) + batch);
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

/* 1 when theory and simulation disagree; an interval wider than `most` would show nothing. */
static int report(const char *kind, int cpus, const char *metric, struct eh_interval got,
		  double want, double most)
{
	bool ok = got.lo <= want && want <= got.hi && got.hi - got.lo <= most * want;

	printf("%-4s %-9s %2d CPUs %-22s theory %10.4f simulated %10.4f [%10.4f, %10.4f]\n",
	       ok ? "ok" : "FAIL", kind, cpus, metric, want, got.mean, got.lo, got.hi);
	return !ok;
}

/* Against the closed form. */
static int compare(const char *kind, int cpus, const struct measured *m, eh_time batch)
{
	double z = (double)THINK / (double)EH_US, s = (double)HOLD / (double)EH_US;
	double length = 0, x = 0, response = 0, us = (double)batch / (double)EH_US;
	double most = batch < BATCH ? 0.06 : 0.03; /* a quarter of the time, twice the width */
	struct eh_interval rate = eh_batch_interval(m->acquired, BATCHES, CONFIDENCE);
	int failures = 0;

	for (int n = 1; n <= cpus; n++) {
		response = s * (1 + length);
		x = n / (response + z);
		length = x * response;
	}
	rate.mean /= us;
	rate.lo /= us;
	rate.hi /= us;
	failures += report(kind, cpus, "million acquisitions/s", rate, x, most);
	if (cpus > 1)
		failures += report(kind, cpus, "mean wait, ns",
				   eh_ratio_interval(m->waited, m->acquired, BATCHES, CONFIDENCE),
				   1000 * (response - s), most);
	else if (m->wait_total != 0)
		failures++;
	return failures;
}

static int check(int cpus)
{
	struct measured step, ahead;
	int failures = 0;

	run(cpus, NULL, false, BATCH, &step);
	run(cpus, NULL, true, BATCH, &ahead);
	if (step.acquisitions != ahead.acquisitions || step.wait_total != ahead.wait_total) {
		printf("FAIL %2d CPUs: in step or ahead makes a difference\n", cpus);
		failures++;
	}
	return failures + compare("qspinlock", cpus, &step, BATCH);
}

int main(void)
{
	static const char *const kinds[] = {"queued", "ticket", "mcs", "clh", "ttas", NULL};
	static const int cpus[] = {1, 4, 8, 11, 16, 32, 64};
	eh_time in_turn = 0;
	struct measured m;
	int failures = 0;

	for (int i = 0; i < 7; i++)
		failures += check(cpus[i]);
	for (int i = 1; i < 6; i++)
		for (int k = 0; kinds[k]; k++) {
			run(cpus[i], kinds[k], false, KIND_BATCH, &m);
			failures += compare(kinds[k], cpus[i], &m, KIND_BATCH);
			if (k == 0)
				in_turn = m.wait_total;
			if (eh_lock_kind_find(kinds[k])->fifo && m.wait_total != in_turn) {
				printf("FAIL %s: not the order of %s\n", kinds[k], kinds[0]);
				failures++;
			}
		}
	return failures != 0;
}
