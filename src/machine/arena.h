/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Zeroed memory for the big tables that are walked at random (tags, lines): on huge pages where the
 * system has them, since misses of the TLB would cost more than the walk itself.
 */
#ifndef EHSIM_MACHINE_ARENA_H
#define EHSIM_MACHINE_ARENA_H

#include <stddef.h>

void *eh_arena_new(size_t bytes);
/* A larger copy; the old one is freed. */
void *eh_arena_grow(void *p, size_t bytes, size_t more);
void eh_arena_free(void *p, size_t bytes);

#endif
