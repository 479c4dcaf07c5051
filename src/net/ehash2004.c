/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/c2c.h>
#include <ehsim/check.h>
#include <ehsim/ehash2004.h>

#define BUCKET_SIZE 8
#define SYM EH_SYM(__tcp_v4_lookup_established)

static uint64_t end_of(const struct eh_ehash2004 *t, uint32_t bucket)
{
	return t->cfg->lookup == EH_LOOKUP_NULLS ? 2 * (uint64_t)bucket + 1 : 0;
}

static void make_buckets(struct eh_ehash2004 *t)
{
	uint32_t n = t->mask + 1, per_line = (uint32_t)(t->cfg->line_size / BUCKET_SIZE);
	uint64_t idle = t->cfg->lookup == EH_LOOKUP_RWLOCK ? EH_RWLOCK2004_FREE : EH_SPIN2004_FREE;

	t->lock = g_new(struct eh_word, n);
	for (int half = 0; half < 2; half++) {
		eh_line_id lines = eh_lines_named(t->m, (n + per_line - 1) / per_line, -1,
						  half ? "tcp_ehash (TIME_WAIT)" : "tcp_ehash");

		t->head[half] = g_new(struct eh_word, n);
		for (uint32_t i = 0; i < n; i++) {
			eh_word_init(&t->head[half][i], lines + i / per_line, end_of(t, i));
			if (!half)
				eh_word_init(&t->lock[i], lines + i / per_line, idle);
		}
		for (uint32_t i = 0; i < (n + per_line - 1) / per_line; i++)
			eh_line_shared(t->m, lines + i);
	}
}

static struct eh_kmem_cache *make_cache(struct eh_ehash2004 *t, const char *name, int64_t size)
{
	struct eh_kmem_spec spec = {.name = name, .size = (int)size,
				    .lines = (int)(size / t->cfg->line_size),
				    .line_bytes = (int)t->cfg->line_size};

	return eh_kmem_cache_make(t->m, &spec);
}

struct eh_ehash2004 *eh_ehash2004_new(struct eh_machine *m, struct eh_rcu *rcu,
				      const struct eh_kernel_config *kernel)
{
	struct eh_ehash2004 *t = g_new0(struct eh_ehash2004, 1);

	t->m = m;
	t->rcu = rcu;
	t->cfg = &kernel->ehash2004;
	t->mask = (uint32_t)kernel->ehash_buckets - 1;
	make_buckets(t);
	t->cache[EH_SOCK2004] = make_cache(t, "tcp_sock", t->cfg->sock_size);
	t->cache[EH_TW2004] = make_cache(t, "tcp_tw_bucket", t->cfg->tw_size);
	t->socks = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(t->socks, NULL); /* there is no entry 0 */
	t->stale = g_new0(struct eh_sock2004 *, m->ncpus);
	t->by_line = g_hash_table_new(g_direct_hash, g_direct_equal);
	eh_lock_class_init(&t->class, m, "tcp_ehash");
	eh_lock_class_init(&t->slock_class, m, "slock");
	return t;
}

void eh_ehash2004_free(struct eh_ehash2004 *t)
{
	if (!t)
		return;
	eh_kmem_cache_free(t->cache[EH_SOCK2004]);
	eh_kmem_cache_free(t->cache[EH_TW2004]);
	g_hash_table_unref(t->by_line);
	g_ptr_array_free(t->socks, TRUE);
	g_free(t->stale);
	g_free(t->head[0]);
	g_free(t->head[1]);
	g_free(t->lock);
	g_free(t);
}

uint32_t eh_ehash2004_bucket(const struct eh_ehash2004 *t, const struct eh_four2004 *four)
{
	uint32_t h = (four->laddr ^ four->lport) ^ (four->raddr ^ four->rport);

	h ^= h >> 16;
	h ^= h >> 8;
	return h & t->mask;
}

/* --- lookup --- */

struct look {
	struct eh_ehash2004 *t;
	const struct eh_four2004 *four;
	uint32_t bucket;
	uint32_t life; /* of what was found, when the walk came to it */
	bool moved;    /* the chain that ended was another bucket's */
	bool stale;    /* went over something that had been freed */
};

static bool same(const struct eh_four2004 *a, const struct eh_four2004 *b)
{
	return a->laddr == b->laddr && a->lport == b->lport && a->raddr == b->raddr &&
	       a->rport == b->rport;
}

/* Addresses and the ports behind them may lie in two lines. */
static void read_four(struct eh_cpu *c, const struct eh_ehash2004 *t, const struct eh_sock2004 *sk,
		      eh_time known)
{
	int64_t size = t->cfg->line_size, addr, ports;

	if (sk->kind == EH_TOMB2004)
		return;
	addr = (sk->kind == EH_TW2004 ? EH_TW2004_ADDR : EH_SOCK2004_ADDR) / size;
	ports = (sk->kind == EH_TW2004 ? EH_TW2004_PORTS : EH_SOCK2004_PORTS) / size;
	eh_load(c, SYM, sk->line + (eh_line_id)addr, known);
	if (ports != addr)
		eh_load(c, SYM, sk->line + (eh_line_id)ports, known);
}

/* Until it says that who was here has gone. */
static void wait_at_tomb(struct eh_cpu *c, struct look *x, struct eh_sock2004 *tomb)
{
	eh_time from = c->retire;

	if (!same(&tomb->four, x->four) || !eh_word_load(c, SYM, &tomb->refcnt))
		return;
	x->t->count.tomb_waits++;
	eh_word_wait(c, SYM, &tomb->refcnt, 1);
	x->t->count.tomb_time += c->retire - from;
}

static struct eh_sock2004 *walk(struct eh_cpu *c, struct look *x, int half)
{
	const struct eh_ehash2004 *t = x->t;
	const struct eh_word *at = &t->head[half][x->bucket];
	eh_time known = eh_load(c, SYM, at->line, 0);
	struct eh_sock2004 *sk;

	eh_cpu_sync(c, c->retire);
	while ((sk = eh_ehash2004_entry(t, at->value)) != NULL) {
		uint32_t life = sk->life;

		read_four(c, t, sk, known);
		known = eh_load(c, SYM, sk->line, known);
		eh_work(c, SYM, t->cfg->match);
		eh_cpu_sync(c, c->retire);
		x->stale |= !sk->alive || sk->life != life;
		if (sk->kind == EH_TOMB2004) {
			wait_at_tomb(c, x, sk);
		} else if (same(&sk->four, x->four)) {
			x->life = life;
			return sk;
		}
		at = &sk->node;
	}
	x->moved = at->value != end_of(t, x->bucket);
	return NULL;
}

/* atomic_inc_not_zero: false when it was zero. */
static bool inc_not_zero(struct eh_cpu *c, struct eh_word *count)
{
	uint64_t old = eh_word_load(c, SYM, count), was;

	while (old) {
		was = eh_word_cmpxchg(c, SYM, count, old, old + 1);
		if (was == old)
			return true;
		old = was;
	}
	return false;
}

static void hold(struct eh_cpu *c, struct look *x, struct eh_sock2004 *sk)
{
	uint64_t old = eh_word_add(c, SYM, &sk->refcnt, 1);

	if (!sk->alive || sk->life != x->life) {
		x->stale = true;
		sk->refcnt.value = old;
		x->t->stale[c->id] = sk;
	} else if (!old) {
		x->t->count.resurrected++;
	}
}

/* NULL: not there; *again: from the beginning. */
static struct eh_sock2004 *find_nulls(struct eh_cpu *c, struct look *x, bool *again)
{
	for (int half = 0; half < 2; half++) {
		struct eh_sock2004 *sk = walk(c, x, half);

		*again = x->moved;
		if (x->moved)
			return NULL;
		if (!sk || !inc_not_zero(c, &sk->refcnt))
			continue;
		if (same(&sk->four, x->four))
			return sk;
		eh_sock2004_put(c, sk, SYM);
		*again = true;
		return NULL;
	}
	return NULL;
}

static struct eh_sock2004 *find(struct eh_cpu *c, struct look *x)
{
	struct eh_sock2004 *sk = walk(c, x, EH_SOCK2004);

	if (!sk)
		sk = walk(c, x, EH_TW2004);
	if (sk)
		hold(c, x, sk);
	x->t->count.use_after_free += x->stale;
	return sk;
}

static struct eh_sock2004 *locked_find(struct eh_cpu *c, struct look *x)
{
	struct eh_ehash2004 *t = x->t;
	eh_time since = eh_ehash2004_read_lock(c, t, x->bucket, SYM);
	struct eh_sock2004 *sk = find(c, x);

	eh_cpu_point(c);
	eh_ehash2004_read_unlock(c, t, x->bucket, since, SYM);
	return sk;
}

struct eh_sock2004 *eh_ehash2004_lookup(struct eh_cpu *c, struct eh_ehash2004 *t,
					const struct eh_four2004 *four)
{
	struct look x = {.t = t, .four = four, .bucket = eh_ehash2004_bucket(t, four)};
	eh_time from = c->retire;
	struct eh_sock2004 *sk;
	bool again;

	eh_path(c, SYM, t->cfg->find);
	switch (t->cfg->lookup) {
	case EH_LOOKUP_NULLS:
		while (!(sk = find_nulls(c, &x, &again)) && again)
			t->count.restarts++;
		break;
	case EH_LOOKUP_RCU:
		sk = find(c, &x);
		break;
	default:
		sk = locked_find(c, &x);
	}
	t->count.lookups++;
	t->count.found += sk && sk->kind == EH_SOCK2004;
	t->count.found_tw += sk && sk->kind == EH_TW2004;
	t->count.lookup_time += c->retire - from;
	return sk;
}
