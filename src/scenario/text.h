/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of a scenario before anyone reads them as YAML: is it a regular file of reasonable
 * size, is it text?
 */
#ifndef EHSIM_SCENARIO_TEXT_H
#define EHSIM_SCENARIO_TEXT_H

#include <ehsim/message.h>
#include <stdbool.h>

#define EH_EMPTY "is empty; a scenario is a map of sections, for example: run: {length: 10s}"

/*
 * Standard input or a pipe of the shell (/dev/stdin, /dev/fd/N): what is read to its end though it is
 * no regular file, and has no folder of its own.
 */
bool eh_text_is_stream(const char *file);

/* The whole file, newly allocated, with a 0 behind it; NULL and a message if it cannot be read. */
char *eh_text_read(const char *file, gsize *length, struct eh_messages *msgs);

/*
 * False and one message if it is empty, not UTF-8, has a byte order mark, control characters or
 * tabs as indentation. A text is handed to the messages, so that they can show its lines. `file`
 * must be interned.
 */
bool eh_text_check(const char *file, const char *text, gsize length, struct eh_messages *msgs);

/* What the folder has in place of a file that is not there; NULL if nothing is near. */
char *eh_text_nearest_file(const char *file);

/* syntax.c: how to mend what libyaml calls `problem`; NULL if nobody knows. */
const char *eh_syntax_hint(const char *problem);

#endif
