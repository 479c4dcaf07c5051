/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include <math.h>
#include <string.h>

#define LOOK_EVERY (G_USEC_PER_SEC / 4) /* wall time between two calls of the progress function */
#define SLICE (EH_MS / 2)		/* simulated time between two looks at the wall clock */
#define LAB_SLICE (EH_US * 50)		/* ... of loops that do nothing but touch lines */
#define LOOK_SHARE 32 /* the precision is looked at anew when there are this share more batches */
#define LOOKS_PER_BATCH 8 /* at what changes over time, after a slice: where runs are cut shows in the fingerprint */
#define LOOKS 100	  /* ... of a whole run */
#define FIRST_BATCHES 10		/* no precision is claimed on fewer */

struct run {
	const struct eh_values *v;
	struct eh_world w;
	eh_progress_fn progress;
	void *arg;
	gint64 next_look;
	struct eh_progress last;
	bool interrupted;
	struct eh_trace *trace; /* or NULL */
	struct eh_courses *courses; /* likewise */
};

static bool over(const struct run *r)
{
	struct eh_crr_stats st;

	if (r->w.lab)
		return r->interrupted;
	eh_crr_stats(r->w.crr, &st);
	return st.failed || st.finished || r->interrupted;
}

/* Run until `to`, showing progress; false when there is a reason to end. */
static bool run_to(struct run *r, eh_time to)
{
	eh_time slice = r->w.lab ? LAB_SLICE : SLICE;
	while (eh_sim_now(r->w.sim) < to) {
		eh_time now = eh_sim_now(r->w.sim);

		if (r->trace)
			eh_trace_run(r->trace, MIN(to, now + slice));
		else
			eh_sim_run(r->w.sim, MIN(to, now + slice));
		if (r->courses)
			eh_courses_look(r->courses, &r->w);
		if (r->progress && g_get_monotonic_time() >= r->next_look) {
			r->last.simulated = eh_sim_now(r->w.sim);
			r->last.events = eh_sim_events(r->w.sim);
			r->interrupted = !r->progress(&r->last, r->arg);
			r->next_look = g_get_monotonic_time() + LOOK_EVERY;
		}
		if (over(r))
			return false;
	}
	return true;
}

/* Where measuring begins. */
static void trace_begin(struct run *r, struct eh_point *p)
{
	struct eh_machine *m[2];

	if (!p->trace_length)
		return;
	eh_world_machines(&r->w, m);
	p->trace_from = eh_sim_now(r->w.sim) + p->trace_start;
	r->trace = eh_trace_new(m, p->trace_from, p->trace_from + p->trace_length, p->slices);
	eh_holds_begin(&r->w, p->trace_from, p->trace_from + p->trace_length);
}

static void trace_end(struct run *r, struct eh_point *p)
{
	if (r->trace)
		p->trace_until = eh_trace_free(r->trace);
	eh_holds_end(&r->w, p);
	r->trace = NULL;
}

/* What the batches say of the metric so far. */
static void estimate(struct eh_progress *p, const struct eh_batches *b)
{
	struct eh_interval i;

	p->precision = 1;
	p->mean = p->lo = p->hi = 0;
	if (!eh_batches_metric(b, p->metric, &i))
		return;
	p->mean = i.mean;
	p->lo = i.lo;
	p->hi = i.hi;
	if (i.mean > 0 && isfinite(i.hi - i.lo))
		p->precision = (i.hi - i.lo) / 2 / i.mean;
}

/* How neper ends, as it says it, and why. */
static char *failure_text(const struct eh_crr_stats *st)
{
	const char *why = "no local port was free";

	if (strstr(st->failure, "timed out"))
		why = "no answer to a segment and all its retries";
	else if (strstr(st->failure, "refused"))
		why = "a reset answered the SYN";
	else if (strstr(st->failure, "reset"))
		why = "the server reset it (kernel.tcp_abort_on_overflow)";
	return g_strdup_printf("%s, at %.6f s of simulated time: %s (neper ends here)",
			       st->failure, (double)st->failed_at / (double)EH_SEC, why);
}

static void say_status(struct run *r, struct eh_point *p)
{
	struct eh_crr_stats st = {.failed = false};

	if (!r->w.lab)
		eh_crr_stats(r->w.crr, &st);
	if (st.failed) {
		p->status = EH_FAILED;
		p->status_text = failure_text(&st);
	} else if (r->interrupted) {
		p->status = EH_INTERRUPTED;
		p->status_text = g_strdup("interrupted; the numbers are of what was simulated");
	}
}

/* Batches that MSER would cut, of the metric the run waits for; -1 if it has no numbers. */
static int transient(const struct eh_batches *b, const char *metric)
{
	GArray *x = eh_batches_series(b, metric);
	int cut = x ? eh_mser((const double *)(void *)x->data, (int)x->len) : -1;

	g_clear_pointer(&x, g_array_unref);
	return cut;
}

/* Runs to the end of the warm-up; false if none was seen until run.at_most. */
static bool warm_up(struct run *r)
{
	const struct eh_run_config *c = &r->v->run;
	struct eh_reading last, now;
	struct eh_batches b;
	bool settled = false;
	guint look = FIRST_BATCHES;

	run_to(r, c->warmup);
	if (c->warmup_end == EH_WARMUP_FIXED)
		return true;
	eh_batches_init(&b);
	b.threads = r->w.lab ? eh_lab_threads(r->w.lab) : 0;
	b.streams = r->w.streams;
	eh_reading_take(&last, &r->w);
	while (!settled && !over(r) && last.at + c->batch <= c->warmup + c->at_most) {
		run_to(r, last.at + c->batch);
		eh_reading_take(&now, &r->w);
		if (now.at == last.at)
			break;
		eh_batches_add(&b, &last, &now);
		last = now;
		if (b.length->len == look) {
			int cut = transient(&b, c->until_metric);

			settled = cut >= 0 && cut < (int)look / 2;
			look *= 2;
		}
	}
	eh_batches_clear(&b);
	return settled;
}

/* A sentence when what was measured begins with a transient that moves its mean; else "". */
static char *transient_text(const struct run *r, const struct eh_batches *b)
{
	const struct eh_run_config *c = &r->v->run;
	GArray *x = eh_batches_series(b, c->until_metric);
	struct eh_interval all;
	char *text = NULL;

	if (x && x->len >= 2 * FIRST_BATCHES && eh_batches_metric(b, c->until_metric, &all)) {
		int cut = eh_mser((const double *)(void *)x->data, (int)x->len);
		double mean = 0;

		for (guint i = (guint)cut; i < x->len; i++)
			mean += g_array_index(x, double, i) / (double)(x->len - (guint)cut);
		if (cut && (mean < all.lo || mean > all.hi))
			text = g_strdup_printf("; of them MSER would cut another %.6g ms, which moves %s by "
					       "%+.2g %%: a longer run.warmup, or run.warmup_end: found",
					       cut * (double)c->batch / (double)EH_MS, c->until_metric,
					       100 * (mean / all.mean - 1));
	}
	g_clear_pointer(&x, g_array_unref);
	return text ? text : g_strdup("");
}

static const char *sampled_text(const struct run *r)
{
	if (r->w.lab || r->v->run.detail != EH_DETAIL_SAMPLED)
		return "";
	return "; sampled (run.detail): in detail only in stretches, whose spread is in the intervals";
}

/* What stood at its beginning, and what of it is new in the window. */
static char *window_text(const struct run *r, eh_time from, eh_time length,
			 const struct eh_batches *b)
{
	const char *how = r->v->run.warmup_end == EH_WARMUP_FOUND ? " (its end found by MSER)" : "";
	char *what = r->w.lab ? g_strdup_printf("%s on one host, a closed loop per thread",
						eh_workload_kinds[r->v->workload.kind].name) :
				g_strdup("set-up skipped, all flows connected");
	char *rest = transient_text(r, b), *text;

	text = g_strdup_printf("start: steady (%s); %.6g ms warm-up%s cut; %.6g ms in %u batches "
			       "measured%s%s%s",
			       what, (double)from / (double)EH_MS, how, (double)length / (double)EH_MS,
			       b->length->len, rest,
			       r->w.lab ? "" : r->w.streams ?
				       "; throughput in Mbit/s of data read, a transaction is a Mbit" :
				       "; mean latency is flows / throughput (Little)",
			       sampled_text(r));
	g_free(what);
	g_free(rest);
	return text;
}

static void steady(struct run *r, struct eh_point *p)
{
	const struct eh_run_config *c = &r->v->run;
	bool fixed = c->until_within <= 0;
	eh_time end = c->warmup + (fixed ? c->length : c->at_most);
	bool settled;
	struct eh_reading first, last, now;
	struct eh_queues *queues;
	struct eh_rcu_window *rcu;
	struct eh_where *where;
	GArray *before = NULL;
	struct eh_batches b;
	guint look = 0;

	eh_batches_init(&b);
	b.streams = r->w.streams;
	r->last.planned = end;
	r->last.metric = c->until_metric;
	r->last.precision = 1;
	settled = warm_up(r);
	r->last.planned = end += eh_sim_now(r->w.sim) - c->warmup;
	if (r->w.lab) {
		before = eh_lab_counts(r->w.lab);
		b.threads = (int)before->len;
	} else {
		eh_crr_reset(r->w.crr);
	}
	eh_reading_take(&first, &r->w);
	queues = eh_queues_begin(&r->w);
	rcu = eh_rcu_window_begin(&r->w);
	eh_lines_begin(&r->w);
	eh_spread_begin(&r->w);
	r->courses = eh_courses_begin(&r->w, p, c->batch / LOOKS_PER_BATCH);
	where = eh_where_begin(&r->w);
	trace_begin(r, p);
	last = first;
	while (!over(r) && last.at < end) {
		run_to(r, MIN(end, last.at + c->batch));
		eh_reading_take(&now, &r->w);
		if (now.at == last.at)
			break;
		eh_batches_add(&b, &last, &now);
		last = now;
		if (b.length->len < look) /* each look goes through all batches */
			continue;
		look = b.length->len + b.length->len / LOOK_SHARE + 1;
		estimate(&r->last, &b);
		if (!fixed && b.length->len >= FIRST_BATCHES && r->last.precision <= c->until_within)
			break;
	}
	if (b.length->len)
		estimate(&r->last, &b);
	eh_queues_end(queues, &r->w, p);
	eh_lines_end(&r->w, p);
	eh_spread_end(&r->w, p);
	eh_courses_end(r->courses, &r->w, p);
	eh_where_end(where, &r->w, p);
	p->warmup = first.at;
	p->start_text = window_text(r, first.at, last.at - first.at, &b);
	if (b.length->len) {
		if (r->w.lab)
			eh_measure_lab(p, r->v, r->w.lab, &b, before);
		else
			eh_measure_window(p, r->v, &b, &first, &last);
		if (r->w.lab && r->v->workload.kind == EH_LAB_TRANSFER)
			eh_measure_transfer(p, r->v, &b, &first, &last);
		if (r->w.streams)
			eh_measure_stream(p, &first, &last);
		if (!r->w.lab && !r->w.streams)
			eh_measure_latencies(&r->w, p);
		eh_measure_profiles(p, &first, &last);
		eh_measure_tcp(p, &r->w, &first, &last);
		eh_measure_sample(p, &r->w, &first, &last);
		eh_measure_where(p, &b, &first, &last);
	}
	eh_rcu_window_end(rcu, &r->w, r->v, p);
	if (!fixed && r->last.precision > c->until_within && !over(r)) {
		p->status = EH_IMPRECISE;
		p->status_text = g_strdup_printf("%s is known within %.2f %% only, not the %.2f %% asked "
						 "for: run.at_most ended the run",
						 c->until_metric, 100 * r->last.precision,
						 100 * c->until_within);
	}
	if (!settled && !over(r)) {
		p->status = EH_IMPRECISE;
		g_free(p->status_text);
		p->status_text = g_strdup_printf("no end of the warm-up was found within run.at_most: %s may "
						 "still drift",
						 c->until_metric);
	}
	g_clear_pointer(&before, g_array_unref);
	eh_batches_clear(&b);
}

static void from_cold(struct run *r, struct eh_point *p)
{
	bool setup = r->v->run.start == EH_START_SETUP;
	struct eh_reading zero = {0}, end;
	struct eh_queues *queues = eh_queues_begin(&r->w);
	struct eh_rcu_window *rcu = eh_rcu_window_begin(&r->w);
	struct eh_where *where = eh_where_begin(&r->w);

	r->last.precision = 1;
	r->last.planned = setup ? 0 : r->v->run.length;
	eh_spread_begin(&r->w);
	r->courses = eh_courses_begin(&r->w, p, r->v->run.length / LOOKS);
	trace_begin(r, p);
	run_to(r, EH_TIME_NEVER / 2);
	eh_reading_take(&end, &r->w);
	eh_queues_end(queues, &r->w, p);
	eh_lines_end(&r->w, p);
	eh_spread_end(&r->w, p);
	eh_courses_end(r->courses, &r->w, p);
	eh_where_end(where, &r->w, p);
	p->where_ports = (double)end.search.candidates;
	p->where_operations = (double)end.search.searches;
	p->start_text = g_strconcat(setup ? "start: setup (the serial connects before the barrier alone)" :
					    "start: cold (set-up included, whole run, neper's own numbers)",
				    sampled_text(r), NULL);
	if (end.crr.setup_candidates)
		eh_measure_setup(p, &end);
	if (!setup && end.crr.finished)
		eh_measure_whole(p, r->v, &r->w, &end);
	eh_measure_profiles(p, &zero, &end);
	eh_measure_tcp(p, &r->w, &zero, &end);
	eh_measure_sample(p, &r->w, &zero, &end);
	eh_rcu_window_end(rcu, &r->w, r->v, p);
}

void eh_run_point(const struct eh_values *v, uint64_t seed, eh_progress_fn progress, void *arg,
		  struct eh_point *p)
{
	gint64 began;
	struct run r = {.v = v, .progress = progress, .arg = arg};
	struct eh_reading end;

	p->seed = seed;
	p->status = EH_DONE;
	p->one_host = eh_workload_kinds[v->workload.kind].lab != NULL;
	eh_world_build(&r.w, v, seed);
	if (p->with_lines)
		eh_lines_start(&r.w);
	if (p->with_where)
		eh_where_start(&r.w);
	began = g_get_monotonic_time();
	if (v->run.start == EH_START_STEADY)
		steady(&r, p);
	else
		from_cold(&r, p);
	trace_end(&r, p);
	say_status(&r, p);
	eh_reading_take(&end, &r.w);
	if (!r.w.lab)
		eh_measure_neper(p, v, &r.w);
	p->fingerprint = eh_sim_fingerprint(r.w.sim);
	p->simulated = end.at;
	p->candidates = end.search.candidates;
	p->line_accesses = end.accesses;
	p->events = eh_sim_events(r.w.sim);
	p->wall_s = (double)(g_get_monotonic_time() - began) / G_USEC_PER_SEC;
	eh_world_free(&r.w);
}
