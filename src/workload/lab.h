/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kinds of the laboratory share. */
#ifndef EHSIM_WORKLOAD_LAB_H
#define EHSIM_WORKLOAD_LAB_H

#include <ehsim/lock.h>
#include <ehsim/rcu.h>
#include <ehsim/slab.h>
#include <ehsim/stream.h>
#include <ehsim/workload.h>

struct eh_lab_thread {
	struct eh_lab *lab;
	int index;
	struct eh_task *task;
	struct eh_event start; /* its first instruction */
	uint64_t operations;
};

struct eh_lab {
	struct eh_sim *sim;
	struct eh_machine *m;
	struct eh_sched *sched;
	struct eh_rcu *rcu;
	const struct eh_kernel_config *kernel;
	const struct eh_workload_config *cfg;
	const struct eh_lab_ops *ops;
	void *state;
	struct eh_lab_thread *threads;
	int nthreads;
	struct eh_host *host; /* of a networked kind: m, sched and rcu are its own; else NULL */
	struct eh_network_config net;
};

extern const struct eh_lab_ops eh_lab_line, eh_lab_lock, eh_lab_read_side, eh_lab_hash,
	eh_lab_rcu_loop, eh_lab_bind, eh_lab_slab, eh_lab_syn_flood, eh_lab_chain,
	eh_lab_ehash2004, eh_lab_transfer;

/* A stream of its own for every thread: "lab.WHAT.3". */
gsl_rng **eh_lab_streams(const struct eh_lab *lab, const char *what);
void eh_lab_streams_free(gsl_rng **streams, int n);

/* Exponential with that mean, in whole numbers; the same on every compiler. */
int64_t eh_lab_exponential(gsl_rng *r, int64_t mean);

/* The home of line i of an array, page by page in turn over all dies when die is -1. */
int eh_lab_home(const struct eh_machine *m, int64_t die, int64_t i);

#endif
