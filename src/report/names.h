/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How reports call things. Internal to reports. */
#ifndef REPORT_NAMES_H
#define REPORT_NAMES_H

#include <ehsim/result.h>

/* "point 0: kernel.connect=S0", "point 0" when nothing is swept. */
char *name_point(const struct eh_point *p);

/* The swept values alone, "S0" or "S0, 64"; the index when that is longer than `room`. */
char *name_short(const struct eh_point *p, glong room);

/* "done", "imprecise", "interrupted", "failed". */
const char *name_status(enum eh_status status);

/* The program users know as the workload ("tcp_crr"), from the scenario; "user" if it has none. */
const char *name_command(const struct eh_result *r);

#endif
