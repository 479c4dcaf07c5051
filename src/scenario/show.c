/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "settings.h"
#include <ehsim/quantity.h>
#include <string.h>

/* A double-quoted scalar; YAML's escapes are those of C and JSON. */
static void put_text(GString *out, const char *text)
{
	g_string_append_c(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			g_string_append_printf(out, "\\%c", *text);
		else if (*text == '\n')
			g_string_append(out, "\\n");
		else if ((unsigned char)*text < 0x20 || *text == 0x7f)
			g_string_append_printf(out, "\\x%02x", (unsigned char)*text);
		else
			g_string_append_c(out, *text);
	}
	g_string_append_c(out, '"');
}

static void put_value(GString *out, const struct eh_setting *setting, guint choice)
{
	const char *text = eh_setting_text(setting, choice);

	if (setting->key->kind == EH_KEY_STRING)
		put_text(out, text);
	else
		g_string_append(out, text);
}

/* Would the bare value be read back with the same origin and source? */
static bool origin_goes_without_saying(const struct eh_setting *setting, guint choice)
{
	const struct eh_key *key = setting->key;
	bool is_default = !strcmp(eh_setting_text(setting, choice), setting->def);

	if (eh_setting_origin(setting, choice) != EH_CHOSEN || eh_setting_source(setting, choice))
		return false;
	return !is_default || (key->origin == EH_CHOSEN && !eh_key_source(key));
}

static void put_choice(GString *out, const struct eh_setting *setting, guint choice)
{
	const char *source = eh_setting_source(setting, choice);

	if (origin_goes_without_saying(setting, choice)) {
		put_value(out, setting, choice);
		return;
	}
	g_string_append(out, "{value: ");
	put_value(out, setting, choice);
	g_string_append_printf(out, ", origin: %s",
			       eh_origin_words[eh_setting_origin(setting, choice)]);
	if (source) {
		g_string_append(out, ", source: ");
		put_text(out, source);
	}
	g_string_append_c(out, '}');
}

static void put_setting(GString *out, const struct eh_setting *setting)
{
	if (setting->choices->len < 2) {
		put_choice(out, setting, 0);
		return;
	}
	for (guint i = 0; i < setting->choices->len; i++) {
		g_string_append(out, i ? ", " : "[");
		put_choice(out, setting, i);
	}
	g_string_append_c(out, ']');
}

/*
 * Place of the slowest axis among the keys that start with `prefix`. The order of axes is the
 * order of the text, so what holds one is printed first; the rest keeps the order of the tables.
 */
static guint first_axis(const struct eh_scenario *s, const struct eh_section *section,
			const char *prefix)
{
	for (guint i = 0; i < s->axes->len; i++) {
		const struct eh_setting *axis = s->axes->pdata[i];
		size_t length = strlen(prefix);

		if (axis->section == section && !strncmp(axis->key->name, prefix, length) &&
		    (!length || !axis->key->name[length] || axis->key->name[length] == '.'))
			return i;
	}
	return G_MAXUINT;
}

/* Index of the next of `count` entries: least `rank`, the earlier of equals; marks it as done. */
static guint take_least(guint *rank, bool *done, guint count)
{
	guint best = count;

	for (guint i = 0; i < count; i++)
		if (!done[i] && (best == count || rank[i] < rank[best]))
			best = i;
	done[best] = true;
	return best;
}

/* Nothing below the word is a key that the workload takes. */
static bool left_out(const struct eh_scenario *s, const struct eh_section *section,
		     const char *name)
{
	size_t length = strlen(name);

	for (const struct eh_key *key = section->keys; key->name; key++)
		if (!strncmp(key->name, name, length) &&
		    (!key->name[length] || key->name[length] == '.') &&
		    eh_setting_taken(s, eh_setting_find(s, key)))
			return false;
	return true;
}

static void put_keys(GString *out, const struct eh_scenario *s, const struct eh_section *section,
		     const char *prefix, int depth)
{
	const char **words = eh_next_words(section, prefix);
	guint count = g_strv_length((char **)words);
	guint *rank = g_new0(guint, count);
	bool *done = g_new0(bool, count);

	for (guint i = 0; i < count; i++) {
		char *name = g_strconcat(prefix, words[i], NULL);

		rank[i] = first_axis(s, section, name);
		g_free(name);
	}
	for (guint n = 0; n < count; n++) {
		const char *word = words[take_least(rank, done, count)];
		char *name = g_strconcat(prefix, word, NULL);
		const struct eh_key *key = eh_keys_find(section->keys, name);

		if ((key && !eh_key_swept(section, key)) || left_out(s, section, name)) {
			/* its values are all here, or nobody asks for it */
		} else if (key) {
			g_string_append_printf(out, "%*s%s: ", 2 * depth, "", word);
			put_setting(out, eh_setting_find(s, key));
			g_string_append_c(out, '\n');
		} else {
			char *inner = g_strconcat(name, ".", NULL);

			g_string_append_printf(out, "%*s%s:\n", 2 * depth, "", word);
			put_keys(out, s, section, inner, depth + 1);
			g_free(inner);
		}
		g_free(name);
	}
	g_free(done);
	g_free(rank);
	g_free(words);
}

static bool section_taken(const struct eh_scenario *s, const struct eh_section *section)
{
	for (const struct eh_key *key = section->keys; key->name; key++)
		if (eh_setting_taken(s, eh_setting_find(s, key)))
			return true;
	return false;
}

static void put_sections(GString *out, const struct eh_scenario *s)
{
	guint rank[16], count = 0;
	bool done[16] = {false};

	for (const struct eh_section *section = eh_sections; section->name; section++)
		rank[count++] = first_axis(s, section, "");
	for (guint n = 0; n < count; n++) {
		const struct eh_section *section = &eh_sections[take_least(rank, done, count)];

		if (!section_taken(s, section))
			continue;
		g_string_append_printf(out, "%s:\n", section->name);
		put_keys(out, s, section, "", 1);
	}
}

static void put_zips(GString *out, const struct eh_scenario *s)
{
	if (!s->zips->len)
		return;
	g_string_append(out, "zip: [");
	for (guint i = 0; i < s->zips->len; i++) {
		const GPtrArray *zip = s->zips->pdata[i];

		g_string_append(out, i ? ", [" : "[");
		for (guint n = 0; n < zip->len; n++) {
			char *name = eh_setting_name(zip->pdata[n]);

			g_string_append_printf(out, "%s%s", n ? ", " : "", name);
			g_free(name);
		}
		g_string_append_c(out, ']');
	}
	g_string_append(out, "]\n");
}

static void put_expect(GString *out, const struct eh_expect_row *row)
{
	bool profile = g_str_has_prefix(row->metric, "profile.");
	char *published = profile ? eh_share_print(row->published) : eh_real_print(row->published);

	g_string_append(out, "  - {metric: ");
	put_text(out, row->metric);
	g_string_append_printf(out, ", published: %s", published);
	g_free(published);
	if (row->within > 0) {
		char *within = eh_share_print(row->within);

		g_string_append_printf(out, ", within: %s", within);
		g_free(within);
	}
	if (row->row) {
		g_string_append(out, ", row: ");
		put_text(out, row->row);
	}
	if (row->fitted)
		g_string_append(out, ", fitted: true");
	for (guint i = 0; row->when && i < row->when->len; i++) {
		const struct eh_pair *pair = g_ptr_array_index(row->when, i);

		g_string_append_printf(out, "%s%s: ", i ? ", " : ", when: {", pair->key);
		put_text(out, pair->value);
		g_string_append(out, i + 1 < row->when->len ? "" : "}");
	}
	if (row->note) {
		g_string_append(out, ", note: ");
		put_text(out, row->note);
	}
	g_string_append(out, "}\n");
}

char *eh_scenario_show(const struct eh_scenario *s)
{
	GString *out = g_string_new("description: ");

	put_text(out, s->description);
	g_string_append_c(out, '\n');
	put_sections(out, s);
	put_zips(out, s);
	if (s->expect->len)
		g_string_append(out, "expect:\n");
	for (guint i = 0; i < s->expect->len; i++)
		put_expect(out, s->expect->pdata[i]);
	return g_string_free(out, FALSE);
}
