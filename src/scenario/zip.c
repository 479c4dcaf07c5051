/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "settings.h"
#include <string.h>

static void take_name(struct eh_scenario *s, GPtrArray *zip, const struct eh_node *item,
		      struct eh_messages *msgs)
{
	struct eh_setting *setting;

	if (!eh_need_scalar(item, "zip", "names of keys", msgs))
		return;
	setting = eh_setting_named(s, item->text);
	if (!setting) {
		eh_unknown_name(s, item->at, item->text, " in 'zip'", msgs);
		return;
	}
	for (guint i = 0; i <= s->zips->len; i++) {
		const GPtrArray *other = i < s->zips->len ? s->zips->pdata[i] : zip;

		if (g_ptr_array_find((GPtrArray *)other, setting, NULL)) {
			eh_message(msgs, EH_ERROR, item->at, "'%s' is given twice in 'zip'",
				   item->text);
			return;
		}
	}
	g_ptr_array_add(zip, setting);
}

static void take_names(struct eh_scenario *s, const struct eh_node *node, struct eh_messages *msgs)
{
	GPtrArray *zip = g_ptr_array_new();

	for (guint i = 0; i < node->items->len; i++)
		take_name(s, zip, node->items->pdata[i], msgs);
	if (node->items->len < 2)
		eh_message(msgs, EH_ERROR, node->at,
			   "'zip' names at least two keys whose lists go in step; for example "
			   "[workload.threads, workload.flows]");
	g_ptr_array_add(s->zips, zip);
}

void eh_check_zip(struct eh_scenario *s, const struct eh_node *node, struct eh_messages *msgs)
{
	guint lists = 0;

	g_ptr_array_set_size(s->zips, 0);
	if (eh_node_is_empty(node))
		return;
	if (node->kind != EH_NODE_LIST) {
		eh_message(msgs, EH_ERROR, node->at,
			   "'zip' is a list of keys such as [workload.threads, workload.flows], not "
			   "%s", eh_node_words(node));
		return;
	}
	for (guint i = 0; i < node->items->len; i++)
		lists += ((struct eh_node *)node->items->pdata[i])->kind == EH_NODE_LIST;
	if (!lists) {
		if (node->items->len)
			take_names(s, node, msgs);
		return;
	}
	for (guint i = 0; i < node->items->len; i++) {
		const struct eh_node *item = node->items->pdata[i];

		if (item->kind == EH_NODE_LIST)
			take_names(s, item, msgs);
		else
			eh_message(msgs, EH_ERROR, item->at,
				   "'zip' is one list of keys or a list of such lists, not both");
	}
}

static void follow(struct eh_setting *setting, struct eh_setting *leader, struct eh_messages *msgs)
{
	const struct eh_choice *a = leader->choices->pdata[0], *b = setting->choices->pdata[0];

	if (setting->choices->len == leader->choices->len) {
		setting->leader = leader;
		return;
	}
	if (setting->bad || leader->bad)
		return;
	eh_message(msgs, EH_ERROR, b->at, "'%s' has %u values, but 'zip' puts it in step with %u of '%s'; give as many",
		   setting->key->name, setting->choices->len, leader->choices->len, leader->key->name);
	eh_message(msgs, EH_NOTE, a->at, "'%s' is given here", leader->key->name);
}

void eh_zip_settle(struct eh_scenario *s, struct eh_messages *msgs)
{
	for (guint i = 0; i < s->settings->len; i++)
		((struct eh_setting *)s->settings->pdata[i])->leader = NULL;
	for (guint i = 0; i < s->zips->len; i++) {
		const GPtrArray *zip = s->zips->pdata[i];
		struct eh_setting *leader = NULL;

		/* one value, from --set say, holds for all of the others */
		for (guint n = 0; n < s->axes->len; n++) {
			struct eh_setting *axis = s->axes->pdata[n];

			if (!g_ptr_array_find((GPtrArray *)zip, axis, NULL))
				continue;
			if (leader)
				follow(axis, leader, msgs);
			else
				leader = axis;
		}
	}
}
