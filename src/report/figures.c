/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "figures.h"

#include "view_names.h"

#include <ehsim/message.h>
#include <math.h>
#include <string.h>

enum { CAPTION_WIDTH = 68, CAPTION_FILES = 3 };

void figure_text(GString *data, const char *text)
{
	char *harmless = eh_harmless(g_strdup(text));

	g_strdelimit(harmless, ",", ';');
	g_strdelimit(harmless, "\"", '\'');
	g_string_append_printf(data, "\"%s\"", harmless);
	g_free(harmless);
}

void figure_real(GString *data, double x)
{
	char digits[64];

	g_string_append_c(data, ',');
	if (isfinite(x))
		g_string_append(data,
				g_ascii_formatd(digits, sizeof(digits), "%.12g", x == 0 ? 0 : x));
}

void figure_interval(GString *data, const struct view_number *n, double factor)
{
	figure_real(data, n->mean / factor);
	figure_real(data, n->lo / factor);
	figure_real(data, n->hi / factor);
}

static void wrap(GString *out, const char *text)
{
	char **words = g_strsplit(text, " ", -1);
	glong column = 0;

	for (char **word = words; *word; word++) {
		glong n = g_utf8_strlen(*word, -1);

		if (column && column + 1 + n > CAPTION_WIDTH) {
			g_string_append_c(out, '\n');
			column = 0;
		}
		g_string_append_printf(out, "%s%s", column ? " " : "", *word);
		column += n + (column > 0);
	}
	g_strfreev(words);
}

/* What made it: scenario, seed, version. */
static char *made_by(const struct view *v)
{
	GString *s = g_string_new(NULL);

	for (guint i = 0; i < v->results->len && i < CAPTION_FILES; i++) {
		const struct eh_stored *r = g_ptr_array_index(v->results, i);
		JsonObject *scenario = stored_object(r->top, "scenario");
		const char *file = stored_text(scenario, "file");
		const char *version = stored_text(stored_object(r->top, "ehsim"), "version");
		char *seed = stored_digits(stored_row(r->points, 0), "seed");

		g_string_append_printf(s, "%s%s, seed %s, ehsim %s", i ? "; " : "",
				       file ? file : "(no file)", seed ? seed : "-",
				       version ? version : "(unknown)");
		g_free(seed);
	}
	if (v->results->len > CAPTION_FILES)
		g_string_append_printf(s, " and %u more results", v->results->len - CAPTION_FILES);
	return eh_harmless(g_string_free(s, FALSE));
}

struct eh_figure *figure_new(const struct view *v, const char *name, const char *script,
			     const char *axis, const char *remark, char *title)
{
	struct eh_figure *f = g_new0(struct eh_figure, 1);
	GString *caption = g_string_new(NULL);
	char *made = made_by(v);

	wrap(caption, made);
	if (*remark) {
		g_string_append_c(caption, '\n');
		wrap(caption, remark);
	}
	f->name = name;
	f->script = script;
	f->title = title;
	f->data = g_string_new(NULL);
	f->args = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(f->args, eh_harmless(g_strdup(axis)));
	g_ptr_array_add(f->args, g_string_free(caption, FALSE));
	g_free(made);
	return f;
}

void figure_free(void *figure)
{
	struct eh_figure *f = figure;

	g_ptr_array_unref(f->args);
	g_string_free(f->data, TRUE);
	g_free(f->title);
	g_free(f->svg);
	g_free(f);
}

void figure_part(struct figure_stack *s, int series, const char *name, double width,
		 double text_from, const char *format)
{
	char digits[64];

	if (!(width > 0))
		return;
	g_string_append_printf(s->data, "%d,", s->row);
	figure_text(s->data, s->label);
	g_string_append_printf(s->data, ",%d,", series);
	figure_text(s->data, name);
	figure_real(s->data, s->at);
	s->at += width;
	figure_real(s->data, s->at);
	/* gnuplot takes an empty last cell for the one of the row before */
	g_string_append_printf(
		s->data, ",\"%s \"\n",
		width >= text_from ? g_ascii_formatd(digits, sizeof(digits), format, width) : "");
}

GPtrArray *figures_new(const struct view *v)
{
	GPtrArray *out = g_ptr_array_new_with_free_func(figure_free);

	figures_main(v, out);
	figures_why(v, out);
	figures_spread(v, out);
	figures_courses(v, out);
	return out;
}
