/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report_files.h"

#include <glib/gstdio.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

enum { SUM = 64, BETWEEN = 2 };

/* NULL: no such file, or a link or something stranger. */
static char *sum_of(const char *path)
{
	char *text, *sum;
	struct stat st;
	gsize length;

	if (lstat(path, &st) || !S_ISREG(st.st_mode) || !g_file_get_contents(path, &text, &length, NULL))
		return NULL;
	sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, length);
	g_free(text);
	return sum;
}

/* A name as figures have them: nothing else is ever removed, whatever a list says. */
static bool is_figure(const char *name)
{
	static const char *const endings[] = {".csv", ".svg", ".png", ".gp", NULL};
	const char *dot = strchr(name, '.');

	if (!dot || dot == name || !g_strv_contains(endings, dot))
		return false;
	return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == (gsize)(dot - name);
}

void eh_report_files_remove(const char *dir)
{
	char *list = g_build_filename(dir, EH_REPORT_FILES, NULL), *text = NULL, *sum = sum_of(list);
	char **lines;

	if (!sum || !g_file_get_contents(list, &text, NULL, NULL))
		text = g_strdup("");
	g_free(sum);
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++) {
		const char *name = *line + SUM + BETWEEN;
		char *path;

		if (strlen(*line) <= SUM + BETWEEN || !is_figure(name))
			continue;
		path = g_build_filename(dir, name, NULL);
		sum = sum_of(path);
		if (sum && !strncmp(sum, *line, SUM))
			g_unlink(path);
		g_free(sum);
		g_free(path);
	}
	g_strfreev(lines);
	g_free(text);
	g_free(list);
}

char *eh_report_files_list(const char *dir, const GPtrArray *names)
{
	GString *list = g_string_new(NULL);

	for (guint i = 0; i < names->len; i++) {
		char *path = g_build_filename(dir, names->pdata[i], NULL), *sum = sum_of(path);

		if (sum)
			g_string_append_printf(list, "%s  %s\n", sum, (const char *)names->pdata[i]);
		g_free(sum);
		g_free(path);
	}
	return g_string_free(list, FALSE);
}
