/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --report and --plot: of stored results, or of the one that was just simulated. */
#ifndef EHSIM_CLI_LOOK_H
#define EHSIM_CLI_LOOK_H

#include "options.h"

/* Of o->stored. Returns the exit status. */
int eh_look_stored(const struct eh_options *o);

/* The folder of --report for a fresh result; `shown` is its scenario filled in. */
bool eh_look_report(const struct eh_options *o, const struct eh_result *r, const char *shown);

/* Adds the plot of a fresh result. */
void eh_look_plot(const struct eh_result *r, GString *out);

#endif
