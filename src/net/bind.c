/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inet_table.h"

static void charge_unlock_bh(struct eh_cpu *c, const struct eh_kernel_cost *k)
{
	eh_call(c, EH_SYM(__local_bh_enable_ip), k->bh_enable);
	eh_local_bh_enable(c);
}

struct eh_bind_bucket *eh_bind_bucket_create(struct eh_cpu *c, struct eh_inet_hash *t, uint16_t port)
{
	struct eh_host *h = t->host;
	struct eh_object *obj = eh_kmem_alloc(c, h->tb_cache);
	const int sym = EH_SYM(inet_bind_bucket_create);
	struct eh_bind_bucket *tb;

	eh_path(c, sym, h->kernel->cost.bind_bucket);
	eh_store(c, sym, obj->line);
	tb = t->tb[port] = g_new0(struct eh_bind_bucket, 1); /* the table frees it if we never return */
	tb->obj = obj;
	eh_ports_refresh(t, port);
	return tb;
}

/* Under bhash and bhash2 locks. */
void eh_bind_hash(struct eh_cpu *c, struct eh_sock *sk, struct eh_bind_bucket *tb)
{
	struct eh_host *h = sk->host;
	const int sym = EH_SYM(inet_bind_hash);

	if (!tb->obj2) {
		tb->obj2 = eh_kmem_alloc(c, h->tb2_cache);
		eh_store(c, sym, tb->obj2->line);
	}
	eh_path(c, sym, h->kernel->cost.bind_hash);
	tb->owners++;
	sk->tb = tb;
	eh_store(c, sym, tb->obj2->line + 1); /* list of owners */
	eh_store(c, sym, sk->obj->line);      /* bind node */
}

/* Under both locks: the last owner takes the buckets with it. */
static void bind_bucket_put(struct eh_cpu *c, struct eh_inet_hash *t, struct eh_sock *sk)
{
	struct eh_host *h = t->host;
	struct eh_bind_bucket *tb = sk->tb;
	struct eh_object *obj = tb->obj, *obj2 = tb->obj2;
	const int sym = EH_SYM(__inet_put_port);

	eh_store(c, sym, obj2->line + 1);
	eh_store(c, sym, sk->obj->line);
	sk->tb = NULL;
	if (--tb->owners)
		return;
	t->tb[sk->lport] = NULL;
	g_free(tb);
	eh_ports_refresh(t, sk->lport);
	eh_lookahead_port(t, sk->lport);
	eh_store(c, sym, t->bhash[sk->lport].line);
	eh_kmem_free(c, h->tb2_cache, obj2);
	if (h->kernel->connect >= EH_S1)
		eh_kfree_rcu(h->rcu, c, h->tb_cache, obj, eh_kmem_free);
	else
		eh_kmem_free(c, h->tb_cache, obj);
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
	eh_spin_lock(c, &t->bhash2[port], &h->bhash2_lock, EH_SYM(_raw_spin_lock));
	if (sk->tb)
		bind_bucket_put(c, t, sk);
	eh_spin_unlock(c, &t->bhash2[port], sym, k->spin_unlock);
	eh_spin_unlock(c, &t->bhash[port], sym, k->spin_unlock);
	if (process)
		charge_unlock_bh(c, k);
	sk->tuple = NULL;
}

void eh_inet_inherit_port(struct eh_cpu *c, struct eh_sock *listener, struct eh_sock *child)
{
	struct eh_host *h = child->host;
	struct eh_inet_hash *t = h->hash;
	const struct eh_kernel_cost *k = &h->kernel->cost;
	const int sym = EH_SYM(__inet_inherit_port);
	uint16_t port = child->lport;

	eh_path(c, sym, k->bind_hash);
	eh_spin_lock(c, &t->bhash[port], &h->bhash_lock, EH_SYM(_raw_spin_lock));
	eh_spin_lock(c, &t->bhash2[port], &h->bhash2_lock, EH_SYM(_raw_spin_lock));
	eh_load(c, sym, listener->tb->obj->line, 0);
	eh_bind_hash(c, child, listener->tb);
	eh_spin_unlock(c, &t->bhash2[port], sym, k->spin_unlock);
	eh_spin_unlock(c, &t->bhash[port], sym, k->spin_unlock);
}

static struct eh_bind_bucket *preset_bucket(struct eh_inet_hash *t, uint16_t port, int cpu, bool bound)
{
	struct eh_bind_bucket *tb = t->tb[port];

	if (!tb) {
		tb = t->tb[port] = g_new0(struct eh_bind_bucket, 1);
		tb->obj = eh_kmem_preset(t->host->tb_cache, cpu);
		tb->obj2 = eh_kmem_preset(t->host->tb2_cache, cpu);
		tb->bound = bound;
	}
	tb->owners++;
	return tb;
}

void eh_inet_preset(struct eh_sock *sk, uint16_t port, int cpu)
{
	struct eh_host *h = sk->host;
	struct eh_inet_hash *t = h->hash;

	sk->lport = port;
	if (!sk->obj)
		sk->obj = eh_kmem_preset(h->sk_cache, cpu);
	sk->tb = preset_bucket(t, port, cpu, false);
	if (!sk->tb->bound)
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
	sk->tb = preset_bucket(t, port, 0, true);
	eh_ports_refresh(t, port);
}
