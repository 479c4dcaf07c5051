/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page.h"

#include <string.h>

enum { MOST = 12 };

struct list {
	GString *out;
	guint n;
};

static bool begin(struct list *l)
{
	if (!l->n++)
		g_string_append(l->out, "<div class=\"warn\"><p><strong>Before you use these "
					"numbers</strong></p>\n<ul>\n");
	return l->n <= MOST;
}

static void warn_status(struct list *l, const struct view_point *p)
{
	const char *status = stored_text(p->o, "status"), *text = stored_text(p->o, "status_text");

	if ((!strcmp(status, "done") && !text) || !begin(l))
		return;
	g_string_append(l->out, "<li>");
	html_printf(l->out, "%s is %s: %s", p->name, status, text ? text : "no reason is given");
	g_string_append(l->out, "</li>\n");
}

/* The start says so when the warm-up was too short. */
static void warn_start(struct list *l, const struct view_point *p)
{
	const char *start = stored_text(p->o, "start"),
		   *text = start ? strstr(start, "MSER would cut") : NULL;

	if (!text || !begin(l))
		return;
	g_string_append(l->out, "<li>");
	html_printf(l->out, "%s may still contain its warm-up: %s", p->name, text);
	g_string_append(l->out, "</li>\n");
}

static void warn_course(struct list *l, const struct view_point *p)
{
	const struct view_point *b = p->baseline;

	if (!b || b == p || b->result != p->result ||
	    g_strcmp0(stored_text(b->o, "fingerprint"), stored_text(p->o, "fingerprint")) ||
	    !begin(l))
		return;
	g_string_append(l->out, "<li>");
	html_printf(l->out, "%s took the very course of %s: what was swept has no effect", p->name,
		    b->name);
	g_string_append(l->out, "</li>\n");
}

static void warn_results(struct list *l, const struct view *v)
{
	const struct eh_stored *first = g_ptr_array_index(v->results, 0);
	const char *version = stored_text(stored_object(first->top, "ehsim"), "version");

	for (guint i = 1; i < v->results->len; i++) {
		const struct eh_stored *s = g_ptr_array_index(v->results, i);
		const char *other = stored_text(stored_object(s->top, "ehsim"), "version");

		if (g_strcmp0(version, other) && begin(l)) {
			g_string_append(l->out, "<li>");
			html_printf(l->out,
				    "Result %u was made by ehsim %s, the first by %s: they may "
				    "differ for that "
				    "alone",
				    i + 1, other ? other : "(unknown)",
				    version ? version : "(unknown)");
			g_string_append(l->out, "</li>\n");
		}
	}
}

guint page_warnings(const struct view *v, GString *out)
{
	struct list l = {out, 0};

	if (!v->points->len && begin(&l))
		g_string_append(out, "<li>There are no points: nothing was simulated.</li>\n");
	warn_results(&l, v);
	for (guint i = 0; i < v->points->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->points, i);

		warn_status(&l, p);
		warn_start(&l, p);
		warn_course(&l, p);
	}
	if (l.n > MOST)
		html_printf(out, "... and %u more; the table of points has them", l.n - MOST);
	if (l.n)
		g_string_append(out, "</ul></div>\n");
	return l.n;
}
