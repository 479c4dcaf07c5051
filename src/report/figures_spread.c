/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How numbers spread: distributions and histograms of the points that are explained. */
#include "figures.h"

#include <math.h>

/* Bars of the points side by side within a bin, which spans a factor of 2. */
static void put_bins(JsonArray *bins, int series, int all, const char *name, GString *data)
{
	double sum = 0;

	for (guint i = 0; i < stored_rows(bins); i++)
		sum += stored_real(stored_row(bins, i), "count");
	for (guint i = 0; i < stored_rows(bins); i++) {
		double from = MAX(stored_real(stored_row(bins, i), "from_ns"), 1) * 1e-6;

		g_string_append_printf(data, "%d,", series);
		figure_text(data, name);
		figure_real(data, from * pow(2, (double)(series - 1) / all));
		figure_real(data, from * pow(2, (double)series / all));
		figure_real(data, 100 * stored_real(stored_row(bins, i), "count") / sum);
		g_string_append_c(data, '\n');
	}
}

/* How long grace periods took, at the points that are explained. */
static void add_grace(const struct view *v, int host, const char *name, const char *title,
		      GPtrArray *out)
{
	JsonArray *bins[VIEW_FEW];
	int n = 0, series = 0;
	struct eh_figure *f;

	for (guint i = 0; i < v->few->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->few, i);
		JsonObject *times =
			stored_object(stored_object(stored_object(p->o, "rcu"), view_host(host)),
				      "grace_periods");

		bins[i] = stored_array(times, "histogram");
		n += stored_rows(bins[i]) > 0;
	}
	if (!n)
		return;
	f = figure_new(v, name, "histogram.gp", "length of a grace period, ms",
		       "Of those that ended in the measured window.", g_strdup(title));
	g_ptr_array_add(f->args, g_strdup("share of the grace periods, %"));
	g_string_append(f->data, "series,name,from,to,value\n");
	for (guint i = 0; i < v->few->len; i++)
		if (stored_rows(bins[i]))
			put_bins(bins[i], ++series, n,
				 ((struct view_point *)g_ptr_array_index(v->few, i))->name,
				 f->data);
	g_ptr_array_add(out, f);
}

/* What share lies above a value, from the quantiles, at the points that are explained. */
static void add_spread(const struct view *v, const char *metric, const char *name, const char *axis,
		       double unit, const char *title, GPtrArray *out)
{
	GString *data = g_string_new("group,name,x,value\n");
	int groups = 0;

	for (guint i = 0; i < v->few->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->few, i);
		JsonObject *of = stored_object(stored_object(p->o, "distributions"), metric);
		JsonArray *rows = stored_array(of, "quantiles");
		double count = stored_real(of, "count");

		groups += stored_rows(rows) > 0;
		for (guint k = 0; k < stored_rows(rows); k++) {
			double above = 1 - stored_real(stored_row(rows, k), "q");

			/* a share of less than one of them is not known */
			if (!(above * count >= 1))
				continue;
			g_string_append_printf(data, "%d,", groups);
			figure_text(data, p->name);
			figure_real(data, stored_real(stored_row(rows, k), "value") / unit);
			figure_real(data, above);
			g_string_append_c(data, '\n');
		}
	}
	if (groups) {
		struct eh_figure *f =
			figure_new(v, name, "distribution.gp", axis, "", g_strdup(title));

		g_ptr_array_add(f->args, g_strdup("share above"));
		g_string_append(f->data, data->str);
		g_ptr_array_add(out, f);
	}
	g_string_free(data, TRUE);
}

void figures_spread(const struct view *v, GPtrArray *out)
{
	add_spread(v, "candidates_per_connect", "spread-candidates",
		   "local ports that a connect() looks at", 1,
		   "How many ports a connect() looks at", out);
	add_spread(v, "latency_s", "spread-latency", "latency, ms", 1e-3,
		   "How long transactions take", out);
	add_grace(v, 0, "grace-client",
		  v->one_host ? "Grace periods" : "Grace periods of the client", out);
	add_grace(v, 1, "grace-server", "Grace periods of the server", out);
}
