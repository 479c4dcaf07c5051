/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RCU of a point, when it was asked for. Internal to reports. */
#ifndef REPORT_RCU_H
#define REPORT_RCU_H

#include <ehsim/report.h>
#include <json-glib/json-glib.h>

void rcu_print(const struct eh_point *p, const struct eh_report_options *o, GString *out);
void rcu_json(JsonBuilder *b, const char *host, const struct eh_rcu_table *t);

#endif
