/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slabs.h"

#include "layout.h"

#include <inttypes.h>

static const char *const names[] = {
#define NAME(name) #name,
	EH_SLAB_NUMBERS(NAME)
#undef NAME
};

/* slabinfo, with its tunables and the tail that a kernel built for debugging adds. */
static const int info[] = {
	EH_SLAB_active_objs,  EH_SLAB_num_objs,	    EH_SLAB_objsize,   EH_SLAB_objperslab,
	EH_SLAB_pagesperslab, EH_SLAB_active_slabs, EH_SLAB_num_slabs, -1,
};
static const int tunables[] = {
	EH_SLAB_limit,	      EH_SLAB_batchcount,
	EH_SLAB_sharedfactor, EH_SLAB_sharedavail,
	EH_SLAB_listallocs,   EH_SLAB_maxobjs,
	EH_SLAB_grown,	      EH_SLAB_shrunk,
	EH_SLAB_reaped,	      -1,
};
static const int tail[] = {
	EH_SLAB_nodeallocs, EH_SLAB_remotefrees, EH_SLAB_alienoverflow, EH_SLAB_allochit,
	EH_SLAB_allocmiss,  EH_SLAB_freehit,	 EH_SLAB_freemiss,	-1,
};

static void put_number(struct layout_table *t, uint64_t n)
{
	layout_cell(t, g_strdup_printf("%" PRIu64, n));
}

static void print_numbers(const GPtrArray *rows, const int *which,
			  const struct eh_report_options *o, GString *out)
{
	char align[] = "rrrrrrrrrrr";
	struct layout_table *t;
	size_t n = 0;

	while (which[n] >= 0)
		n++;
	align[n] = 'l';
	align[n + 1] = '\0';
	t = layout_table_new(align);
	for (const int *i = which; *i >= 0; i++)
		layout_cell(t, g_strdup(names[*i]));
	layout_cell(t, g_strdup("name"));
	layout_row_end(t);
	for (guint r = 0; r < rows->len; r++) {
		const struct eh_slab_row *row = g_ptr_array_index(rows, r);

		for (const int *i = which; *i >= 0; i++)
			put_number(t, row->number[*i]);
		layout_cell(t, g_strdup(row->name));
		layout_row_end(t);
	}
	layout_table_print(t, o, out);
}

static void put_lock(struct layout_table *t, const struct eh_slab_row *row, int acquisitions)
{
	put_number(t, row->number[acquisitions]);
	put_number(t, row->number[acquisitions + 1]);
	layout_cell(t, g_strdup_printf("%.1f us", (double)row->number[acquisitions + 2] / 1e3));
}

static void print_memory(const GPtrArray *rows, const struct eh_report_options *o, GString *out)
{
	static const char *const heads[] = {
		"held",	     "list_lock",  "contended", "total wait",	     "alien->lock",
		"contended", "total wait", "name",	"in flight by node", NULL};
	struct layout_table *t = layout_table_new("rrrrrrrll");

	for (const char *const *head = heads; *head; head++)
		layout_cell(t, g_strdup(*head));
	layout_row_end(t);
	for (guint r = 0; r < rows->len; r++) {
		const struct eh_slab_row *row = g_ptr_array_index(rows, r);

		layout_cell(t,
			    g_strdup_printf("%" PRIu64 " KiB", row->number[EH_SLAB_bytes] / 1024));
		put_lock(t, row, EH_SLAB_list_lock_acquisitions);
		put_lock(t, row, EH_SLAB_alien_lock_acquisitions);
		layout_cell(t, g_strdup(row->name));
		layout_cell(t, g_strdup(row->by_node));
		layout_row_end(t);
	}
	layout_table_print(t, o, out);
}

void slabs_print(const struct eh_point *p, const struct eh_report_options *o, GString *out)
{
	static const char *const hosts[] = {" on the client", " on the server"};

	for (int h = 0; p->with_slabs && h < (p->one_host ? 1 : 2); h++) {
		const char *host = p->one_host ? "" : hosts[h];
		const GPtrArray *rows = p->slabs[h];

		g_string_append_printf(out, "  slabinfo%s:\n", host);
		if (!rows->len) {
			g_string_append(out, "    no cache\n\n");
			continue;
		}
		print_numbers(rows, info, o, out);
		print_numbers(rows, tunables, o, out);
		g_string_append_printf(out, "  the rest of slabinfo%s:\n", host);
		print_numbers(rows, tail, o, out);
		g_string_append_printf(out, "  memory and locks of slabs%s:\n", host);
		print_memory(rows, o, out);
		g_string_append_c(out, '\n');
	}
}

void slabs_json(JsonBuilder *b, const char *host, const GPtrArray *rows)
{
	json_builder_set_member_name(b, host);
	json_builder_begin_array(b);
	for (guint r = 0; r < rows->len; r++) {
		const struct eh_slab_row *row = g_ptr_array_index(rows, r);
		char **nodes = g_strsplit(row->by_node, " ", -1);

		json_builder_begin_object(b);
		json_builder_set_member_name(b, "name");
		json_builder_add_string_value(b, row->name);
		for (int i = 0; i < EH_SLAB_COUNT; i++) {
			json_builder_set_member_name(b, names[i]);
			json_builder_add_int_value(b, (int64_t)row->number[i]);
		}
		json_builder_set_member_name(b, "in_flight_by_node");
		json_builder_begin_array(b);
		for (char **n = nodes; *n; n++)
			json_builder_add_int_value(b, g_ascii_strtoll(*n, NULL, 10));
		json_builder_end_array(b);
		json_builder_end_object(b);
		g_strfreev(nodes);
	}
	json_builder_end_array(b);
}
