/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of workload.kind ehash2004 share. */
#ifndef EHSIM_WORKLOAD_EHASH2004_H
#define EHSIM_WORKLOAD_EHASH2004_H

#include "lab.h"

#include <ehsim/ehash2004.h>

#define EH_BACKLOG2004 300 /* netdev_max_backlog of 2.6.8 */

/* The far side sends packets of a connection as long as there is one; a new one takes its place. */
struct connection2004 {
	struct eh_four2004 four;
	struct eh_sock2004 *sk, *tw; /* as its owner knows it; NULL: no more, or not yet */
	int64_t left;		     /* packets until it closes, then until TIME_WAIT is over; 0: never */
	bool exists;		     /* in the table, in one half or the other */
	uint64_t epoch;		     /* of that existence */
	struct connection2004 *next; /* of its bucket */
};

struct rx2004 {
	struct table2004 *s;
	int thread;
	struct connection2004 *backlog[EH_BACKLOG2004];
	uint32_t head, n;
};

struct walker2004 {
	uint64_t walk;	 /* counted from 1 */
	uint64_t *seen;	 /* by connection: in which walk last */
	uint64_t *epoch; /* by connection: when its bucket was entered */
	struct table2004 *s;
	uint32_t bucket;
};

struct table2004 {
	const struct eh_workload_config *cfg;
	struct eh_lab *lab;
	struct eh_ehash2004 *t;
	struct connection2004 *conn;
	struct connection2004 **of_bucket; /* NULL: nobody walks */
	int receivers;			   /* threads, the first ones; the others walk */
	gsl_rng **random;
	gsl_rng *arrivals;
	struct eh_event arrival;
	uint64_t arrived;
	struct rx2004 *rx; /* by receiver */
	struct walker2004 *walkers;
	int64_t count[EH_LAB_COUNTS];
};

/* One packet of the connection, in softirq. */
void eh_packet2004(struct table2004 *s, struct eh_cpu *c, struct connection2004 *k);
/* As at time 0 that many packets are left. */
void eh_connection2004_preset(struct table2004 *s, struct connection2004 *k, int cpu, gsl_rng *r);
/* Frames arrive by interrupts from now on; workload.ehash2004.rate of them. */
void eh_irq2004_start(struct table2004 *s);
void eh_irq2004_stop(struct table2004 *s);
/* Whose packet comes to this receiver. */
struct connection2004 *eh_next2004(struct table2004 *s, gsl_rng *r, int receiver);
/* The next buckets of a walk. */
void eh_walk2004(struct table2004 *s, struct eh_cpu *c, struct walker2004 *w);

#endif
