/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "names.h"
#include "where.h"

#include <inttypes.h>
#include <string.h>

/* Reasons hold commas; nothing here holds a quote or a line end. */
static void quoted(GString *out, const char *text)
{
	const char *quote = strchr(text, ',') ? "\"" : "";

	g_string_append_printf(out, ",%s%s%s", quote, text, quote);
}

static void print_row(const struct eh_point *p, const char *host, const struct eh_where_row *row,
		      GString *out)
{
	struct eh_where_sum sum = where_sum(row);
	char digits[G_ASCII_DTOSTR_BUF_SIZE];
	char *name = name_short(p, 1000);

	g_string_append_printf(out, "%d", p->index);
	quoted(out, name);
	quoted(out, host);
	quoted(out, row->group);
	quoted(out, row->name);
	for (int k = 0; k < EH_WHERE_COLUMNS; k++)
		g_string_append_printf(out, ",%" PRId64, row->time[k]);
	g_string_append_printf(out, ",%" PRIu64 ",%" PRId64, sum.lines, sum.hidden);
	g_string_append_printf(out, ",%s", g_ascii_formatd(digits, sizeof(digits), "%.12g", p->where_ports));
	g_string_append_printf(out, ",%s\n",
			       g_ascii_formatd(digits, sizeof(digits), "%.12g", p->where_operations));
	g_free(name);
}

void eh_report_where(const struct eh_result *r, const struct eh_report_options *o, GString *out)
{
	static const char *const hosts[] = {"client", "server"};

	(void)o;
	g_string_append(out, "point,swept,host,group,reason");
	for (int k = 0; k < EH_WHERE_COLUMNS; k++)
		g_string_append_printf(out, ",%s", where_members[k]);
	g_string_append(out, ",accesses,hidden_ps,ports,operations\n");
	for (guint i = 0; i < r->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(r->points, i);

		for (int h = 0; h < 2; h++)
			for (guint k = 0; k < p->where[h]->len; k++)
				print_row(p, p->one_host ? "host" : hosts[h],
					  g_ptr_array_index(p->where[h], k), out);
	}
}
