/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs that points are made of; for points.c and merge.c. */
#ifndef EHSIM_CLI_SWEEP_H
#define EHSIM_CLI_SWEEP_H

#include "jobs.h"
#include "journal.h"
#include "points.h"

/* A point and its runs: itself, or its repeats. */
struct eh_sweep_point {
	struct eh_point *p; /* owned by the result */
	struct eh_task_run *runs;
	char **keys; /* of the runs */
	int n;
	bool settled; /* its finished repeats are the point's now */
};

/* GPtrArray of struct eh_sweep_point *, which frees them; their points are added to `r`. */
GPtrArray *eh_sweep_points(const struct eh_options *o, const struct eh_scenario *s, const int *baselines,
			   struct eh_result *r);

/*
 * From its runs to the point: means of repeats. A repeat that was not begun counts as interrupted if
 * `stopped`. False if the point has no finished run at all.
 */
bool eh_sweep_settle(struct eh_sweep_point *sp, const struct eh_scenario *s, bool stopped);

/* Takes a point out of the result; frees it. */
void eh_sweep_drop(struct eh_sweep_point *sp, struct eh_result *r);

/* "3-7, 12"; of the numbers of points in ascending order, newly allocated. */
char *eh_sweep_numbers(const GArray *numbers);

#endif
