/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of a JSON object, a line each; a number that does not exist is null. Internal to reports. */
#ifndef REPORT_JSON_PUT_H
#define REPORT_JSON_PUT_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static inline void add_text(JsonBuilder *b, const char *text)
{
	char *valid;

	if (!text) {
		json_builder_add_null_value(b);
		return;
	}
	valid = g_utf8_make_valid(text, -1);
	json_builder_add_string_value(b, valid);
	g_free(valid);
}

static inline void put_text(JsonBuilder *b, const char *name, const char *text)
{
	json_builder_set_member_name(b, name);
	add_text(b, text);
}

static inline void add_real(JsonBuilder *b, double x)
{
	if (!isfinite(x))
		json_builder_add_null_value(b);
	else
		json_builder_add_double_value(b, x == 0 ? 0 : x); /* no "-0" */
}

static inline void put_real(JsonBuilder *b, const char *name, double x)
{
	json_builder_set_member_name(b, name);
	add_real(b, x);
}

static inline void put_int(JsonBuilder *b, const char *name, int64_t x)
{
	json_builder_set_member_name(b, name);
	json_builder_add_int_value(b, x);
}

static inline void put_bool(JsonBuilder *b, const char *name, bool x)
{
	json_builder_set_member_name(b, name);
	json_builder_add_boolean_value(b, x);
}

static inline void begin_object(JsonBuilder *b, const char *name)
{
	json_builder_set_member_name(b, name);
	json_builder_begin_object(b);
}

static inline void begin_array(JsonBuilder *b, const char *name)
{
	json_builder_set_member_name(b, name);
	json_builder_begin_array(b);
}

#endif
