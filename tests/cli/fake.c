/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run without a model, for the tests of the command line: it ends at once with numbers that
 * follow from the values. EH_FAKE in the environment makes it go wrong: "fail", "imprecise",
 * "slow" (reports progress until it is interrupted, or for a minute); at points of S1 only: "crash", "killed", "exit",
 * "hog" (asks for more memory than there is).
 */
#include <ehsim/scenario.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void wait_for_signal(const struct eh_values *v, eh_progress_fn progress, void *arg,
			    struct eh_point *p)
{
	struct eh_progress state = {.planned = v->run.at_most, .precision = 1};

	for (int i = 0; i < 1200 && (!progress || progress(&state, arg)); i++) {
		state.simulated += v->run.at_most / 1000;
		state.precision = 0.5;
		state.metric = "throughput_per_s";
		state.mean = 1000;
		state.lo = 500;
		state.hi = 1500;
		state.events += 100000;
		g_usleep(50000);
	}
	p->status = EH_INTERRUPTED;
	p->status_text = g_strdup("interrupted");
}

static void go_wrong(const char *how)
{
	if (!strcmp(how, "crash")) {
		signal(SIGSEGV, SIG_DFL);
		raise(SIGSEGV);
	} else if (!strcmp(how, "killed")) {
		raise(SIGKILL);
	} else if (!strcmp(how, "exit")) {
		exit(3);
	} else if (!strcmp(how, "hog")) {
		g_free(g_malloc(G_MAXSIZE / 4));
	}
}

void eh_run_point(const struct eh_values *v, uint64_t seed, eh_progress_fn progress, void *arg,
		  struct eh_point *p)
{
	const char *how = g_getenv("EH_FAKE");
	double rate = 1000.0 * (double)v->workload.threads * (v->kernel.connect == EH_S1 ? 3 : 1);

	if (how && v->kernel.connect == EH_S1)
		go_wrong(how);
	p->fingerprint = seed * 31 + (uint64_t)rate;
	p->simulated = v->run.warmup + v->run.length;
	p->warmup = v->run.warmup;
	p->start_text = g_strdup("start: none, this is the fake of the tests");
	if (how && !strcmp(how, "slow")) {
		wait_for_signal(v, progress, arg, p);
		return;
	}
	if (how && !strcmp(how, "fail")) {
		p->status = EH_FAILED;
		p->status_text = g_strdup("the fake was told to fail");
		return;
	}
	if (how && !strcmp(how, "imprecise")) {
		p->status = EH_IMPRECISE;
		p->status_text = g_strdup("the fake reached 3 % of the 1 % wanted");
	}
	eh_point_metric(p, "throughput_per_s", rate, rate * 0.99, rate * 1.01);
	eh_point_metric(p, "latency_mean_s", 1 / rate, 1 / rate, 1 / rate);
	eh_point_metric_null(p, "ns_per_candidate", "the fake searches no ports");
	eh_profile_add(p->client, "native_queued_spin_lock_slowpath", 0.45, false);
	eh_profile_add(p->client, "_raw_spin_lock", 0.25, false);
	eh_profile_add(p->server, "__inet_lookup_listener", 0.1, false);
	eh_pair_add(p->neper_client, "throughput", "%.2f", rate);
}
