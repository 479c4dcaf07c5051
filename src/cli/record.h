/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One finished run (a point without repeats, or one repeat of it) as text: what a child process hands
 * to its parent, and what a results directory holds, one file per run.
 *
 * Two lines of JSON. The first says what the run is: schema "ehsim-record/1", version, model (a sum of
 * the sources that decide results), key (eh_run_key), and how many bytes with which SHA-256 follow. The
 * second holds every member of struct eh_point that a run leaves behind, exact to the last bit: reals
 * have 17 digits, infinities and NaN are words, hashes hex digits, slices of a trace base64.
 *
 * Not in it: what the scenario says (index, set), and what is worked out when all points are there
 * (changes, expect, the ratio among the metrics).
 *
 * A member of struct eh_point that a run fills needs a row in the tables of record.c, and nothing else:
 * ONE for a scalar, WORDS for an array or struct of 64-bit integers, ROWS for a list with a table of its
 * own, ASKED for what is set before the run (with_locks), which sweep.c passes on. tests/cli/jobs.sh holds runs in children against runs in the program itself, in every report.
 */
#ifndef EHSIM_CLI_RECORD_H
#define EHSIM_CLI_RECORD_H

#include <ehsim/scenario.h>

void eh_record_write(const struct eh_point *run, const char *key, GString *out);

/*
 * Fill `run`, fresh from eh_point_new, from a record of the run `key` by this very model. False and in
 * *bad a newly allocated sentence that begins with `name`, line and column (or the member's path) if it
 * is anything else: cut short, changed, of another version, of another run; `run` is as before then.
 * key == NULL: whatever run it is.
 */
bool eh_record_read(const char *name, const char *text, gsize length, const char *key,
		    struct eh_point *run, char **bad);

/* The second line alone; what the tests of broken bytes call. */
bool eh_record_read_body(const char *name, const char *text, gsize length, struct eh_point *run,
			 char **bad);

/*
 * What decides a run's numbers, as 64 hex digits: version and sources of the model, all values of the
 * point by name, the seed, and which tables and traces were asked for. The number of the point,
 * run.repeat, and the file that a machine came from are no part of it: a sweep that grows finds its old
 * points again.
 */
char *eh_run_key(const struct eh_point *run, const struct eh_values *v);

#endif
