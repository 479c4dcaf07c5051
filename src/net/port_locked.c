/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The look at a candidate port under the lock of its bind bucket and that of its chain. Both locked
 * operations are in global order; only the loads beneath them run on. Between the two, and from the
 * second to the next candidate, whatever waits for no memory is dispatched as one block and retires
 * one after the other: the reorder window is looked at three times per candidate.
 */
#include "port_walk.h"

#include <ehsim/tcp.h>

#define PERTURB_SPREAD 8

void eh_walk_chain(const struct search *s, struct charges *x, uint32_t port, eh_time hash)
{
	const struct eh_sock *sk = s->sk;
	struct eh_core *k = &s->c->core;
	uint32_t bucket = eh_ehashfn(s->t, sk->laddr, (uint16_t)port, sk->raddr, sk->rport) &
			  s->t->bucket_mask;
	eh_time known = eh_core_load(k, s->c, &x->check, s->u->ports[port].bucket, hash);

	for (const struct eh_sock *e = s->t->bucket[bucket]; e; e = e->ehash_next) {
		eh_time node = eh_core_load(k, s->c, &x->check, e->obj->line + 1, known);

		eh_core_load(k, s->c, &x->check, e->obj->line, known);
		work(s, k, &x->check, s->cost->match);
		known = node;
	}
	eh_core_mispredict(k, s->c, known);
}

/* Whoever runs while this CPU gives way sees accounts that hold what is not charged yet. */
eh_always_inline void not_settled(const struct search *s, const struct eh_core *k,
				  const struct charges *x)
{
	if (eh_unlikely(k->account))
		s->c->accounts->early = x->loop + x->check + x->hash + x->resched + x->qs;
}

eh_always_inline void settle_all(const struct search *s, const struct eh_core *k, struct charges *x)
{
	settle(s, x);
	if (eh_unlikely(k->account))
		s->c->accounts->early = 0;
}

/* __inet{,6}_check_established up to its locked operation (of `sym`); returns when the hash is known. */
eh_always_inline eh_time call_check(const struct search *s, struct eh_core *k, struct charges *x,
				    int sym)
{
	const struct search_cost *cost = s->cost;
	eh_time known = k->dispatch + cost->check.ps + cost->hash_latency, from;
	eh_time before = k->retire, called = eh_later(before, k->dispatch) + cost->check.ps;

	eh_core_dispatch(k, s->c, (uint32_t)cost->to_ehash_lock.instr, cost->to_ehash_lock.ps);
	from = k->retire + cost->check.ps;
	k->retire = eh_later(from + cost->hash.ps, known);
	x->check += cost->check.ps;
	x->hash += k->retire - from;
	if (eh_unlikely(k->account))
		eh_account_hash(k->account, before, k->retire, called);
	k->retire += cost->lock.ps;
	s->c->charged[sym] += cost->lock.ps;
	if (eh_unlikely(k->account))
		k->account->time[EH_WHY_INSTR] += cost->lock.ps;
	return known;
}

/*
 * The ehash lock is held, and no lockless look has settled it: if the tuple is not in the chain, or
 * waits there in TIME_WAIT and may be followed, sk goes in.
 */
static bool check_unique(struct search *s, struct eh_spinlock *lock, uint32_t port, eh_time hash)
{
	struct eh_sock *old = s->u->sk[port];
	struct charges x = {0};

	eh_walk_chain(s, &x, port, hash);
	settle(s, &x);
	if (old && !eh_twsk_unique(s->c, s->sk, old)) {
		eh_spin_unlock(s->c, lock, s->h->sym_check, s->cost->unlock.instr);
		return false;
	}
	s->sk->lport = (uint16_t)port;
	s->sk->tuple = s->u;
	eh_ehash_insert_locked(s->c, s->sk, s->h->sym_check);
	if (old)
		s->tw = eh_twsk_unhash(s->c, old, s->h->sym_check);
	eh_spin_unlock(s->c, lock, s->h->sym_check, s->cost->unlock.instr);
	return true;
}

/* The search found its port: epilogue under the bhash lock. */
static void take_port(struct search *s, uint32_t port, struct eh_bind_bucket *tb)
{
	struct eh_inet_hash *t = s->t;
	struct eh_cpu *c = s->c;
	uint32_t spread = (uint32_t)eh_stream_below(s->h->random, PERTURB_SPREAD) * s->range.step;

	if (t->on.bhash2)
		work(s, &c->core, &c->charged[EH_SYM(_raw_spin_lock)], s->cost->lock);
	eh_bhash2_lock(c, t, s->sk->laddr, (uint16_t)port);
	if (!tb)
		tb = eh_bind_bucket_create(c, t, (uint16_t)port);
	eh_load(c, EH_SYM(__inet_hash_connect), s->u->perturb_line, 0);
	eh_store(c, EH_SYM(__inet_hash_connect), s->u->perturb_line);
	s->u->perturb += MAX(s->i, spread) + s->range.step;
	s->sk->lport = (uint16_t)port;
	s->sk->tuple = s->u;
	eh_bind_hash(c, s->sk, tb);
	if (!s->sk->hashed) {
		struct eh_spinlock *lock = &t->ehash_locks[s->u->ports[port].lock];

		eh_spin_lock(c, lock, &s->h->ehash_lock, EH_SYM(_raw_spin_lock));
		eh_ehash_insert_locked(c, s->sk, EH_SYM(inet_ehash_insert));
		eh_spin_unlock(c, lock, EH_SYM(inet_ehash_insert), s->cost->unlock.instr);
	}
	if (s->tw)
		eh_bind_bucket_put(c, t, &s->tw->sk);
	eh_sim_mix(c->sim, (uint64_t)port << 32 | c->id);
	eh_bhash2_unlock(c, t, s->sk->laddr, (uint16_t)port, EH_SYM(__inet_hash_connect));
}

/*
 * The match is found and both locks are held: from the comparison to the next candidate. Dispatched
 * as one, retired one after the other.
 */
eh_always_inline void reject_locked(struct search *s, struct eh_core *k, struct charges *x,
				    struct eh_spinlock *ehash, struct eh_spinlock *bhash)
{
	const struct search_cost *cost = s->cost;

	eh_time retire = 2 * cost->unlock.ps + cost->unlock_bh.ps + cost->between.ps;

	eh_core_dispatch(k, s->c, (uint32_t)cost->to_next.instr, cost->to_next.ps);
	not_settled(s, k, x);
	k->retire += cost->match.ps + cost->unlock.ps;
	eh_core_spin_unlock(k, s->c, ehash);
	k->retire += cost->unlock.ps;
	eh_core_spin_unlock(k, s->c, bhash);
	k->retire += cost->unlock_bh.ps + cost->between.ps - cost->match.ps;
	x->check += cost->match.ps + cost->unlock.ps;
	x->loop += cost->unlock.ps + cost->loop.ps;
	x->resched += cost->resched.ps;
	x->qs += cost->qs.ps;
	s->c->charged[EH_SYM(__local_bh_enable_ip)] += cost->unlock_bh.ps;
	if (eh_unlikely(k->account))
		k->account->time[EH_WHY_INSTR] += retire;
	s->c->bh_off--; /* no softirq was raised meanwhile: an interrupt has to be taken for that */
}

/* The match is found under one lock: as above. `charge` has that lock's unlock. */
eh_always_inline void reject_under_one(struct search *s, struct eh_core *k, struct charges *x,
				       struct eh_spinlock *lock, eh_time *charge)
{
	const struct search_cost *cost = s->cost;

	not_settled(s, k, x);
	eh_core_dispatch(k, s->c, (uint32_t)cost->to_next_one.instr, cost->to_next_one.ps);
	if (eh_unlikely(k->account))
		k->account->time[EH_WHY_INSTR] += cost->unlock.ps + cost->unlock_bh.ps + cost->between.ps;
	k->retire += cost->match.ps + cost->unlock.ps;
	eh_core_spin_unlock(k, s->c, lock);
	k->retire += cost->unlock_bh.ps + cost->between.ps - cost->match.ps;
	*charge += cost->unlock.ps;
	x->check += cost->match.ps;
	x->loop += cost->loop.ps;
	x->resched += cost->resched.ps;
	x->qs += cost->qs.ps;
	s->c->charged[EH_SYM(__local_bh_enable_ip)] += cost->unlock_bh.ps;
	s->c->bh_off--;
}

static void next_candidate(struct search *s, struct eh_core *k)
{
	struct charges x = {0};

	between_candidates(s, k, &x);
	settle(s, &x);
	s->i += s->range.step;
}

/* What is not rejected because of a match: the epilogue, with the bhash lock held. */
static __attribute__((noinline)) bool finish_locked(struct search *s, uint32_t port, bool mine)
{
	struct eh_cpu *c = s->c;

	if (mine)
		take_port(s, port, s->t->tb[port]);
	eh_spin_unlock(c, &s->t->bhash[port], EH_SYM(__inet_hash_connect), s->cost->unlock.instr);
	work(s, &c->core, &c->charged[EH_SYM(__local_bh_enable_ip)], s->cost->unlock_bh);
	eh_local_bh_enable(c);
	if (!mine)
		next_candidate(s, &c->core);
	return mine;
}

/*
 * The look at one candidate under the bhash lock: S0 always, S1 when the lockless walk said maybe.
 * False: it was rejected, and the search stands before the next one. k: the core's registers, put
 * back where others look at them. rcu: the chain is first looked at without the ehash lock.
 */
eh_always_inline bool try_locked(struct search *s, struct eh_core *k, uint32_t port, bool ahead,
				 bool rcu)
{
	struct eh_cpu *c = s->c;
	const struct search_cost *cost = s->cost;
	const struct eh_port *p = &s->u->ports[port];
	struct eh_spinlock *bhash = &s->t->bhash[port], *ehash = &s->t->ehash_locks[p->lock];
	struct charges x = {0};
	eh_time before = k->retire, hash;
	struct eh_rmw r;
	bool mine;

	eh_local_bh_disable(c);
	eh_core_dispatch(k, c, (uint32_t)cost->to_bhash_lock.instr, cost->to_bhash_lock.ps);
	eh_core_retire(k, &c->charged[EH_SYM(_raw_spin_lock_bh)], cost->lock_bh.ps, k->dispatch);
	if (eh_unlikely(k->account))
		eh_account_instr(k->account, before, k->retire);
	if (eh_likely(ahead && eh_spin_is_free(bhash, k->retire) &&
		      !eh_line_in_demand(c->m, bhash->line)))
		r = eh_core_spin_lock_ahead(k, c, bhash, &s->h->bhash_lock,
					    EH_SYM(_raw_spin_lock_bh));
	else
		r = eh_core_spin_lock_bare(k, c, bhash, &s->h->bhash_lock,
					   EH_SYM(_raw_spin_lock_bh));
	if (eh_unlikely(p->state == EH_PORT_FREE)) {
		eh_core_enter(k, c);
		eh_core_mispredict(k, c, r.done);
		mine = true;
	} else {
		/* The chain head is on the lock's line. Its load waits for neither the lock nor the
		   locked operation before it: it is there one transfer after its dispatch. */
		read_bucket(s, k, &x, p, MIN(r.done, k->dispatch + r.latency + c->m->l1_hit),
			    NULL);
		mine = false;
	}
	if (eh_likely(!mine && p->state != EH_PORT_BOUND)) {
		if (rcu) {
			hash = check_and_hash(s, k, &x);
			prefetch_bhash(s, port_at(s, s->i + s->range.step));
			if (eh_likely(p->state == EH_PORT_TAKEN)) {
				walk_to_match(s, k, &x, p, port, hash, NULL);
				reject_under_one(s, k, &x, bhash, &x.loop);
				settle_all(s, k, &x);
				s->i += s->range.step;
				return false;
			}
			c->core = *k;
			eh_walk_chain(s, &x, port, hash);
			eh_core_take(k, c);
			before = k->retire;
			eh_core_dispatch(k, c, (uint32_t)cost->to_bhash_lock.instr,
					 cost->to_bhash_lock.ps);
			eh_core_retire(k, &c->charged[EH_SYM(_raw_spin_lock)], cost->lock.ps,
				       k->dispatch);
			if (eh_unlikely(k->account))
				eh_account_instr(k->account, before, k->retire);
		} else {
			hash = call_check(s, k, &x, EH_SYM(_raw_spin_lock));
			prefetch_check(s, p);
			prefetch_bhash(s, port_at(s, s->i + s->range.step));
		}
		not_settled(s, k, &x);
		eh_core_spin_lock_bare(k, c, ehash, &s->h->ehash_lock, EH_SYM(_raw_spin_lock));
		if (eh_likely(!rcu && p->state == EH_PORT_TAKEN)) {
			walk_to_match(s, k, &x, p, port, hash, NULL);
			reject_locked(s, k, &x, ehash, bhash);
			settle_all(s, k, &x);
			s->i += s->range.step;
			return false;
		}
		eh_core_enter(k, c);
		c->core = *k;
		mine = check_unique(s, ehash, port, hash);
		eh_core_take(k, c);
	}
	settle_all(s, k, &x);
	c->core = *k;
	mine = finish_locked(s, port, mine);
	eh_core_take(k, c);
	return mine;
}

bool eh_try_locked(struct search *s, uint32_t port)
{
	struct eh_core k = s->c->core;
	bool found = try_locked(s, &k, port, false, false);

	s->c->core = k;
	return found;
}

static bool lives(const struct eh_sock *sk)
{
	return sk && sk->state != EH_TCP_TIME_WAIT;
}

bool eh_check_established(struct search *s, uint32_t port)
{
	struct eh_cpu *c = s->c;
	const struct eh_port *p = &s->u->ports[port];
	struct eh_spinlock *lock = &s->t->ehash_locks[p->lock];
	struct charges x = {0};
	eh_time hash;

	if (s->t->on.rcu_check && !s->t->on.rcu_bind_walk) {
		eh_walk_chain(s, &x, port, check_and_hash(s, &c->core, &x));
		if (lives(s->u->sk[port])) {
			settle(s, &x);
			return false;
		}
	}
	hash = call_check(s, &c->core, &x, EH_SYM(_raw_spin_lock));
	not_settled(s, &c->core, &x);
	eh_core_spin_lock_bare(&c->core, c, lock, &s->h->ehash_lock, EH_SYM(_raw_spin_lock));
	eh_core_enter(&c->core, c);
	if (!lives(s->u->sk[port])) {
		settle_all(s, &c->core, &x);
		return check_unique(s, lock, port, hash);
	}
	eh_walk_chain(s, &x, port, hash);
	settle_all(s, &c->core, &x);
	eh_spin_unlock(c, lock, s->h->sym_check, s->cost->unlock.instr);
	return false;
}

/*
 * Lockless walk over the bind buckets, but the chain only under its lock: a look, and if nothing is
 * there, the whole under the bhash lock.
 */
static bool try_unbound(struct search *s, struct eh_core *k, uint32_t port)
{
	struct eh_cpu *c = s->c;
	const struct eh_port *p = &s->u->ports[port];
	struct eh_spinlock *ehash = &s->t->ehash_locks[p->lock];
	const int sym = EH_SYM(_raw_spin_lock_bh);
	struct charges x = {0};
	bool found = false;
	eh_time hash;

	if (p->state == EH_PORT_FREE || p->state == EH_PORT_BOUND)
		eh_cpu_sync(c, k->retire); /* nothing below waits for the clock */
	read_head_and_bucket(s, k, &x, p, port, NULL);
	if (p->state == EH_PORT_BOUND) {
		settle(s, &x);
		next_candidate(s, k);
		return false;
	}
	if (p->state != EH_PORT_FREE) {
		eh_local_bh_disable(c);
		hash = call_check(s, k, &x, sym);
		prefetch_check(s, p);
		not_settled(s, k, &x);
		eh_core_spin_lock_bare(k, c, ehash, &s->h->ehash_lock, sym);
		if (eh_likely(p->state == EH_PORT_TAKEN)) {
			walk_to_match(s, k, &x, p, port, hash, NULL);
			reject_under_one(s, k, &x, ehash, &x.check);
			settle_all(s, k, &x);
			s->i += s->range.step;
			return false;
		}
		eh_core_enter(k, c);
		c->core = *k;
		eh_walk_chain(s, &x, port, hash);
		not_settled(s, k, &x);
		eh_spin_unlock(c, ehash, s->h->sym_check, s->cost->unlock.instr);
		work(s, &c->core, &c->charged[EH_SYM(__local_bh_enable_ip)], s->cost->unlock_bh);
		eh_local_bh_enable(c);
		eh_core_take(k, c);
	}
	settle_all(s, k, &x);
	c->core = *k;
	found = eh_try_locked(s, port);
	eh_core_take(k, c);
	return found;
}

/*
 * The search is at this port: is it alone there, so that nobody else can come to the bucket's line
 * before the search's own clock gets to it? Every search walks the ports upwards, two candidates a
 * line or four, so whoever is two lines behind needs longer for them than anybody is ahead of the clock. A
 * socket that is closed, or a search that begins there meanwhile, may find the lock taken a little
 * early.
 */
static bool move_to(struct search *s, uint32_t port)
{
	struct eh_inet_hash *t = s->t;
	uint32_t line = port / BIND_PER_LINE;
	uint16_t *there = &t->searching[line];

	if (line != s->line) {
		t->searching[s->line]--;
		++*there;
		s->line = line;
	}
	return line > s->range.low / BIND_PER_LINE && *there == 1 && !there[-1] &&
	       t->look_ahead > 1;
}

enum how { BOTH_LOCKS, BHASH_LOCK, EHASH_LOCK };

eh_always_inline bool scan(struct search *s, enum how how, struct eh_account *account)
{
	struct eh_cpu *c = s->c;
	struct eh_inet_hash *t = s->t;
	struct eh_core k = c->core;
	uint32_t epoch = t->epoch, first = s->i;
	const bool alone = !rejected_for_sure(&s->u->ports[port_at(s, first)]);
	bool found = false;

	k.account = account;
	s->line = 0;
	t->searching[0]++;
	while (s->i < s->range.remaining && !c->irq_pending && !c->rcu_urgent &&
	       t->epoch == epoch) {
		uint32_t port = port_at(s, s->i);

		if (eh_unlikely(t->sampler && s->i != first &&
				(alone || !rejected_for_sure(&s->u->ports[port]))))
			break; /* a sampled run: rejected candidates, or one that may not be */
		if (eh_likely(s->u->ports[port].state != EH_PORT_RESERVED)) {
			t->stats.candidates++;
			s->seen++;
			__builtin_prefetch(&c->ring[(k.head + 4) % EH_RETIRE_RING], 1);
			if (how == BOTH_LOCKS)
				found = try_locked(s, &k, port, move_to(s, port), false);
			else if (how == BHASH_LOCK)
				found = try_locked(s, &k, port, false, true);
			else
				found = try_unbound(s, &k, port);
			if (found)
				break;
		} else {
			c->core = k;
			next_candidate(s, &c->core);
			eh_core_take(&k, c);
		}
	}
	c->core = k;
	t->searching[s->line]--;
	return found;
}

static bool __attribute__((noinline)) scan_rcu_check(struct search *s)
{
	return scan(s, BHASH_LOCK, s->c->core.account);
}

static bool __attribute__((noinline)) scan_rcu_bind(struct search *s)
{
	return scan(s, EHASH_LOCK, s->c->core.account);
}

bool eh_scan_locked(struct search *s)
{
	if (eh_unlikely(s->t->on.rcu_check))
		return scan_rcu_check(s);
	if (eh_unlikely(s->t->on.rcu_bind_walk))
		return scan_rcu_bind(s);
	if (eh_unlikely(s->c->core.account))
		return scan(s, BOTH_LOCKS, s->c->core.account);
	return scan(s, BOTH_LOCKS, NULL);
}
