/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "where.h"

#include "layout.h"
#include "names.h"

#include <inttypes.h>
#include <math.h>

enum { MOST_POINTS = 5, IN_A_SENTENCE = 4 };

const char *const where_columns[EH_WHERE_COLUMNS] = {"search", "kernel", "irq", "user"};
const char *const where_members[EH_WHERE_COLUMNS] = {"search_ps", "kernel_ps", "softirq_ps", "user_ps"};

static const double shown_ps = 5; /* what rounds to 0.00 ns (us) everywhere is left out */

struct eh_where_sum where_sum(const struct eh_where_row *row)
{
	struct eh_where_sum sum = {0};

	for (int i = 0; i < EH_WHERE_COLUMNS; i++) {
		sum.time += row->time[i];
		sum.hidden += row->hidden[i];
		sum.lines += row->lines[i];
	}
	return sum;
}

static eh_time all(const struct eh_where_row *row)
{
	return where_sum(row).time;
}

static void add(struct eh_where_row *sum, const struct eh_where_row *row)
{
	for (int i = 0; i < EH_WHERE_COLUMNS; i++) {
		sum->time[i] += row->time[i];
		sum->lines[i] += row->lines[i];
		sum->hidden[i] += row->hidden[i];
	}
}

static struct eh_where_row sum_of(const GPtrArray *rows)
{
	struct eh_where_row sum = {.name = NULL};

	for (guint i = 0; i < rows->len; i++)
		add(&sum, g_ptr_array_index(rows, i));
	return sum;
}

static char *name_of(const struct eh_where_row *row)
{
	return *row->group ? g_strdup_printf("%s: %s", row->group, row->name) : g_strdup(row->name);
}

static void number(struct layout_table *t, double x, int decimals)
{
	if (!isfinite(x))
		layout_cell(t, g_strdup("-"));
	else if (fabs(x) < 0.5 * pow(10, -decimals))
		layout_cell(t, NULL);
	else
		layout_cell(t, g_strdup_printf("%.*f", decimals, x));
}

static double per_port(const struct eh_point *p, double x)
{
	return p->where_ports > 0 ? x / p->where_ports : 0;
}

/* Of the search per port: ns, accesses to lines, hidden ns. */
static void port_cells(struct layout_table *t, const struct eh_point *p,
		       const struct eh_where_row *row)
{
	const int s = EH_WHERE_SEARCH;

	number(t, per_port(p, (double)row->time[s] / (double)EH_NS), 2);
	number(t, per_port(p, (double)row->lines[s]), 2);
	number(t, per_port(p, (double)row->hidden[s] / (double)EH_NS), 2);
}

static void row_cells(struct layout_table *t, const struct eh_point *p, int host, char *name,
		      const struct eh_where_row *row)
{
	double unit = p->where_operations * (double)(p->one_host ? EH_NS : EH_US);

	layout_cell(t, name);
	if (!host && !p->one_host)
		port_cells(t, p, row);
	for (int i = 0; !p->one_host && i < EH_WHERE_COLUMNS; i++)
		if (i != EH_WHERE_SEARCH || !host)
			number(t, (double)row->time[i] / unit, 2);
	number(t, (double)all(row) / unit, 2);
	if (host || p->one_host) {
		number(t, (double)where_sum(row).lines / p->where_operations, 2);
		number(t, (double)where_sum(row).hidden / unit, 2);
	}
	layout_cell(t, g_strdup_printf("%.2f%%", 100 * (double)all(row) /
					       (double)MAX(p->where_busy[host], 1)));
	layout_row_end(t);
}

static bool shown(const struct eh_point *p, const struct eh_where_row *row)
{
	for (int i = 0; i < EH_WHERE_COLUMNS; i++) {
		double us = p->one_host ? 1 : 1000;
		double n = p->where_operations * us, lines = p->where_operations * 0.005;

		if (i == EH_WHERE_SEARCH && p->where_ports > 0) {
			n = MIN(n, p->where_ports);
			lines = p->where_ports * 0.005;
		}
		if ((double)row->time[i] >= shown_ps * n || (double)row->lines[i] >= lines)
			return true;
	}
	return false;
}

static void heads(struct layout_table *t, const struct eh_point *p, int host)
{
	static const char *const of_port[] = {"ns/port", "lines", "hidden"};

	layout_cell(t, NULL);
	for (int i = 0; !host && !p->one_host && i < 3; i++)
		layout_cell(t, g_strdup(of_port[i]));
	for (int i = 0; !p->one_host && i < EH_WHERE_COLUMNS; i++)
		if (i != EH_WHERE_SEARCH || !host)
			layout_cell(t, g_strdup(where_columns[i]));
	layout_cell(t, g_strdup(p->one_host ? "ns/op" : "all us"));
	if (host || p->one_host) {
		layout_cell(t, g_strdup("lines"));
		layout_cell(t, g_strdup("hidden"));
	}
	layout_cell(t, g_strdup("share"));
	layout_row_end(t);
}

static void print_host(const struct eh_point *p, int host, const struct eh_report_options *o,
		       GString *out)
{
	static const char *const hosts[] = {" on the client", " on the server"};
	const GPtrArray *rows = p->where[host];
	struct eh_where_row sum = sum_of(rows);
	struct layout_table *t;

	g_string_append_printf(out, "  where the time went%s, ", p->one_host ? "" : hosts[host]);
	g_string_append(out, p->one_host ? "per operation:\n" :
			host		 ? "per connection, us:\n" :
					   "per candidate port, and per connection, us:\n");
	if (!(p->where_operations > 0)) {
		g_string_append(out, "    nothing was finished\n\n");
		return;
	}
	t = layout_table_new("lrrrrrrrrrrr");
	heads(t, p, host);
	for (guint i = 0; i < rows->len; i++) {
		const struct eh_where_row *row = g_ptr_array_index(rows, i);

		if (shown(p, row))
			row_cells(t, p, host, name_of(row), row);
	}
	row_cells(t, p, host, g_strdup("all of it"), &sum);
	layout_table_print(t, o, out);
	g_string_append_printf(out, "    busy time charged to symbols: %" PRId64 " ps; the rows: %" PRId64
			       " ps\n\n", p->where_busy[host], all(&sum));
}

void where_print(const struct eh_point *p, const struct eh_report_options *o, GString *out)
{
	for (int host = 0; p->with_where && host < 2; host++)
		if (p->where[host]->len)
			print_host(p, host, o, out);
}

/* --- several points --- */

/* ns per port of the search; us per connection, or ns per operation, of everything on the client. */
static double value(const struct eh_point *p, const struct eh_where_row *row, bool port)
{
	return port ? per_port(p, (double)row->time[EH_WHERE_SEARCH]) / (double)EH_NS :
		      (double)all(row) / p->where_operations /
				(double)(p->one_host ? EH_NS : EH_US);
}

static const char *unit_of(const struct eh_point *p, bool port)
{
	return port ? "ns per port" : p->one_host ? "ns per operation" : "us per connection";
}

static const struct eh_where_row *row_at(const struct eh_point *p, guint i)
{
	return g_ptr_array_index(p->where[0], i);
}

static void say_part(const char *name, double ns, int n, GString *out)
{
	g_string_append_printf(out, "%s%+.*f %s", n ? ", " : "", fabs(ns) < 100 ? 1 : 0, ns, name);
}

/* The reasons with most of the difference; then the rest. */
static void say_parts(const struct eh_point *a, const struct eh_point *b, bool port, double diff,
		      GString *out)
{
	guint rows = a->where[0]->len;
	double *d = g_new(double, rows);

	for (guint i = 0; i < rows; i++)
		d[i] = value(b, row_at(b, i), port) - value(a, row_at(a, i), port);
	for (int n = 0; n < IN_A_SENTENCE; n++) {
		guint most = 0;
		char *name;

		for (guint i = 1; i < rows; i++)
			if (fabs(d[i]) > fabs(d[most]))
				most = i;
		name = name_of(row_at(a, most));
		say_part(name, d[most], n, out);
		g_free(name);
		diff -= d[most];
		d[most] = 0;
	}
	say_part("all others", diff, 1, out);
	g_free(d);
}

static void say_step(const struct eh_point *a, const struct eh_point *b, bool port, GString *out)
{
	struct eh_where_row from = sum_of(a->where[0]), to = sum_of(b->where[0]);
	double x = value(a, &from, port), y = value(b, &to, port);
	GString *text = g_string_new(NULL);
	char *name_a = name_short(a, 20), *name_b = name_short(b, 20), *first;

	say_parts(a, b, port, y - x, text);
	first = g_strdup_printf("%s -> %s: %.1f -> %.1f, %+.1f %s, of which ", name_a, name_b, x, y, y - x,
				unit_of(a, port));
	layout_wrap(out, "  ", g_string_prepend(text, first)->str);
	g_free(first);
	g_free(name_a);
	g_free(name_b);
	g_string_free(text, TRUE);
}

static void compare_row(struct layout_table *t, const GPtrArray *points, guint i, bool sums, bool port)
{
	const struct eh_point *first = g_ptr_array_index(points, 0);
	struct eh_where_row sum;
	double before = 0;

	layout_cell(t, sums ? g_strdup("all of it") : name_of(row_at(first, i)));
	for (guint k = 0; k < points->len; k++) {
		const struct eh_point *p = g_ptr_array_index(points, k);
		double x;

		if (sums)
			sum = sum_of(p->where[0]);
		x = value(p, sums ? &sum : row_at(p, i), port);
		number(t, x, 1);
		if (k)
			layout_cell(t, fabs(x - before) < 0.05 ? NULL : g_strdup_printf("%+.1f", x - before));
		before = x;
	}
	layout_row_end(t);
}

static bool any(const GPtrArray *points, guint i, bool port)
{
	for (guint k = 0; k < points->len; k++) {
		const struct eh_point *p = g_ptr_array_index(points, k);

		if (value(p, row_at(p, i), port) >= 0.05)
			return true;
	}
	return false;
}

static void compare_table(const GPtrArray *points, bool port, const struct eh_report_options *o,
			  GString *out)
{
	const struct eh_point *first = g_ptr_array_index(points, 0);
	struct layout_table *t = layout_table_new("lrrrrrrrrrr");

	layout_cell(t, g_strdup(unit_of(first, port)));
	for (guint k = 0; k < points->len; k++) {
		layout_cell(t, name_short(g_ptr_array_index(points, k), 14));
		if (k)
			layout_cell(t, g_strdup("step"));
	}
	layout_row_end(t);
	for (guint i = 0; i < first->where[0]->len; i++)
		if (any(points, i, port))
			compare_row(t, points, i, false, port);
	compare_row(t, points, 0, true, port);
	layout_table_print(t, o, out);
	for (guint k = 0; k + 1 < points->len; k++)
		say_step(g_ptr_array_index(points, k), g_ptr_array_index(points, k + 1), port, out);
}

void where_compare(const GPtrArray *points, const struct eh_report_options *o, GString *out)
{
	GPtrArray *with = g_ptr_array_new();
	bool ports = true;

	for (guint k = 0; k < points->len && with->len < MOST_POINTS; k++) {
		struct eh_point *p = g_ptr_array_index(points, k);

		if (!p->with_where || !p->where[0]->len || !(p->where_operations > 0))
			continue;
		g_ptr_array_add(with, p);
		ports &= p->where_ports > 0;
	}
	if (with->len > 1) {
		const struct eh_point *first = g_ptr_array_index(with, 0);

		g_string_append_printf(out, "  where the time went%s, point by point:\n",
				       first->one_host ? "" : " on the client");
		if (ports)
			compare_table(with, true, o, out);
		compare_table(with, false, o, out);
	}
	g_ptr_array_unref(with);
}
