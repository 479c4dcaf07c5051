/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The config structs behind the key tables. Each is owned by the folder named beside it; the rows
 * (type, unit, range, default, origin, help) are in that folder's keys.c, and only there.
 */
#ifndef EHSIM_CONFIG_H
#define EHSIM_CONFIG_H

#include <ehsim/keys.h>
#include <ehsim/types.h>

enum eh_remote_copies { EH_COPIES_AT_HOME, EH_COPIES_AT_READER };

enum eh_coherence { EH_SOCKET_AGENT, EH_HOME_AGENT, EH_SNOOPED_BUS };

/* src/machine/keys.c, section "machine". Times are what a stalled instruction sees. */
struct eh_machine_config {
	char *file;   /* resolved by the loader; "" for none */
	char *preset; /* the same */
	char *name;
	int64_t sockets, sockets_per_group, dies_per_socket, cores_per_die, threads_per_core;
	int64_t clock_hz;
	int coherence; /* enum eh_coherence */
	bool home_blocks;
	struct {
		int64_t width;	      /* instructions per cycle: tight loops that hit */
		int64_t window;	      /* reorder window, instructions */
		int64_t line_buffers; /* outstanding misses of one core */
		int64_t prefetch;     /* lines the prefetcher runs ahead of a sequence; 0: none */
		int64_t mispredict;   /* cycles from a wrong branch known to the next dispatch */
		int64_t locked_op;    /* cycles of a locked operation on a line held exclusively */
		int64_t call;	      /* cycles of a call and its return */
		bool locked_fence;    /* nothing younger starts beneath a locked operation */
		bool pause;	      /* who spins on a lock leaves the width to the other threads */
		double smt_gain;      /* what two threads of a core do together, one alone = 1 */
		double path_ipc;      /* instructions per cycle of long, branchy kernel paths */
	} core;
	struct {
		int64_t l1_lines, l2_lines;
		int64_t l1_cycles, l2_cycles;
		int remote_copies; /* enum eh_remote_copies */
	} cache;
	struct {
		/* clean line, from the L3 of its home die */
		eh_time clean_same_die, clean_adjacent_die, clean_far_die, clean_other_socket,
			clean_far_socket;
		/* line that another core has modified */
		eh_time dirty_smt, dirty_same_die, dirty_adjacent_die, dirty_far_die, dirty_other_socket,
			dirty_far_socket;
		/* the other copies of a clean line that is written; 0: as a modified line's transfer */
		eh_time invalidate_other_socket, invalidate_far_socket;
		/* a locked operation on a line not held, where there are several buses */
		eh_time bus_lock;
		/* memory */
		eh_time dram_same_die, dram_adjacent_die, dram_far_die, dram_other_socket,
			dram_far_socket;
		/* of a transfer, what is the way of the request; the rest is that of the data */
		int64_t request_percent;
		/* a core keeps a line it has just got for at least this long */
		eh_time residency;
		/* spinners that lost their copies are served this far apart */
		eh_time reread;
		/* the home agents of a die are busy this long with one modified line's transfer */
		eh_time home_service;
		/* ... and so long with one that crosses between sockets */
		eh_time link_service;
	} latency;
	eh_time idle_exit, ipi;
};

enum eh_connect_state { EH_S0, EH_S1, EH_S2, EH_S3 };
enum eh_spinlock_kind { EH_SPIN_QUEUED, EH_SPIN_TICKET };

enum eh_slab_refill { EH_REFILL_LOCKLESS, EH_REFILL_LOCKED };
enum eh_slub_bulk { EH_BULK_DETACHED, EH_BULK_EACH };

enum eh_skb_caches { EH_SKB_CACHES_TWO, EH_SKB_CACHES_ONE };

enum eh_switch { EH_BY_STATE, EH_OFF, EH_ON };
enum eh_steering { EH_STEER_OFF, EH_STEER_RPS, EH_STEER_RFS };

/* src/net/keys.c, section "kernel". Instruction counts of paths, sizes, sysctls, switches. */
struct eh_kernel_cost {
	/* the port search, micro-ops per candidate */
	int64_t scan_loop, rcu_read, spin_lock, spin_unlock, bh_enable, check, hash_call, match, hash6,
		hash6_cycles, hash4, hash4_cycles, cond_resched, rcu_all_qs, conflict;
	/* the rest, instructions per call at core.path_ipc */
	int64_t syscall, connect, bind, get_port, bind_bucket, bind_hash, ehash_insert, unhash,
		put_port, disconnect, destroy, sk_alloc, sk_free, fd_alloc, fd_free, setsockopt, fcntl, epoll_ctl, epoll_wait,
		epoll_event, epoll_callback, sendmsg, recvmsg, accept, lock_sock, release_sock;
	int64_t transmit, ip_xmit, dev_xmit, xmit_done, hardirq, rx_action, gro, netif_receive, ip_rcv,
		tcp_rcv, lookup, lookup_listener, conn_request, check_req, child, hashdance, rcv_state,
		rcv_established, ack, reset, send_reset, readable;
	int64_t slab, slab_array, slab_bulk, slab_slow, slab_take, slab_put, slab_alien,
		slab_new, slab_init, page, page_zone;
	int64_t wakeup, schedule, tick, gp_report, kfree_rcu, kfree_rcu_work;
	/* beyond the shortest connection */
	int64_t timer, send_fin, fin, time_wait, tw_kill, tw_rcv, twsk_unique, challenge_ack, cookie;
	int64_t gp_node, fqs_cpu, rcu_core, call_rcu, rcu_invoke, ipi_send, ipi;
	int64_t futex, futex_wait, futex_wake;
	/* bulk, RPS, deferred frees */
	int64_t rps, backlog, defer, rx_frame, gro_merge, copy, copy_frag, release_frag, clean_skb;
};

/* RCU's boot parameters and constants: rcu.h. Negative jiffies: as computed at boot. */
enum eh_rcu_kind { EH_RCU_TREE, EH_RCU_CLASSIC };
struct eh_rcu_config {
	int kind; /* enum eh_rcu_kind */
	int64_t leaf_fanout, fanout;
	int64_t first_fqs, next_fqs, sched_qs; /* jiffies */
	int64_t blimit, qhimark, qlowmark, qovld; /* callbacks of a CPU */
	int64_t divisor;			  /* exponent of 2 */
	eh_time resched, drain;
	bool user_eqs;
};

/* The established table of 2004: ehash2004.h. */
enum eh_lookup2004 { EH_LOOKUP_RWLOCK, EH_LOOKUP_SPIN, EH_LOOKUP_RCU, EH_LOOKUP_NULLS };
enum eh_dance2004 { EH_DANCE_REMOVE_ADD, EH_DANCE_ADD_REMOVE, EH_DANCE_TOMBSTONE };
enum eh_put2004 { EH_PUT_BY_LOOKUP, EH_PUT_DIRECT, EH_PUT_JUMP, EH_PUT_LOOP };
struct eh_ehash2004_config {
	int lookup, dance, put; /* the enums above */
	int64_t line_size, sock_size, tw_size; /* bytes */
	int64_t find, match, insert, unhash, hashdance, sk_free; /* instructions */
};

struct eh_kernel_config {
	int connect; /* enum eh_connect_state */
	/* enum eh_switch; resolved by eh_kernel_switches (inet_hash.h) */
	int rcu_check, rcu_bind_walk, linear_port_hash, hash_once, spread_ehash_locks, bhash2;
	int lock; /* enum eh_spinlock_kind */
	int64_t port_low, port_high; /* net.ipv4.ip_local_port_range */
	char *reserved_ports;	     /* net.ipv4.ip_local_reserved_ports, "8080,9000-9010" */
	eh_time timewait; /* TCP_TIMEWAIT_LEN */
	int64_t tcp_max_tw_buckets, tcp_tw_reuse;
	bool tx_skb_cache, rx_skb_cache, skb_cache_flush;
	int64_t skb_flush_batch;
	eh_time tcp_pressure_at, tcp_pressure_for;
	int skb_caches; /* enum eh_skb_caches */
	int steering; /* enum eh_steering */
	bool skb_defer, tso, gro;
	int64_t skb_defer_max, tcp_rmem, tcp_wmem;
	bool tcp_timestamps, tcp_abort_on_overflow, listener_refcount, synack_owner;
	int64_t tcp_syn_retries, tcp_synack_retries, tcp_retries2, tcp_syncookies;
	eh_time tcp_syn_timeout, tcp_rto_min, tcp_rto_max, tcp_delack_min;
	int64_t hz;
	int64_t softirq_restart;
	eh_time softirq_time;
	int allocator;	 /* index of eh_kmem_kind_name */
	int slab_refill; /* enum eh_slab_refill */
	int slub_bulk;	 /* enum eh_slub_bulk */
	bool alien;
	int64_t alien_limit;
	int64_t pcp_batch, pcp_high, pcp_order; /* pages, pages, largest order */
	int64_t ehash_buckets;
	int64_t ehash_locks_die;
	struct eh_kernel_cost cost;
	struct eh_rcu_config rcu;
	struct eh_ehash2004_config ehash2004;
};

enum eh_irqs { EH_IRQS_SPREAD, EH_IRQS_LOCAL };
enum eh_flow_place { EH_PLACE_HASH, EH_PLACE_CPU, EH_PLACE_NODE, EH_PLACE_OTHER };

/* src/net/keys.c, section "network". */
struct eh_network_config {
	int family; /* 0: ipv4, 1: ipv6 */
	int64_t rate; /* bit/s */
	eh_time delay;
	int64_t queues;
	int irqs, place;
	eh_time moderation; /* receive interrupt is held back at most this long */
	int64_t mtu, ring, ddio; /* bytes, frames of a queue, bytes of an L3 */
};

enum eh_setup_placement { EH_SETUP_HOME, EH_SETUP_SPREAD };

enum eh_local_bind { EH_BIND_NONE, EH_BIND_NO_PORT, EH_BIND_PORT };

enum eh_start { EH_START_COLD, EH_START_STEADY, EH_START_SETUP };

/* Order of eh_workload_kinds (workload.h). */
enum eh_workload {
	EH_TCP_CRR,
	EH_TCP_STREAM,
	EH_LAB_LINE,
	EH_LAB_LOCK,
	EH_LAB_READ_SIDE,
	EH_LAB_HASH,
	EH_LAB_RCU,
	EH_LAB_BIND,
	EH_LAB_SLAB,
	EH_LAB_SYN_FLOOD,
	EH_LAB_CHAIN,
	EH_LAB_EHASH2004,
	EH_LAB_TRANSFER,
};

enum eh_placement { EH_PLACE_CORES, EH_PLACE_SPREAD, EH_PLACE_SIBLINGS };

enum eh_line_op {
	EH_LINE_FETCH_ADD,
	EH_LINE_PING_PONG,
	EH_LINE_ONE_WRITER,
	EH_LINE_FALSE_SHARING,
	EH_LINE_PADDED,
	EH_LINE_SEQUENTIAL
};
enum eh_line_pair {
	EH_PAIR_SMT,
	EH_PAIR_SAME_DIE,
	EH_PAIR_ADJACENT_DIE,
	EH_PAIR_FAR_DIE,
	EH_PAIR_OTHER_SOCKET,
	EH_PAIR_FAR_SOCKET
};
enum eh_line_access { EH_ACCESS_ADD, EH_ACCESS_STORE };
enum eh_distribution { EH_FIXED, EH_EXPONENTIAL };

enum eh_touch_order { EH_PARALLEL, EH_CHAINED };
enum eh_read_side {
	EH_READ_RCU,
	EH_READ_SRCU,
	EH_READ_REFCOUNT,
	EH_READ_RWLOCK2004,
	EH_READ_QRWLOCK,
	EH_READ_RWSEM,
	EH_READ_SEQLOCK
};
enum eh_hash_protection { EH_HASH_NONE, EH_HASH_GLOBAL, EH_HASH_BUCKET, EH_HASH_RCU };
/* One adapter and one connection of 2.6.8: stack2004.h. */
enum eh_irq_stack2004 { EH_STACK2004_ROTATING, EH_STACK2004_RANDOM, EH_STACK2004_FIXED };
struct eh_stack2004_config {
	int irq; /* enum eh_irq_stack2004 */
	int64_t irq_cpu, ring;
	eh_time mmio;
	bool checksum;		      /* by the adapter */
	int64_t csum, copy, netif_rx; /* instructions; the first two per line */
	int64_t segment, window, ack_every;
	eh_time delack;
};

enum eh_irq2004 { EH_IRQ_ROTATING, EH_IRQ_FLOW, EH_IRQ_ONE };
enum eh_end2004 { EH_END_TIME_WAIT, EH_END_RESET };
enum eh_rcu_op { EH_RCU_CALL, EH_RCU_KFREE, EH_RCU_SYNCHRONIZE, EH_RCU_EXPEDITED };
enum eh_bind_port { EH_BIND_GIVEN, EH_BIND_CHOSEN };
enum eh_bind_caches { EH_BIND_COLD, EH_BIND_WARM };
enum eh_slab_op { EH_SLAB_CONCURRENT, EH_SLAB_REMOTE, EH_SLAB_BULK, EH_SLAB_PAIR };
enum eh_hash_target { EH_HASH_SPREAD, EH_HASH_ONE };

/* src/workload/keys.c, section "workload". neper's options, and those of the laboratory. */
struct eh_workload_config {
	int kind; /* enum eh_workload */
	int64_t threads, flows, server_threads;
	int64_t request, response; /* bytes */
	int64_t server_ports, server_addresses;
	int local_bind; /* enum eh_local_bind */
	int64_t source_port;	     /* 0: none */
	int64_t port_low, port_high; /* IP_LOCAL_PORT_RANGE; 0: not set */
	bool time_wait, reconnect;
	int64_t listen_backlog;
	int setup_placement; /* enum eh_setup_placement: where threads are while they wait their turn */
	int64_t user_work;   /* instructions of user code per event */
	eh_time stagger;     /* a steady run's threads begin within this time */

	struct {
		int64_t write, read; /* bytes of a system call */
		int64_t chain;	     /* idle sockets in front of each in its chain */
	} tcp_stream;

	/* the laboratory: what each means is in workload.h */
	int placement; /* enum eh_placement */
	eh_time start_within; /* threads begin at random instants within it */
	struct {
		int op, pair, access; /* enum eh_line_op, eh_line_pair, eh_line_access */
		int64_t home, writes;
	} line;
	struct {
		int kind; /* index into eh_lock_kinds */
		int64_t locks, inside, outside, touch, shared, per_op;
		int distribution, touch_order; /* enum eh_distribution, enum eh_touch_order */
	} lock;
	struct {
		int kind; /* enum eh_read_side */
		int64_t body, writers;
	} read_side;
	struct {
		int protection, target; /* enum eh_hash_protection, eh_hash_target */
		int lock;		/* index into eh_lock_kinds */
		int64_t buckets, elements, home, instr;
		double updates;
	} hash;
	struct {
		int64_t backlog;
	} syn_flood;
	struct {
		int64_t length, payload, instr;
	} chain;
	struct {
		int medium; /* 0: hub, 1: switch */
		struct eh_stack2004_config stack;
		int64_t size, read, reader_cpu; /* bytes, bytes */
		int64_t decrypt, file; /* cycles, instructions per byte */
		eh_time encrypt, reply; /* of the sender: per KiB; from an ACK to what follows */
	} transfer;
	struct {
		int irq, end; /* enum eh_irq2004, enum eh_end2004 */
		int64_t connections, rate, lifetime, tw_packets;
		int64_t work, tw_work, interrupt, touch;
		int64_t walkers, print;
		bool walk_lock;
	} ehash2004;
	struct {
		int op, distribution; /* enum eh_rcu_op, enum eh_distribution */
		int64_t updaters, burst, section, sections, user, calls;
		eh_time pause, sleep;
	} rcu;
	struct {
		int port, caches; /* enum eh_bind_port, eh_bind_caches */
		int family;	  /* 0: ipv4, 1: ipv6 */
		int64_t bound;
	} bind;
	struct {
		int op; /* enum eh_slab_op */
		int64_t size, count, bulk, rounds;
	} slab;
};

/* src/scenario/keys.c, section "run". */
enum eh_detail { EH_DETAIL_FULL, EH_DETAIL_SAMPLED };

/* What the times are: sample.h. */
struct eh_sample_config {
	eh_time period, warmup, stretch;
	int64_t candidates;
};

enum eh_warmup_end { EH_WARMUP_FIXED, EH_WARMUP_FOUND };

struct eh_run_config {
	int start; /* enum eh_start */
	eh_time warmup, length; /* length: of the measured window when until.within is 0 */
	eh_time at_most;
	char *until_metric;
	double until_within; /* 0: fixed length */
	int64_t seed;
	eh_time batch;
	int64_t repeat;
	int warmup_end; /* enum eh_warmup_end */
	int detail;	/* enum eh_detail */
	struct eh_sample_config sample;
};

extern const struct eh_key eh_machine_keys[], eh_kernel_keys[], eh_network_keys[], eh_workload_keys[],
	eh_run_keys[];

#endif
