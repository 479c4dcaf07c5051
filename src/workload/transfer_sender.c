/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "transfer.h"

#define TCP_IP 52 /* with timestamps */
#define INITIAL_WINDOW 3
#define KIB 1024

static void send(struct eh_transfer_sender *s)
{
	uint32_t payload = (uint32_t)s->cfg->transfer.stack.segment;
	struct eh_segment2004 *seg = eh_segment2004_new(s->pool, payload);
	eh_time now = eh_sim_now(s->sim);

	seg->frame.bits = eh_hub_bits(TCP_IP + payload);
	s->sent += payload;
	s->encrypted = now + s->cfg->transfer.encrypt * payload / KIB;
	eh_hub_send(s->port, &seg->frame);
}

static void pump(struct eh_event *ev)
{
	struct eh_transfer_sender *s = eh_container_of(ev, struct eh_transfer_sender, pump);
	int64_t segment = s->cfg->transfer.stack.segment;
	int64_t most = MIN(s->window, s->slow_start * segment);

	while ((int64_t)(s->sent - s->acked) + segment <= most) {
		if (s->encrypted > eh_sim_now(s->sim)) {
			eh_sim_at(s->sim, &s->pump, s->encrypted);
			return;
		}
		send(s);
	}
}

static void ack_arrives(void *arg, struct eh_hub_frame *f)
{
	struct eh_transfer_sender *s = arg;
	struct eh_segment2004 *seg = eh_container_of(f, struct eh_segment2004, frame);

	s->acked = seg->ack;
	s->window = seg->window;
	if (s->slow_start * s->cfg->transfer.stack.segment < s->window)
		s->slow_start++;
	eh_segment2004_free(s->pool, seg);
	if (!eh_event_pending(&s->pump))
		eh_sim_at(s->sim, &s->pump, eh_sim_now(s->sim) + s->cfg->transfer.reply);
}

void eh_transfer_sender_init(struct eh_transfer_sender *s, struct eh_sim *sim,
			     const struct eh_workload_config *cfg, struct eh_hub_port *port,
			     struct eh_segment_pool2004 *pool)
{
	*s = (struct eh_transfer_sender){.sim = sim, .cfg = cfg, .port = port, .pool = pool,
					 .pump.fn = pump, .window = cfg->transfer.stack.window,
					 .slow_start = INITIAL_WINDOW};
	port->arg = s;
	port->receive = ack_arrives;
	eh_sim_at(sim, &s->pump, eh_sim_now(sim));
}
