/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "layout.h"
#include <ehsim/message.h>

#include <string.h>

struct cell {
	char *text;
	enum layout_style style;
};

struct layout_table {
	char *align;
	guint columns;
	GArray *cells; /* rows one after the other, `columns` each */
};

void layout_styled(GString *out, const struct eh_report_options *o, enum layout_style style,
		   const char *text)
{
	static const char *const on[] = {"", "\033[1m", "\033[1;31m"};

	if (o->color && style != LAYOUT_PLAIN && *text)
		g_string_append_printf(out, "%s%s\033[0m", on[style], text);
	else
		g_string_append(out, text);
}

void layout_heading(GString *out, const struct eh_report_options *o, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = eh_harmless(g_strdup_vprintf(fmt, ap));
	va_end(ap);
	layout_styled(out, o, LAYOUT_BOLD, text);
	g_string_append_c(out, '\n');
	g_free(text);
}

static bool is_blank(const char *s)
{
	return *s == ' ';
}

/* Lines end where the width says, whatever the text holds. */
static char *blank_controls(const char *text)
{
	char *valid = g_utf8_make_valid(text, -1);

	for (char *p = valid; *p; p = g_utf8_next_char(p))
		if (g_unichar_iscntrl(g_utf8_get_char(p)))
			memset(p, ' ', (size_t)(g_utf8_next_char(p) - p));
	return valid;
}

void layout_wrap(GString *out, const char *first, const char *text)
{
	glong indent = g_utf8_strlen(first, -1), column = indent;
	char *valid = blank_controls(text);
	const char *s = valid;
	bool start = true;

	g_string_append(out, first);
	while (*s) {
		const char *end;
		glong length;

		if (is_blank(s)) {
			s++;
			continue;
		}
		for (end = s; *end && !is_blank(end); end++)
			;
		length = g_utf8_strlen(s, end - s);
		if (start) {
			start = false;
		} else if (column + 1 + length > LAYOUT_WIDTH) {
			g_string_append_printf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else {
			g_string_append_c(out, ' ');
			column++;
		}
		g_string_append_len(out, s, end - s);
		column += length;
		s = end;
	}
	g_string_append_c(out, '\n');
	g_free(valid);
}

struct layout_table *layout_table_new(const char *align)
{
	struct layout_table *t = g_new0(struct layout_table, 1);

	t->align = g_strdup(align);
	t->columns = (guint)strlen(align);
	t->cells = g_array_new(FALSE, FALSE, sizeof(struct cell));
	return t;
}

void layout_table_free(struct layout_table *t)
{
	guint i;

	for (i = 0; i < t->cells->len; i++)
		g_free(g_array_index(t->cells, struct cell, i).text);
	g_array_free(t->cells, TRUE);
	g_free(t->align);
	g_free(t);
}

void layout_cell_styled(struct layout_table *t, enum layout_style style, char *text)
{
	struct cell c = {eh_harmless(text ? text : g_strdup("")), style};

	g_array_append_val(t->cells, c);
}

void layout_cell(struct layout_table *t, char *text)
{
	layout_cell_styled(t, LAYOUT_PLAIN, text);
}

void layout_row_end(struct layout_table *t)
{
	while (t->cells->len % t->columns)
		layout_cell(t, NULL);
}

static glong column_width(const struct layout_table *t, guint column)
{
	glong width = 0;
	guint i;

	for (i = column; i < t->cells->len; i += t->columns) {
		glong w = g_utf8_strlen(g_array_index(t->cells, struct cell, i).text, -1);

		width = MAX(width, w);
	}
	return width;
}

/* Blanks are owed until something follows, so that no line ends with one. */
static void print_row(const struct layout_table *t, guint row, const glong *widths,
		      const struct eh_report_options *o, GString *out)
{
	glong owed = 0;
	guint i;

	for (i = 0; i < t->columns; i++) {
		const struct cell *c = &g_array_index(t->cells, struct cell, row * t->columns + i);
		glong length = g_utf8_strlen(c->text, -1), pad = widths[i] - length;

		if (!widths[i])
			continue;
		owed += 2;
		if (!length) {
			owed += pad;
			continue;
		}
		if (t->align[i] == 'r')
			owed += pad;
		g_string_append_printf(out, "%*s", (int)owed, "");
		layout_styled(out, o, c->style, c->text);
		owed = t->align[i] == 'r' ? 0 : pad;
	}
	g_string_append_c(out, '\n');
}

void layout_table_print(struct layout_table *t, const struct eh_report_options *o, GString *out)
{
	glong *widths = g_new0(glong, t->columns);
	guint i;

	layout_row_end(t);
	for (i = 0; i < t->columns; i++)
		widths[i] = column_width(t, i);
	for (i = 0; i < t->cells->len / t->columns; i++)
		print_row(t, i, widths, o, out);
	g_free(widths);
	layout_table_free(t);
}
