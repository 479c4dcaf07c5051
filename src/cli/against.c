/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "points.h"
#include <string.h>

static const char ratio[] = "throughput_ratio";

static const struct eh_point *find(const struct eh_result *r, int index)
{
	for (guint i = 0; i < r->points->len; i++) {
		const struct eh_point *p = r->points->pdata[i];

		if (p->index == index)
			return p;
	}
	return NULL;
}

/* Throughput, or of a laboratory kind operations, against the baseline. */
static void add_ratio(const struct eh_result *r, struct eh_point *p)
{
	const struct eh_point *base = find(r, p->baseline);
	const struct eh_change *c = eh_point_change(p, p->one_host ? "ops_per_s" : "throughput_per_s");

	if (!base || !eh_point_has_numbers(base))
		eh_point_metric_null(p, ratio, p->baseline == 1 ?
				     "the first point of the sweep was not run" :
				     "the point it is compared with was not run");
	else if (!c)
		eh_point_metric_null(p, ratio, "one of the two points has no throughput");
	else if (c->how == EH_NO_INTERVAL)
		eh_point_metric(p, ratio, c->ratio, c->ratio, c->ratio);
	else
		eh_point_metric(p, ratio, c->ratio, c->lo, c->hi);
}

/*
 * The rows that may speak of a point: a baseline has nothing to be a ratio of, and published ratios are
 * against the first point.
 */
static GPtrArray *rows_for(const GPtrArray *expect, const struct eh_point *p)
{
	bool has_ratio = p->index > 1 && p->baseline == 1;
	GPtrArray *rows = g_ptr_array_new();

	for (guint i = 0; i < expect->len; i++) {
		const struct eh_expect_row *row = expect->pdata[i];

		if (has_ratio || strcmp(row->metric, ratio))
			g_ptr_array_add(rows, expect->pdata[i]);
	}
	return rows;
}

static void expect(const struct eh_scenario *s, struct eh_point *p)
{
	GPtrArray *rows = rows_for(eh_scenario_expect(s), p);
	struct eh_values v;

	eh_scenario_point(s, p->index - 1, &v, NULL);
	eh_point_expect(p, &v, rows);
	eh_values_clear(&v);
	g_ptr_array_unref(rows);
}

static void compare_all(struct eh_result *r)
{
	for (guint i = 0; i < r->points->len; i++) {
		struct eh_point *p = r->points->pdata[i];
		const struct eh_point *base = find(r, p->baseline);

		if (base && base != p)
			eh_point_compare(p, base);
	}
}

/* The ratio is a metric that may be expected; a change knows what is expected of both. */
void eh_cli_compare(const struct eh_scenario *s, struct eh_result *r)
{
	compare_all(r);
	for (guint i = 0; i < r->points->len; i++) {
		struct eh_point *p = r->points->pdata[i];

		if (!eh_point_has_numbers(p))
			continue;
		if (p->index != p->baseline)
			add_ratio(r, p);
		expect(s, p);
	}
	compare_all(r);
}
