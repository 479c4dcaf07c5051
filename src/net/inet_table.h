/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables behind inet_hash.h, for the files of this folder.
 *
 * What a search reads at a candidate port is the same for every CPU, so each destination (tuple)
 * keeps one 16-byte record per local port: where the lines of that candidate are and what the walk
 * will find. It is derived state, renewed by eh_port_refresh whenever a bind bucket or a chain of
 * the established table changes.
 */
#ifndef EHSIM_NET_INET_TABLE_H
#define EHSIM_NET_INET_TABLE_H

#include <ehsim/inet_hash.h>

#define LOCKS_PER_LINE 16  /* 4 bytes each */
#define BUCKETS_PER_LINE 8 /* ehash: 8 bytes each */
#define BIND_PER_LINE 4	   /* bhash, bhash2: 16 bytes each */

enum eh_port_state {
	EH_PORT_FREE,	  /* no bind bucket */
	EH_PORT_TAKEN,	  /* bucket made by connect(), and this very tuple is established */
	EH_PORT_BOUND,	  /* bucket owned by bind(): rejected without a look at ehash */
	EH_PORT_MAYBE,	  /* bucket made by connect(), tuple not established */
	EH_PORT_RESERVED, /* ip_local_reserved_ports */
	EH_PORT_TIME_WAIT, /* bucket made by connect(), and this very tuple is in TIME_WAIT */
};

struct eh_port {
	eh_line_id tb, bucket, sk; /* lines: first of the bind bucket, ehash bucket, first of the socket */
	uint16_t lock;		   /* index of the ehash lock */
	uint8_t state;
	uint8_t before; /* entries of the chain in front of the match */
};

/* All local ports towards one destination. */
struct eh_tuple {
	struct eh_tuple *next;
	uint32_t raddr;
	uint16_t rport;
	uint32_t perturb; /* its slot of table_perturb */
	eh_line_id perturb_line;
	struct eh_sock **sk;   /* [port]: established with this tuple */
	struct eh_port *ports; /* [port] */
	eh_line_id *front;     /* [port]: the first socket of the chain when `before` is 1; else 0 */
	uint64_t *open[2];     /* by parity of the port, bit port / 2: not rejected for sure */
};

struct eh_timewait;

/* tb2: the sockets of a bind bucket at one local address; without bhash2 one for all, without obj. */
struct eh_bind2_bucket {
	struct eh_bind2_bucket *next, **pprev;	     /* of the same tb */
	struct eh_bind2_bucket *chained, **pchained; /* of the same bucket of bhash2 */
	struct eh_object *obj;
	uint32_t laddr;
	uint16_t port;
	struct eh_sock *owners; /* the latest first */
};

struct eh_bind_bucket {
	struct eh_object *obj; /* tb */
	struct eh_bind2_bucket *second;
	int owners;
	int8_t fastreuse; /* -1: connect() made it; else bind(): do all of its sockets allow reuse? */
};

/*
 * The local ports of a search: `low` and the `span - 1` that follow. A pass visits remaining / step
 * of them. The host's range is walked in two passes, one parity each; of an odd number of ports
 * `remaining` leaves one out. A socket's own range (IP_LOCAL_PORT_RANGE) is walked port by port.
 */
struct eh_port_range {
	uint32_t low, span, remaining, step;
};

#define EH_LOOK_AHEAD 256 /* candidates at most */

#define EH_LINES_READ 5 /* by a rejected candidate: bhash, bind bucket, ehash, two of the socket */

/*
 * A search that has read ahead of the clock. Who frees a port within its reach marks it: when the
 * CPU gets there it looks again. `hold` candidates still stand; less than n after a cut.
 */
struct eh_lookahead {
	struct eh_cpu *c;
	struct eh_port_range range;
	uint32_t first, n; /* first candidate (index within its pass), how many */
	uint32_t parity;   /* of port - range.low, when the step is 2 */
	uint32_t hold, next; /* candidates that hold; the one the CPU waits for (hold: none) */
	uint64_t again[EH_LOOK_AHEAD / 64]; /* bit per candidate to look at again */
	eh_time clock[EH_LOOK_AHEAD + 1];   /* the CPU's clock before each candidate */
	uint32_t displaced[EH_LOOK_AHEAD];  /* length of the undo log before each candidate */
	uint32_t undo[EH_LOOK_AHEAD * EH_LINES_READ];
};

/* Instructions without memory operations: how many, how long they dispatch. */
struct block {
	int64_t instr;
	eh_time ps;
};

/* The cost rows of one candidate, in picoseconds of this machine. */
struct search_cost {
	struct block loop, check, hash, match, resched, qs, between, lock_bh, lock, unlock, unlock_bh;
	/* sums, up to the next locked operation or candidate: port_locked.c */
	struct block to_bhash_lock, to_ehash_lock, to_next, to_next_one;
	eh_time hash_latency;
	struct block connect_hash; /* once per connect */
};

struct eh_fast;
struct eh_watch;
struct eh_sampler;

struct eh_inet_hash {
	struct eh_host *host;
	/* established table */
	struct eh_sock **bucket;
	eh_line_id bucket_lines;
	uint32_t bucket_mask;
	struct eh_spinlock *ehash_locks;
	uint32_t lock_mask;
	eh_line_id lock_lines;
	uint64_t secret[2];
	/* bind tables, by port */
	struct eh_bind_bucket **tb;
	struct eh_bind2_bucket **tb2; /* by bucket of bhash2 */
	struct eh_spinlock *bhash, *bhash2;
	eh_line_id bhash_lines;
	/* destinations */
	struct eh_tuple *tuples;
	uint8_t *reserved; /* [port] */
	struct eh_kernel_switches on;
	int sym_port_hash; /* whose time a candidate's hash is */
	/* port search */
	uint64_t tb_waiting; /* bind buckets that wait for a grace period */
	uint16_t *searching; /* [line of bhash]: locked scans that stand there */
	struct search_cost cost; /* one for all, so that it stays in the host's L1 */
	struct eh_port_range range; /* net.ipv4.ip_local_port_range */
	uint32_t look_ahead; /* candidates; 1: never ahead of the clock (tests) */
	struct eh_lookahead **of_cpu; /* made when a CPU first needs one */
	struct eh_lookahead **ahead; /* searches that are ahead of the clock, dense */
	int nahead;
	struct eh_search_stats stats;
	struct eh_bind_stats bind_stats;
	/* sampled runs: sampler.h */
	struct eh_sampler *sampler; /* NULL: every candidate in detail */
	uint32_t epoch;		    /* a locked scan that began in another one ends */
	uint32_t nreserved;
	struct eh_fast **fast_of_cpu, **fast; /* made when first needed; under way, dense */
	int nfast;
	uint8_t *watched; /* [port] */
	struct eh_watch *watches, *all_watches; /* spare ones; all there are */
};

uint32_t eh_ehashfn(const struct eh_inet_hash *t, uint32_t laddr, uint16_t lport, uint32_t raddr,
		    uint16_t rport);
struct eh_tuple *eh_tuple_get(struct eh_inet_hash *t, uint32_t raddr, uint16_t rport);
void eh_port_refresh(struct eh_inet_hash *t, struct eh_tuple *tuple, uint16_t port);
void eh_ports_refresh(struct eh_inet_hash *t, uint16_t port); /* towards all destinations */
/* What the socket may choose from: the host's range, perhaps narrowed by its own. */
struct eh_port_range eh_port_range(const struct eh_inet_hash *t, const struct eh_sock *sk);
/* The next search towards u begins at port (of the parity of port_low). */
void eh_port_cursor_set(struct eh_inet_hash *t, struct eh_tuple *u, uint16_t port);

/* The established table itself; lines are charged by the callers. */
void eh_ehash_add(struct eh_inet_hash *t, struct eh_sock *sk);
void eh_ehash_del(struct eh_inet_hash *t, struct eh_sock *sk);
struct eh_spinlock *eh_ehash_lockp(struct eh_inet_hash *t, const struct eh_sock *sk);
/* Insert and remove under the ehash lock, which the caller holds. */
void eh_ehash_insert_locked(struct eh_cpu *c, struct eh_sock *sk, int sym);
void eh_ehash_remove_locked(struct eh_cpu *c, struct eh_sock *sk, int sym);

/* bhash2's bucket of (laddr, port), locked within the lock of bhash's; nothing without bhash2. */
static inline uint16_t eh_bhash2_index(uint32_t laddr, uint16_t port)
{
	return port ^ (uint16_t)(laddr * 0x9e3779b1u >> 16);
}

static inline struct eh_spinlock *eh_bhash2(const struct eh_inet_hash *t, uint32_t laddr,
					    uint16_t port)
{
	return &t->bhash2[eh_bhash2_index(laddr, port)];
}

static inline void eh_bhash2_lock(struct eh_cpu *c, const struct eh_inet_hash *t, uint32_t laddr,
				  uint16_t port)
{
	if (t->on.bhash2)
		eh_spin_lock(c, eh_bhash2(t, laddr, port), &t->host->bhash2_lock,
			     EH_SYM(_raw_spin_lock));
}

static inline void eh_bhash2_unlock(struct eh_cpu *c, const struct eh_inet_hash *t, uint32_t laddr,
				    uint16_t port, int sym)
{
	if (t->on.bhash2)
		eh_spin_unlock(c, eh_bhash2(t, laddr, port), sym,
			       t->host->kernel->cost.spin_unlock);
}

struct eh_bind_bucket *eh_bind_bucket_create(struct eh_cpu *c, struct eh_inet_hash *t, uint16_t port);
/* The tb2 of (laddr, port), NULL if there is none. */
struct eh_bind2_bucket *eh_bind2_find(const struct eh_inet_hash *t, const struct eh_bind_bucket *tb,
				      uint32_t laddr, uint16_t port);
void eh_bind_bucket_forget(struct eh_bind_bucket *tb); /* without cost; NULL: nothing */
void eh_bind_hash(struct eh_cpu *c, struct eh_sock *sk, struct eh_bind_bucket *tb);
/* Under both locks: the last owner takes the buckets with it. */
void eh_bind_bucket_put(struct eh_cpu *c, struct eh_inet_hash *t, struct eh_sock *sk);

/*
 * timewait.c, for the port search. unique: under the ehash lock, may sk (lport set: bind() gave it the
 * port, and tcp_tw_reuse is not asked) have the port of `old`, a
 * TIME_WAIT socket of the same tuple (tcp_tw_reuse)? Then it has a reference to it. unhash: under
 * the same lock, `old` leaves the table. The bind buckets follow under their locks
 * (eh_bind_bucket_put); deschedule_put, without locks, stops the timer and gives all references
 * back.
 */
bool eh_twsk_unique(struct eh_cpu *c, struct eh_sock *sk, struct eh_sock *old);
struct eh_timewait *eh_twsk_unhash(struct eh_cpu *c, struct eh_sock *old, int sym);
void eh_twsk_deschedule_put(struct eh_cpu *c, struct eh_timewait *tw);

/* A port became free, or its tuple left the established table: searches ahead must look again. */
void eh_lookahead_port(struct eh_inet_hash *t, uint16_t port);
/* fast_scan.c: the same for the searches of a fast stretch. */
void eh_fast_port(struct eh_inet_hash *t, uint16_t port);
void eh_fast_free(struct eh_fast *f);
void eh_watches_free(struct eh_inet_hash *t);
void eh_sampler_free(struct eh_sampler *m);

#endif
