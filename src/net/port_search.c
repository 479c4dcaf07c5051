/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The port search of connect(): __inet_hash_connect. In S0 each candidate takes two locks, with one
 * of the two RCU switches one (port_locked.c); S1's lockless walk runs ahead of the clock
 * (look_ahead.c).
 */
#include "sampler.h"

#include <errno.h>

/* S1 at a port that is not rejected for sure: the lockless walk first, then perhaps the locks. */
static bool try_lockless(struct search *s, uint32_t port)
{
	struct eh_core *k = &s->c->core;
	const struct eh_port *p = &s->u->ports[port];
	struct charges x = {0};

	if (rejected_for_sure(p)) /* somebody else took it meanwhile: the scan goes on */
		return false;
	s->t->stats.candidates++;
	s->seen++;
	if (p->state != EH_PORT_FREE) {
		read_head_and_bucket(s, k, &x, p, port, NULL);
		eh_walk_chain(s, &x, port, check_and_hash(s, k, &x));
	} else {
		eh_time head = eh_load(s->c, EH_SYM(__inet_hash_connect),
				       s->t->bhash_lines + port / BIND_PER_LINE, 0);

		eh_mispredict(s->c, head);
	}
	settle(s, &x);
	return eh_try_locked(s, port);
}

/* Between candidates: interrupts, and a quiescent state if RCU has asked for one. */
static void breathe(struct search *s)
{
	eh_cpu_point(s->c);
	if (eh_unlikely(s->c->need_resched && s->c->curr)) {
		struct eh_account *account = eh_cpu_enter(s->c, EH_DOING_KERNEL);

		eh_task_yield(s->c->curr);
		eh_cpu_leave(s->c, account);
	} else if (eh_unlikely(s->c->rcu_urgent)) {
		eh_rcu_all_qs(s->h->rcu, s->c);
	}
}

/* A sampled run: a piece of walk over rejected candidates, fast or in detail, or one that may be taken. */
static bool sampled(struct search *s, bool lockless)
{
	struct eh_piece piece;
	bool found = false;

	if (!rejected_for_sure(&s->u->ports[port_at(s, s->i)]))
		return lockless ? try_lockless(s, port_at(s, s->i)) : eh_scan_locked(s);
	if (eh_sample_fast(s->t->sampler) && s->range.step == 2) {
		eh_scan_fast(s);
		return false;
	}
	eh_piece_begin(s, &piece);
	if (lockless)
		eh_scan_lockless(s);
	else
		found = eh_scan_locked(s);
	eh_piece_end(s, &piece, found);
	return found;
}

static bool pass(struct search *s)
{
	const bool lockless = s->t->on.rcu_check && s->t->on.rcu_bind_walk;

	s->i = 0;
	while (s->i < s->range.remaining) {
		breathe(s);
		if (eh_unlikely(s->t->sampler != NULL)) {
			if (sampled(s, lockless))
				return true;
			continue;
		}
		if (!lockless) {
			if (eh_scan_locked(s))
				return true;
			continue;
		}
		eh_scan_lockless(s);
		if (s->i < s->range.remaining && !rejected_for_sure(&s->u->ports[port_at(s, s->i)])) {
			breathe(s);
			if (try_lockless(s, port_at(s, s->i)))
				return true;
		}
	}
	return false;
}

struct eh_port_range eh_port_range(const struct eh_inet_hash *t, const struct eh_sock *sk)
{
	const struct eh_kernel_config *k = t->host->kernel;
	uint32_t low = (uint32_t)k->port_low, high = (uint32_t)k->port_high;
	struct eh_port_range r = {.step = sk->port_low || sk->port_high ? 1 : 2};

	if (low <= sk->port_low && sk->port_low <= high)
		low = sk->port_low;
	if (low <= sk->port_high && sk->port_high <= high)
		high = sk->port_high;
	r.low = low;
	r.span = r.remaining = high - low + 1;
	if (r.step == 2 && r.span > 1)
		r.remaining &= ~1u;
	return r;
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

	offset %= s->range.remaining;
	return s->range.step == 1 ? offset : offset & ~1u;
}

void eh_port_cursor_set(struct eh_inet_hash *t, struct eh_tuple *u, uint16_t port)
{
	struct eh_sock sk = {.laddr = t->host->addr, .raddr = u->raddr, .rport = u->rport};
	struct search s = {.c = &t->host->m->cpus[0], .t = t, .u = u, .sk = &sk};

	u->perturb = 0;
	u->perturb = port - t->range.low - (uint32_t)(port_offset(&s) >> 32) % t->range.remaining +
		     t->range.remaining;
}

/* bind() has given it a port: one look, under the ehash lock alone. */
static int connect_from_port(struct search *s)
{
	bool unique;

	eh_local_bh_disable(s->c);
	unique = eh_check_established(s, s->sk->lport);
	eh_call(s->c, EH_SYM(__local_bh_enable_ip), s->h->kernel->cost.bh_enable);
	eh_local_bh_enable(s->c);
	s->h->connects += unique;
	if (s->tw)
		eh_twsk_deschedule_put(s->c, s->tw);
	return unique ? 0 : -EADDRNOTAVAIL;
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
		.range = eh_port_range(t, sk),
	};
	struct eh_account *account;
	eh_time from;
	uint32_t first;
	bool found;

	eh_cpu_point(c);
	from = c->retire;
	account = eh_cpu_enter(c, EH_DOING_SEARCH);
	eh_load(c, EH_SYM(__inet_hash_connect), s.u->perturb_line, 0);
	eh_work(c, EH_SYM(__inet_hash_connect), h->kernel->cost.scan_loop);
	work(&s, &c->core, &c->charged[h->sym_hashfn], t->cost.connect_hash);
	if (sk->lport)
		return connect_from_port(&s);
	s.offset = first = first_offset(&s);
	found = pass(&s);
	if (!found && s.range.step == 2 && s.range.remaining > 1) {
		t->stats.odd_passes++;
		s.offset++;
		found = pass(&s);
	}
	eh_cpu_leave(c, account);
	t->stats.searches++;
	t->stats.ended += s.seen;
	t->stats.time += c->retire - from;
	h->candidates += s.seen;
	if (h->searches)
		eh_hist_add(h->searches, (int64_t)s.seen);
	if (!found) {
		t->stats.failures++;
		return -EADDRNOTAVAIL;
	}
	if (h->walks)
		eh_series_add(h->walks, (const double[]){(double)c->retire / (double)EH_SEC,
							 (double)from / (double)EH_SEC,
							 s.range.low + first, sk->lport, (double)s.seen});
	h->connects++;
	if (s.tw)
		eh_twsk_deschedule_put(c, s.tw);
	return 0;
}
