/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The port search of connect(): __inet_hash_connect.
 *
 * A rejected candidate of S1 writes nothing, so a CPU may look at many candidates in one go, ahead
 * of the simulated clock, as long as what it decides is what it would have decided in order. It
 * notes its own clock before each candidate (struct eh_lookahead). Whoever frees a port that it has
 * passed ahead of time marks it: when the clock gets there the CPU looks again, and goes back to
 * that candidate if the port is still free. Who needs the CPU itself (interrupt, urgent flag) sends
 * it back to the first candidate not before now. A port that may be taken is never decided ahead:
 * the CPU stops in front of it and waits for its turn. What stays approximate: lines are read in
 * the state they had when the CPU read ahead. In S0 each candidate takes two locks,
 * so everything is in global order anyway; only the loads beneath a lock run on.
 */
#include "inet_table.h"

#include <errno.h>
#include <string.h>

#define STEP 2
#define PREFETCH 8 /* candidates */
#define PERTURB_SPREAD 8
#define LINES_READ 5 /* by a rejected candidate: bhash, bind bucket, ehash, two of the socket */

/* A stretch of instructions without memory operations: how many, how long they dispatch. */
struct block {
	int64_t instr;
	eh_time ps;
};

/* The cost rows of one candidate, in picoseconds of this machine. */
struct eh_search_cost {
	struct block loop, check, hash, match, resched, qs, between;
	eh_time hash_latency;
};

struct search {
	struct eh_cpu *c;
	struct eh_host *h;
	struct eh_inet_hash *t;
	struct eh_tuple *u;
	struct eh_sock *sk;
	const struct eh_kernel_cost *k;
	int sym, sym_check, sym_hash;
	struct eh_search_cost cost;
	uint32_t offset; /* where the pass began, from port_low; its parity is the pass's */
	uint32_t i;	 /* distance walked in this pass, as in the kernel */
};

static uint32_t port_at(const struct search *s, uint32_t i)
{
	uint32_t at = s->offset + i;

	return s->t->low + (at >= s->t->remaining ? at - s->t->remaining : at);
}

/*
 * The core's registers and the time charged, copied out of the CPU for a stretch without locks, so
 * that the compiler keeps them in its own registers.
 */
struct stretch {
	struct eh_core core;
	eh_time loop, check, hash, resched, qs; /* by symbol */
};

static inline struct stretch stretch_begin(const struct search *s)
{
	return (struct stretch){.core = s->c->core};
}

static inline void stretch_end(const struct search *s, const struct stretch *x)
{
	struct eh_cpu *c = s->c;

	c->core = x->core;
	c->charged[s->sym] += x->loop;
	c->charged[s->sym_check] += x->check;
	c->charged[s->sym_hash] += x->hash;
	c->charged[EH_SYM(__cond_resched)] += x->resched;
	c->charged[EH_SYM(rcu_all_qs)] += x->qs;
}

/*
 * The host's own caches: what the walk will touch some candidates later. Always inline: gcc takes a
 * function that only prefetches for one without effect, and drops its calls.
 */
eh_always_inline void prefetch(const struct search *s, uint32_t port)
{
	const struct eh_machine *m = s->c->m;
	const struct eh_port *p = &s->u->ports[port];
	const uint16_t *l2 = s->c->l2;

	__builtin_prefetch(&m->lines[p->tb]);
	__builtin_prefetch(&m->lines[p->bucket]);
	__builtin_prefetch(&m->lines[p->sk]);
	__builtin_prefetch(&l2[p->tb & m->l2_mask], 1);
	__builtin_prefetch(&l2[p->bucket & m->l2_mask], 1);
	__builtin_prefetch(&l2[p->sk & m->l2_mask], 1);
}

eh_always_inline void prefetch_locks(const struct search *s, uint32_t port)
{
	const struct eh_inet_hash *t = s->t;

	__builtin_prefetch(&t->bhash[port], 1);
	__builtin_prefetch(&t->ehash_locks[s->u->ports[port].lock], 1);
	__builtin_prefetch(&s->u->ports[port + 4]);
}

/* --- what every state does at a candidate --- */

static eh_time load(const struct search *s, struct stretch *x, eh_line_id line, eh_time known)
{
	return eh_core_load(&x->core, s->c, &x->check, line, known);
}

static void work(const struct search *s, struct stretch *x, eh_time *charge, struct block b)
{
	eh_core_work(&x->core, s->c, charge, b.instr, b.ps);
}

/* The bind bucket: chain head on the lock's line, then the bucket's first line. */
eh_always_inline void read_bind_bucket(const struct search *s, struct stretch *x,
				       const struct eh_port *p, uint32_t port)
{
	eh_time from = x->core.retire;
	eh_time head = eh_core_read(&x->core, s->c, s->t->bhash_lines + port / 4, 0, false);

	eh_core_read(&x->core, s->c, p->tb, head, true);
	eh_core_enter(&x->core, s->c);
	x->loop += x->core.retire - from;
}

/* The call of the check and of the hash inside it: when the hash is known. */
eh_always_inline eh_time check_and_hash(const struct search *s, struct stretch *x)
{
	const struct eh_search_cost *k = &s->cost;
	eh_time from = x->core.retire + k->check.ps;
	eh_time ready = x->core.dispatch + k->check.ps + k->hash_latency, end;

	eh_core_dispatch(&x->core, s->c, (uint32_t)(k->check.instr + k->hash.instr),
			 k->check.ps + k->hash.ps);
	end = from + k->hash.ps;
	end = end > ready ? end : ready;
	x->check += k->check.ps;
	x->hash += end - from;
	x->core.retire = end;
	return ready;
}

/*
 * After the walk of a rejected candidate: compare, return, cond_resched, and the beginning of the
 * next candidate. Dispatched as one, retired one after the other.
 */
eh_always_inline void between_candidates(const struct search *s, struct stretch *x)
{
	const struct eh_search_cost *k = &s->cost;

	eh_core_dispatch(&x->core, s->c, (uint32_t)k->between.instr, k->between.ps);
	x->check += k->match.ps;
	x->resched += k->resched.ps;
	x->qs += k->qs.ps;
	x->core.retire += k->between.ps - k->loop.ps;
	eh_core_retire(&x->core, &x->loop, k->loop.ps, x->core.dispatch);
}

/* Entries in front of the match: each is one more pair of lines, and a branch nobody predicted. */
static eh_time __attribute__((noinline)) walk_before(const struct search *s, struct stretch *x,
						     uint32_t port, eh_time known)
{
	const struct eh_sock *sk = s->u->sk[port], *e;

	for (e = s->t->bucket[sk->bucket]; e && e != sk; e = e->ehash_next) {
		eh_time node = load(s, x, e->obj->line + 1, known);
		eh_time hash = load(s, x, e->obj->line, known);

		eh_core_mispredict(&x->core, s->c, hash);
		known = node;
	}
	return known;
}

/* The walk over a chain that ends at the established match. */
eh_always_inline void walk_to_match(const struct search *s, struct stretch *x,
				    const struct eh_port *p, uint32_t port, eh_time hash)
{
	eh_time from = x->core.retire;
	eh_time known = eh_core_read(&x->core, s->c, p->bucket, hash, true);

	eh_core_enter(&x->core, s->c);
	if (eh_unlikely(p->before)) {
		struct stretch y = *x; /* a copy, so that x itself never has to leave registers */

		y.check += y.core.retire - from;
		known = walk_before(s, &y, port, known);
		*x = y;
		from = x->core.retire;
	}
	eh_core_read(&x->core, s->c, p->sk + 1, known, true);
	eh_core_read(&x->core, s->c, p->sk, known, true);
	eh_core_enter(&x->core, s->c);
	x->check += x->core.retire - from;
}

/* A chain without the tuple (a look at the bucket, then whatever is in it). */
static void walk_all(const struct search *s, struct stretch *x, uint32_t port, eh_time hash)
{
	uint32_t bucket = eh_ehashfn(s->t, s->sk->laddr, (uint16_t)port, s->sk->raddr, s->sk->rport) &
			  s->t->bucket_mask;
	eh_time known = load(s, x, s->u->ports[port].bucket, hash);

	for (const struct eh_sock *e = s->t->bucket[bucket]; e; e = e->ehash_next) {
		eh_time node = load(s, x, e->obj->line + 1, known);

		load(s, x, e->obj->line, known);
		work(s, x, &x->check, s->cost.match);
		known = node;
	}
	eh_core_mispredict(&x->core, s->c, known);
}

/* --- S1: the lockless walk --- */

eh_always_inline void reject_lockless(const struct search *s, struct stretch *x,
				      const struct eh_port *p, uint32_t port)
{
	read_bind_bucket(s, x, p, port);
	if (eh_likely(p->state == EH_PORT_TAKEN))
		walk_to_match(s, x, p, port, check_and_hash(s, x));
	between_candidates(s, x);
}

/* --- ahead of the clock --- */

static void kick(struct eh_cpu *c);

static void look_ahead_begin(struct search *s, struct eh_lookahead *a)
{
	s->t->ahead[s->t->nahead++] = a;
	s->c->kick_arg = a;
	s->c->kick = kick;
}

static void look_ahead_end(struct search *s, struct eh_lookahead *a)
{
	struct eh_inet_hash *t = s->t;

	s->c->kick = NULL;
	for (int i = 0; i < t->nahead; i++)
		if (t->ahead[i] == a) {
			t->ahead[i] = t->ahead[--t->nahead];
			break;
		}
}

static void wait_for(struct eh_lookahead *a, uint32_t at)
{
	if (at >= a->next)
		return;
	a->next = at;
	eh_sim_at(a->c->sim, &a->c->ev, a->clock[at]);
}

/* Something happened to the CPU itself: only candidates before now hold. */
static void kick(struct eh_cpu *c)
{
	struct eh_lookahead *a = c->kick_arg;
	eh_time now = eh_sim_now(c->sim);
	uint32_t lo = 0, hi = a->hold;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (a->clock[mid] < now)
			lo = mid + 1;
		else
			hi = mid;
	}
	a->hold = lo;
	wait_for(a, lo);
}

void eh_lookahead_port(struct eh_inet_hash *t, uint16_t port)
{
	eh_time now = eh_sim_now(t->host->sim);
	uint32_t at = (uint32_t)port - t->low, half = t->remaining / 2;

	if (port < t->low || at >= t->remaining)
		return;
	for (int i = 0; i < t->nahead; i++) {
		struct eh_lookahead *a = t->ahead[i];
		uint32_t j = at / 2 + half - a->first;

		if (j >= half)
			j -= half;
		if (j < a->hold && a->parity == (at & 1) && a->clock[j] > now) {
			a->again[j / 64] |= (uint64_t)1 << j % 64;
			wait_for(a, j);
		}
	}
}

static uint32_t next_again(const struct eh_lookahead *a, uint32_t from)
{
	for (uint32_t w = from / 64; w * 64 < a->hold; w++) {
		uint64_t bits = a->again[w];

		if (w == from / 64)
			bits &= ~(uint64_t)0 << from % 64;
		if (bits)
			return MIN(w * 64 + (uint32_t)__builtin_ctzll(bits), a->hold);
	}
	return a->hold;
}

static bool rejected_for_sure(const struct eh_port *p)
{
	return p->state == EH_PORT_TAKEN || p->state == EH_PORT_BOUND || p->state == EH_PORT_RESERVED;
}

/* Let the clock catch up with what was read ahead; candidates marked meanwhile are looked at. */
static void catch_up(struct search *s, struct eh_lookahead *a)
{
	a->next = a->hold = a->n;
	memset(a->again, 0, sizeof(a->again));
	look_ahead_begin(s, a);
	eh_cpu_sync(s->c, a->clock[a->n]);
	while (a->next < a->hold) {
		uint32_t j = a->next;

		if (!rejected_for_sure(&s->u->ports[port_at(s, s->i + STEP * j)])) {
			a->hold = j;
			break;
		}
		a->next = next_again(a, j + 1);
		eh_cpu_sync(s->c, a->clock[a->next]);
	}
	look_ahead_end(s, a);
}

/*
 * Set the CPU back to the instant before candidate `hold`; its window starts empty there. Time by
 * symbol shrinks in proportion.
 */
static void go_back(struct stretch *x, const struct eh_lookahead *a)
{
	eh_time all = a->clock[a->n] - a->clock[0], kept = a->clock[a->hold] - a->clock[0];
	eh_time *const part[] = {&x->loop, &x->hash, &x->resched, &x->qs};

	x->check = kept;
	for (int i = 0; i < 4; i++) {
		*part[i] = (eh_time)((__int128)*part[i] * kept / all);
		x->check -= *part[i];
	}
	eh_core_empty(&x->core, a->c, a->clock[a->hold]);
}

/* Walk rejected candidates from s->i on; stops in front of the first that may be taken. */
static void scan_lockless(struct search *s)
{
	struct eh_lookahead a;
	struct stretch x = stretch_begin(s);
	uint32_t i = s->i, n = 0;

	while (n < EH_LOOK_AHEAD && i < s->t->remaining) {
		uint32_t port = port_at(s, i);
		const struct eh_port *p = &s->u->ports[port];

		if (!rejected_for_sure(p))
			break;
		if (i + PREFETCH * STEP < s->t->remaining)
			prefetch(s, port_at(s, i + PREFETCH * STEP));
		a.clock[n++] = x.core.retire;
		if (eh_likely(p->state != EH_PORT_RESERVED))
			reject_lockless(s, &x, p, port);
		else
			work(s, &x, &x.loop, s->cost.loop);
		i += STEP;
	}
	a.c = s->c;
	a.tuple = s->u;
	a.clock[n] = x.core.retire;
	a.n = n;
	a.parity = s->offset & 1;
	a.first = (port_at(s, s->i) - s->t->low) / 2;
	catch_up(s, &a);
	if (a.hold < n)
		go_back(&x, &a);
	stretch_end(s, &x);
	s->t->stats.candidates += a.hold;
	s->c->accesses += LINES_READ * (uint64_t)a.hold;
	s->i += STEP * a.hold;
}

/* --- the locked look at one candidate: S0 always, S1 when the lockless walk said maybe --- */

enum verdict { REJECTED, TAKEN_NEW, TAKEN_SHARED };

/* __inet{,6}_check_established: true when the tuple was not there and sk has been inserted. */
static bool check_established(struct search *s, struct eh_port *p, uint32_t port)
{
	struct eh_cpu *c = s->c;
	struct eh_spinlock *lock = &s->t->ehash_locks[p->lock];
	struct stretch x = stretch_begin(s);
	bool unique;
	eh_time hash;

	hash = check_and_hash(s, &x);
	stretch_end(s, &x);
	eh_call(c, EH_SYM(_raw_spin_lock), s->k->spin_lock);
	eh_spin_lock(c, lock, &s->h->ehash_lock, EH_SYM(_raw_spin_lock));
	x = stretch_begin(s);
	unique = !s->u->sk[port];
	if (eh_likely(!unique)) {
		walk_to_match(s, &x, p, port, hash);
		work(s, &x, &x.check, s->cost.match);
		stretch_end(s, &x);
	} else {
		walk_all(s, &x, port, hash);
		stretch_end(s, &x);
		s->sk->lport = (uint16_t)port;
		s->sk->tuple = s->u;
		eh_ehash_insert_locked(c, s->sk, s->sym_check);
	}
	eh_spin_unlock(c, lock, s->sym_check, s->k->spin_unlock);
	return unique;
}

/* The search found its port: epilogue under the bhash lock. */
static void take_port(struct search *s, uint32_t port, struct eh_bind_bucket *tb)
{
	struct eh_inet_hash *t = s->t;
	struct eh_cpu *c = s->c;
	uint32_t spread = (uint32_t)eh_stream_below(s->h->random, PERTURB_SPREAD) * STEP;

	eh_call(c, EH_SYM(_raw_spin_lock), s->k->spin_lock);
	eh_spin_lock(c, &t->bhash2[port], &s->h->bhash2_lock, EH_SYM(_raw_spin_lock));
	if (!tb)
		tb = eh_bind_bucket_create(c, t, (uint16_t)port);
	eh_load(c, s->sym, s->u->perturb_line, 0);
	eh_store(c, s->sym, s->u->perturb_line);
	s->u->perturb += MAX(s->i, spread) + STEP;
	s->sk->lport = (uint16_t)port;
	s->sk->tuple = s->u;
	eh_bind_hash(c, s->sk, tb);
	if (!s->sk->hashed) {
		struct eh_spinlock *lock = &t->ehash_locks[s->u->ports[port].lock];

		eh_spin_lock(c, lock, &s->h->ehash_lock, EH_SYM(_raw_spin_lock));
		eh_ehash_insert_locked(c, s->sk, EH_SYM(inet_ehash_insert));
		eh_spin_unlock(c, lock, EH_SYM(inet_ehash_insert), s->k->spin_unlock);
	}
	eh_sim_mix(c->sim, (uint64_t)port << 32 | c->id);
	eh_spin_unlock(c, &t->bhash2[port], s->sym, s->k->spin_unlock);
}

static bool try_locked(struct search *s, uint32_t port)
{
	struct eh_cpu *c = s->c;
	struct eh_inet_hash *t = s->t;
	struct eh_port *p = &s->u->ports[port];
	struct eh_spinlock *lock = &t->bhash[port];
	struct eh_bind_bucket *tb;
	struct eh_rmw r;
	eh_time head;
	bool mine;

	eh_work(c, s->sym, s->k->scan_loop);
	eh_local_bh_disable(c);
	eh_call(c, EH_SYM(_raw_spin_lock_bh), s->k->spin_lock);
	r = eh_spin_lock(c, lock, &s->h->bhash_lock, EH_SYM(_raw_spin_lock_bh));
	tb = t->tb[port];
	if (tb) {
		/* The chain head is on the lock's line. Its load waits for neither the lock nor
		   the locked operation before it: it is there one transfer after its dispatch. */
		head = MIN(r.done, c->dispatch + r.latency + c->m->l1_hit);
		eh_load(c, s->sym, p->tb, head);
		mine = !tb->bound && check_established(s, p, port);
	} else {
		eh_mispredict(c, r.done);
		mine = true;
	}
	if (mine)
		take_port(s, port, tb);
	eh_spin_unlock(c, lock, s->sym, s->k->spin_unlock);
	eh_call(c, EH_SYM(__local_bh_enable_ip), s->k->bh_enable);
	eh_local_bh_enable(c);
	return mine;
}

static bool scan_locked(struct search *s)
{
	while (s->i < s->t->remaining) {
		uint32_t port = port_at(s, s->i);

		if (eh_unlikely(s->c->irq_pending || s->c->rcu_urgent))
			return false;
		if (s->u->ports[port].state == EH_PORT_RESERVED) {
			eh_work(s->c, s->sym, s->k->scan_loop);
		} else {
			s->t->stats.candidates++;
			if (s->i + STEP < s->t->remaining) {
				prefetch(s, port_at(s, s->i + STEP));
				prefetch_locks(s, port_at(s, s->i + STEP));
			}
			if (try_locked(s, port))
				return true;
			eh_call(s->c, EH_SYM(__cond_resched), s->k->cond_resched);
			eh_call(s->c, EH_SYM(rcu_all_qs), s->k->rcu_all_qs);
		}
		s->i += STEP;
	}
	return false;
}

/* S1 at a port that is not rejected for sure: the lockless walk first, then perhaps the locks. */
static bool try_lockless(struct search *s, uint32_t port)
{
	struct eh_cpu *c = s->c;
	const struct eh_port *p = &s->u->ports[port];
	struct stretch x;

	if (rejected_for_sure(p)) /* somebody else took it meanwhile: the scan goes on */
		return false;
	s->t->stats.candidates++;
	x = stretch_begin(s);
	work(s, &x, &x.loop, s->cost.loop);
	if (p->state == EH_PORT_MAYBE) {
		read_bind_bucket(s, &x, p, port);
		walk_all(s, &x, port, check_and_hash(s, &x));
	} else {
		eh_time head = eh_core_read(&x.core, c, s->t->bhash_lines + port / 4, 0, false);

		eh_core_mispredict(&x.core, c, head);
	}
	stretch_end(s, &x);
	if (try_locked(s, port))
		return true;
	x = stretch_begin(s);
	between_candidates(s, &x);
	stretch_end(s, &x);
	s->i += STEP;
	return false;
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
		scan_lockless(s);
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

static struct block block(const struct eh_machine *m, int64_t instr, int calls)
{
	return (struct block){instr, instr * m->instr + calls * m->call};
}

static struct eh_search_cost search_cost(const struct eh_host *h)
{
	const struct eh_machine *m = h->m;
	const struct eh_kernel_cost *k = &h->kernel->cost;
	struct eh_search_cost x = {
		.loop = block(m, k->scan_loop + (h->kernel->connect >= EH_S1 ? k->rcu_read : 0), 0),
		.check = block(m, k->check, 1),
		.hash = block(m, h->ipv6 ? k->hash6 : k->hash4, 1),
		.hash_latency = (h->ipv6 ? k->hash6_cycles : k->hash4_cycles) * m->cycle,
		.match = block(m, k->match, 0),
		.resched = block(m, k->cond_resched, 1),
		.qs = block(m, k->rcu_all_qs, 1),
	};
	const struct block *all[] = {&x.match, &x.resched, &x.qs, &x.loop};

	for (int i = 0; i < 4; i++) {
		x.between.instr += all[i]->instr;
		x.between.ps += all[i]->ps;
	}
	return x;
}

int eh_inet_hash_connect(struct eh_cpu *c, struct eh_sock *sk)
{
	struct eh_host *h = sk->host;
	struct eh_inet_hash *t = h->hash;
	const struct eh_kernel_cost *k = &h->kernel->cost;
	struct search s = {
		.c = c,
		.h = h,
		.t = t,
		.sk = sk,
		.k = k,
		.u = eh_tuple_get(t, sk->raddr, sk->rport),
		.sym = EH_SYM(__inet_hash_connect),
		.sym_check = h->sym_check,
		.sym_hash = h->sym_hashfn,
		.cost = search_cost(h),
	};
	uint64_t before = t->stats.candidates;
	eh_time from;
	bool found;

	eh_cpu_point(c);
	from = c->retire;
	eh_load(c, s.sym, s.u->perturb_line, 0);
	s.offset = first_offset(&s);
	found = pass(&s);
	if (!found && t->remaining > 1) {
		t->stats.odd_passes++;
		s.offset++;
		found = pass(&s);
	}
	t->stats.searches++;
	t->stats.time += c->retire - from;
	h->candidates += t->stats.candidates - before;
	if (!found) {
		t->stats.failures++;
		return -EADDRNOTAVAIL;
	}
	h->connects++;
	return 0;
}
