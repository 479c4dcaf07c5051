/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables over several points. Internal to reports. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include <ehsim/report.h>

/* Every metric name of the result once: those of the text report's order first. Free the array
 * (not the names). */
GPtrArray *compare_metric_names(const struct eh_result *r);

/*
 * Each baseline and the points compared with it: changes with their intervals, and what they do to the
 * profiles. Prints nothing for a single point.
 */
void compare_points(const struct eh_result *r, const struct eh_report_options *o, GString *out);

/* The `most` symbols whose shares moved most, as perf diff shows them (diff.c); all with --profile. */
void compare_profiles(const struct eh_point *base, const struct eh_point *p,
		      const struct eh_report_options *o, guint most, GString *out);

/* Published against simulated; prints nothing when the scenario expects nothing. */
void compare_published(const struct eh_result *r, const struct eh_report_options *o, GString *out);

#endif
