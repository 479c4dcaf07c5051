/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the program does once its words are understood: the points of a scenario one after another,
 * their comparison with published figures, the report.
 */
#ifndef EHSIM_CLI_RUN_H
#define EHSIM_CLI_RUN_H

#include "options.h"

/* Returns the exit status. */
int eh_cli_run(const struct eh_options *o);

#endif
