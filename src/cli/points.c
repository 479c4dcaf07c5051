/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "points.h"
#include "progress.h"
#include <math.h>
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

static void run_point(const struct eh_scenario *s, struct eh_meter *meter, int points,
		      struct eh_point *p)
{
	gint64 began = g_get_monotonic_time();
	struct eh_values v;

	eh_scenario_point(s, p->index - 1, &v, p->set);
	p->seed = (uint64_t)v.run.seed;
	eh_meter_start(meter, p->index, points, p->set);
	eh_run_point(&v, p->seed, on_progress, meter, p);
	eh_meter_end(meter);
	p->wall_s = (double)(g_get_monotonic_time() - began) / G_USEC_PER_SEC;
	eh_values_clear(&v);
}

/* Of a laboratory kind: operations. NULL: none. */
static const struct eh_metric *throughput(const struct eh_point *p)
{
	return eh_point_find(p, p->one_host ? "ops_per_s" : "throughput_per_s");
}

static bool has_numbers(const struct eh_point *p)
{
	return p->status == EH_DONE || p->status == EH_IMPRECISE;
}

/*
 * Throughput against the first point. The relative half widths add as for independent numbers,
 * which is on the safe side: points share their random streams.
 */
static void add_ratio(const struct eh_result *r, struct eh_point *p)
{
	const struct eh_point *first = g_ptr_array_index(r->points, 0);
	const struct eh_metric *a = throughput(first), *b = throughput(p);
	double value, half;

	if (first->index != 1 || !has_numbers(first)) {
		eh_point_metric_null(p, ratio, "the first point of the sweep was not run");
		return;
	}
	if (!a || a->null_why || a->mean <= 0 || !b || b->null_why) {
		eh_point_metric_null(p, ratio, "one of the two points has no throughput");
		return;
	}
	value = b->mean / a->mean;
	half = value * hypot((a->hi - a->lo) / (2 * a->mean),
			     b->mean > 0 ? (b->hi - b->lo) / (2 * b->mean) : 0);
	eh_point_metric(p, ratio, value, value - half, value + half);
}

/* The rows that may speak of a point: the first one has nothing to be a ratio of. */
static GPtrArray *rows_for(const GPtrArray *expect, const struct eh_point *p)
{
	GPtrArray *rows = g_ptr_array_new();

	for (guint i = 0; i < expect->len; i++) {
		const struct eh_expect_row *row = expect->pdata[i];

		if (p->index > 1 || strcmp(row->metric, ratio))
			g_ptr_array_add(rows, expect->pdata[i]);
	}
	return rows;
}

static void compare(const struct eh_scenario *s, struct eh_result *r)
{
	for (guint i = 0; i < r->points->len; i++) {
		struct eh_point *p = r->points->pdata[i];
		struct eh_values v;
		GPtrArray *rows;

		if (!has_numbers(p))
			continue;
		if (p->index > 1)
			add_ratio(r, p);
		rows = rows_for(eh_scenario_expect(s), p);
		eh_scenario_point(s, p->index - 1, &v, NULL);
		eh_point_expect(p, &v, rows);
		eh_values_clear(&v);
		g_ptr_array_unref(rows);
	}
}

int eh_cli_points(const struct eh_options *o, const struct eh_scenario *s, struct eh_result *r)
{
	int points = eh_scenario_points(s);
	struct eh_meter meter;

	watch_signal(SIGINT);
	watch_signal(SIGTERM);
	eh_meter_init(&meter, o->progress, o->quiet);
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
		if (caught) {
			p->status = EH_INTERRUPTED;
			p->status_text = g_strdup("interrupted before it began");
		} else {
			run_point(s, &meter, points, p);
		}
		say_point(o, p, points);
		if (caught && p->status == EH_INTERRUPTED)
			break;
	}
	compare(s, r);
	return caught;
}
