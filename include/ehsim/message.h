/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages to the user, located like a compiler's: "crr.yaml:5:27: error: unknown key 'delai'".
 * They are collected, sorted by file, line and column, and printed by whoever asked.
 */
#ifndef EHSIM_MESSAGE_H
#define EHSIM_MESSAGE_H

#include <glib.h>
#include <stdio.h>

enum eh_level { EH_NOTE, EH_WARNING, EH_ERROR };

struct eh_place {
	const char *file; /* interned or outliving the messages */
	int line, column; /* 1-based; 0: not known */
};

struct eh_messages;

struct eh_messages *eh_messages_new(void);
void eh_messages_free(struct eh_messages *m);
/* A note belongs to the message added before it and stays behind it when sorted. */
void eh_message(struct eh_messages *m, enum eh_level level, struct eh_place at, const char *fmt, ...)
	G_GNUC_PRINTF(4, 5);
/* Text of the file, so that the line and a caret can be shown under a message. Copied. */
void eh_messages_text(struct eh_messages *m, const char *file, const char *text);
int eh_messages_errors(const struct eh_messages *m);
void eh_messages_print(const struct eh_messages *m, FILE *to, gboolean color);

/*
 * The text without what must not reach a terminal: '?' for control characters, valid UTF-8. Takes the
 * text over and returns it or a new one.
 */
char *eh_harmless(char *text);
/* One harmless line. */
void eh_say(FILE *to, const char *fmt, ...) G_GNUC_PRINTF(2, 3);

#endif
