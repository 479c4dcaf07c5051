/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include <math.h>
#include <string.h>

const char *const eh_until_lab_words[] = {"ops_per_s",	      "ns_per_op",
					  "ns_per_section",   "one_way_ns",
					  "lock_wait_mean_s", "lock_contended_share",
					  "transfers_per_op", "bind_ns",
					  NULL};

GArray *eh_lab_counts(const struct eh_lab *lab)
{
	GArray *counts = g_array_new(FALSE, FALSE, sizeof(uint64_t));

	for (int i = 0; i < eh_lab_threads(lab); i++) {
		uint64_t n = eh_lab_operations(lab, i);

		g_array_append_val(counts, n);
	}
	return counts;
}

bool eh_batches_lab_sums(const struct eh_batches *b, const char *metric, const GArray **of,
			 const GArray **per, double *factor)
{
	*factor = 1;
	*per = b->operations;
	if (!strcmp(metric, "ops_per_s") || !strcmp(metric, "throughput_per_s")) {
		*of = b->operations;
		*per = b->length;
	} else if (!strcmp(metric, "ns_per_op") || !strcmp(metric, "one_way_ns")) {
		*of = b->thread_ns;
		*factor = 1.0 / b->threads;
	} else if (!strcmp(metric, "ns_per_section")) {
		*of = b->thread_ns;
	} else if (!strcmp(metric, "bind_ns")) {
		*of = b->bind_ns;
		*per = b->binds;
	} else if (!strcmp(metric, "alloc_ns")) {
		*of = b->alloc_ns;
		*per = b->allocs;
	} else if (!strcmp(metric, "free_ns")) {
		*of = b->free_ns;
		*per = b->frees;
	} else if (!strcmp(metric, "transfers_per_op")) {
		*of = b->transfers;
	} else if (!strcmp(metric, "lock_wait_mean_s")) {
		*of = b->waited;
		*per = b->acquisitions;
	} else if (!strcmp(metric, "lock_contended_share")) {
		*of = b->contentions;
		*per = b->acquisitions;
	} else {
		return false;
	}
	return true;
}

bool eh_batches_lab_metric(const struct eh_batches *b, const char *metric, struct eh_interval *i)
{
	const GArray *of, *per;
	double factor;

	if (!eh_batches_lab_sums(b, metric, &of, &per, &factor))
		return false;
	*i = eh_batches_ratio(of, per);
	i->mean *= factor;
	i->lo *= factor;
	i->hi *= factor;
	return true;
}

static void put(struct eh_point *p, const struct eh_batches *b, const char *metric)
{
	const GArray *of, *per;
	double factor;

	if (eh_batches_lab_sums(b, metric, &of, &per, &factor))
		eh_measure_ratio(p, metric, of, per, factor);
}

static void put_fairness(struct eh_point *p, const struct eh_lab *lab, const GArray *before)
{
	uint64_t fewest = UINT64_MAX, most = 0;

	for (guint i = 0; i < before->len; i++) {
		uint64_t n = eh_lab_operations(lab, (int)i) - g_array_index(before, uint64_t, i);

		fewest = MIN(fewest, n);
		most = MAX(most, n);
	}
	if (most) {
		double fairness = (double)fewest / (double)most;

		eh_point_metric(p, "fairness", fairness, fairness, fairness);
	}
}

static bool any(const GArray *a)
{
	for (guint i = 0; i < a->len; i++)
		if (g_array_index(a, double, i) > 0)
			return true;
	return false;
}

/* Of slab: what one allocation, one free, and both take, in the clock's cycles, too. */
static void put_memory(struct eh_point *p, const struct eh_values *v, const struct eh_batches *b)
{
	double cycles = (double)v->machine.clock_hz * (double)EH_NS / (double)EH_SEC;
	GArray *both = g_array_new(FALSE, FALSE, sizeof(double));

	if (any(b->allocs)) {
		put(p, b, "alloc_ns");
		eh_measure_ratio(p, "alloc_cycles", b->alloc_ns, b->allocs, cycles);
	}
	if (any(b->frees)) {
		put(p, b, "free_ns");
		eh_measure_ratio(p, "free_cycles", b->free_ns, b->frees, cycles);
		for (guint i = 0; i < b->frees->len; i++) {
			double ns = g_array_index(b->alloc_ns, double, i) +
				    g_array_index(b->free_ns, double, i);

			g_array_append_val(both, ns);
		}
		eh_measure_ratio(p, "object_cycles", both, b->frees, cycles);
	}
	g_array_unref(both);
}

/* What the kind itself counts, of what there was in the window. */
static void put_ratios(struct eh_point *p, const struct eh_values *v, const struct eh_batches *b)
{
	const struct eh_lab_ratio *r = eh_workload_kinds[v->workload.kind].lab->ratios;
	double cycles = (double)v->machine.clock_hz * (double)EH_NS / (double)EH_SEC;

	for (; r && r->metric; r++)
		if (any(b->count[r->per]) && (!r->if_any || any(b->count[r->of])))
			eh_measure_ratio(p, r->metric, b->count[r->of], b->count[r->per],
					 g_str_has_suffix(r->metric, "_cycles") ?
						 r->factor * cycles : r->factor);
}

void eh_measure_lab(struct eh_point *p, const struct eh_values *v, const struct eh_lab *lab,
		    const struct eh_batches *b, const GArray *before)
{
	put_memory(p, v, b);
	put_ratios(p, v, b);
	put(p, b, "ops_per_s");
	if (!any(b->operations)) {
		eh_point_metric_null(p, "ns_per_op", "no operation was counted");
		eh_point_metric_null(p, "ns_per_section", "no operation was counted");
		return;
	}
	put(p, b, "ns_per_op");
	put(p, b, "ns_per_section");
	if (v->workload.kind == EH_LAB_LINE && v->workload.line.op == EH_LINE_PING_PONG)
		put(p, b, "one_way_ns");
	if (any(b->binds))
		put(p, b, "bind_ns");
	put_fairness(p, lab, before);
	put(p, b, "transfers_per_op");
	if (any(b->acquisitions)) {
		put(p, b, "lock_wait_mean_s");
		put(p, b, "lock_contended_share");
	}
}
