/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slab.h"

#include <string.h>

#define HEAD_BYTES 16 /* avail, limit, batchcount, touched */
#define ENTRY_BYTES 8

static int line_of(int entry)
{
	return (HEAD_BYTES + ENTRY_BYTES * entry) / LINE_BYTES;
}

void eh_array_init(struct eh_kmem_cache *k, struct array *a, int limit, int batch, int die,
		   const char *name)
{
	a->limit = limit;
	a->batch = batch;
	a->entry = g_new0(struct eh_object *, limit);
	a->line = eh_lines_named(k->m, (uint32_t)line_of(limit - 1) + 1, die, name);
}

void eh_array_clear(struct array *a)
{
	g_free(a->entry);
}

void eh_array_head(struct eh_cpu *c, int sym, const struct array *a, eh_time known)
{
	eh_load(c, sym, a->line, known);
	eh_store(c, sym, a->line);
}

void eh_array_read(struct eh_cpu *c, int sym, const struct array *a, int from, int n, eh_time known)
{
	for (int i = line_of(from); n > 0 && i <= line_of(from + n - 1); i++)
		eh_load(c, sym, a->line + (eh_line_id)i, known);
}

void eh_array_write(struct eh_cpu *c, int sym, const struct array *a, int from, int n)
{
	for (int i = line_of(from); n > 0 && i <= line_of(from + n - 1); i++)
		eh_store(c, sym, a->line + (eh_line_id)i);
}

int eh_array_transfer(struct eh_cpu *c, int sym, struct array *to, struct array *from, int n,
		      eh_time known)
{
	n = MIN(n, MIN(from->avail, to->limit - to->avail));
	if (!n)
		return 0;
	eh_array_head(c, sym, from, known);
	eh_array_head(c, sym, to, known);
	eh_array_read(c, sym, from, from->avail - n, n, c->retire);
	eh_array_write(c, sym, to, to->avail, n);
	memcpy(to->entry + to->avail, from->entry + from->avail - n,
	       (size_t)n * sizeof(*to->entry));
	to->avail += n;
	from->avail -= n;
	return n;
}

void eh_array_shift(struct eh_cpu *c, int sym, struct array *a, int n)
{
	eh_array_read(c, sym, a, n, a->avail - n, 0);
	eh_array_write(c, sym, a, 0, a->avail - n);
	a->avail -= n;
	memmove(a->entry, a->entry + n, (size_t)a->avail * sizeof(*a->entry));
}

void eh_array_count(const struct array *a, uint64_t *by_die)
{
	for (int i = 0; i < a->avail; i++)
		if (a->entry[i])
			by_die[a->entry[i]->home]++;
}
