/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tables.h"

#include "layout.h"

#include <inttypes.h>

static void put_count(struct layout_table *t, uint64_t n)
{
	layout_cell(t, g_strdup_printf("%" PRIu64, n));
}

/* As perf does: two decimals in a unit that fits. */
static void put_time(struct layout_table *t, double ps)
{
	static const struct {
		eh_time size;
		const char *name;
	} units[] = {{EH_SEC, "s"}, {EH_MS, "ms"}, {EH_US, "us"}, {EH_NS, "ns"}};
	size_t i = 0;

	while (i + 1 < G_N_ELEMENTS(units) && ps < (double)units[i].size)
		i++;
	layout_cell(t, g_strdup_printf("%.2f %s", ps / (double)units[i].size, units[i].name));
}

static void put_share(struct layout_table *t, double share)
{
	layout_cell(t, g_strdup_printf("%.2f%%", 100 * share));
}

static void put_heads(struct layout_table *t, const char *const *heads)
{
	for (; *heads; heads++)
		layout_cell(t, g_strdup(*heads));
	layout_row_end(t);
}

static void put_title(const char *what, const struct eh_point *p, int host, GString *out)
{
	static const char *const hosts[] = {" on the client", " on the server"};

	g_string_append_printf(out, "  %s%s:\n", what, p->one_host ? "" : hosts[host]);
}

static bool any_contention(const GPtrArray *rows)
{
	for (guint i = 0; i < rows->len; i++)
		if (((const struct eh_lock_row *)g_ptr_array_index(rows, i))->contentions)
			return true;
	return false;
}

static void print_contention(const GPtrArray *rows, const struct eh_report_options *o, GString *out)
{
	static const char *const heads[] = {"contended", "total wait", "max wait", "avg wait",
					    "type",	 "caller",     NULL};
	struct layout_table *t;

	if (!any_contention(rows)) {
		g_string_append(out, "    no lock was contended\n");
		return;
	}
	t = layout_table_new("rrrrll");
	put_heads(t, heads);
	for (guint i = 0; i < rows->len; i++) {
		const struct eh_lock_row *row = g_ptr_array_index(rows, i);

		if (!row->contentions)
			continue;
		put_count(t, row->contentions);
		put_time(t, (double)row->wait_total);
		put_time(t, (double)row->wait_max);
		put_time(t, (double)row->wait_total / (double)row->contentions);
		layout_cell(t, g_strdup(row->type));
		layout_cell(t, g_strdup(row->name));
	}
	layout_table_print(t, o, out);
}

static void print_lock_stat(const GPtrArray *rows, const struct eh_report_options *o, GString *out)
{
	static const char *const heads[] = {"con-bounces", "waittime-min", "acq-bounces",
					    "acquisitions", "class name",  NULL};
	struct layout_table *t = layout_table_new("rrrrl");

	put_heads(t, heads);
	for (guint i = 0; i < rows->len; i++) {
		const struct eh_lock_row *row = g_ptr_array_index(rows, i);

		put_count(t, row->con_bounces);
		if (row->contentions)
			put_time(t, (double)row->wait_min);
		else
			layout_cell(t, g_strdup("-"));
		put_count(t, row->acq_bounces);
		put_count(t, row->acquisitions);
		layout_cell(t, g_strdup(row->name));
	}
	layout_table_print(t, o, out);
}

double tables_mean_hold(const struct eh_lock_row *row)
{
	return row->acquisitions ? (double)row->hold_total / (double)row->acquisitions : 0;
}

static void print_holds(const GPtrArray *rows, const struct eh_report_options *o, GString *out)
{
	static const char *const heads[] = {"holdtime-min",   "holdtime-max", "holdtime-total",
					    "holdtime-avg", "class name",   NULL};
	struct layout_table *t = layout_table_new("rrrrl");

	put_heads(t, heads);
	for (guint i = 0; i < rows->len; i++) {
		const struct eh_lock_row *row = g_ptr_array_index(rows, i);

		put_time(t, (double)row->hold_min);
		put_time(t, (double)row->hold_max);
		put_time(t, (double)row->hold_total);
		put_time(t, tables_mean_hold(row));
		layout_cell(t, g_strdup(row->name));
	}
	layout_table_print(t, o, out);
}

static void print_locks(const struct eh_point *p, int host, const struct eh_report_options *o,
			GString *out)
{
	const GPtrArray *rows = p->locks[host];

	put_title("perf lock contention", p, host, out);
	if (!rows->len) {
		g_string_append(out, "    no lock was taken\n\n");
		return;
	}
	print_contention(rows, o, out);
	put_title("the rest of lock_stat", p, host, out);
	print_lock_stat(rows, o, out);
	put_title("how long locks are held", p, host, out);
	print_holds(rows, o, out);
	g_string_append_c(out, '\n');
}

double tables_mean_wait(const struct eh_line_row *row)
{
	uint64_t n = eh_line_row_accesses(row);

	return n ? (double)row->waited / (double)n : 0;
}

static void print_lines(const struct eh_point *p, int host, const struct eh_report_options *o,
			GString *out)
{
	static const char *const heads[] = {"share",	"Tot Hitm", "LclHitm",	 "RmtHitm",
					    "LclStore", "RmtStore", "mean wait", "lines",
					    "hottest",	"cacheline", NULL};
	const GPtrArray *rows = p->lines[host];
	struct layout_table *t;

	put_title("perf c2c", p, host, out);
	if (!rows->len) {
		g_string_append(out, "    no line went from one CPU to another\n\n");
		return;
	}
	t = layout_table_new("rrrrrrrrrl");
	put_heads(t, heads);
	for (guint i = 0; i < rows->len; i++) {
		const struct eh_line_row *row = g_ptr_array_index(rows, i);

		put_share(t, row->share);
		put_count(t, row->lcl_hitm + row->rmt_hitm);
		put_count(t, row->lcl_hitm);
		put_count(t, row->rmt_hitm);
		put_count(t, row->lcl_store);
		put_count(t, row->rmt_store);
		layout_cell(t, g_strdup_printf("%.1f ns", tables_mean_wait(row) / (double)EH_NS));
		put_count(t, row->lines);
		if (row->hottest)
			put_share(t, row->hottest_share);
		else
			layout_cell(t, g_strdup("-"));
		layout_cell(t, g_strdup(row->name));
	}
	layout_table_print(t, o, out);
	g_string_append_c(out, '\n');
}

void tables_print(const struct eh_point *p, const struct eh_report_options *o, GString *out)
{
	for (int host = 0; host < (p->one_host ? 1 : 2); host++) {
		if (p->with_locks)
			print_locks(p, host, o, out);
		if (p->with_lines)
			print_lines(p, host, o, out);
	}
}
