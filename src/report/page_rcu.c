/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RCU of the points that are explained, side by side. */
#include "page.h"

#include "page_tables.h"

#include <math.h>
#include <string.h>

struct cell {
	char *name; /* "grace_periods.mean_ns" */
	double value[VIEW_FEW];
};

static void cell_free(void *cell)
{
	struct cell *c = cell;

	g_free(c->name);
	g_free(c);
}

static struct cell *cell_of(GPtrArray *cells, const char *name)
{
	struct cell *c;

	for (guint i = 0; i < cells->len; i++) {
		c = g_ptr_array_index(cells, i);
		if (!strcmp(c->name, name))
			return c;
	}
	c = g_new(struct cell, 1);
	c->name = g_strdup(name);
	for (int i = 0; i < VIEW_FEW; i++)
		c->value[i] = NAN;
	g_ptr_array_add(cells, c);
	return c;
}

/* Numbers, and those of the objects in it; lists are in figures. */
static void collect(JsonObject *o, const char *before, guint point, GPtrArray *cells)
{
	JsonObjectIter iter;
	const char *name;
	JsonNode *node;

	if (!o)
		return;
	json_object_iter_init_ordered(&iter, o);
	while (json_object_iter_next_ordered(&iter, &name, &node)) {
		char *whole = *before ? g_strdup_printf("%s.%s", before, name) : g_strdup(name);

		if (JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) != G_TYPE_STRING)
			cell_of(cells, whole)->value[point] = stored_real(o, name);
		else if (JSON_NODE_HOLDS_OBJECT(node) && !*before)
			collect(json_node_get_object(node), name, point, cells);
		g_free(whole);
	}
}

static bool is_empty(const struct cell *c)
{
	for (int i = 0; i < VIEW_FEW; i++)
		if (isfinite(c->value[i]) && c->value[i] != 0)
			return false;
	return true;
}

static void put_cell(const struct view *v, const struct cell *c, GString *out)
{
	struct scale ns = {1, 0, ""};

	html_row_begin(out);
	html_cell_name(out, c->name);
	for (guint i = 0; i < v->few->len; i++)
		html_cell_number(out, HTML_JSON, &ns, c->value[i]);
	html_row_end(out);
}

static void put_host(const struct view *v, int host, GString *out)
{
	GPtrArray *cells = g_ptr_array_new_with_free_func(cell_free);
	char *head = page_point_heads(v->few, "name");
	char *caption = v->one_host ? g_strdup("RCU, as --rcu counts it")
				    : g_strdup_printf("RCU of the %s, as --rcu counts it", view_host(host));
	guint n = 0;

	for (guint i = 0; i < v->few->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->few, i);

		collect(stored_object(stored_object(p->o, "rcu"), view_host(host)), "", i, cells);
	}
	for (guint i = 0; i < cells->len; i++) {
		if (is_empty(g_ptr_array_index(cells, i)))
			continue;
		if (!n++)
			html_table_begin(out, caption, head);
		put_cell(v, g_ptr_array_index(cells, i), out);
	}
	if (n)
		html_table_end(out);
	g_free(caption);
	g_free(head);
	g_ptr_array_unref(cells);
}

static bool any(const struct view *v, const char *member)
{
	for (guint i = 0; i < v->few->len; i++)
		if (stored_object(((struct view_point *)g_ptr_array_index(v->few, i))->o, member))
			return true;
	return false;
}

void page_memory(const struct eh_book *page, GString *out)
{
	const struct view *v = page->view;

	if (any(v, "rcu")) {
		g_string_append(out, "<h3>RCU</h3>\n");
		html_element(out, "p", "What is not in the tables is 0 at all these points, or none ended in "
				       "the measured window.");
		page_figures(page, "grace", out);
		for (int host = 0; host < VIEW_HOSTS; host++)
			put_host(v, host, out);
	}
	if (any(v, "slabs")) {
		g_string_append(out, "<h3>Slabs</h3>\n");
		html_element(out, "p",
			     "Caches of kernel objects in slabinfo's words: what stands at the end of the "
			     "measured window, and from maxobjs on what was counted in it.");
		page_tables(v, "slabs", out);
	}
}
