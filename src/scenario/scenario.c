/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "settings.h"
#include <ehsim/nearest.h>
#include <string.h>

/* Names a scenario has at its top, NULL-terminated; free the array only. */
static const char **top_words(void)
{
	GPtrArray *words = g_ptr_array_new();

	g_ptr_array_add(words, (char *)"description");
	for (const struct eh_section *section = eh_sections; section->name; section++)
		g_ptr_array_add(words, (char *)section->name);
	g_ptr_array_add(words, (char *)"zip");
	g_ptr_array_add(words, (char *)"expect");
	g_ptr_array_add(words, NULL);
	return (const char **)g_ptr_array_free(words, FALSE);
}

static void unknown_top(struct eh_scenario *s, const struct eh_node *key, struct eh_messages *msgs)
{
	const char **words = top_words();
	char *elsewhere = eh_nearest(key->text, words) ? NULL : eh_nearest_name(s, key->text);

	if (elsewhere)
		eh_message(msgs, EH_ERROR, key->at,
			   "unknown section '%s'; did you mean key '%s' of section '%.*s'?",
			   key->text, strchr(elsewhere, '.') + 1, (int)strcspn(elsewhere, "."),
			   elsewhere);
	else
		eh_unknown(msgs, key->at, "section", key->text, "", words);
	g_free(elsewhere);
	g_free(words);
}

static void take_description(struct eh_scenario *s, const struct eh_node *item,
			     struct eh_messages *msgs)
{
	if (eh_node_is_empty(item) || !eh_need_scalar(item, "description", "a text", msgs))
		return;
	g_free(s->description);
	s->description = g_strdup(item->text);
}

static void check_top(struct eh_scenario *s, const struct eh_node *root, struct eh_messages *msgs)
{
	for (guint i = 0; i < root->keys->len; i++) {
		const struct eh_node *key = root->keys->pdata[i], *item = root->items->pdata[i];
		const struct eh_section *section = eh_section_find(key->text);

		if (section)
			eh_check_section(s, section, item, NULL, msgs);
		else if (!strcmp(key->text, "description"))
			take_description(s, item, msgs);
		else if (!strcmp(key->text, "zip"))
			eh_check_zip(s, item, msgs);
		else if (!strcmp(key->text, "expect"))
			eh_check_expect(s, item, msgs);
		else
			unknown_top(s, key, msgs);
	}
}

/* "section.key=value" into its setting and a node; NULL and a message if that fails. */
static struct eh_node *read_set(struct eh_scenario *s, const char *set, struct eh_setting **setting,
				struct eh_messages *msgs)
{
	char *label = g_strdup_printf("--set %s", set);
	struct eh_place at = {g_intern_string(label), 0, 0};
	const char *equals = strchr(set, '='), *text = equals ? equals + 1 : "";
	char *name = g_strndup(set, equals ? (gsize)(equals - set) : strlen(set));
	struct eh_node *node = NULL;

	*setting = eh_setting_named(s, name);
	if (!equals)
		eh_message(msgs, EH_ERROR, at, "write it as --set SECTION.KEY=VALUE");
	else if (!*setting && strcmp(name, "zip"))
		eh_unknown_name(s, at, name, "", msgs);
	else if (*text == '[' || *text == '{')
		node = eh_tree_parse(label, text, strlen(text), msgs);
	else
		node = eh_tree_scalar(text, at);
	g_free(name);
	g_free(label);
	return node;
}

struct override {
	struct eh_setting *setting; /* NULL: zip */
	struct eh_node *node;
};

static void override_free(void *p)
{
	struct override *o = p;

	eh_node_free(o->node);
	g_free(o);
}

static GPtrArray *read_sets(struct eh_scenario *s, const char *const *sets,
			    struct eh_messages *msgs)
{
	GPtrArray *overrides = g_ptr_array_new_with_free_func(override_free);

	for (; sets && *sets; sets++) {
		struct eh_setting *setting;
		struct eh_node *node = read_set(s, *sets, &setting, msgs);
		struct override *o;

		if (!node)
			continue;
		o = g_new0(struct override, 1);
		o->setting = setting;
		o->node = node;
		g_ptr_array_add(overrides, o);
	}
	return overrides;
}

/* From weak to strong: machine file, scenario, command line. */
static void check_all(struct eh_scenario *s, struct eh_node *root, const GPtrArray *overrides,
		      struct eh_messages *msgs)
{
	const struct eh_setting *named = NULL;
	const struct eh_node *node = NULL;

	for (guint i = 0; i < overrides->len; i++) {
		const struct override *o = overrides->pdata[i];

		if (o->setting && !eh_key_swept(o->setting->section, o->setting->key)) {
			named = o->setting;
			node = o->node;
		}
	}
	eh_check_machine_file(s, root, named, node, msgs);
	check_top(s, root, msgs);
	for (guint i = 0; i < overrides->len; i++) {
		const struct override *o = overrides->pdata[i];

		if (!o->setting)
			eh_check_zip(s, o->node, msgs);
		else if (eh_key_swept(o->setting->section, o->setting->key))
			eh_check_value(s, o->setting, o->node, NULL, msgs);
	}
}

/* What --format=json wrote, not what it was made of. */
static bool is_result(const struct eh_node *root)
{
	const struct eh_node *first;

	if (root->kind != EH_NODE_MAP || !root->keys->len)
		return false;
	first = root->items->pdata[0];
	return !strcmp(((const struct eh_node *)root->keys->pdata[0])->text, "schema") &&
	       first->kind == EH_NODE_SCALAR && g_str_has_prefix(first->text, "ehsim-result/");
}

static void check_root(struct eh_scenario *s, struct eh_node *root, const char *const *sets,
		       struct eh_messages *msgs)
{
	GPtrArray *overrides;

	if (is_result(root)) {
		eh_message(msgs, EH_ERROR, root->at,
			   "this is a result, not a scenario; --report=DIR or --plot shows it");
		return;
	}
	overrides = read_sets(s, sets, msgs);
	if (root->kind == EH_NODE_MAP)
		check_all(s, root, overrides, msgs);
	else
		eh_message(msgs, EH_ERROR, root->at,
			   "a scenario is a map of sections, for example run: {length: 10s}, not %s",
			   eh_node_words(root));
	g_ptr_array_unref(overrides);
	eh_sweep_axes(s, msgs);
	eh_check_cross(s, msgs);
}

struct eh_scenario *eh_scenario_check(struct eh_scenario *s, struct eh_node *root,
				      const char *const *sets, struct eh_messages *msgs)
{
	if (root)
		check_root(s, root, sets, msgs);
	if (eh_messages_errors(msgs))
		g_clear_pointer(&s, eh_scenario_free);
	eh_node_free(root);
	return s;
}

struct eh_scenario *eh_scenario_load(const char *file, const char *const *sets,
				     struct eh_messages *msgs)
{
	struct eh_scenario *s = eh_scenario_new(file);

	return eh_scenario_check(s, eh_tree_load(file, &s->sha256, msgs), sets, msgs);
}
