/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An Ethernet hub with two stations: one shared half-duplex medium, CSMA/CD as IEEE 802.3 has it.
 *
 * A station that has a frame sends it 96 bit times after it has heard the medium fall silent. What one
 * begins the other hears network.delay later (both cables and the repeater); who begins before, or just
 * then, collides: both send 96 bits in all (preamble, jam), wait a random number of slots of 512 bits,
 * below 2^n after the n-th collision of the frame, at most 2^10, and try again. A station that sends
 * all the time collides with every frame the other one has: both wait for the same silence. The 16th
 * collision of a frame gives it up in the standard; here it is counted, and the frame begins anew.
 *
 * The standard keeps stations so near that both hear of a collision within a slot; the delay, one way,
 * is then at most EH_HUB_FARTHEST bit times. scenario/ refuses others.
 *
 * switched: full duplex, no collisions; each direction by itself, any delay.
 *
 * A frame is its sender's until `sent`, called when its last bit has left, and then on its way, and the
 * receiver's from `receive` on. Both callbacks run outside any CPU.
 *
 * Not modelled: more stations, bit errors, flow control, late collisions.
 */
#ifndef EHSIM_HUB_H
#define EHSIM_HUB_H

#include <ehsim/config.h>
#include <ehsim/sim.h>
#include <ehsim/stream.h>

struct eh_hub;

enum { EH_HUB_FARTHEST = 256 };

struct eh_hub_frame {
	struct eh_hub_frame *next;
	int64_t bits;	 /* from preamble to checksum */
	eh_time arrives; /* once it is on its way */
};

struct eh_hub_port {
	struct eh_hub *hub;
	struct eh_event attempt, done, arrival;
	struct eh_hub_frame *head, **tailp; /* the first is being sent */
	struct eh_hub_frame *on_its_way, *last_on_its_way; /* to this port, in order */
	int attempts;			    /* collisions of the first frame */
	eh_time began;			    /* to send it; EH_TIME_NEVER: has not */
	void (*sent)(void *arg, struct eh_hub_frame *f); /* may be NULL */
	void (*receive)(void *arg, struct eh_hub_frame *f);
	void *arg;
	uint64_t frames, collided; /* sent; attempts that collided */
};

struct eh_hub {
	struct eh_sim *sim;
	const struct eh_network_config *cfg;
	bool switched;
	struct eh_hub_port port[2];
	eh_time silent; /* whoever listens may send from here on */
	uint64_t collisions, excessive;
	gsl_rng *random;
};

struct eh_hub *eh_hub_new(struct eh_sim *sim, const struct eh_network_config *cfg, bool switched);
void eh_hub_free(struct eh_hub *hub);
/* Behind what the port already has, from now on. */
void eh_hub_send(struct eh_hub_port *p, struct eh_hub_frame *f);
/* Of a frame with so many bytes between Ethernet header and checksum. */
int64_t eh_hub_bits(int64_t bytes);

#endif
