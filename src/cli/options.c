/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"
#include "options_look.h"
#include "options_places.h"
#include "options_sweep.h"
#include "output.h"
#include <eh-config.h>
#include <ehsim/message.h>
#include <ehsim/config.h>
#include <ehsim/keys.h>
#include <ehsim/nearest.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char summary[] =
	"Simulates hosts with many CPUs that run Linux TCP, as a scenario says.";

static const char description[] =
	"Examples:\n"
	"  ehsim scenarios/connect-rcu.yaml\n"
	"  ehsim --set kernel.connect=[S0,S1] --set run.until.within=5% -f json scenario.yaml\n"
	"  ehsim --report=page scenarios/connect-small.yaml\n"
	"  ehsim --report=page before.json after.json\n"
	"\n"
	"Exit status: 0 done; 1 a run failed, an expectation did not hold or a figure was not drawn; 2 wrong\n"
	"usage or scenario, nothing was simulated; 130 interrupted, what was complete is written.";

static const char *const when_words[] = {"auto", "always", "never", NULL};

/* As GOption leaves them. */
struct words {
	char *format_help;
	char **sets, **files, **formats, *seed, *output, *trace, *trace_window, *explain, *point;
	char *report, *repeat, *baseline, *progress, *status_file, *color;
	struct eh_sweep_words sweep;
	gboolean plot, force, profile, locks, lines, rcu, slabs, where, courses, check, show, list, explain_all, schema, manual,
		 quiet, verbose, version, help;
};

static gboolean take_explain(const char *name, const char *value, void *data, GError **error)
{
	struct words *w = data;

	(void)name;
	(void)error;
	w->explain_all = TRUE;
	g_free(w->explain);
	w->explain = g_strdup(value);
	return TRUE;
}

/* The options, for GOption and for "did you mean". Ends with long_name == NULL. */
static GOptionEntry *entries_for(struct words *w)
{
	const GOptionEntry entries[] = {
		{"set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &w->sets,
		 "override a value (repeatable); a list [A,B] makes a sweep", "KEY=VALUE"},
		{"seed", 0, 0, G_OPTION_ARG_FILENAME, &w->seed, "seed of all random streams", "N"},
		{"repeat", 0, 0, G_OPTION_ARG_FILENAME, &w->repeat,
		 "run each point N times, each time with another seed", "N"},
		{"baseline", 0, 0, G_OPTION_ARG_FILENAME, &w->baseline,
		 "compare with point N, or with the points where KEY=VALUE", "N|KEY=VALUE"},
		{"point", 0, 0, G_OPTION_ARG_FILENAME, &w->point, "run only this point of --list",
		 "N"},
		{"slice", 0, 0, G_OPTION_ARG_FILENAME, &w->sweep.slice,
		 "run the I-th of N equal shares of the points", "I/N"},
		{"jobs", 'j', 0, G_OPTION_ARG_FILENAME, &w->sweep.jobs,
		 "runs at a time, each a process (one per CPU)", "N"},
		{"memory", 0, 0, G_OPTION_ARG_FILENAME, &w->sweep.memory,
		 "what they may take together (what is free)", "SIZE"},
		{"results", 0, 0, G_OPTION_ARG_FILENAME, &w->sweep.results,
		 "keep each finished run in DIR, go on from there", "DIR"},
		{"merge", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &w->sweep.merge,
		 "report what is in DIRs, simulate nothing", "DIR"},
		{"format", 'f', 0, G_OPTION_ARG_FILENAME_ARRAY, &w->formats, w->format_help,
		 "FORMAT[=FILE]"},
		{"output", 'o', 0, G_OPTION_ARG_FILENAME, &w->output,
		 "write it to FILE, whole or not at all", "FILE"},
		{"force", 0, 0, G_OPTION_ARG_NONE, &w->force, "overwrite files", NULL},
		{"report", 0, 0, G_OPTION_ARG_FILENAME, &w->report,
		 "make a page with figures, DIR/index.html; also of RESULT.json", "DIR"},
		{"plot", 0, 0, G_OPTION_ARG_NONE, &w->plot,
		 "draw the main figure in the terminal; also of RESULT.json", NULL},
		{"profile", 0, 0, G_OPTION_ARG_NONE, &w->profile,
		 "print whole profiles, as perf report", NULL},
		{"locks", 0, 0, G_OPTION_ARG_NONE, &w->locks,
		 "print waits by class of lock, as perf lock contention", NULL},
		{"lines", 0, 0, G_OPTION_ARG_NONE, &w->lines,
		 "print cache lines that CPUs share, as perf c2c", NULL},
		{"rcu", 0, 0, G_OPTION_ARG_NONE, &w->rcu,
		 "print grace periods and what waits for them", NULL},
		{"slabs", 0, 0, G_OPTION_ARG_NONE, &w->slabs,
		 "print kmem caches as slabinfo does, their memory and locks", NULL},
		{"where", 0, 0, G_OPTION_ARG_NONE, &w->where,
		 "print where the time went, by what held it up", NULL},
		{"courses", 0, 0, G_OPTION_ARG_NONE, &w->courses,
		 "keep in JSON what changes over time: searches, slabs", NULL},
		{"trace", 0, 0, G_OPTION_ARG_FILENAME, &w->trace,
		 "write what each CPU did, for ui.perfetto.dev", "FILE"},
		{"trace-window", 0, 0, G_OPTION_ARG_FILENAME, &w->trace_window,
		 "when: from the measured window's begin (100us)", "[START+]TIME"},
		{"check", 'c', 0, G_OPTION_ARG_NONE, &w->check, "read and check only", NULL},
		{"list", 'l', 0, G_OPTION_ARG_NONE, &w->list,
		 "list the points of the sweep and stop", NULL},
		{"show", 0, 0, G_OPTION_ARG_NONE, &w->show,
		 "print the scenario with all defaults and origins", NULL},
		{"explain", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK,
		 (gpointer)take_explain, "explain KEY, or list all keys", "KEY"},
		{"schema", 0, 0, G_OPTION_ARG_NONE, &w->schema,
		 "print the JSON schema of scenarios", NULL},
		{"manual", 0, 0, G_OPTION_ARG_NONE, &w->manual,
		 "print the manual of all keys (| man -l -)", NULL},
		{"progress", 0, 0, G_OPTION_ARG_FILENAME, &w->progress, "auto, always or never",
		 "WHEN"},
		{"status-file", 0, 0, G_OPTION_ARG_FILENAME, &w->status_file,
		 "keep how far it is in FILE, for scripts", "FILE"},
		{"color", 0, 0, G_OPTION_ARG_FILENAME, &w->color, "auto, always or never", "WHEN"},
		{"quiet", 'q', 0, G_OPTION_ARG_NONE, &w->quiet, "errors only on stderr", NULL},
		{"verbose", 'v', 0, G_OPTION_ARG_NONE, &w->verbose,
		 "more about each point, speed of the simulator", NULL},
		{"help", 'h', 0, G_OPTION_ARG_NONE, &w->help, "print this text", NULL},
		{"version", 'V', 0, G_OPTION_ARG_NONE, &w->version, "print the version", NULL},
		{G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &w->files, NULL, NULL},
		{NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
	};

	return g_memdup2(entries, sizeof(entries));
}

int eh_usage(const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = g_strdup_vprintf(fmt, args);
	va_end(args);
	eh_say(stderr, "ehsim: %s", text);
	fputs("Try 'ehsim --help'.\n", stderr);
	g_free(text);
	return EH_EXIT_USAGE;
}

/* GOption says only "Unknown option --fromat=x". */
static int unknown_option(const GError *error, const GOptionEntry *entries)
{
	const char *option = strstr(error->message, " -"), *near;
	GPtrArray *names = g_ptr_array_new();
	char *word;

	if (error->domain != G_OPTION_ERROR || error->code != G_OPTION_ERROR_UNKNOWN_OPTION ||
	    !option) {
		g_ptr_array_unref(names);
		return eh_usage("%s", error->message);
	}
	for (; entries->long_name; entries++)
		if (*entries->long_name)
			g_ptr_array_add(names, (char *)entries->long_name);
	g_ptr_array_add(names, NULL);
	option++;
	word = g_strndup(option + strspn(option, "-"), strcspn(option + strspn(option, "-"), "="));
	near = strlen(word) > 1 ? eh_nearest(word, (const char *const *)names->pdata) : NULL;
	if (near)
		eh_usage("unknown option '%s'; did you mean '--%s'?", option, near);
	else
		eh_usage("unknown option '%s'", option);
	g_free(word);
	g_ptr_array_unref(names);
	return EH_EXIT_USAGE;
}

/* Index of `text` in `words`, -1 and a message if it is none of them; `text` may be NULL: 0. */
static int word_index(const char *option, const char *text, const char *const *words)
{
	const char *near;
	char *list;

	for (int i = 0; text && words[i]; i++)
		if (!strcmp(text, words[i]))
			return i;
	if (!text)
		return 0;
	near = eh_nearest(text, words);
	list = g_strjoinv(", ", (char **)words);
	if (near)
		eh_usage("%s cannot be '%s'; did you mean '%s'?", option, text, near);
	else
		eh_usage("%s cannot be '%s'; it is one of %s", option, text, list);
	g_free(list);
	return -1;
}

bool eh_take_number(const char *option, const char *text, const struct eh_key *key,
			int64_t *value)
{
	char *bad = text ? eh_key_parse(key, text, value) : NULL;

	if (bad)
		eh_usage("%s=%s: %s", option, text, bad);
	g_free(bad);
	return !bad;
}

static void output_free(void *data)
{
	struct eh_output *out = data;

	g_free(out->path);
	g_free(out);
}

static char *format_names(void)
{
	GString *names = g_string_new(NULL);

	for (const struct eh_report_kind *kind = eh_report_kinds; kind->name; kind++)
		g_string_append_printf(names, "%s%s", kind == eh_report_kinds ? "" : "|", kind->name);
	return g_string_free(names, FALSE);
}

/* FORMAT or FORMAT=FILE. */
static bool take_format(struct eh_options *o, const char *text)
{
	char *all = format_names(), **names = g_strsplit(all, "|", -1);
	char **parts = g_strsplit(text, "=", 2);
	int index = word_index("--format", parts[0], (const char *const *)names);
	bool fine = index >= 0;

	if (fine && parts[1] && !*parts[1]) {
		eh_usage("--format=%s needs the name of a file behind '='", text);
		fine = false;
	} else if (fine) {
		struct eh_output *out = g_new0(struct eh_output, 1);

		out->kind = &eh_report_kinds[index];
		out->path = g_strdup(parts[1]);
		g_ptr_array_add(o->outputs, out);
		o->where |= out->kind->print == eh_report_where;
		o->locks |= out->kind->print == eh_report_locks;
	}
	g_strfreev(parts);
	g_strfreev(names);
	g_free(all);
	return fine;
}

/* LENGTH, or START+LENGTH. */
static bool take_trace(struct eh_options *o, const struct words *w)
{
	static const struct eh_key time = {
		.name = "trace-window", .kind = EH_KEY_TIME, .def = "100us", .min = "1ns", .max = "1s"};
	static const struct eh_key start = {
		.name = "start of trace-window", .kind = EH_KEY_TIME, .def = "0us", .min = "0ns", .max = "1000s"};
	const char *text = w->trace_window ? w->trace_window : w->trace ? "100us" : "20us";
	char **parts = g_strsplit(text, "+", 2);
	bool fine = true;

	if (w->trace_window && !w->trace && !w->report) {
		eh_usage("--trace-window needs --trace=FILE or --report=DIR");
		fine = false;
	}
	if (fine && w->trace) {
		struct eh_output *out = g_new0(struct eh_output, 1);

		out->kind = &eh_report_trace;
		out->path = g_strdup(w->trace);
		g_ptr_array_add(o->outputs, out);
	}
	if (fine && (w->trace || (w->report && !w->sweep.merge))) {
		fine = eh_take_number("--trace-window", parts[1] ? parts[1] : parts[0], &time,
				   &o->trace_length) &&
		       (!parts[1] || eh_take_number("--trace-window", parts[0], &start, &o->trace_start));
	}
	g_strfreev(parts);
	return fine;
}

/* --output is the file of the one format that names none; two reports never share a place. */
static bool take_outputs(struct eh_options *o, const struct words *w)
{
	bool used = !w->output;

	for (char **format = w->formats; format && *format; format++)
		if (!take_format(o, *format))
			return false;
	/* the page is a report, too */
	if (!o->outputs->len && (!w->report || w->output || w->plot))
		take_format(o, eh_report_kinds[0].name);
	if (!take_trace(o, w))
		return false;
	for (guint i = 0; i < o->outputs->len; i++) {
		struct eh_output *a = o->outputs->pdata[i];

		if (!a->path && !used) {
			a->path = g_strdup(w->output);
			used = true;
		}
		for (guint k = 0; k < i; k++) {
			const struct eh_output *b = o->outputs->pdata[k];

			if (!eh_same_place(a->path, b->path))
				continue;
			if (a->path)
				eh_usage("%s and %s cannot both go to %s", b->kind->name, a->kind->name,
				      a->path);
			else
				eh_usage("%s and %s cannot both go to standard output; name a file, as in "
				      "--format=%s=FILE",
				      b->kind->name, a->kind->name, a->kind->name);
			return false;
		}
	}
	if (!used)
		eh_usage("every --format names its file, --output=%s is one too many", w->output);
	return used;
}

static bool take_numbers(struct eh_options *o, const struct words *w)
{
	static const struct eh_key point = {
		.name = "point", .kind = EH_KEY_INT, .min = "1", .max = "1000000"};
	struct eh_key seed = *eh_keys_find(eh_run_keys, "seed");
	struct eh_key repeat = *eh_keys_find(eh_run_keys, "repeat");
	int64_t value = 0;

	if (!eh_take_number("--point", w->point, &point, &value))
		return false;
	o->point = (int)value;
	if (!eh_take_sweep(o, &w->sweep))
		return false;
	seed.offset = 0;
	if (!eh_take_number("--seed", w->seed, &seed, &value))
		return false;
	repeat.offset = 0;
	if (!eh_take_number("--repeat", w->repeat, &repeat, &value))
		return false;
	for (char **set = w->sets; set && *set; set++)
		g_ptr_array_add(o->sets, g_strdup(*set));
	if (w->seed)
		g_ptr_array_add(o->sets, g_strdup_printf("run.seed=%s", w->seed));
	if (w->repeat)
		g_ptr_array_add(o->sets, g_strdup_printf("run.repeat=%s", w->repeat));
	g_ptr_array_add(o->sets, NULL);
	return true;
}

static bool take_verb(struct eh_options *o, const struct words *w)
{
	const struct {
		bool given;
		enum eh_verb verb;
		const char *name;
	} verbs[] = {
		{w->check, EH_VERB_CHECK, "--check"},
		{w->show, EH_VERB_SHOW, "--show"},
		{w->list, EH_VERB_LIST, "--list"},
		{w->explain_all, EH_VERB_EXPLAIN, "--explain"},
		{w->schema, EH_VERB_SCHEMA, "--schema"},
		{w->manual, EH_VERB_MANUAL, "--manual"},
	};
	const char *before = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(verbs); i++) {
		if (!verbs[i].given)
			continue;
		if (before) {
			eh_usage("%s and %s do not go together", before, verbs[i].name);
			return false;
		}
		before = verbs[i].name;
		o->verb = verbs[i].verb;
	}
	return true;
}

/* What only a run could do. */
static bool takes_run(const struct words *w)
{
	const struct eh_sweep_words *v = &w->sweep;

	return w->sets || w->seed || w->repeat || w->point || w->formats || w->trace || w->baseline || w->status_file ||
	       v->jobs || v->memory || v->results || v->slice || v->merge;
}

static bool take_words(struct eh_options *o, const struct words *w)
{
	int progress = word_index("--progress", w->progress, when_words), color;

	color = progress < 0 ? -1 : word_index("--color", w->color, when_words);
	if (color < 0 || !take_outputs(o, w) || !take_verb(o, w) || !take_numbers(o, w))
		return false;
	o->progress = (enum eh_when)progress;
	o->color = (enum eh_when)color;
	o->force = w->force;
	o->profile = w->profile;
	o->locks |= w->locks;
	o->rcu = w->rcu;
	o->slabs = w->slabs;
	o->lines = w->lines;
	o->report = g_strdup(w->report);
	o->plot = w->plot;
	o->where |= w->where;
	o->courses = w->courses;
	o->quiet = w->quiet;
	o->verbose = w->verbose;
	o->output = g_strdup(w->output);
	o->explain = g_strdup(w->explain);
	o->baseline = g_strdup(w->baseline);
	o->status_file = g_strdup(w->status_file);
	if (o->verb == EH_VERB_EXPLAIN || o->verb == EH_VERB_SCHEMA || o->verb == EH_VERB_MANUAL)
		return eh_can_place(o);
	if ((o->report || o->plot) && o->verb == EH_VERB_RUN && eh_is_stored(w->files))
		return eh_take_stored(o, w->files, takes_run(w)) && eh_can_place(o);
	return eh_can_plot(o) && eh_take_files(o, w->files) && eh_can_place(o);
}

static int print(const char *text)
{
	return eh_output_write(NULL, false, text, strlen(text)) ? EH_EXIT_DONE : EH_EXIT_FAILED;
}

static void words_clear(struct words *w)
{
	g_strfreev(w->sets);
	g_strfreev(w->files);
	g_free(w->seed);
	g_strfreev(w->formats);
	g_free(w->format_help);
	g_free(w->output);
	g_free(w->trace);
	g_free(w->trace_window);
	g_free(w->explain);
	g_free(w->point);
	g_free(w->repeat);
	g_free(w->baseline);
	g_free(w->report);
	g_free(w->progress);
	g_free(w->status_file);
	eh_sweep_words_clear(&w->sweep);
	g_free(w->color);
}

bool eh_options_parse(struct eh_options *o, int argc, char **argv, int *status)
{
	char *formats = format_names();
	struct words w = {.format_help = g_strdup(formats)};
	GOptionEntry *entries = entries_for(&w);
	GOptionContext *context = g_option_context_new("SCENARIO.yaml");
	GOptionGroup *group = g_option_group_new("main", "", "", &w, NULL);
	GError *error = NULL;
	bool go_on = false;

	g_free(formats);
	memset(o, 0, sizeof(*o));
	o->merge = g_ptr_array_new_with_free_func(g_free);
	o->outputs = g_ptr_array_new_with_free_func(output_free);
	o->sets = g_ptr_array_new_with_free_func(g_free);
	o->stored = g_ptr_array_new_with_free_func(g_free);
	g_option_group_add_entries(group, entries);
	g_option_context_set_main_group(context, group);
	g_option_context_set_help_enabled(context, FALSE);
	g_option_context_set_summary(context, summary);
	g_option_context_set_description(context, description);

	*status = EH_EXIT_USAGE;
	eh_split_jobs(argc, argv);
	if (!g_option_context_parse(context, &argc, &argv, &error)) {
		unknown_option(error, entries);
	} else if (w.help) {
		char *help = g_option_context_get_help(context, TRUE, NULL);

		*status = print(help);
		g_free(help);
	} else if (w.version) {
		*status = print(PACKAGE_STRING "\n");
	} else {
		go_on = take_words(o, &w);
	}
	g_clear_error(&error);
	g_option_context_free(context);
	g_free(entries);
	words_clear(&w);
	return go_on;
}

void eh_options_clear(struct eh_options *o)
{
	g_free(o->scenario);
	g_free(o->explain);
	g_free(o->output);
	g_free(o->status_file);
	g_free(o->results);
	g_ptr_array_unref(o->merge);
	g_ptr_array_unref(o->outputs);
	g_free(o->baseline);
	g_ptr_array_unref(o->sets);
	g_ptr_array_unref(o->stored);
	g_free(o->report);
}
