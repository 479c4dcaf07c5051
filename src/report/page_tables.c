/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page_tables.h"

#include "html.h"

#include <math.h>
#include <string.h>

enum { ROWS = 25, COLUMNS = 24, DEEP = 4 };

/* What the other parts of the page show. */
static const char *const known[] = {
	"index",       "set",	   "seed",	   "fingerprint",   "status",
	"status_text", "start",	   "simulated_ns", "warmup_ns",	    "metrics",
	"repeats",     "baseline", "changes",	   "profile",	    "locks",
	"lines",       "neper",	   "expect",	   "distributions", "courses",	    "rcu",
	"slabs",
	NULL,
};

char *page_point_heads(const GPtrArray *points, const char *first)
{
	GString *head = g_string_new(first);

	for (guint i = 0; i < points->len; i++) {
		char *name = g_strdup(((struct view_point *)g_ptr_array_index(points, i))->name);

		g_string_append_printf(head, "|#%s", g_strdelimit(name, "|", '/'));
		g_free(name);
	}
	return g_string_free(head, FALSE);
}

static bool is_plain(JsonNode *node)
{
	return !JSON_NODE_HOLDS_OBJECT(node) && !JSON_NODE_HOLDS_ARRAY(node);
}

static void put_plain(JsonNode *node, const char *name, GString *out)
{
	GType type = JSON_NODE_HOLDS_NULL(node) ? G_TYPE_INVALID : json_node_get_value_type(node);
	struct scale s;

	if (type == G_TYPE_DOUBLE || type == G_TYPE_INT64) {
		double x = type == G_TYPE_DOUBLE ? json_node_get_double(node)
						 : (double)json_node_get_int(node);

		s = (struct scale){1, 0, ""};
		if (type == G_TYPE_DOUBLE)
			s.decimals = fabs(x) >= 1000		? 0
				     : fabs(x) >= 10		? 1
				     : fabs(x) >= 0.1 || x == 0 ? 3
								: 6;
		if (!strcmp(name, "share") || g_str_has_suffix(name, "_share"))
			s = (struct scale){1, 4, ""};
		html_cell_number(out, HTML_JSON, &s, x);
	} else if (type == G_TYPE_STRING) {
		html_cell(out, json_node_get_string(node));
	} else if (type == G_TYPE_BOOLEAN) {
		html_cell(out, json_node_get_boolean(node) ? "yes" : "no");
	} else if (is_plain(node)) {
		s = (struct scale){1, 0, ""};
		html_cell_number(out, HTML_JSON, &s, NAN);
	} else {
		html_cell(out, "...");
	}
}

static bool is_nothing(JsonNode *node)
{
	GType type = node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_value_type(node) : G_TYPE_INVALID;

	if (type == G_TYPE_DOUBLE || type == G_TYPE_INT64)
		return json_node_get_double(node) == 0;
	return !node || JSON_NODE_HOLDS_NULL(node);
}

static bool is_nothing_everywhere(JsonArray *rows, const char *name)
{
	for (guint i = 0; i < stored_rows(rows); i++) {
		JsonObject *row = stored_row(rows, i);

		if (row && !is_nothing(json_object_get_member(row, name)))
			return false;
	}
	return true;
}

/* Plain members of the first row that are anything in some row, with a mark of those that are numbers. */
static GPtrArray *columns_of(JsonArray *rows, JsonObject *row, GString *head)
{
	GPtrArray *columns = g_ptr_array_new();
	JsonObjectIter iter;
	const char *name;
	JsonNode *node;

	json_object_iter_init_ordered(&iter, row);
	while (columns->len < COLUMNS && json_object_iter_next_ordered(&iter, &name, &node)) {
		char *text;

		if (!is_plain(node) || is_nothing_everywhere(rows, name))
			continue;
		text = g_strdup(name);
		g_string_append_printf(head, "%s%s%s", columns->len ? "|" : "",
				       !JSON_NODE_HOLDS_NULL(node) && json_node_get_value_type(
									      node) == G_TYPE_STRING
					       ? ""
					       : "#",
				       g_strdelimit(text, "|", '/'));
		g_free(text);
		g_ptr_array_add(columns, (char *)name);
	}
	return columns;
}

static void put_rows(const char *caption, JsonArray *rows, GString *out)
{
	GString *head = g_string_new(NULL);
	JsonObject *first = stored_row(rows, 0);
	GPtrArray *columns;
	guint n = stored_rows(rows);

	if (!first) {
		g_string_free(head, TRUE);
		return;
	}
	columns = columns_of(rows, first, head);
	if (columns->len)
		html_table_begin(out, caption, head->str);
	for (guint i = 0; columns->len && i < n && i < ROWS; i++) {
		JsonObject *row = stored_row(rows, i);

		html_row_begin(out);
		for (guint k = 0; row && k < columns->len; k++) {
			const char *name = g_ptr_array_index(columns, k);
			JsonNode *node = json_object_get_member(row, name);

			if (node)
				put_plain(node, name, out);
			else
				html_cell(out, "");
		}
		html_row_end(out);
	}
	if (columns->len)
		html_table_end(out);
	if (n > ROWS) {
		g_string_append(out, "<p class=\"pale\">");
		html_printf(out, "The first %d of %u rows.", ROWS, n);
		g_string_append(out, "</p>\n");
	}
	g_ptr_array_unref(columns);
	g_string_free(head, TRUE);
}

static void put_any(const char *caption, const char *name, JsonNode *node, int deep, GString *out);

/* Its plain members as a table of names and values, the others each as what they are. */
static void put_members(const char *caption, JsonObject *o, int deep, GString *out)
{
	JsonObjectIter iter;
	const char *name;
	JsonNode *node;
	bool any = false;

	json_object_iter_init_ordered(&iter, o);
	while (json_object_iter_next_ordered(&iter, &name, &node)) {
		if (!is_plain(node))
			continue;
		if (!any)
			html_table_begin(out, caption, "name|#value");
		any = true;
		html_row_begin(out);
		html_cell_name(out, name);
		put_plain(node, name, out);
		html_row_end(out);
	}
	if (any)
		html_table_end(out);
	json_object_iter_init_ordered(&iter, o);
	while (json_object_iter_next_ordered(&iter, &name, &node)) {
		char *text;

		if (is_plain(node))
			continue;
		text = g_strdup_printf("%s, %s", caption, name);
		put_any(text, name, node, deep + 1, out);
		g_free(text);
	}
}

static void put_any(const char *caption, const char *name, JsonNode *node, int deep, GString *out)
{
	if (deep > DEEP)
		return;
	if (JSON_NODE_HOLDS_ARRAY(node)) {
		put_rows(caption, json_node_get_array(node), out);
	} else if (JSON_NODE_HOLDS_OBJECT(node)) {
		put_members(caption, json_node_get_object(node), deep, out);
	} else {
		html_table_begin(out, caption, "name|#value");
		html_row_begin(out);
		html_cell_name(out, name);
		put_plain(node, name, out);
		html_row_end(out);
		html_table_end(out);
	}
}

void page_tables(const struct view *v, const char *member, GString *out)
{
	for (int host = 0; host < VIEW_HOSTS; host++)
		for (guint i = 0; i < v->few->len; i++) {
			const struct view_point *p = g_ptr_array_index(v->few, i);
			char *caption = v->one_host ? g_strdup_printf("%s: %s", p->name, member)
						    : g_strdup_printf("%s: %s of the %s", p->name,
								      member, view_host(host));

			put_rows(caption,
				 stored_array(stored_object(p->o, member), view_host(host)), out);
			g_free(caption);
		}
}

static void put_unknown(const struct view *v, const char *name, GString *out)
{
	g_string_append(out, "<h3>");
	html_text(out, name);
	g_string_append(out, "</h3>\n");
	for (guint i = 0; i < v->few->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->few, i);
		JsonNode *node = json_object_get_member(p->o, name);
		char *caption = g_strdup_printf("%s: %s", p->name, name);

		if (node)
			put_any(caption, name, node, 0, out);
		g_free(caption);
	}
}

void page_tables_unknown(const struct view *v, GString *out)
{
	GPtrArray *names = g_ptr_array_new();

	for (guint i = 0; i < v->few->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->few, i);
		JsonObjectIter iter;
		const char *name;
		JsonNode *node;

		json_object_iter_init_ordered(&iter, p->o);
		while (json_object_iter_next_ordered(&iter, &name, &node))
			if (!g_strv_contains(known, name) && !JSON_NODE_HOLDS_NULL(node) &&
			    !g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
				g_ptr_array_add(names, (char *)name);
	}
	for (guint i = 0; i < names->len; i++)
		put_unknown(v, g_ptr_array_index(names, i), out);
	g_ptr_array_unref(names);
}
