/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arena.h"

#include <glib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

static size_t rounded(size_t bytes)
{
	return (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
}

void *eh_arena_new(size_t bytes)
{
	size_t size = rounded(bytes), lead;
	char *p = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		g_error("out of memory: %zu bytes", size);
	lead = (HUGE_PAGE - (size_t)p % HUGE_PAGE) % HUGE_PAGE;
	if (lead)
		munmap(p, lead);
	if (HUGE_PAGE - lead)
		munmap(p + lead + size, HUGE_PAGE - lead);
#ifdef MADV_HUGEPAGE
	madvise(p + lead, size, MADV_HUGEPAGE);
#endif
	return p + lead;
}

void *eh_arena_grow(void *p, size_t bytes, size_t more)
{
	void *n = eh_arena_new(more);

	memcpy(n, p, bytes);
	eh_arena_free(p, bytes);
	return n;
}

void eh_arena_free(void *p, size_t bytes)
{
	if (p)
		munmap(p, rounded(bytes));
}
