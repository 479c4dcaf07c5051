/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare.h"

#include "layout.h"
#include "names.h"
#include "scale.h"

#include <math.h>
#include <string.h>

enum { SHORT_NAME = 14 };

static const char *const metric_order[] = {
	"ops_per_s", "ns_per_op", "ns_per_section", "one_way_ns", "fairness", "lock_wait_mean_s",
	"lock_contended_share", "transfers_per_op",
	"throughput_per_s", "latency_min_s", "latency_mean_s", "latency_max_s",
	"latency_stddev_s", "latency_p50_s", "latency_p90_s", "latency_p99_s", "utime_s", "stime_s",
	"candidates_per_connect",
	"ns_per_candidate", "stime_per_transaction_s", "setup_stime_s", "setup_ns_per_candidate",
	"busy_cpus", NULL,
};

static void add_once(GPtrArray *names, const char *name)
{
	guint i;

	for (i = 0; i < names->len; i++)
		if (strcmp(g_ptr_array_index(names, i), name) == 0)
			return;
	g_ptr_array_add(names, (char *)name);
}

GPtrArray *compare_metric_names(const struct eh_result *r)
{
	GPtrArray *names = g_ptr_array_new();
	const char *const *name;
	guint i, k;

	for (name = metric_order; *name; name++)
		for (i = 0; i < r->points->len; i++)
			if (eh_point_find(g_ptr_array_index(r->points, i), *name))
				add_once(names, *name);
	for (i = 0; i < r->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(r->points, i);

		for (k = 0; k < p->metrics->len; k++) {
			const struct eh_metric *m = g_ptr_array_index(p->metrics, k);

			add_once(names, m->name);
		}
	}
	return names;
}

/* The number, or NULL where there is none. */
static const struct eh_metric *number(const struct eh_point *p, const char *name)
{
	const struct eh_metric *m = eh_point_find(p, name);

	return m && !m->null_why && isfinite(m->mean) ? m : NULL;
}

static bool overlap(const struct eh_metric *a, const struct eh_metric *b)
{
	return (a->lo < a->hi || b->lo < b->hi) && !(a->hi < b->lo || b->hi < a->lo);
}

static char *ratio_text(double ratio)
{
	bool fixed = ratio >= 0.1 && ratio < 1000;

	return g_strdup_printf(fixed ? "x %.3f" : "x %.3g", ratio);
}

static void change_cells(struct layout_table *t, const struct eh_metric *base,
			 const struct eh_metric *m, bool *marked)
{
	double ratio = base && m && base->mean > 0 ? m->mean / base->mean : NAN;

	if (!isfinite(ratio)) {
		layout_cell(t, g_strdup("-"));
		layout_cell(t, g_strdup("-"));
		layout_cell(t, NULL);
		return;
	}
	layout_cell(t, ratio_text(ratio));
	layout_cell(t, g_strdup_printf(ratio < 1000 ? "%+.1f %%" : "%+.4g %%", 100 * (ratio - 1)));
	layout_cell(t, overlap(base, m) ? g_strdup("~") : NULL);
	*marked |= overlap(base, m);
}

/* The row's scale: that of the first point that has the number. */
static bool row_scale(const struct eh_result *r, const char *name, struct scale *scale)
{
	guint i, have = 0;

	for (i = 0; i < r->points->len; i++) {
		const struct eh_metric *m = number(g_ptr_array_index(r->points, i), name);

		if (m && !have++)
			*scale = scale_pick(name, m->mean);
	}
	return have >= 2;
}

static void value_cell(struct layout_table *t, const struct scale *scale, const struct eh_metric *m)
{
	layout_cell(t, m ? scale_print(scale, m->mean) : g_strdup("-"));
}

/* Two points stand beside each other. */
static void pair_row(const struct eh_result *r, const char *name, const struct scale *scale,
		     struct layout_table *t, bool *marked)
{
	const struct eh_metric *a = number(g_ptr_array_index(r->points, 0), name);
	const struct eh_metric *b = number(g_ptr_array_index(r->points, 1), name);

	layout_cell(t, scale_label(name));
	value_cell(t, scale, a);
	value_cell(t, scale, b);
	layout_cell(t, g_strdup(scale->unit));
	change_cells(t, a, b, marked);
}

/* More stand below each other, one line each. */
static void stack_rows(const struct eh_result *r, const char *name, const struct scale *scale,
		       struct layout_table *t, bool *marked)
{
	const struct eh_metric *base = number(g_ptr_array_index(r->points, 0), name);
	guint i;

	for (i = 0; i < r->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(r->points, i);
		const struct eh_metric *m = number(p, name);

		layout_cell(t, i ? NULL : scale_label(name));
		layout_cell(t, name_short(p, 2 * SHORT_NAME));
		value_cell(t, scale, m);
		layout_cell(t, g_strdup(scale->unit));
		if (i)
			change_cells(t, base, m, marked);
		layout_row_end(t);
	}
}

/* Such a run counts from the barrier on, for run.length. */
static bool with_setup(const struct eh_point *p)
{
	return number(p, "setup_stime_s") != NULL;
}

/* utime and stime are sums over a point's own window; steady windows end when they are precise. */
static bool windows_differ(const struct eh_result *r, const char *name)
{
	const struct eh_point *first = g_ptr_array_index(r->points, 0);
	guint i;

	if (strcmp(name, "utime_s") != 0 && strcmp(name, "stime_s") != 0)
		return false;
	for (i = 0; i < r->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(r->points, i);

		if (with_setup(p) != with_setup(first))
			return true;
		if (!with_setup(p) && p->simulated - p->warmup != first->simulated - first->warmup)
			return true;
	}
	return false;
}

void compare_points(const struct eh_result *r, const struct eh_report_options *o, GString *out)
{
	bool two = r->points->len == 2, marked = false, sums = false;
	struct layout_table *t;
	GPtrArray *names;
	char *first;
	guint i;

	if (r->points->len < 2)
		return;
	first = name_point(g_ptr_array_index(r->points, 0));
	layout_heading(out, o, "compared with %s", first);
	g_free(first);
	t = layout_table_new(two ? "lrrlrrl" : "llrlrrl");
	layout_cell(t, g_strdup("metric"));
	if (two) {
		layout_cell(t, name_short(g_ptr_array_index(r->points, 0), SHORT_NAME));
		layout_cell(t, name_short(g_ptr_array_index(r->points, 1), SHORT_NAME));
		layout_cell(t, NULL);
	} else {
		layout_cell(t, g_strdup("point"));
		layout_cell(t, g_strdup("value"));
		layout_cell(t, NULL);
	}
	layout_cell(t, g_strdup("ratio"));
	layout_cell(t, g_strdup("change"));
	layout_row_end(t);
	names = compare_metric_names(r);
	for (i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		struct scale scale;

		if (!row_scale(r, name, &scale))
			continue;
		if (windows_differ(r, name)) {
			sums = true;
			continue;
		}
		if (two)
			pair_row(r, name, &scale, t, &marked);
		else
			stack_rows(r, name, &scale, t, &marked);
	}
	layout_table_print(t, o, out);
	if (marked)
		g_string_append(out, "  ~ the 95 % intervals overlap or are not known\n");
	if (sums)
		g_string_append(out, "  utime and stime are left out: the windows differ in length\n");
	g_string_append_c(out, '\n');
	g_ptr_array_unref(names);
}
