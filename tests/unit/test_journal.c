/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do processes that share a results directory, each opening it ever again, lose nothing of each other? */
#include <ehsim/result.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/cli/journal.h"
#include "suite.h"

#define PROCESSES 6
#define RUNS 60

static bool keep_all(const char *path, unsigned process)
{
	struct eh_point *run = eh_point_new(1);
	bool kept = true;

	for (unsigned i = 0; kept && i < RUNS; i++) {
		struct eh_journal *j = eh_journal_open(path, true); /* removes what nobody holds */
		char *key = g_strdup_printf("%032x%032x", process, i);

		kept = j && eh_journal_put(j, key, run);
		eh_journal_close(j);
		g_free(key);
	}
	eh_point_free(run);
	return kept;
}

START_TEST(shared)
{
	char *path = g_dir_make_tmp("ehsim-journal-XXXXXX", NULL);
	struct eh_journal *j;
	const char *name;
	guint files = 0;
	GDir *dir;

	for (unsigned i = 0; i < PROCESSES; i++)
		if (fork() == 0)
			_exit(keep_all(path, i) ? 0 : 1);
	for (unsigned i = 0; i < PROCESSES; i++) {
		int status = -1;

		wait(&status);
		ck_assert_int_eq(status, 0);
	}
	j = eh_journal_open(path, true);
	ck_assert_uint_eq(eh_journal_count(j), PROCESSES * RUNS);
	eh_journal_close(j);
	dir = g_dir_open(path, 0, NULL);
	while ((name = g_dir_read_name(dir))) {
		char *file = g_build_filename(path, name, NULL);

		files++;
		unlink(file);
		g_free(file);
	}
	ck_assert_uint_eq(files, PROCESSES * RUNS);
	g_dir_close(dir);
	rmdir(path);
	g_free(path);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("journal");
	TCase *t = tcase_create("journal");

	suite_add_tcase(s, t);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, shared);
	return run_suite(s);
}
