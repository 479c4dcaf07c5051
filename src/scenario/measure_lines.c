/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include <ehsim/c2c.h>

#define LINE_BYTES 64
#define MOST_ROWS 20 /* and one for what is left */

void eh_lines_start(const struct eh_world *w)
{
	struct eh_machine *m[2];

	eh_world_machines(w, m);
	for (int h = 0; h < 2; h++)
		if (m[h])
			eh_c2c_start(m[h]);
}

void eh_lines_begin(const struct eh_world *w)
{
	struct eh_machine *m[2];

	eh_world_machines(w, m);
	for (int h = 0; h < 2; h++)
		if (m[h])
			eh_c2c_reset(m[h]);
}

static uint64_t accesses(const struct eh_c2c_count *c)
{
	return c->lcl_hitm + c->rmt_hitm + c->lcl_store + c->rmt_store;
}

static void add(struct eh_line_row *row, const struct eh_c2c_row *r, uint64_t all)
{
	row->lcl_hitm += r->count.lcl_hitm;
	row->rmt_hitm += r->count.rmt_hitm;
	row->lcl_store += r->count.lcl_store;
	row->rmt_store += r->count.rmt_store;
	row->waited += r->count.waited;
	row->lines += r->lines;
	row->share = (double)eh_line_row_accesses(row) / (double)all;
}

static void add_row(GPtrArray *rows, const struct eh_c2c_row *r, uint64_t all)
{
	char *name = g_strdup_printf("%s+0x%x", r->name ? r->name : "(no name)",
				     r->field * LINE_BYTES);
	struct eh_line_row *row = eh_line_row_add(rows, name);

	add(row, r, all);
	row->hottest = r->hottest;
	row->hottest_share = r->hottest_share;
	g_free(name);
}

static void fill(GPtrArray *rows, const GArray *counted)
{
	struct eh_line_row *other = NULL;
	uint64_t all = 0;

	for (guint i = 0; i < counted->len; i++)
		all += accesses(&g_array_index(counted, struct eh_c2c_row, i).count);
	for (guint i = 0; i < counted->len; i++) {
		const struct eh_c2c_row *r = &g_array_index(counted, struct eh_c2c_row, i);

		if (i < MOST_ROWS) {
			add_row(rows, r, all);
			continue;
		}
		if (!other)
			other = eh_line_row_add(rows, "other");
		add(other, r, all);
	}
}

void eh_lines_end(const struct eh_world *w, struct eh_point *p)
{
	struct eh_machine *m[2];

	eh_world_machines(w, m);
	for (int h = 0; h < 2; h++) {
		GArray *counted = m[h] ? eh_c2c_rows(m[h]) : NULL;

		if (!counted)
			continue;
		fill(p->lines[h], counted);
		g_array_unref(counted);
	}
}
