/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sets the points of a view apart, and how they are called for it. Internal to reports. */
#ifndef REPORT_VIEW_NAMES_H
#define REPORT_VIEW_NAMES_H

#include "view.h"

/* Fills keys, and of every point set, name and full. */
void view_name_points(struct view *v);
/* "threads" of "workload.threads", if no other swept key ends so; points into `key`. */
const char *view_short_key(const struct view *v, const char *key);
/* "a.json" without its folder and ending; newly allocated. */
char *view_result_name(const struct eh_stored *s);

#endif
