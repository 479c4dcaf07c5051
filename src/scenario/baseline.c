/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "settings.h"
#include <ehsim/nearest.h>
#include <string.h>

/* "3" */
static int *by_number(const struct eh_scenario *s, const char *text, char **bad)
{
	int points = eh_scenario_points(s);
	gint64 n = g_ascii_strtoll(text, NULL, 10);
	int *base;

	if (n < 1 || n > points) {
		*bad = g_strdup_printf("there is no point %s; --list shows all %d", text, points);
		return NULL;
	}
	base = g_new(int, points);
	for (int i = 0; i < points; i++)
		base[i] = (int)n;
	return base;
}

static const struct eh_setting *find_axis(const struct eh_scenario *s, const char *name, char **bad)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	const struct eh_setting *found = NULL;
	const char *near;

	for (guint i = 0; i < s->axes->len; i++) {
		char *axis = eh_setting_name(s->axes->pdata[i]);

		if (!strcmp(axis, name))
			found = s->axes->pdata[i];
		g_ptr_array_add(names, axis);
	}
	g_ptr_array_add(names, NULL);
	near = eh_nearest(name, (const char *const *)names->pdata);
	if (!found && near)
		*bad = g_strdup_printf("'%s' is not swept; did you mean '%s'?", name, near);
	else if (!found)
		*bad = g_strdup_printf("'%s' is not swept; it is the number of a point or KEY=VALUE of a "
				       "list", name);
	g_ptr_array_unref(names);
	return found;
}

/* Index of a value on its axis; -1 and a text if it is not there. */
static int find_choice(const struct eh_setting *axis, const char *name, const char *value, char **bad)
{
	struct eh_values *scratch = g_new0(struct eh_values, 1);
	void *cfg = eh_section_of(axis->section, scratch);
	char *wrong = eh_key_parse(axis->key, value, cfg);
	char *text = wrong ? g_strdup(value) : eh_key_print(axis->key, cfg);
	GString *all = g_string_new(NULL);
	int found = -1;

	for (guint i = 0; i < axis->choices->len; i++) {
		if (found < 0 && !strcmp(eh_setting_text(axis, i), text))
			found = (int)i;
		g_string_append_printf(all, "%s%s", i ? ", " : "", eh_setting_text(axis, i));
	}
	if (found < 0)
		*bad = g_strdup_printf("%s is never %s; it is %s", name, value, all->str);
	g_string_free(all, TRUE);
	g_free(text);
	g_free(wrong);
	eh_values_clear(scratch);
	g_free(scratch);
	return found;
}

/* How far apart two points are that differ by one on the axis. */
static int stride(const struct eh_scenario *s, const struct eh_setting *axis)
{
	int points = 1;

	for (guint i = s->axes->len; i-- > 0 && s->axes->pdata[i] != axis;) {
		const struct eh_setting *faster = s->axes->pdata[i];

		if (!faster->leader)
			points *= (int)faster->choices->len;
	}
	return points;
}

int *eh_scenario_baselines(const struct eh_scenario *s, const char *text, char **bad)
{
	const char *equals = strchr(text, '=');
	int points = eh_scenario_points(s), choice, step, *base = NULL;
	const struct eh_setting *axis;
	char *name;

	*bad = NULL;
	if (!equals && *text && !text[strspn(text, "0123456789")])
		return by_number(s, text, bad);
	name = equals ? g_strndup(text, (gsize)(equals - text)) : g_strdup(text);
	axis = find_axis(s, name, bad);
	if (axis && !equals)
		*bad = g_strdup_printf("which value of %s? write %s=%s", name, name,
				       eh_setting_text(axis, 0));
	choice = *bad ? -1 : find_choice(axis, name, equals + 1, bad);
	g_free(name);
	if (choice < 0)
		return NULL;
	base = g_new(int, points);
	step = stride(s, axis->leader ? axis->leader : axis);
	for (int i = 0; i < points; i++)
		base[i] = i + 1 + (choice - (int)eh_setting_choice(s, axis, i)) * step;
	return base;
}
