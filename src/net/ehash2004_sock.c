/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the entries of the table of 2004 come from, and how the last reference is given back. */
#include <ehsim/check.h>
#include <ehsim/ehash2004.h>

/* --- from the allocator --- */

/* Memory that has been a socket before is the same entry again: who still looks at it sees that. */
static struct eh_sock2004 *entry_of(struct eh_ehash2004 *t, struct eh_object *obj)
{
	gpointer key = GUINT_TO_POINTER(obj->line);
	struct eh_sock2004 *sk = g_hash_table_lookup(t->by_line, key);

	if (sk)
		return sk;
	sk = g_new0(struct eh_sock2004, 1);
	sk->table = t;
	sk->id = t->socks->len;
	g_ptr_array_add(t->socks, sk);
	g_hash_table_insert(t->by_line, key, sk);
	return sk;
}

static struct eh_sock2004 *begin(struct eh_ehash2004 *t, struct eh_object *obj,
				 const struct eh_four2004 *four, int kind)
{
	struct eh_sock2004 *sk = entry_of(t, obj);
	int64_t lock_at = EH_SOCK2004_LOCK / t->cfg->line_size;

	sk->obj = obj;
	sk->line = obj->line;
	sk->kind = (uint8_t)kind;
	sk->four = *four;
	sk->bucket = eh_ehash2004_bucket(t, four);
	sk->alive = true;
	sk->user = NULL;
	sk->node.line = sk->refcnt.line = sk->line; /* what they hold stays for who still reads it */
	sk->refcnt.value = 1;
	eh_word_init(&sk->slock, sk->line + (eh_line_id)lock_at, EH_SPIN2004_FREE);
	return sk;
}

struct eh_sock2004 *eh_sock2004_new(struct eh_cpu *c, struct eh_ehash2004 *t,
				    const struct eh_four2004 *four, int kind)
{
	struct eh_object *obj = eh_kmem_alloc(c, t->cache[kind]);
	int at = kind == EH_TW2004 ? EH_TW2004_ADDR : EH_SOCK2004_ADDR;

	eh_store(c, EH_SYM(__tcp_v4_hash), obj->line);
	eh_store(c, EH_SYM(__tcp_v4_hash), obj->line + (eh_line_id)(at / t->cfg->line_size));
	eh_cpu_sync(c, c->retire);
	return begin(t, obj, four, kind);
}

struct eh_sock2004 *eh_sock2004_preset(struct eh_ehash2004 *t, const struct eh_four2004 *four,
				       int cpu)
{
	struct eh_sock2004 *sk = begin(t, eh_kmem_preset(t->cache[EH_SOCK2004], cpu), four,
				       EH_SOCK2004);
	struct eh_word *head = &t->head[EH_SOCK2004][sk->bucket];
	struct eh_sock2004 *next = eh_ehash2004_entry(t, head->value);

	sk->node.value = head->value;
	sk->before = head;
	if (next)
		next->before = &sk->node;
	head->value = 2 * (uint64_t)sk->id;
	sk->hashed = true;
	return sk;
}

static void release(struct eh_cpu *c, struct eh_sock2004 *sk)
{
	struct eh_ehash2004 *t = sk->table;

	eh_assert(c->sim, !sk->hashed);
	eh_path(c, EH_SYM(sk_free), t->cfg->sk_free);
	eh_cpu_sync(c, c->retire);
	t->count.frees++;
	eh_kmem_free(c, t->cache[sk->kind], sk->obj);
}

/* --- sock_put --- */

static int put_of(const struct eh_ehash2004_config *cfg)
{
	if (cfg->put != EH_PUT_BY_LOOKUP)
		return cfg->put;
	return cfg->lookup == EH_LOOKUP_RCU ? EH_PUT_LOOP : EH_PUT_DIRECT;
}

static bool dec_and_test(struct eh_cpu *c, struct eh_sock2004 *sk, int sym)
{
	return eh_word_add(c, sym, &sk->refcnt, (uint64_t)-1) == 1;
}

/* The count that fell to zero stays there: from this instant on it is nobody's. */
static void free_now(struct eh_cpu *c, struct eh_sock2004 *sk)
{
	sk->alive = false;
	sk->life++;
	if (sk->tomb)
		sk->tomb->alive = false;
	release(c, sk);
}

/* A reference to what was freed when it was taken: counted, and nothing comes of it. */
static bool was_stale(struct eh_cpu *c, struct eh_sock2004 *sk, int sym)
{
	struct eh_ehash2004 *t = sk->table;

	if (eh_likely(t->stale[c->id] != sk))
		return false;
	t->stale[c->id] = NULL;
	eh_rmw(c, sym, sk->refcnt.line);
	t->count.double_free++;
	return true;
}

static void free_rcu(struct eh_cpu *c, struct eh_rcu_head *h, void *arg)
{
	struct eh_sock2004 *sk = eh_container_of(h, struct eh_sock2004, rcu);

	(void)arg;
	if (dec_and_test(c, sk, EH_SYM(sk_free)))
		free_now(c, sk);
	else
		sk->table->count.held_at_free++;
}

static void call_rcu(struct eh_cpu *c, struct eh_sock2004 *sk)
{
	struct eh_ehash2004 *t = sk->table;

	t->count.deferred++;
	sk->rcu = (struct eh_rcu_head){.fn = free_rcu, .line = sk->line,
				       .bytes = eh_kmem_bytes(t->cache[sk->kind])};
	eh_call_rcu(t->rcu, c, &sk->rcu);
}

static bool raised_alone(struct eh_cpu *c, struct eh_sock2004 *sk, int sym)
{
	eh_word_add(c, sym, &sk->refcnt, 1);
	return eh_word_load(c, sym, &sk->refcnt) == 1;
}

/* The first mail. */
static void put_jump(struct eh_cpu *c, struct eh_sock2004 *sk, int sym)
{
again:
	if (dec_and_test(c, sk, sym)) {
		if (raised_alone(c, sk, sym)) {
			call_rcu(c, sk);
		} else {
			sk->table->count.put_again++;
			goto again;
		}
	}
}

/* The second. */
static void put_loop(struct eh_cpu *c, struct eh_sock2004 *sk, int sym)
{
	while (dec_and_test(c, sk, sym)) {
		if (raised_alone(c, sk, sym)) {
			call_rcu(c, sk);
			break;
		}
		sk->table->count.put_again++;
	}
}

void eh_sock2004_put(struct eh_cpu *c, struct eh_sock2004 *sk, int sym)
{
	if (was_stale(c, sk, sym))
		return;
	switch (put_of(sk->table->cfg)) {
	case EH_PUT_JUMP:
		put_jump(c, sk, sym);
		break;
	case EH_PUT_LOOP:
		put_loop(c, sk, sym);
		break;
	default:
		if (dec_and_test(c, sk, sym))
			free_now(c, sk);
	}
}
