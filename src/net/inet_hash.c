/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inet_table.h"

#include <ehsim/c2c.h>
#include <stdlib.h>

#define PORTS 65536
#define LOCKS_PER_CPU 32

static uint32_t lock_count(const struct eh_inet_hash *t)
{
	const struct eh_host *h = t->host;
	uint32_t want = LOCKS_PER_CPU * (uint32_t)h->m->ncpus, n = 1;

	if (t->on.spread_ehash_locks) /* at least a page per node */
		want = MAX(want, (uint32_t)h->m->ndies * EH_LINES_PER_PAGE * LOCKS_PER_LINE);
	while (n < want)
		n *= 2;
	return MIN(n, (uint32_t)h->kernel->ehash_buckets);
}

static void make_ehash(struct eh_inet_hash *t)
{
	struct eh_host *h = t->host;
	uint32_t buckets = (uint32_t)h->kernel->ehash_buckets, locks = lock_count(t);
	eh_line_id lines;

	t->bucket = g_new0(struct eh_sock *, buckets);
	t->bucket_mask = buckets - 1;
	t->bucket_lines = eh_lines_named(h->m, (buckets + BUCKETS_PER_LINE - 1) / BUCKETS_PER_LINE,
					 -1, "ehash bucket");
	lines = eh_lines_named(h->m, (locks + LOCKS_PER_LINE - 1) / LOCKS_PER_LINE,
			       t->on.spread_ehash_locks
				       ? -1
				       : (int)MIN(h->kernel->ehash_locks_die, h->m->ndies - 1),
			       "ehash_locks");
	t->ehash_locks = g_new(struct eh_spinlock, locks);
	for (uint32_t i = 0; i < locks; i++)
		eh_spin_init(&t->ehash_locks[i], lines + i / LOCKS_PER_LINE);
	t->lock_mask = locks - 1;
	t->lock_lines = lines;
}

static void make_bhash(struct eh_inet_hash *t)
{
	struct eh_host *h = t->host;
	eh_line_id second;

	t->tb = g_new0(struct eh_bind_bucket *, PORTS);
	t->tb2 = g_new0(struct eh_bind2_bucket *, PORTS);
	t->bhash = g_new(struct eh_spinlock, PORTS);
	t->bhash2 = g_new(struct eh_spinlock, PORTS);
	t->bhash_lines = eh_lines_named(h->m, PORTS / BIND_PER_LINE, -1, "bhash bucket");
	second = eh_lines_named(h->m, PORTS / BIND_PER_LINE, -1, "bhash2 bucket");
	for (uint32_t p = 0; p < PORTS; p++) {
		eh_spin_init(&t->bhash[p], t->bhash_lines + p / BIND_PER_LINE);
		eh_spin_init(&t->bhash2[p], second + p / BIND_PER_LINE);
	}
}

/* "8080,9000-9010": checked when the scenario was read. */
static void mark_reserved(struct eh_inet_hash *t, const char *list)
{
	while (list && *list) {
		char *end;
		long from = strtol(list, &end, 10), to = from;

		if (*end == '-')
			to = strtol(end + 1, &end, 10);
		for (long p = from; p <= to && p > 0 && p < PORTS; p++)
			t->nreserved += !t->reserved[p], t->reserved[p] = 1;
		list = *end == ',' ? end + 1 : "";
	}
}

static struct block block(const struct eh_machine *m, int64_t instr, int calls)
{
	return (struct block){instr, instr * m->instr + calls * m->call};
}

static struct block sum(const struct block *all[], int n)
{
	struct block x = {0};

	for (int i = 0; i < n; i++) {
		x.instr += all[i]->instr;
		x.ps += all[i]->ps;
	}
	return x;
}

static struct search_cost search_cost(const struct eh_inet_hash *t)
{
	const struct eh_host *h = t->host;
	const struct eh_machine *m = h->m;
	const struct eh_kernel_cost *k = &h->kernel->cost;
	bool check_alone = t->on.rcu_check && !t->on.rcu_bind_walk; /* its own read section */
	struct search_cost x = {
		.loop = block(m, k->scan_loop + (t->on.rcu_bind_walk ? k->rcu_read : 0), 0),
		.check = block(m, k->check + (t->on.hash_once ? 0 : k->hash_call) +
					 (check_alone ? k->rcu_read : 0), 1),
		.hash = block(m, h->ipv6 ? k->hash6 : k->hash4, 1),
		.hash_latency = (h->ipv6 ? k->hash6_cycles : k->hash4_cycles) * m->cycle,
		.match = block(m, k->match, 0),
		.resched = block(m, k->cond_resched, 1),
		.qs = block(m, k->rcu_all_qs, 1),
		.lock_bh = block(m, k->spin_lock, 1),
		.lock = block(m, k->spin_lock, 1),
		.unlock = block(m, k->spin_unlock, 0),
		.unlock_bh = block(m, k->bh_enable, 1),
	};
	const struct block rmw = block(m, 1, 0);

	if (t->on.hash_once) {
		x.connect_hash = x.hash;
		x.hash = block(m, 1, 0); /* the port is added */
		x.hash_latency = m->cycle;
	}

	x.between = sum((const struct block *[]){&x.match, &x.resched, &x.qs, &x.loop}, 4);
	x.to_bhash_lock = sum((const struct block *[]){&x.lock_bh, &rmw}, 2);
	x.to_ehash_lock = sum((const struct block *[]){&x.check, &x.hash, &x.lock, &rmw}, 4);
	x.to_next = sum((const struct block *[]){&x.unlock, &x.unlock, &x.unlock_bh, &x.between}, 4);
	x.to_next_one = sum((const struct block *[]){&x.unlock, &x.unlock_bh, &x.between}, 3);
	return x;
}

struct eh_inet_hash *eh_inet_hash_new(struct eh_host *h)
{
	struct eh_inet_hash *t = g_new0(struct eh_inet_hash, 1);

	t->host = h;
	t->on = eh_kernel_switches(h->kernel);
	t->secret[0] = eh_stream_u64(h->random);
	t->secret[1] = eh_stream_u64(h->random);
	make_ehash(t);
	make_bhash(t);
	t->reserved = g_new0(uint8_t, PORTS);
	t->searching = g_new0(uint16_t, PORTS / BIND_PER_LINE);
	mark_reserved(t, h->kernel->reserved_ports);
	t->sym_port_hash = t->on.hash_once ? h->sym_check : h->sym_hashfn;
	t->cost = search_cost(t);
	t->range = eh_port_range(t, &(struct eh_sock){.lport = 0});
	t->look_ahead = EH_LOOK_AHEAD;
	t->of_cpu = g_new0(struct eh_lookahead *, h->m->ncpus);
	t->ahead = g_new0(struct eh_lookahead *, h->m->ncpus);
	t->fast_of_cpu = g_new0(struct eh_fast *, h->m->ncpus);
	t->fast = g_new0(struct eh_fast *, h->m->ncpus);
	t->watched = g_new0(uint8_t, PORTS);
	return t;
}

void eh_inet_hash_free(struct eh_inet_hash *t)
{
	struct eh_tuple *next;

	if (!t)
		return;
	for (struct eh_tuple *u = t->tuples; u; u = next) {
		next = u->next;
		g_free(u->sk);
		g_free(u->ports);
		g_free(u->front);
		g_free(u->open[0]);
		g_free(u->open[1]);
		g_free(u);
	}
	for (int p = 0; p < PORTS; p++)
		eh_bind_bucket_forget(t->tb[p]);
	g_free(t->tb);
	g_free(t->tb2);
	g_free(t->bucket);
	g_free(t->ehash_locks);
	g_free(t->bhash);
	g_free(t->bhash2);
	g_free(t->reserved);
	g_free(t->searching);
	for (int i = 0; i < t->host->m->ncpus; i++) {
		g_free(t->of_cpu[i]);
		eh_fast_free(t->fast_of_cpu[i]);
	}
	g_free(t->fast_of_cpu);
	g_free(t->fast);
	eh_watches_free(t);
	g_free(t->watched);
	eh_sampler_free(t->sampler);
	g_free(t->of_cpu);
	g_free(t->ahead);
	g_free(t);
}

static void mark_open(struct eh_tuple *u, uint16_t port, bool open)
{
	uint64_t *word = &u->open[port & 1][port / 128], bit = (uint64_t)1 << port / 2 % 64;

	*word = open ? *word | bit : *word & ~bit;
}

void eh_port_refresh(struct eh_inet_hash *t, struct eh_tuple *u, uint16_t port)
{
	struct eh_port *p = &u->ports[port];
	const struct eh_bind_bucket *tb = t->tb[port];
	const struct eh_sock *sk = u->sk[port];

	if (t->reserved[port]) {
		p->state = EH_PORT_RESERVED;
	} else if (!tb) {
		p->state = EH_PORT_FREE;
	} else {
		p->tb = tb->obj->line;
		p->state = tb->fastreuse >= 0		      ? EH_PORT_BOUND
			   : !sk			      ? EH_PORT_MAYBE
			   : sk->state == EH_TCP_TIME_WAIT ? EH_PORT_TIME_WAIT
							      : EH_PORT_TAKEN;
	}
	mark_open(u, port, p->state != EH_PORT_TAKEN && p->state != EH_PORT_BOUND &&
				   p->state != EH_PORT_RESERVED);
	if (!sk)
		return;
	p->sk = sk->obj->line;
	p->before = 0;
	u->front[port] = 0;
	for (const struct eh_sock *s = t->bucket[sk->bucket]; s != sk && p->before < 255; s = s->ehash_next)
		p->before++;
	if (p->before == 1 && t->bucket[sk->bucket]->obj)
		u->front[port] = t->bucket[sk->bucket]->obj->line;
}

void eh_ports_refresh(struct eh_inet_hash *t, uint16_t port)
{
	for (struct eh_tuple *u = t->tuples; u; u = u->next)
		eh_port_refresh(t, u, port);
}

struct eh_tuple *eh_tuple_get(struct eh_inet_hash *t, uint32_t raddr, uint16_t rport)
{
	struct eh_tuple *u;

	for (u = t->tuples; u; u = u->next)
		if (u->raddr == raddr && u->rport == rport)
			return u;
	u = g_new0(struct eh_tuple, 1);
	u->raddr = raddr;
	u->rport = rport;
	u->perturb = (uint32_t)eh_stream_u64(t->host->random);
	u->perturb_line = eh_lines_named(t->host->m, 1, 0, "table_perturb");
	u->sk = g_new0(struct eh_sock *, PORTS);
	u->ports = g_new0(struct eh_port, PORTS);
	u->front = g_new0(eh_line_id, PORTS);
	u->open[0] = g_new0(uint64_t, PORTS / 128);
	u->open[1] = g_new0(uint64_t, PORTS / 128);
	u->next = t->tuples;
	t->tuples = u;
	for (uint32_t port = 0; port < PORTS; port++) {
		uint32_t hash = eh_ehashfn(t, t->host->addr, (uint16_t)port, raddr, rport);

		u->ports[port].bucket = t->bucket_lines + (hash & t->bucket_mask) / BUCKETS_PER_LINE;
		u->ports[port].lock = (uint16_t)(hash & t->lock_mask);
		eh_port_refresh(t, u, (uint16_t)port);
	}
	return u;
}

bool eh_inet_port_free(struct eh_host *h, uint32_t raddr, uint16_t rport, uint16_t port)
{
	return eh_tuple_get(h->hash, raddr, rport)->ports[port].state == EH_PORT_FREE;
}

void eh_inet_preset_cursor(struct eh_host *h, uint32_t raddr, uint16_t rport, uint16_t port)
{
	eh_port_cursor_set(h->hash, eh_tuple_get(h->hash, raddr, rport), port);
}

void eh_inet_search_stats(const struct eh_host *h, struct eh_search_stats *st)
{
	*st = h->hash->stats;
}
