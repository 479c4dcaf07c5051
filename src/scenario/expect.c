/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "settings.h"
#include <ehsim/quantity.h>
#include <math.h>
#include <string.h>

static void check_metric(struct eh_expect_row *row, const struct eh_node *item,
			 struct eh_messages *msgs)
{
	bool server;

	row->metric = g_strdup(item->text);
	if (strchr(item->text, '.') && eh_metric_profile(item->text, &server))
		return;
	if (!g_strv_contains(eh_metric_words, item->text))
		eh_unknown(msgs, item->at, "metric", item->text, "", eh_metric_words);
}

static void check_published(struct eh_expect_row *row, const struct eh_node *item,
			    struct eh_messages *msgs)
{
	bool share = eh_share_parse(item->text, &row->published);
	char **groups;
	char *digits;
	double d;

	if (share && row->metric && !g_str_has_prefix(row->metric, "profile.")) {
		eh_message(msgs, EH_ERROR, item->at,
			   "'published' is a percentage only of profile metrics; write %g",
			   row->published);
		return;
	}
	if (share || eh_real_parse(item->text, &row->published)) {
		if (row->published <= 0)
			eh_message(msgs, EH_ERROR, item->at, "'published' must be above 0, not %s",
				   item->text);
		return;
	}
	groups = g_strsplit(item->text, ",", -1);
	digits = g_strjoinv("", groups);
	g_strfreev(groups);
	eh_message(msgs, EH_ERROR, item->at,
		   "'published' must be a number without a unit, not '%s'%s%s", item->text,
		   eh_real_parse(digits, &d) ? "; write " : "",
		   eh_real_parse(digits, &d) ? digits : "");
	g_free(digits);
}

static void check_fitted(struct eh_expect_row *row, const struct eh_node *item,
			 struct eh_messages *msgs)
{
	static const struct eh_key key = {.name = "fitted", .kind = EH_KEY_BOOL};
	char *bad = eh_key_parse(&key, item->text, &row->fitted);

	if (bad)
		eh_message(msgs, EH_ERROR, item->at, "%s", bad);
	g_free(bad);
}

static void check_within(struct eh_expect_row *row, const struct eh_node *item,
			 struct eh_messages *msgs)
{
	static const struct eh_key key = {
		.name = "within", .kind = EH_KEY_SHARE, .def = "20%", .min = "0%", .max = "1000%"};
	char *bad = eh_key_parse(&key, item->text, &row->within);

	if (bad)
		eh_message(msgs, EH_ERROR, item->at, "%s", bad);
	g_free(bad);
}

static void check_condition(struct eh_scenario *s, struct eh_expect_row *row,
			    const struct eh_node *key, const struct eh_node *value,
			    struct eh_messages *msgs)
{
	const struct eh_setting *setting = eh_setting_named(s, key->text);
	struct eh_values *scratch;
	char *bad, *text;
	void *cfg;

	if (!setting) {
		eh_unknown_name(s, key->at, key->text, " in 'when'", msgs);
		return;
	}
	if (!eh_need_scalar(value, key->text, "one value", msgs))
		return;
	scratch = g_new0(struct eh_values, 1);
	cfg = eh_section_of(setting->section, scratch);
	bad = eh_key_parse(setting->key, value->text, cfg);
	if (bad) {
		eh_message(msgs, EH_ERROR, value->at, "%s", bad);
	} else {
		text = eh_key_print(setting->key, cfg);
		eh_pair_add(row->when, key->text, "%s", text);
		g_free(text);
	}
	g_free(bad);
	eh_values_clear(scratch);
	g_free(scratch);
}

/* {kernel.connect: S0, workload.threads: 200} */
static void check_when(struct eh_scenario *s, struct eh_expect_row *row, const struct eh_node *item,
		       struct eh_messages *msgs)
{
	if (item->kind != EH_NODE_MAP || !item->keys->len) {
		eh_message(msgs, EH_ERROR, item->at,
			   "'when' is a map of keys and their values; for example {kernel.connect: "
			   "S0}");
		return;
	}
	row->when = g_ptr_array_new_with_free_func(eh_pair_free);
	for (guint i = 0; i < item->keys->len; i++)
		check_condition(s, row, item->keys->pdata[i], item->items->pdata[i], msgs);
}

static const struct eh_node *entry(const struct eh_node *map, const char *name)
{
	for (guint i = 0; i < map->keys->len; i++) {
		const struct eh_node *key = map->keys->pdata[i];

		if (!strcmp(key->text, name))
			return map->items->pdata[i];
	}
	return NULL;
}

static void check_entry(struct eh_scenario *s, struct eh_expect_row *row, const struct eh_node *key,
			const struct eh_node *item, struct eh_messages *msgs)
{
	const char **words = eh_expect_names();
	bool known = g_strv_contains(words, key->text);

	if (!known)
		eh_unknown(msgs, key->at, "key", key->text, " in 'expect'", words);
	g_free(words);
	if (!known)
		return;
	if (!strcmp(key->text, "when")) {
		check_when(s, row, item, msgs);
		return;
	}
	if (!eh_need_scalar(item, key->text, "one value", msgs))
		return;
	if (!strcmp(key->text, "published"))
		check_published(row, item, msgs);
	else if (!strcmp(key->text, "within"))
		check_within(row, item, msgs);
	else if (!strcmp(key->text, "fitted"))
		check_fitted(row, item, msgs);
	else if (!strcmp(key->text, "row"))
		row->row = g_strdup(item->text);
	else if (!strcmp(key->text, "note"))
		row->note = g_strdup(item->text);
}

static void check_row(struct eh_scenario *s, const struct eh_node *node, struct eh_messages *msgs)
{
	struct eh_expect_row *row = g_new0(struct eh_expect_row, 1);
	const struct eh_node *metric = entry(node, "metric");

	g_ptr_array_add(s->expect, row);
	if (metric && eh_need_scalar(metric, "metric", "one word", msgs))
		check_metric(row, metric, msgs);
	if (!metric)
		eh_message(msgs, EH_ERROR, node->at,
			   "'metric' is missing: which number is expected? For example "
			   "metric: throughput_per_s");
	if (!entry(node, "published"))
		eh_message(msgs, EH_ERROR, node->at,
			   "'published' is missing; write the number to compare with");
	for (guint i = 0; i < node->keys->len; i++) {
		const struct eh_node *key = node->keys->pdata[i];

		if (strcmp(key->text, "metric"))
			check_entry(s, row, key, node->items->pdata[i], msgs);
	}
}

void eh_check_expect(struct eh_scenario *s, const struct eh_node *node, struct eh_messages *msgs)
{
	if (eh_node_is_empty(node))
		return;
	if (node->kind != EH_NODE_LIST) {
		eh_message(msgs, EH_ERROR, node->at, "'expect' is a list of maps, not %s; write a '-' before each",
			   eh_node_words(node));
		return;
	}
	for (guint i = 0; i < node->items->len; i++) {
		const struct eh_node *item = node->items->pdata[i];

		if (item->kind == EH_NODE_MAP)
			check_row(s, item, msgs);
		else
			eh_message(msgs, EH_ERROR, item->at,
				   "an expectation is a map such as {metric: throughput_per_s, "
				   "published: 47426}, not %s",
				   eh_node_words(item));
	}
}

static bool has_value(const struct eh_pair *pair, const struct eh_values *v)
{
	bool same = false;

	for (const struct eh_section *section = eh_sections; section->name; section++) {
		size_t length = strlen(section->name);
		const struct eh_key *key;
		char *text;

		if (strncmp(pair->key, section->name, length) || pair->key[length] != '.')
			continue;
		key = eh_keys_find(section->keys, pair->key + length + 1);
		if (!key)
			continue;
		text = eh_key_print(key, (const char *)v + section->offset);
		same = !strcmp(text, pair->value);
		g_free(text);
	}
	return same;
}

/* Does the row speak of the point with these values, wherever they come from? */
static bool speaks_of(const struct eh_expect_row *row, const struct eh_values *v)
{
	for (guint i = 0; row->when && i < row->when->len; i++)
		if (!has_value(g_ptr_array_index(row->when, i), v))
			return false;
	return true;
}

/* The simulated number, or NAN and the reason. */
static double simulated(const struct eh_point *p, const char *name, const char **why)
{
	const struct eh_metric *metric = eh_point_find(p, name);
	bool server = false;
	const char *symbol = eh_metric_profile(name, &server);
	const GPtrArray *profile = server ? p->server : p->client;

	if (metric) {
		*why = metric->null_why;
		return metric->null_why ? NAN : metric->mean;
	}
	for (guint i = 0; symbol && i < profile->len; i++) {
		const struct eh_profile_row *row = g_ptr_array_index(profile, i);

		if (!strcmp(row->symbol, symbol))
			return row->share;
	}
	*why = symbol ? "no modelled mechanism: the symbol is not in the simulated profile"
		      : "not measured by this run";
	return NAN;
}

void eh_point_expect(struct eh_point *p, const struct eh_values *v, const GPtrArray *expect)
{
	for (guint i = 0; expect && i < expect->len; i++) {
		const struct eh_expect_row *row = g_ptr_array_index(expect, i);
		const char *why = NULL;
		struct eh_expect *e;

		if (!speaks_of(row, v))
			continue;
		e = g_new0(struct eh_expect, 1);
		e->metric = g_strdup(row->metric);
		e->row = g_strdup(row->row);
		e->published = row->published;
		e->within = row->within;
		e->fitted = row->fitted;
		e->simulated = simulated(p, row->metric, &why);
		e->ratio = e->simulated / e->published;
		e->holds = row->within <= 0 || fabs(e->ratio - 1) <= row->within;
		/* a note in a result means that nothing is compared */
		e->note = g_strdup(why || row->within > 0 ? why : row->note);
		g_ptr_array_add(p->expect, e);
	}
}
