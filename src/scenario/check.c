/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "settings.h"
#include <ehsim/nearest.h>
#include <string.h>

#define FEW_WORDS 10 /* to list them all in a message */

bool eh_node_is_empty(const struct eh_node *node)
{
	return node->kind == EH_NODE_SCALAR && node->plain && !*node->text;
}

/* In a file, levels are maps: "a.b" is {a: {b: ...}}. */
static void dotted_key(const struct eh_node *key, const char *in, struct eh_messages *msgs)
{
	char **words = g_strsplit(key->text, ".", -1);
	char *nested = g_strjoinv(": {", words), *ends = g_strnfill(g_strv_length(words) - 1, '}');

	eh_message(msgs, EH_ERROR, key->at,
		   "unknown key '%s'%s; names with dots are for --set, write here %s: ...%s", key->text,
		   in, nested, ends);
	g_free(ends);
	g_free(nested);
	g_strfreev(words);
}

static void unknown_key(struct eh_scenario *s, const struct eh_section *section, const char *prefix,
			const struct eh_node *key, struct eh_messages *msgs)
{
	const char **words = eh_next_words(section, prefix);
	char *in = g_strdup_printf(" in '%s%s%.*s'", section->name, *prefix ? "." : "",
				   (int)strlen(prefix) - (*prefix != 0), prefix);
	char *elsewhere = eh_nearest(key->text, words) ? NULL : eh_nearest_name(s, key->text);
	char *path = g_strconcat(prefix, key->text, NULL);

	if (strchr(key->text, '.') && eh_keys_find(section->keys, path))
		dotted_key(key, in, msgs);
	else if (strspn(key->text, "0123456789") == strlen(key->text))
		eh_message(msgs, EH_ERROR, key->at,
			   "unknown key '%s'%s; write large numbers without commas, and a list as [a, b]",
			   key->text, in);
	else if (elsewhere)
		eh_unknown_name(s, key->at, key->text, in, msgs);
	else if (eh_nearest(key->text, words) || g_strv_length((char **)words) <= FEW_WORDS)
		eh_unknown(msgs, key->at, "key", key->text, in, words);
	else
		eh_message(msgs, EH_ERROR, key->at,
			   "unknown key '%s'%s; for all of them: ehsim --explain=%s%s%.*s", key->text, in,
			   section->name, *prefix ? "." : "", (int)strlen(prefix) - (*prefix != 0),
			   prefix);
	g_free(path);
	g_free(elsewhere);
	g_free(in);
	g_free(words);
}

bool eh_need_scalar(const struct eh_node *node, const char *name, const char *what,
		    struct eh_messages *msgs)
{
	if (node->kind == EH_NODE_SCALAR && !eh_node_is_empty(node))
		return true;
	if (node->kind == EH_NODE_SCALAR)
		eh_message(msgs, EH_ERROR, node->at, "'%s' has no value; write one or remove the key", name);
	else
		eh_message(msgs, EH_ERROR, node->at, "'%s' must be %s, not %s", name, what,
			   eh_node_words(node));
	return false;
}

/* {value:, origin:, source:} into its parts; false and messages if something is wrong. */
static bool take_form(const struct eh_setting *setting, const struct eh_node *node,
		      const struct eh_node **value, struct eh_choice *choice, bool *has_origin,
		      struct eh_messages *msgs)
{
	static const char *const parts[] = {"value", "origin", "source", NULL};
	int before = eh_messages_errors(msgs);

	*value = NULL;
	for (guint i = 0; i < node->keys->len; i++) {
		const struct eh_node *key = node->keys->pdata[i], *item = node->items->pdata[i];

		if (!g_strv_contains(parts, key->text)) {
			char *in = g_strdup_printf(" in '%s'", setting->key->name);

			eh_unknown(msgs, key->at, "key", key->text, in, parts);
			g_free(in);
		} else if (eh_need_scalar(item, key->text, "one value", msgs)) {
			if (!strcmp(key->text, "value")) {
				*value = item;
			} else if (!strcmp(key->text, "source")) {
				g_free(choice->source);
				choice->source = *item->text ? g_strdup(item->text) : NULL;
			} else if (g_strv_contains(eh_origin_words, item->text)) {
				*has_origin = true;
				for (int o = 0; eh_origin_words[o]; o++)
					if (!strcmp(eh_origin_words[o], item->text))
						choice->origin = (enum eh_origin)o;
			} else {
				eh_unknown(msgs, item->at, "origin", item->text, "",
					   eh_origin_words);
			}
		}
	}
	if (!*value && eh_messages_errors(msgs) == before)
		eh_message(msgs, EH_ERROR, node->at, "'%s' needs 'value' beside its origin",
			   setting->key->name);
	return eh_messages_errors(msgs) == before;
}

static bool parse_text(const struct eh_setting *setting, const struct eh_node *node,
		       char **canonical, struct eh_messages *msgs)
{
	struct eh_values *scratch = g_new0(struct eh_values, 1);
	void *cfg = eh_section_of(setting->section, scratch);
	char *bad = eh_key_parse(setting->key, node->text, cfg);

	if (bad) {
		bool list = strchr(node->text, ',') && setting->key->kind != EH_KEY_STRING;

		eh_message(msgs, EH_ERROR, node->at, "%s%s", bad,
			   list ? "; a list of values is written [a, b]" : "");
	} else {
		*canonical = eh_key_print(setting->key, cfg);
	}
	eh_values_clear(scratch);
	g_free(scratch);
	g_free(bad);
	return *canonical != NULL;
}

/* A plain value keeps the origin of the row only as long as it is the row's value. */
static void set_origin(const struct eh_setting *setting, struct eh_choice *choice, bool formal,
		       bool has_origin, const char *preset_source)
{
	if (!formal && !strcmp(setting->def, choice->text)) {
		choice->origin = setting->key->origin;
		choice->source = g_strdup(eh_key_source(setting->key));
	} else if (!has_origin) {
		choice->origin = EH_CHOSEN;
	}
	if (!formal && !choice->source)
		choice->source = g_strdup(preset_source);
}

/* One value, plain or with its origin; NULL if it was refused. */
static struct eh_choice *take_choice(const struct eh_setting *setting, const struct eh_node *node,
				     const char *preset_source, struct eh_messages *msgs)
{
	struct eh_choice *choice = g_new0(struct eh_choice, 1);
	const struct eh_node *value = node;
	bool has_origin = false, formal = node->kind == EH_NODE_MAP;

	if (formal && !take_form(setting, node, &value, choice, &has_origin, msgs))
		goto refused;
	if (!eh_need_scalar(value, setting->key->name, "one value or a list of values", msgs))
		goto refused;
	if (!parse_text(setting, value, &choice->text, msgs))
		goto refused;
	choice->at = value->at;
	set_origin(setting, choice, formal, has_origin, preset_source);
	return choice;
refused:
	eh_choice_free(choice);
	return NULL;
}

void eh_check_value(struct eh_scenario *s, struct eh_setting *setting, const struct eh_node *node,
		    const char *preset_source, struct eh_messages *msgs)
{
	struct eh_node *range = eh_range_is(node) ? eh_range_list(setting, node, msgs) : NULL;
	bool list = range || node->kind == EH_NODE_LIST;
	guint values;

	g_ptr_array_set_size(setting->choices, 0);
	setting->order = ++s->orders;
	if (!range && eh_range_is(node)) {
		setting->bad = true;
		return;
	}
	node = range ? range : node;
	values = list ? node->items->len : 1;
	if (!values) {
		eh_message(msgs, EH_ERROR, node->at, "'%s' has an empty list; write its values or remove the key",
			   setting->key->name);
		setting->bad = true;
	}
	for (guint i = 0; i < values; i++) {
		const struct eh_node *item = list ? node->items->pdata[i] : node;
		struct eh_choice *choice = take_choice(setting, item, preset_source, msgs);

		if (!choice)
			setting->bad = true;
		else
			g_ptr_array_add(setting->choices, choice);
	}
	eh_node_free(range);
}

static void check_map(struct eh_scenario *s, const struct eh_section *section, const char *prefix,
		      const struct eh_node *node, const char *preset_source,
		      struct eh_messages *msgs);

static void check_entry(struct eh_scenario *s, const struct eh_section *section, const char *prefix,
			const struct eh_node *word, const struct eh_node *item,
			const char *preset_source, struct eh_messages *msgs)
{
	char *name = g_strconcat(prefix, word->text, NULL), *inner = g_strconcat(name, ".", NULL);
	const struct eh_key *key = eh_keys_find(section->keys, name);
	const char **below = eh_next_words(section, inner);

	if (key && strchr(word->text, '.'))
		key = NULL;
	if (key)
		eh_check_value(s, eh_setting_find(s, key), item, preset_source, msgs);
	else if (!*below)
		unknown_key(s, section, prefix, word, msgs);
	else if (item->kind == EH_NODE_MAP)
		check_map(s, section, inner, item, preset_source, msgs);
	else
		eh_message(msgs, EH_ERROR, item->at, "'%s' is a map of keys such as '%s', not %s",
			   name, below[0], eh_node_words(item));
	g_free(below);
	g_free(inner);
	g_free(name);
}

static void check_map(struct eh_scenario *s, const struct eh_section *section, const char *prefix,
		      const struct eh_node *node, const char *preset_source,
		      struct eh_messages *msgs)
{
	for (guint i = 0; i < node->keys->len; i++)
		check_entry(s, section, prefix, node->keys->pdata[i], node->items->pdata[i],
			    preset_source, msgs);
}

/* A key of the section that is not a map, for examples. */
static const struct eh_key *last_simple(const struct eh_section *section)
{
	const struct eh_key *found = section->keys;

	for (const struct eh_key *key = section->keys; key->name; key++)
		if (!strchr(key->name, '.'))
			found = key;
	return found;
}

void eh_check_section(struct eh_scenario *s, const struct eh_section *section,
		      const struct eh_node *node, const char *preset_source,
		      struct eh_messages *msgs)
{
	if (node->kind == EH_NODE_MAP)
		check_map(s, section, "", node, preset_source, msgs);
	else if (!eh_node_is_empty(node))
		eh_message(msgs, EH_ERROR, node->at, "'%s' is a map of keys such as '%s', not %s",
			   section->name, last_simple(section)->name, eh_node_words(node));
}
