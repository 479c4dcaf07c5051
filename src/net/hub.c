/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/hub.h>

#include <glib.h>

/* IEEE 802.3, in bits; ETHERNET and the like in bytes. */
#define GAP 96
#define SLOT 512
#define FRAGMENT 96 /* preamble and jam of a collision seen at once */
#define PREAMBLE 8
#define ETHERNET 14
#define CHECKSUM 4
#define SHORTEST 60
#define GIVE_UP 16
#define BACKOFF_MOST 10

int64_t eh_hub_bits(int64_t bytes)
{
	return 8 * (PREAMBLE + MAX(ETHERNET + bytes, SHORTEST) + CHECKSUM);
}

static struct eh_hub_port *other(struct eh_hub_port *p)
{
	return &p->hub->port[p == &p->hub->port[0]];
}

static bool sending(const struct eh_hub_port *p)
{
	return p->began != EH_TIME_NEVER;
}

static void back_off(struct eh_hub_port *p)
{
	struct eh_hub *hub = p->hub;
	uint64_t slots;

	p->began = EH_TIME_NEVER;
	p->collided++;
	if (++p->attempts == GIVE_UP) {
		hub->excessive++;
		p->attempts = 0;
	}
	slots = eh_stream_below(hub->random, 1ull << MIN(p->attempts, BACKOFF_MOST));
	eh_sim_at(hub->sim, &p->attempt, hub->silent + (eh_time)slots * SLOT * hub->bit);
}

static void collide(struct eh_hub_port *p)
{
	struct eh_hub *hub = p->hub;

	eh_sim_cancel(hub->sim, &other(p)->done);
	hub->collisions++;
	hub->silent = eh_sim_now(hub->sim) + hub->cfg->delay + (FRAGMENT + GAP) * hub->bit;
	for (int i = 0; i < 2; i++)
		back_off(&hub->port[i]);
}

static void attempt(struct eh_event *ev)
{
	struct eh_hub_port *p = eh_container_of(ev, struct eh_hub_port, attempt), *o = other(p);
	struct eh_hub *hub = p->hub;
	eh_time now = eh_sim_now(hub->sim);

	if (!hub->switched && sending(o)) {
		if (now <= o->began + hub->cfg->delay)
			collide(p);
		else /* hears it, and then the silence behind it */
			eh_sim_at(hub->sim, &p->attempt,
				  o->done.at + hub->cfg->delay + GAP * hub->bit);
		return;
	}
	if (now < hub->silent && !hub->switched) {
		eh_sim_at(hub->sim, &p->attempt, hub->silent);
		return;
	}
	p->began = now;
	eh_sim_at(hub->sim, &p->done, now + p->head->bits * hub->bit);
}

static void arrival(struct eh_event *ev)
{
	struct eh_hub_port *p = eh_container_of(ev, struct eh_hub_port, arrival);
	struct eh_hub_frame *f = p->on_its_way;

	p->on_its_way = NULL;
	p->receive(p->arg, f);
}

static void done(struct eh_event *ev)
{
	struct eh_hub_port *p = eh_container_of(ev, struct eh_hub_port, done), *o = other(p);
	struct eh_hub *hub = p->hub;
	eh_time now = eh_sim_now(hub->sim);
	struct eh_hub_frame *f = p->head;

	p->head = f->next;
	if (!p->head)
		p->tailp = &p->head;
	p->began = EH_TIME_NEVER;
	p->attempts = 0;
	p->frames++;
	hub->silent = now + GAP * hub->bit; /* the other one hears it a delay later: see attempt() */
	eh_assert(hub->sim, !o->on_its_way);
	o->on_its_way = f;
	eh_sim_at(hub->sim, &o->arrival, now + hub->cfg->delay);
	if (p->head)
		eh_sim_at(hub->sim, &p->attempt, hub->silent);
	if (p->sent)
		p->sent(p->arg, f);
}

void eh_hub_send(struct eh_hub_port *p, struct eh_hub_frame *f)
{
	f->next = NULL;
	*p->tailp = f;
	p->tailp = &f->next;
	if (p->head == f)
		eh_sim_at(p->hub->sim, &p->attempt, eh_sim_now(p->hub->sim));
}

struct eh_hub *eh_hub_new(struct eh_sim *sim, const struct eh_network_config *cfg, bool switched)
{
	struct eh_hub *hub = g_new0(struct eh_hub, 1);

	hub->sim = sim;
	hub->cfg = cfg;
	hub->switched = switched;
	hub->bit = EH_SEC / cfg->rate;
	hub->random = eh_stream_new(eh_sim_seed(sim), "hub");
	for (int i = 0; i < 2; i++) {
		struct eh_hub_port *p = &hub->port[i];

		p->hub = hub;
		p->tailp = &p->head;
		p->began = EH_TIME_NEVER;
		p->attempt.fn = attempt;
		p->done.fn = done;
		p->arrival.fn = arrival;
	}
	return hub;
}

void eh_hub_free(struct eh_hub *hub)
{
	if (!hub)
		return;
	for (int i = 0; i < 2; i++) {
		eh_sim_cancel(hub->sim, &hub->port[i].attempt);
		eh_sim_cancel(hub->sim, &hub->port[i].done);
		eh_sim_cancel(hub->sim, &hub->port[i].arrival);
	}
	gsl_rng_free(hub->random);
	g_free(hub);
}
