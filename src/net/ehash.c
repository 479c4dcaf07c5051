/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inet_table.h"

#include <ehsim/check.h>
#include <ehsim/packet.h>
#include <ehsim/tcp.h>

uint32_t eh_ehashfn(const struct eh_inet_hash *t, uint32_t laddr, uint16_t lport, uint32_t raddr,
		    uint16_t rport)
{
	uint16_t mixed = t->on.linear_port_hash ? 0 : lport;
	const uint64_t words[] = {(uint64_t)laddr << 32 | raddr, (uint64_t)mixed << 16 | rport};
	uint32_t hash = (uint32_t)eh_siphash(t->secret[0], t->secret[1], words, 2);

	return t->on.linear_port_hash ? hash + lport : hash;
}

/* Records of the ports whose sockets share this chain: `before` may have changed. */
static void refresh_chain(struct eh_inet_hash *t, uint32_t bucket)
{
	for (struct eh_sock *sk = t->bucket[bucket]; sk; sk = sk->ehash_next)
		if (sk->tuple)
			eh_port_refresh(t, sk->tuple, sk->lport);
}

static void impossible(const struct eh_host *h, char *why)
{
	if (eh_unlikely(why != NULL))
		eh_assert_failed(h->sim, why, __FILE__, __LINE__);
}

void eh_ehash_add(struct eh_inet_hash *t, struct eh_sock *sk)
{
	struct eh_sock **head;

	sk->bucket = eh_ehashfn(t, sk->laddr, sk->lport, sk->raddr, sk->rport) & t->bucket_mask;
	head = &t->bucket[sk->bucket];
	sk->ehash_next = *head;
	sk->ehash_pprev = head;
	if (*head)
		(*head)->ehash_pprev = &sk->ehash_next;
	*head = sk;
	sk->hashed = true;
	sk->hashed_at = eh_sim_now(sk->host->sim);
	if (eh_unlikely(sk->ehash_next))
		impossible(sk->host, eh_tuple_problem(sk));
	if (sk->tuple)
		sk->tuple->sk[sk->lport] = sk;
	refresh_chain(t, sk->bucket);
	if (sk->tuple && sk->state == EH_TCP_TIME_WAIT) /* no longer rejected without a lock */
		eh_lookahead_port(t, sk->lport);
}

void eh_ehash_del(struct eh_inet_hash *t, struct eh_sock *sk)
{
	*sk->ehash_pprev = sk->ehash_next;
	if (sk->ehash_next)
		sk->ehash_next->ehash_pprev = sk->ehash_pprev;
	sk->hashed = false;
	if (sk->tuple && sk->tuple->sk[sk->lport] == sk) {
		sk->tuple->sk[sk->lport] = NULL;
		eh_port_refresh(t, sk->tuple, sk->lport);
		eh_lookahead_port(t, sk->lport);
	}
	refresh_chain(t, sk->bucket);
}

struct eh_spinlock *eh_ehash_lockp(struct eh_inet_hash *t, const struct eh_sock *sk)
{
	return &t->ehash_locks[eh_ehashfn(t, sk->laddr, sk->lport, sk->raddr, sk->rport) &
			       t->lock_mask];
}

static eh_line_id bucket_line(const struct eh_inet_hash *t, uint32_t bucket)
{
	return t->bucket_lines + bucket / 8;
}

void eh_ehash_insert_locked(struct eh_cpu *c, struct eh_sock *sk, int sym)
{
	struct eh_inet_hash *t = sk->host->hash;
	struct eh_sock *old;

	eh_ehash_add(t, sk);
	old = sk->ehash_next;
	eh_load(c, sym, bucket_line(t, sk->bucket), 0);
	eh_store(c, sym, sk->obj->line + 1);
	eh_store(c, sym, bucket_line(t, sk->bucket));
	if (old)
		eh_store(c, sym, old->obj->line + 1);
}

void eh_ehash_remove_locked(struct eh_cpu *c, struct eh_sock *sk, int sym)
{
	struct eh_inet_hash *t = sk->host->hash;
	struct eh_sock *next = sk->ehash_next;
	bool first = sk->ehash_pprev == &t->bucket[sk->bucket];

	eh_load(c, sym, sk->obj->line + 1, 0);
	eh_ehash_del(t, sk);
	if (first)
		eh_store(c, sym, bucket_line(t, sk->bucket));
	if (next)
		eh_store(c, sym, next->obj->line + 1);
	eh_store(c, sym, sk->obj->line + 1);
}

static int lock_symbol(bool process)
{
	return process ? EH_SYM(_raw_spin_lock_bh) : EH_SYM(_raw_spin_lock);
}

void eh_inet_unhash(struct eh_cpu *c, struct eh_sock *sk, bool process)
{
	struct eh_host *h = sk->host;
	struct eh_inet_hash *t = h->hash;
	const struct eh_kernel_cost *k = &h->kernel->cost;
	struct eh_spinlock *lock = eh_ehash_lockp(t, sk);
	const int sym = EH_SYM(inet_unhash);

	eh_path(c, sym, k->unhash);
	if (process)
		eh_local_bh_disable(c);
	eh_spin_lock(c, lock, &h->ehash_lock, lock_symbol(process));
	if (sk->hashed)
		eh_ehash_remove_locked(c, sk, sym);
	eh_spin_unlock(c, lock, sym, k->spin_unlock);
	if (process) {
		eh_call(c, EH_SYM(__local_bh_enable_ip), k->bh_enable);
		eh_local_bh_enable(c);
	}
}

void eh_inet_reqsk_insert(struct eh_cpu *c, struct eh_sock *req)
{
	struct eh_host *h = req->host;
	struct eh_spinlock *lock = eh_ehash_lockp(h->hash, req);
	const int sym = EH_SYM(inet_csk_reqsk_queue_hash_add);

	eh_path(c, sym, h->kernel->cost.ehash_insert);
	eh_spin_lock(c, lock, &h->ehash_lock, EH_SYM(_raw_spin_lock));
	eh_ehash_insert_locked(c, req, sym);
	eh_spin_unlock(c, lock, sym, h->kernel->cost.spin_unlock);
}

void eh_inet_hashdance(struct eh_cpu *c, struct eh_sock *req, struct eh_sock *child)
{
	struct eh_host *h = req->host;
	struct eh_spinlock *lock = eh_ehash_lockp(h->hash, req);
	const int sym = EH_SYM(inet_csk_complete_hashdance);

	eh_path(c, sym, h->kernel->cost.hashdance);
	eh_spin_lock(c, lock, &h->ehash_lock, EH_SYM(_raw_spin_lock));
	if (req->hashed) {
		eh_ehash_del(h->hash, req);
		eh_store(c, sym, req->obj->line + 1);
	}
	eh_ehash_insert_locked(c, child, sym);
	eh_spin_unlock(c, lock, sym, h->kernel->cost.spin_unlock);
}

bool eh_inet_same_chain(const struct eh_sock *sk, const struct eh_sock *tuple)
{
	const struct eh_inet_hash *t = sk->host->hash;

	return (eh_ehashfn(t, tuple->laddr, tuple->lport, tuple->raddr, tuple->rport) &
		t->bucket_mask) == sk->bucket;
}

static bool matches(const struct eh_sock *sk, uint32_t laddr, uint16_t lport, uint32_t raddr,
		    uint16_t rport)
{
	return sk->laddr == laddr && sk->lport == lport && sk->raddr == raddr && sk->rport == rport;
}

/* The entry behind sk, read when sk's node is there; *moved: the walk is in another chain by now. */
static struct eh_sock *next_entry(struct eh_cpu *c, const struct eh_sock *sk, uint32_t bucket,
				  bool *moved)
{
	eh_cpu_sync(c, c->retire);
	*moved = !sk->ehash_next && sk->bucket != bucket;
	return sk->ehash_next;
}

/* One walk: the match or NULL. *moved: the chain that ended was another. */
static struct eh_sock *walk(struct eh_cpu *c, struct eh_host *h, uint32_t bucket, int sym,
			    eh_time known, const struct eh_packet *p, bool *moved)
{
	struct eh_inet_hash *t = h->hash;
	struct eh_sock *sk;

	*moved = false;
	known = eh_load(c, sym, bucket_line(t, bucket), known);
	for (sk = t->bucket[bucket]; sk; sk = next_entry(c, sk, bucket, moved)) {
		eh_time node = known;

		if (eh_likely(sk->obj)) {
			node = eh_load(c, sym, sk->obj->line + 1, known);
			eh_load(c, sym, sk->obj->line, known);
		}
		eh_work(c, sym, h->kernel->cost.match);
		known = node;
		if (matches(sk, p->daddr, p->dport, p->saddr, p->sport))
			break;
	}
	return sk;
}

struct eh_sock *eh_inet_lookup(struct eh_cpu *c, struct eh_host *h, uint32_t laddr, uint16_t lport,
			       uint32_t raddr, uint16_t rport)
{
	const struct eh_packet to = {.daddr = laddr, .dport = lport, .saddr = raddr, .sport = rport};
	struct eh_inet_hash *t = h->hash;
	struct eh_tcp_counts *count = &h->tcp->count;
	const struct eh_kernel_cost *k = &h->kernel->cost;
	const int sym = h->ipv6 ? EH_SYM(__inet6_lookup_established) :
				  EH_SYM(__inet_lookup_established);
	uint32_t bucket = eh_ehashfn(t, laddr, lport, raddr, rport) & t->bucket_mask;
	eh_time known, since;

	eh_path(c, sym, k->lookup);
	known = h->ipv6 ? eh_chain(c, h->sym_hashfn, k->hash6, k->hash6_cycles, 0) :
			  eh_chain(c, h->sym_hashfn, k->hash4, k->hash4_cycles, 0);
	for (;;) {
		struct eh_sock *sk;
		bool moved;

		eh_cpu_sync(c, c->retire);
		since = eh_sim_now(c->sim);
		sk = walk(c, h, bucket, sym, known, &to, &moved);
		if (eh_unlikely(moved)) {
			count->wrong_chain++;
			count->lookup_restarts++;
			continue;
		}
		if (!sk) {
			const struct eh_sock of = {.laddr = laddr, .lport = lport, .raddr = raddr,
						   .rport = rport};

			impossible(h, eh_lookup_problem(h, &of, since));
			return NULL;
		}
		eh_rmw(c, sym, sk->obj ? sk->obj->line + 2 : bucket_line(t, bucket));
		if (eh_unlikely(!sk->obj)) { /* no reference left */
			count->lookup_gone++;
			return NULL;
		}
		if (eh_likely(matches(sk, laddr, lport, raddr, rport)))
			return sk;
		eh_sock_put(c, sk, sym);
		count->lookup_restarts++;
	}
}

void eh_sock_put(struct eh_cpu *c, struct eh_sock *sk, int sym)
{
	if (sk->obj)
		eh_rmw(c, sym, sk->obj->line + 2);
}
