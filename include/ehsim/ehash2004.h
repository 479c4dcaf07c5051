/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The established table of Linux 2.6.8 (tcp_ehash), its reader lock, and what was proposed in its
 * place in August 2004.
 *
 * Buckets are eight bytes, a lock and the head of a chain, as many to a cache line as fit
 * (kernel.ehash2004.line_size: four of 32 bytes). There are twice kernel.ehash_buckets of them: a
 * connection in TIME_WAIT lies in the same place of the second half, which has lines of its own and
 * goes by the lock of the first. The hash is the four fields folded by exclusive or.
 *
 * Entries. A socket is an object of kernel.ehash2004.sock_size bytes, a TIME_WAIT bucket one of
 * tw_size. Node and reference count are in the first line, as sock_common has them; lock,
 * addresses and ports where EH_SOCK2004_* say. A walk reads all but the lock. Links and counts are words (word.h): what one CPU stores
 * another sees when the store has its line, and in that order.
 *
 * Lookup: established half first, then TIME_WAIT's, and a reference is taken before it ends:
 *
 *	rwlock	read_lock of the bucket, both walks, atomic_inc, read_unlock: with bh_lock_sock and
 *		sock_put five locked operations per packet
 *	spin	the same under a spinlock, whose release is a plain store: four
 *	rcu	the patch: no lock, atomic_inc: three. Writers take a spinlock, and the object is given
 *		back behind a grace period
 *	nulls	2.6.29: no lock either, atomic_inc_not_zero, and the identity is compared again; the
 *		object is given back at once and may be another socket by then, only its memory stays
 *		a socket's. A chain ends with the number of its bucket: a walk that ends in another
 *		one begins anew
 *
 * Who gives the last reference back frees (kernel.ehash2004.put):
 *
 *	direct		at once, as 2.6.8 does
 *	jump, loop	as the patch's first and second mail write it: the count that fell to zero is
 *			raised again; if it is one then, call_rcu, else down again by a jump, or in a loop.
 *			The callback counts down once more and frees if nobody holds it
 *
 * A socket goes to TIME_WAIT (kernel.ehash2004.dance) under its bucket's lock: out of one chain and into the
 * other, or the other way round. Or a tombstone takes its place first, at which lookups that look for it
 * spin; the TIME_WAIT bucket goes in; the tombstone says that nobody is there any more, and goes. Interrupts
 * may come between the steps.
 *
 * Counted: what went wrong, or would have. A socket that is used after it was freed stays a socket
 * here: the run goes on.
 *
 * Charged to __tcp_v4_lookup_established, as the measurement of 2004 made it a function; locks
 * are compiled in, only waiting for them has other symbols (lock2004.h).
 *
 * Not modelled: the listening hash, bind buckets, /proc's text.
 * Sources: description of net/ipv4/tcp_ipv4.c and tcp_minisocks.c, 2.6.11, which the patch's context
 * (2.6.8.1) agrees with; the patch; offsets are recalled.
 */
#ifndef EHSIM_EHASH2004_H
#define EHSIM_EHASH2004_H

#include <ehsim/lock2004.h>
#include <ehsim/rcu.h>
#include <ehsim/slab.h>

/* Bytes into a socket of 2.6.8, i386; node (8) and refcnt (24) are in the first 32. */
enum {
	EH_SOCK2004_LOCK = 36,
	EH_SOCK2004_ADDR = 344,
	EH_SOCK2004_PORTS = 352,
	EH_TW2004_ADDR = 44,
	EH_TW2004_PORTS = 52,
};

struct eh_four2004 {
	uint32_t laddr, raddr;
	uint16_t lport, rport;
};

enum eh_sock2004_kind { EH_SOCK2004, EH_TW2004, EH_TOMB2004 };

struct eh_sock2004 {
	struct eh_four2004 four;
	struct eh_word node;	/* the link behind it: see below */
	struct eh_word refcnt;	/* one of whoever owns it, one per user; TIME_WAIT: one of the table */
	struct eh_word slock;	/* EH_SPIN2004_FREE */
	eh_time locked_at;
	struct eh_word *before; /* the link before it; valid while it is hashed */
	struct eh_object *obj;
	eh_line_id line; /* the first of its lines */
	uint32_t id, bucket;
	uint32_t life; /* raised when it is freed */
	uint8_t kind;  /* enum eh_sock2004_kind */
	bool alive, hashed;
	void *user; /* the caller's */
	struct eh_sock2004 *tomb; /* TIME_WAIT: in its memory; its refcnt: lookups wait */
	struct eh_ehash2004 *table;
	struct eh_rcu_head rcu;
};

struct eh_ehash2004_counts {
	uint64_t lookups, found, found_tw;
	eh_time lookup_time; /* of all lookups, by the CPUs' own clocks */
	uint64_t restarts;   /* nulls: another chain or another socket */
	uint64_t inserts, unhashes, dances, frees, deferred; /* deferred: call_rcu */
	uint64_t tomb_waits; /* lookups that waited at a tombstone */
	eh_time tomb_time;
	/* what lookups and puts met */
	uint64_t resurrected;	 /* a lookup raised a count from zero, and nobody freed it */
	uint64_t put_again;	 /* jump, loop: somebody had raised the count meanwhile */
	uint64_t held_at_free;	 /* the callback found another reference: not freed */
	uint64_t use_after_free; /* an entry was freed, or another by now, while a lookup used it */
	uint64_t double_free;	 /* ... and such a reference was given back: freed once more */
};

struct eh_ehash2004 {
	struct eh_machine *m;
	struct eh_rcu *rcu;
	const struct eh_ehash2004_config *cfg;
	uint32_t mask;
	struct eh_word *lock;	 /* by bucket */
	struct eh_word *head[2]; /* by half (enum eh_sock2004_kind) and bucket */
	struct eh_kmem_cache *cache[2];
	GPtrArray *socks;    /* by id */
	GHashTable *by_line; /* an object's socket; never walked */
	struct eh_sock2004 **stale; /* by CPU: reference to what was freed already */
	struct eh_lock_class class, slock_class; /* of the buckets, of the sockets */
	struct eh_ehash2004_counts count;
};

/* m's memory must have been set up (eh_mm_new); rcu: for kind rcu, and put jump and loop. */
struct eh_ehash2004 *eh_ehash2004_new(struct eh_machine *m, struct eh_rcu *rcu,
				      const struct eh_kernel_config *kernel);
void eh_ehash2004_free(struct eh_ehash2004 *t);

uint32_t eh_ehash2004_bucket(const struct eh_ehash2004 *t, const struct eh_four2004 *four);
/* Before time 0: a socket as CPU `cpu` had made it, hashed, with one reference. */
struct eh_sock2004 *eh_sock2004_preset(struct eh_ehash2004 *t, const struct eh_four2004 *four,
				       int cpu);
/* Allocated on c, kind's; not hashed, one reference. */
struct eh_sock2004 *eh_sock2004_new(struct eh_cpu *c, struct eh_ehash2004 *t,
				    const struct eh_four2004 *four, int kind);

/* In softirq. The socket, with a reference, or NULL. */
struct eh_sock2004 *eh_ehash2004_lookup(struct eh_cpu *c, struct eh_ehash2004 *t,
					const struct eh_four2004 *four);
/* Gives a reference back; the last one frees. */
void eh_sock2004_put(struct eh_cpu *c, struct eh_sock2004 *sk, int sym);

/* bh_lock_sock and bh_unlock_sock. */
static inline void eh_sock2004_lock(struct eh_cpu *c, struct eh_sock2004 *sk, int sym)
{
	sk->locked_at = eh_spin2004_lock(c, &sk->slock, &sk->table->slock_class, sym);
}

static inline void eh_sock2004_unlock(struct eh_cpu *c, struct eh_sock2004 *sk, int sym)
{
	eh_spin2004_unlock(c, &sk->slock, &sk->table->slock_class, sk->locked_at, sym);
}

/* __tcp_v4_hash: at the head of its chain. */
void eh_ehash2004_insert(struct eh_cpu *c, struct eh_sock2004 *sk);
/* tcp_unhash; tcp_timewait_kill, where the table's reference is given back. Whoever owns it has his still. */
void eh_ehash2004_unhash(struct eh_cpu *c, struct eh_sock2004 *sk);
/*
 * tcp_time_wait: a new TIME_WAIT bucket in the place of a hashed socket, which leaves the table in the order
 * of kernel.ehash2004.dance. References of the new one: the table's and the caller's.
 */
struct eh_sock2004 *eh_ehash2004_time_wait(struct eh_cpu *c, struct eh_sock2004 *sk);

/* The bucket's lock as readers and as writers take it; since when. */
eh_time eh_ehash2004_read_lock(struct eh_cpu *c, struct eh_ehash2004 *t, uint32_t bucket, int sym);
void eh_ehash2004_read_unlock(struct eh_cpu *c, struct eh_ehash2004 *t, uint32_t bucket, eh_time since,
			      int sym);
eh_time eh_ehash2004_write_lock(struct eh_cpu *c, struct eh_ehash2004 *t, uint32_t bucket, int sym);
void eh_ehash2004_write_unlock(struct eh_cpu *c, struct eh_ehash2004 *t, uint32_t bucket, eh_time since,
			       int sym);

/*
 * What /proc/net/tcp does with a bucket: both chains, established first, under the bucket's lock (readers'
 * side of rwlock, the spinlock of the others) or, as nobody did, without. `print` instructions per entry.
 */
void eh_ehash2004_visit(struct eh_cpu *c, struct eh_ehash2004 *t, uint32_t bucket, bool lock,
			int64_t print, void (*saw)(const struct eh_sock2004 *sk, void *arg), void *arg);

/*
 * Links: 2 * id of the entry, or the end of the chain: 0, with kind nulls 2 * bucket + 1.
 * NULL: the end.
 */
static inline struct eh_sock2004 *eh_ehash2004_entry(const struct eh_ehash2004 *t, uint64_t link)
{
	return link & 1 || !link ? NULL : g_ptr_array_index(t->socks, link / 2);
}

#endif
