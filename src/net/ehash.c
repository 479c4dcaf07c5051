/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inet_table.h"

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
	if (sk->tuple)
		sk->tuple->sk[sk->lport] = sk;
	refresh_chain(t, sk->bucket);
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
	if (sk->hashed) {
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

struct eh_sock *eh_inet_lookup(struct eh_cpu *c, struct eh_host *h, uint32_t laddr, uint16_t lport,
			       uint32_t raddr, uint16_t rport)
{
	struct eh_inet_hash *t = h->hash;
	const struct eh_kernel_cost *k = &h->kernel->cost;
	const int sym = h->ipv6 ? EH_SYM(__inet6_lookup_established) :
				  EH_SYM(__inet_lookup_established);
	uint32_t bucket;
	eh_time known;
	struct eh_sock *sk;

	eh_path(c, sym, k->lookup);
	known = h->ipv6 ? eh_chain(c, h->sym_hashfn, k->hash6, k->hash6_cycles, 0) :
			  eh_chain(c, h->sym_hashfn, k->hash4, k->hash4_cycles, 0);
	eh_cpu_sync(c, c->retire);
	bucket = eh_ehashfn(t, laddr, lport, raddr, rport) & t->bucket_mask;
	known = eh_load(c, sym, bucket_line(t, bucket), known);
	for (sk = t->bucket[bucket]; sk; sk = sk->ehash_next) {
		eh_time node = eh_load(c, sym, sk->obj->line + 1, known);

		eh_load(c, sym, sk->obj->line, known);
		eh_work(c, sym, k->match);
		known = node;
		if (sk->laddr == laddr && sk->lport == lport && sk->raddr == raddr &&
		    sk->rport == rport)
			break;
	}
	if (sk)
		eh_rmw(c, sym, sk->obj->line + 2);
	return sk;
}

void eh_sock_put(struct eh_cpu *c, struct eh_sock *sk, int sym)
{
	if (sk->obj)
		eh_rmw(c, sym, sk->obj->line + 2);
}
