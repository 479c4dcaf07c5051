/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "figures.h"

#include "why.h"

#include <math.h>
#include <string.h>

enum { PARTS = 8, LINES = 8, LINE_POINTS = 2 };

static const char stack_head[] = "row,label,series,name,from,to,text\n";

/* What the rows of a table are called, and how much each is. */
struct measure {
	const char *(*name)(JsonObject *row);
	double (*size)(const struct view_point *p, int host, JsonObject *row);
	JsonArray *(*rows)(const struct view_point *p, int host);
	/* Of one that stands as a second bar below it: what the bars are. */
	const char *word;
	const struct measure *below;
};

static const char *symbol_name(JsonObject *row)
{
	return stored_text(row, "symbol");
}

static const char *lock_name(JsonObject *row)
{
	return stored_text(row, "name");
}

static double percent(const struct view_point *p, int host, JsonObject *row)
{
	(void)p;
	(void)host;
	return 100 * stored_real(row, "share");
}

static double time_us(const struct view_point *p, int host, JsonObject *row)
{
	return 1e6 * stored_real(row, "share") * why_cpu_time(p, host);
}

static double waiters(const struct view_point *p, int host, JsonObject *row)
{
	(void)host;
	return stored_real(row, "waittime_total_ns") / why_window_ns(p);
}

static double holders(const struct view_point *p, int host, JsonObject *row)
{
	(void)host;
	return stored_real(row, "holdtime_total_ns") / why_window_ns(p);
}

/* What the account of the busy time says of a reason, per operation. */
static double where_us(const struct view_point *p, int host, JsonObject *row)
{
	(void)host;
	return 1e-6 * why_where_ps(row) / why_where_operations(p);
}

static const struct measure where_measure = {why_where_name, where_us, why_where, "", NULL};
static const struct measure profile_measure = {symbol_name, percent, view_profile, "", NULL};
static const struct measure time_measure = {symbol_name, time_us, view_profile, "", NULL};
static const struct measure hold_measure = {lock_name, holders, why_locks, ": hold", NULL};
static const struct measure lock_measure = {lock_name, waiters, why_locks, ": wait", &hold_measure};

/* The name not in `names` with the largest size at any point that is shown, where larger than *size. */
static const char *next_largest(const struct view *v, const struct measure *m, int host,
				GPtrArray *names, double *size)
{
	const char *best = NULL;

	for (guint i = 0; i < v->shown->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->shown, i);
		JsonArray *rows = m->rows(p, host);

		for (guint k = 0; k < stored_rows(rows); k++) {
			JsonObject *row = stored_row(rows, k);
			const char *name = m->name(row);
			double of = m->size(p, host, row);

			if (of > *size && !g_ptr_array_find_with_equal_func(names, name, g_str_equal,
									    NULL)) {
				best = name;
				*size = of;
			}
		}
	}
	return best;
}

/* The names with the largest size, largest first. */
static GPtrArray *largest(const struct view *v, const struct measure *first, int host, guint most)
{
	GPtrArray *names = g_ptr_array_new();

	while (names->len < most) {
		const char *best = NULL;
		double size = 0;

		for (const struct measure *m = first; m; m = m->below) {
			const char *name = next_largest(v, m, host, names, &size);

			best = name ? name : best;
		}
		if (!best)
			break;
		g_ptr_array_add(names, (char *)best);
	}
	return names;
}

static double size_of(const struct view_point *p, const struct measure *m, int host,
		      const char *name)
{
	JsonArray *rows = m->rows(p, host);
	double sum = 0;

	for (guint k = 0; k < stored_rows(rows); k++) {
		JsonObject *row = stored_row(rows, k);
		double size = m->size(p, host, row);

		if (isfinite(size) && (!name || !strcmp(m->name(row), name)))
			sum += size;
	}
	return sum;
}

/* A part for each of the names, one for the rest. */
static void put_bar(const struct view_point *p, const struct measure *m, int host,
		    const GPtrArray *names, double most, const char *format, struct figure_stack *s)
{
	double rest = size_of(p, m, host, NULL);

	for (guint k = 0; k < names->len; k++) {
		double size = size_of(p, m, host, g_ptr_array_index(names, k));

		figure_part(s, (int)k + 1, g_ptr_array_index(names, k), size, 0.08 * most, format);
		rest -= size;
	}
	if (rest > 1e-6 * most)
		figure_part(s, (int)names->len + 1, "all others", rest, 0.08 * most, format);
	else if (s->at <= 0)
		figure_part(s, 1, g_ptr_array_index(names, 0), 1e-9 * most, INFINITY, format);
}

/* A bar for every point that is shown, or as many as there are measures below each other. */
static bool stacks(const struct view *v, const struct measure *first, int host, const char *format,
		   GString *data)
{
	GPtrArray *names = largest(v, first, host, PARTS - 1);
	double most = 0;
	bool any = names->len > 0;
	int row = 0;

	for (guint i = 0; i < v->shown->len; i++)
		for (const struct measure *m = first; m; m = m->below)
			most = MAX(most, size_of(g_ptr_array_index(v->shown, i), m, host, NULL));
	g_string_append(data, stack_head);
	for (guint i = 0; any && i < v->shown->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->shown, i);

		for (const struct measure *m = first; m; m = m->below) {
			char *label = g_strconcat(p->name, m->word, NULL);
			struct figure_stack s = {data, ++row, label, 0};

			put_bar(p, m, host, names, most, format, &s);
			g_free(label);
		}
	}
	g_ptr_array_unref(names);
	return any;
}

static void add_stacks(const struct view *v, const struct measure *m, int host, const char *name,
		       const char *axis, const char *format, const char *title, GPtrArray *out)
{
	const char *remark = m->below ? "A CPU that holds two locks at a time counts twice." : "";
	struct eh_figure *f = figure_new(v, name, "stacked.gp", axis, remark, g_strdup(title));

	if (stacks(v, m, host, format, f->data))
		g_ptr_array_add(out, f);
	else
		figure_free(f);
}

static double line_size(JsonObject *row, guint kind)
{
	return stored_real(row, why_line_kinds[kind].member);
}

static double line_total(JsonObject *row)
{
	double sum = 0;

	for (guint k = 0; k < WHY_LINE_KINDS; k++)
		sum += line_size(row, k);
	return sum;
}

/* The kinds that there are, from 1. */
static void number_kinds(JsonArray *rows, int series[WHY_LINE_KINDS])
{
	int n = 0;

	for (guint k = 0; k < WHY_LINE_KINDS; k++) {
		bool any = false;

		for (guint i = 0; !any && i < stored_rows(rows) && i < LINES; i++)
			any = line_size(stored_row(rows, i), k) > 0;
		series[k] = any ? ++n : 0;
	}
}

/* Rows are lines, their parts how they travelled. */
static void add_lines(const struct view *v, const struct view_point *p, int host, const char *name,
		      GPtrArray *out)
{
	JsonArray *rows = why_lines(p, host);
	const char *per;
	double count = why_operations(p, &per), most = 0;
	struct eh_figure *f;
	char *axis;
	int n = 0, series[WHY_LINE_KINDS];

	if (!stored_rows(rows) || !(count > 0))
		return;
	axis = g_strdup_printf("moves of the line to another CPU per %s", per);
	f = figure_new(v, name, "stacked.gp", axis,
		       "By what the CPU did that took the line, and where it was before.",
		       g_strdup_printf("Cache lines that travel between CPUs%s%s: %s",
				       v->one_host ? "" : " of the ",
				       v->one_host ? "" : view_host(host), p->name));
	g_free(axis);
	g_string_append(f->data, stack_head);
	number_kinds(rows, series);
	for (guint i = 0; i < stored_rows(rows) && i < LINES; i++)
		most = MAX(most, line_total(stored_row(rows, i)) / count);
	for (guint i = 0; i < stored_rows(rows) && n < LINES; i++) {
		JsonObject *row = stored_row(rows, i);
		struct figure_stack s = {f->data, n + 1, stored_text(row, "cacheline"), 0};

		if (!(line_total(row) > 0))
			continue;
		n++;
		for (guint k = 0; k < WHY_LINE_KINDS; k++)
			figure_part(&s, series[k], why_line_kinds[k].name,
				    line_size(row, k) / count, 0.12 * most, "%.4g");
	}
	if (n)
		g_ptr_array_add(out, f);
	else
		figure_free(f);
}

static void add_all_lines(const struct view *v, GPtrArray *out)
{
	static const char *const names[] = {"lines-1", "lines-2"};

	for (int i = 0; i < LINE_POINTS; i++)
		if (v->pair[i])
			add_lines(v, v->pair[i], 0, names[i], out);
}

void figures_why(const struct view *v, GPtrArray *out)
{
	add_stacks(v, &time_measure, 0, "cpu-time", "CPU time of the client per transaction, us",
		   "%.4g", "Where the client's CPU time went, per transaction, by kernel function",
		   out);
	add_stacks(v, &time_measure, 1, "cpu-time-server",
		   "CPU time of the server per transaction, us", "%.4g",
		   "Where the server's CPU time went, per transaction, by kernel function", out);
	add_stacks(v, &where_measure, 0, "where-client",
		   v->one_host ? "busy time per operation, us"
			       : "busy time of the client per transaction, us",
		   "%.4g", "What the time went to, by reason", out);
	add_stacks(v, &where_measure, 1, "where-server",
		   "busy time of the server per transaction, us", "%.4g",
		   "What the server's time went to, by reason", out);
	add_stacks(v, &profile_measure, 0, "profile-client",
		   v->one_host ? "share of busy time, %" : "share of the client's busy time, %",
		   "%.1f", v->one_host ? "Profile of the host" : "Profile of the client", out);
	add_stacks(v, &profile_measure, 1, "profile-server", "share of the server's busy time, %",
		   "%.1f", "Profile of the server", out);
	add_stacks(v, &lock_measure, 0, "locks-client", "CPUs that wait for a lock or hold one, on average",
		   "%.4g",
		   v->one_host ? "Waiting for locks and holding them, by class"
			       : "Waiting for locks of the client and holding them, by class",
		   out);
	add_stacks(v, &lock_measure, 1, "locks-server", "CPUs that wait for a lock or hold one, on average",
		   "%.4g", "Waiting for locks of the server and holding them, by class", out);
	add_all_lines(v, out);
}
