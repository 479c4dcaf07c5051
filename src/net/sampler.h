/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sampling, for the port search: sample.c (when, and at what cost), fast_scan.c (the walk). */
#ifndef EHSIM_NET_SAMPLER_H
#define EHSIM_NET_SAMPLER_H

#include "port_walk.h"

#include <ehsim/sample.h>

#define EH_SAMPLE_BLOCK 256 /* candidates of one draw */

/* A piece of walk under way: what the CPU's accounts said when it began. */
struct eh_piece {
	eh_time from;
	uint64_t seen;
	uint32_t stretch; /* number of the one that measures it; 0: none */
	eh_time charged[EH_SYM_COUNT];
	struct eh_account account;
};

bool eh_sample_fast(const struct eh_sampler *m);
/* Detail: around a walk over rejected candidates; found: its last one was not. */
void eh_piece_begin(const struct search *s, struct eh_piece *p);
void eh_piece_end(const struct search *s, const struct eh_piece *p, bool found);
/*
 * Fast: what the block-th block of candidates of a CPU's scan-th scan takes (a function of these, so
 * that it does not matter when it is drawn), and the account of n candidates that took `time`.
 */
eh_time eh_sample_draw(const struct eh_sampler *m, const struct eh_cpu *c, uint32_t scan,
		       uint32_t block);
void eh_sample_charge(struct eh_sampler *m, struct eh_cpu *c, uint64_t n, eh_time time);
void eh_sampler_free(struct eh_sampler *m);

/*
 * fast_scan.c: from a rejected candidate on, like eh_scan_lockless, in states with locks, too. Only of
 * a range that is walked parity by parity.
 */
void eh_scan_fast(struct search *s);
/* Searches under way stop at the candidate where their clock stands. */
void eh_fast_stop(struct eh_inet_hash *t);
void eh_fast_free(struct eh_fast *f);

#endif
