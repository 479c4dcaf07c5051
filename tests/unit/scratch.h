/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For tests of scenarios: an empty folder to be in, and scenarios from text.
 */
#ifndef EHSIM_TESTS_SCRATCH_H
#define EHSIM_TESTS_SCRATCH_H

#include <check.h>
#include <ehsim/scenario.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <unistd.h>

static char *folder;

static inline void make_folder(void)
{
	folder = g_dir_make_tmp("ehsim-test-XXXXXX", NULL);
	ck_assert_ptr_nonnull(folder);
	ck_assert_int_eq(chdir(folder), 0);
}

static inline void drop_folder(void)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while ((name = g_dir_read_name(dir)))
		g_remove(name);
	g_dir_close(dir);
	ck_assert_int_eq(chdir("/"), 0);
	g_rmdir(folder);
	g_clear_pointer(&folder, g_free);
}

static inline void put(const char *file, const char *text)
{
	ck_assert(g_file_set_contents(file, text, -1, NULL));
}

/* All messages as text; the scenario is thrown away. */
static inline char *complaints(const char *text, const char *const *sets)
{
	struct eh_messages *msgs = eh_messages_new();
	struct eh_scenario *s;
	char *said = NULL;
	size_t size;
	FILE *to = open_memstream(&said, &size);

	put("t.yaml", text);
	s = eh_scenario_load("t.yaml", sets, msgs);
	eh_messages_print(msgs, to, FALSE);
	fclose(to);
	ck_assert((s == NULL) == (eh_messages_errors(msgs) > 0));
	eh_scenario_free(s);
	eh_messages_free(msgs);
	return said;
}

static inline struct eh_scenario *load(const char *text, const char *const *sets)
{
	struct eh_messages *msgs = eh_messages_new();
	struct eh_scenario *s;

	put("t.yaml", text);
	s = eh_scenario_load("t.yaml", sets, msgs);
	eh_messages_print(msgs, stderr, FALSE);
	eh_messages_free(msgs);
	ck_assert_ptr_nonnull(s);
	return s;
}

#endif
