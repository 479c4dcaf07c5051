/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One queue, one server, Poisson arrivals. What the closed forms say (Pollaczek and Khinchine;
 * Little): with load rho and mean service s, mean wait
 *	M/M/1: rho s / (1 - rho)	M/D/1: rho s / (2 (1 - rho))
 * and in M/M/1 the time in the system is exponential with mean s / (1 - rho).
 * The source is an event that calls a function, the server a fiber that parks when it has nothing
 * to do and waits while it serves, so both kinds of events and every way to switch take part.
 */
#include <ehsim/fiber.h>
#include <ehsim/sim.h>
#include <ehsim/stats.h>
#include <ehsim/stream.h>

#include <glib.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>

#define SERVICE (100 * EH_NS)
#define BATCHES 100
#define WARMUP_BATCHES 5

struct customer {
	eh_time arrival;
	struct customer *next;
};

struct station {
	struct eh_sim *sim;
	struct eh_event source, server;
	gsl_rng *gaps, *works;
	double mean_gap;
	bool fixed_service, idle;
	struct customer *first, **last, *serving, *spare;
	struct eh_hist *sojourn;
	/* of the present batch */
	double wait_sum, in_system_area;
	uint64_t served, arrived;
	int in_system;
	eh_time changed;
};

static void count_in_system(struct station *st, int change)
{
	eh_time now = eh_sim_now(st->sim);

	st->in_system_area += (double)st->in_system * (double)(now - st->changed);
	st->changed = now;
	st->in_system += change;
}

static eh_time drawn(gsl_rng *r, double mean)
{
	return (eh_time)(gsl_ran_exponential(r, mean) + 0.5);
}

static void arrive(struct eh_event *ev)
{
	struct station *st = eh_container_of(ev, struct station, source);
	struct customer *c = st->spare;
	eh_time now = eh_sim_now(st->sim);

	if (c)
		st->spare = c->next;
	else
		c = g_new(struct customer, 1);
	*c = (struct customer){.arrival = now};
	*st->last = c;
	st->last = &c->next;
	st->arrived++;
	count_in_system(st, 1);
	if (st->idle) {
		st->idle = false;
		eh_sim_at(st->sim, &st->server, now);
	}
	eh_sim_at(st->sim, &st->source, now + drawn(st->gaps, st->mean_gap));
}

static void serve(void *arg)
{
	struct station *st = arg;

	for (;;) {
		struct customer *c = st->first;
		eh_time start, work;

		if (!c) {
			st->idle = true;
			eh_sim_park(st->sim);
			continue;
		}
		st->serving = c;
		st->first = c->next;
		if (!st->first)
			st->last = &st->first;
		start = eh_sim_now(st->sim);
		work = st->fixed_service ? SERVICE : drawn(st->works, (double)SERVICE);
		eh_sim_wait(st->sim, &st->server, start + work);
		st->wait_sum += (double)(start - c->arrival);
		st->served++;
		eh_hist_add(st->sojourn, eh_sim_now(st->sim) - c->arrival);
		count_in_system(st, -1);
		st->serving = NULL;
		c->next = st->spare;
		st->spare = c;
	}
}

static void free_customers(struct customer *c)
{
	struct customer *next;

	for (; c; c = next) {
		next = c->next;
		g_free(c);
	}
}

/* 1 when theory and simulation disagree. */
static int report(const char *what, double rho, const char *metric, struct eh_interval got,
		  double want)
{
	bool ok = got.lo <= want && want <= got.hi && got.hi - got.lo < 0.2 * want;

	printf("%-4s %-6s rho %.2f %-28s theory %9.3f simulated %9.3f [%9.3f, %9.3f]\n",
	       ok ? "ok" : "FAIL", what, rho, metric, want, got.mean, got.lo, got.hi);
	return !ok;
}

static struct eh_interval scaled(struct eh_interval i, double factor)
{
	return (struct eh_interval){i.mean * factor, i.lo * factor, i.hi * factor};
}

static int run(double rho, bool fixed_service, eh_time length)
{
	const char *what = fixed_service ? "M/D/1" : "M/M/1";
	struct eh_sim *sim = eh_sim_new(7);
	double waited[BATCHES], served[BATCHES], area[BATCHES], want;
	struct station st = {
		.sim = sim,
		.gaps = eh_stream_new(7, "gaps"),
		.works = eh_stream_new(7, "works"),
		.mean_gap = (double)SERVICE / rho,
		.fixed_service = fixed_service,
		.sojourn = eh_hist_new(),
		.source.fn = arrive,
	};
	struct eh_interval wait, rate, in_system;
	int failures = 0;

	st.last = &st.first;
	st.server.fiber = eh_sim_fiber(sim, serve, &st);
	eh_sim_at(sim, &st.server, 0);
	eh_sim_at(sim, &st.source, 0);
	for (int b = -WARMUP_BATCHES; b < BATCHES; b++) {
		st.wait_sum = st.in_system_area = 0;
		st.served = 0;
		eh_sim_run(sim, eh_sim_now(sim) + length / BATCHES);
		count_in_system(&st, 0);
		if (b < 0)
			continue;
		waited[b] = st.wait_sum / (double)SERVICE;
		served[b] = (double)st.served;
		area[b] = st.in_system_area / (double)(length / BATCHES);
	}
	want = rho / (1 - rho) / (fixed_service ? 2 : 1);
	/* Confidence 99.9 %: a dozen figures are checked at once. */
	wait = eh_ratio_interval(waited, served, BATCHES, 0.999);
	failures += report(what, rho, "mean wait / service", wait, want);
	in_system = eh_batch_interval(area, BATCHES, 0.999);
	failures += report(what, rho, "mean number in system", in_system, rho * (want + 1));
	rate = scaled(eh_batch_interval(served, BATCHES, 0.999),
		      (double)SERVICE / (double)(length / BATCHES));
	failures += report(what, rho, "throughput x service", rate, rho);
	if (!fixed_service) {
		static const double q[] = {0.5, 0.99};

		/* No interval for a quantile: 5 % covers what the others show, and the bucket. */
		for (int i = 0; i < 2; i++) {
			double got = (double)eh_hist_quantile(st.sojourn, q[i]) / (double)SERVICE;
			char metric[40];

			snprintf(metric, sizeof(metric), "time in system, %.0f %%", 100 * q[i]);
			failures += report(what, rho, metric,
					   (struct eh_interval){got, got / 1.05, got * 1.05},
					   -log(1 - q[i]) / (1 - rho));
		}
	}
	eh_sim_free(sim);
	eh_hist_free(st.sojourn);
	free_customers(st.first);
	free_customers(st.spare);
	g_free(st.serving);
	gsl_rng_free(st.gaps);
	gsl_rng_free(st.works);
	return failures;
}

int main(void)
{
	static const double load[] = {0.2, 0.5, 0.8, 0.9};
	int failures = 0;

	for (int i = 0; i < 4; i++) {
		failures += run(load[i], false, EH_SEC / 2);
		failures += run(load[i], true, EH_SEC / 2);
	}
	return failures != 0;
}
