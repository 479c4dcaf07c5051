/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options_places.h"
#include "options_sweep.h"
#include <string.h>

static bool is_stdout(const char *path)
{
	return !path || !strcmp(path, "-");
}

bool eh_same_place(const char *a, const char *b)
{
	char *whole_a, *whole_b;
	bool same;

	if (is_stdout(a) || is_stdout(b))
		return is_stdout(a) && is_stdout(b);
	whole_a = g_canonicalize_filename(a, NULL);
	whole_b = g_canonicalize_filename(b, NULL);
	same = !strcmp(whole_a, whole_b);
	g_free(whole_a);
	g_free(whole_b);
	return same;
}

static bool has_name(const char *option, const char *path)
{
	if (!path || *path)
		return true;
	eh_usage("%s needs a name behind '='", option);
	return false;
}

static bool all_named(const struct eh_options *o)
{
	bool fine = has_name("--output", o->output) && has_name("--status-file", o->status_file) &&
		    has_name("--results", o->results) && has_name("--report", o->report);

	for (guint i = 0; fine && i < o->merge->len; i++)
		fine = has_name("--merge", o->merge->pdata[i]);
	for (guint i = 0; fine && i < o->outputs->len; i++)
		fine = has_name("--trace", ((struct eh_output *)o->outputs->pdata[i])->path);
	return fine;
}

/* What is written to `path` would be written over, or write over what is read. */
static bool is_free(const struct eh_options *o, const char *path)
{
	const char *taken = NULL;

	if (path && o->status_file && eh_same_place(path, o->status_file))
		taken = "the status file";
	else if (path && o->scenario && eh_same_place(path, o->scenario))
		taken = "the scenario";
	for (guint i = 0; path && i < o->stored->len; i++)
		if (eh_same_place(path, o->stored->pdata[i]))
			taken = "a result that is read";
	if (taken)
		eh_usage("%s is %s; nothing else can go there", path, taken);
	return !taken;
}

bool eh_can_place(const struct eh_options *o)
{
	bool fine = all_named(o) && is_free(o, o->output);

	if (fine && o->status_file && !strcmp(o->status_file, "-")) {
		eh_usage("--status-file is written again and again, so it cannot be standard output");
		fine = false;
	}
	if (fine && o->status_file && o->scenario && eh_same_place(o->status_file, o->scenario)) {
		eh_usage("%s is the scenario; the status cannot go there", o->status_file);
		fine = false;
	}
	for (guint i = 0; fine && i < o->outputs->len; i++)
		fine = is_free(o, ((struct eh_output *)o->outputs->pdata[i])->path);
	return fine;
}
