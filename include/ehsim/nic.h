/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A network interface with several queues, and the interrupt and softirq work it makes.
 *
 * Receive: a keyed hash over the 4-tuple picks the queue; queue q interrupts the q-th CPU of
 * eh_machine_spread, or (network.irqs: local) of the interface's die, the first. With network.place
 * the device steers a flow instead, by a table that what is sent fills (as Intel's application
 * targeted routing; a million flows are told apart by their hash): to the queue of the CPU that sent
 * last, to another of its die, or to one of the next die; what a CPU sends is completed there, too. The first packet in an idle queue arms the interrupt, which waits
 * network.moderation for more. The handler (hardirq) masks the queue and puts it on its CPU's poll
 * list; net_rx_action (softirq) takes up to 64 packets per poll and queue, through GRO, protocol
 * dispatch, IP and TCP, and unmasks a queue it has emptied.
 *
 * Transmit: each CPU has its own path to the hardware, so no queue lock is contended. The buffer is
 * freed on completion, which is work of a receive queue's CPU on the sender's die, at that queue's
 * next poll (completions raise no interrupt of their own, but those of bulk data do).
 *
 * A flooded CPU leaves softirq to its ksoftirqd (task.h).
 *
 * Bulk frames have buffers in a ring and are merged: bulk.h. Another CPU may go on: softnet.h.
 *
 * Not modelled: GRO merging of messages (one segment each leaves nothing to merge), the budget of 300
 * packets per round of the softirq (a round here is one poll of each queue), XPS contention, ring
 * overflow, PCIe.
 */
#ifndef EHSIM_NIC_H
#define EHSIM_NIC_H

#include <ehsim/host.h>
#include <ehsim/packet.h>

#define EH_NAPI_WEIGHT 64

struct eh_link;
struct eh_skb;

struct eh_nic_queue {
	struct eh_nic *nic;
	struct eh_cpu *cpu;
	struct eh_packets ring; /* received, not yet polled */
	struct eh_event irq;	/* held back by moderation */
	bool raised;		/* the interrupt waits for its handler */
	bool masked;		/* from the handler until a poll empties the ring */
	struct eh_nic_queue *sibling; /* of the same CPU */
	struct eh_nic_queue *next;    /* poll list */
	struct eh_skb *sent;	      /* buffers to complete */
	struct eh_rx_ring *bulk;      /* bulk.h; NULL: no bulk frames come here */
	bool bulk_sent;		      /* some of the buffers are of bulk data: an interrupt is due */
	eh_line_id owner; /* whose write memory some of them count against, and how many */
	int owned;
};

struct eh_nic_cpu {
	struct eh_nic_queue *queues; /* that interrupt this CPU */
	struct eh_nic_queue *poll, **polltail;
	struct eh_nic_queue *completes; /* what this CPU sends */
};

struct eh_nic {
	struct eh_host *host;
	struct eh_link *link; /* set by eh_link_new */
	int side;
	int nqueues;
	struct eh_nic_queue *queues;
	struct eh_nic_cpu *cpus;
	uint64_t key[2]; /* of the receive hash */
	uint16_t *sender; /* by hash of the flow: CPU that sent last, EH_NO_CPU; NULL: nobody asks */
	uint64_t *dma;	 /* by die: bytes of bulk frames that the device has written there */
	uint64_t received, sent, interrupts, polls;
	struct eh_little *waiting; /* packets in receive queues */
	uint64_t taken;		   /* out of them */
	eh_time waited;		   /* by those */
};

struct eh_nic *eh_nic_new(struct eh_host *h);
void eh_nic_free(struct eh_nic *nic);

/* nic_place.c: the CPU a queue interrupts, who completes, who receives; what a sent packet tells of its flow */
int eh_nic_cpu_of(const struct eh_nic *nic, int queue);
void eh_nic_place_init(struct eh_nic *nic);
struct eh_nic_queue *eh_nic_completes(struct eh_nic *nic, int cpu);
struct eh_nic_queue *eh_nic_receives(struct eh_nic *nic, const struct eh_packet *p);
void eh_nic_learn(const struct eh_cpu *c, struct eh_nic *nic, const struct eh_packet *p);

/* dev_queue_xmit on CPU c: `skb` is freed when the packet is reported as sent. */
void eh_nic_xmit(struct eh_cpu *c, struct eh_nic *nic, struct eh_packet *p, struct eh_skb *skb);
/* The next buffer CPU c sends counts against a socket's write memory, on that line, until completed. */
void eh_nic_own_next(struct eh_cpu *c, struct eh_nic *nic, eh_line_id owner);
/* From the link, at arrival. */
void eh_nic_receive(struct eh_nic *nic, struct eh_packet *p);

/* Called by what struct eh_cpu's irq and softirq are: timer.h. */
void eh_nic_interrupt(struct eh_cpu *c);
void eh_net_rx_action(struct eh_cpu *c);

/* The queue has packets and is not masked: its interrupt comes a moderation later. */
void eh_nic_queue_arm(struct eh_nic_queue *q);

#endif
