/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short words for building a JSON schema. */
#ifndef EHSIM_SCENARIO_JSON_BUILD_H
#define EHSIM_SCENARIO_JSON_BUILD_H

#include <json-glib/json-glib.h>

static inline void put(JsonBuilder *b, const char *name, const char *text)
{
	json_builder_set_member_name(b, name);
	json_builder_add_string_value(b, text);
}

static inline void begin(JsonBuilder *b, const char *name)
{
	if (name)
		json_builder_set_member_name(b, name);
	json_builder_begin_object(b);
}

static inline void begin_list(JsonBuilder *b, const char *name)
{
	json_builder_set_member_name(b, name);
	json_builder_begin_array(b);
}

static inline void put_types(JsonBuilder *b, const char *const *types)
{
	begin_list(b, "type");
	for (; *types; types++)
		json_builder_add_string_value(b, *types);
	json_builder_end_array(b);
}

static inline void put_closed(JsonBuilder *b)
{
	json_builder_set_member_name(b, "additionalProperties");
	json_builder_add_boolean_value(b, FALSE);
}

static inline void put_words(JsonBuilder *b, const char *name, const char *const *words)
{
	begin_list(b, name);
	for (; *words; words++)
		json_builder_add_string_value(b, *words);
	json_builder_end_array(b);
}

static inline void put_ref(JsonBuilder *b, const char *type, const char *ending)
{
	char *path = g_strdup_printf("#/definitions/%s%s", type, ending);

	put(b, "$ref", path);
	g_free(path);
}

static inline void put_anything(JsonBuilder *b, const char *name, const char *type)
{
	begin(b, name);
	if (type)
		put(b, "type", type);
	json_builder_end_object(b);
}

#endif
