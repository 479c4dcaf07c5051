/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who gets a line next.
 *
 * A line that nobody waits for goes to whoever asks (eh_line_own), at most one request ahead of its
 * owner's operation: that far it is all arithmetic. From the second waiter on, and as long as
 * somebody spins on its own copy, the line has a struct eh_demand: a list of requests at its home,
 * served one at a time when the owner is done (transfer.until). The CPU behind a request is parked;
 * a store leaves through the store buffer and parks nobody.
 *
 * Choice: the line goes round the socket it is in. Everybody there when it came has a place at the
 * gate; among them the nearest to the present owner is next. When the gate is empty the line leaves
 * for the nearest socket it has not been to in this round, and who waits there now has a place at
 * its gate. So a hand-over is mostly a short one, and nobody waits for more than two rounds.
 */
#include "line.h"

#include <glib.h>

#define BUCKETS 1024

struct eh_demand {
	struct eh_event ev; /* the home looks at the queue */
	struct eh_machine *m;
	struct eh_demand *next; /* in its bucket, or spare */
	struct eh_request *first, **tailp;
	struct eh_request *spinning, **spintail;
	uint8_t visited; /* sockets of this round */
	eh_line_id id;
};

struct eh_demand **eh_demand_new(void)
{
	return g_new0(struct eh_demand *, BUCKETS);
}

void eh_demand_free(struct eh_machine *m)
{
	for (int i = 0; i < BUCKETS; i++)
		for (struct eh_demand *d = m->demand[i]; d; d = d->next)
			eh_sim_cancel(m->sim, &d->ev);
	g_free(m->demand); /* the rest is kept by the machine */
}

/* To the copies others may hold of a clean line. */
static eh_time invalidate(const struct eh_cpu *c, const struct eh_line *l)
{
	if (l->state & EH_LINE_SOLE && l->owner == c->id)
		return 0;
	if (l->readers & (uint8_t)~c->m->group_bits[c->die])
		return c->m->invalidate_far;
	if (l->readers & (uint8_t)~c->m->socket_bit[c->die])
		return c->m->invalidate_other;
	return l->readers ? c->m->invalidate_near : 0;
}

/* How long a transfer that is asked for at `at` waits for those before it at the same home. */
eh_time eh_line_queue_at_home(const struct eh_cpu *c, const struct eh_line *l, eh_time at)
{
	struct eh_machine *m = c->m;
	eh_time now = eh_sim_now(m->sim), *busy = &m->home_busy[l->home];
	eh_time wait = *busy > at ? *busy - at : 0, service = m->home_service;
	uint8_t here = m->socket_bit[c->die];

	if (m->link_service &&
	    (here != m->socket_bit[m->die_of[l->owner]] || here != m->socket_bit[l->home]))
		service += m->link_service;
	*busy = eh_later(*busy, now) + service; /* whoever asks ahead of the clock blocks nobody */
	if (eh_unlikely(c->core.account))
		c->core.account->at_home = wait;
	return wait;
}

/* A lone transfer of the line to c, as things are. */
static eh_time whole_way(const struct eh_cpu *c, eh_line_id id)
{
	const struct eh_line *l = &c->m->lines[id];
	eh_time latency;

	if (l->state & EH_LINE_DIRTY)
		return l->owner == c->id ? 0 : eh_line_transfer_from(c, l->owner, l->home);
	latency = eh_set_match(c->l2[id & c->m->l2_mask], l->tag, 0xffff) ? 0 :
							  eh_line_clean(c, l);
	return MAX(latency, invalidate(c, l));
}

static eh_time way_of_request(const struct eh_machine *m, eh_time way)
{
	return way * m->cfg->latency.request_percent / 100;
}

/* What is left of the way once the request has arrived. Siblings share the cache: no home between. */
static eh_time way_of_data(const struct eh_cpu *c, const struct eh_line *l, eh_time way)
{
	bool siblings = l->owner != EH_NO_CPU && eh_cpu_siblings(c, l->owner);

	return siblings ? way : way - way_of_request(c->m, way);
}

/* The writer's report that it has the line; siblings have no home between them. */
static eh_time way_of_done(const struct eh_cpu *c, const struct eh_line *l, eh_time way)
{
	if (eh_likely(!c->m->home_blocks) || (l->owner != EH_NO_CPU && eh_cpu_siblings(c, l->owner)))
		return 0;
	return way_of_request(c->m, way);
}

static struct eh_demand *demand_find(const struct eh_machine *m, eh_line_id id)
{
	struct eh_demand *d = m->demand[id % BUCKETS];

	while (d && d->id != id)
		d = d->next;
	return d;
}

/* When the home has something to decide: the line is free, and somebody's request has arrived. */
static void look_again(struct eh_demand *d)
{
	const struct eh_machine *m = d->m;
	eh_time at = EH_TIME_NEVER;

	for (const struct eh_request *r = d->first; r; r = r->next)
		at = MIN(at, r->arrives);
	if (at == EH_TIME_NEVER)
		return;
	at = MAX(at, MAX(m->transfer[d->id].until, eh_sim_now(m->sim)));
	if (!eh_event_pending(&d->ev) || d->ev.at != at)
		eh_sim_at(m->sim, &d->ev, at);
}

static void make(struct eh_request *r, eh_line_id id, eh_time at)
{
	r->way = whole_way(r->c, id);
	r->made = at;
	r->arrives = at + way_of_request(r->c->m, r->way);
	r->gated = false;
}

/* Everybody who spins on a copy has lost it: each of them asks for the line again. */
static void lose_copies(struct eh_demand *d, eh_time when)
{
	for (struct eh_request *r = d->spinning; r; r = r->next)
		make(r, d->id, when);
	*d->tailp = d->spinning;
	d->tailp = d->spintail;
	d->spinning = NULL;
	d->spintail = &d->spinning;
	look_again(d);
}

/* op: what the owner does with it before it can be handed on. */
eh_always_inline void taken_by(struct eh_cpu *c, struct eh_line *l, eh_line_id id, eh_time from,
			       eh_time there, eh_time op)
{
	struct eh_machine *m = c->m;

	eh_line_new_version(m, l);
	l->owner = c->id;
	l->state = EH_LINE_DIRTY | EH_LINE_CACHED | (l->state & EH_LINE_DEMAND);
	l->readers = 0;
	eh_line_hold(m, &c->l2[id & m->l2_mask], l);
	m->transfer[id] = (struct eh_transfer){from, there + MAX(op, m->residency)};
	if (eh_unlikely(l->state & EH_LINE_DEMAND)) {
		struct eh_demand *d = demand_find(m, id);

		if (d->spinning)
			lose_copies(d, there);
	}
}

/* A read that finds another CPU's data, a write that takes the line or copies of it away. */
static void count(struct eh_cpu *c, const struct eh_line *l, eh_line_id id, bool write,
		  eh_time waited)
{
	if ((l->owner == EH_NO_CPU && !l->readers) || (l->state & EH_LINE_SOLE && l->owner == c->id))
		return; /* from memory, or nobody else's */
	c->transfers++;
	if (eh_unlikely(c->m->c2c != NULL))
		eh_c2c_count(c, id, l->owner, write, waited);
}

eh_time eh_line_own(struct eh_cpu *c, eh_line_id id, eh_time *start)
{
	struct eh_machine *m = c->m;
	struct eh_line *l = &m->lines[id];
	struct eh_transfer *t = &m->transfer[id];
	eh_time latency, from = *start;

	c->l1[id & m->l1_mask] = id;
	if (eh_unlikely(c->core.account))
		eh_account_take(c->core.account, c, l);
	if (l->owner == c->id && (l->state & EH_LINE_DIRTY)) {
		uint64_t *set = &c->l2[id & m->l2_mask];

		latency = eh_set_match(*set, l->tag, 0xffff) ? 0 : c->copy[eh_line_kept_at(c, l)];
		eh_line_hold(m, set, l); /* it may have been displaced to the L3 */
		if (!(l->state & EH_LINE_DEMAND)) /* else it goes when it is due */
			t->until = MAX(t->until, *start + latency + m->locked_op);
		return latency;
	}
	if (eh_likely(l->state & EH_LINE_DIRTY)) {
		latency = eh_line_transfer_from(c, l->owner, l->home);
		*start += eh_line_queue_at_home(c, l, *start);
	} else {
		latency = whole_way(c, id);
	}
	/* The request is under way while the owner works. */
	*start = MAX(*start, t->until - (latency - way_of_data(c, l, latency)));
	if (latency > 0)
		count(c, l, id, true, *start + latency - from);
	taken_by(c, l, id, *start, *start + latency,
		 MAX(m->locked_op, way_of_done(c, l, latency)));
	return latency;
}

/* --- the queue --- */

static struct eh_request **nearest(struct eh_demand *d, bool gated, uint8_t not_in_sockets)
{
	const struct eh_machine *m = d->m;
	const struct eh_line *l = &m->lines[d->id];
	struct eh_request **best = NULL;
	eh_time way, shortest = EH_TIME_NEVER, now = eh_sim_now(m->sim);

	for (struct eh_request **p = &d->first; *p; p = &(*p)->next) {
		const struct eh_cpu *c = (*p)->c;

		if ((*p)->arrives > now || (gated && !(*p)->gated) ||
		    m->socket_bit[c->die] & not_in_sockets)
			continue;
		way = l->owner == EH_NO_CPU || l->owner == c->id ?
			      0 : eh_line_transfer_from(c, l->owner, l->home);
		if (way < shortest) {
			shortest = way;
			best = p;
		}
	}
	return best;
}

static void open_gate(struct eh_demand *d, const struct eh_cpu *to)
{
	const struct eh_machine *m = d->m;
	eh_time now = eh_sim_now(m->sim);

	for (struct eh_request *r = d->first; r; r = r->next)
		r->gated = r->arrives <= now && m->socket_bit[r->c->die] == m->socket_bit[to->die];
}

static struct eh_request **in_its_round(struct eh_demand *d)
{
	struct eh_request **p = nearest(d, true, 0);

	if (!p) {
		p = nearest(d, false, d->visited);
		if (!p) {
			p = nearest(d, false, 0);
			d->visited = 0;
		}
		if (!p)
			return NULL;
		d->visited |= d->m->socket_bit[(*p)->c->die];
		open_gate(d, (*p)->c);
	}
	return p;
}

static struct eh_request *choose(struct eh_demand *d)
{
	struct eh_request **p = in_its_round(d), *r;

	if (!p)
		return NULL;
	r = *p;
	*p = r->next;
	if (!*p)
		d->tailp = p;
	return r;
}

static void grant_write(struct eh_demand *d, struct eh_request *r)
{
	struct eh_machine *m = d->m;
	struct eh_line *l = &m->lines[d->id];
	struct eh_cpu *c = r->c;
	eh_time now = eh_sim_now(m->sim), way = whole_way(c, d->id);

	r->latency = way_of_data(c, l, way);
	if (eh_unlikely(c->core.account))
		eh_account_take(c->core.account, c, l);
	if (way && l->state & EH_LINE_DIRTY)
		r->latency += eh_line_queue_at_home(c, l, now);
	if (way > 0)
		count(c, l, d->id, true, now + r->latency - r->made);
	c->l1[d->id & m->l1_mask] = d->id;
	taken_by(c, l, d->id, now, now + r->latency,
		 MAX(r->kind == EH_STORE ? 0 : m->locked_op, way_of_done(c, l, way)));
	if (eh_unlikely(c->core.account)) {
		c->core.account->granted = true;
		if (r->kind == EH_STORE)
			eh_account_store(c->core.account, r->latency - c->core.account->at_home);
	}
	if (r->kind == EH_OWN) {
		eh_sim_at(m->sim, &c->ev, now);
		return;
	}
	*r->word = r->value;
	r->pending = false;
	c->drain = MAX(c->drain, now + r->latency);
	if (r->awaited)
		eh_sim_at(m->sim, &c->ev, now);
}

static void take_copy(const struct eh_demand *d, struct eh_request *r, eh_time latency)
{
	struct eh_machine *m = d->m;
	struct eh_cpu *c = r->c;

	r->latency = latency;
	r->value = *r->word;
	c->l1[d->id & m->l1_mask] = d->id;
	eh_line_hold(m, &c->l2[d->id & m->l2_mask], &m->lines[d->id]);
	eh_sim_at(m->sim, &c->ev, eh_sim_now(m->sim) + latency);
}

/* What one thread of a core fetches is there for the others that asked for it. */
static void share_copy(struct eh_demand *d, const struct eh_request *r)
{
	struct eh_request **p = &d->first, *other;

	while ((other = *p)) {
		if (other->kind == EH_READ && eh_cpu_siblings(r->c, other->c->id)) {
			*p = other->next;
			take_copy(d, other, r->latency);
		} else {
			p = &other->next;
		}
	}
	d->tailp = p;
}

static void grant_read(struct eh_demand *d, struct eh_request *r)
{
	struct eh_machine *m = d->m;
	struct eh_line *l = &m->lines[d->id];
	struct eh_cpu *c = r->c;
	eh_time now = eh_sim_now(m->sim);

	/* From the writer, like all that were made when it wrote: no copy is nearer any sooner. */
	r->latency = way_of_data(c, l, r->way);
	if (l->state & EH_LINE_DIRTY)
		r->latency += eh_line_queue_at_home(c, l, now);
	count(c, l, d->id, false, now + r->latency - r->made);
	if (l->state & EH_LINE_DIRTY && l->owner != EH_NO_CPU)
		l->readers |= m->socket_bit[m->die_of[l->owner]];
	l->readers |= m->socket_bit[c->die];
	l->state = EH_LINE_CACHED | EH_LINE_DEMAND;
	m->transfer[d->id] = (struct eh_transfer){now, now + m->reread};
	take_copy(d, r, r->latency);
	if (m->cfg->threads_per_core > 1)
		share_copy(d, r);
}

static void release(struct eh_demand *d)
{
	struct eh_machine *m = d->m;
	struct eh_demand **p = &m->demand[d->id % BUCKETS];

	while (*p != d)
		p = &(*p)->next;
	*p = d->next;
	m->lines[d->id].state &= (uint8_t)~EH_LINE_DEMAND;
	d->next = m->spare_demand;
	m->spare_demand = d;
}

static void serve(struct eh_event *ev)
{
	struct eh_demand *d = eh_container_of(ev, struct eh_demand, ev);
	struct eh_request *r = NULL;

	if (d->m->transfer[d->id].until <= eh_sim_now(d->m->sim))
		r = choose(d);
	if (r && r->kind == EH_READ)
		grant_read(d, r);
	else if (r)
		grant_write(d, r);
	if (d->first)
		look_again(d);
	else if (!d->spinning)
		release(d);
}

static struct eh_demand *demand_get(struct eh_machine *m, eh_line_id id)
{
	struct eh_demand *d = demand_find(m, id);

	if (d)
		return d;
	d = m->spare_demand;
	if (d)
		m->spare_demand = d->next;
	else
		g_ptr_array_add(m->kept, d = g_new0(struct eh_demand, 1));
	*d = (struct eh_demand){.ev.fn = serve, .m = m, .id = id, .next = m->demand[id % BUCKETS]};
	d->tailp = &d->first;
	d->spintail = &d->spinning;
	m->demand[id % BUCKETS] = d;
	m->lines[id].state |= EH_LINE_DEMAND;
	return d;
}

void eh_line_request(struct eh_request *r, eh_line_id id, eh_time at)
{
	struct eh_demand *d = demand_get(r->c->m, id);

	make(r, id, at);
	r->next = NULL;
	*d->tailp = r;
	d->tailp = &r->next;
	look_again(d);
}

void eh_line_spin(struct eh_request *r, eh_line_id id)
{
	struct eh_demand *d = demand_get(r->c->m, id);

	r->next = NULL;
	*d->spintail = r;
	d->spintail = &r->next;
}

bool eh_line_must_wait(const struct eh_cpu *c, eh_line_id id)
{
	const struct eh_machine *m = c->m;
	const struct eh_line *l = &m->lines[id];
	const struct eh_demand *d = demand_find(m, id);
	eh_time now = eh_sim_now(m->sim);

	if (l->owner == c->id && l->state & EH_LINE_DIRTY)
		return d && d->first && d->ev.at <= now; /* it is on its way to somebody */
	/* A core that keeps the line for a while is not passed by: its own operations go on. */
	return (m->residency ? m->transfer[id].until : m->transfer[id].from) > now || (d && d->first);
}

eh_time eh_line_ask(struct eh_cpu *c, eh_line_id id, eh_time *start)
{
	struct eh_machine *m = c->m;
	struct eh_request r = {.c = c, .kind = EH_OWN};

	if (!eh_line_must_wait(c, id))
		return eh_line_own(c, id, start);
	eh_line_request(&r, id, *start);
	eh_sim_park(m->sim);
	*start = eh_sim_now(m->sim);
	return r.latency;
}
