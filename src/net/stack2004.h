/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the stack of 2004 share. */
#ifndef EHSIM_NET_STACK2004_H
#define EHSIM_NET_STACK2004_H

#include <ehsim/c2c.h>
#include <ehsim/check.h>
#include <ehsim/stack2004.h>

/* Bytes into a socket of 2.6.8 (see EH_SOCK2004_*), recalled. */
enum {
	EH_SOCK2004_QUEUE = 64,	   /* sk_receive_queue, sk_rmem_alloc */
	EH_SOCK2004_CALLBACK = 96, /* sk_sleep, sk_callback_lock, sk_data_ready */
	EH_SOCK2004_IDENT = 374,   /* inet->id */
	EH_SOCK2004_TCP = 416,	   /* rcv_nxt, snd_*, pred_flags, timestamps, window */
	EH_SOCK2004_TCP_END = 544,
};

/*
 * Bytes into a struct sk_buff of 2.6.8, recalled. The adapter's driver, netif_rx and IP write what is before and
 * behind, TCP's part of the control block is first written by TCP: since its buffer was made, and cleared, by
 * whoever refilled the ring.
 */
enum {
	EH_SKB2004_CB = 64,  /* TCP_SKB_CB begins at 72 */
	EH_SKB2004_LEN = 96, /* len, protocol, users, head, data, tail, end */
};

static inline eh_line_id eh_stack2004_sk_line(const struct eh_stack2004 *s, int at)
{
	return s->sk->line + (eh_line_id)(at / s->kernel->ehash2004.line_size);
}

/*
 * A path that is longer than the reorder window: in pieces, so that what it waits for at its begin is
 * not made good by its end.
 */
static inline void eh_stack2004_path(struct eh_cpu *c, int sym, int64_t k)
{
	for (int64_t piece = c->window / 2; k > 0; k -= piece)
		eh_path(c, sym, MIN(k, piece));
}

/* stack2004_tcp.c: in softirq or release_sock, the socket held; and an ACK from either context. */
void eh_stack2004_rcv(struct eh_cpu *c, struct eh_stack2004 *s, struct eh_segment2004 *seg);
void eh_stack2004_established(struct eh_cpu *c, struct eh_stack2004 *s, struct eh_segment2004 *seg);
void eh_stack2004_send_ack(struct eh_cpu *c, struct eh_stack2004 *s);

/* stack2004_dev.c */
void eh_stack2004_interrupt(struct eh_cpu *c);
void eh_stack2004_softirq(struct eh_cpu *c);
void eh_stack2004_arrives(void *arg, struct eh_hub_frame *f);
void eh_stack2004_sent(void *arg, struct eh_hub_frame *f);
void eh_stack2004_xmit(struct eh_cpu *c, struct eh_stack2004 *s, struct eh_segment2004 *seg);

#endif
