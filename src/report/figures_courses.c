/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What changes in the course of the measured window. */
#include "figures.h"

#include <math.h>
#include <string.h>

enum { CACHES = 1 };

static const char head[] = "group,name,x,value,from_x,from_value\n", time_axis[] = "time in the measured window, ms";

static JsonObject *course(const struct view_point *p, const char *kind, int host, guint nth)
{
	JsonArray *all = stored_array(p->o, "courses");

	for (guint i = 0; i < stored_rows(all); i++) {
		JsonObject *c = stored_row(all, i);

		if (!g_strcmp0(stored_text(c, "kind"), kind) &&
		    !g_strcmp0(stored_text(c, "host"), view_host(host)) && !nth--)
			return c;
	}
	return NULL;
}

/* Of a search's path, unless it went round the end of the range. */
static void put_begin(JsonObject *row, const char *column, GString *data)
{
	double from = stored_real(row, "from_port");
	double walked = stored_real(row, "port") - from;
	bool path = !strcmp(column, "port") && walked >= 0 && stored_real(row, "candidates") <= walked + 1;

	figure_real(data, path ? 1e3 * stored_real(row, "began_s") : NAN);
	figure_real(data, path ? from : NAN);
}

static void put_group(JsonObject *c, const char *column, int group, const char *name, GString *data)
{
	JsonArray *rows = stored_array(c, "rows");

	for (guint i = 0; i < stored_rows(rows); i++) {
		double x = 1e3 * stored_real(stored_row(rows, i), "time_s");
		double value = stored_real(stored_row(rows, i), column);

		if (!isfinite(x) || !isfinite(value))
			continue;
		g_string_append_printf(data, "%d,", group);
		figure_text(data, name);
		figure_real(data, x);
		figure_real(data, value);
		put_begin(stored_row(rows, i), column, data);
		g_string_append_c(data, '\n');
	}
}

static void add(const struct view *v, const char *name, const char *title, const char *number,
		const char *remark, bool dots, GString *data, int groups, GPtrArray *out)
{
	struct eh_figure *f;

	if (groups && data->len > strlen(head)) {
		f = figure_new(v, name, "course.gp", time_axis, remark, g_strdup(title));
		g_ptr_array_add(f->args, g_strdup(number));
		if (dots)
			g_ptr_array_add(f->args, g_strdup("dots"));
		g_string_append(f->data, data->str);
		g_ptr_array_add(out, f);
	}
	g_string_free(data, TRUE);
}

/* Of the two points that are explained, or of the first. */
static const struct view_point *explained(const struct view *v, int i)
{
	if (v->pair[1])
		return v->pair[i];
	return i || !v->few->len ? NULL : g_ptr_array_index(v->few, 0);
}

static void add_searches(const struct view *v, const char *column, const char *name, const char *title,
			 const char *number, const char *remark, GPtrArray *out)
{
	GString *data = g_string_new(head);
	int groups = 0;

	for (int i = 0; i < 2; i++) {
		const struct view_point *p = explained(v, i);
		JsonObject *c = p ? course(p, "searches", 0, 0) : NULL;

		if (c)
			put_group(c, column, ++groups, p->name, data);
	}
	add(v, name, title, number, remark, true, data, groups, out);
}

static double most(JsonObject *c)
{
	JsonArray *rows = stored_array(c, "rows");
	double least = INFINITY, most = -INFINITY;

	for (guint i = 0; i < stored_rows(rows); i++) {
		double x = stored_real(stored_row(rows, i), "in_use");

		least = fmin(least, x);
		most = fmax(most, x);
	}
	return most - least;
}

/* Is it one of the CACHES whose objects in use move most? */
static bool moves(const struct view_point *p, int host, guint nth)
{
	double of = most(course(p, "slabs", host, nth));
	JsonObject *c;
	int before = 0;

	for (guint i = 0; (c = course(p, "slabs", host, i)); i++)
		before += most(c) > of || (most(c) >= of && i < nth);
	return before < CACHES;
}

static void add_slabs(const struct view *v, int i, int host, const char *name, GPtrArray *out)
{
	static const struct {
		const char *column, *words;
	} states[] = {{"in_use", "in use"}, {"in_arrays", "free, with CPUs"}, {"in_slabs", "free, in slabs"}};
	const struct view_point *p = explained(v, i);
	GString *data;
	JsonObject *c;
	int groups = 0;
	char *title;

	if (!p)
		return;
	data = g_string_new(head);
	for (guint k = 0; (c = course(p, "slabs", host, k)); k++)
		for (guint s = 0; moves(p, host, k) && s < G_N_ELEMENTS(states); s++) {
			const char *cache = stored_text(c, "cache");
			char *text = g_strdup_printf("%s: %s", cache ? cache : "", states[s].words);

			put_group(c, states[s].column, ++groups, text, data);
			g_free(text);
		}
	title = v->one_host ? g_strdup_printf("Slab objects by state: %s", p->name)
			    : g_strdup_printf("Slab objects of the %s by state: %s", view_host(host),
					      p->name);
	add(v, name, title, "objects", "The cache whose objects in use change most.", false, data,
	    groups, out);
	g_free(title);
}

static void add_waiting(const struct view *v, int host, const char *name, const char *title,
			GPtrArray *out)
{
	GString *data = g_string_new(head);
	int groups = 0;

	for (guint i = 0; i < v->few->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->few, i);
		JsonObject *c = course(p, "rcu", host, 0);

		if (c)
			put_group(c, "waiting", ++groups, p->name, data);
	}
	add(v, name, title, "objects", "", false, data, groups, out);
}

void figures_courses(const struct view *v, GPtrArray *out)
{
	static const char *const names[2][VIEW_HOSTS] = {
		{"course-slabs-1-client", "course-slabs-1-server"},
		{"course-slabs-2-client", "course-slabs-2-server"}};

	add_searches(v, "port", "course-ports", "Where the cursor of the port search went",
		     "local port",
		     "Lines: from begin to end of a connect()'s search, of all an even choice. Not drawn where "
		     "one goes round the end of the range.",
		     out);
	add_searches(v, "candidates", "course-candidates", "Ports that a connect() looks at, over time",
		     "local ports looked at", "A point is a connect(), of all an even choice.", out);
	for (int i = 0; i < 2; i++)
		for (int host = 0; host < VIEW_HOSTS; host++)
			add_slabs(v, i, host, names[i][host], out);
	add_waiting(v, 0, "course-rcu-client",
		    v->one_host ? "Objects that wait for a grace period"
				: "Objects of the client that wait for a grace period",
		    out);
	add_waiting(v, 1, "course-rcu-server", "Objects of the server that wait for a grace period", out);
}
