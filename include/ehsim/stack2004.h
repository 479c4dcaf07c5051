/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one host of Linux 2.6.8 does with the frames of one connection on one Ethernet adapter without
 * NAPI: interrupt, backlog, softirq, IP, TCP, system call.
 *
 * Interrupts. The adapter raises one when a frame has come, and when one has been sent. It goes to
 * one CPU, by stack.irq: rotating, to the next in turn that is in no handler, as the APIC bus
 * arbitrates among equals when nobody balances; random, to any; fixed, to stack.irq_cpu. While it is
 * served the line is masked; what comes meanwhile is found by the handler. The handler takes the
 * driver's lock, reads a register (stack.mmio), replaces each filled buffer of its ring by a new one and
 * hands the frame to netif_rx: the backlog of that CPU, whose softirq goes on with it there.
 *
 * Softirq. netif_receive_skb, ip_rcv, the route cache (read without lock, a reference and a stamp
 * written), tcp_v4_rcv: the lookup in the established table (ehash2004.h), bh_lock_sock, and, if no
 * reader has the socket, tcp_rcv_established: the checksum over all bytes unless stack.checksum says the
 * adapter did it, the receive queue, sk_rmem_alloc, an ACK for every stack.ack_every segments, the
 * wake-up of the reader, which sleeps in select(); then sock_put. If a reader has it the frame waits
 * in the socket's backlog, and release_sock goes through that.
 *
 * System call. tcp_recvmsg copies, gives buffers back and says by an ACK when the window has opened by
 * two segments.
 *
 * Buffers. Heads of 160 bytes and data of 2048 from two caches of one node, as 2.6.8's slab on such a
 * host: an array per CPU, a shared one under a spinlock, half an array moved at a time. The adapter
 * writes received bytes to memory: no cache has them. Who refills the ring clears a head; driver, netif_rx and IP
 * write all of it but the line of TCP's control block, which tcp_v4_rcv fetches as it looks the socket up.
 *
 * Lines are those of the machine (32 bytes on it: kernel.ehash2004.line_size). Sizes of paths are the
 * kernel.cost rows, which were estimated for later kernels.
 *
 * Not modelled: prequeue (the reader selects), loss, retransmission, slow path of TCP, other
 * connections, ARP, netfilter, the qdisc beyond its lock, PCI beyond the register read.
 * Sources: descriptions of net/core/dev.c, net/ipv4/ of 2.6.11; offsets in the socket are recalled.
 */
#ifndef EHSIM_STACK2004_H
#define EHSIM_STACK2004_H

#include <ehsim/ehash2004.h>
#include <ehsim/hub.h>
#include <ehsim/task.h>

/* A frame of the connection; carried by the hub, owned by whoever has it. */
struct eh_segment2004 {
	struct eh_hub_frame frame;
	struct eh_segment2004 *next; /* in whatever queue it is */
	uint32_t payload;	     /* bytes */
	uint64_t ack;		     /* bytes received so far */
	int64_t window;		     /* bytes, behind ack */
	eh_line_id head, data;	     /* of the host that has it */
};

struct eh_segments2004 {
	struct eh_segment2004 *first, **tailp;
};

/* Segments, taken and given back. */
struct eh_segment_pool2004 {
	struct eh_segment2004 *spare;
	GPtrArray *blocks;
};

void eh_segments2004_init(struct eh_segments2004 *q);
void eh_segments2004_push(struct eh_segments2004 *q, struct eh_segment2004 *s);
struct eh_segment2004 *eh_segments2004_pop(struct eh_segments2004 *q); /* or NULL */
struct eh_segment2004 *eh_segment2004_new(struct eh_segment_pool2004 *pool, uint32_t payload);
void eh_segment2004_free(struct eh_segment_pool2004 *pool, struct eh_segment2004 *s);

/* --- buffers --- */

struct eh_cache2004;
struct eh_cache2004 *eh_cache2004_new(struct eh_machine *m, const struct eh_kernel_config *kernel,
				      const char *name, int lines);
void eh_cache2004_free(struct eh_cache2004 *k);
eh_line_id eh_cache2004_alloc(struct eh_cpu *c, struct eh_cache2004 *k); /* first of its lines */
void eh_cache2004_give(struct eh_cpu *c, struct eh_cache2004 *k, eh_line_id obj);
eh_line_id eh_cache2004_preset(struct eh_cache2004 *k, int cpu);
uint64_t eh_cache2004_alive(const struct eh_cache2004 *k);

/* --- the host --- */

struct eh_stack2004_counts {
	uint64_t received, sent, interrupts; /* frames, frames, handlers */
	uint64_t *irqs;			     /* by CPU */
	uint64_t segments, bytes;	     /* that the reader has taken */
	uint64_t backlogged, acks, updates;  /* acks: all; updates: by the reader */
	uint64_t lookup_transfers;	     /* lines that lookups fetched from other CPUs */
};

struct eh_stack2004_cpu {
	struct eh_segments2004 backlog; /* of netif_rx */
	eh_line_id line;		/* softnet_data */
	bool asked;			/* the adapter's interrupt is for it */
};

struct eh_stack2004 {
	struct eh_machine *m;
	struct eh_sched *sched;
	const struct eh_kernel_config *kernel;
	const struct eh_stack2004_config *cfg;
	struct eh_ehash2004 *table;
	struct eh_hub_port *port;
	struct eh_segment_pool2004 *pool;
	struct eh_stack2004_cpu *cpu;
	gsl_rng *random;
	int head_lines, data_lines;
	struct eh_cache2004 *heads, *datas;

	/* the adapter and its driver */
	struct eh_segments2004 arrived, done; /* the next interrupt is for */
	struct { eh_line_id head, data; } *ring;
	int next_slot, last_cpu;
	bool raised;
	struct eh_word driver_lock, queue_lock;
	eh_line_id driver, descriptors;
	struct eh_lock_class driver_class, queue_class, callback_class;

	/* what all share */
	eh_line_id xtime, route_bucket, route; /* route: two lines, reference first */

	/* the socket */
	struct eh_four2004 four;
	struct eh_sock2004 *sk;
	struct eh_word callback_lock;
	bool owned, waits;
	struct eh_task *reader;
	struct eh_segments2004 queue, backlog;
	uint64_t rcv_nxt, copied;
	int64_t told;	 /* window of the last ACK, from rcv_nxt then */
	uint64_t told_at;
	int64_t unacked;	/* segments */
	uint32_t offset;	/* read of the first in the queue */
	struct eh_event delack;
	bool delack_due;
	struct eh_stack2004_counts count;
};

/* All CPUs of m are brought up, their interrupts and softirqs are the stack's from now on. */
struct eh_stack2004 *eh_stack2004_new(struct eh_machine *m, struct eh_sched *sched,
				      struct eh_rcu *rcu, const struct eh_kernel_config *kernel,
				      const struct eh_stack2004_config *cfg,
				      struct eh_hub_port *port, struct eh_segment_pool2004 *pool);
void eh_stack2004_free(struct eh_stack2004 *s);

/* By the reader: select(), which sleeps until there is something. */
void eh_stack2004_select(struct eh_stack2004 *s, struct eh_task *t);
/* By the reader: up to `most` bytes; returns how many, and adds to *segments those it finished. */
uint64_t eh_stack2004_recv(struct eh_stack2004 *s, struct eh_task *t, uint64_t most,
			   uint64_t *segments);

#endif
