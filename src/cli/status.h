/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file of --status-file: how far the program is, for scripts. One JSON object, schema
 * "ehsim-status/1", written anew under another name and renamed, so that a reader always finds a
 * whole one: when the program begins, at most once a second while it runs, and when it ends. Unlike
 * results it is overwritten without --force, and it holds wall times.
 */
#ifndef EHSIM_CLI_STATUS_H
#define EHSIM_CLI_STATUS_H

#include <ehsim/scenario.h>
#include <glib.h>
#include <stdbool.h>

struct eh_status_line {
	const char *state; /* "running", "done", "failed", "interrupted" */
	int points;	   /* to run in all */
	int done, failed;  /* of these: ended, and of them badly */
	int point;	   /* that runs now, its number in --list; 0: none */
	int repeat, repeats;
	const char *name;		    /* " kernel.connect=S0" of that point, or NULL */
	const struct eh_progress *progress; /* of that point, or NULL */
	double elapsed_s, left_s;	    /* left: negative while not known */
};

/* A message on stderr and false if it cannot be written. */
bool eh_status_write(const char *path, const struct eh_status_line *line);

#endif
