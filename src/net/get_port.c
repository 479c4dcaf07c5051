/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inet_csk_get_port: the port of a bind(), given or chosen, and the walks for conflicts. In line with
 * v6.12; without bhash2 with v5.15.
 */
#include "inet_table.h"

#include <ehsim/rcu.h>
#include <errno.h>

struct get_port {
	struct eh_cpu *c;
	struct eh_host *h;
	struct eh_inet_hash *t;
	struct eh_sock *sk;
	const struct eh_kernel_cost *cost;
	bool relax; /* sockets that both allow reuse do not conflict */
	uint16_t port;
	uint64_t looks; /* ports of its own choice */
	struct eh_bind_bucket *tb;
	struct eh_bind2_bucket *tb2;
};

static bool by_address(const struct get_port *g)
{
	return g->t->on.bhash2 && g->sk->laddr;
}

/* inet_bind_conflict, of sockets whose addresses meet. */
static bool conflict(const struct get_port *g, const struct eh_sock *other)
{
	if (g->sk->reuse && other->reuse && other->state != EH_TCP_LISTEN)
		return !g->relax;
	return true;
}

static bool addresses_meet(const struct get_port *g, const struct eh_sock *other)
{
	return !g->sk->laddr || !other->laddr || g->sk->laddr == other->laddr;
}

/* One after the other through their bind nodes; IPv6 addresses are in a socket's second line. */
static bool walk(const struct get_port *g, const struct eh_bind2_bucket *tb2, eh_time known)
{
	const int sym = EH_SYM(inet_csk_bind_conflict);
	bool found = false;

	for (const struct eh_sock *other = tb2->owners; other && !found; other = other->bind_next) {
		eh_time next = eh_load(g->c, sym, other->obj->line, known);

		if (g->h->ipv6)
			eh_load(g->c, sym, other->obj->line + 1, known);
		eh_work(g->c, sym, g->cost->conflict);
		g->t->bind_stats.walked++;
		found = other != g->sk && addresses_meet(g, other) && conflict(g, other);
		known = next;
	}
	eh_mispredict(g->c, known);
	return found;
}

/* Under the locks: does anybody on the port forbid it? */
static bool port_conflict(const struct get_port *g)
{
	const int sym = EH_SYM(inet_csk_bind_conflict);

	if (by_address(g))
		return g->tb2 && walk(g, g->tb2, eh_load(g->c, sym, g->tb2->obj->line + 1, 0));
	for (const struct eh_bind2_bucket *tb2 = g->tb->second; tb2; tb2 = tb2->next) {
		eh_time known = 0;

		if (tb2->obj)
			known = eh_load(g->c, sym, tb2->obj->line + 1, 0);
		if (walk(g, tb2, known))
			return true;
	}
	return false;
}

/* The chain of (laddr, port) in bhash2, whose lock is held. */
static struct eh_bind2_bucket *find_second(const struct get_port *g, uint32_t laddr)
{
	struct eh_bind2_bucket *tb2 = eh_bind2_find(g->t, g->tb, laddr, g->port), *at;
	const int sym = EH_SYM(inet_csk_get_port);
	eh_time known;

	if (!g->t->on.bhash2)
		return tb2;
	known = eh_load(g->c, sym, eh_bhash2(g->t, laddr, g->port)->line, 0);
	for (at = g->t->tb2[eh_bhash2_index(laddr, g->port)]; at; at = at->chained) {
		known = eh_load(g->c, sym, at->obj->line, known);
		if (at == tb2)
			break;
	}
	eh_mispredict(g->c, known);
	return tb2;
}

/* inet_bhash2_addr_any_conflict: whoever is bound to any address at this port. */
static bool any_conflict(const struct get_port *g)
{
	const struct eh_bind2_bucket *tb2;
	bool found;

	if (!by_address(g))
		return false;
	eh_bhash2_lock(g->c, g->t, 0, g->port);
	tb2 = find_second(g, 0);
	found = tb2 && walk(g, tb2, eh_load(g->c, EH_SYM(inet_csk_bind_conflict),
					    tb2->obj->line + 1, 0));
	eh_bhash2_unlock(g->c, g->t, 0, g->port, EH_SYM(inet_csk_get_port));
	return found;
}

static void lock_port(struct get_port *g)
{
	const int sym = EH_SYM(inet_csk_get_port);
	eh_time known;

	eh_local_bh_disable(g->c);
	eh_call(g->c, EH_SYM(_raw_spin_lock_bh), g->cost->spin_lock);
	eh_spin_lock(g->c, &g->t->bhash[g->port], &g->h->bhash_lock, EH_SYM(_raw_spin_lock_bh));
	g->tb = g->t->tb[g->port];
	g->tb2 = NULL;
	known = eh_load(g->c, sym, g->t->bhash[g->port].line, 0);
	if (g->tb)
		known = eh_load(g->c, sym, g->tb->obj->line, known);
	eh_mispredict(g->c, known);
}

static void unlock_port(struct get_port *g)
{
	eh_spin_unlock(g->c, &g->t->bhash[g->port], EH_SYM(inet_csk_get_port), g->cost->spin_unlock);
	eh_call(g->c, EH_SYM(__local_bh_enable_ip), g->cost->bh_enable);
	eh_local_bh_enable(g->c);
}

/* A port nobody has asked for: free, or without conflict. True: its locks are held. */
static bool try_candidate(struct get_port *g)
{
	g->t->stats.candidates++;
	g->looks++;
	eh_work(g->c, EH_SYM(inet_csk_get_port), g->cost->scan_loop);
	lock_port(g);
	if (!any_conflict(g)) {
		eh_bhash2_lock(g->c, g->t, g->sk->laddr, g->port);
		g->tb2 = find_second(g, g->sk->laddr);
		if (!g->tb || !port_conflict(g))
			return true;
		eh_bhash2_unlock(g->c, g->t, g->sk->laddr, g->port, EH_SYM(inet_csk_get_port));
	}
	unlock_port(g);
	eh_call(g->c, EH_SYM(__cond_resched), g->cost->cond_resched);
	eh_cpu_point(g->c);
	if (eh_unlikely(g->c->rcu_urgent))
		eh_rcu_all_qs(g->h->rcu, g->c);
	return false;
}

static bool find_in(struct get_port *g, struct eh_port_range r)
{
	uint32_t offset = (uint32_t)eh_stream_below(g->h->random, r.remaining);

	if (r.step == 2)
		offset |= 1; /* the parity connect() looks at last */
	for (int pass = 0; pass < (int)r.step; pass++, offset--) {
		for (uint32_t i = 0; i < r.remaining; i += r.step) {
			uint32_t at = offset + i;

			g->port = (uint16_t)(r.low + (at >= r.span ? at - r.remaining : at));
			if (!g->t->reserved[g->port] && try_candidate(g))
				return true;
		}
	}
	return false;
}

/* inet_csk_find_open_port: who allows reuse leaves the upper half of the range to others. */
static bool find_open_port(struct get_port *g)
{
	struct eh_port_range all = eh_port_range(g->t, g->sk), part = all;
	uint32_t half = all.span >> 2 << 1;

	g->relax = false;
	if (!g->sk->reuse || all.span < 4)
		return find_in(g, all);
	part.span = part.remaining = half;
	if (find_in(g, part))
		return true;
	part.low = all.low + half;
	part.span = all.span - half;
	part.remaining = part.step == 2 ? part.span & ~1u : part.span;
	return find_in(g, part);
}

/* The asked-for port. True: its locks are held. */
static bool take_given(struct get_port *g)
{
	bool shared;

	g->relax = true;
	lock_port(g);
	shared = g->tb && g->tb->fastreuse > 0 && g->sk->reuse;
	if (!shared && any_conflict(g)) {
		unlock_port(g);
		return false;
	}
	eh_bhash2_lock(g->c, g->t, g->sk->laddr, g->port);
	g->tb2 = find_second(g, g->sk->laddr);
	if (shared || !g->tb || !port_conflict(g))
		return true;
	eh_bhash2_unlock(g->c, g->t, g->sk->laddr, g->port, EH_SYM(inet_csk_get_port));
	unlock_port(g);
	return false;
}

/* inet_csk_update_fastreuse, inet_bind_hash */
static void take(struct get_port *g)
{
	struct eh_bind_bucket *tb = g->tb;

	if (!tb) {
		tb = eh_bind_bucket_create(g->c, g->t, g->port);
		tb->fastreuse = g->sk->reuse;
	} else if (!g->sk->reuse) {
		tb->fastreuse = 0;
	}
	eh_store(g->c, EH_SYM(inet_csk_get_port), tb->obj->line);
	g->sk->lport = g->port;
	g->sk->bound = true;
	eh_ports_refresh(g->t, g->port);
	eh_bind_hash(g->c, g->sk, tb);
	eh_bhash2_unlock(g->c, g->t, g->sk->laddr, g->port, EH_SYM(inet_csk_get_port));
	unlock_port(g);
}

/* A search like any other. */
static void count_search(struct get_port *g, bool found, eh_time took)
{
	struct eh_search_stats *st = &g->t->stats;

	st->searches++;
	st->failures += !found;
	st->ended += g->looks;
	st->time += took;
	g->h->candidates += g->looks;
}

int eh_inet_get_port(struct eh_cpu *c, struct eh_sock *sk, uint16_t port)
{
	struct eh_host *h = sk->host;
	struct get_port g = {
		.c = c,
		.h = h,
		.t = h->hash,
		.sk = sk,
		.cost = &h->kernel->cost,
		.port = port,
	};
	struct eh_bind_stats *st = &h->hash->bind_stats;
	eh_time from;
	bool found;

	eh_cpu_point(c);
	from = c->retire;
	eh_path(c, EH_SYM(inet_csk_get_port), g.cost->get_port);
	found = port ? take_given(&g) : find_open_port(&g);
	if (found)
		take(&g);
	st->binds++;
	st->failures += !found;
	if (!port)
		count_search(&g, found, c->retire - from);
	return found ? 0 : -EADDRINUSE;
}

void eh_inet_bind_stats(const struct eh_host *h, struct eh_bind_stats *st)
{
	*st = h->hash->bind_stats;
}
