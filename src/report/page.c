/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page.h"

#include "figures.h"
#include "view_names.h"

#include <string.h>

struct eh_book *eh_book_new(GPtrArray *results)
{
	struct eh_book *page = g_new0(struct eh_book, 1);

	page->results = g_ptr_array_ref(results);
	page->view = view_new(results);
	page->figures = figures_new(page->view);
	return page;
}

void eh_book_free(struct eh_book *page)
{
	if (!page)
		return;
	g_ptr_array_unref(page->figures);
	view_free(page->view);
	g_ptr_array_unref(page->results);
	g_free(page);
}

GPtrArray *eh_book_figures(const struct eh_book *page)
{
	return page->figures;
}

static void put_figure(const struct eh_figure *f, GString *out)
{
	g_string_append(out, "<figure><p>");
	html_text(out, f->title);
	g_string_append(out, "</p>\n");
	if (f->svg)
		html_svg(out, f->name, f->title, f->svg);
	else
		g_string_append_printf(
			out,
			"<p class=\"warn\">Not drawn: gnuplot is missing or failed. With gnuplot "
			"5.4 "
			"installed, <code>sh figures.sh</code> in the folder of this page draws "
			"%s.svg from %s.csv.</p>\n",
			f->name, f->name);
	g_string_append_printf(
		out, "<figcaption>Data: <a href=\"%s.csv\">%s.csv</a></figcaption></figure>\n",
		f->name, f->name);
}

void page_figure(const struct eh_book *page, const char *name, GString *out)
{
	for (guint i = 0; i < page->figures->len; i++) {
		const struct eh_figure *f = g_ptr_array_index(page->figures, i);

		if (!strcmp(f->name, name))
			put_figure(f, out);
	}
}

void page_figures(const struct eh_book *page, const char *begin, GString *out)
{
	g_string_append(out, "<div class=\"figures\">\n");
	for (guint i = 0; i < page->figures->len; i++) {
		const struct eh_figure *f = g_ptr_array_index(page->figures, i);

		if (g_str_has_prefix(f->name, begin))
			put_figure(f, out);
	}
	g_string_append(out, "</div>\n");
}

static const char *description(const struct view *v)
{
	const struct eh_stored *first = g_ptr_array_index(v->results, 0);
	JsonObject *scenario = stored_object(first->top, "scenario");
	const char *text = stored_text(scenario, "description");

	return text && *text ? text : stored_text(scenario, "file");
}

/* "connect-small.yaml, ehsim 0.1.0, seed 1, 2 points". */
static void put_subtitle(const struct view *v, GString *out)
{
	const struct eh_stored *first = g_ptr_array_index(v->results, 0);
	const char *version = stored_text(stored_object(first->top, "ehsim"), "version");
	char *seed = stored_digits(stored_row(first->points, 0), "seed");

	g_string_append(out, "<p class=\"pale\">");
	for (guint i = 0; i < v->results->len; i++) {
		const struct eh_stored *s = g_ptr_array_index(v->results, i);
		const char *file = stored_text(stored_object(s->top, "scenario"), "file");

		if (i >= VIEW_DETAILED) {
			html_printf(out, " and %u more", v->results->len - i);
			break;
		}
		html_printf(out, "%s%s", i ? ", " : "", file ? file : "(no file)");
	}
	html_printf(out, " · simulated by ehsim %s", version ? version : "(unknown)");
	if (seed)
		html_printf(out, " · seed %s", seed);
	html_printf(out, " · %u point%s", v->points->len, v->points->len == 1 ? "" : "s");
	if (v->results->len > 1)
		html_printf(out, " of %u results", v->results->len);
	g_string_append(out, "</p>\n");
	g_free(seed);
}

void eh_book_html(const struct eh_book *page, GString *out)
{
	const char *title = description(page->view);

	if (!title)
		title = "ehsim";
	page_head(page, title, out);
	html_element(out, "h1", title);
	put_subtitle(page->view, out);
	g_string_append(out, "<nav><a href=\"#short\">In short</a><a href=\"#numbers\">Numbers</a>"
			     "<a href=\"#published\">Published figures</a><a href=\"#why\">Why</a>"
			     "<a href=\"#origin\">How to repeat it</a><a "
			     "href=\"#scenario\">Scenario</a></nav>\n");
	page_warnings(page->view, out);
	page_short(page->view, out);
	page_results(page, out);
	page_why(page, out);
	page_origin(page->view, out);
	g_string_append(out, "</body>\n</html>\n");
}
