/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What must hold of two connected hosts, whatever happens; a run in which it does not ends with
 * "impossible state".
 *
 *	always		no two entries of the established table have the same addresses and ports, but
 *			for a socket and the TIME_WAIT socket that takes over from it, or gives way to
 *			it, under the chain's lock; looked at whenever an entry comes in
 *			a lookup that finds nothing has passed by nothing that was there before it
 *			began and still is
 *			a spinlock is given back by whoever holds it, and taken when nobody does
 *			(qspinlock.h)
 *	at an instant	chains of the established table hold what is hashed, each where its hash says
 *			sockets, request and TIME_WAIT sockets, bind buckets, sk_buffs: what has been
 *			allocated and not freed is what is in use, but for those that a CPU is just
 *			allocating, sending or freeing, which are counted (eh_host.in_hand)
 *
 * Each function returns why something does not hold, newly allocated, or NULL.
 */
#ifndef EHSIM_CHECK_H
#define EHSIM_CHECK_H

#include <ehsim/slab.h>
#include <ehsim/sock.h>

/* sk has just come into the table. */
char *eh_tuple_problem(const struct eh_sock *sk);
/* A lookup of the addresses and ports of `of`, begun at `since`, has found nothing. */
char *eh_lookup_problem(const struct eh_host *h, const struct eh_sock *of, eh_time since);
/* Tables and memory of a host; memory of the packets between two. */
char *eh_host_problem(const struct eh_host *h);
char *eh_link_problem(const struct eh_host *a, const struct eh_host *b);
/* The last two, of both hosts; does not return if there is a problem. */
void eh_net_check(const struct eh_host *a, const struct eh_host *b);

/* In the hands of the CPU until they return: what comes is put in its place before anybody else runs. */
static inline struct eh_object *eh_net_alloc(struct eh_cpu *c, struct eh_host *h, struct eh_kmem_cache *k)
{
	struct eh_object *obj;

	h->in_hand++;
	obj = eh_kmem_alloc(c, k);
	h->in_hand--;
	return obj;
}

static inline void eh_net_free(struct eh_cpu *c, struct eh_host *h, struct eh_kmem_cache *k,
			       struct eh_object *obj)
{
	h->in_hand++;
	eh_kmem_free(c, k, obj);
	h->in_hand--;
}

#endif
