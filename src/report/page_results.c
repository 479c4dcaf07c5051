/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page.h"

#include "view_names.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 2000, TURNED = 4 };

/* One scale for a whole metric: that of the largest number. */
static struct scale scale_of(const struct view *v, const char *metric)
{
	double most = 0;

	for (guint i = 0; i < v->points->len; i++) {
		double x = fabs(view_metric(g_ptr_array_index(v->points, i), metric).mean);

		if (x > most)
			most = x;
	}
	return scale_pick(metric, most);
}

static char *head_of(const char *metric, const struct scale *s)
{
	char *label = scale_label(metric), *text;

	text = *s->unit ? g_strdup_printf("%s, %s", label, s->unit) : g_strdup(label);
	g_free(label);
	return text;
}

static void ratio_cells(const struct view_point *p, GString *out)
{
	enum html_from from =
		p->baseline && p->baseline->result == p->result ? HTML_JSON : HTML_DERIVED;
	struct scale s = html_ratio_scale(p->ratio.mean);

	if (!p->baseline) {
		html_cell(out, "");
	} else if (p->baseline == p) {
		html_cell(out, "baseline");
	} else {
		html_cell_interval(out, from, &s, &p->ratio);
	}
}

static bool any_compared(const struct view *v)
{
	for (guint i = 0; i < v->points->len; i++)
		if (isfinite(((struct view_point *)g_ptr_array_index(v->points, i))->ratio.mean))
			return true;
	return false;
}

static void put_key_cells(const struct view *v, const struct view_point *p, GString *out)
{
	for (guint i = 0; i < v->keys->len; i++) {
		const char *key = g_ptr_array_index(v->keys, i), *text = view_value(p, key);
		double x = view_value_real(p, key);

		g_string_append(out, isfinite(x) ? "<td class=\"n\"" : "<td");
		if (isfinite(x)) {
			char digits[64];

			g_string_append_printf(out, " data-d=\"%s\"",
					       g_ascii_formatd(digits, sizeof(digits), "%.12g", x));
		}
		g_string_append_c(out, '>');
		html_text(out, text ? text : "");
		g_string_append(out, "</td>");
	}
}

/* Points below each other, a column for each metric. */
static void points_table(const struct view *v, GString *out)
{
	GString *head = g_string_new(v->results->len > 1 ? "#point|result" : "#point");
	struct scale *scales = g_new0(struct scale, v->metrics->len);
	bool ratios = any_compared(v);

	for (guint i = 0; i < v->keys->len; i++) {
		char *key = g_strdup(g_ptr_array_index(v->keys, i));

		g_string_append_printf(head, "|%s", g_strdelimit(key, "|#", '?'));
		g_free(key);
	}
	for (guint i = 0; i < v->metrics->len; i++) {
		const char *metric = g_ptr_array_index(v->metrics, i);
		char *text;

		scales[i] = scale_of(v, metric);
		text = head_of(metric, &scales[i]);
		g_string_append_printf(head, "|#%s", g_strdelimit(text, "|", '?'));
		if (ratios && !g_strcmp0(metric, v->metric))
			g_string_append(head, "|#over its baseline");
		g_free(text);
	}
	g_string_append(head, "|status");
	html_table_begin(out, "All points; below a number its 95 % interval", head->str);
	for (guint i = 0; i < v->points->len && i < MOST_ROWS; i++) {
		const struct view_point *p = g_ptr_array_index(v->points, i);
		struct scale whole = {1, 0, ""};

		html_row_begin(out);
		html_cell_number(out, HTML_DERIVED, &whole, p->number);
		if (v->results->len > 1) {
			char *name = view_result_name(p->result);

			html_cell(out, name);
			g_free(name);
		}
		put_key_cells(v, p, out);
		for (guint k = 0; k < v->metrics->len; k++) {
			const char *metric = g_ptr_array_index(v->metrics, k);
			struct view_number n = view_metric(p, metric);

			html_cell_interval(out, HTML_JSON, &scales[k], &n);
			if (ratios && !g_strcmp0(metric, v->metric))
				ratio_cells(p, out);
		}
		html_cell(out, stored_text(p->o, "status"));
		html_row_end(out);
	}
	html_table_end(out);
	if (v->points->len > MOST_ROWS)
		html_printf(out, "The first %d of %u points.", MOST_ROWS, v->points->len);
	g_free(scales);
	g_string_free(head, TRUE);
}

/* Few points stand beside each other, a row for each metric; ratios to the baseline behind. */
static void metrics_table(const struct view *v, GString *out)
{
	GString *head = g_string_new("metric");

	for (guint i = 0; i < v->points->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->points, i);
		char *name = g_strdup(p->name);

		g_string_append_printf(head, "|#%s", g_strdelimit(name, "|", '/'));
		if (p->baseline && p->baseline != p)
			g_string_append_printf(head, "|#over point %d", p->baseline->number);
		g_free(name);
	}
	html_table_begin(out, "All metrics; below a number its 95 % interval", head->str);
	for (guint k = 0; k < v->metrics->len; k++) {
		const char *metric = g_ptr_array_index(v->metrics, k);
		struct scale s = scale_of(v, metric), ratio;
		char *text = head_of(metric, &s);

		html_row_begin(out);
		html_cell_name(out, text);
		for (guint i = 0; i < v->points->len; i++) {
			const struct view_point *p = g_ptr_array_index(v->points, i);
			struct view_number n = view_metric(p, metric), c = view_change(p, metric);

			html_cell_interval(out, HTML_JSON, &s, &n);
			if (!p->baseline || p->baseline == p)
				continue;
			ratio = html_ratio_scale(p->baseline->result == p->result ? c.mean
										  : p->ratio.mean);
			if (p->baseline->result != p->result && !strcmp(metric, v->metric))
				html_cell_interval(out, HTML_DERIVED, &ratio, &p->ratio);
			else if (p->baseline->result == p->result && isfinite(c.mean))
				html_cell_interval(out, HTML_JSON, &ratio, &c);
			else
				html_cell(out, "");
		}
		html_row_end(out);
		g_free(text);
	}
	html_table_end(out);
	g_string_free(head, TRUE);
}

/* Each metric without a number once, with its reason. */
static void put_missing(const struct view *v, GString *out)
{
	const struct view_point *p = v->points->len ? g_ptr_array_index(v->points, 0) : NULL;
	JsonObject *metrics = p ? stored_object(p->o, "metrics") : NULL;
	JsonObjectIter iter;
	const char *name;
	JsonNode *node;
	bool any = false;

	if (!metrics)
		return;
	json_object_iter_init_ordered(&iter, metrics);
	while (json_object_iter_next_ordered(&iter, &name, &node)) {
		const char *why = stored_text(json_node_get_object(node), "null_reason");

		if (isfinite(view_metric(p, name).mean) || !why)
			continue;
		g_string_append(out, any ? "" : "<p>Without a number:</p>\n<ul class=\"pale\">\n");
		any = true;
		g_string_append(out, "<li>");
		html_printf(out, "%s: %s", name, why);
		g_string_append(out, "</li>\n");
	}
	if (any)
		g_string_append(out, "</ul>\n");
}

static void published_cells(const struct view_point *p, JsonObject *row, GString *out)
{
	const char *metric = stored_text(row, "metric"), *note = stored_text(row, "note");
	const char *source = stored_text(row, "row");
	double published = stored_real(row, "published"), within = stored_real(row, "within");
	struct scale s = scale_pick(metric, published), ratio = {1, 2, ""},
		     percent = {0.01, 0, "%"};
	struct view_number n = view_metric(p, metric);

	if (g_str_has_prefix(metric, "profile."))
		s = (struct scale){0.01, 2, "%"};
	n.mean = stored_real(row, "simulated");
	if (!isfinite(n.lo))
		n.lo = n.hi = n.mean;
	html_cell(out, source ? source : "");
	html_cell(out, p->name);
	html_cell(out, metric);
	html_cell_number(out, HTML_JSON, &s, published);
	html_cell_interval(out, HTML_JSON, &s, &n);
	html_cell(out, s.unit);
	html_cell_number(out, HTML_JSON, &ratio, stored_real(row, "ratio"));
	if (within > 0)
		html_cell_number(out, HTML_JSON, &percent, within);
	else
		html_cell(out, "");
	if (note)
		html_cell(out, note);
	else if (!(within > 0))
		html_cell(out, "for the record");
	else
		g_string_append(out, stored_true(row, "holds") ? "<td class=\"good\">ok</td>"
							       : "<td class=\"bad\">MISS</td>");
	html_cell(out, stored_true(row, "fitted") ? "fitted" : "predicted");
}

static void put_published(const struct eh_book *page, GString *out)
{
	const struct view *v = page->view;
	guint rows = 0;

	g_string_append(out, "<h2 id=\"published\">Published against simulated</h2>\n");
	for (guint i = 0; i < v->points->len; i++)
		rows += stored_rows(stored_array(
			((struct view_point *)g_ptr_array_index(v->points, i))->o, "expect"));
	if (!rows) {
		html_element(out, "p", "The scenario quotes no published figure for these points.");
		return;
	}
	html_element(out, "p",
		     "Figures that others measured on real machines, as the scenario quotes them "
		     "(row: the source's name "
		     "there). Fitted: a number of the model was adjusted on this figure, so "
		     "agreement proves little; "
		     "predicted: it was not.");
	page_figure(page, "published", out);
	html_table_begin(
		out, "Published against simulated",
		"row|point|metric|#published|#simulated|unit|#ratio|#allowed ± %|verdict|number");
	for (guint i = 0; i < v->points->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->points, i);
		JsonArray *expect = stored_array(p->o, "expect");

		for (guint k = 0; k < stored_rows(expect); k++) {
			html_row_begin(out);
			published_cells(p, stored_row(expect, k), out);
			html_row_end(out);
		}
	}
	html_table_end(out);
}

void page_results(const struct eh_book *page, GString *out)
{
	const struct view *v = page->view;

	g_string_append(out, "<h2 id=\"numbers\">Numbers</h2>\n");
	page_figure(page, "main", out);
	if (v->metrics->len && v->points->len <= TURNED)
		metrics_table(v, out);
	else if (v->metrics->len)
		points_table(v, out);
	put_missing(v, out);
	page_words(v, out);
	put_published(page, out);
}
