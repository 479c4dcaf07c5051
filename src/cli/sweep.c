/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep.h"
#include "memory.h"
#include "record.h"

enum { COURSES = 8 }; /* points of a sweep up to which a page has what changes over time */

bool eh_cli_selected(const struct eh_options *o, int point)
{
	if (o->point)
		return point == o->point;
	return !o->slices || (point - 1) % o->slices == o->slice - 1;
}

static void copy_set(struct eh_point *to, const struct eh_point *from)
{
	for (guint i = 0; i < from->set->len; i++) {
		const struct eh_pair *pair = from->set->pdata[i];

		eh_pair_add(to->set, pair->key, "%s", pair->value);
	}
}

/* The k-th repeat; the point shows tables and trace of its first. */
static struct eh_point *new_repeat(const struct eh_point *p, const struct eh_values *v, int k)
{
	struct eh_point *run = eh_point_new(p->index);

	copy_set(run, p);
	run->repeat = k + 1;
	run->seed = eh_repeat_seed(v, k);
	run->with_locks = p->with_locks && !k;
	run->with_lines = p->with_lines && !k;
	run->with_rcu = p->with_rcu && !k;
	run->with_slabs = p->with_slabs && !k;
	run->with_courses = p->with_courses && !k;
	run->with_where = p->with_where && !k;
	run->trace_start = p->trace_start;
	run->trace_length = k ? 0 : p->trace_length;
	return run;
}

static struct eh_sweep_point *new_point(const struct eh_options *o, const struct eh_scenario *s, int index)
{
	struct eh_sweep_point *sp = g_new0(struct eh_sweep_point, 1);
	struct eh_point *p = sp->p = eh_point_new(index);
	bool all = o->report && !o->merge->len; /* a page shows every table; records have those they have */
	struct eh_values v;

	p->with_locks = o->locks || all;
	p->with_lines = o->lines || all;
	p->with_rcu = o->rcu || all;
	p->with_slabs = o->slabs || all;
	p->with_courses = o->courses || (all && eh_scenario_points(s) <= COURSES);
	p->with_where = o->where || all;
	p->trace_start = o->trace_start;
	p->trace_length = o->trace_length;
	eh_scenario_point(s, index - 1, &v, p->set);
	p->seed = (uint64_t)v.run.seed;
	sp->n = (int)v.run.repeat;
	sp->runs = g_new0(struct eh_task_run, sp->n);
	sp->keys = g_new0(char *, sp->n + 1);
	for (int k = 0; k < sp->n; k++) {
		struct eh_task_run *t = &sp->runs[k];

		t->run = sp->n > 1 ? new_repeat(p, &v, k) : p;
		t->memory = eh_memory_of_run(&v, t->run->trace_length);
		sp->keys[k] = eh_run_key(t->run, &v);
	}
	eh_values_clear(&v);
	return sp;
}

static void sweep_point_free(void *data)
{
	struct eh_sweep_point *sp = data;

	for (int k = 0; sp->n > 1 && k < sp->n; k++)
		eh_point_free(sp->runs[k].run); /* those that no point took */
	g_strfreev(sp->keys);
	g_free(sp->runs);
	g_free(sp);
}

GPtrArray *eh_sweep_points(const struct eh_options *o, const struct eh_scenario *s, const int *baselines,
			   struct eh_result *r)
{
	GPtrArray *points = g_ptr_array_new_with_free_func(sweep_point_free);

	for (int i = 1; i <= eh_scenario_points(s); i++) {
		struct eh_sweep_point *sp;

		if (!eh_cli_selected(o, i))
			continue;
		sp = new_point(o, s, i);
		sp->p->baseline = baselines[i - 1];
		g_ptr_array_add(points, sp);
		g_ptr_array_add(r->points, sp->p);
	}
	return points;
}

/* Repeats behind one that came to no end are left out, however many of them were made. */
static void take_repeats(struct eh_sweep_point *sp, bool stopped)
{
	for (int k = 0; k < sp->n; k++) {
		struct eh_task_run *t = &sp->runs[k];

		if (!t->ended && !stopped)
			break;
		if (!t->ended) {
			t->run->status = EH_INTERRUPTED;
			t->run->status_text = g_strdup("interrupted before it began");
		}
		g_ptr_array_add(sp->p->repeats, t->run);
		sp->p->wall_s += t->run->wall_s;
		if (t->run->status == EH_FAILED || t->run->status == EH_INTERRUPTED) {
			t->run = NULL;
			break;
		}
		t->run = NULL;
	}
}

bool eh_sweep_settle(struct eh_sweep_point *sp, const struct eh_scenario *s, bool stopped)
{
	struct eh_values v;
	bool any = false;

	sp->settled = true;
	for (int k = 0; k < sp->n; k++)
		any |= sp->runs[k].ended;
	if (!any || sp->n == 1)
		return any;
	take_repeats(sp, stopped);
	if (!sp->p->repeats->len)
		return false;
	eh_scenario_point(s, sp->p->index - 1, &v, NULL);
	eh_point_merge(sp->p);
	eh_repeats_precise(sp->p, &v);
	eh_values_clear(&v);
	return true;
}

void eh_sweep_drop(struct eh_sweep_point *sp, struct eh_result *r)
{
	if (sp->n == 1)
		sp->runs[0].run = NULL;
	g_ptr_array_remove(r->points, sp->p);
	sp->p = NULL;
}

char *eh_sweep_numbers(const GArray *numbers)
{
	GString *out = g_string_new(NULL);

	for (guint i = 0; i < numbers->len; i++) {
		int first = g_array_index(numbers, int, i), last = first;

		while (i + 1 < numbers->len && g_array_index(numbers, int, i + 1) == last + 1) {
			last++;
			i++;
		}
		g_string_append_printf(out, "%s%d", out->len ? ", " : "", first);
		if (last > first)
			g_string_append_printf(out, "-%d", last);
	}
	return g_string_free(out, FALSE);
}
