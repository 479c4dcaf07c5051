/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "points.h"
#include "memory.h"
#include "progress.h"
#include "sweep.h"
#include <ehsim/message.h>
#include <signal.h>
#include <stdio.h>

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

struct sweep {
	const struct eh_options *o;
	const struct eh_scenario *s;
	struct eh_journal *journal;
	struct eh_result *r;
	GPtrArray *points;	   /* struct eh_sweep_point * */
	guint settled;		   /* points before this one are */
	struct eh_task_run *shown; /* whose progress is */
	struct eh_meter meter;
	struct eh_sweep_end end;
};

static void say_point(const struct eh_options *o, const struct eh_point *p, int points)
{
	if (o->quiet)
		return;
	if (p->status != EH_DONE || p->status_text)
		fprintf(stderr, "ehsim: point %d: %s\n", p->index,
			p->status_text ? p->status_text : "not complete");
	if (!o->report && p->trace_until < p->trace_from + p->trace_length)
		fprintf(stderr, "ehsim: point %d: the trace is full (%d slices) after %.6g us\n", p->index,
			EH_TRACE_MOST, (double)(p->trace_until - p->trace_from) / (double)EH_US);
	else if (!o->report && p->trace_length && !p->slices->len)
		fprintf(stderr, "ehsim: point %d: the trace is empty; the run ended before its window\n",
			p->index);
	if (o->verbose)
		fprintf(stderr, "ehsim: point %d/%d took %.1f s\n", p->index, points, p->wall_s);
}

static bool complete(const struct eh_sweep_point *sp)
{
	for (int k = 0; k < sp->n; k++) {
		if (!sp->runs[k].ended)
			return false;
		if (sp->runs[k].run->status == EH_FAILED)
			return true; /* the repeats behind it do not matter */
	}
	return true;
}

/* Points in their order, as far as they are complete. */
static void settle(struct sweep *w, bool all)
{
	int points = eh_scenario_points(w->s);

	while (w->settled < w->points->len) {
		struct eh_sweep_point *sp = w->points->pdata[w->settled];

		if (!all && !complete(sp))
			return;
		w->settled++;
		if (!eh_sweep_settle(sp, w->s, caught != 0)) {
			w->end.missing++;
			eh_sweep_drop(sp, w->r);
			continue;
		}
		w->end.missing += sp->p->status == EH_INTERRUPTED;
		eh_meter_done(&w->meter, sp->p);
		say_point(w->o, sp->p, points);
	}
}

static struct eh_sweep_point *point_of(const struct sweep *w, const struct eh_task_run *t, int *repeat)
{
	*repeat = 0;
	for (guint i = 0; i < w->points->len; i++) {
		struct eh_sweep_point *sp = w->points->pdata[i];

		if (t >= sp->runs && t < sp->runs + sp->n) {
			*repeat = (int)(t - sp->runs);
			return sp;
		}
	}
	return NULL;
}

static void show(struct sweep *w, struct eh_task_run *t)
{
	int k;
	struct eh_sweep_point *sp = point_of(w, t, &k);

	w->shown = t;
	eh_meter_start(&w->meter, sp->p->index, eh_scenario_points(w->s), sp->p->set);
	if (sp->n > 1) {
		w->meter.repeat = k + 1;
		w->meter.repeats = sp->n;
	}
}

/* A repeat behind one that failed is not made. */
static bool wanted(struct eh_task_run *t, void *arg)
{
	struct sweep *w = arg;
	int k;
	struct eh_sweep_point *sp = point_of(w, t, &k);

	for (int i = 0; i < k && !sp->settled; i++)
		if (sp->runs[i].ended && sp->runs[i].run->status == EH_FAILED)
			return false;
	return !sp->settled;
}

static void begun(struct eh_task_run *t, void *arg)
{
	struct sweep *w = arg;

	if (!w->shown)
		show(w, t);
}

static void progress(struct eh_task_run *t, const struct eh_progress *p, void *arg)
{
	struct sweep *w = arg;

	if (!w->shown)
		show(w, t);
	if (w->shown == t)
		eh_meter_show(&w->meter, p);
}

/* Kept at once, unless it says nothing about the run itself: it was interrupted, or its process lost. */
static bool keep(struct sweep *w, struct eh_task_run *t)
{
	int k;
	struct eh_sweep_point *sp = point_of(w, t, &k);

	if (!w->journal || t->lost || t->run->status == EH_INTERRUPTED || w->end.faulty)
		return true;
	if (!eh_journal_put(w->journal, sp->keys[k], t->run)) {
		w->end.faulty = true;
		return false;
	}
	return true;
}

static bool done(struct eh_task_run *t, void *arg)
{
	struct sweep *w = arg;
	bool go_on;

	if (w->shown == t) {
		eh_meter_end(&w->meter);
		w->shown = NULL;
	}
	go_on = keep(w, t);
	w->end.lost += t->lost;
	settle(w, false);
	return go_on;
}

static void work(struct eh_point *run, eh_progress_fn fn, void *fn_arg, void *arg)
{
	const struct sweep *w = arg;
	gint64 began = g_get_monotonic_time();
	struct eh_values v;

	eh_scenario_point(w->s, run->index - 1, &v, NULL);
	eh_run_point(&v, run->seed, fn, fn_arg, run);
	run->wall_s = (double)(g_get_monotonic_time() - began) / G_USEC_PER_SEC;
	eh_values_clear(&v);
}

static bool show_here(const struct eh_progress *p, void *arg)
{
	eh_meter_show(arg, p);
	return !caught;
}

static void run_here(struct sweep *w, struct eh_task_run *t)
{
	show(w, t);
	work(t->run, show_here, &w->meter, w);
	t->begun = t->ended = true;
	done(t, w);
}

/* What is already there; the rest, in order. */
static GPtrArray *find_runs(struct sweep *w)
{
	GPtrArray *rest = g_ptr_array_new();
	int found = 0;

	for (guint i = 0; i < w->points->len; i++) {
		struct eh_sweep_point *sp = w->points->pdata[i];

		for (int k = 0; k < sp->n; k++) {
			enum eh_found how = EH_ABSENT;
			char *bad = NULL;

			if (w->journal)
				how = eh_journal_find(w->journal, sp->keys[k], sp->runs[k].run, &bad);
			if (how == EH_BROKEN)
				eh_say(stderr, "ehsim: %s; it is made again", bad);
			sp->runs[k].ended = how == EH_FOUND;
			found += how == EH_FOUND;
			if (how != EH_FOUND)
				g_ptr_array_add(rest, &sp->runs[k]);
			g_free(bad);
		}
	}
	if (found && !w->o->quiet)
		eh_say(stderr, "ehsim: %d of %u runs are in %s already", found, rest->len + (guint)found,
		       eh_journal_path(w->journal));
	return rest;
}

/* How much the runs may take together; 0 and a message if one alone is too large. */
static uint64_t memory_for(const struct sweep *w, const GPtrArray *runs, int jobs)
{
	uint64_t all = w->o->memory ? (uint64_t)w->o->memory : eh_memory_available(), limit = eh_memory_limit();
	uint64_t most = 0;
	int point = 0;
	char *need, *have;

	for (guint i = 0; i < runs->len; i++) {
		const struct eh_task_run *t = runs->pdata[i];

		if (t->memory > most) {
			most = t->memory;
			point = t->run->index;
		}
	}
	need = eh_memory_text(most);
	have = eh_memory_text(MIN(all, limit));
	if (most > all || (most > limit && !w->o->memory)) {
		eh_say(stderr, "ehsim: point %d needs up to %s of memory, and there are %s; nothing was "
			       "simulated (--memory=SIZE if you know better)",
		       point, need, have);
		all = 0;
	} else if (most * (uint64_t)MIN(jobs, (int)runs->len) > all && !w->o->quiet) {
		eh_say(stderr, "ehsim: a run needs up to %s of memory, and there are %s: not all of %d jobs run at "
			       "a time",
		       need, have, jobs);
	}
	g_free(need);
	g_free(have);
	return all;
}

static void make_runs(struct sweep *w)
{
	GPtrArray *runs = find_runs(w);
	int jobs = w->o->jobs ? w->o->jobs : eh_jobs_cpus(), all = 0;
	uint64_t memory = runs->len ? memory_for(w, runs, jobs) : 1;

	for (guint i = 0; i < w->points->len; i++)
		all += ((struct eh_sweep_point *)w->points->pdata[i])->n;
	w->meter.jobs = MIN(jobs, (int)runs->len);
	if (!memory) {
		w->end.refused = true;
	} else if (all == 1 && runs->len == 1) {
		run_here(w, runs->pdata[0]);
	} else {
		struct eh_jobs how = {
			.most = jobs,
			.memory = memory,
			.wanted = wanted,
			.begun = begun,
			.progress = progress,
			.done = done,
			.work = work,
			.arg = w,
			.stop = &caught,
		};

		settle(w, false);
		eh_jobs_run(&how, runs);
	}
	g_ptr_array_unref(runs);
}

struct eh_sweep_end eh_cli_points(const struct eh_options *o, const struct eh_scenario *s,
				  const int *baselines, struct eh_journal *journal, struct eh_result *r)
{
	struct sweep w = {.o = o, .s = s, .journal = journal, .r = r};

	w.points = eh_sweep_points(o, s, baselines, r);
	w.end.points = (int)w.points->len;
	watch_signal(SIGINT);
	watch_signal(SIGTERM);
	watch_signal(SIGHUP);
	eh_meter_init(&w.meter, o->progress, o->quiet, o->status_file, w.end.points);
	make_runs(&w);
	if (!w.end.refused)
		settle(&w, true);
	eh_meter_fini(&w.meter, caught);
	g_ptr_array_unref(w.points);
	w.end.signal = caught;
	eh_cli_compare(s, r);
	return w.end;
}
