/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where things stand in the text of a JSON document (RFC 8259), for messages: json-glib reads
 * values but keeps no positions, and goes as deep as a text says. Internal to reports.
 */
#ifndef REPORT_JSON_TEXT_H
#define REPORT_JSON_TEXT_H

#include <glib.h>
#include <stdbool.h>

#define JSON_TEXT_DEPTH 64 /* arrays and objects within each other */

/*
 * NULL for a text that is one JSON value; else what is wrong, newly allocated, and its line and
 * column (from 1, columns count bytes).
 */
char *json_text_fault(const char *text, gsize length, int *line, int *column);

/*
 * Where the value at a path begins ({"points", "3", "seed", NULL}; elements of arrays by number) in
 * a text without fault; false: it is not there.
 */
bool json_text_find(const char *text, gsize length, const char *const *path, int *line,
		    int *column);

#endif
