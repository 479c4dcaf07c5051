/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The progress line on stderr: point, simulated time, precision, events per second, time left. On a
 * terminal one line is rewritten; elsewhere (--progress=always) lines follow one another, at first
 * one a second. Nothing else may be written to stderr between start and end.
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
};

void eh_meter_init(struct eh_meter *m, enum eh_when when, bool quiet);
void eh_meter_start(struct eh_meter *m, int point, int points, const GPtrArray *set);
void eh_meter_show(struct eh_meter *m, const struct eh_progress *p);
void eh_meter_end(struct eh_meter *m); /* takes the line away */

#endif
