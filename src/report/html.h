/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces of HTML. All text is escaped here and nowhere else. Internal to reports. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "scale.h"
#include "view.h"

/* Escaped, control characters as '?'. */
void html_text(GString *out, const char *text);
void html_printf(GString *out, const char *fmt, ...) G_GNUC_PRINTF(2, 3); /* escaped */
/* <TAG>text</TAG> and a line end. */
void html_element(GString *out, const char *tag, const char *text);

enum html_from { HTML_JSON, HTML_DERIVED };

/* A number within a sentence: scaled, with unit, exact in its attribute; "-" unless finite. */
void html_number(GString *out, enum html_from from, const struct scale *s, double x);
/* The same with the scale that suits it. */
void html_metric(GString *out, const char *metric, double x);
/* " (95 %: LO to HI)"; nothing for an exact number, and says so when it is not known. */
void html_interval(GString *out, enum html_from from, const struct scale *s,
		   const struct view_number *n);
/* Digits for a ratio: at least three of them. */
struct scale html_ratio_scale(double ratio);
/* "x 3.12" of a ratio, with its interval. */
void html_ratio(GString *out, enum html_from from, const struct view_number *n);

/* Tables lie in a box of their own that scrolls. `head`: cells apart by '|'; one that begins with
 * '#' is of numbers. */
void html_table_begin(GString *out, const char *caption, const char *head);
void html_table_end(GString *out);
void html_row_begin(GString *out);
void html_row_end(GString *out);
void html_cell(GString *out, const char *text);
void html_cell_name(GString *out, const char *text); /* the row's own name */
void html_cell_number(GString *out, enum html_from from, const struct scale *s, double x);
/* With the interval in small below it. */
void html_cell_interval(GString *out, enum html_from from, const struct scale *s,
			const struct view_number *n);

/* SVG of gnuplot made part of a page: its names get the prefix, so that several live together. */
void html_svg(GString *out, const char *prefix, const char *label, const char *svg);

#endif
