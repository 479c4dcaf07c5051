/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options that look at results; for options.c. */
#ifndef EHSIM_CLI_OPTIONS_LOOK_H
#define EHSIM_CLI_OPTIONS_LOOK_H

#include "options.h"

/* With --report and --plot, names that end in .json are results, not scenarios. */
bool eh_is_stored(char *const *files);
/* `runs`: options are given that only a run can follow. A message and false if something is wrong.
 */
bool eh_take_stored(struct eh_options *o, char *const *files, bool runs);
/* What --plot draws goes below the text on standard output: nothing else may go there. */
bool eh_can_plot(const struct eh_options *o);

#endif
