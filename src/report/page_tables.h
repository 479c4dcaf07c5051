/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of a point shown as the JSON has them. Internal to reports. */
#ifndef REPORT_PAGE_TABLES_H
#define REPORT_PAGE_TABLES_H

#include "view.h"

/* A member with rows per host (locks, lines), of each point that is shown. */
void page_tables(const struct view *v, const char *member, GString *out);
/* Members that no other part of the page shows: those of features younger than the page. */
void page_tables_unknown(const struct view *v, GString *out);

/* "FIRST|#S0|#S1": heads of a table with a column for each point; newly allocated. */
char *page_point_heads(const GPtrArray *points, const char *first);

#endif
