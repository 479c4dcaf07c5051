/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TCP sockets and their system calls, as far as short connections go.
 *
 * Modelled, in the kernel's order of calls: three-way handshake with request sockets, SYN cookies,
 * the accept queue of a SO_REUSEPORT listener, one-segment messages, acknowledged at once by a
 * connection that has not answered one yet and then by the answer (or after tcp_delack_min), close with SO_LINGER{1,0} by reset and graceful close through all states to
 * TIME_WAIT (timewait.c). Per socket the lock (sk_lock: a spinlock and an owner flag; packets that
 * find an owner wait in the backlog until release_sock) and the reference count are real, and so is
 * the memory: a struct eh_tcp lives as long as somebody holds a reference, its slab object is freed
 * with it.
 *
 * A full accept queue drops a SYN, and an ACK of a handshake, whose request then stays (with
 * tcp_abort_on_overflow it is reset). What was dropped comes again: the SYN after tcp_syn_timeout,
 * doubled each time, tcp_syn_retries times at most, then the connect fails with ETIMEDOUT; the
 * SYN-ACK likewise, tcp_synack_retries times, then the request is dropped; data and FIN after
 * tcp_rto_min and the round trip of the handshake. When as many requests as the accept queue holds
 * are open, SYNs are answered with cookies (tcp_syncookies).
 * A SYN that finds the server's half of a previous connection (its reset has been overtaken, which
 * happens when a search takes a port between the close's unhash and its put_port) gets a challenge
 * ACK; the client answers that with a reset, and sends its SYN again two jiffies later.
 *
 * rx_skb_cache: recv() parks one read buffer with the socket; the softirq that next feeds the socket, not
 * finding it owned, frees it after it has let go of the lock. It goes with the socket at the latest.
 *
 * Streams of bulk data, with windows and delayed ACKs: bulk.h. Buffers that go back to the CPU which has
 * allocated them: softnet.h.
 *
 * Not modelled: congestion control, selective ACKs, estimates of the round trip beyond the first;
 * windows of messages; keepalive, limits on challenge ACKs, the
 * pruning of young requests. Timers cost what their handlers do (timer.h).
 */
#ifndef EHSIM_TCP_H
#define EHSIM_TCP_H

#include <ehsim/epoll.h>
#include <ehsim/packet.h>
#include <ehsim/sock.h>
#include <ehsim/timer.h>
#include <ehsim/word.h>

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
struct eh_bulk;
struct eh_skb;

struct eh_accept_queue {
	struct eh_spinlock lock; /* rskq_lock */
	struct eh_request *head, **tail;
	int length, limit; /* sk_ack_backlog, sk_max_ack_backlog */
	int requests;	   /* qlen */
	struct eh_word lookups; /* references that lookups hold: kernel.listener_refcount */
};

struct eh_tcp {
	struct eh_sock sk; /* sk.tcp points to this struct */
	struct eh_spinlock slock;
	bool owned; /* by a system call */
	bool reset_on_close; /* SO_LINGER{1,0} */
	bool dead;	     /* orphan: its program has closed it */
	bool fin;	     /* our FIN is the last of what was sent */
	bool pingpong;	     /* it answers what it receives: ACKs wait for the answer */
	uint8_t deferred;    /* timers that fired while it was owned */
	int refs;
	int err; /* sk_err, as -errno */
	struct eh_packets received, backlog;
	struct eh_bulk *bulk;	  /* bulk.h; NULL: messages */
	struct { /* retransmit queue, in order */
		struct eh_skb *head, *tail;
	} rtx;
	struct eh_skb *tx_skb;	  /* sk_tx_skb_cache: acknowledged, and kept for the next send */
	struct eh_packet *rx_skb; /* sk_rx_skb_cache: read, and kept for the next softirq to free */
	struct eh_object *file; /* NULL: not accepted yet, or closed */
	struct eh_epitem item;
	struct eh_accept_queue *accept; /* listeners */
	uint32_t snd_una, snd_nxt, rcv_nxt;
	uint32_t ts_stamp; /* second of the last timestamp received; 0: none */
	int retransmits;   /* of the oldest segment */
	eh_time syn_at, rto;
	eh_time received_at; /* of the last message; 0: none yet */
	struct eh_timer retransmit, delack;
	struct eh_tcp *next; /* free list */
};

/*
 * A connection between its SYN and its accept(). sk.state: EH_TCP_NEW_SYN_RECV, sk.tcp: this.
 * References: the accept queue's or the established table's with its timer, and who works on it.
 */
struct eh_request {
	struct eh_sock sk;
	int refs;
	struct eh_tcp *listener, *child;
	uint32_t isn, rcv_nxt;
	int timeouts; /* num_timeout */
	bool acked;   /* its ACK found the accept queue full */
	bool holds_listener; /* a reference; not those of cookies */
	bool listed; /* counted in the listener's qlen */
	struct eh_timer timer;
	struct eh_request *next; /* accept queue, free list */
};

/*
 * What is left of a connection that was closed from this side: 256 bytes that hold the tuple for
 * kernel.timewait. sk.state: EH_TCP_TIME_WAIT. References: both tables and the timer (3).
 */
struct eh_timewait {
	struct eh_sock sk;
	int refs;
	bool fin_wait2; /* tw_substate: the other side's FIN has not come yet */
	uint32_t snd_nxt, rcv_nxt, ts_stamp;
	struct eh_timer timer;
	struct eh_timewait *next; /* free list */
};

struct eh_tcp_counts {
	uint64_t connected, accepted; /* handshakes done, accept() returned */
	uint64_t resets;	      /* RSTs that ended a socket */
	uint64_t stray;		      /* packets without a socket, or of no use to it */
	uint64_t syn_dropped, ack_dropped; /* accept queue full */
	uint64_t backlogged;		   /* packets that found an owner */
	uint64_t overtaken;		   /* SYNs that found an old half */
	uint64_t retransmits, synack_retransmits; /* segments sent again by timers */
	uint64_t timeouts;		   /* connects and requests given up */
	uint64_t challenge_acks, duplicates; /* ACKs that answer what may be forged; data seen before */
	uint64_t cookies_sent, cookies_accepted;
	uint64_t lookup_restarts; /* walks begun again: identity changed (recycled), or wrong chain */
	uint64_t lookup_gone;	  /* found without a reference to take */
	uint64_t wrong_chain;	  /* of the restarts: nulls of another bucket */
	uint64_t time_waits, tw_reused, tw_killed, tw_overflow; /* made, taken over, expired, refused */
};

/* The listeners of a port, bound to any address. */
struct eh_listen_group {
	uint16_t port;
	GPtrArray *socks; /* struct eh_tcp * */
	eh_line_id lines; /* bucket, then the group's array of pointers */
};

/* What TCP keeps per host; host->tcp. */
#define EH_TCP_BLOCK 256 /* sockets, requests, TIME_WAIT sockets that their memory grows by */

struct eh_tcp_host {
	struct eh_host *host;
	struct {
		int connect, xmit, ip_rcv, rcv, lookup_listener, syn_recv, send_reset, cookie;
	} sym; /* by family */
	GPtrArray *groups;	 /* struct eh_listen_group *: SO_REUSEPORT, one per port */
	eh_line_id tw_line;	 /* tcp_death_row: the count of TIME_WAIT sockets */
	uint64_t key[2];	 /* of the reuseport hash, sequence numbers and cookies */
	struct eh_tcp *free;
	struct eh_request *free_requests;
	struct eh_timewait *free_timewaits;
	GPtrArray *blocks, *request_blocks, *timewait_blocks; /* their memory */
	int64_t tw_count, tw_peak;
	struct eh_tcp_counts count;
};

struct eh_tcp_host *eh_tcp_host_new(struct eh_host *h);
void eh_tcp_host_free(struct eh_tcp_host *th);

/* --- system calls, by task t on its CPU --- */
struct eh_tcp *eh_sys_socket(struct eh_task *t);
void eh_sys_setsockopt(struct eh_task *t, struct eh_tcp *tp); /* SO_LINGER{1,0} */
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
/* Bytes, or -ECONNRESET; recv also -EAGAIN, or 0 after the other side's FIN. */
int eh_sys_send(struct eh_task *t, struct eh_tcp *tp, int bytes);
int eh_sys_recv(struct eh_task *t, struct eh_tcp *tp);
/* By reset after eh_sys_setsockopt or with unread data, else by FIN. tp may be gone. */
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
