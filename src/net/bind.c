/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inet_table.h"

#include <ehsim/check.h>

static void charge_unlock_bh(struct eh_cpu *c, const struct eh_kernel_cost *k)
{
	eh_call(c, EH_SYM(__local_bh_enable_ip), k->bh_enable);
	eh_local_bh_enable(c);
}

struct eh_bind_bucket *eh_bind_bucket_create(struct eh_cpu *c, struct eh_inet_hash *t, uint16_t port)
{
	struct eh_host *h = t->host;
	struct eh_object *obj = eh_net_alloc(c, h, h->tb_cache);
	const int sym = EH_SYM(inet_bind_bucket_create);
	struct eh_bind_bucket *tb;

	h->in_hand++;
	eh_path(c, sym, h->kernel->cost.bind_bucket);
	eh_store(c, sym, obj->line);
	tb = t->tb[port] = g_new0(struct eh_bind_bucket, 1); /* the table frees it if we never return */
	tb->obj = obj;
	h->in_hand--;
	tb->fastreuse = -1;
	eh_ports_refresh(t, port);
	return tb;
}

struct eh_bind2_bucket *eh_bind2_find(const struct eh_inet_hash *t, const struct eh_bind_bucket *tb,
				      uint32_t laddr, uint16_t port)
{
	struct eh_bind2_bucket *tb2;

	if (!t->on.bhash2)
		return tb ? tb->second : NULL;
	tb2 = t->tb2[eh_bhash2_index(laddr, port)];
	while (tb2 && (tb2->laddr != laddr || tb2->port != port))
		tb2 = tb2->chained;
	return tb2;
}

static struct eh_bind2_bucket *add_second(struct eh_inet_hash *t, struct eh_bind_bucket *tb,
					  const struct eh_sock *sk, uint16_t port,
					  struct eh_object *obj)
{
	struct eh_bind2_bucket *tb2 = g_new0(struct eh_bind2_bucket, 1), **head;

	tb2->laddr = sk->laddr;
	tb2->port = port;
	tb2->obj = obj;
	tb2->next = tb->second;
	tb2->pprev = &tb->second;
	if (tb2->next)
		tb2->next->pprev = &tb2->next;
	tb->second = tb2;
	if (!t->on.bhash2)
		return tb2;
	head = &t->tb2[eh_bhash2_index(sk->laddr, port)];
	tb2->chained = *head;
	tb2->pchained = head;
	if (*head)
		(*head)->pchained = &tb2->chained;
	*head = tb2;
	return tb2;
}

static void free_second(struct eh_bind2_bucket *tb2)
{
	*tb2->pprev = tb2->next;
	if (tb2->next)
		tb2->next->pprev = tb2->pprev;
	if (tb2->pchained)
		*tb2->pchained = tb2->chained;
	if (tb2->chained)
		tb2->chained->pchained = tb2->pchained;
	g_free(tb2);
}

static void add_owner(struct eh_bind_bucket *tb, struct eh_bind2_bucket *tb2, struct eh_sock *sk)
{
	sk->tb = tb;
	sk->tb2 = tb2;
	sk->bind_next = tb2->owners;
	sk->bind_pprev = &tb2->owners;
	if (tb2->owners)
		tb2->owners->bind_pprev = &sk->bind_next;
	tb2->owners = sk;
	tb->owners++;
}

static void remove_owner(struct eh_sock *sk)
{
	*sk->bind_pprev = sk->bind_next;
	if (sk->bind_next)
		sk->bind_next->bind_pprev = sk->bind_pprev;
	sk->tb->owners--;
	sk->tb = NULL;
	sk->tb2 = NULL;
}

/* Where the list of owners begins: tb2's second line, or (before bhash2) the first of tb. */
static eh_line_id owners_line(const struct eh_bind_bucket *tb, const struct eh_bind2_bucket *tb2)
{
	return tb2->obj ? tb2->obj->line + 1 : tb->obj->line;
}

/* Under bhash and bhash2 locks. */
void eh_bind_hash(struct eh_cpu *c, struct eh_sock *sk, struct eh_bind_bucket *tb)
{
	struct eh_host *h = sk->host;
	struct eh_inet_hash *t = h->hash;
	struct eh_bind2_bucket *tb2 = eh_bind2_find(t, tb, sk->laddr, sk->lport);
	const int sym = EH_SYM(inet_bind_hash);

	if (!tb2) {
		struct eh_object *obj = NULL;

		if (t->on.bhash2) {
			obj = eh_net_alloc(c, h, h->tb2_cache);
			h->in_hand++;
			eh_store(c, sym, obj->line);
			h->in_hand--;
		}
		tb2 = add_second(t, tb, sk, sk->lport, obj);
	}
	eh_path(c, sym, h->kernel->cost.bind_hash);
	add_owner(tb, tb2, sk);
	eh_store(c, sym, owners_line(tb, tb2));
	eh_store(c, sym, sk->obj->line); /* bind node */
}

void eh_bind_bucket_forget(struct eh_bind_bucket *tb)
{
	while (tb && tb->second)
		free_second(tb->second);
	g_free(tb);
}

/* A grace period later. */
static void free_waiting(struct eh_cpu *c, struct eh_kmem_cache *k, struct eh_object *obj)
{
	struct eh_host *h = c->host;

	eh_net_free(c, h, k, obj);
	h->hash->tb_waiting--;
}

void eh_bind_bucket_put(struct eh_cpu *c, struct eh_inet_hash *t, struct eh_sock *sk)
{
	struct eh_host *h = t->host;
	struct eh_bind_bucket *tb = sk->tb;
	struct eh_bind2_bucket *tb2 = sk->tb2;
	struct eh_object *obj = tb->obj, *obj2 = tb2->obj;
	const int sym = EH_SYM(__inet_put_port);

	eh_store(c, sym, owners_line(tb, tb2));
	eh_store(c, sym, sk->obj->line);
	remove_owner(sk);
	if (tb2->owners)
		return;
	free_second(tb2);
	h->in_hand += 2;
	if (!tb->second) {
		t->tb[sk->lport] = NULL;
		g_free(tb);
		eh_ports_refresh(t, sk->lport);
		eh_lookahead_port(t, sk->lport);
		eh_store(c, sym, t->bhash[sk->lport].line);
	} else {
		obj = NULL;
	}
	if (obj2)
		eh_kmem_free(c, h->tb2_cache, obj2);
	h->in_hand--;
	if (obj && t->on.rcu_bind_walk)
		t->tb_waiting++;
	else if (obj)
		eh_kmem_free(c, h->tb_cache, obj);
	h->in_hand--;
	if (obj && t->on.rcu_bind_walk)
		eh_kfree_rcu(h->rcu, c, h->tb_cache, obj, free_waiting);
}

void eh_inet_put_port(struct eh_cpu *c, struct eh_sock *sk, bool process)
{
	struct eh_host *h = sk->host;
	struct eh_inet_hash *t = h->hash;
	const struct eh_kernel_cost *k = &h->kernel->cost;
	const int sym = EH_SYM(__inet_put_port);
	uint16_t port = sk->lport;

	eh_path(c, sym, k->put_port);
	if (process)
		eh_local_bh_disable(c);
	eh_spin_lock(c, &t->bhash[port], &h->bhash_lock, EH_SYM(_raw_spin_lock));
	eh_bhash2_lock(c, t, sk->laddr, port);
	if (sk->tb)
		eh_bind_bucket_put(c, t, sk);
	eh_bhash2_unlock(c, t, sk->laddr, port, sym);
	eh_spin_unlock(c, &t->bhash[port], sym, k->spin_unlock);
	if (process)
		charge_unlock_bh(c, k);
	sk->tuple = NULL;
}

void eh_inet_share_port(struct eh_cpu *c, struct eh_sock *owner, struct eh_sock *sk, int sym)
{
	struct eh_host *h = sk->host;
	struct eh_inet_hash *t = h->hash;
	const struct eh_kernel_cost *k = &h->kernel->cost;
	uint16_t port = sk->lport;

	eh_path(c, sym, k->bind_hash);
	eh_spin_lock(c, &t->bhash[port], &h->bhash_lock, EH_SYM(_raw_spin_lock));
	eh_bhash2_lock(c, t, sk->laddr, port);
	eh_load(c, sym, owner->tb->obj->line, 0);
	eh_bind_hash(c, sk, owner->tb);
	eh_bhash2_unlock(c, t, sk->laddr, port, sym);
	eh_spin_unlock(c, &t->bhash[port], sym, k->spin_unlock);
}

void eh_inet_inherit_port(struct eh_cpu *c, struct eh_sock *listener, struct eh_sock *child)
{
	eh_inet_share_port(c, listener, child, EH_SYM(__inet_inherit_port));
}

static void preset_owner(struct eh_sock *sk, uint16_t port, int cpu)
{
	struct eh_host *h = sk->host;
	struct eh_inet_hash *t = h->hash;
	struct eh_bind_bucket *tb = t->tb[port];
	struct eh_bind2_bucket *tb2;

	if (!tb) {
		tb = t->tb[port] = g_new0(struct eh_bind_bucket, 1);
		tb->obj = eh_kmem_preset(h->tb_cache, cpu);
		tb->fastreuse = sk->bound ? sk->reuse : -1;
	}
	tb2 = eh_bind2_find(t, tb, sk->laddr, port);
	if (!tb2)
		tb2 = add_second(t, tb, sk, port,
				 t->on.bhash2 ? eh_kmem_preset(h->tb2_cache, cpu) : NULL);
	add_owner(tb, tb2, sk);
}

void eh_inet_preset_bound(struct eh_sock *sk, uint16_t port, int cpu)
{
	struct eh_inet_hash *t = sk->host->hash;

	sk->lport = port;
	sk->bound = true;
	if (!sk->obj)
		sk->obj = eh_kmem_preset(sk->host->sk_cache, cpu);
	preset_owner(sk, port, cpu);
	if (!sk->reuse)
		sk->tb->fastreuse = 0;
	eh_ports_refresh(t, port);
}

void eh_inet_displaced(const struct eh_sock *sk)
{
	struct eh_machine *m = sk->host->m;

	for (eh_line_id i = 0; i < 2; i++) {
		eh_line_displaced(m, sk->obj->line + i);
		if (sk->tb2->obj)
			eh_line_displaced(m, sk->tb2->obj->line + i);
	}
	eh_line_displaced(m, sk->tb->obj->line);
}

void eh_inet_preset(struct eh_sock *sk, uint16_t port, int cpu)
{
	struct eh_host *h = sk->host;
	struct eh_inet_hash *t = h->hash;

	sk->lport = port;
	if (!sk->obj)
		sk->obj = eh_kmem_preset(h->sk_cache, cpu);
	preset_owner(sk, port, cpu);
	if (sk->tb->fastreuse < 0 || sk->bound)
		sk->tuple = eh_tuple_get(t, sk->raddr, sk->rport);
	eh_ehash_add(t, sk);
	for (int i = 0; i < 2; i++)
		eh_line_shared(h->m, sk->obj->line + (eh_line_id)i);
	eh_line_shared(h->m, sk->tb->obj->line);
	eh_line_shared(h->m, t->bucket_lines + sk->bucket / 8);
	eh_line_written_by(h->m, t->bhash[port].line, cpu);
	eh_line_written_by(h->m, eh_ehash_lockp(t, sk)->line, cpu);
	eh_ports_refresh(t, port);
}

void eh_inet_listen(struct eh_sock *sk, uint16_t port)
{
	struct eh_inet_hash *t = sk->host->hash;

	sk->lport = port;
	sk->bound = true;
	preset_owner(sk, port, 0);
	eh_ports_refresh(t, port);
}
