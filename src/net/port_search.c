/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The port search of connect(): __inet_hash_connect. S1's lockless walk runs ahead of the clock
 * (look_ahead.c). In S0 each candidate takes two locks, so everything is in global order anyway;
 * only the loads beneath a lock run on.
 */
#include "port_walk.h"

#include <errno.h>

#define PERTURB_SPREAD 8

/* A chain without the tuple (a look at the bucket, then whatever is in it). */
static void walk_all(const struct search *s, struct charges *x, uint32_t port, eh_time hash)
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

/* __inet{,6}_check_established: true when the tuple was not there and sk has been inserted. */
eh_always_inline bool check_established(struct search *s, struct eh_core *k, struct charges *x,
					const struct eh_port *p, uint32_t port)
{
	struct eh_cpu *c = s->c;
	struct eh_spinlock *lock = &s->t->ehash_locks[p->lock];
	eh_time hash = check_and_hash(s, k, x);
	bool unique;

	work(s, k, &c->charged[EH_SYM(_raw_spin_lock)], s->cost->lock);
	eh_core_spin_lock(k, c, lock, &s->h->ehash_lock, EH_SYM(_raw_spin_lock));
	unique = p->state != EH_PORT_TAKEN;
	if (eh_likely(!unique)) {
		walk_to_match(s, k, x, p, port, hash, NULL);
		work(s, k, &x->check, s->cost->match);
	} else {
		c->core = *k;
		walk_all(s, x, port, hash);
		s->sk->lport = (uint16_t)port;
		s->sk->tuple = s->u;
		eh_ehash_insert_locked(c, s->sk, s->h->sym_check);
		*k = c->core;
	}
	work(s, k, &x->check, s->cost->unlock);
	eh_core_spin_unlock(k, c, lock);
	return unique;
}

/* The search found its port: epilogue under the bhash lock. */
static void take_port(struct search *s, uint32_t port, struct eh_bind_bucket *tb)
{
	struct eh_inet_hash *t = s->t;
	struct eh_cpu *c = s->c;
	uint32_t spread = (uint32_t)eh_stream_below(s->h->random, PERTURB_SPREAD) * STEP;

	work(s, &c->core, &c->charged[EH_SYM(_raw_spin_lock)], s->cost->lock);
	eh_spin_lock(c, &t->bhash2[port], &s->h->bhash2_lock, EH_SYM(_raw_spin_lock));
	if (!tb)
		tb = eh_bind_bucket_create(c, t, (uint16_t)port);
	eh_load(c, EH_SYM(__inet_hash_connect), s->u->perturb_line, 0);
	eh_store(c, EH_SYM(__inet_hash_connect), s->u->perturb_line);
	s->u->perturb += MAX(s->i, spread) + STEP;
	s->sk->lport = (uint16_t)port;
	s->sk->tuple = s->u;
	eh_bind_hash(c, s->sk, tb);
	if (!s->sk->hashed) {
		struct eh_spinlock *lock = &t->ehash_locks[s->u->ports[port].lock];

		eh_spin_lock(c, lock, &s->h->ehash_lock, EH_SYM(_raw_spin_lock));
		eh_ehash_insert_locked(c, s->sk, EH_SYM(inet_ehash_insert));
		eh_spin_unlock(c, lock, EH_SYM(inet_ehash_insert), s->cost->unlock.instr);
	}
	eh_sim_mix(c->sim, (uint64_t)port << 32 | c->id);
	eh_spin_unlock(c, &t->bhash2[port], EH_SYM(__inet_hash_connect), s->cost->unlock.instr);
}

/*
 * The locked look at one candidate: S0 always, S1 when the lockless walk said maybe. k: the core's
 * registers, put back where others look at them.
 */
eh_always_inline bool try_locked(struct search *s, struct eh_core *k, uint32_t port)
{
	struct eh_cpu *c = s->c;
	const struct eh_port *p = &s->u->ports[port];
	struct eh_spinlock *lock = &s->t->bhash[port];
	struct charges x = {0};
	struct eh_rmw r;
	bool mine = true;

	eh_local_bh_disable(c);
	work(s, k, &c->charged[EH_SYM(_raw_spin_lock_bh)], s->cost->lock_bh);
	r = eh_core_spin_lock(k, c, lock, &s->h->bhash_lock, EH_SYM(_raw_spin_lock_bh));
	if (eh_likely(p->state != EH_PORT_FREE)) {
		/* The chain head is on the lock's line. Its load waits for neither the lock nor
		   the locked operation before it: it is there one transfer after its dispatch. */
		read_bucket(s, k, &x, p, MIN(r.done, k->dispatch + r.latency + c->m->l1_hit),
			    NULL);
		mine = p->state != EH_PORT_BOUND && check_established(s, k, &x, p, port);
	} else {
		eh_core_mispredict(k, c, r.done);
	}
	settle(s, &x);
	if (eh_unlikely(mine)) {
		c->core = *k;
		take_port(s, port, s->t->tb[port]);
		*k = c->core;
	}
	work(s, k, &c->charged[EH_SYM(__inet_hash_connect)], s->cost->unlock);
	eh_core_spin_unlock(k, c, lock);
	work(s, k, &c->charged[EH_SYM(__local_bh_enable_ip)], s->cost->unlock_bh);
	if (eh_unlikely(c->softirq_pending)) {
		c->core = *k;
		eh_local_bh_enable(c);
		*k = c->core;
	} else {
		c->bh_off--;
	}
	return mine;
}

static void next_candidate(struct search *s, struct eh_core *k)
{
	struct charges x = {0};

	between_candidates(s, k, &x);
	settle(s, &x);
	s->i += STEP;
}

static bool scan_locked(struct search *s)
{
	struct eh_cpu *c = s->c;
	struct eh_core k = c->core;
	bool found = false;

	while (s->i < s->t->remaining && !c->irq_pending && !c->rcu_urgent) {
		uint32_t port = port_at(s, s->i);

		if (eh_likely(s->u->ports[port].state != EH_PORT_RESERVED)) {
			s->t->stats.candidates++;
			s->seen++;
			if (s->i + STEP < s->t->remaining) {
				prefetch(s, port_at(s, s->i + STEP));
				prefetch_locks(s, port_at(s, s->i + STEP));
			}
			found = try_locked(s, &k, port);
			if (found)
				break;
		}
		next_candidate(s, &k);
	}
	c->core = k;
	return found;
}

/* S1 at a port that is not rejected for sure: the lockless walk first, then perhaps the locks. */
static bool try_lockless(struct search *s, uint32_t port)
{
	struct eh_core *k = &s->c->core, copy;
	const struct eh_port *p = &s->u->ports[port];
	struct charges x = {0};
	bool found;

	if (rejected_for_sure(p)) /* somebody else took it meanwhile: the scan goes on */
		return false;
	s->t->stats.candidates++;
	s->seen++;
	if (p->state == EH_PORT_MAYBE) {
		read_head_and_bucket(s, k, &x, p, port, NULL);
		walk_all(s, &x, port, check_and_hash(s, k, &x));
	} else {
		eh_time head = eh_load(s->c, EH_SYM(__inet_hash_connect),
				       s->t->bhash_lines + port / BIND_PER_LINE, 0);

		eh_mispredict(s->c, head);
	}
	settle(s, &x);
	copy = *k;
	found = try_locked(s, &copy, port);
	if (!found)
		next_candidate(s, &copy);
	*k = copy;
	return found;
}

/* Between candidates: interrupts, and a quiescent state if RCU has asked for one. */
static void breathe(struct search *s)
{
	eh_cpu_point(s->c);
	if (eh_unlikely(s->c->rcu_urgent))
		eh_rcu_all_qs(s->h->rcu, s->c);
}

static bool pass(struct search *s)
{
	s->i = 0;
	while (s->i < s->t->remaining) {
		breathe(s);
		if (s->h->kernel->connect == EH_S0) {
			if (scan_locked(s))
				return true;
			continue;
		}
		eh_scan_lockless(s);
		if (s->i < s->t->remaining && !rejected_for_sure(&s->u->ports[port_at(s, s->i)])) {
			breathe(s);
			if (try_lockless(s, port_at(s, s->i)))
				return true;
		}
	}
	return false;
}

/* secure_port_offset: re-seeded every ten seconds. */
static uint64_t port_offset(const struct search *s)
{
	const uint64_t words[] = {(uint64_t)s->sk->laddr << 32 | s->sk->raddr,
				  (uint64_t)s->sk->rport << 32 |
					  (uint64_t)(eh_sim_now(s->c->sim) / (10 * EH_SEC))};

	return eh_siphash(s->t->secret[1], s->t->secret[0], words, 2);
}

static uint32_t first_offset(const struct search *s)
{
	uint32_t offset = s->u->perturb + (uint32_t)(port_offset(s) >> 32);

	return offset % s->t->remaining & ~1u;
}

void eh_port_cursor_set(struct eh_inet_hash *t, struct eh_tuple *u, uint16_t port)
{
	struct eh_sock sk = {.laddr = t->host->addr, .raddr = u->raddr, .rport = u->rport};
	struct search s = {.c = &t->host->m->cpus[0], .t = t, .u = u, .sk = &sk};

	u->perturb = 0;
	u->perturb = port - t->low - (uint32_t)(port_offset(&s) >> 32) % t->remaining + t->remaining;
}

int eh_inet_hash_connect(struct eh_cpu *c, struct eh_sock *sk)
{
	struct eh_host *h = sk->host;
	struct eh_inet_hash *t = h->hash;
	struct search s = {
		.c = c,
		.h = h,
		.t = t,
		.sk = sk,
		.u = eh_tuple_get(t, sk->raddr, sk->rport),
		.cost = &t->cost,
	};
	eh_time from;
	bool found;

	eh_cpu_point(c);
	from = c->retire;
	eh_load(c, EH_SYM(__inet_hash_connect), s.u->perturb_line, 0);
	eh_work(c, EH_SYM(__inet_hash_connect), h->kernel->cost.scan_loop);
	s.offset = first_offset(&s);
	found = pass(&s);
	if (!found && t->remaining > 1) {
		t->stats.odd_passes++;
		s.offset++;
		found = pass(&s);
	}
	t->stats.searches++;
	t->stats.ended += s.seen;
	t->stats.time += c->retire - from;
	h->candidates += s.seen;
	if (!found) {
		t->stats.failures++;
		return -EADDRNOTAVAIL;
	}
	h->connects++;
	return 0;
}
