/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kmem caches of a point, when it was asked for them. Internal to reports. */
#ifndef REPORT_SLABS_H
#define REPORT_SLABS_H

#include <ehsim/report.h>
#include <json-glib/json-glib.h>

void slabs_print(const struct eh_point *p, const struct eh_report_options *o, GString *out);
void slabs_json(JsonBuilder *b, const char *host, const GPtrArray *rows);

#endif
