/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/book.h>

#include "view.h"

#include <math.h>
#include <string.h>

enum { LABEL = 36, LEAST = 10, MOST_LINES = 200 };

static glong width(const char *text)
{
	return g_utf8_strlen(text, -1);
}

/* Padded with blanks, or cut with a sign of it. */
static void put_padded(GString *out, const char *text, glong room)
{
	glong n = width(text);

	if (n > room) {
		char *cut = g_utf8_substring(text, 0, room - 1);

		g_string_append_printf(out, "%s…", cut);
		g_free(cut);
		return;
	}
	g_string_append_printf(out, "%s%*s", text, (int)(room - n), "");
}

/* Full to the lower end of the interval, shaded to the upper one. */
static void put_bar(GString *out, const struct view_point *p, double most, int room)
{
	double lo = isfinite(p->main.lo) ? p->main.lo : p->main.mean;
	double hi = isfinite(p->main.hi) ? p->main.hi : p->main.mean;
	int full = (int)lround(CLAMP(lo / most, 0, 1) * room),
	    shade = (int)lround(CLAMP(hi / most, 0, 1) * room);
	int mark = isfinite(p->published)
			   ? (int)lround(CLAMP(p->published / most, 0, 1) * (room - 1))
			   : -1;
	int last = MAX(shade, mark + 1);

	for (int i = 0; i < last; i++)
		g_string_append(out, i == mark ? "◆" : i < full ? "█" : i < shade ? "▒" : " ");
}

static void put_legend(GString *out, bool intervals, bool published)
{
	if (!intervals && !published)
		return;
	g_string_append_printf(out, "  %s%s%s\n",
			       intervals ? "█ to the lower end of the 95 % interval, ▒ the interval"
					 : "",
			       intervals && published ? ", " : "", published ? "◆ published" : "");
}

void eh_plot(GPtrArray *results, int columns, GString *out)
{
	struct view *v = view_new(results);
	glong label = 0, value = 0;
	bool intervals = false, published = false;
	double most = 0;
	struct scale s;
	char *name;
	int room;

	for (guint i = 0; v->metric && i < v->points->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->points, i);

		label = MAX(label, width(p->name));
		most = MAX(most, isfinite(p->main.hi)	  ? p->main.hi
				 : isfinite(p->main.mean) ? p->main.mean
							  : 0);
		most = isfinite(p->published) ? MAX(most, p->published) : most;
		intervals |= p->main.lo < p->main.hi;
		published |= isfinite(p->published);
	}
	if (!(most > 0)) {
		g_string_append(out, "nothing to plot: no point has a number\n");
		view_free(v);
		return;
	}
	s = scale_pick(v->metric, most);
	for (guint i = 0; i < v->points->len; i++) {
		char *text = scale_print(
			&s, ((struct view_point *)g_ptr_array_index(v->points, i))->main.mean);

		value = MAX(value, width(text));
		g_free(text);
	}
	label = MIN(label, LABEL);
	room = MAX(columns - (int)label - (int)value - 6, LEAST);
	name = scale_label(v->metric);
	g_string_append_printf(out, "%s%s%s\n", name, *s.unit ? ", " : "", s.unit);
	g_free(name);
	for (guint i = 0; i < v->points->len && i < MOST_LINES; i++) {
		const struct view_point *p = g_ptr_array_index(v->points, i);
		char *text = scale_print(&s, p->main.mean);

		g_string_append(out, "  ");
		put_padded(out, p->name, label);
		g_string_append_printf(out, "  %*s", (int)(value - width(text)), "");
		g_string_append(out, text);
		if (view_has_numbers(p)) {
			g_string_append(out, " ");
			put_bar(out, p, most, room);
		}
		g_string_append_c(out, '\n');
		g_free(text);
	}
	if (v->points->len > MOST_LINES)
		g_string_append_printf(out, "  ... and %u more points\n",
				       v->points->len - MOST_LINES);
	put_legend(out, intervals, published);
	view_free(v);
}
