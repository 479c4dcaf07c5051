/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw.h"
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#define PROGRAM "gnuplot"

char *eh_draw_scripts(void)
{
	char *program = g_file_read_link("/proc/self/exe", NULL);
	char *here = program ? g_path_get_dirname(program) : g_strdup(".");
	const char *said = g_getenv("EHSIM_PLOTS");
	char *folders[] = {
		said && *said ? g_strdup(said)
			      : g_build_filename(strcmp(here, EH_BUILD) ? here : EH_SOURCE, "plots",
						 NULL),
		g_build_filename(here, "..", "share", "ehsim", "plots", NULL),
		g_build_filename(EH_PKGDATADIR, "plots", NULL),
	};
	char *found = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
		char *style = g_build_filename(folders[i], "style.gp", NULL);

		if (!found && g_file_test(style, G_FILE_TEST_IS_REGULAR))
			found = g_strdup(folders[i]);
		g_free(style);
		g_free(folders[i]);
	}
	g_free(here);
	g_free(program);
	return found;
}

char **eh_draw_command(const struct eh_figure *f, const char *out)
{
	GPtrArray *words = g_ptr_array_new();

	/* -d: what stands in the user's ~/.gnuplot is not part of a figure */
	g_ptr_array_add(words, g_strdup(PROGRAM));
	g_ptr_array_add(words, g_strdup("-d"));
	g_ptr_array_add(words, g_strdup("-c"));
	g_ptr_array_add(words, g_strdup(f->script));
	g_ptr_array_add(words, g_strdup_printf("%s.csv", f->name));
	g_ptr_array_add(words, g_strdup(out));
	for (guint i = 0; i < f->args->len; i++)
		g_ptr_array_add(words, g_strdup(g_ptr_array_index(f->args, i)));
	g_ptr_array_add(words, NULL);
	return (char **)g_ptr_array_free(words, FALSE);
}

/* The first line of what it said, without what surrounds it. */
static char *first_line(const char *said)
{
	char **lines = g_strsplit(said ? said : "", "\n", -1);
	char *found = NULL;

	for (char **line = lines; !found && *line; line++)
		if (*g_strstrip(*line))
			found = g_strdup(*line);
	g_strfreev(lines);
	return found ? found : g_strdup("nothing");
}

static bool run(const char *folder, char **command, char **why)
{
	char *found = g_find_program_in_path(PROGRAM), *said = NULL;
	char **environment = g_environ_setenv(g_get_environ(), "LC_ALL", "C.UTF-8", TRUE);
	GError *error = NULL;
	int status;
	bool fine = false;

	if (!found) {
		*why = g_strdup("gnuplot is not installed (Debian: gnuplot-nox)");
	} else if (!g_spawn_sync(folder, command, environment,
				 G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
				 &said, &status, &error)) {
		*why = g_strdup(error->message);
		g_error_free(error);
	} else if (!g_spawn_check_wait_status(status, NULL)) {
		char *line = first_line(said);

		*why = g_strdup_printf("gnuplot failed and said: %s", line);
		g_free(line);
	} else {
		fine = true;
	}
	g_free(said);
	g_free(found);
	g_strfreev(environment);
	return fine;
}

static bool ends_with(const char *text, gsize length, const char *end, gsize n)
{
	return length >= n && !memcmp(text + length - n, end, n);
}

/* gnuplot does not look whether what it writes arrives: on a full disk the rest is missing. */
static const char *fault_of(const char *path, const char *ending)
{
	static const char png_end[] = "IEND\xae\x42\x60\x82", svg_end[] = "</svg>";
	const char *fault = "gnuplot wrote nothing";
	struct stat st;
	char *text;
	gsize length;

	if (lstat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return fault;
	if (!g_file_get_contents(path, &text, &length, NULL))
		return "the figure cannot be read";
	fault = "gnuplot wrote the beginning only; is the disk full?";
	if (!strcmp(ending, "png")) {
		if (ends_with(text, length, png_end, sizeof(png_end) - 1))
			fault = NULL;
	} else {
		while (length && g_ascii_isspace(text[length - 1]))
			length--;
		if (ends_with(text, length, svg_end, sizeof(svg_end) - 1))
			fault = NULL;
	}
	g_free(text);
	return fault;
}

bool eh_draw(const char *folder, const struct eh_figure *f, const char *ending, char **why)
{
	char *draft = g_strdup_printf("%s.draft.%s", f->name, ending),
	     *file = g_strdup_printf("%s.%s", f->name, ending);
	char *draft_path = g_build_filename(folder, draft, NULL),
	     *path = g_build_filename(folder, file, NULL);
	char **command = eh_draw_command(f, draft);
	const char *fault;
	bool fine;

	*why = NULL;
	g_unlink(draft_path); /* a link there would be followed */
	g_unlink(path);
	fine = run(folder, command, why);
	fault = fine ? fault_of(draft_path, ending) : NULL;
	if (fault) {
		*why = g_strdup(fault);
		fine = false;
	} else if (fine && g_rename(draft_path, path)) {
		*why = g_strdup("the figure cannot be renamed");
		fine = false;
	}
	if (!fine)
		g_unlink(draft_path);
	g_strfreev(command);
	g_free(draft_path);
	g_free(path);
	g_free(draft);
	g_free(file);
	return fine;
}
