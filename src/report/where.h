/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the time went: of one point, and of several beside each other. Internal to reports. */
#ifndef REPORT_WHERE_H
#define REPORT_WHERE_H

#include <ehsim/report.h>

extern const char *const where_columns[EH_WHERE_COLUMNS]; /* "search", ... */
extern const char *const where_members[EH_WHERE_COLUMNS]; /* "search_ps", ... */

/* Of all columns of a row. */
struct eh_where_sum {
	eh_time time, hidden;
	uint64_t lines;
};

struct eh_where_sum where_sum(const struct eh_where_row *row);

/* Every host's table with a blank line behind it; nothing for a point that was not asked. */
void where_print(const struct eh_point *p, const struct eh_report_options *o, GString *out);

/*
 * Points of one comparison, struct eh_point *, side by side: what a port and what a connection took, by
 * reason, and a sentence for each step from one point to the next.
 */
void where_compare(const GPtrArray *points, const struct eh_report_options *o, GString *out);

#endif
