/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The other end of a transfer: a host that is a rate. */
#ifndef EHSIM_WORKLOAD_TRANSFER_H
#define EHSIM_WORKLOAD_TRANSFER_H

#include <ehsim/stack2004.h>

struct eh_transfer_sender {
	struct eh_sim *sim;
	const struct eh_workload_config *cfg;
	struct eh_hub_port *port;
	struct eh_segment_pool2004 *pool;
	struct eh_event pump;
	uint64_t sent, acked; /* bytes */
	int64_t window;	      /* bytes, behind acked */
	int64_t slow_start;   /* segments that may be on their way, while that is less */
	eh_time encrypted;    /* the next segment */
};

/* Begins to send at once, and goes on for ever. */
void eh_transfer_sender_init(struct eh_transfer_sender *s, struct eh_sim *sim,
			     const struct eh_workload_config *cfg, struct eh_hub_port *port,
			     struct eh_segment_pool2004 *pool);

#endif
