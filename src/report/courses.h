/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What changes over time, when a point was asked for it. Internal to reports. */
#ifndef REPORT_COURSES_H
#define REPORT_COURSES_H

#include <ehsim/report.h>
#include <json-glib/json-glib.h>

extern const char *const courses_kinds[EH_COURSE_KINDS]; /* "searches", ... */

void courses_json(JsonBuilder *b, const GPtrArray *courses);

#endif
