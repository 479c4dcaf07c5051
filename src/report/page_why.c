/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page.h"

#include "page_tables.h"
#include "why.h"

#include <math.h>
#include <string.h>

enum { SYMBOLS = 30, ROWS = 20 };

static void find_symbols(const struct view *v, int host, GPtrArray *names)
{
	for (guint i = 0; i < v->shown->len; i++) {
		JsonArray *rows = view_profile(g_ptr_array_index(v->shown, i), host);

		for (guint k = 0; k < stored_rows(rows) && k < SYMBOLS; k++) {
			const char *name = stored_text(stored_row(rows, k), "symbol");

			if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
				g_ptr_array_add(names, (char *)name);
		}
	}
}

static double share_of(const struct view_point *p, int host, const char *symbol)
{
	JsonArray *rows = view_profile(p, host);

	for (guint k = 0; k < stored_rows(rows); k++)
		if (!strcmp(stored_text(stored_row(rows, k), "symbol"), symbol))
			return stored_real(stored_row(rows, k), "share");
	return NAN;
}

static double share_left(const struct view_point *p, int host, const GPtrArray *names)
{
	JsonArray *rows = view_profile(p, host);
	double left = 0;

	for (guint k = 0; k < stored_rows(rows); k++)
		if (!g_ptr_array_find_with_equal_func((GPtrArray *)names,
						      stored_text(stored_row(rows, k), "symbol"),
						      g_str_equal, NULL))
			left += stored_real(stored_row(rows, k), "share");
	return left;
}

static void put_profile(const struct view *v, int host, GString *out)
{
	GPtrArray *names = g_ptr_array_new();
	struct scale percent = {0.01, 2, "%"};
	char *head = page_point_heads(v->shown, "symbol, % of busy time");

	find_symbols(v, host, names);
	if (names->len) {
		char *caption = v->one_host ? g_strdup("Profile of the host, as perf shows it")
					    : g_strdup_printf("Profile of the %s, as perf shows it",
							      view_host(host));

		html_table_begin(out, caption, head);
		g_free(caption);
		for (guint i = 0; i < names->len; i++) {
			html_row_begin(out);
			html_cell_name(out, g_ptr_array_index(names, i));
			for (guint k = 0; k < v->shown->len; k++)
				html_cell_number(out, HTML_JSON, &percent,
						 share_of(g_ptr_array_index(v->shown, k), host,
							  g_ptr_array_index(names, i)));
			html_row_end(out);
		}
		html_row_begin(out);
		html_cell_name(out, "all others");
		for (guint k = 0; k < v->shown->len; k++)
			html_cell_number(out, HTML_DERIVED, &percent,
					 share_left(g_ptr_array_index(v->shown, k), host, names));
		html_row_end(out);
		html_table_end(out);
	}
	g_free(head);
	g_ptr_array_unref(names);
}

/* CPU time per transaction by function: what the profile and the throughput say together. */
static void put_times(const struct view *v, int host, GString *out)
{
	const struct view_point *a = v->pair[0], *b = v->pair[1];
	GArray *moves;

	if (!b || !isfinite(why_cpu_time(a, host)) || !isfinite(why_cpu_time(b, host)))
		return;
	moves = why_moves(a, b, host);
	if (moves->len) {
		char *names[] = {g_strdup(a->name), g_strdup(b->name)};
		char *head;
		struct scale us = {1e-6, 3, "us"};

		g_strdelimit(names[0], "|", '/');
		g_strdelimit(names[1], "|", '/');
		head = g_strdup_printf("symbol|#%s|#%s|#difference", names[0], names[1]);
		html_table_begin(out,
				 host ? "CPU time of the server per transaction, us (its busy time / "
					"transactions x share)"
				      : "CPU time of the client per transaction, us (busy CPUs / "
					"throughput x share)",
				 head);
		for (guint i = 0; i < moves->len && i < ROWS; i++) {
			const struct why_move *m = &g_array_index(moves, struct why_move, i);

			html_row_begin(out);
			html_cell_name(out, m->symbol);
			html_cell_number(out, HTML_DERIVED, &us, m->a);
			html_cell_number(out, HTML_DERIVED, &us, m->b);
			html_cell_number(out, HTML_DERIVED, &us, m->b - m->a);
			html_row_end(out);
		}
		html_table_end(out);
		g_free(head);
		g_free(names[0]);
		g_free(names[1]);
	}
	g_array_unref(moves);
}

static void put_lines(const struct view *v, GString *out)
{
	bool any = false;

	for (guint i = 0; i < v->shown->len; i++)
		any |= stored_object(((struct view_point *)g_ptr_array_index(v->shown, i))->o,
				     "lines") != NULL;
	g_string_append(out, "<h3>Cache lines</h3>\n");
	html_element(out, "p",
		     any ? "Lines that CPUs take from each other. NAME+0xOFFSET is the line so "
			   "many bytes into that object, all "
			   "such objects together."
			 : "The result has no table of lines: it was made without --lines.");
}

static void put_where(const struct view *v, GString *out)
{
	bool any = false;

	for (guint i = 0; i < v->shown->len; i++)
		any |= stored_object(((struct view_point *)g_ptr_array_index(v->shown, i))->o,
				     "where") != NULL;
	if (any)
		html_element(out, "p",
			     "By reason, the busy time is what held up the oldest instruction: "
			     "executing (instructions, the "
			     "hash of the port search, locked operations), or a cache line on its "
			     "way. A dirty line was modified by "
			     "another CPU, a clean one was not; own die, other die, other socket: "
			     "where it came from; memory: "
			     "no cache had it.");
}

static void put_courses(const struct eh_book *page, GString *out)
{
	bool any = false;

	for (guint i = 0; i < page->figures->len; i++)
		any |= g_str_has_prefix(((struct eh_figure *)g_ptr_array_index(page->figures, i))->name,
					"course");
	if (!any)
		return;
	g_string_append(out, "<h3>Over time</h3>\n");
	html_element(out, "p",
		     "What changed within the measured window, an even choice of what there was: where "
		     "searches ended, how many ports they looked at, which memory was where. A port "
		     "search begins where the cursor stands, the same for all who connect to one "
		     "destination, and moves it to where it ends.");
	page_figures(page, "course", out);
}

void page_why(const struct eh_book *page, GString *out)
{
	const struct view *v = page->view;

	g_string_append(out, "<h2 id=\"why\">Why</h2>\n");
	if (v->shown->len < v->points->len) {
		g_string_append(out, "<p class=\"pale\">");
		html_printf(out,
			    "Details of %u of the %u points: first, best, worst, last, and those "
			    "explained above. The JSON has all.",
			    v->shown->len, v->points->len);
		g_string_append(out, "</p>\n");
	}
	g_string_append(out, "<h3>Time</h3>\n");
	put_where(v, out);
	page_figures(page, "where", out);
	page_figures(page, "cpu-time", out);
	page_figures(page, "profile", out);
	put_times(v, 0, out);
	put_times(v, 1, out);
	put_profile(v, 0, out);
	put_profile(v, 1, out);
	page_figures(page, "timeline", out);
	page_locks(page, out);
	put_lines(v, out);
	page_figures(page, "lines", out);
	page_tables(v, "lines", out);
	page_figures(page, "spread", out);
	put_courses(page, out);
	page_memory(page, out);
	page_tables_unknown(v, out);
}
