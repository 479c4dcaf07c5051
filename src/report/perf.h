/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles under perf's headings. Internal to reports. */
#ifndef REPORT_PERF_H
#define REPORT_PERF_H

#include <ehsim/report.h>

/* The first rows as perf top prints them: `    49.54%  [kernel]  [k] _raw_spin_lock`; then what is left. */
void perf_top(const GPtrArray *rows, const char *command, GString *out);

/* The whole profiles of a point's hosts as perf report --stdio prints them. */
void perf_point(const struct eh_result *r, const struct eh_point *p, GString *out);

#endif
