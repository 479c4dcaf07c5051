/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The walk of a fast stretch: over the bitmap of open ports, with a clock that costs drawn for
 * blocks of candidates make. The CPU sleeps until its clock is at the next open port; where that has
 * been taken meanwhile it goes on. A port that is opened lies in front of many searches, and the
 * first that comes by mostly takes it: so the port itself waits for the first, then for the next,
 * until it is taken (struct watch), and all others sleep on.
 */
#include "sampler.h"

#include <string.h>

#define PORTS 65536
#define BLOCKS (PORTS / 2 / EH_SAMPLE_BLOCK)

struct eh_fast {
	struct eh_cpu *c;
	const struct eh_tuple *u;
	uint32_t parity; /* of the ports */
	uint32_t n;	 /* candidates to the end of the pass */
	uint32_t before, from, then; /* of them up to the end of the range; words of port / 2 where these
					begin, and those behind the wrap */
	uint32_t target;	     /* candidate it waits for: open, or where it was stopped, or n */
	bool stopped;
	uint32_t scan;		   /* number of the present one */
	uint32_t blocks;	   /* drawn */
	eh_time clock[BLOCKS + 2]; /* before each block */
};

/* A port that has been opened in front of searches. */
struct eh_watch {
	struct eh_event ev; /* somebody comes by */
	struct eh_inet_hash *t;
	struct eh_watch *next, *all; /* spare ones; all there are */
	uint16_t port;
};

/* The next open port of one parity in [from, to) of port / 2; `to` if there is none. */
static uint32_t next_open(const struct eh_tuple *u, uint32_t parity, uint32_t from, uint32_t to)
{
	const uint64_t *open = u->open[parity];

	while (from < to) {
		uint64_t bits = open[from / 64] >> from % 64;

		if (bits)
			return MIN(from + (uint32_t)__builtin_ctzll(bits), to);
		from = (from | 63) + 1;
	}
	return to;
}

/* The next candidate, from the j-th on, that is open; n if there is none. */
static uint32_t next_target(const struct search *s, const struct eh_fast *f, uint32_t j)
{
	if (s->t->look_ahead == 1) /* each one, for tests */
		return MIN(j, f->n);
	if (j < f->before) {
		j = next_open(s->u, f->parity, f->from + j, f->from + f->before) - f->from;
		if (j < f->before)
			return j;
	}
	return next_open(s->u, f->parity, f->then + (j - f->before), f->then + (f->n - f->before)) -
	       f->then + f->before;
}

/* Which candidate the port is; n: none. */
static uint32_t candidate(const struct eh_fast *f, uint16_t port)
{
	uint32_t at = port / 2;

	if (f->parity != (port & 1))
		return f->n;
	if (at >= f->from && at - f->from < f->before)
		return at - f->from;
	if (at >= f->then && at - f->then < f->n - f->before)
		return at - f->then + f->before;
	return f->n;
}

static eh_time time_at(const struct eh_fast *f, uint32_t j)
{
	uint32_t b = j / EH_SAMPLE_BLOCK, in = j % EH_SAMPLE_BLOCK;

	if (!in)
		return f->clock[b];
	return f->clock[b] + (f->clock[b + 1] - f->clock[b]) * in / EH_SAMPLE_BLOCK;
}

/* The first candidate whose time is not before `now`; at most the target. */
static uint32_t position(const struct eh_fast *f, eh_time now)
{
	uint32_t lo = 0, hi = f->target;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (time_at(f, mid) < now)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void wait_for(struct eh_fast *f, uint32_t j)
{
	f->target = j;
	eh_sim_at(f->c->sim, &f->c->ev, time_at(f, j));
}

static void stop(struct eh_cpu *c)
{
	struct eh_fast *f = c->kick_arg;
	uint32_t at = position(f, eh_sim_now(c->sim));

	f->stopped = true;
	if (at < f->target)
		wait_for(f, at);
}

void eh_fast_stop(struct eh_inet_hash *t)
{
	for (int i = 0; i < t->nfast; i++)
		stop(t->fast[i]->c);
}

static bool is_open(const struct eh_tuple *u, uint16_t port)
{
	return u->open[port & 1][port / 128] >> port / 2 % 64 & 1;
}

/* Of the searches that do not stop before the port, and may take it: the first that comes to it. */
static struct eh_fast *first_to_come(const struct eh_inet_hash *t, uint16_t port, eh_time from,
				     eh_time *when)
{
	struct eh_fast *first = NULL;

	for (int i = 0; i < t->nfast; i++) {
		struct eh_fast *f = t->fast[i];
		uint32_t j = candidate(f, port);
		eh_time at;

		if (j >= f->target || !is_open(f->u, port))
			continue;
		at = time_at(f, j);
		if (at >= from && (!first || at < *when)) {
			first = f;
			*when = at;
		}
	}
	return first;
}

static void watch_next(struct eh_watch *w, eh_time from)
{
	struct eh_inet_hash *t = w->t;
	eh_time when;

	if (first_to_come(t, w->port, from, &when)) {
		eh_sim_at(t->host->sim, &w->ev, when);
	} else {
		t->watched[w->port] = 0;
		w->next = t->watches;
		t->watches = w;
	}
}

/* Somebody's clock is at the port, unless it has been stopped since. */
static void come_by(struct eh_event *ev)
{
	struct eh_watch *w = eh_container_of(ev, struct eh_watch, ev);
	eh_time now = eh_sim_now(w->t->host->sim), when;
	struct eh_fast *f;

	while ((f = first_to_come(w->t, w->port, now, &when)) && when == now)
		wait_for(f, candidate(f, w->port));
	watch_next(w, now);
}

void eh_fast_port(struct eh_inet_hash *t, uint16_t port)
{
	struct eh_watch *w = t->watches;

	if (t->watched[port])
		return;
	if (w) {
		t->watches = w->next;
	} else {
		w = g_new0(struct eh_watch, 1);
		w->t = t;
		w->ev.fn = come_by;
		w->all = t->all_watches;
		t->all_watches = w;
	}
	w->port = port;
	t->watched[port] = 1;
	watch_next(w, eh_sim_now(t->host->sim) + 1);
}

void eh_watches_free(struct eh_inet_hash *t)
{
	struct eh_watch *next;

	for (struct eh_watch *w = t->all_watches; w; w = next) {
		next = w->all;
		eh_sim_cancel(t->host->sim, &w->ev);
		g_free(w);
	}
}

static void draw_up_to(const struct search *s, struct eh_fast *f, uint32_t j)
{
	while (f->blocks * EH_SAMPLE_BLOCK < j) {
		f->clock[f->blocks + 1] = f->clock[f->blocks] +
					  eh_sample_draw(s->t->sampler, s->c, f->scan, f->blocks);
		f->blocks++;
	}
}

static struct eh_fast *fast_of(struct eh_inet_hash *t, const struct eh_cpu *c)
{
	if (!t->fast_of_cpu[c->id])
		t->fast_of_cpu[c->id] = g_new0(struct eh_fast, 1);
	return t->fast_of_cpu[c->id];
}

/* Of n candidates from s->i on, those that are looked at. */
static uint32_t looked_at(const struct search *s, uint32_t n)
{
	uint32_t reserved = 0;

	for (uint32_t j = 0; s->t->nreserved && j < n; j++)
		reserved += s->t->reserved[port_at(s, s->i + 2 * j)];
	return n - reserved;
}

/* Sleeps from candidate to candidate, up to one that is open, or where it is stopped. */
static void walk(struct search *s, struct eh_fast *f)
{
	struct eh_inet_hash *t = s->t;

	t->fast[t->nfast++] = f;
	s->c->kick_arg = f;
	s->c->kick = stop;
	for (;;) {
		eh_cpu_sync(s->c, time_at(f, f->target));
		if (f->stopped || f->target == f->n ||
		    !rejected_for_sure(&s->u->ports[port_at(s, s->i + 2 * f->target)]))
			break;
		f->target = next_target(s, f, f->target + 1);
		draw_up_to(s, f, f->target);
	}
	s->c->kick = NULL;
	for (int i = 0; i < t->nfast; i++)
		if (t->fast[i] == f)
			t->fast[i--] = t->fast[--t->nfast];
}

void eh_scan_fast(struct search *s)
{
	struct eh_fast *f = fast_of(s->t, s->c);
	uint32_t at = s->offset + s->i, seen;
	eh_time from = s->c->retire, time;

	f->c = s->c;
	f->u = s->u;
	f->parity = port_at(s, s->i) & 1;
	f->n = (s->range.remaining - s->i + 1) / 2;
	f->before = at < s->range.span ? MIN((s->range.span - at + 1) / 2, f->n) : 0;
	f->from = port_at(s, s->i) / 2;
	f->then = port_at(s, s->i + 2 * f->before) / 2;
	f->stopped = false;
	f->blocks = 0;
	f->scan++;
	f->clock[0] = from;
	f->target = next_target(s, f, 1); /* the first one was rejected at this instant */
	draw_up_to(s, f, f->target);
	walk(s, f);
	seen = looked_at(s, f->target);
	time = time_at(f, f->target) - from;
	eh_core_empty(&s->c->core, s->c, from + time);
	eh_sample_charge(s->t->sampler, s->c, seen, time);
	s->t->stats.candidates += seen;
	s->seen += seen;
	s->i += 2 * f->target;
}

void eh_fast_free(struct eh_fast *f)
{
	g_free(f);
}
