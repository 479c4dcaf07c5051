/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What changes the chains of the table of 2004, under their locks. */
#include <ehsim/ehash2004.h>

/* --- locks of buckets --- */

eh_time eh_ehash2004_read_lock(struct eh_cpu *c, struct eh_ehash2004 *t, uint32_t bucket, int sym)
{
	if (t->cfg->lookup == EH_LOOKUP_RWLOCK)
		return eh_read2004_lock(c, &t->lock[bucket], &t->class, sym);
	return eh_spin2004_lock(c, &t->lock[bucket], &t->class, sym);
}

void eh_ehash2004_read_unlock(struct eh_cpu *c, struct eh_ehash2004 *t, uint32_t bucket,
			      eh_time since, int sym)
{
	if (t->cfg->lookup == EH_LOOKUP_RWLOCK)
		eh_read2004_unlock(c, &t->lock[bucket], &t->class, since, sym);
	else
		eh_spin2004_unlock(c, &t->lock[bucket], &t->class, since, sym);
}

eh_time eh_ehash2004_write_lock(struct eh_cpu *c, struct eh_ehash2004 *t, uint32_t bucket, int sym)
{
	if (t->cfg->lookup == EH_LOOKUP_RWLOCK)
		return eh_write2004_lock(c, &t->lock[bucket], &t->class, sym);
	return eh_spin2004_lock(c, &t->lock[bucket], &t->class, sym);
}

void eh_ehash2004_write_unlock(struct eh_cpu *c, struct eh_ehash2004 *t, uint32_t bucket,
			       eh_time since, int sym)
{
	if (t->cfg->lookup == EH_LOOKUP_RWLOCK)
		eh_write2004_unlock(c, &t->lock[bucket], &t->class, since, sym);
	else
		eh_spin2004_unlock(c, &t->lock[bucket], &t->class, since, sym);
}

/* --- links --- */

static uint64_t link_to(const struct eh_sock2004 *sk)
{
	return 2 * (uint64_t)sk->id;
}

/* The entry behind `link` has another one before it from now on. */
static void set_before(struct eh_cpu *c, struct eh_ehash2004 *t, uint64_t link,
		       struct eh_word *before, int sym)
{
	struct eh_sock2004 *next = eh_ehash2004_entry(t, link);

	if (!next)
		return;
	eh_store(c, sym, next->line);
	next->before = before;
}

/* hlist_add_head: the entry is whole before the head shows it. */
static void add_head(struct eh_cpu *c, struct eh_sock2004 *sk, int sym)
{
	struct eh_ehash2004 *t = sk->table;
	struct eh_word *head = &t->head[sk->kind][sk->bucket];
	uint64_t first = eh_word_load(c, sym, head);

	eh_word_store(c, sym, &sk->node, first);
	set_before(c, t, first, &sk->node, sym);
	sk->before = head;
	eh_word_store(c, sym, head, link_to(sk));
	sk->hashed = true;
}

/* hlist_del: its own link stays for those who stand on it. */
static void del(struct eh_cpu *c, struct eh_sock2004 *sk, int sym)
{
	uint64_t link = eh_word_load(c, sym, &sk->node);

	eh_word_store(c, sym, sk->before, link);
	set_before(c, sk->table, link, sk->before, sym);
	sk->hashed = false;
}

/* One entry in the place of another. */
static void replace(struct eh_cpu *c, struct eh_sock2004 *old, struct eh_sock2004 *new, int sym)
{
	uint64_t link = eh_word_load(c, sym, &old->node);

	eh_word_store(c, sym, &new->node, link);
	new->before = old->before;
	eh_word_store(c, sym, old->before, link_to(new));
	set_before(c, old->table, link, &new->node, sym);
	old->hashed = false;
	new->hashed = true;
}

void eh_ehash2004_insert(struct eh_cpu *c, struct eh_sock2004 *sk)
{
	struct eh_ehash2004 *t = sk->table;
	const int sym = EH_SYM(__tcp_v4_hash);
	eh_time since;

	eh_path(c, sym, t->cfg->insert);
	since = eh_ehash2004_write_lock(c, t, sk->bucket, sym);
	add_head(c, sk, sym);
	eh_ehash2004_write_unlock(c, t, sk->bucket, since, sym);
	t->count.inserts++;
}

void eh_ehash2004_unhash(struct eh_cpu *c, struct eh_sock2004 *sk)
{
	struct eh_ehash2004 *t = sk->table;
	const int sym = EH_SYM(tcp_unhash);
	eh_time since;
	bool was;

	eh_path(c, sym, t->cfg->unhash);
	since = eh_ehash2004_write_lock(c, t, sk->bucket, sym);
	was = sk->hashed;
	if (was)
		del(c, sk, sym);
	eh_ehash2004_write_unlock(c, t, sk->bucket, since, sym);
	t->count.unhashes += was;
	if (was && sk->kind == EH_TW2004)
		eh_sock2004_put(c, sk, sym);
}

/* --- the dance --- */

#define SYM EH_SYM(__tcp_tw_hashdance)

static void add_tw(struct eh_cpu *c, struct eh_sock2004 *tw)
{
	add_head(c, tw, SYM);
	eh_word_add(c, SYM, &tw->refcnt, 1);
}

/* In the memory of the TIME_WAIT bucket, its last line. */
static struct eh_sock2004 *tomb_of(struct eh_sock2004 *tw)
{
	struct eh_ehash2004 *t = tw->table;
	struct eh_sock2004 *tomb = tw->tomb;

	if (!tomb) {
		tomb = tw->tomb = g_new0(struct eh_sock2004, 1);
		tomb->table = t;
		tomb->id = t->socks->len;
		tomb->kind = EH_TOMB2004;
		g_ptr_array_add(t->socks, tomb);
	}
	tomb->line = tw->line + (eh_line_id)(t->cfg->tw_size / t->cfg->line_size - 1);
	tomb->node.line = tomb->refcnt.line = tomb->line;
	tomb->four = tw->four;
	tomb->bucket = tw->bucket;
	tomb->alive = true;
	return tomb;
}

static void dance_by_tombstone(struct eh_cpu *c, struct eh_sock2004 *sk, struct eh_sock2004 *tw)
{
	struct eh_sock2004 *tomb = tomb_of(tw);

	eh_word_store(c, SYM, &tomb->refcnt, 1);
	replace(c, sk, tomb, SYM);
	eh_cpu_point(c);
	add_tw(c, tw);
	eh_word_store(c, SYM, &tomb->refcnt, 0);
	del(c, tomb, SYM);
}

static void dance(struct eh_cpu *c, struct eh_sock2004 *sk, struct eh_sock2004 *tw)
{
	switch (sk->table->cfg->dance) {
	case EH_DANCE_REMOVE_ADD:
		del(c, sk, SYM);
		eh_cpu_point(c);
		add_tw(c, tw);
		break;
	case EH_DANCE_TOMBSTONE:
		dance_by_tombstone(c, sk, tw);
		break;
	default:
		add_tw(c, tw);
		eh_cpu_point(c);
		del(c, sk, SYM);
	}
}

struct eh_sock2004 *eh_ehash2004_time_wait(struct eh_cpu *c, struct eh_sock2004 *sk)
{
	struct eh_ehash2004 *t = sk->table;
	struct eh_sock2004 *tw = eh_sock2004_new(c, t, &sk->four, EH_TW2004);
	eh_time since;

	eh_path(c, SYM, t->cfg->hashdance);
	since = eh_ehash2004_write_lock(c, t, sk->bucket, SYM);
	dance(c, sk, tw);
	eh_ehash2004_write_unlock(c, t, sk->bucket, since, SYM);
	t->count.dances++;
	return tw;
}
