/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the paths of this folder share: steps into and out of the kernel, locking a socket. */
#ifndef EHSIM_NET_PATH_H
#define EHSIM_NET_PATH_H

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
void eh_packet_consume(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p);
uint32_t eh_tcp_poll(struct eh_cpu *c, struct eh_epitem *item);

/* tcp_output.c: one segment out; tp is NULL for a request socket. */
void eh_tcp_transmit(struct eh_cpu *c, struct eh_sock *sk, struct eh_tcp *tp, int flags,
		     int payload);

/*
 * tcp_input.c: a segment for a full socket, locked by the caller; takes the packet, unless it is a
 * SYN that has found an old half: then the socket is reset and the packet still the caller's.
 */
bool eh_tcp_do_rcv(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p, bool process);
void eh_tcp_data_queue(struct eh_cpu *c, struct eh_tcp *tp, struct eh_packet *p);

/* listen.c */
void eh_tcp_conn_request(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p);
void eh_tcp_check_req(struct eh_cpu *c, struct eh_request *req, struct eh_packet *p);

static inline void eh_tcp_lines(struct eh_cpu *c, int sym, const struct eh_tcp *tp, int first,
				int n, bool write)
{
	eh_touch(c, sym, tp->sk.obj->line + (eh_line_id)first, n, write);
}

#endif
