/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TCP sockets and their system calls, as far as short connections that end in a reset go.
 *
 * Modelled, in the kernel's order of calls: three-way handshake with request sockets, the accept
 * queue of a SO_REUSEPORT listener, one-segment messages with the immediate ACK of a young
 * connection, close with SO_LINGER{1,0}, reset. Per socket the lock (sk_lock: a spinlock and an
 * owner flag; packets that find an owner wait in the backlog until release_sock) and the reference
 * count are real, and so is the memory: a struct eh_tcp lives as long as somebody holds a
 * reference, its slab object is freed with it.
 *
 * What waits for the accept queue: an ACK that finds it full is dropped and the request stays; the
 * segment with the request tries again.
 *
 * Not modelled: retransmission, so a SYN dropped before a full accept queue leaves its flow waiting
 * for ever (count.syn_dropped says how many; 0 in the shipped scenarios); SYN cookies and the limit
 * of the request queue; timers beside their instructions; windows, congestion control, FIN,
 * TIME_WAIT, the deferred free of received buffers on the CPU that allocated them.
 * A SYN that finds the server's half of a previous connection (its reset has been overtaken) resets
 * that and goes on; Linux answers with a challenge ACK and the SYN comes again two jiffies later.
 * It happens when a search takes a port between the close's unhash and its put_port
 * (count.overtaken).
 */
#ifndef EHSIM_TCP_H
#define EHSIM_TCP_H

#include <ehsim/epoll.h>
#include <ehsim/packet.h>
#include <ehsim/sock.h>

/* Lines of a socket object beyond those that sock.h names. */
enum {
	EH_SOCK_COMMON,	 /* ports, state */
	EH_SOCK_ADDRESS,
	EH_SOCK_LOCK,	 /* reference count, sk_lock, owner */
	EH_SOCK_RECEIVE, /* receive queue, backlog */
	EH_SOCK_WAIT,	 /* wait queue: where epoll's callback hangs */
	EH_SOCK_SEND,	 /* write queue */
	EH_SOCK_TIMER,
	EH_SOCK_ACCEPT,	 /* accept queue: counters, rskq_lock */
	EH_SOCK_TCP_TX,
	EH_SOCK_TCP_TXRX,
	EH_SOCK_TCP_RX,
};

struct eh_request;

struct eh_accept_queue {
	struct eh_spinlock lock; /* rskq_lock */
	struct eh_request *head, **tail;
	int length, limit; /* sk_ack_backlog, sk_max_ack_backlog */
	int requests;	   /* qlen */
};

struct eh_tcp {
	struct eh_sock sk; /* sk.tcp points to this struct */
	struct eh_spinlock slock;
	bool owned; /* by a system call */
	int refs;
	struct eh_packets received, backlog;
	struct eh_object *file; /* NULL: not accepted yet */
	struct eh_epitem item;
	struct eh_accept_queue *accept; /* listeners */
	struct eh_tcp *next;		/* free list */
};

/* A connection between its SYN and its accept(). sk.state: EH_TCP_NEW_SYN_RECV, sk.tcp: this */
struct eh_request {
	struct eh_sock sk;
	int refs;
	struct eh_tcp *listener, *child;
	struct eh_request *next; /* accept queue, free list */
};

struct eh_tcp_counts {
	uint64_t connected, accepted; /* handshakes done, accept() returned */
	uint64_t resets;	      /* RSTs received */
	uint64_t stray;			      /* packets without a socket */
	uint64_t syn_dropped, ack_dropped;    /* accept queue full */
	uint64_t backlogged;		      /* packets that found an owner */
	uint64_t overtaken;		      /* SYNs that found an old half */
};

/* The listeners of a port, bound to any address. */
struct eh_listen_group {
	uint16_t port;
	GPtrArray *socks; /* struct eh_tcp * */
	eh_line_id lines; /* bucket, then the group's array of pointers */
};

/* What TCP keeps per host; host->tcp. */
struct eh_tcp_host {
	struct eh_host *host;
	struct {
		int connect, xmit, ip_rcv, rcv, lookup_listener, syn_recv;
	} sym; /* by family */
	GPtrArray *groups;	 /* struct eh_listen_group *: SO_REUSEPORT, one per port */
	uint64_t key[2];	 /* of the reuseport hash */
	struct eh_tcp *free;
	struct eh_request *free_requests;
	GPtrArray *blocks; /* memory of both */
	struct eh_tcp_counts count;
};

struct eh_tcp_host *eh_tcp_host_new(struct eh_host *h);
void eh_tcp_host_free(struct eh_tcp_host *th);

/* --- system calls, by task t on its CPU --- */
struct eh_tcp *eh_sys_socket(struct eh_task *t);
void eh_sys_setsockopt(struct eh_task *t, struct eh_tcp *tp); /* SO_LINGER{1,0}: always in force */
void eh_sys_fcntl(struct eh_task *t);
/* setsockopt: IP_LOCAL_PORT_RANGE (0: that end is the host's), IP_BIND_ADDRESS_NO_PORT, SO_REUSEADDR */
void eh_sys_local_port_range(struct eh_task *t, struct eh_tcp *tp, uint16_t low, uint16_t high);
void eh_sys_bind_no_port(struct eh_task *t, struct eh_tcp *tp);
void eh_sys_reuseaddr(struct eh_task *t, struct eh_tcp *tp);
/* Port 0: any, unless IP_BIND_ADDRESS_NO_PORT leaves it to connect(). 0, or -EADDRINUSE. */
int eh_sys_bind(struct eh_task *t, struct eh_tcp *tp, uint32_t laddr, uint16_t port);
/* Non-blocking: 0 means under way; -EADDRNOTAVAIL. */
int eh_sys_connect(struct eh_task *t, struct eh_tcp *tp, uint32_t raddr, uint16_t rport);
/* NULL: nothing to accept. */
struct eh_tcp *eh_sys_accept(struct eh_task *t, struct eh_tcp *listener);
/* Bytes, or -ECONNRESET; recv also -EAGAIN. */
int eh_sys_send(struct eh_task *t, struct eh_tcp *tp, int bytes);
int eh_sys_recv(struct eh_task *t, struct eh_tcp *tp);
void eh_sys_close(struct eh_task *t, struct eh_tcp *tp);

/* --- before time 0, without cost --- */
/* A listener that CPU `cpu` has set up; joins the port's reuseport group. */
struct eh_tcp *eh_tcp_listen(struct eh_host *h, int cpu, uint16_t port, int backlog);
/* An established socket with the addresses and ports of `tuple`, on a port that is `bound` or not. */
struct eh_tcp *eh_tcp_preset(struct eh_host *h, int cpu, const struct eh_sock *tuple);
/* A segment waits in the receive queue of tp; its buffer was taken by `cpu`. */
void eh_tcp_preset_segment(struct eh_tcp *tp, int cpu, int bytes);
/* NULL: nobody listens there. */
struct eh_listen_group *eh_tcp_listen_group(const struct eh_tcp_host *th, uint16_t port);
/* Which of the group a SYN goes to: index into socks. */
int eh_tcp_select_listener(const struct eh_tcp_host *th, const struct eh_listen_group *group,
			   uint32_t saddr, uint16_t sport, uint32_t daddr);

/* --- from the receive softirq: takes the packet --- */
void eh_tcp_rcv(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p);

#endif
