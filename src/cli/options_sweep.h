/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of sweeps: shares, processes, directories; for options.c. */
#ifndef EHSIM_CLI_OPTIONS_SWEEP_H
#define EHSIM_CLI_OPTIONS_SWEEP_H

#include "options.h"
#include <ehsim/keys.h>

/* As GOption leaves them. */
struct eh_sweep_words {
	char *jobs, *memory, *results, *slice, **merge;
};

/* "-j4", as make has it, means nothing to GOption: it becomes "--jobs=4". */
void eh_split_jobs(int argc, char **argv);
/* A message on stderr and false if something is wrong; o->point is known already. */
bool eh_take_sweep(struct eh_options *o, const struct eh_sweep_words *w);
/* One scenario; behind --merge directories, too. */
bool eh_take_files(struct eh_options *o, char **files);
void eh_sweep_words_clear(struct eh_sweep_words *w);

/* Of options.c: wrong usage is said; a number in its range. */
int eh_usage(const char *fmt, ...) G_GNUC_PRINTF(1, 2);
bool eh_take_number(const char *option, const char *text, const struct eh_key *key, int64_t *value);

#endif
