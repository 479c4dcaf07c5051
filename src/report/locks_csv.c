/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "names.h"
#include "tables.h"

#include <inttypes.h>
#include <string.h>

static void put_text(GString *out, const char *text)
{
	const char *quote = strchr(text, ',') ? "\"" : "";

	g_string_append_printf(out, ",%s%s%s", quote, text, quote);
}

static void put_count(GString *out, uint64_t n)
{
	g_string_append_printf(out, ",%" PRIu64, n);
}

static void put_time(GString *out, double ps)
{
	char digits[G_ASCII_DTOSTR_BUF_SIZE];

	g_string_append_printf(out, ",%s",
			       g_ascii_formatd(digits, sizeof(digits), "%.12g", ps / (double)EH_NS));
}

/* Without a contention there is no shortest, longest and mean wait. */
static void put_waits(GString *out, const struct eh_lock_row *row)
{
	if (row->contentions) {
		put_time(out, (double)row->wait_min);
		put_time(out, (double)row->wait_max);
	} else {
		g_string_append(out, ",,");
	}
	put_time(out, (double)row->wait_total);
	if (row->contentions)
		put_time(out, (double)row->wait_total / (double)row->contentions);
	else
		g_string_append_c(out, ',');
}

static void put_row(const struct eh_point *p, const char *host, const struct eh_lock_row *row,
		    GString *out)
{
	char *name = name_short(p, 1000);

	g_string_append_printf(out, "%d", p->index);
	put_text(out, name);
	put_text(out, host);
	put_text(out, row->name);
	put_text(out, row->type);
	put_count(out, row->con_bounces);
	put_count(out, row->contentions);
	put_waits(out, row);
	put_count(out, row->acq_bounces);
	put_count(out, row->acquisitions);
	put_time(out, (double)row->hold_min);
	put_time(out, (double)row->hold_max);
	put_time(out, (double)row->hold_total);
	put_time(out, tables_mean_hold(row));
	g_string_append_c(out, '\n');
	g_free(name);
}

void eh_report_locks(const struct eh_result *r, const struct eh_report_options *o, GString *out)
{
	static const char *const hosts[] = {"client", "server"};

	(void)o;
	g_string_append(out, "point,swept,host,name,type,con_bounces,contentions,waittime_min_ns,"
			     "waittime_max_ns,waittime_total_ns,waittime_avg_ns,acq_bounces,acquisitions,"
			     "holdtime_min_ns,holdtime_max_ns,holdtime_total_ns,holdtime_avg_ns\n");
	for (guint i = 0; i < r->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(r->points, i);

		for (int h = 0; h < 2; h++)
			for (guint k = 0; k < p->locks[h]->len; k++)
				put_row(p, p->one_host ? "host" : hosts[h],
					g_ptr_array_index(p->locks[h], k), out);
	}
}
