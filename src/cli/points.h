/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The points that were asked for, run into a result: a single run in this process, a sweep in
 * processes of its own (jobs.h), finished runs taken from and kept in a results directory (journal.h).
 *
 * Points stand in the result in their own order whatever ended first, and messages about them come in
 * that order. Ctrl-C (or SIGTERM, or SIGHUP: the terminal is gone) ends the runs that are under way, which keep what they have with
 * status "interrupted"; a second one ends the program.
 */
#ifndef EHSIM_CLI_POINTS_H
#define EHSIM_CLI_POINTS_H

#include "journal.h"
#include "options.h"
#include <ehsim/scenario.h>

struct eh_sweep_end {
	int signal;   /* that interrupted it, or 0 */
	bool refused; /* nothing was simulated, and a message says why */
	int missing;  /* points without a finished run; of a merge: that are in no directory */
	int points;   /* that were asked for */
	int lost;     /* runs whose process ended before them */
	bool faulty;  /* a directory could not be written, or holds what is broken or contradictory */
};

/*
 * `baselines`: of eh_scenario_baselines. `journal`: where finished runs are kept, or NULL.
 */
struct eh_sweep_end eh_cli_points(const struct eh_options *o, const struct eh_scenario *s,
				  const int *baselines, struct eh_journal *journal, struct eh_result *r);

/* --merge: the same from directories alone, nothing is simulated. */
struct eh_sweep_end eh_cli_merge(const struct eh_options *o, const struct eh_scenario *s,
				 const int *baselines, struct eh_journal *journal, struct eh_result *r);

/* Every point against its baseline and its published figures. */
void eh_cli_compare(const struct eh_scenario *s, struct eh_result *r);

/* Is the point one of --point or --slice? */
bool eh_cli_selected(const struct eh_options *o, int point);

#endif
