/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/report.h>

#include <string.h>

const struct eh_report_kind eh_report_kinds[] = {
	{"text", "tables for people (default)", eh_report_text, NULL},
	{"neper", "neper's key=value lines, one block per role", eh_report_neper, "tcp_crr, tcp_stream"},
	{"neper-client", "what neper prints at the client", eh_report_neper_client, "tcp_crr, tcp_stream"},
	{"neper-server", "what neper prints at the server", eh_report_neper_server, "tcp_crr, tcp_stream"},
	{"perf", "whole profiles, as perf report --stdio prints them", eh_report_perf, NULL},
	{"json", "one document, schema ehsim-result/1", eh_report_json, NULL},
	{"csv", "a table, one row per run", eh_report_csv, NULL},
	{"where", "where the time went (--where) as CSV", eh_report_where, NULL},
	{"locks", "table of locks (--locks) as CSV", eh_report_locks, NULL},
	{NULL, NULL, NULL, NULL},
};

const struct eh_report_kind *eh_report_find(const char *name)
{
	const struct eh_report_kind *k;

	for (k = eh_report_kinds; k->name; k++)
		if (strcmp(k->name, name) == 0)
			return k;
	return NULL;
}
