/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the port search does at one candidate, step by step, inline: a run visits billions of them.
 * A lockless search hands in a local copy of the core's registers, a locked one the CPU's own.
 */
#ifndef EHSIM_NET_PORT_WALK_H
#define EHSIM_NET_PORT_WALK_H

#include "inet_table.h"

struct search {
	struct eh_cpu *c;
	struct eh_host *h;
	struct eh_inet_hash *t;
	struct eh_tuple *u;
	struct eh_sock *sk;
	struct eh_timewait *tw; /* whose port sk takes over: unlinked, to be unbound */
	const struct search_cost *cost;
	struct eh_port_range range;
	uint32_t offset; /* where the pass began, from range.low; its parity is the pass's */
	uint32_t i;	 /* distance walked in this pass, as in the kernel */
	uint64_t seen;	 /* candidates of this search */
	uint32_t line;	 /* of bhash, where a locked scan stands */
};

/* Time charged since the last settling, by symbol. */
struct charges {
	eh_time loop, check, hash, resched, qs;
};

static inline uint32_t port_at(const struct search *s, uint32_t i)
{
	uint32_t at = s->offset + i;

	return s->range.low + (at >= s->range.span ? at - s->range.remaining : at);
}

static inline bool rejected_for_sure(const struct eh_port *p)
{
	return p->state == EH_PORT_TAKEN || p->state == EH_PORT_BOUND || p->state == EH_PORT_RESERVED;
}

static inline void settle(const struct search *s, struct charges *x)
{
	struct eh_cpu *c = s->c;

	c->charged[EH_SYM(__inet_hash_connect)] += x->loop;
	c->charged[s->h->sym_check] += x->check;
	c->charged[s->t->sym_port_hash] += x->hash;
	c->charged[EH_SYM(__cond_resched)] += x->resched;
	c->charged[EH_SYM(rcu_all_qs)] += x->qs;
	*x = (struct charges){0};
}

/*
 * The host's own caches: what the walk will touch some candidates later. Always inline: gcc takes a
 * function that only prefetches for one without effect, and drops its calls.
 */
eh_always_inline void prefetch(const struct search *s, uint32_t port)
{
	const struct eh_machine *m = s->c->m;
	const struct eh_port *p = &s->u->ports[port];
	const uint64_t *l2 = s->c->l2;

	if (eh_unlikely(p->before)) {
		eh_line_id front = s->u->front[port];

		__builtin_prefetch(&m->lines[front]);
		__builtin_prefetch(&l2[front & m->l2_mask], 1);
	}
	__builtin_prefetch(&m->lines[p->tb]);
	__builtin_prefetch(&m->lines[p->bucket]);
	__builtin_prefetch(&m->lines[p->sk]);
	__builtin_prefetch(&m->lines[p->sk + 1]);
	__builtin_prefetch(&l2[p->tb & m->l2_mask], 1);
	__builtin_prefetch(&l2[p->bucket & m->l2_mask], 1);
	__builtin_prefetch(&l2[p->sk & m->l2_mask], 1);
	__builtin_prefetch(&l2[(p->sk + 1) & m->l2_mask], 1);
}

eh_always_inline void prefetch_own(const struct eh_cpu *c, eh_line_id id)
{
	const struct eh_machine *m = c->m;

	__builtin_prefetch(&m->lines[id], 1);
	__builtin_prefetch(&m->transfer[id], 1);
	__builtin_prefetch(&c->l1[id & m->l1_mask], 1);
	__builtin_prefetch(&c->l2[id & m->l2_mask], 1);
}

/* Of a locked look: what follows the wait for the ehash lock. */
eh_always_inline void prefetch_check(const struct search *s, const struct eh_port *p)
{
	const struct eh_machine *m = s->c->m;
	const uint64_t *l2 = s->c->l2;

	__builtin_prefetch(&s->t->ehash_locks[p->lock], 1);
	prefetch_own(s->c, s->t->lock_lines + p->lock / LOCKS_PER_LINE);
	__builtin_prefetch(&m->lines[p->bucket]);
	__builtin_prefetch(&m->lines[p->sk]);
	__builtin_prefetch(&m->lines[p->sk + 1]);
	__builtin_prefetch(&l2[p->bucket & m->l2_mask], 1);
	__builtin_prefetch(&l2[p->sk & m->l2_mask], 1);
	__builtin_prefetch(&l2[(p->sk + 1) & m->l2_mask], 1);
}

/* Of the next one: what comes before. */
eh_always_inline void prefetch_bhash(const struct search *s, uint32_t port)
{
	const struct eh_inet_hash *t = s->t;
	const struct eh_machine *m = s->c->m;
	const struct eh_port *p = &s->u->ports[port];

	__builtin_prefetch(&t->bhash[port], 1);
	prefetch_own(s->c, t->bhash_lines + port / BIND_PER_LINE);
	__builtin_prefetch(&m->lines[p->tb]);
	__builtin_prefetch(&s->c->l2[p->tb & m->l2_mask], 1);
	__builtin_prefetch(&s->u->ports[port + 4]);
}

static inline void work(const struct search *s, struct eh_core *k, eh_time *charge, struct block b)
{
	eh_core_work(k, s->c, charge, b.instr, b.ps);
}

/* The bind bucket, whose address is known at `head`. */
eh_always_inline void read_bucket(const struct search *s, struct eh_core *k, struct charges *x,
				  const struct eh_port *p, eh_time head, struct eh_undo *undo)
{
	eh_time from = k->retire;

	eh_core_read(k, s->c, p->tb, head, true, undo);
	eh_core_enter(k, s->c);
	x->loop += k->retire - from;
}

/* The chain head, on the line of the bucket's lock; then the bind bucket. */
eh_always_inline void read_head_and_bucket(const struct search *s, struct eh_core *k,
					   struct charges *x, const struct eh_port *p,
					   uint32_t port, struct eh_undo *undo)
{
	eh_time from = k->retire;
	eh_time head = eh_core_read(k, s->c, s->t->bhash_lines + port / BIND_PER_LINE, 0, false,
				    undo);

	x->loop += k->retire - from;
	read_bucket(s, k, x, p, head, undo);
}

/* The call of the check and of the hash inside it: when the hash is known. */
eh_always_inline eh_time check_and_hash(const struct search *s, struct eh_core *k, struct charges *x)
{
	const struct search_cost *cost = s->cost;
	eh_time from = k->retire + cost->check.ps;
	eh_time ready = k->dispatch + cost->check.ps + cost->hash_latency, end;
	eh_time before = k->retire, called = eh_later(before, k->dispatch) + cost->check.ps;

	eh_core_dispatch(k, s->c, (uint32_t)(cost->check.instr + cost->hash.instr),
			 cost->check.ps + cost->hash.ps);
	end = from + cost->hash.ps;
	end = end > ready ? end : ready;
	x->check += cost->check.ps;
	x->hash += end - from;
	k->retire = end;
	if (eh_unlikely(k->account))
		eh_account_hash(k->account, before, end, called);
	return ready;
}

/* An entry in front of the match; returns when the address of the next one is known. */
static inline eh_time pass_by(const struct search *s, struct eh_core *k, eh_time *charge,
			      eh_line_id line, eh_time known)
{
	eh_time node = eh_core_load(k, s->c, charge, line + 1, known);
	eh_time hash = eh_core_load(k, s->c, charge, line, known);

	eh_core_mispredict(k, s->c, hash);
	return node;
}

/* Entries in front of the match: each is one more pair of lines, and a branch nobody predicted. */
static eh_time __attribute__((noinline)) walk_before(const struct search *s, struct eh_core *k,
						     eh_time *charge, uint32_t port, eh_time known)
{
	const eh_line_id front = s->u->front[port];
	const struct eh_sock *sk, *e;

	if (eh_likely(front)) /* one entry, known without a look at it */
		return pass_by(s, k, charge, front, known);
	sk = s->u->sk[port];
	for (e = s->t->bucket[sk->bucket]; e && e != sk; e = e->ehash_next)
		known = pass_by(s, k, charge, e->obj->line, known);
	return known;
}

/* The walk over a chain that ends at the established match. */
eh_always_inline void walk_to_match(const struct search *s, struct eh_core *k, struct charges *x,
				    const struct eh_port *p, uint32_t port, eh_time hash,
				    struct eh_undo *undo)
{
	eh_time from = k->retire;
	eh_time known = eh_core_read(k, s->c, p->bucket, hash, true, undo);

	if (eh_unlikely(p->before)) {
		struct eh_core copy = *k; /* so that *k itself never has to leave registers */
		eh_time walked = 0;

		struct eh_account *account = k->account;

		eh_core_enter(&copy, s->c);
		x->check += copy.retire - from;
		known = walk_before(s, &copy, &walked, port, known);
		x->check += walked;
		*k = copy;
		k->account = account;
		from = k->retire;
	}
	eh_core_read(k, s->c, p->sk + 1, known, true, undo);
	eh_core_read(k, s->c, p->sk, known, true, undo);
	eh_core_enter(k, s->c); /* for all since the last dispatch */
	x->check += k->retire - from;
}

/*
 * After the walk of a rejected candidate: compare, return, cond_resched, and the beginning of the
 * next candidate. Dispatched as one, retired one after the other.
 */
eh_always_inline void between_candidates(const struct search *s, struct eh_core *k,
					 struct charges *x)
{
	const struct search_cost *cost = s->cost;

	eh_time before = k->retire;

	eh_core_dispatch(k, s->c, (uint32_t)cost->between.instr, cost->between.ps);
	x->check += cost->match.ps;
	x->resched += cost->resched.ps;
	x->qs += cost->qs.ps;
	k->retire += cost->between.ps - cost->loop.ps;
	eh_core_retire(k, &x->loop, cost->loop.ps, k->dispatch);
	if (eh_unlikely(k->account))
		eh_account_instr(k->account, before, k->retire);
}

/* port_locked.c: a chain without the tuple (a look at the bucket, then whatever is in it). */
void eh_walk_chain(const struct search *s, struct charges *x, uint32_t port, eh_time hash);
/* The locked look at the candidate at s->i. False: rejected, and the search is at the next one. */
bool eh_try_locked(struct search *s, uint32_t port);
/* __inet{,6}_check_established at a port the socket has already: into ehash, or somebody is there. */
bool eh_check_established(struct search *s, uint32_t port);
/* All from there on, until one is found, an interrupt waits or the pass ends. */
bool eh_scan_locked(struct search *s);

/* look_ahead.c */
void eh_scan_lockless(struct search *s);

#endif
