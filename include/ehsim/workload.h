/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the hosts run: neper's tcp_crr or tcp_stream between a client and a server host, or one of the loops of the
 * laboratory on one host (below).
 *
 * tcp_crr. Client: `threads` threads, flows dealt evenly (the remainder to the first threads), one epoll set
 * per thread, level-triggered, at most 1000 events per wait. Set-up is serial: thread 0 opens its
 * flows (socket, SO_LINGER{1,0}, non-blocking connect, epoll ADD for OUT), then thread 1, ...; a
 * barrier; then all run. Per flow: OUT -> send request -> MOD IN; IN -> receive, record, DEL, close
 * (by reset), and the next socket and connect at once. Server: `server_threads` threads, each with
 * a SO_REUSEPORT listener on port 12867, accept one connection per event, receive, send, and close
 * when the reset arrives. With several server ports each thread listens on all of them; flow i goes
 * to port 12867 + i % server_ports of address i / server_ports % server_addresses (assumed).
 *
 * A client socket may be bound before it connects: to its address alone (neper -L), to address and
 * a port of the kernel's choice, or to the flow's own port (neper --source-port); always to the
 * client's one address, which neper leaves open if --source-port is all it is told. A connect or
 * bind that finds no port ends the run, as neper ends.
 *
 * reconnect: no is neper's tcp_rr instead: IN -> receive, record, MOD OUT; the connection stays. Each segment
 * is still acknowledged at once.
 *
 * tcp_stream: bulk data from the client to the server. Threads, sets and flows as above, all connected; each
 * event of a flow is one system call: the client writes tcp_stream.write bytes, or what there is room for, the
 * server reads tcp_stream.read at most. tcp_stream.chain idle sockets lie in front of the server's in its chain.
 * Throughput is what the servers have read, in Mbit/s, as neper prints it. bulk.h says what happens below.
 *
 * Measuring as neper does: latency of a transaction = time since the previous receive of the flow
 * (or its creation), so it contains the wait for the set-up in a flow's first one; snapshots per
 * flow at its first event and then at the first event at or after 2, 3, ... intervals, and one at
 * the end; throughput from the merged snapshots, (last count - first) / (last time - first).
 * Times: utime_start and stime_start at the first completed transaction or when main passes the
 * barrier, whichever is later; _end when the alarm fires.
 *
 * start: cold runs from the first connect; the alarm fires `run.length` after the barrier. steady
 * begins with every flow connected, its response waiting or (staggered) already answered, ports and
 * cursor as in the middle of a run; threads begin at staggered times. setup ends at the barrier.
 */
#ifndef EHSIM_WORKLOAD_H
#define EHSIM_WORKLOAD_H

#include <ehsim/host.h>
#include <ehsim/stats.h>

struct eh_crr;

struct eh_crr_stats {
	uint64_t transactions;	   /* receives completed so far */
	struct eh_moments latency; /* seconds, of transactions whose start was simulated */
	eh_time utime, stime;	   /* of all client threads so far */
	bool running;		   /* the barrier has been passed */
	bool finished;		   /* alarm fired and all threads have stopped, or set-up ended */
	bool failed;		   /* a connect or bind failed: neper would exit */
	eh_time failed_at;
	const char *failure; /* in neper's words */
	eh_time setup_end;	   /* time of the barrier */
	eh_time setup_utime, setup_stime;
	uint64_t setup_connects, setup_candidates;
	eh_time setup_search;	   /* charged inside the port search during set-up */
};

/* What neper prints, filled when finished (cold) or at any time (steady: the window since reset). */
enum { EH_PERCENTILES = 3 };
extern const int eh_percentiles[EH_PERCENTILES]; /* 50, 90, 99, as with neper -p 50,90,99 */

struct eh_neper {
	double utime_start, utime_end, stime_start, stime_end;
	uint64_t num_transactions, num_samples;
	double latency_min, latency_max, latency_mean, latency_stddev;
	double latency_percentile[EH_PERCENTILES]; /* of whole runs */
	double throughput;
	double time_start, time_end;
};

struct eh_crr *eh_crr_new(struct eh_host *client, struct eh_host *server,
			  const struct eh_workload_config *w, const struct eh_run_config *run);
void eh_crr_free(struct eh_crr *w);
void eh_crr_stats(const struct eh_crr *w, struct eh_crr_stats *st);
/* Flows in a transaction whose start was simulated: the queue, for Little's law, and a reading. */
const struct eh_little *eh_crr_flows(const struct eh_crr *w, struct eh_little_reading *r);
/* Forget latencies and snapshots so far: the measured window of a steady run begins now. */
void eh_crr_reset(struct eh_crr *w);
/*
 * How long transactions of that window take (ps), of those whose begin was simulated; those under way are
 * lost sight of now. NULL without a window. To be called once.
 */
const struct eh_survival *eh_crr_follow_end(struct eh_crr *w);
void eh_crr_neper(const struct eh_crr *w, struct eh_neper *n);
/* tcp_stream: bytes that the servers have read so far; does one of their threads run on that CPU? */
uint64_t eh_crr_bytes(const struct eh_crr *w);
bool eh_crr_reads_on(const struct eh_crr *w, int cpu);
/* A quantile (0..1) of the latencies that neper would print percentiles of; of a finished run. */
double eh_crr_latency(const struct eh_crr *w, double q);

/*
 * --- the laboratory ---
 *
 * One host (machine, scheduler, RCU; no network). Threads are pinned to CPUs as workload.placement
 * says, each in a closed loop of operations: it does one, counts it, is in user mode for an instant
 * (interrupts are taken there, a tick is a quiescent state), does the next. They begin at random
 * instants within workload.start_within. Everything is counted from the first instant;
 * whoever measures takes two readings. What the loop itself does is charged to user code, what a lock
 * costs to the lock's symbols.
 *
 * line		one word, or words, in tight loops (words: word.h)
 *	fetch_add	every thread adds to one word
 *	ping_pong	two CPUs in turn change a word by a locked cmpxchg; each begins when the other
 *			one's has ended (its attempts in between, which fail, are left out), so that
 *			the line always makes a lone transfer. An operation is one hop, its time is
 *			one_way_ns. The first is CPU 0, line.pair chooses the other
 *	one_writer	thread 0 stores, line.writes instructions apart; all others load, one after the
 *			other
 *	false_sharing	every thread counts in a word of its own, all in one line
 *	padded		the same, a line each, at home on the thread's die
 *	sequential	every thread reads the same clean lines in order, over and over, the address of
 *			each known from the one before; twice as many as an L2 holds. What an L3 costs,
 *			or what the prefetcher makes of it
 * lock		per_op times: take one of `locks` locks (a random one), read and write `touch` lines
 *		that belong to it (all at once, or each found through the one before), work `inside` instructions,
 *		release, work `outside` instructions; `shared` locked operations on one line of all
 *		threads go before.
 *		Both lengths are exponential with that mean, or fixed. Locks and lines were allocated by
 *		one thread on die 0
 * read_side	read sections around `body` instructions of a tight loop (the loop's own are among
 *		them). rcu: nothing else. srcu and refcount: read_side.h. Others: the read side of the
 *		lock kind of that name; a seqlock's section that met a write is repeated within the same
 *		operation. The first `writers` threads update what is read: a store, by the kind's own
 *		rules (rcu: a new object is published and the old one goes to kfree_rcu; srcu: the store,
 *		then the counters of all CPUs are summed up twice; locks: under the write lock)
 * hash		lookups of random keys in a table with chains; `updates` of the operations take the
 *		element out and put it back at the head of its chain. none: no protection (lookups
 *		only). global: one lock around everything. bucket: a lock per bucket, in the line of
 *		the bucket's head. rcu: lookups without lock; updates take the bucket's lock (in a line
 *		of its own), put in a copy and hand the old element to kfree_rcu. `instr` instructions
 *		go with an operation (the key, the hash, comparisons); head and elements are loaded one
 *		after the other. What an update does in a locked bucket it does at one instant; a lookup
 *		under RCU walks the chain as it was when it began
 *
 * rcu		who waits for grace periods, and whom these wait for. The first `updaters` threads replace
 *		`burst` objects, each by rcu.op, then are `user` instructions long in user mode and sleep for
 *		`pause`. The others go through `sections` read sections of `section` instructions each,
 *		every one around an object (which must live until its end: checked), with cond_resched in
 *		between; replace `calls` objects by call_rcu; then `user` instructions in user mode, and
 *		`sleep`. Lengths are exponential with that mean, or fixed. Metrics: grace periods and
 *		their lengths, what synchronize_rcu waits, what waits to be freed
 *
 * bind		a socket is bound (the system call, measured by itself: bind_ns) and closed. To one port
 *		(443), at an address of the thread's own, where bind.bound sockets are bound already, each
 *		at another address; or to any port (kernel.port_low to port_high), at one address that has
 *		bind.bound of these ports already. cold: before each call the bound sockets and their
 *		buckets are displaced from all caches
 *
 * slab		objects of slab.size bytes from one cache; nobody touches what is in them. An operation is one
 *		object allocated and freed
 *	concurrent	all threads allocate slab.count objects each, all wait for each other, all free
 *			theirs, oldest first; again, slab.rounds times in all. Who waits sleeps
 *	remote		threads in pairs: the first allocates and hands over slab.bulk at a time through a ring
 *			of slab.count pointers, the second frees
 *	bulk		slab.bulk at once by the bulk calls, then freed at once
 *	pair		one, freed at once
 *
 * syn_flood	every thread's CPU polls a receive queue of its own that the flood refills as fast as it is
 *		emptied: SYNs from random addresses to one listener, each through the receive path, the
 *		lookups, a SYN cookie (as soon as more than `backlog` requests are open) and the transmission
 *		of the SYN-ACK; an operation is a SYN. With kernel.listener_refcount the lookup takes a
 *		reference to the listener, with kernel.synack_owner the SYN-ACK counts against its write
 *		memory until it is sent. Queues are spread over the dies, workload.placement is not asked
 * chain	one CPU receives the packets of one stream, merged by GRO: an operation is the lookup of
 *		the established socket behind `length` others of its chain, reads of `payload` lines that it
 *		has not seen for long, which displace from its caches what they hold of the chain, and
 *		`instr` instructions for all else (driver, GRO, IP, TCP, copying, ACKs), whose own line
 *		accesses are inside that number
 *
 * ehash2004	packets of `connections` connections through the established table of 2004 (ehash2004.h),
 *		in softirq: lookup, bh_lock_sock, `work` instructions and `touch` lines of the socket, sock_put.
 *		An operation is a packet. The last of `lifetime` packets ends its connection, by a reset or by
 *		way of TIME_WAIT, which the last of further `tw_packets` ends; then a new one of the same
 *		addresses opens. What the far side sends does not wait for that: a packet may find the
 *		socket closed when it gets its lock (late), or nobody. The latter is a wrong reset if the
 *		connection was in the table all the time of the lookup. The last `walkers` threads list the
 *		table over and over.
 *		rate 0: every receiving thread takes packets as fast as it can. Else that many frames arrive
 *		per second, at exponential distances, each with an interrupt of `interrupt` instructions, and a
 *		softirq (no NAPI). irq: interrupts go to all receivers in turn, or a connection's all to one,
 *		or all to the first
 * transfer	files of transfer.size that one host of 2004 (stack2004.h) receives through a hub (hub.h), one
 *		after the other on one connection: scp's side of an ssh session is one thread, which reads
 *		in select() and recv(), decrypts (user code) and writes the file. The sender has no CPUs
 *		here: it encrypts at a rate of its own (transfer.encrypt), keeps the receiver's window full
 *		after slow start, and answers an ACK after transfer.reply. An operation is a segment
 *		that has been read
 *
 * Instructions of lock and hash run at core.path_ipc, those of line, read_side and rcu at core.width.
 *
 * Not modelled: instruction streams of the loops beyond a count, resizing of the table.
 */
struct eh_lab;

/* What kinds count beside operations; times in picoseconds. */
enum eh_lab_count {
	EH_COUNT_LOOKUPS,
	EH_COUNT_LOOKUP_TIME,
	EH_COUNT_PACKETS,
	EH_COUNT_PACKET_TIME,
	EH_COUNT_CONNECTIONS, /* that ended, and others began */
	EH_COUNT_CONNECTION_TIME,
	EH_COUNT_DANCES, /* transitions to TIME_WAIT */
	EH_COUNT_DANCE_TIME,
	EH_COUNT_RESETS, /* wrong ones: of connections that were there all the time */
	EH_COUNT_LATE,	 /* packets whose socket had closed when they got its lock */
	EH_COUNT_DROPPED, /* frames: the backlog was full */
	EH_COUNT_TOMB_WAITS,
	EH_COUNT_TOMB_TIME,
	EH_COUNT_SEEN,	 /* entries by walkers */
	EH_COUNT_TWICE,	 /* ... again within a walk */
	EH_COUNT_MISSED, /* connections that were there all the time a walker was at their bucket */
	EH_COUNT_VISITS, /* of buckets by walkers */
	EH_COUNT_VISIT_TIME,
	EH_COUNT_FREES,
	EH_COUNT_USE_AFTER_FREE,
	EH_COUNT_DOUBLE_FREE,
	EH_COUNT_RESURRECTED,
	EH_COUNT_PUT_AGAIN,
	EH_COUNT_HELD_AT_FREE,
	EH_COUNT_RESTARTS,
	EH_LAB_COUNTS
};

/* Of transfer; CONFIG_NR_CPUS of i386 goes so far. */
enum { EH_TRANSFER_CPUS = 255 };
struct eh_transfer_stats {
	uint64_t lookups, lookup_transfers; /* lines that lookups got from other CPUs */
	eh_time lookup_time;
	uint64_t bytes, segments, frames, files;
	eh_time file_time; /* of whole files */
	uint64_t interrupts, irqs[EH_TRANSFER_CPUS];
	uint64_t collisions, excessive, backlogged, acks;
};

/* A metric of a kind: the growth of one count over that of another. In cycles if its name ends so. */
struct eh_lab_ratio {
	const char *metric; /* NULL: behind the last */
	enum eh_lab_count of, per;
	double factor;
	bool if_any; /* left out where nothing of it was counted */
};

struct eh_lab_stats {
	uint64_t operations;
	int64_t count[EH_LAB_COUNTS];
	struct eh_lock_class locks; /* of the lock under test, all zero where there is none */
	uint64_t binds;		    /* of bind; all threads */
	eh_time bind_time;
	uint64_t allocs, frees;	    /* of slab; all threads */
	eh_time alloc_time, free_time;
	struct eh_transfer_stats transfer;
};

/* A kind of the laboratory. Its state is what build returns. */
struct eh_lab_ops {
	bool networked; /* the host has its tables and interface (lab.h); takes keys of kernel and network */
	int (*threads)(const struct eh_workload_config *w); /* NULL: workload.threads */
	/* Which CPU a thread is pinned to; NULL: by workload.placement. */
	int (*cpu)(const struct eh_machine *m, const struct eh_workload_config *w, int thread);
	void *(*build)(struct eh_lab *lab);
	/* One step of a thread: at least one operation; returns how many. */
	uint64_t (*step)(void *state, struct eh_task *t, int thread);
	void (*free)(void *state);
	const struct eh_lock_class *(*locks)(const void *state); /* NULL: no lock */
	void (*stats)(const void *state, struct eh_lab_stats *st); /* adds its own; NULL: has none */
	const struct eh_lab_ratio *ratios; /* its own metrics; NULL: none */
	/* Why the values cannot be built, newly allocated, and the key of section workload at
	   fault; NULL when they can. NULL: they always can. */
	char *(*problem)(const struct eh_machine_config *m, const struct eh_workload_config *w,
			 const char **key);
};

/* What workload.kind may be; its keys are workload.NAME.*. */
struct eh_workload_kind {
	const char *name;
	const char *help;
	const struct eh_lab_ops *lab; /* NULL: tcp_crr, between two hosts */
	bool ehash2004;		      /* has a table of 2004, takes kernel.ehash2004.* */
	bool link;		      /* of one host: frames come to it over a medium */
	const char *leads;	      /* the metric that is asked for first; NULL: throughput */
};

extern const struct eh_workload_kind eh_workload_kinds[]; /* by enum eh_workload; ends with name NULL */

/* Does the kind take this key (all machine and run keys, of the other sections those it uses)? */
bool eh_workload_takes(const struct eh_workload_kind *kind, const char *section, const char *key);

/* net: of networked kinds; the others do not look at it. */
struct eh_lab *eh_lab_new(struct eh_sim *sim, const struct eh_machine_config *machine,
			  const struct eh_kernel_config *kernel,
			  const struct eh_network_config *net, const struct eh_workload_config *w);
void eh_lab_free(struct eh_lab *lab);
struct eh_host *eh_lab_host(const struct eh_lab *lab); /* of a networked kind, else NULL */
struct eh_machine *eh_lab_machine(const struct eh_lab *lab);
struct eh_sched *eh_lab_sched(const struct eh_lab *lab);
struct eh_rcu *eh_lab_rcu(const struct eh_lab *lab);
int eh_lab_threads(const struct eh_lab *lab);
void eh_lab_stats(const struct eh_lab *lab, struct eh_lab_stats *st);
uint64_t eh_lab_operations(const struct eh_lab *lab, int thread); /* of one thread so far */

/* CPU of the i-th thread. */
int eh_lab_place(const struct eh_machine *m, enum eh_placement placement, int i);

#endif
