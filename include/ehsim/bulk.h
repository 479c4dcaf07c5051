/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bulk data one way: what TCP, GRO and the driver do for workload.kind tcp_stream beside what short
 * messages need (tcp.h, nic.h).
 *
 * Sender. sendmsg copies, line by line, from a user's buffer into page fragments (blocks of 32 KiB from
 * the page allocator, one reference per sk_buff and block) of sk_buffs as large as 64 KiB of whole
 * segments, at most half of the largest window (kernel.tso: no: of one segment), until what is queued
 * fills kernel.tcp_wmem; then it wants to hear of room, which is said when a third is free again. A full
 * sk_buff leaves as soon as all of it fits the window, a part of one only when nothing is in flight
 * (Nagle). With TSO the interface cuts it: network.mtu on the wire. The completion (with an interrupt of
 * its own) gives back the clone; the ACK, on whatever CPU it is handled, the sk_buff, and with it the pages.
 *
 * Interface. The driver keeps network.ring receive buffers in a queue, halves of pages (whole pages from
 * an MSS of 2049 on), and puts a new one in place of each it takes, from the page allocator, on its CPU.
 * The device writes a frame into the L3 of the buffer's node; when network.ddio more bytes have gone
 * there it is in memory only. A full ring holds back what comes (as pause frames do): nothing is lost.
 *
 * GRO (kernel.gro). Frames of one flow in order are merged, up to 65535 bytes: 17 pages' parts to an
 * sk_buff, three of these at an MSS of 1428. What a poll has not merged goes up at its end if it emptied
 * the ring. Then steering (softnet.h), IP, TCP.
 *
 * Receiver. Merged packets go to the receive queue; each wakes the reader. The window offered is half of
 * what kernel.tcp_rmem leaves above the memory (truesize) that is queued (tcp_adv_win_scale 1), its right
 * edge never moves back. An ACK is sent when more than a segment has come since the last one and the
 * window does not shrink, else by recvmsg when it returns, or after tcp_delack_min. recvmsg copies, line
 * by line, from the pages into the user's buffer, and frees each sk_buff it has emptied: a reference of
 * each part (a locked operation on the struct page), the page with its last one, the head. Or it leaves
 * that to the CPU that has allocated them (kernel.skb_defer).
 *
 * Not modelled: slow start, congestion control, pacing and loss (the window of the receiver is the only
 * limit, whole from the start), growth of buffers, merging in the receive queue (tcp_try_coalesce: parts
 * are 17 already), page pools of drivers (pages that are still in a queue when the ring wants them come
 * from the page allocator; with this much queued nearly all are), zero copy, unaligned copies,
 * pages of a sent sk_buff that wait for its clone (they go with the ACK).
 * Source: description of net/ipv4/tcp{,_input,_output}.c, net/core/{gro,skbuff}.c, v5.18.
 */
#ifndef EHSIM_BULK_H
#define EHSIM_BULK_H

#include <ehsim/nic.h>
#include <ehsim/page.h>
#include <ehsim/tcp.h>

#define EH_BULK_BLOCKS 4 /* page blocks an sk_buff of 64 KiB may lie in */

struct eh_skb;

struct eh_tx_skb {
	struct eh_tx_skb *next;
	struct eh_skb *skb; /* a pair: skb.h */
	struct eh_page *block[EH_BULK_BLOCKS];
	int nblocks;
	int bytes;
	uint32_t end; /* of those, once sent */
};

struct eh_tx_queue {
	struct eh_tx_skb *head, **tail;
};

/* Of a socket that bulk data go through: tp->bulk. */
struct eh_bulk {
	/* sender */
	struct eh_tx_queue unsent, sent;
	struct eh_tx_skb *spare; /* plain memory */
	struct eh_page *block;	 /* sk_page_frag, and how much of it is used */
	int block_used;
	int64_t queued; /* sk_wmem_queued */
	uint32_t window_end;
	bool full; /* somebody wants to hear of room */
	/* receiver */
	struct eh_packet *part; /* of the first packet of the queue, being read */
	int part_read;
	uint32_t acked, edge; /* rcv_wup, right edge of the window offered */
	int64_t rmem;
	/* both */
	eh_line_id user; /* the program's buffer */
	int user_lines;
	uint64_t bytes; /* sent, or read, by system calls so far */
};

/* A receive queue's buffers: nic.h has one per queue that bulk frames come to. */
struct eh_rx_ring;

/* Bytes of a full segment. */
int eh_bulk_mss(const struct eh_kernel_config *k, const struct eh_network_config *n);

/* Before time 0: both ends of a connection; whoever reads or writes does `bytes` at a time on `cpu`. */
void eh_bulk_preset(struct eh_tcp *tp, int cpu, int64_t bytes);
void eh_bulk_free(struct eh_bulk *b);

/* System calls: bytes, -EAGAIN, or -ECONNRESET. */
int eh_sys_bulk_send(struct eh_task *t, struct eh_tcp *tp, int bytes);
int eh_sys_bulk_recv(struct eh_task *t, struct eh_tcp *tp, int bytes);

/* --- for the rest of the network --- */
bool eh_bulk_poll(struct eh_tcp *tp); /* is there room? If not, somebody wants to hear of it */
uint32_t eh_bulk_window(struct eh_tcp *tp);   /* for a segment that leaves now */
uint64_t eh_bulk_skbs(const struct eh_bulk *b); /* sent or not: that it holds */
/* A segment for an established socket with tp->bulk; takes the packet. */
void eh_bulk_rcv(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p);
/* The last of a packet of bulk data and all that is merged into it. */
void eh_bulk_consume(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p);
/* The interface cuts the packet, which is ready at `at`, to frames, and sends these. */
void eh_bulk_xmit(struct eh_nic *nic, struct eh_packet *p, eh_time at);

/* A frame has arrived: in a buffer of the ring, or (false) it has to wait for one. */
bool eh_bulk_dma(struct eh_nic_queue *q, struct eh_packet *p);
/* The poll has taken a frame; it has emptied the ring (or not). */
void eh_bulk_receive(struct eh_cpu *c, struct eh_nic_queue *q, struct eh_packet *p);
void eh_bulk_poll_end(struct eh_cpu *c, struct eh_nic_queue *q, bool empty);
void eh_rx_ring_free(struct eh_rx_ring *r);

/*
 * n bytes from `offset` in a buffer at line `from` to `to`, a line of each at a time: loads that overlap
 * as the core lets them, stores. The string copy's start-up, and its two micro-ops per line.
 */
void eh_bulk_copy(struct eh_cpu *c, eh_line_id from, int offset, eh_line_id to, int n);

#endif
