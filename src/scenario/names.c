/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "settings.h"
#include <ehsim/nearest.h>
#include <string.h>

void eh_unknown(struct eh_messages *msgs, struct eh_place at, const char *what, const char *word,
		const char *in, const char *const *words)
{
	const char *near = eh_nearest(word, words);

	if (near) {
		eh_message(msgs, EH_ERROR, at, "unknown %s '%s'%s; did you mean '%s'?", what, word,
			   in, near);
	} else {
		char *list = g_strjoinv(", ", (char **)words);

		if (strlen(list) < 120)
			eh_message(msgs, EH_ERROR, at, "unknown %s '%s'%s; it has %s", what, word,
				   in, list);
		else
			eh_message(msgs, EH_ERROR, at, "unknown %s '%s'%s", what, word, in);
		g_free(list);
	}
}

const char **eh_next_words(const struct eh_section *section, const char *prefix)
{
	GPtrArray *words = g_ptr_array_new();

	for (const struct eh_key *key = section->keys; key->name; key++) {
		const char *rest = key->name + strlen(prefix);
		char *word;
		guint i;

		if (!g_str_has_prefix(key->name, prefix))
			continue;
		word = g_strndup(rest, strcspn(rest, "."));
		for (i = 0; i < words->len; i++)
			if (!strcmp(words->pdata[i], word))
				break;
		if (i == words->len)
			g_ptr_array_add(words, (char *)g_intern_string(word));
		g_free(word);
	}
	g_ptr_array_add(words, NULL);
	return (const char **)g_ptr_array_free(words, FALSE);
}

static const char *last_word(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

/* The full name of a key with the same last word: "threads" or "kernel.threads". */
static char *same_last_word(const struct eh_scenario *s, const char *word)
{
	for (guint i = 0; i < s->settings->len; i++) {
		const struct eh_setting *setting = g_ptr_array_index(s->settings, i);

		if (!strcmp(last_word(setting->key->name), last_word(word)))
			return eh_setting_name(setting);
	}
	return NULL;
}

char *eh_nearest_name(const struct eh_scenario *s, const char *name)
{
	char *found = same_last_word(s, name);
	GPtrArray *names;

	if (found)
		return found;
	names = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; i < s->settings->len; i++)
		g_ptr_array_add(names, eh_setting_name(g_ptr_array_index(s->settings, i)));
	g_ptr_array_add(names, NULL);
	found = g_strdup(eh_nearest(name, (const char *const *)names->pdata));
	g_ptr_array_unref(names);
	return found;
}

void eh_unknown_name(const struct eh_scenario *s, struct eh_place at, const char *name,
		     const char *in, struct eh_messages *msgs)
{
	char *near = eh_nearest_name(s, name);

	if (near)
		eh_message(msgs, EH_ERROR, at, "unknown key '%s'%s; did you mean '%s'?", name, in,
			   near);
	else
		eh_message(msgs, EH_ERROR, at, "unknown key '%s'%s; ehsim --explain lists all keys",
			   name, in);
	g_free(near);
}
