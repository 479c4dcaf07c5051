/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tags of a CPU's L2: sets of four lines in order of use, a set in one 64-bit word, the most
 * recently used tag in the low 16 bits. A tag is the upper bits of a line's number (never 0), then
 * the low bits of its version; the lower bits of the number choose the set. An invalidated copy is a
 * tag with an old version: nobody finds it, and the line's next tag takes its place.
 *
 * A copy that is a multiple of 2^version_bits versions old would pass for a fresh one (with a million
 * lines and an L2 of 2 MiB: 2^8).
 */
#ifndef EHSIM_TAGS_H
#define EHSIM_TAGS_H

#include <ehsim/types.h>

#define EH_L2_WAYS 4
#define EH_EACH_WAY 0x0001000100010001ull

/* Nonzero when one of the four tags of `set`, looked at through `mask`, equals `tag`: bits 15 of
   the ways from the first match on are exact. */
eh_always_inline uint64_t eh_set_match(uint64_t set, uint16_t tag, uint16_t mask)
{
	uint64_t x = (set ^ tag * EH_EACH_WAY) & mask * EH_EACH_WAY;

	return (x - EH_EACH_WAY) & ~x & (EH_EACH_WAY << 15);
}

/*
 * The way of the first match becomes the most recently used, with `tag` in it. Without a match it is
 * the least recently used way: the same as a push, so that nobody has to branch.
 */
eh_always_inline uint64_t eh_set_front(uint64_t set, uint64_t match, uint16_t tag)
{
	uint64_t upto = match ^ (match - 1); /* all bits up to the first match */

	return (set & ~upto) | ((set << 16 | tag) & upto);
}

/* A tag that is not there comes in, the least recently used one goes. */
eh_always_inline uint64_t eh_set_push(uint64_t set, uint16_t tag)
{
	return set << 16 | tag;
}

/* The last push is taken back; `displaced` had gone for it. */
static inline uint64_t eh_set_pull(uint64_t set, uint16_t displaced)
{
	return set >> 16 | (uint64_t)displaced << 48;
}

/* A push in place of an older version if there is one. number: mask of the number's bits. */
eh_always_inline uint64_t eh_set_put(uint64_t set, uint16_t tag, uint16_t number)
{
	return eh_set_front(set, eh_set_match(set, tag, number), tag);
}

#endif
