/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs in processes of their own, some at a time. A run that crashes, is killed or has no memory left
 * loses itself only. Children die with their parent.
 *
 * The parent is one loop: it starts children while there is room (processes, memory), reads what they
 * send and collects what they leave. Which child ends first decides nothing but the order of the calls
 * of `done`.
 */
#ifndef EHSIM_CLI_JOBS_H
#define EHSIM_CLI_JOBS_H

#include <ehsim/scenario.h>
#include <signal.h>

/* One run to be made. */
struct eh_task_run {
	struct eh_point *run; /* index, set, repeat, what is asked for; the caller's */
	uint64_t memory;      /* estimate of its peak */
	bool begun, ended;
	bool lost; /* its process ended before it */
};

struct eh_jobs {
	int most;	 /* processes at a time */
	uint64_t memory; /* for all of them together */
	/* Called by turns in the parent; each may be NULL but `work`. */
	bool (*wanted)(struct eh_task_run *t, void *arg); /* before it begins; false: leave it out */
	void (*begun)(struct eh_task_run *t, void *arg);
	void (*progress)(struct eh_task_run *t, const struct eh_progress *p, void *arg);
	/*
	 * The run is filled in: it ran to an end of whatever status, or its process was lost (EH_FAILED
	 * and a text that says how). False: begin no more runs.
	 */
	bool (*done)(struct eh_task_run *t, void *arg);
	void (*tick)(void *arg); /* a few times a second */
	/* In the child: make the run. */
	void (*work)(struct eh_point *run, eh_progress_fn progress, void *progress_arg, void *arg);
	void *arg;
	const volatile sig_atomic_t *stop; /* not 0: ask all that run to end with what they have */
};

/* struct eh_task_run * in the order in which they begin. */
void eh_jobs_run(const struct eh_jobs *jobs, GPtrArray *runs);

/* CPUs that this process may use. */
int eh_jobs_cpus(void);

#endif
