/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preset.h"
#include "settings.h"
#include "text.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* Keys of section machine that name a machine; a scenario has one of them at most. */
static const char *const naming[] = {"file", "preset"};

/* Take `name` out of a map; NULL if it is not there. *key_at: where it stood. */
static struct eh_node *take_out(struct eh_node *map, const char *name, struct eh_place *key_at)
{
	for (guint i = 0; map && map->kind == EH_NODE_MAP && i < map->keys->len; i++) {
		struct eh_node *key = map->keys->pdata[i], *item;

		if (strcmp(key->text, name))
			continue;
		*key_at = key->at;
		item = g_ptr_array_steal_index(map->items, i);
		g_ptr_array_remove_index(map->keys, i);
		return item;
	}
	return NULL;
}

static struct eh_node *section_node(const struct eh_node *root, const char *name)
{
	for (guint i = 0; i < root->keys->len; i++)
		if (!strcmp(((struct eh_node *)root->keys->pdata[i])->text, name))
			return root->items->pdata[i];
	return NULL;
}

/* A path is relative to the folder of the scenario that names it (of standard input: here). */
static char *beside(const char *scenario, const char *path)
{
	char *folder, *full;

	if (g_path_is_absolute(path) || !strchr(scenario, '/') || eh_text_is_stream(scenario))
		return g_strdup(path);
	folder = g_path_get_dirname(scenario);
	full = g_build_filename(folder, path, NULL);
	g_free(folder);
	return full;
}

/* Nobody knows what the file would have said: no complaints that follow from it. */
static void spoil(struct eh_scenario *s, const char *section)
{
	for (guint i = 0; i < s->settings->len; i++) {
		struct eh_setting *setting = s->settings->pdata[i];

		if (!strcmp(setting->section->name, section))
			setting->bad = true;
	}
}

static bool is_preset(const char *name)
{
	char **names = eh_preset_names();
	bool is = g_strv_contains((const char *const *)names, name);

	g_strfreev(names);
	return is;
}

/* Or a message where it is named. */
static bool readable(const char *path, const char *name, struct eh_place at, struct eh_messages *msgs)
{
	char *near, *hint = NULL;
	int error;

	if (!g_access(path, R_OK))
		return true;
	error = errno;
	near = eh_text_nearest_file(path);
	if (is_preset(name))
		hint = g_strdup_printf("; the shipped machine of that name is written preset: %s", name);
	else if (near)
		hint = g_strdup_printf("; did you mean '%s'?", near);
	eh_message(msgs, EH_ERROR, at, "machine file '%s' cannot be read: %s%s", path, g_strerror(error),
		   hint ? hint : "");
	g_free(hint);
	g_free(near);
	return false;
}

/* The file's top level is the content of section machine, and may have a description. */
static void load_file(struct eh_scenario *s, const char *path, const char *name,
			struct eh_place from, struct eh_messages *msgs)
{
	int before = eh_messages_errors(msgs);
	struct eh_node *root = readable(path, name, from, msgs) ? eh_tree_load(path, NULL, msgs) : NULL;
	struct eh_node *extra;
	struct eh_place at;

	if (root && eh_messages_errors(msgs) != before)
		eh_message(msgs, EH_NOTE, from, "named here");
	if (!root) {
		spoil(s, "machine");
		return;
	}
	extra = take_out(root, "description", &at);
	eh_node_free(extra);
	for (guint i = 0; i < G_N_ELEMENTS(naming); i++) {
		extra = take_out(root, naming[i], &at);
		if (extra)
			eh_message(msgs, EH_ERROR, at, "a machine file cannot name another one");
		eh_node_free(extra);
	}
	if (root->kind == EH_NODE_MAP)
		eh_check_section(s, eh_section_find("machine"), root, name, msgs);
	else
		eh_message(msgs, EH_ERROR, root->at, "a machine file is a map of keys, not %s",
			   eh_node_words(root));
	eh_node_free(root);
}

/* `in_file` is true when the name stands in the scenario, false when on the command line. */
static void check_name(struct eh_scenario *s, struct eh_setting *setting, const struct eh_node *item,
		       bool in_file, bool load, struct eh_messages *msgs)
{
	const char *name;
	char *path;

	eh_check_value(s, setting, item, NULL, msgs);
	if (setting->choices->len > 1) {
		eh_message(msgs, EH_ERROR, item->at, "'%s' takes one machine%s, not a list; keep one of them",
			   setting->key->name, !strcmp(setting->key->name, "file") ? " file" : "");
		setting->bad = true;
	}
	name = eh_setting_text(setting, 0);
	if (!load || (!setting->bad && !*name))
		return;
	if (setting->bad)
		path = NULL;
	else if (!strcmp(setting->key->name, "preset"))
		path = eh_preset_path(name, item->at, msgs);
	else
		path = in_file ? beside(s->file, name) : g_strdup(name);
	if (path)
		load_file(s, path, name, item->at, msgs);
	else
		spoil(s, "machine");
	g_free(path);
}

void eh_check_machine_file(struct eh_scenario *s, struct eh_node *root, const struct eh_setting *named,
			   const struct eh_node *node, struct eh_messages *msgs)
{
	const struct eh_section *machine = eh_section_find("machine");
	struct eh_place first = {NULL, 0, 0};

	for (guint i = 0; i < G_N_ELEMENTS(naming); i++) {
		const struct eh_key *key = eh_keys_find(machine->keys, naming[i]);
		struct eh_place at;
		struct eh_node *item = take_out(section_node(root, machine->name), naming[i], &at);

		if (item && first.file) {
			eh_message(msgs, EH_ERROR, at,
				   "'file' and 'preset' both name a machine; remove one of them");
			eh_message(msgs, EH_NOTE, first, "the other one is here");
		} else if (item) {
			first = at;
			check_name(s, eh_setting_find(s, key), item, true, !named, msgs);
		}
		eh_node_free(item);
	}
	if (named)
		check_name(s, eh_setting_find(s, named->key), node, false, true, msgs);
}
