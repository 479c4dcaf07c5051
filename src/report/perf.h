/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles under perf's headings. Internal to reports. */
#ifndef REPORT_PERF_H
#define REPORT_PERF_H

#include <ehsim/result.h>

/* The first rows as perf top prints them: `    49.54%  [kernel]  [k] _raw_spin_lock`. */
void perf_top(const GPtrArray *rows, const char *command, GString *out);

/* The whole profile of one host as perf report --stdio prints it. */
void perf_report(const char *title, const GPtrArray *rows, const char *command, GString *out);

#endif
