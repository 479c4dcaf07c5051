/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sampled simulation of the port search, for whole runs of minutes instead of hours.
 *
 * A connect() of the documents rejects ten thousand candidate ports, and these are nearly all that a
 * run's wall time goes into. A sampled run simulates them in detail (every line, every lock) only in
 * stretches of simulated time. In between, in fast stretches, a search walks the exact occupancy: a
 * bitmap per destination of the ports that are not rejected for sure, 64 at a time. Its CPU's clock
 * moves by a cost per candidate that was measured in the detailed stretch before, in this very run:
 * drawn at random, 256 candidates at a time, from the pieces of walk that CPUs of the same die made
 * there (stream "net.sample"). All else is simulated as always, in fast stretches too: socket,
 * connect and handshake, the look at a port that may be taken, under its locks, closing, RCU, timers,
 * interrupts (which stop a search at the candidate where its clock stands). A port freed in front of
 * a search is found by it and one freed behind it is not, at the instant of simulated time that the
 * search's own clock says, as in detail.
 *
 * A period: fast, for a random part of it; back in detail, but not measured (`warmup`: caches and
 * distances between searches settle); measured (`stretch`, and longer until `candidates` have been
 * seen, so that who does not search is not sampled); fast again. A phase of the run (set-up, load)
 * begins in detail. Time by symbol is applied in the shares of the measured pieces, so the profile of
 * the search is that of the detailed stretches.
 *
 * Locks that rejected candidates take (bhash and ehash, by state) are counted in fast stretches at the
 * rates per candidate of the measured one: acquisitions, contentions, bounces and waits. Lines of the
 * host are counted (c2c.h) in measured stretches only.
 *
 * What stays approximate in fast stretches: a piece's cost is independent of its neighbours', so searches
 * that wait for each other's locks do not keep together; rejected candidates leave no traces in caches
 * and lines, so the other paths find lines as they left them.
 */
#ifndef EHSIM_SAMPLE_H
#define EHSIM_SAMPLE_H

#include <ehsim/config.h>
#include <ehsim/host.h>
#include <glib.h>

enum { EH_SAMPLE_PHASES = 2 }; /* set-up and load; the second only after eh_sample_phase */

/* One measured stretch, and what was built on it. */
struct eh_sample_stretch {
	double ns;	     /* per candidate, of all CPUs */
	uint64_t measured;   /* candidates it was measured on */
	uint64_t applied;    /* candidates of the fast stretch behind it */
};

struct eh_sample_stats {
	GArray *stretches[EH_SAMPLE_PHASES]; /* struct eh_sample_stretch; the sampler's own */
	uint64_t fast[EH_SAMPLE_PHASES];     /* candidates not simulated one by one */
};

/* From now on the host's searches are sampled. */
void eh_sample_start(struct eh_host *h, const struct eh_sample_config *cfg);
/* Load begins: it is measured anew. Nothing happens in a run that is not sampled. */
void eh_sample_phase(struct eh_host *h);
/* Adds to counts of one of the host's lock classes what the candidates of fast stretches did to it. */
void eh_sample_locks(const struct eh_host *h, const struct eh_lock_class *class,
		     struct eh_lock_class *counts);
/* False: not sampled. */
bool eh_sample_read(const struct eh_host *h, struct eh_sample_stats *st);

#endif
