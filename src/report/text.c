/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/report.h>

#include "compare.h"
#include "layout.h"
#include "names.h"
#include "perf.h"
#include "rcu.h"
#include "slabs.h"
#include "scale.h"
#include "tables.h"
#include "where.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The sentence all points share, or NULL: then each point says its own. */
static const char *common_start(const struct eh_result *r)
{
	const struct eh_point *first;
	guint i;

	if (!r->points->len)
		return NULL;
	first = g_ptr_array_index(r->points, 0);
	for (i = 1; i < r->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(r->points, i);

		if (g_strcmp0(p->start_text, first->start_text) != 0)
			return NULL;
	}
	return first->start_text;
}

static bool common_seed(const struct eh_result *r)
{
	guint i;

	for (i = 1; i < r->points->len; i++) {
		const struct eh_point *first = g_ptr_array_index(r->points, 0);
		const struct eh_point *p = g_ptr_array_index(r->points, i);

		if (p->seed != first->seed)
			return false;
	}
	return r->points->len > 0;
}

static void print_head(const struct eh_result *r, const struct eh_report_options *o, GString *out)
{
	const char *start = common_start(r);
	GString *line = g_string_new(NULL);

	g_string_append_printf(line, "ehsim %s: %s", r->version ? r->version : "(unknown version)",
			       r->scenario_file ? r->scenario_file : "(no file)");
	if (common_seed(r)) {
		const struct eh_point *p = g_ptr_array_index(r->points, 0);

		g_string_append_printf(line, ", seed %" PRIu64, p->seed);
	}
	layout_heading(out, o, "%s", line->str);
	g_string_free(line, TRUE);
	if (r->description && *r->description)
		layout_wrap(out, "", r->description);
	if (start)
		layout_wrap(out, "", start);
	if (!r->points->len)
		g_string_append(out, "no points\n");
	g_string_append_c(out, '\n');
}

static char *interval(const struct scale *scale, const struct eh_metric *m)
{
	char *lo, *hi, *out;

	if (!(m->lo < m->hi))
		return NULL;
	if (!isfinite(m->lo) || !isfinite(m->hi))
		return g_strdup("not known");
	lo = scale_print(scale, m->lo);
	hi = scale_print(scale, m->hi);
	out = g_strdup_printf("%s .. %s", lo, hi);
	g_free(lo);
	g_free(hi);
	return out;
}

static void print_metrics(const struct eh_point *p, const GPtrArray *names,
			  const struct eh_report_options *o, GString *out)
{
	struct layout_table *t = layout_table_new("lrll");
	bool intervals = false, any = false;
	guint i;

	for (i = 0; i < p->metrics->len; i++) {
		const struct eh_metric *m = g_ptr_array_index(p->metrics, i);

		intervals |= !m->null_why && m->lo < m->hi;
		any |= !m->null_why;
	}
	if (intervals) {
		layout_cell(t, NULL);
		layout_cell(t, NULL);
		layout_cell(t, NULL);
		layout_cell(t, g_strdup("95 % interval"));
	}
	for (i = 0; i < names->len; i++) {
		const struct eh_metric *m = eh_point_find(p, g_ptr_array_index(names, i));
		struct scale scale;

		if (!m || m->null_why)
			continue;
		scale = scale_pick(m->name, m->mean);
		layout_cell(t, scale_label(m->name));
		layout_cell(t, scale_print(&scale, m->mean));
		layout_cell(t, g_strdup(scale.unit));
		layout_cell(t, interval(&scale, m));
	}
	if (any)
		layout_table_print(t, o, out);
	else
		layout_table_free(t);
}

/* What has no number says why, in the same order. */
static void print_missing(const struct eh_point *p, const GPtrArray *names, GString *out)
{
	guint i;

	for (i = 0; i < names->len; i++) {
		const struct eh_metric *m = eh_point_find(p, g_ptr_array_index(names, i));
		char *label, *first;

		if (!m || !m->null_why)
			continue;
		label = scale_label(m->name);
		first = g_strdup_printf("  %s  -  ", label);
		layout_wrap(out, first, m->null_why);
		g_free(label);
		g_free(first);
	}
}

static void print_profiles(const struct eh_result *r, const struct eh_point *p,
			   const struct eh_report_options *o, GString *out)
{
	const char *command = name_command(r);

	if (!o->profile) {
		g_string_append_printf(out, "  perf top%s:\n", p->one_host ? "" : " on the client");
		perf_top(p->client, command, out);
		if (!p->one_host) {
			g_string_append(out, "  perf top on the server:\n");
			perf_top(p->server, command, out);
		}
		return;
	}
	perf_point(r, p, out);
}

static void print_point(const struct eh_result *r, const struct eh_point *p, const GPtrArray *names,
			const struct eh_report_options *o, GString *out)
{
	char *name = name_point(p), *simulated = scale_time(p->simulated);

	layout_styled(out, o, LAYOUT_BOLD, name);
	g_string_append_printf(out, " (simulated %s", simulated);
	if (!common_seed(r))
		g_string_append_printf(out, ", seed %" PRIu64, p->seed);
	if (p->sampled)
		g_string_append_printf(out, "; sampled: %d stretches, %.3g %% of the candidate ports in detail",
				       p->stretches, 100 * p->in_detail);
	g_string_append(out, ")\n");
	if (!common_start(r) && p->start_text)
		layout_wrap(out, "  ", p->start_text);
	if (p->status != EH_DONE) {
		char *first = g_strdup_printf("  %s: ", name_status(p->status));

		layout_wrap(out, first, p->status_text ? p->status_text : "no reason given");
		g_free(first);
	}
	print_metrics(p, names, o, out);
	print_missing(p, names, out);
	g_string_append_c(out, '\n');
	print_profiles(r, p, o, out);
	g_string_append_c(out, '\n');
	where_print(p, o, out);
	tables_print(p, o, out);
	rcu_print(p, o, out);
	slabs_print(p, o, out);
	g_free(name);
	g_free(simulated);
}

static void print_fitted(const struct eh_result *r, GString *out)
{
	guint i;

	if (!r->fitted->len) {
		g_string_append(out, "fitted numbers: none\n");
		return;
	}
	g_string_append_printf(out, "fitted numbers: %u", r->fitted->len);
	if (r->values->len)
		g_string_append_printf(out, " of %u values", r->values->len);
	g_string_append_c(out, '\n');
	for (i = 0; i < r->fitted->len; i++) {
		const struct eh_pair *pair = g_ptr_array_index(r->fitted, i);
		char *first = g_strdup_printf("  %s: ", pair->key);

		layout_wrap(out, first, pair->value);
		g_free(first);
	}
}

static char *per_wall_second(double amount, double wall_s)
{
	double x = wall_s > 0 ? amount / wall_s : NAN;

	if (!isfinite(x))
		return g_strdup("-");
	if (x >= 1e6)
		return g_strdup_printf("%.4g M", x / 1e6);
	return g_strdup_printf(x >= 1e3 ? "%.4g k" : "%.4g", x >= 1e3 ? x / 1e3 : x);
}

static void print_speed(const struct eh_result *r, const struct eh_report_options *o, GString *out)
{
	static const char *const heads[] = {
		"point", "seed", "fingerprint", "wall s", "simulated s", "candidates", "lines",
		"events",
	};
	struct layout_table *t = layout_table_new("lrlrrrrr");
	int queues = 0;
	guint i;

	g_string_append_c(out, '\n');
	layout_heading(out, o, "speed of the simulator, per second of wall time");
	for (i = 0; i < G_N_ELEMENTS(heads); i++)
		layout_cell(t, g_strdup(heads[i]));
	for (i = 0; i < r->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(r->points, i);
		double simulated_s = (double)p->simulated / (double)EH_SEC;

		layout_cell(t, name_short(p, 10));
		layout_cell(t, g_strdup_printf("%" PRIu64, p->seed));
		layout_cell(t, g_strdup_printf("%016" PRIx64, p->fingerprint));
		layout_cell(t, isfinite(p->wall_s) ? g_strdup_printf("%.2f", p->wall_s) :
						     g_strdup("-"));
		layout_cell(t, per_wall_second(simulated_s, p->wall_s));
		layout_cell(t, per_wall_second((double)p->candidates, p->wall_s));
		layout_cell(t, per_wall_second((double)p->line_accesses, p->wall_s));
		layout_cell(t, per_wall_second((double)p->events, p->wall_s));
		queues += p->queues;
	}
	layout_table_print(t, o, out);
	g_string_append_printf(out, "\nLittle's law: %d queues checked\n", queues);
}

void eh_report_text(const struct eh_result *r, const struct eh_report_options *o, GString *out)
{
	GPtrArray *names = compare_metric_names(r);
	guint i;

	print_head(r, o, out);
	for (i = 0; i < r->points->len; i++)
		print_point(r, g_ptr_array_index(r->points, i), names, o, out);
	compare_points(r, o, out);
	compare_published(r, o, out);
	print_fitted(r, out);
	if (o->verbose)
		print_speed(r, o, out);
	g_ptr_array_unref(names);
}
