/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preset.h"
#include <ehsim/nearest.h>
#include <string.h>

#define MACHINES "scenarios", "machines"
#define ENDING ".yaml"

/* The folders that may hold the shipped machines; the first that is there is the one. */
static char *shipped_folder(void)
{
	char *program = g_file_read_link("/proc/self/exe", NULL);
	char *here = program ? g_path_get_dirname(program) : g_strdup(".");
	const char *said = g_getenv("EHSIM_MACHINES");
	char *folders[] = {
		said && *said ? g_strdup(said) :
				g_build_filename(strcmp(here, EH_BUILD) ? here : EH_SOURCE,
						 MACHINES, NULL),
		g_build_filename(here, "..", "share", "ehsim", MACHINES, NULL),
		g_build_filename(EH_PKGDATADIR, MACHINES, NULL),
	};
	char *found = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
		if (!found && g_file_test(folders[i], G_FILE_TEST_IS_DIR))
			found = g_strdup(folders[i]);
		g_free(folders[i]);
	}
	g_free(here);
	g_free(program);
	return found;
}

static int by_name(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **eh_preset_names(void)
{
	GPtrArray *names = g_ptr_array_new();
	char *folder = shipped_folder();
	GDir *dir = folder ? g_dir_open(folder, 0, NULL) : NULL;
	const char *file;

	while (dir && (file = g_dir_read_name(dir)))
		if (g_str_has_suffix(file, ENDING))
			g_ptr_array_add(names, g_strndup(file, strlen(file) - strlen(ENDING)));
	if (dir)
		g_dir_close(dir);
	g_free(folder);
	g_ptr_array_sort(names, by_name);
	g_ptr_array_add(names, NULL);
	return (char **)g_ptr_array_free(names, FALSE);
}

static void no_such(const char *name, char **names, struct eh_place at, struct eh_messages *msgs)
{
	const char *near = eh_nearest(name, (const char *const *)names);
	char *list = g_strjoinv(", ", names);

	if (strchr(name, '/') || g_str_has_suffix(name, ENDING))
		eh_message(msgs, EH_ERROR, at,
			   "'preset' is the name of a shipped machine, not a file; write 'file: %s'",
			   name);
	else if (!*names)
		eh_message(msgs, EH_ERROR, at,
			   "no shipped machines are found; say in the environment variable "
			   "EHSIM_MACHINES in which folder they are");
	else if (near)
		eh_message(msgs, EH_ERROR, at, "no machine '%s'; did you mean '%s'? (one of %s)", name,
			   near, list);
	else
		eh_message(msgs, EH_ERROR, at, "no machine '%s'; it is one of %s", name, list);
	g_free(list);
}

char *eh_preset_path(const char *name, struct eh_place at, struct eh_messages *msgs)
{
	char **names = eh_preset_names();
	char *path = NULL;

	if (g_strv_contains((const char *const *)names, name)) {
		char *folder = shipped_folder(), *file = g_strconcat(name, ENDING, NULL);

		path = g_build_filename(folder, file, NULL);
		g_free(file);
		g_free(folder);
	} else {
		no_such(name, names, at, msgs);
	}
	g_strfreev(names);
	return path;
}
