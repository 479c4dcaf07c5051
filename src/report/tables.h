/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Locks and lines of a point, when it was asked for them. Internal to reports. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include <ehsim/report.h>

/* Every host's, each table with a blank line behind it. */
void tables_print(const struct eh_point *p, const struct eh_report_options *o, GString *out);

/* Picoseconds per access of a row, 0 without any. */
double tables_mean_wait(const struct eh_line_row *row);

/* Picoseconds that a lock of the class is held, 0 when none was taken. */
double tables_mean_hold(const struct eh_lock_row *row);

#endif
