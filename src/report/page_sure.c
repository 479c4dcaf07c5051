/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page.h"

#include <math.h>
#include <string.h>

/* Largest half width of the main number, as a share; NAN: some interval is not known. */
static double widest(const struct view *v, guint *unknown)
{
	double most = 0;

	*unknown = 0;
	for (guint i = 0; i < v->points->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->points, i);

		if (!view_has_numbers(p))
			continue;
		if (isfinite(p->main.lo) && p->main.lo < p->main.hi)
			most = MAX(most, view_half(&p->main) / fabs(p->main.mean));
		else
			(*unknown)++;
	}
	return most;
}

enum { MISSES = 4 };

struct tally {
	guint rows, allowed, held, fitted, none;
	const struct view_point *worst_point;
	JsonObject *worst;
	double far;
};

static void count_published(const struct view *v, struct tally *t)
{
	memset(t, 0, sizeof(*t));
	for (guint i = 0; i < v->points->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->points, i);
		JsonArray *rows = stored_array(p->o, "expect");

		for (guint k = 0; k < stored_rows(rows); k++) {
			JsonObject *row = stored_row(rows, k);
			double ratio = stored_real(row, "ratio"), far = fabs(log(ratio));

			if (stored_text(row, "note") || !(ratio > 0)) {
				t->none++;
				continue;
			}
			t->rows++;
			t->fitted += stored_true(row, "fitted");
			t->allowed += stored_real(row, "within") > 0;
			t->held += stored_real(row, "within") > 0 && stored_true(row, "holds");
			if (far > t->far && isfinite(far)) {
				t->far = far;
				t->worst = row;
				t->worst_point = p;
			}
		}
	}
}

/* The first of those that are outside what is allowed. */
static void put_misses(const struct view *v, guint all, GString *out)
{
	struct scale ratio = {1, 2, ""}, percent = {0.01, 0, "%"};
	guint n = 0;

	for (guint i = 0; i < v->points->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->points, i);
		JsonArray *rows = stored_array(p->o, "expect");

		for (guint k = 0; k < stored_rows(rows) && n < MISSES; k++) {
			JsonObject *row = stored_row(rows, k);

			if (stored_text(row, "note") || !(stored_real(row, "ratio") > 0) ||
			    !(stored_real(row, "within") > 0) || stored_true(row, "holds"))
				continue;
			html_printf(out, "%s%s at %s, × ", n++ ? "; " : " (outside: ",
				    stored_text(row, "metric"), p->name);
			html_number(out, HTML_JSON, &ratio, stored_real(row, "ratio"));
			g_string_append(out, " where ± ");
			html_number(out, HTML_JSON, &percent, stored_real(row, "within"));
			g_string_append(out, " is allowed");
		}
	}
	if (all > n && n)
		html_printf(out, "; and %u more", all - n);
	if (n)
		g_string_append_c(out, ')');
}

void page_sure(const struct view *v, GString *out)
{
	const struct eh_stored *first = g_ptr_array_index(v->results, 0);
	JsonObject *values = stored_object(stored_object(first->top, "scenario"), "values");
	guint fitted = stored_rows(stored_array(first->top, "fitted")), unknown;
	double wide = widest(v, &unknown);
	struct scale percent = {0.01, 2, "%"}, ratio = {1, 2, ""};
	const char *repeats = page_value(v, "run.repeat");
	struct tally t;

	count_published(v, &t);
	g_string_append(out, "<h2>How sure it is</h2>\n<ul>\n<li>");
	html_printf(out, "Chance: %s",
		    strcmp(repeats, "1") && *repeats != '?'
			    ? "95 % intervals over repeats with different seeds"
			    : "95 % intervals from batches within one run of one seed");
	if (wide > 0) {
		html_printf(out, "; the widest of %s is ± ", v->metric);
		html_number(out, HTML_DERIVED, &percent, wide);
	}
	if (unknown)
		html_printf(out,
			    "; of %u point%s the error is not known (one number each: run.repeat "
			    "gives an interval)",
			    unknown, unknown > 1 ? "s" : "");
	g_string_append(out, ".</li>\n<li>");
	if (t.rows) {
		html_printf(out, "Against published figures: %u compared, %u of them fitted",
			    t.rows, t.fitted);
		if (t.allowed)
			html_printf(out, "; %u of the %u with an allowed error keep within it",
				    t.held, t.allowed);
		put_misses(v, t.allowed - t.held, out);
		if (t.worst) {
			html_printf(out, "; the furthest off is %s at %s, × ",
				    stored_text(t.worst, "metric"), t.worst_point->name);
			html_number(out, HTML_JSON, &ratio, stored_real(t.worst, "ratio"));
		}
		g_string_append(out, ".</li>\n<li>");
	} else {
		g_string_append(out, "Against published figures: none are quoted by the scenario "
				     "for these points; the numbers are "
				     "predictions of the model alone.</li>\n<li>");
	}
	html_printf(out,
		    "The model: %u of its %u values %s fitted to measurements of real machines, "
		    "the others are published, "
		    "measured or assumed (ehsim --explain=KEY says which).",
		    fitted, values ? json_object_get_size(values) : 0,
		    fitted == 1 ? "was" : "were");
	g_string_append(out, "</li>\n</ul>\n");
}
