/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far the program is, live: the progress line on stderr and the file of --status-file.
 *
 * The line has point, simulated time, the number waited for with its interval as it tightens, events per
 * second, time left. On a terminal one line is rewritten; elsewhere (--progress=always) lines follow one
 * another, at first one a second. Nothing else may be written to stderr between start and end.
 *
 *	eh_meter_init
 *		eh_meter_start, eh_meter_show (often), eh_meter_end	per point, one at a time
 *		eh_meter_done						per point that ended
 *	eh_meter_fini
 *
 * Who runs several points at a time shows the one that has run for longest, and sets `jobs`.
 */
#ifndef EHSIM_CLI_PROGRESS_H
#define EHSIM_CLI_PROGRESS_H

#include "options.h"
#include <ehsim/scenario.h>

struct eh_meter {
	bool on, rewrite;
	int point, points;  /* from 1 */
	int repeat, repeats; /* of the point, from 1; 0: it runs once */
	char *name;	    /* "kernel.connect=S0", may be "" */
	gint64 began, last; /* of the point, of the last line; microseconds */
	bool shown;	    /* a line stands on the terminal */
	const char *status;	 /* path of the status file, or NULL */
	gint64 first, written;	 /* of the program, of the last status; microseconds */
	int runs, done, failed;	 /* points to run, that ended, and of them badly */
	int jobs;		 /* that run at a time; 0: one */
};

/* `runs`: how many points will run. `status` must outlive the meter. */
void eh_meter_init(struct eh_meter *m, enum eh_when when, bool quiet, const char *status, int runs);
void eh_meter_start(struct eh_meter *m, int point, int points, const GPtrArray *set);
void eh_meter_show(struct eh_meter *m, const struct eh_progress *p);
void eh_meter_end(struct eh_meter *m); /* takes the line away */
void eh_meter_done(struct eh_meter *m, const struct eh_point *p);
void eh_meter_fini(struct eh_meter *m, bool interrupted);

#endif
