/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "look.h"
#include "output.h"
#include "report_dir.h"
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define USUAL_COLUMNS 80
#define MOST_COLUMNS 160

static int columns(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20)
		return MIN(size.ws_col, MOST_COLUMNS);
	return USUAL_COLUMNS;
}

static void stored_free(void *s)
{
	eh_stored_free(s);
}

/* All of them, or NULL after messages. */
static GPtrArray *load_all(const struct eh_options *o)
{
	GPtrArray *results = g_ptr_array_new_with_free_func(stored_free);
	struct eh_messages *msgs = eh_messages_new();
	int errors;

	for (guint i = 0; i < o->stored->len; i++) {
		struct eh_stored *s = eh_stored_load(g_ptr_array_index(o->stored, i), msgs);

		if (s)
			g_ptr_array_add(results, s);
	}
	eh_messages_print(msgs, stderr, eh_options_color(o->color, STDERR_FILENO));
	errors = eh_messages_errors(msgs);
	eh_messages_free(msgs);
	if (!errors)
		return results;
	fprintf(stderr, "ehsim: %d error%s, nothing was written\n", errors, errors > 1 ? "s" : "");
	g_ptr_array_unref(results);
	return NULL;
}

int eh_look_stored(const struct eh_options *o)
{
	static const struct eh_report_file no_more = {NULL, NULL};
	int status = EH_EXIT_DONE;
	GPtrArray *results;

	if (o->plot && !eh_output_possible(o->output, o->force))
		return o->output ? EH_EXIT_USAGE : EH_EXIT_FAILED;
	results = load_all(o);
	if (!results)
		return EH_EXIT_USAGE;
	if (o->report && !eh_report_dir_possible(o->report, o->force)) {
		status = EH_EXIT_USAGE;
	} else if (o->report) {
		struct eh_book *page = eh_book_new(results);

		if (!eh_report_dir_write(o->report, page, &no_more, o->quiet))
			status = EH_EXIT_FAILED;
		eh_book_free(page);
	}
	if (o->plot && status != EH_EXIT_USAGE) {
		GString *out = g_string_new(NULL);

		eh_plot(results, columns(), out);
		if (!eh_output_write(o->output, o->force, out->str, out->len))
			status = EH_EXIT_FAILED;
		g_string_free(out, TRUE);
	}
	g_ptr_array_unref(results);
	return status;
}

/* A fresh result goes the way of a stored one, so that both give the same page. */
static GPtrArray *as_stored(const struct eh_result *r)
{
	GPtrArray *results = g_ptr_array_new_with_free_func(stored_free);
	const struct eh_report_options how = {.color = false};
	struct eh_messages *msgs = eh_messages_new();
	GString *json = g_string_new(NULL);
	gsize length;
	struct eh_stored *s;

	eh_report_json(r, &how, json);
	length = json->len;
	s = eh_stored_from("result.json", g_string_free(json, FALSE), length, msgs);
	eh_messages_print(msgs, stderr, FALSE);
	eh_messages_free(msgs);
	if (s)
		g_ptr_array_add(results, s);
	return results;
}

bool eh_look_report(const struct eh_options *o, const struct eh_result *r, const char *shown)
{
	const struct eh_report_options how = {.color = false};
	GString *json = g_string_new(NULL), *csv = g_string_new(NULL);
	GPtrArray *results = as_stored(r);
	struct eh_book *page;
	bool fine = false;

	eh_report_json(r, &how, json);
	eh_report_csv(r, &how, csv);
	if (results->len) {
		const struct eh_report_file more[] = {
			{"result.json", json->str},
			{"points.csv", csv->str},
			{"scenario.yaml", shown},
			{NULL, NULL},
		};

		page = eh_book_new(results);
		eh_book_timelines(page, r);
		fine = eh_report_dir_write(o->report, page, more, o->quiet);
		eh_book_free(page);
	}
	g_ptr_array_unref(results);
	g_string_free(json, TRUE);
	g_string_free(csv, TRUE);
	return fine;
}

void eh_look_plot(const struct eh_result *r, GString *out)
{
	GPtrArray *results = as_stored(r);

	if (results->len)
		eh_plot(results, columns(), out);
	g_ptr_array_unref(results);
}
