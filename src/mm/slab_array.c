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

void eh_array_head(struct eh_cpu *c, int sym, const struct array *a)
{
	eh_load(c, sym, a->line, 0);
	eh_store(c, sym, a->line);
}

void eh_array_entries(struct eh_cpu *c, int sym, const struct array *a, int from, int n, bool write)
{
	int first = line_of(from);

	if (n > 0)
		eh_touch(c, sym, a->line + (eh_line_id)first, line_of(from + n - 1) - first + 1, write);
}

int eh_array_transfer(struct eh_cpu *c, int sym, struct array *to, struct array *from, int n)
{
	n = MIN(n, MIN(from->avail, to->limit - to->avail));
	if (!n)
		return 0;
	eh_array_entries(c, sym, from, from->avail - n, n, false);
	eh_array_entries(c, sym, to, to->avail, n, true);
	eh_array_head(c, sym, from);
	eh_array_head(c, sym, to);
	memcpy(to->entry + to->avail, from->entry + from->avail - n, (size_t)n * sizeof(*to->entry));
	to->avail += n;
	from->avail -= n;
	return n;
}

void eh_array_shift(struct eh_cpu *c, int sym, struct array *a, int n)
{
	eh_array_entries(c, sym, a, n, a->avail - n, false);
	eh_array_entries(c, sym, a, 0, a->avail - n, true);
	a->avail -= n;
	memmove(a->entry, a->entry + n, (size_t)a->avail * sizeof(*a->entry));
}

void eh_array_count(const struct array *a, uint64_t *by_die)
{
	for (int i = 0; i < a->avail; i++)
		if (a->entry[i])
			by_die[a->entry[i]->home]++;
}
