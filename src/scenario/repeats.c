/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/scenario.h>
#include <ehsim/stats.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define CONFIDENCE 0.95

bool eh_point_has_numbers(const struct eh_point *p)
{
	return p->status == EH_DONE || p->status == EH_IMPRECISE;
}

/* Repeats that ran to their end, all if none did; the array only is new. */
static GPtrArray *whole_ones(const struct eh_point *p)
{
	GPtrArray *whole = g_ptr_array_new();

	for (guint i = 0; i < p->repeats->len; i++)
		if (eh_point_has_numbers(p->repeats->pdata[i]))
			g_ptr_array_add(whole, p->repeats->pdata[i]);
	for (guint i = 0; !whole->len && i < p->repeats->len; i++)
		g_ptr_array_add(whole, p->repeats->pdata[i]);
	return whole;
}

static void merge_metric(struct eh_point *p, const GPtrArray *runs, const struct eh_metric *model)
{
	double *x = g_new0(double, runs->len);
	struct eh_interval i;
	const char *why = NULL;
	guint n = 0;

	for (guint k = 0; k < runs->len; k++) {
		const struct eh_metric *m = eh_point_find(runs->pdata[k], model->name);

		if (m && !m->null_why)
			x[n++] = m->mean;
		else if (m)
			why = m->null_why;
	}
	if (n == runs->len) {
		i = eh_mean_interval(x, (int)n, CONFIDENCE);
		eh_point_metric(p, model->name, i.mean, i.lo, i.hi);
		for (guint k = 0; k < n; k++)
			x[k] -= i.mean;
		eh_point_metric_dev(p, model->name, x, (int)n, false);
	} else {
		eh_point_metric_null(p, model->name, !n && why ? why : "not every repeat has this number");
	}
	g_free(x);
}

static void merge_metrics(struct eh_point *p, const GPtrArray *runs)
{
	for (guint k = 0; k < runs->len; k++) {
		const struct eh_point *run = runs->pdata[k];

		for (guint i = 0; i < run->metrics->len; i++) {
			const struct eh_metric *m = run->metrics->pdata[i];

			if (!eh_point_find(p, m->name))
				merge_metric(p, runs, m);
		}
	}
}

static struct eh_profile_row *find_row(const GPtrArray *rows, const char *symbol)
{
	for (guint i = 0; i < rows->len; i++) {
		struct eh_profile_row *row = rows->pdata[i];

		if (!strcmp(row->symbol, symbol))
			return row;
	}
	return NULL;
}

static int larger_first(gconstpointer a, gconstpointer b)
{
	const struct eh_profile_row *x = *(struct eh_profile_row *const *)a;
	const struct eh_profile_row *y = *(struct eh_profile_row *const *)b;

	return x->share != y->share ? (x->share < y->share ? 1 : -1) : strcmp(x->symbol, y->symbol);
}

static void merge_profile(GPtrArray *into, const GPtrArray *rows, guint runs)
{
	for (guint i = 0; i < rows->len; i++) {
		const struct eh_profile_row *row = rows->pdata[i];
		struct eh_profile_row *sum = find_row(into, row->symbol);

		if (!sum) {
			eh_profile_add(into, row->symbol, 0, row->user);
			sum = into->pdata[into->len - 1];
		}
		sum->share += row->share / runs;
	}
}

static void swap(GPtrArray **a, GPtrArray **b)
{
	GPtrArray *c = *a;

	*a = *b;
	*b = c;
}

/* What cannot be averaged is the first one's, moved up to the point. */
static void take_first(struct eh_point *p, struct eh_point *first)
{
	GArray *slices, *holds;

	swap(&p->spreads, &first->spreads);
	swap(&p->courses, &first->courses);
	for (int h = 0; h < 2; h++) {
		swap(&p->locks[h], &first->locks[h]);
		swap(&p->lines[h], &first->lines[h]);
		swap(&p->slabs[h], &first->slabs[h]);
		swap(&p->where[h], &first->where[h]);
		p->where_busy[h] = first->where_busy[h];
		p->rcu[h] = first->rcu[h];
	}
	p->where_ports = first->where_ports;
	p->where_operations = first->where_operations;
	slices = p->slices;
	p->slices = first->slices;
	first->slices = slices;
	holds = p->holds;
	p->holds = first->holds;
	first->holds = holds;
	swap(&p->hold_names, &first->hold_names);
	p->trace_from = first->trace_from;
	p->trace_until = first->trace_until;
	p->one_host = first->one_host;
	p->warmup = first->warmup;
}

/* The worst, and who had it. */
static void merge_status(struct eh_point *p)
{
	const struct eh_point *worst = NULL;
	guint n = 0;

	for (guint i = 0; i < p->repeats->len; i++) {
		const struct eh_point *run = p->repeats->pdata[i];

		if (!worst || run->status > worst->status)
			worst = run;
	}
	p->status = worst->status;
	for (guint i = 0; i < p->repeats->len; i++)
		n += ((struct eh_point *)p->repeats->pdata[i])->status == p->status;
	if (p->status != EH_DONE)
		p->status_text = g_strdup_printf("%u of %u repeats, number %d: %s", n, p->repeats->len,
						 worst->repeat,
						 worst->status_text ? worst->status_text : "not complete");
}

static void say_start(struct eh_point *p)
{
	const struct eh_point *first = p->repeats->pdata[0];
	const struct eh_point *last = p->repeats->pdata[p->repeats->len - 1];

	p->start_text = g_strdup_printf("%s (the first repeat); %u repeats, seeds %" PRIu64 " to %" PRIu64
					": means, with Student-t intervals over the repeats",
					first->start_text ? first->start_text : "start: none",
					p->repeats->len, first->seed, last->seed);
}

void eh_point_merge(struct eh_point *p)
{
	GPtrArray *runs = whole_ones(p);

	if (!p->repeats->len) {
		g_ptr_array_unref(runs);
		return;
	}
	say_start(p);
	merge_status(p);
	merge_metrics(p, runs);
	take_first(p, p->repeats->pdata[0]);
	for (guint i = 0; i < runs->len; i++) {
		const struct eh_point *run = runs->pdata[i];

		merge_profile(p->client, run->client, runs->len);
		merge_profile(p->server, run->server, runs->len);
	}
	g_ptr_array_sort(p->client, larger_first);
	g_ptr_array_sort(p->server, larger_first);
	for (guint i = 0; i < p->repeats->len; i++) {
		const struct eh_point *run = p->repeats->pdata[i];

		p->fingerprint = p->fingerprint * UINT64_C(0x100000001b3) ^ run->fingerprint;
		p->simulated += run->simulated;
		p->queues += run->queues;
		p->sampled |= run->sampled;
		p->stretches += run->stretches;
		p->in_detail += run->in_detail / p->repeats->len;
		p->candidates += run->candidates;
		p->line_accesses += run->line_accesses;
		p->events += run->events;
	}
	g_ptr_array_unref(runs);
}

void eh_repeats_precise(struct eh_point *p, const struct eh_values *v)
{
	const struct eh_run_config *c = &v->run;
	const struct eh_metric *m = eh_point_find(p, c->until_metric);
	double half;

	if (!m && p->one_host && !strcmp(c->until_metric, "throughput_per_s"))
		m = eh_point_find(p, "ops_per_s");
	/* a warm-up without an end is no matter of precision */
	if (!eh_point_has_numbers(p) || (p->status == EH_IMPRECISE && c->warmup_end != EH_WARMUP_FIXED))
		return;
	if (c->start != EH_START_STEADY || c->until_within <= 0 || !m || m->null_why || m->mean <= 0)
		return;
	half = eh_metric_half(m) / m->mean;
	if (!isfinite(half))
		return;
	g_clear_pointer(&p->status_text, g_free);
	p->status = half <= c->until_within ? EH_DONE : EH_IMPRECISE;
	if (p->status == EH_IMPRECISE)
		p->status_text = g_strdup_printf("from repeat to repeat %s is known within %.2f %% only, not "
						 "the %.2f %% asked for: more repeats, or longer ones",
						 m->name, 100 * half, 100 * c->until_within);
}
