/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "html.h"

#include <ehsim/message.h>
#include <math.h>
#include <string.h>

enum { NEVER_BROKEN = 24 }; /* characters of a cell */

void html_text(GString *out, const char *text)
{
	char *harmless = eh_harmless(g_strdup(text ? text : ""));
	char *escaped = g_markup_escape_text(harmless, -1);

	g_string_append(out, escaped);
	g_free(escaped);
	g_free(harmless);
}

void html_printf(GString *out, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = g_strdup_vprintf(fmt, args);
	va_end(args);
	html_text(out, text);
	g_free(text);
}

void html_element(GString *out, const char *tag, const char *text)
{
	g_string_append_printf(out, "<%s>", tag);
	html_text(out, text);
	g_string_append_printf(out, "</%s>\n", tag);
}

/* As JSON has it: shortest form of 12 significant digits. */
static void put_exact(GString *out, enum html_from from, double x)
{
	char digits[64];

	if (!isfinite(x))
		return;
	g_ascii_formatd(digits, sizeof(digits), "%.12g", x == 0 ? 0 : x);
	g_string_append_printf(out, " data-%c=\"%s\"", from == HTML_JSON ? 'v' : 'd', digits);
}

static void put_scaled(GString *out, const struct scale *s, double x, bool unit)
{
	char *text = unit ? scale_print_unit(s, x) : scale_print(s, x);

	html_text(out, text);
	g_free(text);
}

void html_number(GString *out, enum html_from from, const struct scale *s, double x)
{
	g_string_append(out, "<b");
	put_exact(out, from, x);
	g_string_append_c(out, '>');
	put_scaled(out, s, x, true);
	g_string_append(out, "</b>");
}

void html_metric(GString *out, const char *metric, double x)
{
	struct scale s = scale_pick(metric, x);

	html_number(out, HTML_JSON, &s, x);
}

static void put_end(GString *out, enum html_from from, const struct scale *s, double x)
{
	g_string_append(out, "<span");
	put_exact(out, from, x);
	g_string_append_c(out, '>');
	put_scaled(out, s, x, false);
	g_string_append(out, "</span>");
}

static bool known(const struct view_number *n)
{
	return isfinite(n->lo) && isfinite(n->hi);
}

void html_interval(GString *out, enum html_from from, const struct scale *s,
		   const struct view_number *n)
{
	if (!isfinite(n->mean) || (known(n) && !(n->lo < n->hi)))
		return;
	if (!known(n)) {
		g_string_append(out, " (interval not known)");
		return;
	}
	g_string_append(out, " (95 %: ");
	put_end(out, from, s, n->lo);
	g_string_append(out, " to ");
	put_end(out, from, s, n->hi);
	g_string_append_c(out, ')');
}

struct scale html_ratio_scale(double ratio)
{
	int decimals = fabs(ratio) >= 100 ? 0 : fabs(ratio) >= 10 ? 1 : 3;

	while (decimals < 9 && decimals >= 3 && fabs(ratio) < 0.1 &&
	       fabs(ratio) * pow(10, decimals - 2) < 1 && ratio != 0)
		decimals++;
	return (struct scale){1, decimals, ""};
}

void html_ratio(GString *out, enum html_from from, const struct view_number *n)
{
	struct scale s = html_ratio_scale(n->mean);

	g_string_append(out, "× ");
	html_number(out, from, &s, n->mean);
	html_interval(out, from, &s, n);
}

void html_table_begin(GString *out, const char *caption, const char *head)
{
	char **cells = g_strsplit(head, "|", -1);

	g_string_append(out, "<div class=\"wide\"><table><caption>");
	html_text(out, caption);
	g_string_append(out, "</caption>\n<thead><tr>");
	for (char **cell = cells; *cell; cell++) {
		bool number = **cell == '#';

		g_string_append(out,
				number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
		html_text(out, *cell + number);
		g_string_append(out, "</th>");
	}
	g_string_append(out, "</tr></thead>\n<tbody>\n");
	g_strfreev(cells);
}

void html_table_end(GString *out)
{
	g_string_append(out, "</tbody></table></div>\n");
}

void html_row_begin(GString *out)
{
	g_string_append(out, "<tr>");
}

void html_row_end(GString *out)
{
	g_string_append(out, "</tr>\n");
}

void html_cell(GString *out, const char *text)
{
	g_string_append(out, text && strlen(text) <= NEVER_BROKEN ? "<td class=\"s\">" : "<td>");
	html_text(out, text);
	g_string_append(out, "</td>");
}

void html_cell_name(GString *out, const char *text)
{
	g_string_append(out, "<th scope=\"row\">");
	html_text(out, text);
	g_string_append(out, "</th>");
}

void html_cell_number(GString *out, enum html_from from, const struct scale *s, double x)
{
	g_string_append(out, "<td class=\"n\"");
	put_exact(out, from, x);
	g_string_append_c(out, '>');
	put_scaled(out, s, x, false);
	g_string_append(out, "</td>");
}

void html_cell_interval(GString *out, enum html_from from, const struct scale *s,
			const struct view_number *n)
{
	g_string_append(out, "<td class=\"n\"");
	put_exact(out, from, n->mean);
	g_string_append_c(out, '>');
	put_scaled(out, s, n->mean, false);
	if (isfinite(n->mean) && !known(n)) {
		g_string_append(out, "<small>interval not known</small>");
	} else if (n->lo < n->hi) {
		g_string_append(out, "<small>");
		put_end(out, from, s, n->lo);
		g_string_append(out, " .. ");
		put_end(out, from, s, n->hi);
		g_string_append(out, "</small>");
	}
	g_string_append(out, "</td>");
}

/* What gnuplot writes, and what takes its place; "%s" is the prefix. */
static const struct {
	const char *from, *to;
} in_page[] = {
	{" id='", " id='%s-"},
	{" id=\"", " id=\"%s-"},
	{"xlink:href='#", "xlink:href='#%s-"},
	{"xlink:href=\"#", "xlink:href=\"#%s-"},
	{"url(#", "url(#%s-"},
	/* the ink of plots/style.gp becomes that of the page, which knows light and dark */
	{"rgb( 34,  34,  34)", "currentColor"},
	{"rgb(34,34,34)", "currentColor"},
	{"rgb( 96,  96,  96)", "currentColor"},
	{"rgb(96,96,96)", "currentColor"},
	{"rgb(208, 208, 208)", "gray"},
	{" color=\"black\"", ""},
	{"fill=\"#ffffff\"/>", "fill=\"none\"/>"}, /* the paper */
};

/* Browsers show titles when a pointer rests: gnuplot's are its own commands. */
static const char *without_titles(const char *s)
{
	const char *end = g_str_has_prefix(s, "<title>") ? strstr(s, "</title>") : NULL;

	return end ? end + strlen("</title>") : s;
}

void html_svg(GString *out, const char *prefix, const char *label, const char *svg)
{
	const char *s = strstr(svg, "<svg");

	if (!s)
		return;
	g_string_append(out, "<svg role=\"img\" aria-label=\"");
	html_text(out, label);
	g_string_append(out, "\" ");
	for (s += strlen("<svg"); *s;) {
		const char *rest = without_titles(s);
		guint i = 0;

		if (rest != s) {
			s = rest;
			continue;
		}

		while (i < G_N_ELEMENTS(in_page) && !g_str_has_prefix(s, in_page[i].from))
			i++;
		if (i == G_N_ELEMENTS(in_page)) {
			g_string_append_c(out, *s++);
			continue;
		}
		s += strlen(in_page[i].from);
		for (const char *c = in_page[i].to; *c; c++)
			if (*c != '%')
				g_string_append_c(out, *c);
			else if (*++c == 's')
				g_string_append(out, prefix);
	}
}
