/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run.h"
#include "look.h"
#include "output.h"
#include "points.h"
#include "report_dir.h"
#include <eh-config.h>
#include <ehsim/message.h>
#include <ehsim/schema.h>
#include <ehsim/workload.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A closed stdout is a failure, a file that exists or cannot exist is wrong usage. */
static int output_fault(const char *path)
{
	return path ? EH_EXIT_USAGE : EH_EXIT_FAILED;
}

static int put(const struct eh_options *o, const char *text)
{
	if (!eh_output_possible(o->output, o->force))
		return output_fault(o->output);
	if (!eh_output_write(o->output, o->force, text, strlen(text)))
		return EH_EXIT_FAILED;
	return EH_EXIT_DONE;
}

static int explain(const struct eh_options *o)
{
	char *message = NULL;
	char *text = o->explain ? eh_explain(o->explain, &message) : eh_explain_all();
	int status = EH_EXIT_USAGE;

	if (text)
		status = put(o, text);
	else
		eh_say(stderr, "ehsim: %s", message);
	g_free(message);
	g_free(text);
	return status;
}

/* Text made for this call. */
static int put_new(const struct eh_options *o, char *text)
{
	int status = put(o, text);

	g_free(text);
	return status;
}

static struct eh_scenario *load(const struct eh_options *o)
{
	struct eh_messages *msgs = eh_messages_new();
	struct eh_scenario *s;
	int errors;

	s = eh_scenario_load(o->scenario, (const char *const *)o->sets->pdata, msgs);
	eh_messages_print(msgs, stderr, eh_options_color(o->color, STDERR_FILENO));
	errors = eh_messages_errors(msgs);
	if (errors)
		fprintf(stderr, "ehsim: %d error%s, nothing was simulated\n", errors,
			errors > 1 ? "s" : "");
	eh_messages_free(msgs);
	return s;
}

/* One line per run. */
static void list_run(const struct eh_point *p, int repeat, uint64_t seed, GString *out)
{
	g_string_append_printf(out, "%d:", p->index);
	for (guint i = 0; i < p->set->len; i++) {
		const struct eh_pair *pair = p->set->pdata[i];
		char *value = eh_harmless(g_strdup(pair->value));

		g_string_append_printf(out, " %s=%s", pair->key, value);
		g_free(value);
	}
	if (repeat)
		g_string_append_printf(out, " repeat=%d", repeat);
	g_string_append_printf(out, " seed=%" PRIu64 "\n", seed);
}

static void list_point(const struct eh_scenario *s, int number, GString *out)
{
	struct eh_point *p = eh_point_new(number);
	struct eh_values v;

	eh_scenario_point(s, number - 1, &v, p->set);
	for (int k = 0; k < v.run.repeat; k++)
		list_run(p, v.run.repeat > 1 ? k + 1 : 0, eh_repeat_seed(&v, k), out);
	eh_values_clear(&v);
	eh_point_free(p);
}

static int list(const struct eh_options *o, const struct eh_scenario *s)
{
	GString *out = g_string_new(NULL);
	int status;

	for (int i = 1; i <= eh_scenario_points(s); i++)
		if (eh_cli_selected(o, i))
			list_point(s, i, out);
	status = put(o, out->str);
	g_string_free(out, TRUE);
	return status;
}

static void fill_head(const struct eh_scenario *s, const char *file, struct eh_result *r)
{
	r->version = g_strdup(PACKAGE_VERSION);
	/* the folder is no part of the result */
	r->scenario_file = g_path_get_basename(file);
	r->scenario_sha256 = g_strdup(eh_scenario_sha256(s));
	r->description = g_strdup(eh_scenario_description(s));
	eh_scenario_values(s, r->values, r->fitted);
}

/* All reports of one result; one that cannot be written does not keep the others back. */
static int report(const struct eh_options *o, const struct eh_result *r)
{
	int status = EH_EXIT_DONE;

	for (guint i = 0; i < o->outputs->len; i++) {
		const struct eh_output *to = o->outputs->pdata[i];
		struct eh_report_options how = {
			.color = !to->path && eh_options_color(o->color, STDOUT_FILENO),
			.profile = o->profile,
			.verbose = o->verbose,
		};
		GString *out = g_string_new(NULL);

		to->kind->print(r, &how, out);
		if (o->plot && to->kind == eh_report_kinds && !to->path) {
			g_string_append_c(out, '\n');
			eh_look_plot(r, out);
		}
		if (!eh_output_write(to->path, o->force, out->str, out->len))
			status = EH_EXIT_FAILED;
		g_string_free(out, TRUE);
	}
	return status;
}

/* Before anything is simulated: EH_EXIT_DONE when every report can be written. */
static int reports_possible(const struct eh_options *o)
{
	int status = EH_EXIT_DONE;

	for (guint i = 0; i < o->outputs->len; i++) {
		const struct eh_output *to = o->outputs->pdata[i];

		if (!eh_output_possible(to->path, o->force))
			status = MAX(status, output_fault(to->path));
	}
	if (o->report && !eh_report_dir_possible(o->report, o->force))
		status = EH_EXIT_USAGE;
	if (o->status_file && !eh_output_possible(o->status_file, true))
		status = EH_EXIT_USAGE;
	return status;
}

/* Whether every run succeeded and every expectation with a tolerance holds. */
static bool all_well(const struct eh_options *o, const struct eh_result *r)
{
	int failed = 0, missed = 0, expected = 0;

	for (guint i = 0; i < r->points->len; i++) {
		const struct eh_point *p = r->points->pdata[i];

		failed += p->status == EH_FAILED;
		for (guint n = 0; n < p->expect->len; n++) {
			const struct eh_expect *e = p->expect->pdata[n];

			expected += e->within > 0;
			missed += e->within > 0 && !e->holds;
		}
	}
	if (failed)
		fprintf(stderr, "ehsim: %d of %u points failed\n", failed, r->points->len);
	if (missed && !o->quiet)
		fprintf(stderr, "ehsim: %d of %d expectations did not hold\n", missed, expected);
	return !failed && !missed;
}

/* The plot, where there is no text it could stand below. */
static bool plot_alone(const struct eh_options *o, const struct eh_result *r)
{
	GString *out = g_string_new(NULL);
	bool fine = true, below = false;

	for (guint i = 0; i < o->outputs->len; i++) {
		const struct eh_output *to = o->outputs->pdata[i];

		below |= to->kind == eh_report_kinds && !to->path;
	}
	if (o->plot && !below) {
		eh_look_plot(r, out);
		fine = eh_output_write(NULL, false, out->str, out->len);
	}
	g_string_free(out, TRUE);
	return fine;
}

static bool make_page(const struct eh_options *o, const struct eh_scenario *s, const struct eh_result *r)
{
	char *shown = eh_scenario_show(s);
	bool fine = !o->report || eh_look_report(o, r, shown);

	g_free(shown);
	return fine;
}

/* Its runs are kept, so the reports wait for the rest. */
static int say_unfinished(const struct eh_options *o, const struct eh_sweep_end *end)
{
	if (end->lost)
		eh_say(stderr, "ehsim: %d run%s lost", end->lost, end->lost > 1 ? "s were" : " was");
	eh_say(stderr, "ehsim: %s; finished runs are in %s, the same command goes on from there",
	       end->signal ? "interrupted" : "not complete, no report is written", o->results);
	return end->signal ? 128 + end->signal : EH_EXIT_FAILED;
}

static int finish(const struct eh_options *o, const struct eh_scenario *s, const struct eh_result *r,
		  const struct eh_sweep_end *end)
{
	int status = report(o, r);

	if (!plot_alone(o, r) || !make_page(o, s, r))
		status = EH_EXIT_FAILED;
	if (!all_well(o, r) || (end->missing && !end->signal) || end->faulty)
		status = EH_EXIT_FAILED;
	if (end->signal) {
		fprintf(stderr, "ehsim: interrupted; what was complete is written\n");
		status = 128 + end->signal;
	}
	return status;
}

static int simulate(const struct eh_options *o, const struct eh_scenario *s, const int *baselines)
{
	struct eh_journal *journal = o->results ? eh_journal_open(o->results, true) : NULL;
	struct eh_result *r = eh_result_new();
	struct eh_sweep_end end;
	int status;

	if (o->results && !journal) {
		eh_result_free(r);
		return EH_EXIT_USAGE;
	}
	fill_head(s, o->scenario, r);
	end = (o->merge->len ? eh_cli_merge : eh_cli_points)(o, s, baselines, journal, r);
	if (end.refused)
		status = o->merge->len ? EH_EXIT_USAGE : EH_EXIT_FAILED;
	else if (journal && !o->merge->len && (end.signal || end.faulty || end.missing || end.lost))
		status = say_unfinished(o, &end);
	else
		status = finish(o, s, r, &end);
	eh_journal_close(journal);
	eh_result_free(r);
	return status;
}

/* Or a message that the workload of some point has no report of that format. */
static bool can_report(const struct eh_options *o, const struct eh_report_kind *report,
		       const struct eh_scenario *s)
{
	bool fine = true;

	for (int i = 0; report->only && fine && i < eh_scenario_points(s); i++) {
		const char *kind;
		struct eh_values v;
		char **kinds;

		if (!eh_cli_selected(o, i + 1))
			continue;
		eh_scenario_point(s, i, &v, NULL);
		kind = eh_workload_kinds[v.workload.kind].name;
		kinds = g_strsplit(report->only, ", ", -1);
		fine = g_strv_contains((const char *const *)kinds, kind);
		g_strfreev(kinds);
		if (!fine)
			fprintf(stderr, "ehsim: --format=%s is for workload.kind: %s, not for %s\n",
				report->name, report->only, kind);
		eh_values_clear(&v);
	}
	return fine;
}

static bool can_report_all(const struct eh_options *o, const struct eh_scenario *s)
{
	bool fine = true;

	for (guint i = 0; i < o->outputs->len; i++)
		fine &= can_report(o, ((struct eh_output *)o->outputs->pdata[i])->kind, s);
	return fine;
}

int eh_cli_run(const struct eh_options *o)
{
	int status = EH_EXIT_DONE, points, *baselines;
	struct eh_scenario *s;
	char *bad = NULL;

	if (o->verb == EH_VERB_EXPLAIN)
		return explain(o);
	if (o->verb == EH_VERB_SCHEMA)
		return put_new(o, eh_schema_json());
	if (o->verb == EH_VERB_MANUAL)
		return put_new(o, eh_manual());
	if (o->verb == EH_VERB_LOOK)
		return eh_look_stored(o);
	s = load(o);
	if (!s)
		return EH_EXIT_USAGE;
	points = eh_scenario_points(s);
	baselines = eh_scenario_baselines(s, o->baseline ? o->baseline : "1", &bad);
	if (!baselines) {
		eh_say(stderr, "ehsim: --baseline=%s: %s", o->baseline, bad);
		status = EH_EXIT_USAGE;
	} else if (o->point > points) {
		fprintf(stderr, "ehsim: there is no point %d; --list shows all %d\n", o->point,
			points);
		status = EH_EXIT_USAGE;
	} else if (o->slice > points) {
		fprintf(stderr, "ehsim: slice %d of %d is empty, there are %d points\n", o->slice, o->slices,
			points);
		status = EH_EXIT_DONE;
	} else if (o->verb == EH_VERB_SHOW) {
		status = put_new(o, eh_scenario_show(s));
	} else if (o->verb == EH_VERB_LIST) {
		status = list(o, s);
	} else if (o->verb == EH_VERB_CHECK) {
		if (!o->quiet)
			eh_say(stderr, "%s: no errors, %d point%s", o->scenario, points,
			       points > 1 ? "s" : "");
	} else if (!can_report_all(o, s)) {
		status = EH_EXIT_USAGE;
	} else {
		status = reports_possible(o);
		if (status == EH_EXIT_DONE)
			status = simulate(o, s, baselines);
	}
	g_free(bad);
	g_free(baselines);
	eh_scenario_free(s);
	return status;
}
