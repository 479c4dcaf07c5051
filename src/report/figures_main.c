/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "figures.h"

#include <math.h>
#include <string.h>

enum { MOST_BARS = 24, MOST_ROWS = 40 };
/* Of a label beside its text: a longer one names the point by its number. */
enum { MOST_LETTERS = 46 };

static const char intervals[] = "Bars of errors are 95 % intervals.";

static bool any_published(const struct view *v)
{
	for (guint i = 0; i < v->points->len; i++)
		if (isfinite(((struct view_point *)g_ptr_array_index(v->points, i))->published))
			return true;
	return false;
}

/* "throughput, /s" and its scale, that of the largest value. */
static char *number_label(const struct view *v, struct scale *scale)
{
	double most = 0;
	char *label, *text;

	for (guint i = 0; i < v->points->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->points, i);

		if (view_has_numbers(p))
			most = MAX(most, fabs(p->main.mean));
	}
	*scale = view_scale(v, v->metric, most);
	if (!strcmp(scale->unit, "/s") && most >= 1e6) {
		scale->factor = 1e6;
		scale->unit = "million/s";
		scale->decimals = 2;
	}
	label = scale_label(v->metric);
	text = *scale->unit ? g_strdup_printf("%s, %s", label, scale->unit) : g_strdup(label);
	g_free(label);
	return text;
}

static void add_bars(const struct view *v, GPtrArray *out)
{
	struct scale scale;
	char *axis = number_label(v, &scale);
	const char *remark =
		any_published(v) ? "Bars of errors are 95 % intervals; diamonds: figures that the "
				   "scenario quotes, see the table of published figures."
				 : intervals;
	struct eh_figure *f = figure_new(v, "main", "bars.gp", axis, remark,
					 g_strdup_printf("%s at every point", v->metric));
	int row = 0;

	g_string_append(f->data, "row,label,value,lo,hi,published,text\n");
	for (guint i = 0; i < v->points->len && row < MOST_BARS; i++) {
		const struct view_point *p = g_ptr_array_index(v->points, i);
		char *text = view_has_numbers(p) ? scale_print_unit(&scale, p->main.mean)
						 : g_strdup("no number");

		g_string_append_printf(f->data, "%d,", ++row);
		figure_text(f->data, p->name);
		figure_interval(f->data, &p->main, scale.factor);
		figure_real(f->data, p->published / scale.factor);
		g_string_append_c(f->data, ',');
		figure_text(f->data, text);
		g_string_append_c(f->data, '\n');
		g_free(text);
	}
	g_ptr_array_add(out, f);
	g_free(axis);
}

/* The axis' values in one unit; "network.delay, us". */
static char *axis_label(const struct view *v, double *factor)
{
	const struct view_point *first = g_ptr_array_index(v->points, 0);
	const char *value = view_value(first, v->axis);
	size_t n = strlen(value);
	double most = 0;
	struct scale s;

	*factor = 1;
	if (g_ascii_isdigit(value[n - 1]))
		return g_strdup(v->axis);
	for (guint i = 0; i < v->points->len; i++)
		most = MAX(most, view_value_real(g_ptr_array_index(v->points, i), v->axis));
	if (g_str_has_suffix(value, "bit/s") || g_str_has_suffix(value, "B/s"))
		s = scale_pick("_bit_per_s", most);
	else if (g_str_has_suffix(value, "Hz"))
		s = (struct scale){1e9, 0, "GHz"};
	else if (value[n - 1] == 'B')
		s = (struct scale){1, 0, "B"};
	else if (value[n - 1] == '%')
		s = (struct scale){0.01, 0, "%"};
	else
		s = scale_pick("_s", most);
	*factor = s.factor;
	return g_strdup_printf("%s, %s", v->axis, s.unit);
}

static void curve_row(GString *data, guint group, const char *name, double x,
		      const struct view_point *p, double factor)
{
	g_string_append_printf(data, "%u,", group);
	figure_text(data, name);
	figure_real(data, x);
	figure_interval(data, &p->main, factor);
	figure_real(data, p->published / factor);
	g_string_append_c(data, '\n');
}

static void add_curve(const struct view *v, GPtrArray *out)
{
	struct scale scale;
	double unit;
	char *number = number_label(v, &scale), *axis = axis_label(v, &unit);
	GString *remark = g_string_new(intervals),
		*data = g_string_new("group,name,x,value,lo,hi,published\n");
	struct eh_figure *f;
	guint left_out = 0;

	for (guint i = 0; i < v->points->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->points, i);

		if (p->group < VIEW_GROUPS)
			curve_row(data, p->group + 1, g_ptr_array_index(v->groups, p->group),
				  view_value_real(p, v->axis) / unit, p, scale.factor);
		else
			left_out++;
	}
	if (any_published(v))
		g_string_append(remark, " Diamonds: figures that the scenario quotes.");
	if (left_out)
		g_string_append_printf(
			remark, " %u points of further groups are in the table only.", left_out);
	f = figure_new(v, "main", "curve.gp", axis, remark->str,
		       g_strdup_printf("%s over %s", v->metric, v->axis));
	g_ptr_array_add(f->args, g_strdup(number));
	g_string_append(f->data, data->str);
	g_ptr_array_add(out, f);
	g_string_free(data, TRUE);
	g_string_free(remark, TRUE);
	g_free(number);
	g_free(axis);
}

static void published_row(const struct view *v, const struct view_point *p, JsonObject *row,
			  int number, GString *data)
{
	double ratio = stored_real(row, "ratio"), published = stored_real(row, "published");
	double within = stored_real(row, "within");
	const char *metric = stored_text(row, "metric");
	struct view_number n = view_metric(p, metric);
	bool fits = strlen(metric) + strlen(p->name) <= MOST_LETTERS;
	char *label = v->points->len < 2 ? g_strdup(metric) :
		      fits		 ? g_strdup_printf("%s, %s", metric, p->name) :
					   g_strdup_printf("%s, point %d", metric, p->number);
	char *text = g_strdup_printf("× %.2f%s", ratio,
				     !(within > 0)		 ? ""
				     : stored_true(row, "holds") ? " ok"
								 : " MISS");

	g_string_append_printf(data, "%d,", number);
	figure_text(data, label);
	figure_real(data, ratio);
	figure_real(data, n.lo / published);
	figure_real(data, n.hi / published);
	figure_real(data, within > 0 ? MAX(1 - within, 0.01) : NAN);
	figure_real(data, within > 0 ? 1 + within : NAN);
	figure_real(data, stored_true(row, "fitted"));
	g_string_append_c(data, ',');
	figure_text(data, text);
	g_string_append_c(data, '\n');
	g_free(label);
	g_free(text);
}

static void add_published(const struct view *v, GPtrArray *out)
{
	GString *data = g_string_new("row,label,ratio,lo,hi,from,to,fitted,text\n");
	int rows = 0, all = 0;

	for (guint i = 0; i < v->points->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->points, i);
		JsonArray *expect = stored_array(p->o, "expect");

		for (guint k = 0; k < stored_rows(expect); k++) {
			JsonObject *row = stored_row(expect, k);

			if (!(stored_real(row, "ratio") > 0) || stored_text(row, "note") ||
			    all++ >= MOST_ROWS)
				continue;
			published_row(v, p, row, ++rows, data);
		}
	}
	if (rows) {
		char *remark =
			all > rows ? g_strdup_printf("%d further figures are in the table only.",
						     all - rows)
				   : g_strdup("");
		struct eh_figure *f =
			figure_new(v, "published", "published.gp", "simulated / published", remark,
				   g_strdup("Simulated over published: 1 is agreement"));

		g_string_append(f->data, data->str);
		g_ptr_array_add(out, f);
		g_free(remark);
	}
	g_string_free(data, TRUE);
}

void figures_main(const struct view *v, GPtrArray *out)
{
	if (v->axis && v->metric)
		add_curve(v, out);
	else if (v->metric)
		add_bars(v, out);
	add_published(v, out);
}
