/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page.h"

#include "view_names.h"

#include <string.h>

enum { MOST_RUNS = 2000 };

static void put_result(const struct eh_stored *s, GString *out)
{
	JsonObject *scenario = stored_object(s->top, "scenario");
	const char *file = stored_text(scenario, "file"), *hash = stored_text(scenario, "sha256");
	const char *version = stored_text(stored_object(s->top, "ehsim"), "version");
	char *name = g_path_get_basename(s->file);

	html_row_begin(out);
	html_cell_name(out, name);
	html_cell(out, file ? file : "");
	html_cell(out, version ? version : "");
	g_string_append(out, "<td class=\"mono\">");
	html_text(out, hash ? hash : "");
	g_string_append(out, "</td>");
	html_row_end(out);
	g_free(name);
}

static void put_run(const struct view_point *p, JsonObject *run, guint repeat, GString *out)
{
	struct scale whole = {1, 0, ""}, ms = {1e6, 3, ""};
	char *seed = stored_digits(run, "seed");
	const char *fingerprint = stored_text(run, "fingerprint");

	html_row_begin(out);
	html_cell_number(out, HTML_DERIVED, &whole, p->number);
	if (repeat) {
		char *name = g_strdup_printf("%s, repeat %u", p->full, repeat);

		html_cell(out, name);
		g_free(name);
	} else {
		html_cell(out, p->full);
	}
	html_cell(out, seed ? seed : "");
	g_string_append(out, "<td class=\"mono\">");
	html_text(out, fingerprint ? fingerprint : "");
	g_string_append(out, "</td>");
	html_cell_number(out, HTML_JSON, &ms, stored_real(run, "simulated_ns"));
	html_cell_number(out, HTML_JSON, &ms, stored_real(run, "warmup_ns"));
	html_row_end(out);
	g_free(seed);
}

static void put_runs(const struct view *v, GString *out)
{
	guint runs = 0;

	html_table_begin(out,
			 "Every run. The fingerprint is a hash over its course: the same again "
			 "means the same numbers",
			 "#point|values|seed|fingerprint|#simulated, ms|#warm-up, ms");
	for (guint i = 0; i < v->points->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->points, i);
		JsonArray *repeats = stored_array(p->o, "repeats");

		if (!stored_rows(repeats) && runs++ < MOST_RUNS)
			put_run(p, p->o, 0, out);
		for (guint k = 0; k < stored_rows(repeats); k++)
			if (runs++ < MOST_RUNS)
				put_run(p, stored_row(repeats, k), k + 1, out);
	}
	html_table_end(out);
	if (runs > MOST_RUNS) {
		g_string_append(out, "<p>");
		html_printf(out, "The first %d of %u runs; the others stand in the JSON.",
			    MOST_RUNS, runs);
		g_string_append(out, "</p>\n");
	}
}

static void put_starts(const struct view *v, GString *out)
{
	const char *before = NULL;

	g_string_append(out, "<ul class=\"pale\">\n");
	for (guint i = 0; i < v->shown->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->shown, i);
		const char *start = stored_text(p->o, "start");

		if (!start || !g_strcmp0(start, before))
			continue;
		g_string_append(out, "<li>");
		html_printf(out, "%s: %s", p->name, start);
		g_string_append(out, "</li>\n");
		before = start;
	}
	g_string_append(out, "</ul>\n");
}

static void put_fitted(const struct view *v, GString *out)
{
	const struct eh_stored *first = g_ptr_array_index(v->results, 0);
	JsonArray *rows = stored_array(first->top, "fitted");

	if (!stored_rows(rows))
		return;
	html_table_begin(out, "Values that were fitted, and on what", "key|value");
	for (guint i = 0; i < stored_rows(rows); i++) {
		html_row_begin(out);
		html_cell_name(out, stored_text(stored_row(rows, i), "key"));
		html_cell(out, stored_text(stored_row(rows, i), "value"));
		html_row_end(out);
	}
	html_table_end(out);
}

/* The filled-in values; where results differ, a column each. */
static void put_values(const struct view *v, GString *out)
{
	const struct eh_stored *first = g_ptr_array_index(v->results, 0);
	guint columns = MIN(v->results->len, VIEW_DETAILED);
	GString *head = g_string_new("key");
	JsonObjectIter iter;
	const char *key;
	JsonNode *node;

	for (guint i = 0; i < columns; i++) {
		char *name = columns > 1 ? view_result_name(g_ptr_array_index(v->results, i))
					 : g_strdup("value");

		g_string_append_printf(head, "|%s", g_strdelimit(name, "|#", '?'));
		g_free(name);
	}
	html_table_begin(out,
			 "Every value that the workload takes, defaults filled in; of swept keys "
			 "that of the first point",
			 head->str);
	json_object_iter_init_ordered(
		&iter, stored_object(stored_object(first->top, "scenario"), "values"));
	while (json_object_iter_next_ordered(&iter, &key, &node)) {
		html_row_begin(out);
		html_cell_name(out, key);
		for (guint i = 0; i < columns; i++) {
			const struct eh_stored *s = g_ptr_array_index(v->results, i);
			const char *text = stored_text(
				stored_object(stored_object(s->top, "scenario"), "values"), key);

			html_cell(out, text ? text : "");
		}
		html_row_end(out);
	}
	html_table_end(out);
	g_string_free(head, TRUE);
}

void page_origin(const struct view *v, GString *out)
{
	g_string_append(out, "<h2 id=\"origin\">How to repeat it</h2>\n<p>The same scenario, seed "
			     "and version of ehsim give the same "
			     "numbers, byte for byte:</p>\n<pre>");
	for (guint i = 0; i < v->results->len && i < VIEW_FEW; i++) {
		const struct eh_stored *s = g_ptr_array_index(v->results, i);
		const char *file = stored_text(stored_object(s->top, "scenario"), "file");
		char *seed = stored_digits(stored_row(s->points, 0), "seed");

		html_printf(out, "ehsim --seed=%s --report DIR %s\n", seed ? seed : "1",
			    file ? file : "SCENARIO.yaml");
		g_free(seed);
	}
	g_string_append(out, "</pre>\n");
	html_table_begin(out, "Results on this page",
			 "result|scenario|ehsim|sha256 of the scenario");
	for (guint i = 0; i < v->results->len; i++)
		put_result(g_ptr_array_index(v->results, i), out);
	html_table_end(out);
	put_runs(v, out);
	put_starts(v, out);
	g_string_append(out, "<h2 id=\"scenario\">Scenario, filled in</h2>\n");
	put_fitted(v, out);
	put_values(v, out);
}
