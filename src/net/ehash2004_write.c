/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What changes the chains of the table of 2004, under their locks. */
#include <ehsim/ehash2004.h>

void eh_ehash2004_write_lock(struct eh_cpu *c, struct eh_ehash2004 *t, uint32_t bucket, int sym)
{
	if (t->cfg->lookup == EH_LOOKUP_RWLOCK)
		eh_write2004_lock(c, &t->lock[bucket], &t->class, sym);
	else
		eh_spin2004_lock(c, &t->lock[bucket], &t->class, sym);
}

void eh_ehash2004_write_unlock(struct eh_cpu *c, struct eh_ehash2004 *t, uint32_t bucket, int sym)
{
	if (t->cfg->lookup == EH_LOOKUP_RWLOCK)
		eh_write2004_unlock(c, &t->lock[bucket], sym);
	else
		eh_spin2004_unlock(c, &t->lock[bucket], sym);
}

/* hlist_add_head: the entry is whole before the head shows it. */
static void add_head(struct eh_cpu *c, struct eh_sock2004 *sk, int sym)
{
	struct eh_ehash2004 *t = sk->table;
	struct eh_word *head = &t->head[sk->kind][sk->bucket];
	uint64_t first = eh_word_load(c, sym, head);
	struct eh_sock2004 *next = eh_ehash2004_entry(t, first);

	eh_word_store(c, sym, &sk->node, first);
	if (next) {
		eh_store(c, sym, next->line);
		next->before = &sk->node;
	}
	sk->before = head;
	eh_word_store(c, sym, head, 2 * (uint64_t)sk->id);
	sk->hashed = true;
}

/* hlist_del: its own link stays for those who stand on it. */
static void del(struct eh_cpu *c, struct eh_sock2004 *sk, int sym)
{
	uint64_t link = eh_word_load(c, sym, &sk->node);
	struct eh_sock2004 *next = eh_ehash2004_entry(sk->table, link);

	eh_word_store(c, sym, sk->before, link);
	if (next) {
		eh_store(c, sym, next->line);
		next->before = sk->before;
	}
	sk->hashed = false;
}

void eh_ehash2004_insert(struct eh_cpu *c, struct eh_sock2004 *sk)
{
	const int sym = EH_SYM(__tcp_v4_hash);

	eh_path(c, sym, sk->table->cfg->insert);
	eh_ehash2004_write_lock(c, sk->table, sk->bucket, sym);
	add_head(c, sk, sym);
	eh_word_add(c, sym, &sk->refcnt, 1);
	eh_ehash2004_write_unlock(c, sk->table, sk->bucket, sym);
}

void eh_ehash2004_unhash(struct eh_cpu *c, struct eh_sock2004 *sk)
{
	const int sym = EH_SYM(tcp_unhash);
	bool was;

	eh_path(c, sym, sk->table->cfg->unhash);
	eh_ehash2004_write_lock(c, sk->table, sk->bucket, sym);
	was = sk->hashed;
	if (was)
		del(c, sk, sym);
	eh_ehash2004_write_unlock(c, sk->table, sk->bucket, sym);
	sk->table->count.unhashes += was;
	if (was)
		eh_sock2004_put(c, sk, sym);
}
