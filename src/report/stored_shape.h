/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is a JSON document a result of schema ehsim-result/1? All that reports read is looked at, members
 * that they do not know are let pass. Internal to reports.
 */
#ifndef REPORT_STORED_SHAPE_H
#define REPORT_STORED_SHAPE_H

#include <ehsim/message.h>
#include <json-glib/json-glib.h>
#include <stdbool.h>

#define STORED_SCHEMA "ehsim-result/1"

/* Messages with line and column for what is wrong (the first ten), and false. */
bool stored_shape_check(const char *file, const char *text, gsize length, JsonNode *root,
			struct eh_messages *msgs);

#endif
