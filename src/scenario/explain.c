/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preset.h"
#include "settings.h"
#include <ehsim/nearest.h>
#include <ehsim/quantity.h>
#include <ehsim/schema.h>
#include <ehsim/workload.h>
#include <string.h>

#define COLUMNS 100
#define NAME_COLUMNS 34
#define DEFAULT_COLUMNS 18
#define LABEL_COLUMNS 11
#define METRIC_COLUMNS 26

/* Cut at the end of the first sentence or at `columns`. */
static char *first_sentence(const char *text, int columns)
{
	const char *end = strstr(text, ". ");
	glong length = end ? g_utf8_strlen(text, end - text) : g_utf8_strlen(text, -1);
	char *cut, *out;

	if (length <= columns)
		return g_utf8_substring(text, 0, length);
	cut = g_utf8_substring(text, 0, columns - 3);
	out = g_strconcat(g_strchomp(cut), "...", NULL);
	g_free(cut);
	return out;
}

static void put_line(GString *out, const struct eh_section *section, const struct eh_key *key)
{
	char *name = g_strdup_printf("%s.%s", section->name, key->name);
	const char *def = key->def && *key->def ? key->def : "\"\"";
	char *help = first_sentence(key->help, COLUMNS - NAME_COLUMNS - DEFAULT_COLUMNS - 2);

	g_string_append_printf(out, "%-*s %-*s %s\n", NAME_COLUMNS, name, DEFAULT_COLUMNS, def,
			       help);
	g_free(help);
	g_free(name);
}

/* `text` broken at blanks, with every line behind the first indented. */
static void put_wrapped(GString *out, const char *text, int indent)
{
	char **words = g_strsplit(text, " ", -1);
	int column = indent;

	for (char **word = words; *word; word++) {
		int length = (int)g_utf8_strlen(*word, -1);

		if (column > indent && column + 1 + length > COLUMNS) {
			g_string_append_printf(out, "\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			g_string_append_c(out, ' ');
			column++;
		}
		g_string_append(out, *word);
		column += length;
	}
	g_string_append_c(out, '\n');
	g_strfreev(words);
}

static void put_field(GString *out, const char *label, const char *text)
{
	g_string_append_printf(out, "  %-*s", LABEL_COLUMNS - 2, label);
	put_wrapped(out, text, LABEL_COLUMNS);
}

static char *kind_text(const struct eh_key *key)
{
	const char *name = eh_key_kind_name(key->kind), **words;
	enum eh_dimension dim;
	char *list, *text;

	if (key->kind == EH_KEY_SHARE)
		return g_strdup_printf("%s, in %%", name);
	if (key->kind != EH_KEY_INT && eh_key_dimension(key->kind, &dim))
		return g_strdup_printf("%s, in %s", name, eh_quantity_units(dim));
	if (key->kind != EH_KEY_ENUM)
		return g_strdup(name);
	words = eh_key_words(key);
	list = g_strjoinv(", ", (char **)words);
	text = g_strdup_printf("one of %s", list);
	g_free(list);
	g_free(words);
	return text;
}

static void put_presets(GString *out)
{
	char **names = eh_preset_names();
	char *list = g_strjoinv(", ", names);

	put_field(out, "found", *list ? list : "none");
	g_free(list);
	g_strfreev(names);
}

char *eh_key_takers(const struct eh_section *section, const struct eh_key *key)
{
	GString *takers = g_string_new(NULL);
	bool all = true;

	for (const struct eh_workload_kind *kind = eh_workload_kinds; kind->name; kind++) {
		if (!eh_workload_takes(kind, section->name, key->name))
			all = false;
		else
			g_string_append_printf(takers, "%s%s", takers->len ? ", " : "", kind->name);
	}
	return g_string_free(takers, all);
}

static char *explain_key(const struct eh_section *section, const struct eh_key *key)
{
	GString *out = g_string_new(NULL);
	char *kind = kind_text(key), *range = eh_key_range(key), *takers = eh_key_takers(section, key);

	g_string_append_printf(out, "%s.%s\n  ", section->name, key->name);
	put_wrapped(out, key->help, 2);
	put_field(out, "type", kind);
	put_field(out, "default", key->def && *key->def ? key->def : "\"\"");
	if (range)
		put_field(out, "range", range);
	put_field(out, "origin", eh_origin_words[key->origin]);
	if (eh_key_source(key))
		put_field(out, "source", key->source);
	if (takers)
		put_field(out, "only of", takers);
	if (!strcmp(section->name, "machine") && !strcmp(key->name, "preset"))
		put_presets(out);
	g_free(takers);
	g_free(range);
	g_free(kind);
	return g_string_free(out, FALSE);
}

static char *explain_metric(const struct eh_metric_help *m)
{
	GString *out = g_string_new(NULL);

	g_string_append_printf(out, "%s\n  ", m->name);
	put_wrapped(out, m->words, 2);
	if (*m->unit)
		put_field(out, "unit", m->unit);
	return g_string_free(out, FALSE);
}

static char *explain_metrics(void)
{
	GString *out = g_string_new(NULL);

	for (const struct eh_metric_help *m = eh_metric_helps; m->name; m++) {
		g_string_append_printf(out, "%-*s ", METRIC_COLUMNS, m->name);
		put_wrapped(out, m->words, METRIC_COLUMNS + 1);
	}
	return g_string_free(out, FALSE);
}

/* All keys whose full name starts with `prefix` and a dot; all if it is empty. */
static char *explain_below(const char *prefix)
{
	GString *out = g_string_new(NULL);
	size_t length = strlen(prefix);

	for (const struct eh_section *section = eh_sections; section->name; section++) {
		for (const struct eh_key *key = section->keys; key->name; key++) {
			char *name = g_strdup_printf("%s.%s", section->name, key->name);

			if (!length || (!strncmp(name, prefix, length) && name[length] == '.'))
				put_line(out, section, key);
			g_free(name);
		}
	}
	return g_string_free(out, FALSE);
}

char *eh_explain_all(void)
{
	return explain_below("");
}

static char *near_metric(const char *name)
{
	GPtrArray *names = g_ptr_array_new();
	const char *near;

	for (const struct eh_metric_help *m = eh_metric_helps; m->name; m++)
		g_ptr_array_add(names, (char *)m->name);
	g_ptr_array_add(names, NULL);
	near = eh_nearest(name, (const char *const *)names->pdata);
	g_ptr_array_unref(names);
	return g_strdup(near);
}

static char *no_such_key(const char *name)
{
	struct eh_scenario *s = eh_scenario_new("");
	char *near = eh_nearest_name(s, name), *message;

	if (!near && !strchr(name, '.'))
		near = near_metric(name);
	if (near)
		message = g_strdup_printf("unknown key '%s'; did you mean '%s'?", name, near);
	else
		message = g_strdup_printf("unknown key '%s'; --explain lists all keys, --explain=metrics "
					  "what results have", name);
	g_free(near);
	eh_scenario_free(s);
	return message;
}

char *eh_explain(const char *name, char **message)
{
	struct eh_scenario *s = eh_scenario_new("");
	const struct eh_setting *setting = eh_setting_named(s, name);
	const struct eh_metric_help *metric = eh_metric_help(name);
	char *text;

	if (metric)
		text = explain_metric(metric);
	else if (!strcmp(name, "metrics"))
		text = explain_metrics();
	else
		text = setting ? explain_key(setting->section, setting->key) : explain_below(name);
	eh_scenario_free(s);
	*message = NULL;
	if (*name && *text)
		return text;
	g_free(text);
	*message = no_such_key(name);
	return NULL;
}
