/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report_dir.h"
#include "draw.h"
#include "report_files.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STYLE "style.gp" /* which every script loads */

static bool complain(const char *path, int error)
{
	eh_say(stderr, "ehsim: %s cannot be written: %s", path, g_strerror(error));
	return false;
}

static bool is_empty(const char *dir)
{
	GDir *d = g_dir_open(dir, 0, NULL);
	bool empty = d && !g_dir_read_name(d);

	if (d)
		g_dir_close(d);
	return empty;
}

/* False, and said, if a folder has the name of a file that is to be written. */
static bool is_free(const char *dir, const char *name)
{
	char *path = g_build_filename(dir, name, NULL);
	bool fine = !g_file_test(path, G_FILE_TEST_IS_DIR) || complain(path, EISDIR);

	g_free(path);
	return fine;
}

bool eh_report_dir_possible(const char *dir, bool force)
{
	static const char *const always[] = {"index.html", "figures.sh", "result.json", "scenario.yaml",
					     EH_REPORT_FILES};
	bool there = g_file_test(dir, G_FILE_TEST_IS_DIR);

	if (!there && g_mkdir_with_parents(dir, 0777))
		return complain(dir, errno);
	if (access(dir, R_OK | W_OK | X_OK))
		return complain(dir, errno);
	if (there && !force && !is_empty(dir)) {
		eh_say(stderr, "ehsim: %s is not empty; --force writes the report into it", dir);
		return false;
	}
	for (guint i = 0; i < G_N_ELEMENTS(always); i++)
		if (!is_free(dir, always[i]))
			return false;
	return true;
}

static bool put(const char *dir, const char *name, const char *text, gsize length)
{
	char *path = g_build_filename(dir, name, NULL);
	GError *error = NULL;
	bool fine = is_free(dir, name) &&
		    g_file_set_contents_full(path, text, (gssize)length,
					     G_FILE_SET_CONTENTS_CONSISTENT, 0666, &error);

	if (error) {
		eh_say(stderr, "ehsim: %s", error->message);
		g_error_free(error);
	}
	g_free(path);
	return fine;
}

static bool copy_script(const char *from, const char *dir, const char *name)
{
	char *path = from ? g_build_filename(from, name, NULL) : NULL, *text = NULL;
	gsize length;
	bool fine;

	if (!path || !g_file_get_contents(path, &text, &length, NULL)) {
		eh_say(stderr,
		       "ehsim: the script %s is not found; say in the environment variable "
		       "EHSIM_PLOTS in which "
		       "folder it is",
		       name);
		g_free(path);
		return false;
	}
	fine = put(dir, name, text, length);
	g_free(text);
	g_free(path);
	return fine;
}

static void add_command(GString *script, const struct eh_figure *f, const char *ending)
{
	char *out = g_strdup_printf("%s.%s", f->name, ending);
	char **command = eh_draw_command(f, out);

	for (char **word = command; *word; word++) {
		char *quoted = g_shell_quote(*word);

		g_string_append_printf(script, "%s%s", word == command ? "" : " ", quoted);
		g_free(quoted);
	}
	g_string_append_c(script, '\n');
	g_strfreev(command);
	g_free(out);
}

/* Data, scripts and the commands that draw: all that is needed without us. */
static bool put_sources(const char *dir, const GPtrArray *figures)
{
	GString *script = g_string_new(
		"#!/bin/sh\n# Draws the figures of this folder anew, with gnuplot 5.4.\n"
		"cd \"$(dirname \"$0\")\" || exit 1\n"
		"LC_ALL=C.UTF-8\nexport LC_ALL\n");
	GPtrArray *scripts = g_ptr_array_new();
	char *from = eh_draw_scripts();
	bool fine = true;

	if (figures->len)
		g_ptr_array_add(scripts, (char *)STYLE);
	for (guint i = 0; i < figures->len; i++) {
		const struct eh_figure *f = g_ptr_array_index(figures, i);
		char *name = g_strdup_printf("%s.csv", f->name);

		fine &= put(dir, name, f->data->str, f->data->len);
		if (!g_ptr_array_find_with_equal_func(scripts, f->script, g_str_equal, NULL))
			g_ptr_array_add(scripts, (char *)f->script);
		add_command(script, f, "svg");
		add_command(script, f, "png");
		g_free(name);
	}
	for (guint i = 0; i < scripts->len; i++)
		fine &= copy_script(from, dir, g_ptr_array_index(scripts, i));
	fine &= put(dir, "figures.sh", script->str, script->len);
	g_string_free(script, TRUE);
	g_ptr_array_unref(scripts);
	g_free(from);
	return fine;
}

/* The picture of one; what goes wrong is said once for each reason. */
static bool draw(const char *dir, struct eh_figure *f, GString *said)
{
	static const char *const endings[] = {"svg", "png"};
	bool fine = true;

	for (guint i = 0; i < G_N_ELEMENTS(endings); i++) {
		char *why;

		if (eh_draw(dir, f, endings[i], &why))
			continue;
		fine = false;
		if (!strstr(said->str, why)) {
			eh_say(stderr, "ehsim: %s.%s was not drawn: %s", f->name, endings[i], why);
			g_string_append_printf(said, "%s\n", why);
		}
		g_free(why);
	}
	if (fine) {
		char *name = g_strdup_printf("%s.svg", f->name),
		     *path = g_build_filename(dir, name, NULL);

		g_clear_pointer(&f->svg, g_free);
		fine = g_file_get_contents(path, &f->svg, NULL, NULL);
		g_free(path);
		g_free(name);
	}
	return fine;
}

/* What this report's figures left. */
static bool put_list(const char *dir, const GPtrArray *figures)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	char *text;
	bool fine;

	g_ptr_array_add(names, g_strdup(STYLE));
	for (guint i = 0; i < figures->len; i++) {
		static const char *const endings[] = {"csv", "svg", "png"};
		const struct eh_figure *f = g_ptr_array_index(figures, i);

		for (guint k = 0; k < G_N_ELEMENTS(endings); k++)
			g_ptr_array_add(names, g_strdup_printf("%s.%s", f->name, endings[k]));
		if (!g_ptr_array_find_with_equal_func(names, f->script, g_str_equal, NULL))
			g_ptr_array_add(names, g_strdup(f->script));
	}
	text = eh_report_files_list(dir, names);
	fine = put(dir, EH_REPORT_FILES, text, strlen(text));
	g_free(text);
	g_ptr_array_unref(names);
	return fine;
}

bool eh_report_dir_write(const char *dir, struct eh_book *page, const struct eh_report_file *more,
			 bool quiet)
{
	GPtrArray *figures = eh_book_figures(page);
	GString *said = g_string_new(NULL), *html = g_string_new(NULL);
	bool written, drawn = true;

	eh_report_files_remove(dir);
	written = put_sources(dir, figures);
	for (; more->name; more++)
		written &= put(dir, more->name, more->text, strlen(more->text));
	for (guint i = 0; i < figures->len; i++)
		drawn &= draw(dir, g_ptr_array_index(figures, i), said);
	if (!drawn)
		eh_say(stderr,
		       "ehsim: data and scripts are in %s; when gnuplot works, 'sh figures.sh' "
		       "there draws the figures, "
		       "and ehsim --force --report with the same results puts them into the page",
		       dir);
	written &= put_list(dir, figures);
	eh_book_html(page, html);
	written &= put(dir, "index.html", html->str, html->len);
	if (written && !quiet)
		eh_say(stderr, "ehsim: the report is %s/index.html", dir);
	g_string_free(said, TRUE);
	g_string_free(html, TRUE);
	return written && drawn;
}
