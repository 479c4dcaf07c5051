/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What figures and page read off the tables of a point. Internal to reports. */
#ifndef REPORT_WHY_H
#define REPORT_WHY_H

#include "view.h"

JsonArray *why_locks(const struct view_point *p, int host); /* NULL without --locks */
JsonArray *why_lines(const struct view_point *p, int host);

/* Rows of the account of the busy time; NULL where there is none. */
JsonArray *why_where(const struct view_point *p, int host);
const char *
why_where_name(JsonObject *row); /* "read: dirty, other die"; lives as long as the program */
double why_where_operations(const struct view_point *p);
/* Of such a row: its time, all columns together. */
double why_where_ps(JsonObject *row);

enum { WHY_LINE_KINDS = 4 };

/* How a line came to be fetched. */
extern const struct why_line_kind {
	const char *member, *name;
} why_line_kinds[WHY_LINE_KINDS];

/* The measured window of those tables, that of the first repeat where there are several; NAN. */
double why_window_ns(const struct view_point *p);
/* Transactions or operations in that window, and the word for one; NAN. */
double why_operations(const struct view_point *p, const char **word);

/* Seconds of a host's CPU time per transaction, and CPUs that are busy; the server's are in the account. NAN. */
double why_cpu_time(const struct view_point *p, int host);
double why_busy_cpus(const struct view_point *p, int host);

/* How much CPU time of a host per transaction a symbol takes at b more than at a. */
struct why_move {
	const char *symbol;
	double a, b; /* seconds */
};

/* Largest difference first; empty when it cannot be told. Free with g_array_unref. */
GArray *why_moves(const struct view_point *a, const struct view_point *b, int host);

/* The same by reason, from the account of the busy time; symbol is then the reason. */
GArray *why_reasons(const struct view_point *a, const struct view_point *b, int host);

#endif
