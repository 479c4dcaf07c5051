/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A results directory: one file per finished run, named after its key (record.h), so that finished runs
 * are found again by what they are and nothing else can take their place.
 *
 * A file is there whole or not at all: it is written under a temporary name, brought to the disk
 * (fsync), renamed, and the directory brought to the disk. Several processes may share a directory,
 * also through NFS; of two that make the same run the later one wins, with the same numbers. A
 * temporary file is locked while it is written: one that nobody holds was left by a process that died,
 * and is removed when the directory is opened.
 *
 * Names in a directory are keys of this program's making. None comes from a scenario or a result, so
 * nothing is written or removed outside.
 */
#ifndef EHSIM_CLI_JOURNAL_H
#define EHSIM_CLI_JOURNAL_H

#include <ehsim/result.h>
#include <stdbool.h>

struct eh_journal;

/* Made if it is not there and `create`. NULL and a message on stderr if it cannot be used. */
struct eh_journal *eh_journal_open(const char *path, bool create);
void eh_journal_close(struct eh_journal *j);
const char *eh_journal_path(const struct eh_journal *j);

enum eh_found { EH_FOUND, EH_ABSENT, EH_BROKEN };

/* The run of that key into `run`, fresh from eh_point_new. Broken: *bad is a located sentence, newly allocated. */
enum eh_found eh_journal_find(const struct eh_journal *j, const char *key, struct eh_point *run, char **bad);

/* False and a message on stderr; the directory is as before then. */
bool eh_journal_put(struct eh_journal *j, const char *key, const struct eh_point *run);

/* Records there, of whatever version. */
guint eh_journal_count(const struct eh_journal *j);

#endif
