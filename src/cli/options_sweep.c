/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options_sweep.h"
#include <ehsim/keys.h>
#include <string.h>

void eh_split_jobs(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (g_str_has_prefix(argv[i], "-j") && g_ascii_isdigit(argv[i][2])) {
			argv[i] = g_strdup_printf("--jobs=%s", argv[i] + 2);
			g_quark_from_static_string(argv[i]); /* kept as long as the program runs */
		}
}

/* I/N */
static bool take_slice(struct eh_options *o, const char *text)
{
	static const struct eh_key key = {
		.name = "slice", .kind = EH_KEY_INT, .min = "1", .max = "1000000"};
	char **parts = g_strsplit(text, "/", 2);
	int64_t i = 0, n = 0;
	bool fine = parts[0] && parts[1];

	if (!fine)
		eh_usage("--slice=%s: write it as I/N, for example 3/16", text);
	fine = fine && eh_take_number("--slice", parts[0], &key, &i) && eh_take_number("--slice", parts[1], &key, &n);
	if (fine && i > n) {
		eh_usage("--slice=%s: there are %s shares only", text, parts[1]);
		fine = false;
	}
	g_strfreev(parts);
	o->slice = (int)i;
	o->slices = (int)n;
	return fine;
}

bool eh_take_sweep(struct eh_options *o, const struct eh_sweep_words *w)
{
	static const struct eh_key jobs = {
		.name = "jobs", .kind = EH_KEY_INT, .min = "1", .max = "4096"};
	static const struct eh_key memory = {
		.name = "memory", .kind = EH_KEY_SIZE, .def = "100MB", .min = "1MiB", .max = "1000000GiB"};
	int64_t value = 0;

	if (!eh_take_number("--jobs", w->jobs, &jobs, &value))
		return false;
	o->jobs = (int)value;
	if (!eh_take_number("--memory", w->memory, &memory, &o->memory))
		return false;
	if (w->slice && o->point) {
		eh_usage("--point and --slice do not go together");
		return false;
	}
	for (char **dir = w->merge; dir && *dir; dir++)
		g_ptr_array_add(o->merge, g_strdup(*dir));
	o->results = g_strdup(w->results);
	return !w->slice || take_slice(o, w->slice);
}

/* One scenario; behind --merge directories may follow: a shell made them of one pattern. */
bool eh_take_files(struct eh_options *o, char **files)
{
	const char *scenario = NULL;

	for (; files && *files; files++) {
		if (o->merge->len && g_file_test(*files, G_FILE_TEST_IS_DIR)) {
			g_ptr_array_add(o->merge, g_strdup(*files));
			continue;
		}
		if (scenario) {
			eh_usage("one scenario at a time: '%s' or '%s'", scenario, *files);
			return false;
		}
		scenario = *files;
	}
	if (!scenario)
		eh_usage(o->report || o->plot ? "which scenario, or which RESULT.json?" : "which scenario?");
	else
		o->scenario = g_strdup(strcmp(scenario, "-") ? scenario : "/dev/stdin");
	return scenario != NULL;
}

void eh_sweep_words_clear(struct eh_sweep_words *w)
{
	g_free(w->jobs);
	g_free(w->memory);
	g_free(w->results);
	g_free(w->slice);
	g_strfreev(w->merge);
}
