/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "settings.h"
#include <stdlib.h>

static int by_order(gconstpointer pa, gconstpointer pb)
{
	const struct eh_setting *a = *(struct eh_setting *const *)pa;
	const struct eh_setting *b = *(struct eh_setting *const *)pb;

	return a->order < b->order ? -1 : a->order > b->order;
}

void eh_sweep_axes(struct eh_scenario *s, struct eh_messages *msgs)
{
	struct eh_setting *repeat = eh_setting_named(s, "run.repeat");
	int64_t points = 1;

	if (repeat->choices->len > 1) {
		const struct eh_choice *first = g_ptr_array_index(repeat->choices, 0);

		eh_message(msgs, EH_ERROR, first->at, "'repeat' takes one number, not a list");
		repeat->bad = true;
	}
	g_ptr_array_set_size(s->axes, 0);
	for (guint i = 0; i < s->settings->len; i++) {
		struct eh_setting *setting = g_ptr_array_index(s->settings, i);

		if (setting->choices->len > 1)
			g_ptr_array_add(s->axes, setting);
	}
	g_ptr_array_sort(s->axes, by_order);
	eh_zip_settle(s, msgs);

	for (guint i = 0; i < s->axes->len; i++) {
		const struct eh_setting *setting = g_ptr_array_index(s->axes, i);
		const struct eh_choice *first = g_ptr_array_index(setting->choices, 0);
		int64_t before = points;

		if (setting->leader)
			continue;
		points *= setting->choices->len;
		if (points <= EH_MOST_POINTS)
			continue;
		eh_message(msgs, EH_ERROR, first->at,
			   "with '%s' the sweep has %" G_GINT64_FORMAT " x %u points; at most %d",
			   setting->key->name, before, setting->choices->len, EH_MOST_POINTS);
		g_ptr_array_set_size(s->axes, 0);
		return;
	}
}

int eh_scenario_points(const struct eh_scenario *s)
{
	int points = 1;

	for (guint i = 0; i < s->axes->len; i++) {
		const struct eh_setting *setting = g_ptr_array_index(s->axes, i);

		if (!setting->leader)
			points *= (int)setting->choices->len;
	}
	return points;
}

/* The last axis varies fastest; who has a leader follows it. */
guint eh_setting_choice(const struct eh_scenario *s, const struct eh_setting *setting, int index)
{
	guint choice = 0;

	if (setting->leader)
		setting = setting->leader;
	for (guint i = s->axes->len; i-- > 0;) {
		const struct eh_setting *axis = g_ptr_array_index(s->axes, i);

		if (axis->leader)
			continue;
		if (axis == setting)
			choice = (guint)index % axis->choices->len;
		index /= (int)axis->choices->len;
	}
	return choice;
}

static void fill(const struct eh_scenario *s, const struct eh_setting *setting, int index,
		 struct eh_values *v)
{
	char *bad = eh_key_parse(setting->key, eh_setting_text(setting, eh_setting_choice(s, setting, index)),
				 eh_section_of(setting->section, v));

	if (bad) /* check.c let it pass */
		g_error("%s", bad);
}

void eh_scenario_next(const struct eh_scenario *s, int index, struct eh_values *v)
{
	for (guint i = 0; i < s->axes->len; i++) {
		const struct eh_setting *axis = g_ptr_array_index(s->axes, i);

		if (eh_setting_choice(s, axis, index) != eh_setting_choice(s, axis, index - 1))
			fill(s, axis, index, v);
	}
}

void eh_scenario_point(const struct eh_scenario *s, int index, struct eh_values *v, GPtrArray *set)
{
	eh_values_init(v);
	for (guint i = 0; i < s->settings->len; i++) {
		const struct eh_setting *setting = g_ptr_array_index(s->settings, i);

		if (setting->choices->len)
			fill(s, setting, index, v);
	}
	for (guint i = 0; set && i < s->axes->len; i++) {
		const struct eh_setting *axis = g_ptr_array_index(s->axes, i);
		char *name = eh_setting_name(axis);

		eh_pair_add(set, name, "%s",
			    eh_setting_text(axis, eh_setting_choice(s, axis, index)));
		g_free(name);
	}
}
