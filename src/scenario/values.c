/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "settings.h"
#include <ehsim/workload.h>
#include <string.h>

void *eh_section_of(const struct eh_section *section, struct eh_values *v)
{
	return (char *)v + section->offset;
}

void eh_values_init(struct eh_values *v)
{
	memset(v, 0, sizeof(*v));
	for (const struct eh_section *section = eh_sections; section->name; section++)
		eh_keys_defaults(section->keys, eh_section_of(section, v));
}

void eh_values_clear(struct eh_values *v)
{
	for (const struct eh_section *section = eh_sections; section->name; section++)
		eh_keys_clear(section->keys, eh_section_of(section, v));
}

void eh_values_copy(struct eh_values *to, const struct eh_values *from)
{
	*to = *from;
	for (const struct eh_section *section = eh_sections; section->name; section++) {
		for (const struct eh_key *key = section->keys; key->name; key++) {
			char **text = (char **)((char *)eh_section_of(section, to) + key->offset);

			if (key->kind == EH_KEY_STRING)
				*text = g_strdup(*text);
		}
	}
}

uint64_t eh_repeat_seed(const struct eh_values *v, int k)
{
	return ((uint64_t)v->run.seed + (uint64_t)k) & INT64_MAX;
}

void eh_choice_free(void *p)
{
	struct eh_choice *choice = p;

	g_free(choice->text);
	g_free(choice->source);
	g_free(choice);
}

void eh_expect_row_free(void *p)
{
	struct eh_expect_row *row = p;

	g_free(row->metric);
	g_free(row->row);
	g_clear_pointer(&row->when, g_ptr_array_unref);
	g_free(row->note);
	g_free(row);
}

static void setting_free(void *p)
{
	struct eh_setting *setting = p;

	g_ptr_array_unref(setting->choices);
	g_free(setting->def);
	g_free(setting);
}

static struct eh_setting *setting_new(const struct eh_section *section, const struct eh_key *key,
				      struct eh_values *defaults)
{
	struct eh_setting *setting = g_new0(struct eh_setting, 1);

	setting->section = section;
	setting->key = key;
	setting->def = eh_key_print(key, eh_section_of(section, defaults));
	setting->choices = g_ptr_array_new_with_free_func(eh_choice_free);
	return setting;
}

struct eh_scenario *eh_scenario_new(const char *file)
{
	struct eh_scenario *s = g_new0(struct eh_scenario, 1);
	struct eh_values defaults;

	s->file = g_strdup(file);
	s->description = g_strdup("");
	s->settings = g_ptr_array_new_with_free_func(setting_free);
	s->axes = g_ptr_array_new();
	s->zips = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
	s->expect = g_ptr_array_new_with_free_func(eh_expect_row_free);
	s->named = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	eh_values_init(&defaults);
	for (const struct eh_section *section = eh_sections; section->name; section++)
		for (const struct eh_key *key = section->keys; key->name; key++) {
			struct eh_setting *setting = setting_new(section, key, &defaults);

			g_ptr_array_add(s->settings, setting);
			g_hash_table_insert(s->named, eh_setting_name(setting), setting);
		}
	eh_values_clear(&defaults);
	return s;
}

void eh_scenario_free(struct eh_scenario *s)
{
	if (!s)
		return;
	g_free(s->file);
	g_free(s->sha256);
	g_free(s->description);
	g_ptr_array_unref(s->axes);
	g_ptr_array_unref(s->zips);
	g_hash_table_unref(s->named);
	g_ptr_array_unref(s->settings);
	g_ptr_array_unref(s->expect);
	g_free(s);
}

struct eh_setting *eh_setting_find(const struct eh_scenario *s, const struct eh_key *key)
{
	for (guint i = 0; i < s->settings->len; i++) {
		struct eh_setting *setting = g_ptr_array_index(s->settings, i);

		if (setting->key == key)
			return setting;
	}
	return NULL;
}

struct eh_setting *eh_setting_named(const struct eh_scenario *s, const char *name)
{
	return g_hash_table_lookup(s->named, name);
}

char *eh_setting_name(const struct eh_setting *setting)
{
	return g_strdup_printf("%s.%s", setting->section->name, setting->key->name);
}

static const struct eh_choice *choice_of(const struct eh_setting *setting, guint choice)
{
	return setting->choices->len ? g_ptr_array_index(setting->choices, choice) : NULL;
}

const char *eh_setting_text(const struct eh_setting *setting, guint choice)
{
	const struct eh_choice *c = choice_of(setting, choice);

	return c ? c->text : setting->def;
}

enum eh_origin eh_setting_origin(const struct eh_setting *setting, guint choice)
{
	const struct eh_choice *c = choice_of(setting, choice);

	return c ? c->origin : setting->key->origin;
}

const char *eh_setting_source(const struct eh_setting *setting, guint choice)
{
	const struct eh_choice *c = choice_of(setting, choice);

	return c ? c->source : eh_key_source(setting->key);
}

bool eh_setting_taken(const struct eh_scenario *s, const struct eh_setting *setting)
{
	const struct eh_setting *kind = eh_setting_named(s, "workload.kind");

	for (guint i = 0; i < MAX(kind->choices->len, 1); i++)
		for (const struct eh_workload_kind *k = eh_workload_kinds; k->name; k++)
			if (!strcmp(k->name, eh_setting_text(kind, i)) &&
			    eh_workload_takes(k, setting->section->name, setting->key->name))
				return true;
	return false;
}

const char *eh_scenario_description(const struct eh_scenario *s)
{
	return s->description;
}

const char *eh_scenario_sha256(const struct eh_scenario *s)
{
	return s->sha256;
}

const GPtrArray *eh_scenario_expect(const struct eh_scenario *s)
{
	return s->expect;
}

void eh_scenario_values(const struct eh_scenario *s, GPtrArray *values, GPtrArray *fitted)
{
	struct eh_values v;

	eh_scenario_point(s, 0, &v, NULL);
	for (guint i = 0; i < s->settings->len; i++) {
		const struct eh_setting *setting = g_ptr_array_index(s->settings, i);
		const char *source = eh_setting_source(setting, 0);
		char *name, *text;

		if (!eh_setting_taken(s, setting))
			continue;
		name = eh_setting_name(setting);
		text = eh_key_print(setting->key, eh_section_of(setting->section, &v));
		eh_pair_add(values, name, "%s", text);
		if (eh_setting_origin(setting, 0) == EH_FITTED)
			eh_pair_add(fitted, name, "%s (fitted on %s)", text, source ? source : "?");
		g_free(text);
		g_free(name);
	}
	eh_values_clear(&v);
}
