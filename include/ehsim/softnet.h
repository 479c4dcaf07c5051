/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who goes on with a received packet, and who frees its buffer: softnet_data, one per CPU.
 *
 * Steering (kernel.steering). off: the CPU that the receive queue interrupts does all of it. rps: it
 * puts the packet, once GRO is done with it, into the backlog of the CPU that the flow's hash picks of
 * all CPUs. rfs: into that of the CPU on which the flow's socket was last read or written: recvmsg and
 * sendmsg note it in a table of 32768 entries by hash; a flow moves only when its old backlog has
 * handled all that it was given (order is kept), one that nobody has noted stays where it is. A backlog
 * is a queue with a lock of its own; the first packet of an idle one schedules it, on another CPU by
 * an interprocessor interrupt that is sent at the end of net_rx_action, and not polled before it has
 * come. process_backlog, in that CPU's net_rx_action, takes the whole queue at a time and up to 64 packets a round.
 *
 * Deferral (kernel.skb_defer). Who has read a buffer that another CPU has allocated puts it, under that
 * CPU's defer_lock, on that CPU's list, which its next net_rx_action frees at its end. The buffer that
 * makes it kernel.skb_defer_max sends an interrupt, so that there is one.
 *
 * Lines per CPU: the backlog's lock and list; the list of deferred buffers with lock and count. The
 * packet's header is in its sk_buff, modified by the CPU of the queue.
 *
 * Not modelled: netdev_max_backlog (backlogs grow), flow limits, rps_cpus masks, hardware steering, the
 * overflow of the list that 6.x has (more than the limit is freed at once).
 * Source: description of net/core/dev.c and skbuff.c, v5.19.
 */
#ifndef EHSIM_SOFTNET_H
#define EHSIM_SOFTNET_H

#include <ehsim/host.h>
#include <ehsim/nic.h>
#include <ehsim/packet.h>

struct eh_softnet_cpu {
	struct eh_cpu *cpu;
	struct eh_spinlock lock;
	struct eh_packets input, process;
	uint64_t head, tail; /* packets handled, and put in, so far */
	bool scheduled; /* by whoever found it idle */
	bool asked, polled; /* an interrupt for that is on its way; has come: its turn to be polled */
	struct eh_softnet_cpu *to_kick, *kick_next; /* whose interrupt this CPU has to send; such a list */
	struct eh_event ipi;
	bool ipi_sent, ipi_here;

	struct eh_spinlock defer_lock;
	struct eh_packet *defer;
	int ndefer;
};

struct eh_softnet_counts {
	uint64_t steered, ipis; /* packets put into the backlog of another CPU; interrupts sent */
	uint64_t deferred, kicks; /* buffers that went home; interrupts because there were too many */
};

struct eh_softnet {
	struct eh_host *host;
	struct eh_softnet_cpu *cpus;
	struct eh_rps_flow *flows; /* by queue, hash */
	uint16_t *sock_flow;	   /* by hash: CPU, EH_NO_CPU */
	eh_line_id sock_flow_lines, flow_lines;
	uint32_t flows_per_queue;
	struct eh_softnet_counts count;
};

/* NULL if neither steering nor deferral is on. */
struct eh_softnet *eh_softnet_new(struct eh_host *h);
void eh_softnet_free(struct eh_softnet *s);

/* From the poll, behind GRO: here, or into somebody's backlog. queue: index of the receive queue. */
void eh_netif_receive_skb(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p, int queue);
/* The socket with these addresses and ports was used on c (sock_rps_record_flow). */
void eh_rps_record_flow(struct eh_cpu *c, struct eh_host *h, const struct eh_sock *sk);

/* The packet has been read: true when it is on the list of the CPU that has allocated it. */
bool eh_skb_defer(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p);

/* Why somebody's backlog would never be polled, newly allocated; NULL if each one will be. */
char *eh_softnet_problem(const struct eh_softnet *s);

/* Of net_rx_action, behind the polls; of the interrupt handler. */
void eh_softnet_action(struct eh_cpu *c, struct eh_softnet *s);
void eh_softnet_interrupt(struct eh_cpu *c, struct eh_softnet *s);

#endif
