/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare.h"

#include "layout.h"
#include "names.h"
#include "scale.h"

#include <math.h>

enum { POINT_NAME = 10 };

struct tally {
	int ok, miss, record, none;
	GPtrArray *notes; /* char *, "[1] D0 latency_max: ..." */
};

/* Half the interval as a share of the number; empty for one exact number. */
static char *precision(const struct eh_point *p, const struct eh_expect *e)
{
	const struct eh_metric *m = eh_point_find(p, e->metric);

	if (!m || m->null_why || !(m->lo < m->hi))
		return NULL;
	if (!isfinite(m->hi - m->lo) || !(m->mean > 0))
		return g_strdup("unknown");
	return g_strdup_printf("±%.1f %%", 100 * eh_metric_half(m) / m->mean);
}

static void verdict_cells(struct layout_table *t, const struct eh_expect *e, struct tally *tally)
{
	if (e->note) {
		char *label = scale_label(e->metric);

		tally->none++;
		g_ptr_array_add(tally->notes, g_strdup(e->row ? e->row : ""));
		g_ptr_array_add(tally->notes, label);
		g_ptr_array_add(tally->notes, g_strdup(e->note));
		layout_cell(t, g_strdup_printf("- [%u]", tally->notes->len / 3));
	} else if (e->within <= 0) {
		tally->record++;
		layout_cell(t, g_strdup("record"));
	} else if (e->holds) {
		tally->ok++;
		layout_cell(t, g_strdup("ok"));
	} else {
		tally->miss++;
		layout_cell_styled(t, LAYOUT_RED, g_strdup("MISS"));
	}
	layout_cell(t, g_strdup(e->fitted ? "fitted" : "predicted"));
}

static void expect_row(struct layout_table *t, const struct eh_result *r, const struct eh_point *p,
		       const struct eh_expect *e, struct tally *tally)
{
	struct scale scale = scale_pick(e->metric, e->published);

	layout_cell(t, g_strdup(e->row));
	layout_cell(t, r->points->len > 1 ? name_short(p, POINT_NAME) : NULL);
	layout_cell(t, scale_label(e->metric));
	layout_cell(t, scale_print(&scale, e->published));
	layout_cell(t, scale_print(&scale, e->simulated));
	layout_cell(t, g_strdup(scale.unit));
	layout_cell(t, precision(p, e));
	layout_cell(t, isfinite(e->ratio) ? g_strdup_printf("%.2f", e->ratio) : g_strdup("-"));
	layout_cell(t, e->within > 0 ? g_strdup_printf("±%.3g %%", 100 * e->within) : NULL);
	verdict_cells(t, e, tally);
}

static void print_tally(const struct tally *tally, const struct eh_report_options *o, GString *out)
{
	guint i;

	g_string_append_printf(out, "  %d ok, ", tally->ok);
	if (tally->miss) {
		char *text = g_strdup_printf("%d MISS", tally->miss);

		layout_styled(out, o, LAYOUT_RED, text);
		g_free(text);
	} else {
		g_string_append(out, "0 MISS");
	}
	g_string_append_printf(out, ", %d for the record, %d not comparable\n", tally->record,
			       tally->none);
	for (i = 0; i + 2 < tally->notes->len; i += 3) {
		const char *row = g_ptr_array_index(tally->notes, i);
		char *first = g_strdup_printf("  [%u] ", i / 3 + 1);
		char *text = g_strdup_printf("%s%s%s: %s", row, *row ? " " : "",
					     (char *)g_ptr_array_index(tally->notes, i + 1),
					     (char *)g_ptr_array_index(tally->notes, i + 2));

		layout_wrap(out, first, text);
		g_free(first);
		g_free(text);
	}
}

static void head(struct layout_table *t, const struct eh_result *r, bool intervals)
{
	layout_cell(t, g_strdup("row"));
	layout_cell(t, r->points->len > 1 ? g_strdup("point") : NULL);
	layout_cell(t, g_strdup("metric"));
	layout_cell(t, g_strdup("published"));
	layout_cell(t, g_strdup("simulated"));
	layout_cell(t, NULL);
	layout_cell(t, intervals ? g_strdup("95 %") : NULL);
	layout_cell(t, g_strdup("ratio"));
	layout_cell(t, g_strdup("allowed"));
	layout_cell(t, g_strdup("verdict"));
	layout_cell(t, g_strdup("number"));
}

void compare_published(const struct eh_result *r, const struct eh_report_options *o, GString *out)
{
	struct tally tally = {0, 0, 0, 0, g_ptr_array_new_with_free_func(g_free)};
	struct layout_table *t = layout_table_new("lllrrlrrrll");
	bool any = false, intervals = false;
	guint i, k;

	for (i = 0; i < r->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(r->points, i);

		for (k = 0; k < p->expect->len; k++) {
			char *half = precision(p, g_ptr_array_index(p->expect, k));

			any = true;
			intervals |= half != NULL;
			g_free(half);
		}
	}
	head(t, r, intervals);
	for (i = 0; i < r->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(r->points, i);

		for (k = 0; k < p->expect->len; k++)
			expect_row(t, r, p, g_ptr_array_index(p->expect, k), &tally);
	}
	if (any) {
		layout_heading(out, o, "published against simulated");
		layout_table_print(t, o, out);
		print_tally(&tally, o, out);
		g_string_append_c(out, '\n');
	} else {
		layout_table_free(t);
	}
	g_ptr_array_unref(tally.notes);
}
