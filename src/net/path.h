/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the paths of this folder share: steps into and out of the kernel, locking a socket. */
#ifndef EHSIM_NET_PATH_H
#define EHSIM_NET_PATH_H

#include <ehsim/check.h>
#include <ehsim/nic.h>
#include <ehsim/tcp.h>

static inline struct eh_host *eh_host_of(const struct eh_cpu *c)
{
	return c->host;
}

static inline const struct eh_kernel_cost *eh_cost_of(const struct eh_cpu *c)
{
	return &eh_host_of(c)->kernel->cost;
}

/* The task's CPU, in global order, inside the kernel. */
static inline struct eh_cpu *eh_sys_enter(struct eh_task *t)
{
	eh_cpu_point(t->cpu);
	eh_path(t->cpu, EH_SYM(entry_SYSCALL_64), eh_cost_of(t->cpu)->syscall);
	return t->cpu;
}

/* Back to user mode: interrupts, and others if it is their turn. */
static inline void eh_sys_exit(struct eh_task *t)
{
	eh_cpu_point(t->cpu);
	if (eh_unlikely(t->cpu->need_resched))
		eh_task_yield(t);
}

/* tcp_lock.c: lock_sock and release_sock in process context, bh_lock_sock in softirq. */
void eh_lock_sock(struct eh_cpu *c, struct eh_tcp *tp);
void eh_release_sock(struct eh_cpu *c, struct eh_tcp *tp);
void eh_bh_lock_sock(struct eh_cpu *c, struct eh_tcp *tp);
void eh_bh_unlock_sock(struct eh_cpu *c, struct eh_tcp *tp);

/* tcp_sock.c: allocation and references. */
struct eh_tcp *eh_tcp_new(struct eh_cpu *c, struct eh_host *h);
void eh_tcp_put(struct eh_cpu *c, struct eh_tcp *tp, int sym);
struct eh_request *eh_request_new(struct eh_cpu *c, struct eh_host *h);
/* The last one gives its listener back. */
void eh_request_put(struct eh_cpu *c, struct eh_request *req, int sym);
struct eh_timewait *eh_timewait_new(struct eh_cpu *c, struct eh_host *h);
/* n references with one locked operation. */
void eh_timewait_put(struct eh_cpu *c, struct eh_timewait *tw, int n, int sym);
void eh_packet_consume(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p);
uint32_t eh_tcp_poll(struct eh_cpu *c, struct eh_epitem *item);

/*
 * tcp_output.c: one segment out. transmit: of a full socket, behind what it has sent; the
 * retransmission timer runs if the segment is one that has to arrive. segment: any; tp is NULL when
 * no full socket sends it. send_clone: data of a buffer that the socket keeps. reply: what answers p without a socket (a reset, an ACK of TIME_WAIT).
 */
void eh_tcp_transmit(struct eh_cpu *c, struct eh_tcp *tp, int flags, int payload);
void eh_tcp_segment(struct eh_cpu *c, struct eh_sock *sk, struct eh_tcp *tp, int flags, int payload,
		    uint32_t seq, uint32_t ack);
void eh_tcp_send_clone(struct eh_cpu *c, struct eh_tcp *tp, struct eh_skb *skb, int payload,
		       uint32_t seq);
void eh_tcp_reply(struct eh_cpu *c, struct eh_host *h, const struct eh_packet *p, int flags,
		  uint32_t seq, uint32_t ack);
void eh_tcp_send_reset(struct eh_cpu *c, struct eh_host *h, const struct eh_packet *p);
uint32_t eh_tcp_isn(const struct eh_host *h, const struct eh_sock *sk); /* secure_tcp_seq */

/* tcp_timer.c */
void eh_tcp_start_retransmit(struct eh_cpu *c, struct eh_tcp *tp);
void eh_tcp_restart_retransmit(struct eh_cpu *c, struct eh_tcp *tp, eh_time delay);
void eh_tcp_start_delack(struct eh_cpu *c, struct eh_tcp *tp);
void eh_tcp_stop_timers(struct eh_tcp *tp);
/* What timers left to the owner; under the socket lock. */
void eh_tcp_release_cb(struct eh_cpu *c, struct eh_tcp *tp);
/* The oldest segments again, as one. */
void eh_tcp_retransmit(struct eh_cpu *c, struct eh_tcp *tp);

/* tcp_input.c: a segment for a full socket, locked by the caller; takes the packet. */
void eh_tcp_do_rcv(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p, bool process);
void eh_tcp_data_queue(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p);
void eh_tcp_note_timestamp(struct eh_tcp *tp, const struct eh_packet *p);

/* tcp_close.c: sequence numbers of tp up to and without p->ack have arrived. False: nothing new. */
bool eh_tcp_ack(struct eh_cpu *c, struct eh_tcp *tp, const struct eh_packet *p);
/* What FIN_WAIT1 and later states do with a segment. Takes the packet. */
void eh_tcp_rcv_closing(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p, bool process);
/* tcp_fin in ESTABLISHED. */
void eh_tcp_passive_fin(struct eh_cpu *c, struct eh_tcp *tp);
/* tcp_done: out of the tables; an orphan dies, others hear of it. The caller holds a reference. */
void eh_tcp_done(struct eh_cpu *c, struct eh_tcp *tp, int err, bool process);
void eh_tcp_purge(struct eh_cpu *c, struct eh_tcp *tp);
void eh_tcp_wake(struct eh_cpu *c, struct eh_tcp *tp, uint32_t key);

/* timewait.c: tcp_time_wait: tp, whose FIN has been acknowledged, leaves its tuple to a small socket. */
void eh_tcp_time_wait(struct eh_cpu *c, struct eh_tcp *tp, bool fin_wait2, bool process);
/* A segment for it, found with a reference; false: the packet is a SYN for the listener now. */
bool eh_tcp_timewait_rcv(struct eh_cpu *c, struct eh_timewait *tw, struct eh_packet *p);

/* listen.c */
struct eh_tcp *eh_tcp_lookup_listener(struct eh_cpu *c, struct eh_host *h,
				      const struct eh_packet *p);
void eh_tcp_conn_request(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p);
/* False: the request is gone, look again. */
bool eh_tcp_check_req(struct eh_cpu *c, struct eh_request *req, struct eh_packet *p);
struct eh_request *eh_tcp_new_request(struct eh_cpu *c, struct eh_tcp *listener,
				      const struct eh_packet *p, int sym, int64_t path);
/* What the lookup took, if it takes anything. */
void eh_tcp_put_listener(struct eh_cpu *c, struct eh_tcp *listener);
/* A child for the request, whose accept queue has room; takes the packet. */
void eh_tcp_establish(struct eh_cpu *c, struct eh_request *req, struct eh_packet *p);
/* SYN-ACK; owner: the listener whose write memory it counts against, or NULL. */
void eh_tcp_synack(struct eh_cpu *c, struct eh_request *req, struct eh_tcp *owner, uint32_t isn);
uint32_t eh_tcp_cookie(const struct eh_host *h, const struct eh_sock *sk);
void eh_request_unlist(struct eh_cpu *c, struct eh_request *req, int sym);
void eh_request_start_timer(struct eh_cpu *c, struct eh_request *req);
/* Out of the table, which gives up its reference; false if somebody else has done it. */
bool eh_request_drop(struct eh_cpu *c, struct eh_request *req, int sym);
/* The ACK of a SYN cookie; takes the packet. False: it is none. */
bool eh_tcp_cookie_check(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p);

static inline bool eh_seq_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

/* ktime_get_seconds, from 1 so that 0 can mean never. */
static inline uint32_t eh_second(const struct eh_sim *sim)
{
	return (uint32_t)(eh_sim_now(sim) / EH_SEC) + 1;
}

static inline void eh_tcp_lines(struct eh_cpu *c, int sym, const struct eh_tcp *tp, int first,
				int n, bool write)
{
	eh_touch(c, sym, tp->sk.obj->line + (eh_line_id)first, n, write);
}

#endif
