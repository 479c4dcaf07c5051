/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns, wrapped sentences and colour for text reports. Internal to reports. */
#ifndef REPORT_LAYOUT_H
#define REPORT_LAYOUT_H

#include <ehsim/report.h>

enum { LAYOUT_WIDTH = 92 };

enum layout_style { LAYOUT_PLAIN, LAYOUT_BOLD, LAYOUT_RED };

/* Text in a style, nothing around it; plain when the options want no colour. */
void layout_styled(GString *out, const struct eh_report_options *o, enum layout_style style,
		   const char *text);

/* A heading: bold line. */
void layout_heading(GString *out, const struct eh_report_options *o, const char *fmt, ...)
	G_GNUC_PRINTF(3, 4);

/* Words of `text` in lines of LAYOUT_WIDTH; the first line starts with `first`, the others with as
 * many blanks. Control characters and newlines count as blanks; a word is never cut. */
void layout_wrap(GString *out, const char *first, const char *text);

/*
 * A table: cells are added row by row, the columns take the width of their widest cell when it is
 * printed, two blanks apart, two in front; no blanks at line ends.
 */
struct layout_table;

/* `align`: one character per column, 'l' or 'r'. */
struct layout_table *layout_table_new(const char *align);

/* Takes `text` over (g_malloc); NULL is an empty cell. */
void layout_cell(struct layout_table *t, char *text);
void layout_cell_styled(struct layout_table *t, enum layout_style style, char *text);

/* Ends a row; columns without a cell stay empty. */
void layout_row_end(struct layout_table *t);

void layout_table_free(struct layout_table *t);

/* Print and free. */
void layout_table_print(struct layout_table *t, const struct eh_report_options *o, GString *out);

#endif
