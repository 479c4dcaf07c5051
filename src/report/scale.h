/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers for people: the unit is read off the metric's name (_per_s, _s, _ns, ns_per_, _share),
 * one prefix is chosen from one value and then used for every number of the row. Internal to
 * reports.
 */
#ifndef REPORT_SCALE_H
#define REPORT_SCALE_H

#include <ehsim/types.h>
#include <glib.h>

struct scale {
	double factor;	  /* print value / factor */
	int decimals;	  /* so that the value it was chosen for has five digits */
	const char *unit; /* "/s", "ms", "" */
};

/* The name without the part that says its unit: "latency_mean_s" gives "latency_mean". */
char *scale_label(const char *metric);

struct scale scale_pick(const char *metric, double value);

/* "-" for what is not finite; exponent form when a fixed point would run off the column. */
char *scale_print(const struct scale *s, double value);

/* Value and unit: "1.5465 s". */
char *scale_print_unit(const struct scale *s, double value);

/* Simulated time in one unit, shortest form: "10 s", "20 ms". */
char *scale_time(eh_time t);

#endif
