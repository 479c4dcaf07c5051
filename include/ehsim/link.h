/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A full-duplex link between two hosts: each way a packet is serialised at network.rate behind
 * those before it and arrives network.delay later. First in, first out; no loss, no switch queue.
 *
 * Bytes on the wire: preamble, checksum and gap 24, Ethernet header 14, IPv6 40 or IPv4 20, TCP 20
 * with options of 20 on a SYN (MSS, SACK, timestamps, window scale) and of 12 on all others
 * (timestamps), and the payload; an Ethernet frame has at least 60 bytes before its checksum. So a
 * SYN over IPv6 is a frame of 94 bytes, one byte of data makes one of 87, a bare ACK or RST of 86.
 */
#ifndef EHSIM_LINK_H
#define EHSIM_LINK_H

#include <ehsim/host.h>
#include <ehsim/packet.h>

struct eh_link_way {
	struct eh_nic *to;
	eh_time busy; /* the wire is free from here on */
	uint64_t packets, bytes;
};

struct eh_link {
	struct eh_sim *sim;
	const struct eh_network_config *cfg;
	struct eh_link_way way[2]; /* [0]: to the second host */
	struct eh_packet_pool pool;
};

/* Connects the two hosts' NICs; after both exist, freed before them. */
struct eh_link *eh_link_new(struct eh_host *a, struct eh_host *b);
/* From a host to nobody: what it sends is gone when the wire has it. */
struct eh_link *eh_link_new_sink(struct eh_host *h);
void eh_link_free(struct eh_link *l);

int64_t eh_link_wire_bytes(const struct eh_network_config *cfg, const struct eh_packet *p);
/* The packet is ready at `at` (not before now) on the side of `from`. */
void eh_link_send(struct eh_link *l, const struct eh_nic *from, struct eh_packet *p, eh_time at);

#endif
