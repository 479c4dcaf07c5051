/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json_build.h"
#include "settings.h"
#include <ehsim/quantity.h>
#include <ehsim/schema.h>
#include <string.h>

/* What a key's value may be is said once per type and range, in "definitions", by this name. */
static char *type_name(const struct eh_section *section, const struct eh_key *key)
{
	static const char *const names[] = {
		[EH_KEY_BOOL] = "bool",	  [EH_KEY_INT] = "int",	    [EH_KEY_TIME] = "time",
		[EH_KEY_SIZE] = "size",	  [EH_KEY_RATE] = "rate",   [EH_KEY_FREQ] = "frequency",
		[EH_KEY_SHARE] = "share", [EH_KEY_REAL] = "number", [EH_KEY_STRING] = "text",
	};

	if (key->kind == EH_KEY_ENUM)
		return g_strdup_printf("%s.%s", section->name, key->name);
	if ((key->kind == EH_KEY_INT || key->kind == EH_KEY_REAL) && (key->min || key->max))
		return g_strdup_printf("%s_%s_to_%s", names[key->kind], key->min ? key->min : "",
				       key->max ? key->max : "");
	return g_strdup(names[key->kind]);
}

static void put_number(JsonBuilder *b, const char *name, const struct eh_key *key, const char *text)
{
	double d;

	if (!text)
		return;
	json_builder_set_member_name(b, name);
	if (key->kind == EH_KEY_REAL && eh_real_parse(text, &d))
		json_builder_add_double_value(b, d);
	else
		json_builder_add_int_value(b, g_ascii_strtoll(text, NULL, 10));
}

static void put_bounds(JsonBuilder *b, const struct eh_key *key)
{
	put(b, "type", key->kind == EH_KEY_INT ? "integer" : "number");
	put_number(b, "minimum", key, key->min);
	put_number(b, "maximum", key, key->max);
}

static void put_bools(JsonBuilder *b)
{
	begin_list(b, "enum");
	json_builder_add_boolean_value(b, TRUE);
	json_builder_add_boolean_value(b, FALSE);
	for (int i = 0; eh_bool_words[i]; i++)
		json_builder_add_string_value(b, eh_bool_words[i]);
	json_builder_end_array(b);
}

/* YAML 1.1 readers take the words on and off for true and false. */
static void put_key_words(JsonBuilder *b, const struct eh_key *key)
{
	bool truths = false;

	begin_list(b, "enum");
	for (int i = 0; eh_key_word(key, i); i++) {
		json_builder_add_string_value(b, eh_key_word(key, i));
		truths = truths || g_strv_contains(eh_bool_words, eh_key_word(key, i));
	}
	for (int i = 0; truths && i < 2; i++)
		json_builder_add_boolean_value(b, i);
	json_builder_end_array(b);
}

/* One value, bare. */
static void put_type(JsonBuilder *b, const struct eh_key *key)
{
	static const char *const texts[] = {"string", "number", NULL};
	enum eh_dimension dim;
	char *pattern;

	if (key->kind == EH_KEY_INT || key->kind == EH_KEY_REAL) {
		put_bounds(b, key);
	} else if (eh_key_dimension(key->kind, &dim)) {
		pattern = eh_quantity_pattern(dim);
		put(b, "type", "string");
		put(b, "pattern", pattern);
		g_free(pattern);
	} else if (key->kind == EH_KEY_SHARE) {
		put(b, "type", "string");
		put(b, "pattern", "^[0-9.]+([eE][+-]?[0-9]+)? *%$");
	} else if (key->kind == EH_KEY_BOOL) {
		put_bools(b);
	} else if (key->kind == EH_KEY_ENUM) {
		put_key_words(b, key);
	} else {
		put_types(b, texts);
	}
}

/* The value of a type, or {value:, origin:, source:}. */
static void put_with_origin(JsonBuilder *b, const char *type)
{
	begin_list(b, "anyOf");
	begin(b, NULL);
	put_ref(b, type, "");
	json_builder_end_object(b);
	begin(b, NULL);
	put(b, "type", "object");
	put_closed(b);
	begin(b, "properties");
	begin(b, "value");
	put_ref(b, type, "");
	json_builder_end_object(b);
	begin(b, "origin");
	put_words(b, "enum", eh_origin_words);
	json_builder_end_object(b);
	put_anything(b, "source", "string");
	json_builder_end_object(b);
	begin_list(b, "required");
	json_builder_add_string_value(b, "value");
	json_builder_end_array(b);
	json_builder_end_object(b);
	json_builder_end_array(b);
}

static void put_range_end(JsonBuilder *b, const char *name, const char *type)
{
	begin(b, name);
	put_ref(b, type, "");
	json_builder_end_object(b);
}

/* {from:, to:, and either times: or step:} */
static void put_range(JsonBuilder *b, const char *type)
{
	static const char *const needed[] = {"from", "to", NULL};

	begin(b, NULL);
	put(b, "type", "object");
	put_closed(b);
	begin(b, "properties");
	put_range_end(b, "from", type);
	put_range_end(b, "to", type);
	put_anything(b, "step", NULL);
	put_anything(b, "times", "number");
	json_builder_end_object(b);
	put_words(b, "required", needed);
	begin_list(b, "oneOf");
	for (int i = 0; i < 2; i++) {
		const char *const one[] = {i ? "times" : "step", NULL};

		begin(b, NULL);
		put_words(b, "required", one);
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
	json_builder_end_object(b);
}

static void put_sweep(JsonBuilder *b, const char *type, bool ranged)
{
	begin_list(b, "anyOf");
	begin(b, NULL);
	put_ref(b, type, "_with_origin");
	json_builder_end_object(b);
	begin(b, NULL);
	put(b, "type", "array");
	json_builder_set_member_name(b, "minItems");
	json_builder_add_int_value(b, 1);
	begin(b, "items");
	put_ref(b, type, "_with_origin");
	json_builder_end_object(b);
	json_builder_end_object(b);
	if (ranged)
		put_range(b, type);
	json_builder_end_array(b);
}

/* ... or a list of them: then it is swept; numbers also as a range. */
static void put_list(JsonBuilder *b, const char *type)
{
	put_sweep(b, type, false);
}

static void put_list_or_range(JsonBuilder *b, const char *type)
{
	put_sweep(b, type, true);
}

static void define(JsonBuilder *b, const char *type, const char *ending,
		   void (*put_it)(JsonBuilder *b, const char *type))
{
	char *name = g_strconcat(type, ending, NULL);

	begin(b, name);
	put_it(b, type);
	json_builder_end_object(b);
	g_free(name);
}

static void put_types_of(JsonBuilder *b, const struct eh_section *section, GHashTable *seen)
{
	for (const struct eh_key *key = section->keys; key->name; key++) {
		char *type = type_name(section, key);

		if (!g_hash_table_contains(seen, type)) {
			begin(b, type);
			put_type(b, key);
			json_builder_end_object(b);
			define(b, type, "_with_origin", put_with_origin);
			define(b, type, "_or_sweep",
			       eh_range_possible(key) ? put_list_or_range : put_list);
		}
		g_hash_table_add(seen, type);
	}
}

static void put_default(JsonBuilder *b, const struct eh_key *key)
{
	if (key->kind == EH_KEY_INT || key->kind == EH_KEY_REAL) {
		put_number(b, "default", key, key->def);
	} else if (key->kind == EH_KEY_BOOL) {
		json_builder_set_member_name(b, "default");
		json_builder_add_boolean_value(b, !strcmp(key->def, "true"));
	} else {
		put(b, "default", key->def);
	}
}

static void put_key(JsonBuilder *b, const struct eh_section *section, const struct eh_key *key)
{
	char *type = type_name(section, key), *range = eh_key_range(key);
	char *text = g_strdup_printf(
		"%s\n%s%s%sDefault: %s (%s%s%s)", key->help, range ? "Range: " : "",
		range ? range : "", range ? ". " : "", *key->def ? key->def : "\"\"",
		eh_origin_words[key->origin], eh_key_source(key) ? ": " : "",
		eh_key_source(key) ? key->source : "");

	put(b, "description", text);
	put_default(b, key);
	begin_list(b, "allOf");
	begin(b, NULL);
	put_ref(b, type, eh_key_swept(section, key) ? "_or_sweep" : "");
	json_builder_end_object(b);
	json_builder_end_array(b);
	g_free(text);
	g_free(range);
	g_free(type);
}

static void put_below(JsonBuilder *b, const struct eh_section *section, const char *prefix)
{
	const char **words = eh_next_words(section, prefix);

	put_closed(b);
	begin(b, "properties");
	for (const char **word = words; *word; word++) {
		char *name = g_strconcat(prefix, *word, NULL);
		const struct eh_key *key = eh_keys_find(section->keys, name);

		begin(b, *word);
		if (key) {
			put_key(b, section, key);
		} else {
			char *inner = g_strconcat(name, ".", NULL);

			put(b, "type", "object");
			put_below(b, section, inner);
			g_free(inner);
		}
		json_builder_end_object(b);
		g_free(name);
	}
	json_builder_end_object(b);
	g_free(words);
}

static void put_section(JsonBuilder *b, const struct eh_section *section)
{
	static const char *const types[] = {"object", "null", NULL};

	begin(b, section->name);
	put(b, "description", section->help);
	put_types(b, types);
	put_below(b, section, "");
	json_builder_end_object(b);
}

/* What a machine file may hold: the section, but no other file, and a description. */
static void put_machine_file(JsonBuilder *b)
{
	const struct eh_section *machine = eh_section_find("machine");
	const char **words = eh_next_words(machine, "");

	begin(b, "machine_file");
	put(b, "type", "object");
	put_closed(b);
	begin(b, "properties");
	put_anything(b, "description", "string");
	for (const char **word = words; *word; word++) {
		const struct eh_key *key = eh_keys_find(machine->keys, *word);
		char *path;

		if (key && !eh_key_swept(machine, key))
			continue;
		path = g_strdup_printf("#/definitions/machine/properties/%s", *word);
		begin(b, *word);
		put(b, "$ref", path);
		json_builder_end_object(b);
		g_free(path);
	}
	json_builder_end_object(b);
	json_builder_end_object(b);
	g_free(words);
}

/* Full names of all keys: what `when` may speak of. */
static void put_key_names(JsonBuilder *b)
{
	begin(b, "key");
	begin_list(b, "enum");
	for (const struct eh_section *section = eh_sections; section->name; section++) {
		for (const struct eh_key *key = section->keys; key->name; key++) {
			char *name = g_strdup_printf("%s.%s", section->name, key->name);

			json_builder_add_string_value(b, name);
			g_free(name);
		}
	}
	json_builder_end_array(b);
	json_builder_end_object(b);
}

static void put_expect(JsonBuilder *b)
{
	static const char *const lists[] = {"array", "null", NULL};
	static const char *const needed[] = {"metric", "published", NULL};

	begin(b, "expect");
	put(b, "description", "Published figures that simulated ones are compared with.");
	put_types(b, lists);
	begin(b, "items");
	put(b, "type", "object");
	put_words(b, "required", needed);
	put_closed(b);
	begin(b, "properties");
	for (const struct eh_expect_word *word = eh_expect_words; word->name; word++) {
		begin(b, word->name);
		put(b, "description", word->help);
		if (!strcmp(word->name, "metric")) {
			begin_list(b, "anyOf");
			begin(b, NULL);
			put_words(b, "enum", eh_metric_words);
			json_builder_end_object(b);
			begin(b, NULL);
			put(b, "type", "string");
			put(b, "pattern", "^profile\\.(client|server)\\..");
			json_builder_end_object(b);
			json_builder_end_array(b);
		} else if (!strcmp(word->name, "when")) {
			put(b, "type", "object");
			begin(b, "propertyNames");
			put_ref(b, "key", "");
			json_builder_end_object(b);
		}
		json_builder_end_object(b);
	}
	json_builder_end_object(b);
	json_builder_end_object(b);
	json_builder_end_object(b);
}

/* A list of keys, or several. */
static void put_zip(JsonBuilder *b)
{
	begin(b, "zip");
	put(b, "description", "Keys whose lists go in step, or a list of such lists.");
	put(b, "type", "array");
	begin(b, "items");
	begin_list(b, "anyOf");
	begin(b, NULL);
	put_ref(b, "key", "");
	json_builder_end_object(b);
	begin(b, NULL);
	put(b, "type", "array");
	begin(b, "items");
	put_ref(b, "key", "");
	json_builder_end_object(b);
	json_builder_end_object(b);
	json_builder_end_array(b);
	json_builder_end_object(b);
	json_builder_end_object(b);
}

static void put_root(JsonBuilder *b)
{
	GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	put(b, "$schema", "http://json-schema.org/draft-07/schema#");
	put(b, "title", "A scenario of ehsim");
	put(b, "type", "object");
	put_closed(b);
	begin(b, "properties");
	begin(b, "description");
	put(b, "description", "What the scenario shows, in one sentence.");
	put(b, "type", "string");
	json_builder_end_object(b);
	for (const struct eh_section *section = eh_sections; section->name; section++) {
		begin(b, section->name);
		put_ref(b, section->name, "");
		json_builder_end_object(b);
	}
	put_zip(b);
	put_expect(b);
	json_builder_end_object(b);
	begin(b, "definitions");
	for (const struct eh_section *section = eh_sections; section->name; section++)
		put_section(b, section);
	put_machine_file(b);
	put_key_names(b);
	for (const struct eh_section *section = eh_sections; section->name; section++)
		put_types_of(b, section, seen);
	json_builder_end_object(b);
	g_hash_table_unref(seen);
}

char *eh_schema_json(void)
{
	JsonBuilder *b = json_builder_new();
	JsonGenerator *g = json_generator_new();
	char *text, *out;
	JsonNode *root;

	json_builder_begin_object(b);
	put_root(b);
	json_builder_end_object(b);
	root = json_builder_get_root(b);
	json_generator_set_pretty(g, TRUE);
	json_generator_set_indent(g, 1);
	json_generator_set_root(g, root);
	text = json_generator_to_data(g, NULL);
	out = g_strconcat(text, "\n", NULL);
	g_free(text);
	json_node_unref(root);
	g_object_unref(g);
	g_object_unref(b);
	return out;
}
