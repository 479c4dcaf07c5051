/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of every test program. */
#ifndef TESTS_UNIT_SUITE_H
#define TESTS_UNIT_SUITE_H

#include <check.h>

/* Runs it (CK_FORK, CK_RUN_CASE and CK_VERBOSITY as Check knows them); what main returns. */
static inline int run_suite(Suite *s)
{
	SRunner *r = srunner_create(s);
	int failed;

	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}

#endif
