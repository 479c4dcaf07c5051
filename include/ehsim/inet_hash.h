/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The TCP tables of one host and the port search over them.
 *
 * Established table (ehash): buckets of 8 bytes, 8 to a line, pages of the table spread over the
 * dies; a separate array of 4-byte locks, 16 to a line, roundup_pow2(32 * CPUs) of them, on one die
 * (up to v6.14). Bind tables: bhash (16-byte buckets, 4 to a line, bucket = port) and bhash2 (the
 * same count, bucket = hash(address) ^ port), each bucket with its own lock. A bind bucket (tb) is
 * an object of 128 bytes of which the search reads the first line; tb2 likewise.
 *
 * Port search: __inet_hash_connect of v6.12 (S0) and of the March 2025 series (S1): parity passes,
 * one racy cursor per (addresses, port) slot of table_perturb, reserved ports, bind-owned ports.
 * A socket with a range of its own (IP_LOCAL_PORT_RANGE, within the host's) is given any port of it,
 * in one pass.
 * What it locks at a candidate, and when, is up to two switches (struct eh_kernel_switches):
 *
 *	rcu_bind_walk	rcu_check
 *	off	off	bhash lock, bind bucket, ehash lock, chain (S0)
 *	off	on	bhash lock, bind bucket, chain; ehash lock only if nothing is in the chain
 *	on	off	bind bucket, ehash lock, chain; if nothing is there, as above
 *	on	on	bind bucket, chain; if nothing is there, as above (S1)
 *
 * The third is no kernel's: what only looks needs the ehash lock, but not that of the bind bucket.
 *
 * Every function runs on CPU c, charges the kernel symbol whose time it is, and may give up the CPU
 * (locks). Symbols: from process context locks taken with BH still on are charged to
 * _raw_spin_lock_bh, all others to _raw_spin_lock.
 *
 * bind(): below. Without bhash2 (kernel.bhash2) it and all else that takes a port lock bhash alone.
 *
 * TIME_WAIT sockets are in both tables as any other. The search rejects a candidate whose tuple is
 * held by one, after the whole locked look, unless tcp_tw_reuse lets the new socket follow it
 * (timewait.c).
 *
 * Not modelled: VRFs, several network namespaces, SO_REUSEPORT between sockets that bind,
 * ip_autobind_reuse, table_perturb collisions between destinations.
 */
#ifndef EHSIM_INET_HASH_H
#define EHSIM_INET_HASH_H

#include <ehsim/sock.h>

/* What each commit changes, resolved: S0 to S3 are names of sets. Keys: kernel.*, same names. */
struct eh_kernel_switches {
	bool rcu_check;		 /* lockless look at the established chain first */
	bool rcu_bind_walk;	 /* lockless walk over the bind buckets first */
	bool linear_port_hash;	 /* hash(port) = hash(0) + port */
	bool hash_once;		 /* ... computed once per connect */
	bool spread_ehash_locks; /* lock array page by page over the dies */
	bool bhash2;		 /* second bind table */
};

struct eh_kernel_switches eh_kernel_switches(const struct eh_kernel_config *k);

struct eh_inet_hash *eh_inet_hash_new(struct eh_host *h);
void eh_inet_hash_free(struct eh_inet_hash *t);

/*
 * connect(): choose a local port for sk (laddr, raddr, rport set, lport 0), bind it and insert it in
 * the established table. 0, or -EADDRNOTAVAIL. Counts host->candidates.
 */
int eh_inet_hash_connect(struct eh_cpu *c, struct eh_sock *sk);

/* Before time 0, without cost: sk is connected from `port`, its lines written by `cpu`. */
void eh_inet_preset(struct eh_sock *sk, uint16_t port, int cpu);
/* The same, sk (laddr set, 0: any) only bound to it. */
void eh_inet_preset_bound(struct eh_sock *sk, uint16_t port, int cpu);
/* Other work has displaced the bound socket and its buckets from all caches. */
void eh_inet_displaced(const struct eh_sock *sk);
/* Is the port free for (laddr, raddr, rport)? For start: steady. */
bool eh_inet_port_free(struct eh_host *h, uint32_t raddr, uint16_t rport, uint16_t port);
/* Set the cursor of the destination (table_perturb) so that the next search begins at `port`. */
void eh_inet_preset_cursor(struct eh_host *h, uint32_t raddr, uint16_t rport, uint16_t port);

/* Do the two tuples share a bucket of the established table? */
bool eh_inet_same_chain(const struct eh_sock *sk, const struct eh_sock *tuple);

/* Listener: bind `port` for the host's address (bind() and listen()); costs nothing. */
void eh_inet_listen(struct eh_sock *sk, uint16_t port);

/*
 * bind(): inet_csk_get_port. Gives sk (laddr set, 0: any) the port, or chooses one when port is 0: a
 * random start, first the parity that connect() looks at last, each candidate under its bhash lock. A
 * port that others have is walked for conflicts: with bhash2 only those of the same address (and
 * those bound to any), before it all. 0, or -EADDRINUSE.
 */
int eh_inet_get_port(struct eh_cpu *c, struct eh_sock *sk, uint16_t port);

/* Take sk out of the established table (ehash lock). process: with BH still on. */
void eh_inet_unhash(struct eh_cpu *c, struct eh_sock *sk, bool process);
/* Give the port back: bhash and bhash2 locks; the bind bucket goes when nobody is left on it. */
void eh_inet_put_port(struct eh_cpu *c, struct eh_sock *sk, bool process);

/* Request socket in (ehash lock). */
void eh_inet_reqsk_insert(struct eh_cpu *c, struct eh_sock *req);
/* sk joins the owners of another socket's port: bhash and bhash2 locks. */
void eh_inet_share_port(struct eh_cpu *c, struct eh_sock *owner, struct eh_sock *sk, int sym);
/* Child takes over the listener's port: the same of the server port. */
void eh_inet_inherit_port(struct eh_cpu *c, struct eh_sock *listener, struct eh_sock *child);
/* Request out, child in, under the ehash lock. */
void eh_inet_hashdance(struct eh_cpu *c, struct eh_sock *req, struct eh_sock *child);

/*
 * Lockless lookup of an incoming packet; takes a reference (an RMW on the socket's line +2). The walk
 * takes its time: what follows an entry is read when its node is there, and by then the entry may
 * be in another chain, or another socket. So, as SLAB_TYPESAFE_BY_RCU asks for: a socket without
 * references left is as good as none, one that is another by now is put and the walk begins again,
 * and so it does at the end of a chain that is not this bucket's (nulls). host->tcp->count has how
 * often. The socket found may have left the table since.
 */
struct eh_sock *eh_inet_lookup(struct eh_cpu *c, struct eh_host *h, uint32_t laddr, uint16_t lport,
			       uint32_t raddr, uint16_t rport);
/* sock_put: the RMW that gives the reference back. */
void eh_sock_put(struct eh_cpu *c, struct eh_sock *sk, int sym);

/* Searches by connect() and by bind() for port 0, their speed and shape, for reports. */
struct eh_search_stats {
	uint64_t searches, odd_passes, failures; /* that have ended */
	uint64_t ended;	     /* candidates of those */
	uint64_t candidates; /* of all, those under way included */
	eh_time time;	     /* between entry and exit of those that have ended */
};
struct eh_bind_stats {
	uint64_t binds, failures; /* calls that have ended; of these, in vain */
	uint64_t walked;	  /* sockets compared with */
};
void eh_inet_bind_stats(const struct eh_host *h, struct eh_bind_stats *st);
void eh_inet_search_stats(const struct eh_host *h, struct eh_search_stats *st);

#endif
