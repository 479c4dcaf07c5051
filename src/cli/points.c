/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "points.h"
#include "progress.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char ratio[] = "throughput_ratio";

/* A signal handler has no argument to reach anything else. */
static volatile sig_atomic_t caught;

static void on_signal(int number)
{
	caught = number;
}

/* Not if the caller wants it ignored (a script's background job). */
static void watch_signal(int number)
{
	/* the second time the default action ends the program at once */
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, old;

	if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

static bool on_progress(const struct eh_progress *p, void *arg)
{
	eh_meter_show(arg, p);
	return !caught;
}

static void say_point(const struct eh_options *o, const struct eh_point *p, int points)
{
	if (o->quiet)
		return;
	if (p->status != EH_DONE || p->status_text)
		fprintf(stderr, "ehsim: point %d: %s\n", p->index,
			p->status_text ? p->status_text : "not complete");
	if (p->trace_until < p->trace_from + p->trace_length)
		fprintf(stderr, "ehsim: point %d: the trace is full (%d slices) after %.6g us\n", p->index,
			EH_TRACE_MOST, (double)(p->trace_until - p->trace_from) / (double)EH_US);
	else if (p->trace_length && !p->slices->len)
		fprintf(stderr, "ehsim: point %d: the trace is empty; the run ended before its window\n",
			p->index);
	if (o->verbose)
		fprintf(stderr, "ehsim: point %d/%d took %.1f s\n", p->index, points, p->wall_s);
}

/* One run, as the point itself or as a repeat of it; false if it was interrupted. */
static bool run_once(const struct eh_values *v, struct eh_meter *meter, struct eh_point *p)
{
	gint64 began = g_get_monotonic_time();

	if (caught) {
		p->status = EH_INTERRUPTED;
		p->status_text = g_strdup("interrupted before it began");
		return false;
	}
	eh_run_point(v, p->seed, on_progress, meter, p);
	p->wall_s = (double)(g_get_monotonic_time() - began) / G_USEC_PER_SEC;
	return p->status != EH_INTERRUPTED;
}

static void run_repeats(const struct eh_values *v, struct eh_meter *meter, struct eh_point *p)
{
	for (int k = 0; k < v->run.repeat; k++) {
		struct eh_point *run = eh_point_new(p->index);
		bool go_on;

		for (guint i = 0; i < p->set->len; i++) {
			const struct eh_pair *pair = p->set->pdata[i];

			eh_pair_add(run->set, pair->key, "%s", pair->value);
		}
		run->repeat = k + 1;
		run->seed = eh_repeat_seed(v, k);
		/* the point shows those of its first repeat */
		run->with_locks = p->with_locks && !k;
		run->with_lines = p->with_lines && !k;
		run->trace_start = p->trace_start;
		run->trace_length = k ? 0 : p->trace_length;
		g_ptr_array_add(p->repeats, run);
		meter->repeat = k + 1;
		meter->repeats = (int)v->run.repeat;
		go_on = run_once(v, meter, run);
		p->wall_s += run->wall_s;
		if (!go_on || run->status == EH_FAILED)
			break;
	}
	eh_point_merge(p);
	eh_repeats_precise(p, v);
}

static void run_point(const struct eh_scenario *s, struct eh_meter *meter, int points,
		      struct eh_point *p)
{
	struct eh_values v;

	eh_scenario_point(s, p->index - 1, &v, p->set);
	p->seed = (uint64_t)v.run.seed;
	eh_meter_start(meter, p->index, points, p->set);
	if (v.run.repeat > 1)
		run_repeats(&v, meter, p);
	else
		run_once(&v, meter, p);
	eh_meter_end(meter);
	eh_values_clear(&v);
}

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
static void compare(const struct eh_scenario *s, struct eh_result *r)
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

int eh_cli_points(const struct eh_options *o, const struct eh_scenario *s, const int *baselines,
		  struct eh_result *r)
{
	int points = eh_scenario_points(s);
	struct eh_meter meter;

	watch_signal(SIGINT);
	watch_signal(SIGTERM);
	eh_meter_init(&meter, o->progress, o->quiet, o->status_file, o->point ? 1 : points);
	for (int i = 1; i <= points; i++) {
		struct eh_point *p;

		if (o->point && o->point != i)
			continue;
		p = eh_point_new(i);
		p->with_locks = o->locks;
		p->with_lines = o->lines;
		p->trace_start = o->trace_start;
		p->trace_length = o->trace_length;
		g_ptr_array_add(r->points, p);
		p->baseline = baselines[i - 1];
		run_point(s, &meter, points, p);
		eh_meter_done(&meter, p);
		say_point(o, p, points);
		if (caught && p->status == EH_INTERRUPTED)
			break;
	}
	eh_meter_fini(&meter, caught);
	compare(s, r);
	return caught;
}
