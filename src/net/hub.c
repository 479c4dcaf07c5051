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

static eh_time lasts(const struct eh_hub *hub, int64_t bits)
{
	return bits * EH_SEC / hub->cfg->rate;
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
	eh_sim_at(hub->sim, &p->attempt, hub->silent + lasts(hub, (int64_t)slots * SLOT));
}

static void collide(struct eh_hub_port *p)
{
	struct eh_hub *hub = p->hub;

	eh_sim_cancel(hub->sim, &other(p)->done);
	hub->collisions++;
	hub->silent = eh_sim_now(hub->sim) + hub->cfg->delay + lasts(hub, FRAGMENT + GAP);
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
				  o->done.at + hub->cfg->delay + lasts(hub, GAP));
		return;
	}
	if (now < hub->silent && !hub->switched) {
		eh_sim_at(hub->sim, &p->attempt, hub->silent);
		return;
	}
	p->began = now;
	eh_sim_at(hub->sim, &p->done, now + lasts(hub, p->head->bits));
}

/* All of a port's travel equally long, so that they come in order. */
static void travel(struct eh_hub_port *to, struct eh_hub_frame *f, eh_time arrives)
{
	f->next = NULL;
	f->arrives = arrives;
	if (to->on_its_way) {
		to->last_on_its_way->next = f;
	} else {
		to->on_its_way = f;
		eh_sim_at(to->hub->sim, &to->arrival, arrives);
	}
	to->last_on_its_way = f;
}

static void arrival(struct eh_event *ev)
{
	struct eh_hub_port *p = eh_container_of(ev, struct eh_hub_port, arrival);
	struct eh_hub_frame *f = p->on_its_way;

	p->on_its_way = f->next;
	if (f->next)
		eh_sim_at(p->hub->sim, &p->arrival, f->next->arrives);
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
	hub->silent = now + lasts(hub, GAP); /* the other one hears it a delay later: see attempt() */
	travel(o, f, now + hub->cfg->delay);
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
