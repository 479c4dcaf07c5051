/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where results go: whole or not at all.
 *
 * A file is written under a temporary name in its folder and renamed. What is there and is no
 * regular file (/dev/null, a pipe) is written to directly. The empty path (NULL) and "-" are
 * stdout.
 */
#ifndef EHSIM_CLI_OUTPUT_H
#define EHSIM_CLI_OUTPUT_H

#include <glib.h>
#include <stdbool.h>

/*
 * Before anything else is opened: give descriptors 0 to 2 that the caller closed something
 * harmless, so that no file of ours becomes "stdout". Writing to a closed stdout still fails.
 */
void eh_output_guard(void);

/* Can it be written later? Else a message on stderr and false. */
bool eh_output_possible(const char *path, bool force);

/* Write all of `text`; a message on stderr and false if that fails. */
bool eh_output_write(const char *path, bool force, const char *text, gsize length);

/* To the end of it; false and errno. */
bool eh_write_all(int fd, const char *text, gsize length);

#endif
