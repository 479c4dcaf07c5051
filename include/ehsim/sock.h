/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A socket as the lookup tables see it (sock_common), and what TCP keeps beside it. Full sockets,
 * request sockets, TIME_WAIT sockets and listeners are all struct eh_sock, as they all begin with
 * sock_common.
 *
 * Their memory is SLAB_TYPESAFE_BY_RCU: once freed it may at once be another socket, but never
 * anything else, and its place in a chain (ehash_next, bucket) stays readable until it is linked
 * anew. A walk without locks may stand on it: see eh_inet_lookup.
 *
 * Cache lines of the object (offsets of v6.18 x86-64):
 *	+0	hash, ports, state, bind node: read by every walk over its chain
 *	+1	addresses, nulls node: read by every walk over its chain
 *	+2	reference count, socket lock (sk_lock and what is written under it)
 *	+3..	receive side, transmit side, timers
 */
#ifndef EHSIM_SOCK_H
#define EHSIM_SOCK_H

#include <ehsim/host.h>

enum eh_tcp_state {
	EH_TCP_CLOSE,
	EH_TCP_SYN_SENT,
	EH_TCP_NEW_SYN_RECV,
	EH_TCP_ESTABLISHED,
	EH_TCP_LISTEN,
	EH_TCP_FIN_WAIT1,
	EH_TCP_FIN_WAIT2,
	EH_TCP_CLOSING,
	EH_TCP_TIME_WAIT,
	EH_TCP_CLOSE_WAIT,
	EH_TCP_LAST_ACK,
};

#define EH_SOCK_LINES 12
#define EH_REQ_LINES 4
#define EH_TW_LINES 4

struct eh_bind_bucket;
struct eh_bind2_bucket;
struct eh_tuple;

struct eh_sock {
	struct eh_object *obj; /* its memory; NULL: not allocated now */
	struct eh_host *host;
	enum eh_tcp_state state;
	uint32_t laddr, raddr;
	uint16_t lport, rport; /* lport 0: none yet */
	uint16_t port_low, port_high; /* IP_LOCAL_PORT_RANGE; 0: not set */

	/* established table */
	uint32_t bucket;
	bool hashed;
	eh_time hashed_at;
	struct eh_sock *ehash_next, **ehash_pprev; /* ehash_next and bucket outlive the socket */

	/* bind tables */
	bool bound;	   /* its port came from bind() */
	bool reuse, bind_no_port; /* SO_REUSEADDR, IP_BIND_ADDRESS_NO_PORT */
	struct eh_bind_bucket *tb;
	struct eh_bind2_bucket *tb2;
	struct eh_sock *bind_next, **bind_pprev; /* owners of tb2 */
	struct eh_tuple *tuple; /* ports of (laddr, raddr, rport): set by the port search */

	void *tcp; /* struct eh_tcp, eh_request or eh_timewait */
};

/* New memory of a socket still stands where the old one stood in its chain. */
static inline void eh_sock_keep_place(struct eh_sock *sk, const struct eh_sock *before)
{
	sk->ehash_next = before->ehash_next;
	sk->bucket = before->bucket;
}

#endif
