/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of a point that was asked for them. Internal to reports. */
#ifndef REPORT_JSON_TABLES_H
#define REPORT_JSON_TABLES_H

#include <ehsim/report.h>
#include <json-glib/json-glib.h>

void json_tables(JsonBuilder *b, const struct eh_point *p);

#endif
