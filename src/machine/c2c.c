/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "line.h"

#include <glib.h>
#include <string.h>

struct name {
	eh_line_id first;
	uint32_t n, stride;
	const char *text;
};

struct eh_c2c {
	struct eh_c2c_count *by_line;
	uint32_t n; /* lines there is room for */
};

static struct name *name_at(const struct eh_machine *m, guint i)
{
	return &g_array_index(m->names, struct name, i);
}

/* The first range that ends behind the line. */
static guint names_from(const struct eh_machine *m, eh_line_id id)
{
	guint lo = 0, hi = m->names->len;

	while (lo < hi) {
		guint mid = (lo + hi) / 2;

		if (name_at(m, mid)->first + name_at(m, mid)->n <= id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Range `at` begins before `first`: what it has behind `end`, if anything, becomes a range of its own. */
static void cut(struct eh_machine *m, guint at, eh_line_id first, eh_line_id end)
{
	struct name *before = name_at(m, at), rest = *before;

	before->n = first - before->first;
	if (rest.first + rest.n > end) {
		rest.n -= end - rest.first;
		rest.first = end;
		g_array_insert_val(m->names, at + 1, rest);
	}
}

void eh_line_name(struct eh_machine *m, eh_line_id first, uint32_t n, uint32_t stride,
		  const char *name)
{
	struct name new = {first, n, stride, name};
	guint at = names_from(m, first);

	if (at < m->names->len && name_at(m, at)->first == first && name_at(m, at)->n == n) {
		*name_at(m, at) = new; /* a page that is what it was */
		return;
	}
	if (at < m->names->len && name_at(m, at)->first < first)
		cut(m, at++, first, first + n);
	while (at < m->names->len && name_at(m, at)->first + name_at(m, at)->n <= first + n)
		g_array_remove_index(m->names, at);
	if (at < m->names->len && name_at(m, at)->first < first + n) {
		name_at(m, at)->n -= first + n - name_at(m, at)->first;
		name_at(m, at)->first = first + n;
	}
	g_array_insert_val(m->names, at, new);
}

/* The name of the range that the line lies in; NULL: none. */
static const struct name *name_of(const struct eh_machine *m, eh_line_id id)
{
	guint at = names_from(m, id);

	return at < m->names->len && name_at(m, at)->first <= id ? name_at(m, at) : NULL;
}

GArray *eh_names_new(void)
{
	return g_array_new(FALSE, FALSE, sizeof(struct name));
}

static void fit(struct eh_c2c *x, const struct eh_machine *m)
{
	if (x->n >= m->nlines)
		return;
	x->by_line = g_renew(struct eh_c2c_count, x->by_line, m->cap_lines);
	memset(x->by_line + x->n, 0, (m->cap_lines - x->n) * sizeof(*x->by_line));
	x->n = m->cap_lines;
}

void eh_c2c_start(struct eh_machine *m)
{
	m->c2c = g_new0(struct eh_c2c, 1);
	fit(m->c2c, m);
}

void eh_c2c_free(struct eh_machine *m)
{
	if (m->c2c)
		g_free(m->c2c->by_line);
	g_free(m->c2c);
	g_array_unref(m->names);
}

void eh_c2c_reset(struct eh_machine *m)
{
	if (m->c2c)
		memset(m->c2c->by_line, 0, m->c2c->n * sizeof(*m->c2c->by_line));
}

void eh_c2c_rest(struct eh_machine *m, bool rest)
{
	m->c2c_rests = rest;
}

void eh_c2c_count(const struct eh_cpu *c, eh_line_id id, int other, bool write, eh_time waited)
{
	const struct eh_machine *m = c->m;
	struct eh_c2c_count *count;
	uint8_t here = m->socket_bit[c->die];
	/* Nobody has written it: copies are where it was read. */
	bool remote = other == EH_NO_CPU ? m->lines[id].readers & (uint8_t)~here :
						 m->socket_bit[m->die_of[other]] != here;

	if (m->c2c_rests)
		return;
	fit(m->c2c, m);
	count = &m->c2c->by_line[id];
	if (write)
		*(remote ? &count->rmt_store : &count->lcl_store) += 1;
	else
		*(remote ? &count->rmt_hitm : &count->lcl_hitm) += 1;
	count->waited += waited;
}

static uint64_t accesses(const struct eh_c2c_count *c)
{
	return c->lcl_hitm + c->rmt_hitm + c->lcl_store + c->rmt_store;
}

static struct eh_c2c_row *row_of(GArray *rows, const char *name, uint32_t field, eh_line_id id)
{
	struct eh_c2c_row new = {.name = name, .field = field, .hottest = id};

	for (guint i = rows->len; i > 0; i--) { /* neighbours mostly share a row */
		struct eh_c2c_row *r = &g_array_index(rows, struct eh_c2c_row, i - 1);

		if (name && r->name && !strcmp(r->name, name) && r->field == field)
			return r;
	}
	g_array_append_val(rows, new);
	return &g_array_index(rows, struct eh_c2c_row, rows->len - 1);
}

static int most_first(gconstpointer a, gconstpointer b)
{
	const struct eh_c2c_row *x = a, *y = b;
	uint64_t n = accesses(&x->count), m = accesses(&y->count);

	return n != m ? (n < m ? 1 : -1) : x->hottest < y->hottest ? -1 : x->hottest > y->hottest;
}

GArray *eh_c2c_rows(const struct eh_machine *m)
{
	GArray *rows;

	if (!m->c2c)
		return NULL;
	rows = g_array_new(FALSE, FALSE, sizeof(struct eh_c2c_row));
	for (eh_line_id id = 1; id < MIN(m->nlines, m->c2c->n); id++) {
		const struct eh_c2c_count *count = &m->c2c->by_line[id];
		const struct name *name;
		struct eh_c2c_row *r;

		if (!accesses(count))
			continue;
		name = name_of(m, id);
		r = row_of(rows, name ? name->text : NULL, name ? (id - name->first) % name->stride : 0,
			   id);
		r->lines++;
		if (accesses(count) > accesses(&m->c2c->by_line[r->hottest]))
			r->hottest = id;
		r->count.lcl_hitm += count->lcl_hitm;
		r->count.rmt_hitm += count->rmt_hitm;
		r->count.lcl_store += count->lcl_store;
		r->count.rmt_store += count->rmt_store;
		r->count.waited += count->waited;
	}
	for (guint i = 0; i < rows->len; i++) {
		struct eh_c2c_row *r = &g_array_index(rows, struct eh_c2c_row, i);

		r->hottest_share = (double)accesses(&m->c2c->by_line[r->hottest]) /
				   (double)accesses(&r->count);
	}
	g_array_sort(rows, most_first);
	return rows;
}
