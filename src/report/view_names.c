/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view_names.h"

#include <ehsim/message.h>
#include <string.h>

enum { MOST_KEYS = 6 }; /* by which results are told apart; with more, their names do */

static bool has_key(const struct view *v, const char *key)
{
	for (guint i = 0; i < v->keys->len; i++)
		if (!strcmp(g_ptr_array_index(v->keys, i), key))
			return true;
	return false;
}

static void swept_keys(struct view *v)
{
	for (guint i = 0; i < v->points->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->points, i);
		JsonObjectIter iter;
		const char *key;
		JsonNode *node;

		json_object_iter_init_ordered(&iter, stored_object(p->o, "set"));
		while (json_object_iter_next_ordered(&iter, &key, &node))
			if (!has_key(v, key))
				g_ptr_array_add(v->keys, g_strdup(key));
	}
}

static JsonObject *values_of(const struct eh_stored *s)
{
	return stored_object(stored_object(s->top, "scenario"), "values");
}

static bool differs(const struct view *v, const char *key)
{
	const char *first = stored_text(values_of(g_ptr_array_index(v->results, 0)), key);

	for (guint i = 1; i < v->results->len; i++)
		if (g_strcmp0(first, stored_text(values_of(g_ptr_array_index(v->results, i)), key)))
			return true;
	return false;
}

/* Keys that no result sweeps but whose values differ between results. */
static GPtrArray *differing_keys(const struct view *v)
{
	GPtrArray *keys = g_ptr_array_new();
	JsonObjectIter iter;
	const char *key;
	JsonNode *node;

	if (v->results->len < 2)
		return keys;
	json_object_iter_init_ordered(&iter, values_of(g_ptr_array_index(v->results, 0)));
	while (json_object_iter_next_ordered(&iter, &key, &node))
		if (!has_key(v, key) && differs(v, key))
			g_ptr_array_add(keys, (char *)key);
	return keys;
}

const char *view_short_key(const struct view *v, const char *key)
{
	const char *dot = strrchr(key, '.'), *end = dot ? dot + 1 : key;

	for (guint i = 0; i < v->keys->len; i++) {
		const char *other = g_ptr_array_index(v->keys, i), *other_dot = strrchr(other, '.');

		if (strcmp(other, key) && !strcmp(end, other_dot ? other_dot + 1 : other))
			return key;
	}
	return end;
}

char *view_result_name(const struct eh_stored *s)
{
	char *name = g_path_get_basename(s->file);
	char *dot = strrchr(name, '.');

	if (dot && dot != name)
		*dot = '\0';
	return eh_harmless(name);
}

static char *joined(const struct view *v, const struct view_point *p, bool whole)
{
	GString *s = g_string_new(NULL);

	for (guint i = 0; i < p->set->len; i++) {
		const struct eh_pair *pair = g_ptr_array_index(p->set, i);

		g_string_append_printf(s, "%s%s=%s", i ? ", " : "",
				       whole ? pair->key : view_short_key(v, pair->key),
				       pair->value);
	}
	return eh_harmless(g_string_free(s, FALSE));
}

static bool same_set(const struct view_point *a, const struct view_point *b)
{
	if (a->set->len != b->set->len)
		return false;
	for (guint i = 0; i < a->set->len; i++) {
		const struct eh_pair *x = g_ptr_array_index(a->set, i),
				     *y = g_ptr_array_index(b->set, i);

		if (strcmp(x->key, y->key) || strcmp(x->value, y->value))
			return false;
	}
	return true;
}

/* Points of different results that their keys do not tell apart. */
static bool results_alike(const struct view *v)
{
	for (guint i = 0; v->results->len > 1 && i < v->points->len; i++)
		for (guint k = 0; k < i; k++) {
			const struct view_point *p = g_ptr_array_index(v->points, i);
			const struct view_point *q = g_ptr_array_index(v->points, k);

			if (p->result != q->result && same_set(p, q))
				return true;
		}
	return false;
}

static void name_point(const struct view *v, struct view_point *p, bool with_result)
{
	char *short_name = joined(v, p, false), *full = joined(v, p, true);
	char *result = view_result_name(p->result);

	if (!*short_name) {
		p->name = g_strdup(with_result ? result : "the run");
		p->full = g_strdup(p->name);
	} else if (with_result) {
		p->name = g_strdup_printf("%s: %s", result, short_name);
		p->full = g_strdup_printf("%s: %s", result, full);
	} else {
		p->name = g_strdup(short_name);
		p->full = g_strdup(full);
	}
	g_free(result);
	g_free(short_name);
	g_free(full);
}

void view_name_points(struct view *v)
{
	GPtrArray *more;
	bool with_result;

	swept_keys(v);
	more = differing_keys(v);
	for (guint i = 0; more->len <= MOST_KEYS && i < more->len; i++)
		g_ptr_array_add(v->keys, g_strdup(g_ptr_array_index(more, i)));
	for (guint i = 0; i < v->points->len; i++) {
		struct view_point *p = g_ptr_array_index(v->points, i);
		JsonObject *set = stored_object(p->o, "set");

		for (guint k = 0; k < v->keys->len; k++) {
			const char *key = g_ptr_array_index(v->keys, k);
			const char *value = stored_text(set, key);

			if (!value && v->results->len > 1)
				value = stored_text(values_of(p->result), key);
			if (value)
				eh_pair_add(p->set, key, "%s", value);
		}
	}
	with_result = more->len > MOST_KEYS || results_alike(v);
	for (guint i = 0; i < v->points->len; i++)
		name_point(v, g_ptr_array_index(v->points, i), with_result);
	g_ptr_array_unref(more);
}
