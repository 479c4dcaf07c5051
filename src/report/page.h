/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of the page, in their order. Internal to reports. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "html.h"
#include "view.h"

#include <ehsim/book.h>

struct eh_book {
	GPtrArray *results; /* struct eh_stored * */
	struct view *view;
	GPtrArray *figures; /* struct eh_figure * */
};

void page_head(const struct eh_book *page, const char *title, GString *out); /* up to <body> */

/* The answer in sentences, of them how sure and why. */
void page_short(const struct view *v, GString *out);
void page_sure(const struct view *v, GString *out);
void page_reasons(const struct view *v, GString *out);
/* What the metrics of the page mean. */
void page_words(const struct view *v, GString *out);
/* The numbers of all points; published against simulated. */
void page_results(const struct eh_book *page, GString *out);
/* Where the time went: symbols, locks, lines, and tables that this version does not know. */
void page_why(const struct eh_book *page, GString *out);
void page_locks(const struct eh_book *page, GString *out);
/* RCU and slabs. */
void page_memory(const struct eh_book *page, GString *out);
/* Versions, seeds, fingerprints, the scenario. */
void page_origin(const struct view *v, GString *out);

/* The figure of that name, or nothing. */
void page_figure(const struct eh_book *page, const char *name, GString *out);
/* All figures whose names begin so, side by side. */
void page_figures(const struct eh_book *page, const char *begin, GString *out);

/* Something that a reader should know before believing a number; counts them. */
guint page_warnings(const struct view *v, GString *out);

/* What a metric means, without its name; NULL when it is not known here. */
const char *page_word(const struct view *v, const char *metric);
/* A key's value at the first point; "?". */
const char *page_value(const struct view *v, const char *key);
/* "kernel.connect", explained by the key tables of this version: a sentence, newly allocated; NULL.
 */
char *page_key_help(const char *key);

#endif
