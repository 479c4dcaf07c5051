/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs points one after another into a result. Ctrl-C (or SIGTERM) ends the point that runs, which
 * keeps what it has with status "interrupted"; a second one ends the program.
 */
#ifndef EHSIM_CLI_POINTS_H
#define EHSIM_CLI_POINTS_H

#include "options.h"
#include <ehsim/scenario.h>

/* `baselines`: of eh_scenario_baselines. Returns the number of the signal that interrupted it, or 0. */
int eh_cli_points(const struct eh_options *o, const struct eh_scenario *s, const int *baselines,
		  struct eh_result *r);

#endif
