/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which files of a report's folder are the program's own: figures.sha256 has the name of each figure's file
 * and the sum of what was written, as sha256sum -c reads it.
 */
#ifndef EHSIM_CLI_REPORT_FILES_H
#define EHSIM_CLI_REPORT_FILES_H

#include <glib.h>

#define EH_REPORT_FILES "figures.sha256"

/* Removes the files of an earlier report that are as they were written; whatever else is there stays. */
void eh_report_files_remove(const char *dir);
/* The list for these names (char *) as they are now; newly allocated. */
char *eh_report_files_list(const char *dir, const GPtrArray *names);

#endif
