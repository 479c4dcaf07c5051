/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sampler.h"

#include <ehsim/c2c.h>
#include <ehsim/stream.h>
#include <string.h>

#define FEW 16	 /* blocks: what a die's own pieces must amount to */
#define BINS 256 /* of the distribution, a power of two */

enum mode {
	WARMUP,	 /* detail, not measured */
	MEASURE, /* detail */
	CLOSING, /* detail: pieces begun while measuring are on their way to their ends */
	FAST,
};

struct piece {
	uint64_t n; /* candidates */
	eh_time time;
};

/* What was measured on one die. */
struct pool {
	GArray *pieces;
	uint64_t n;
	eh_time time;
	eh_time charged[EH_SYM_COUNT];
	struct eh_account account;
	int nsyms, syms[EH_SYM_COUNT]; /* that have a share */
	eh_time block[BINS]; /* what a block costs: means of equal parts of the candidates, by cost */
};

/* What candidates do to a class of locks. */
struct taken {
	struct eh_lock_class *class, began; /* as it was when the stretch began */
	uint64_t acquisitions, contentions, bounces, con_bounces;
	eh_time wait_total, hold_total;
};

enum { CLASSES = 2 };

struct eh_sampler {
	struct eh_inet_hash *t;
	struct eh_sample_config cfg;
	enum mode mode;
	struct eh_event ev;   /* the next mode */
	eh_time fast_length; /* of the last fast stretch: at most twice as long is the next */
	uint32_t stretch; /* measured so far, from 1 */
	int phase, ndies, under_way; /* pieces of the present one */
	struct pool *now, *last; /* [die], and all together at [ndies]; being measured, in use */
	GArray *stretches[EH_SAMPLE_PHASES];
	uint64_t fast[EH_SAMPLE_PHASES];
	struct taken taken[CLASSES];
	uint64_t looked_at; /* candidates of all searches when the stretch began, then within it */
	uint64_t applied;   /* candidates of this fast stretch */
	gsl_rng *random;
	uint64_t key[2];
};

static struct pool *pools_new(int n)
{
	struct pool *p = g_new0(struct pool, n);

	for (int i = 0; i < n; i++)
		p[i].pieces = g_array_new(FALSE, FALSE, sizeof(struct piece));
	return p;
}

static void pools_free(struct pool *p, int n)
{
	for (int i = 0; i < n; i++)
		g_array_unref(p[i].pieces);
	g_free(p);
}

static void pools_clear(struct pool *p, int n)
{
	for (int i = 0; i < n; i++) {
		GArray *pieces = p[i].pieces;

		g_array_set_size(pieces, 0);
		p[i] = (struct pool){.pieces = pieces};
	}
}

bool eh_sample_fast(const struct eh_sampler *m)
{
	return m->mode == FAST;
}

/* Walks that are under way end here: what follows belongs to another mode. */
static void cut(struct eh_sampler *m)
{
	struct eh_inet_hash *t = m->t;

	t->epoch++;
	for (int i = t->nahead; i-- > 0;)
		t->ahead[i]->c->kick(t->ahead[i]->c);
	eh_fast_stop(t);
}

static void begin_locks(struct eh_sampler *m)
{
	for (int i = 0; i < CLASSES; i++)
		m->taken[i].began = *m->taken[i].class;
	m->looked_at = m->t->stats.candidates;
}

/* `began` becomes what the class went through in the stretch. */
static void end_locks(struct eh_sampler *m)
{
	for (int i = 0; i < CLASSES; i++) {
		struct eh_lock_class *b = &m->taken[i].began;
		const struct eh_lock_class *now = m->taken[i].class;

		b->acquisitions = now->acquisitions - b->acquisitions;
		b->contentions = now->contentions - b->contentions;
		b->bounces = now->bounces - b->bounces;
		b->con_bounces = now->con_bounces - b->con_bounces;
		b->wait_total = now->wait_total - b->wait_total;
		b->hold_total = now->hold_total - b->hold_total;
	}
	m->looked_at = m->t->stats.candidates - m->looked_at;
	m->applied = 0;
}

static uint64_t in_proportion(uint64_t x, uint64_t part, uint64_t whole)
{
	return (uint64_t)((unsigned __int128)x * part / whole);
}

/* The fast stretch so far. Locks that candidates do not take are not worth the proportion. */
static void apply_locks(const struct eh_sampler *m, const struct taken *from, struct taken *to)
{
	const struct eh_lock_class *b = &from->began;

	*to = *from;
	if (m->mode != FAST || b->acquisitions < m->looked_at / 2)
		return;
	to->acquisitions += in_proportion(b->acquisitions, m->applied, m->looked_at);
	to->contentions += in_proportion(b->contentions, m->applied, m->looked_at);
	to->bounces += in_proportion(b->bounces, m->applied, m->looked_at);
	to->con_bounces += in_proportion(b->con_bounces, m->applied, m->looked_at);
	to->wait_total += (eh_time)in_proportion((uint64_t)b->wait_total, m->applied, m->looked_at);
	to->hold_total += (eh_time)in_proportion((uint64_t)b->hold_total, m->applied, m->looked_at);
}

void eh_sample_locks(const struct eh_host *h, const struct eh_lock_class *class,
		     struct eh_lock_class *counts)
{
	const struct eh_sampler *m = h->hash->sampler;

	for (int i = 0; m && i < CLASSES; i++) {
		struct taken t;

		if (m->taken[i].class != class)
			continue;
		apply_locks(m, &m->taken[i], &t);
		counts->acquisitions += t.acquisitions;
		counts->contentions += t.contentions;
		counts->bounces += t.bounces;
		counts->con_bounces += t.con_bounces;
		counts->wait_total += t.wait_total;
		counts->hold_total += t.hold_total;
	}
}

static void enter(struct eh_sampler *m, enum mode mode, eh_time length)
{
	if (m->mode == FAST)
		for (int i = 0; i < CLASSES; i++)
			apply_locks(m, &m->taken[i], &m->taken[i]);
	m->mode = mode;
	eh_c2c_rest(m->t->host->m, mode != MEASURE);
	cut(m);
	eh_sim_at(m->t->host->sim, &m->ev, eh_sim_now(m->t->host->sim) + length);
}

static void begin_measuring(struct eh_sampler *m)
{
	begin_locks(m);
	pools_clear(m->now, m->ndies + 1);
	m->under_way = 0;
	m->stretch++;
	enter(m, MEASURE, m->cfg.stretch);
}

static gint cheaper(gconstpointer a, gconstpointer b)
{
	const struct piece *x = a, *y = b;
	__int128 d = (__int128)x->time * y->n - (__int128)y->time * x->n;

	return d < 0 ? -1 : d > 0;
}

/* Every candidate counts alike, at the mean cost of its piece. */
static void distribute(struct pool *p)
{
	const struct piece *piece = (const struct piece *)(void *)p->pieces->data;
	uint64_t left;
	guint i = 0;

	if (!p->n)
		return;
	g_array_sort(p->pieces, cheaper);
	left = piece[0].n;
	for (uint64_t b = 0; b < BINS; b++) {
		uint64_t all = p->n * (b + 1) / BINS - p->n * b / BINS;
		eh_time sum = 0;

		for (uint64_t want = all; want;) {
			uint64_t part = MIN(want, left);

			sum += (eh_time)((__int128)piece[i].time * part / piece[i].n);
			want -= part;
			left -= part;
			if (!left && i + 1 < p->pieces->len)
				left = piece[++i].n;
		}
		p->block[b] = MAX(all ? sum * EH_SAMPLE_BLOCK / (eh_time)all : 0, EH_SAMPLE_BLOCK);
	}
}

/* All pieces have ended: what they cost holds until the next stretch has been measured. */
static void begin_fast(struct eh_sampler *m)
{
	struct pool *all = &m->now[m->ndies], *swap = m->last;
	struct eh_sample_stretch st = {
		.ns = (double)all->time / (double)EH_NS / (double)all->n,
		.measured = all->n,
	};
	eh_time detail = m->cfg.warmup + m->cfg.stretch, mean = m->cfg.period - detail;

	for (int d = 0; d <= m->ndies; d++) {
		struct pool *p = &m->now[d];

		distribute(p);
		for (int sym = 0; sym < EH_SYM_COUNT; sym++)
			if (p->charged[sym] > 0)
				p->syms[p->nsyms++] = sym;
	}
	end_locks(m);
	g_array_append_val(m->stretches[m->phase], st);
	m->last = m->now;
	m->now = swap;
	mean = MIN(MAX(mean, m->cfg.stretch), 2 * m->fast_length);
	m->fast_length = mean;
	enter(m, FAST, mean / 2 + (eh_time)eh_stream_below(m->random, (uint64_t)mean + 1));
}

static void step(struct eh_event *ev)
{
	struct eh_sampler *m = eh_container_of(ev, struct eh_sampler, ev);

	switch (m->mode) {
	case WARMUP:
		begin_measuring(m);
		break;
	case MEASURE:
		if (m->now[m->ndies].n < (uint64_t)m->cfg.candidates) {
			eh_sim_at(m->t->host->sim, ev, eh_sim_now(m->t->host->sim) + m->cfg.stretch);
			break;
		}
		m->mode = CLOSING;
		cut(m);
		if (!m->under_way)
			begin_fast(m);
		break;
	case FAST:
		enter(m, WARMUP, m->cfg.warmup);
		break;
	case CLOSING:
		break;
	}
}

void eh_piece_begin(const struct search *s, struct eh_piece *p)
{
	struct eh_sampler *m = s->t->sampler;

	p->stretch = m->mode == MEASURE ? m->stretch : 0;
	if (!p->stretch)
		return;
	m->under_way++;
	p->from = s->c->retire;
	p->seen = s->seen;
	memcpy(p->charged, s->c->charged, sizeof(p->charged));
	if (s->c->core.account)
		p->account = *s->c->core.account;
}

static void add(struct pool *pool, const struct eh_cpu *c, const struct eh_piece *p, struct piece new)
{
	pool->n += new.n;
	pool->time += new.time;
	g_array_append_val(pool->pieces, new);
	for (int sym = 0; sym < EH_SYM_COUNT; sym++)
		pool->charged[sym] += c->charged[sym] - p->charged[sym];
	if (c->core.account)
		eh_account_since(&pool->account, c->core.account, &p->account);
}

void eh_piece_end(const struct search *s, const struct eh_piece *p, bool found)
{
	struct eh_sampler *m = s->t->sampler;
	struct piece new = {.n = s->seen - p->seen, .time = s->c->retire - p->from};

	if (!p->stretch || p->stretch != m->stretch)
		return;
	if (!found && new.n && new.time > 0) {
		add(&m->now[s->c->die], s->c, p, new);
		add(&m->now[m->ndies], s->c, p, new);
	}
	if (!--m->under_way && m->mode == CLOSING)
		begin_fast(m);
}

static const struct pool *pool_of(const struct eh_sampler *m, int die)
{
	const struct pool *p = &m->last[die];

	return p->n >= FEW * EH_SAMPLE_BLOCK ? p : &m->last[m->ndies];
}

eh_time eh_sample_draw(const struct eh_sampler *m, const struct eh_cpu *c, uint32_t scan,
		       uint32_t block)
{
	const uint64_t words[] = {(uint64_t)c->id << 32 | scan, block};

	return pool_of(m, c->die)->block[eh_siphash(m->key[0], m->key[1], words, 2) % BINS];
}

void eh_sample_charge(struct eh_sampler *m, struct eh_cpu *c, uint64_t n, eh_time time)
{
	const struct pool *p = pool_of(m, c->die);
	GArray *stretches = m->stretches[m->phase];
	eh_time rest = time;

	for (int i = 1; i < p->nsyms; i++) {
		int sym = p->syms[i];
		eh_time part = (eh_time)((__int128)time * p->charged[sym] / p->time);

		c->charged[sym] += part;
		rest -= part;
	}
	c->charged[p->syms[0]] += rest;
	if (c->core.account)
		eh_account_add(c->core.account, &p->account, time, p->time);
	m->fast[m->phase] += n;
	m->applied += n;
	if (stretches->len)
		g_array_index(stretches, struct eh_sample_stretch, stretches->len - 1).applied += n;
}

void eh_sample_start(struct eh_host *h, const struct eh_sample_config *cfg)
{
	struct eh_sampler *m = g_new0(struct eh_sampler, 1);

	m->t = h->hash;
	m->cfg = *cfg;
	m->ndies = h->m->ndies;
	m->now = pools_new(m->ndies + 1);
	m->last = pools_new(m->ndies + 1);
	for (int i = 0; i < EH_SAMPLE_PHASES; i++)
		m->stretches[i] = g_array_new(FALSE, FALSE, sizeof(struct eh_sample_stretch));
	m->random = eh_stream_new(eh_sim_seed(h->sim), "net.sample");
	m->key[0] = eh_stream_u64(m->random);
	m->key[1] = eh_stream_u64(m->random);
	m->ev.fn = step;
	m->taken[0].class = &h->ehash_lock;
	m->taken[1].class = &h->bhash_lock;
	m->t->sampler = m;
	m->fast_length = cfg->stretch;
	enter(m, WARMUP, cfg->warmup);
}

void eh_sample_phase(struct eh_host *h)
{
	struct eh_sampler *m = h->hash->sampler;

	if (!m)
		return;
	m->phase = MIN(m->phase + 1, EH_SAMPLE_PHASES - 1);
	m->fast_length = m->cfg.stretch;
	enter(m, WARMUP, m->cfg.warmup);
}

bool eh_sample_read(const struct eh_host *h, struct eh_sample_stats *st)
{
	const struct eh_sampler *m = h->hash->sampler;

	if (!m)
		return false;
	memcpy(st->stretches, m->stretches, sizeof(st->stretches));
	memcpy(st->fast, m->fast, sizeof(st->fast));
	return true;
}

void eh_sampler_free(struct eh_sampler *m)
{
	if (!m)
		return;
	eh_sim_cancel(m->t->host->sim, &m->ev);
	pools_free(m->now, m->ndies + 1);
	pools_free(m->last, m->ndies + 1);
	for (int i = 0; i < EH_SAMPLE_PHASES; i++)
		g_array_unref(m->stretches[i]);
	gsl_rng_free(m->random);
	g_free(m);
}
