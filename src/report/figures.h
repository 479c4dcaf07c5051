/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The figures of a view, each with its data: columns as the scripts in plots/ say. Internal to
 * reports.
 */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "view.h"

#include <ehsim/book.h>

/* struct eh_figure *, those there is data for. Newly allocated. */
GPtrArray *figures_new(const struct view *v);

/* A figure of that script with AXIS and CAPTION; `remark` is part of the caption. */
struct eh_figure *figure_new(const struct view *v, const char *name, const char *script,
			     const char *axis, const char *remark, char *title);
void figure_free(void *figure);

/* Cells of data; each row begins without a comma. Text loses what gnuplot does not read: , and ".
 */
void figure_text(GString *data, const char *text);
void figure_real(GString *data, double x); /* empty unless finite */
void figure_interval(GString *data, const struct view_number *n, double factor);

/* Of one's own file each: the main number; why it came out so. They add what there is data for. */
void figures_main(const struct view *v, GPtrArray *out);
void figures_why(const struct view *v, GPtrArray *out);
void figures_spread(const struct view *v, GPtrArray *out);
void figures_courses(const struct view *v, GPtrArray *out);

/* Of a traced point. */
void figures_holds(const struct view *v, const char *name, const struct eh_point *p,
		   const struct view_point *shown_as, GPtrArray *out);

/* A bar of parts for stacked.gp: what adds up from 0. */
struct figure_stack {
	GString *data;
	int row;
	const char *label;
	double at;
};

void figure_part(struct figure_stack *s, int series, const char *name, double width,
		 double text_from, const char *format);

#endif
