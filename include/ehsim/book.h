/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports to look at, made from the JSON of results (report.h): figures, a page, a plot for the
 * terminal. Nothing here needs the world or the scenario, so a stored result gives what a fresh one
 * gives.
 *
 * A stored result is checked when it is read: another schema, a text cut off or members of the
 * wrong kind are messages with line and column. What is shown of it is text like any other text:
 * escaped in HTML, without control characters, never part of a path or of a command.
 *
 * The page is one file: figures inline as SVG, a style sheet for light, dark and paper, no network,
 * no script needed (one sorts its tables). Its members, in order: what was compared and what came
 * of it in a few sentences, the numbers of all points, published against simulated, why, how to
 * repeat it, the scenario filled in. A number of the JSON stands in the attribute data-v of what
 * shows it, exactly as there; data-d marks one calculated from others. Members of points that only
 * a newer ehsim writes are shown as tables as they are.
 *
 * Whoever draws (cli) writes each figure's data and script, runs gnuplot and puts its SVG into the
 * figure; a page without SVG says how to draw it.
 */
#ifndef EHSIM_BOOK_H
#define EHSIM_BOOK_H

#include <ehsim/message.h>
#include <ehsim/report.h>

struct eh_stored;

/* NULL and messages if it is no result that this version reads. */
struct eh_stored *eh_stored_load(const char *path, struct eh_messages *msgs);
/* The same of a text (taken over); `name` stands for the file. */
struct eh_stored *eh_stored_from(const char *name, char *text, gsize length,
				 struct eh_messages *msgs);
void eh_stored_free(struct eh_stored *s);

struct eh_figure {
	const char *name; /* "throughput": begin of its files' names, never from a result */
	const char
		*script; /* "bars.gp", in the folder of plots; called with data, figure and args */
	GPtrArray *args; /* char * */
	GString *data;	 /* CSV */
	char *title;	 /* a sentence */
	char *svg;	 /* set by who draws; NULL: not drawn */
};

struct eh_book;

/* Keeps `results` (struct eh_stored *, at least one). */
struct eh_book *eh_book_new(GPtrArray *results);
void eh_book_free(struct eh_book *page);
GPtrArray *eh_book_figures(const struct eh_book *page); /* struct eh_figure *; the page's own */
/* Of a page of one fresh result, `r`, if it was traced: what CPUs did at the two points that are
 * explained. */
void eh_book_timelines(struct eh_book *page, const struct eh_result *r);
void eh_book_html(const struct eh_book *page, GString *out);

/* The main number of every point as bars of text, at most `columns` wide. */
void eh_plot(GPtrArray *results, int columns, GString *out);

#endif
