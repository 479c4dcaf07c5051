/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare.h"

#include "layout.h"
#include "names.h"
#include "scale.h"
#include "where.h"

#include <math.h>
#include <string.h>

enum { SHORT_NAME = 14, PROFILES = 4, SYMBOLS = 8 };

static const char *const metric_order[] = {
	"ops_per_s", "ns_per_op", "ns_per_section", "one_way_ns", "bind_ns", "fairness", "lock_wait_mean_s",
	"lock_contended_share", "transfers_per_op", "grace_periods_per_s", "gp_mean_s", "gp_p50_s", "gp_p99_s",
	"gp_max_s", "gp_wait_mean_s", "gp_wait_p50_s", "gp_wait_max_s", "rcu_waiting_peak",
	"rcu_waiting_peak_bytes",
	"lookup_ns", "lookup_cycles", "packet_ns", "connection_ns", "dance_ns",
	"resets_per_million", "tomb_waits_per_million", "tomb_wait_ns", "late_per_million",
	"twice_per_million", "missed_per_million", "bucket_ns", "use_after_free_per_million",
	"double_free_per_million", "resurrected_per_million", "put_again_per_million",
	"held_at_free_per_million", "restarts_per_million",
	"alloc_ns", "free_ns", "alloc_cycles", "free_cycles", "object_cycles",
	"lookup_ticks", "lines_per_lookup", "stack_cpus", "stack_ns_per_segment", "transfer_s", "whole_transfer_s",
	"interrupts_per_s", "interrupts_most_per_s", "interrupts_least_per_s", "collisions_per_s",
	"throughput_per_s", "latency_min_s", "latency_mean_s", "latency_max_s",
	"latency_stddev_s", "latency_p50_s", "latency_p90_s", "latency_p99_s", "utime_s", "stime_s",
	"candidates_per_connect",
	"ns_per_candidate", "stime_per_transaction_s", "setup_stime_s", "stime_start_s",
	"setup_ns_per_candidate", "num_transactions", "num_samples",
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

/* What the legend under a table has to explain. */
struct marks {
	bool same, unknown, sums, published;
	bool how[EH_NO_INTERVAL + 1];
};

/* The points of one table: a baseline, and those compared with it. */
struct group {
	const struct eh_point *base;
	GPtrArray *points; /* const struct eh_point *, the baseline first */
};

static char *ratio_text(double ratio)
{
	bool fixed = ratio >= 0.1 && ratio < 1000;

	return g_strdup_printf(fixed ? "x %.3f" : "x %.3g", ratio);
}

/* Digits that tell the two ends apart. */
static char *interval_text(const struct eh_change *c)
{
	double width = c->hi - c->lo;
	int decimals = 3;

	if (c->how == EH_NO_INTERVAL || !isfinite(width))
		return g_strdup("not known");
	while (decimals < 6 && width > 0 && width < 2 * pow(10, -decimals))
		decimals++;
	if (fabs(c->lo) >= 1000 || c->hi >= 1000)
		return g_strdup_printf("%.4g .. %.4g", c->lo, c->hi);
	return g_strdup_printf("%.*f .. %.*f", decimals, c->lo, decimals, c->hi);
}

static void change_cells(struct layout_table *t, const struct eh_change *c, struct marks *marks)
{
	bool known;

	if (!c || !isfinite(c->ratio)) {
		for (int i = 0; i < 3; i++)
			layout_cell(t, g_strdup("-"));
		layout_cell(t, NULL);
		layout_cell(t, NULL);
		return;
	}
	known = c->how != EH_NO_INTERVAL && isfinite(c->lo) && isfinite(c->hi);
	layout_cell(t, ratio_text(c->ratio));
	layout_cell(t, interval_text(c));
	layout_cell(t, g_strdup_printf(c->ratio < 1000 ? "%+.1f %%" : "%+.4g %%",
				       100 * (c->ratio - 1)));
	layout_cell(t, eh_change_significant(c) ? NULL : g_strdup(known ? "~" : "?"));
	layout_cell(t, isfinite(c->published) ? ratio_text(c->published) : NULL);
	marks->same |= known && !eh_change_significant(c);
	marks->unknown |= !known;
	marks->published |= isfinite(c->published);
	marks->how[c->how] = true;
}

/* The row's scale: that of the first number that is not 0; false unless two points have one. */
static bool row_scale(const struct group *g, const char *name, struct scale *scale)
{
	guint i, have = 0;
	double value = 0;

	for (i = 0; i < g->points->len; i++) {
		const struct eh_metric *m = number(g_ptr_array_index(g->points, i), name);

		have += m != NULL;
		if (m && value == 0)
			value = m->mean;
	}
	*scale = scale_pick(name, value);
	return have >= 2;
}

/* The same number at all points, without doubt. */
static bool all_the_same(const struct group *g, const char *name)
{
	const struct eh_metric *first = number(g->base, name);
	guint i;

	for (i = 0; i < g->points->len; i++) {
		const struct eh_metric *m = number(g_ptr_array_index(g->points, i), name);

		if (!m || !first || m->mean != first->mean || m->lo < m->hi)
			return false;
	}
	return true;
}

static void value_cell(struct layout_table *t, const struct scale *scale, const struct eh_metric *m)
{
	layout_cell(t, m ? scale_print(scale, m->mean) : g_strdup("-"));
}

/* Two points stand beside each other. */
static void pair_row(const struct group *g, const char *name, const struct scale *scale,
		     struct layout_table *t, struct marks *marks)
{
	const struct eh_point *p = g_ptr_array_index(g->points, 1);

	layout_cell(t, scale_label(name));
	value_cell(t, scale, number(g->base, name));
	value_cell(t, scale, number(p, name));
	layout_cell(t, g_strdup(scale->unit));
	change_cells(t, eh_point_change(p, name), marks);
	layout_row_end(t);
}

/* More stand below each other, one line each. */
static void stack_rows(const struct group *g, const char *name, const struct scale *scale,
		       struct layout_table *t, struct marks *marks)
{
	guint i;

	for (i = 0; i < g->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(g->points, i);

		layout_cell(t, i ? NULL : scale_label(name));
		layout_cell(t, name_short(p, 2 * SHORT_NAME));
		value_cell(t, scale, number(p, name));
		layout_cell(t, g_strdup(scale->unit));
		if (p != g->base)
			change_cells(t, eh_point_change(p, name), marks);
		layout_row_end(t);
	}
}

/* Such a run counts from the barrier on, for run.length. */
static bool with_setup(const struct eh_point *p)
{
	return number(p, "setup_stime_s") != NULL;
}

/* utime and stime are sums over a point's own window; steady windows end when they are precise. */
static bool windows_differ(const struct group *g, const char *name)
{
	guint i;

	if (strcmp(name, "utime_s") != 0 && strcmp(name, "stime_s") != 0)
		return false;
	for (i = 0; i < g->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(g->points, i);

		if (with_setup(p) != with_setup(g->base))
			return true;
		if (!with_setup(p) &&
		    p->simulated - p->warmup != g->base->simulated - g->base->warmup)
			return true;
	}
	return false;
}

static void print_legend(const struct marks *marks, const char *same, GString *out)
{
	static const char *const ways[] = {
		[EH_UNPAIRED] = "of independent windows",
		[EH_PAIRED_BATCHES] = "batches paired",
		[EH_PAIRED_REPEATS] = "repeats with the same seed paired",
	};
	const char *before = "  95 % intervals of the ratio: ";

	for (guint i = 0; i < G_N_ELEMENTS(ways); i++) {
		if (!marks->how[i])
			continue;
		g_string_append_printf(out, "%s%s", before, ways[i]);
		before = ", or ";
	}
	if (*before == ',')
		g_string_append_c(out, '\n');
	if (marks->same)
		g_string_append(out, "  ~ the interval contains 1: no significant change\n");
	if (marks->unknown)
		g_string_append(out, "  ? one run says nothing of its error; run.repeat or --repeat does\n");
	if (marks->sums)
		g_string_append(out, "  utime and stime are left out: the windows differ in length\n");
	if (*same) {
		layout_wrap(out, "  the same at all points: ", same);
	}
}

static void print_table(const struct eh_result *r, const struct group *g,
			const struct eh_report_options *o, GString *out)
{
	bool two = g->points->len == 2;
	struct layout_table *t = layout_table_new(two ? "lrrlrrrlr" : "llrlrrrlr");
	GPtrArray *names = compare_metric_names(r);
	GString *same = g_string_new(NULL);
	struct marks marks = {0};
	guint i, before = 0;

	for (i = 1; i < g->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(g->points, i);

		for (guint k = 0; k < p->changes->len; k++) {
			const struct eh_change *c = g_ptr_array_index(p->changes, k);

			marks.published |= isfinite(c->published);
		}
	}
	layout_cell(t, g_strdup("metric"));
	layout_cell(t, two ? name_short(g->base, SHORT_NAME) : g_strdup("point"));
	layout_cell(t, two ? name_short(g_ptr_array_index(g->points, 1), SHORT_NAME) :
			     g_strdup("value"));
	layout_cell(t, NULL);
	layout_cell(t, g_strdup("ratio"));
	layout_cell(t, g_strdup("95 % interval"));
	layout_cell(t, g_strdup("change"));
	layout_cell(t, NULL);
	layout_cell(t, marks.published ? g_strdup("published") : NULL);
	layout_row_end(t);
	for (i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		struct scale scale;

		if (strcmp(name, "throughput_ratio") == 0 || !row_scale(g, name, &scale))
			continue;
		if (windows_differ(g, name)) {
			marks.sums = true;
		} else if (all_the_same(g, name)) {
			char *label = scale_label(name);
			char *value = scale_print(&scale, number(g->base, name)->mean);

			g_string_append_printf(same, "%s%s %s%s%s", before++ ? ", " : "", label, value,
					       *scale.unit ? " " : "", scale.unit);
			g_free(label);
			g_free(value);
		} else if (two) {
			pair_row(g, name, &scale, t, &marks);
		} else {
			stack_rows(g, name, &scale, t, &marks);
		}
	}
	layout_table_print(t, o, out);
	print_legend(&marks, same->str, out);
	g_string_free(same, TRUE);
	g_ptr_array_unref(names);
}

static void say_same_course(const struct group *g, GString *out)
{
	guint i;

	for (i = 1; i < g->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(g->points, i);

		if (p->fingerprint == g->base->fingerprint && p->seed == g->base->seed)
			g_string_append_printf(out, "  point %d took the very course of point %d: what "
					       "was swept has no effect\n", p->index, g->base->index);
	}
}

static void print_group(const struct eh_result *r, const struct group *g, bool profiles,
			const struct eh_report_options *o, GString *out)
{
	char *first = name_point(g->base);

	layout_heading(out, o, "compared with %s", first);
	g_free(first);
	print_table(r, g, o, out);
	say_same_course(g, out);
	where_compare(g->points, o, out);
	if (!profiles)
		g_string_append(out, "  what moved in the profiles: --profile\n");
	for (guint i = 1; profiles && i < g->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(g->points, i);

		if (p->changes->len)
			compare_profiles(g->base, p, o, g->points->len > 2 ? SYMBOLS / 2 : SYMBOLS, out);
	}
	g_string_append_c(out, '\n');
}

/* The points compared with `base`; only itself if it is none. */
static GPtrArray *compared_with(const struct eh_result *r, const struct eh_point *base)
{
	GPtrArray *points = g_ptr_array_new();
	guint i;

	g_ptr_array_add(points, (struct eh_point *)base);
	for (i = 0; i < r->points->len; i++) {
		struct eh_point *p = g_ptr_array_index(r->points, i);

		if (p != base && p->baseline == base->index)
			g_ptr_array_add(points, p);
	}
	return points;
}

void compare_points(const struct eh_result *r, const struct eh_report_options *o, GString *out)
{
	guint i, compared = 0;
	bool profiles;

	for (i = 0; i < r->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(r->points, i);

		compared += p->changes->len > 0;
	}
	profiles = o->profile || compared <= PROFILES;
	for (i = 0; i < r->points->len; i++) {
		struct group g = {g_ptr_array_index(r->points, i), NULL};

		g.points = compared_with(r, g.base);
		if (g.points->len > 1)
			print_group(r, &g, profiles, o, out);
		g_ptr_array_unref(g.points);
	}
}
