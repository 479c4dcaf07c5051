/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inet_table.h"

#include <ehsim/check.h>
#include <ehsim/slab.h>
#include <ehsim/softnet.h>
#include <ehsim/tcp.h>
#include <inttypes.h>

#define PORTS 65536

static bool same_tuple(const struct eh_sock *a, const struct eh_sock *b)
{
	return a->laddr == b->laddr && a->lport == b->lport && a->raddr == b->raddr &&
	       a->rport == b->rport;
}

static bool handed_over(const struct eh_sock *a, const struct eh_sock *b)
{
	return (a->state == EH_TCP_TIME_WAIT) != (b->state == EH_TCP_TIME_WAIT);
}

char *eh_tuple_problem(const struct eh_sock *sk)
{
	const struct eh_inet_hash *t = sk->host->hash;

	for (const struct eh_sock *s = t->bucket[sk->bucket]; s; s = s->ehash_next)
		if (s != sk && same_tuple(s, sk) && !handed_over(s, sk))
			return g_strdup_printf("%08x:%u -> %08x:%u is twice in the established table of "
					       "%s",
					       sk->laddr, sk->lport, sk->raddr, sk->rport,
					       sk->host->m->name);
	return NULL;
}

char *eh_lookup_problem(const struct eh_host *h, const struct eh_sock *of, eh_time since)
{
	const struct eh_inet_hash *t = h->hash;
	uint32_t bucket = eh_ehashfn(t, of->laddr, of->lport, of->raddr, of->rport) & t->bucket_mask;

	for (const struct eh_sock *s = t->bucket[bucket]; s; s = s->ehash_next)
		if (same_tuple(s, of) && s->hashed_at < since)
			return g_strdup_printf("a lookup on %s missed %08x:%u -> %08x:%u, which was there all "
					       "the time",
					       h->m->name, of->laddr, of->lport, of->raddr, of->rport);
	return NULL;
}

/* Chains hold what is hashed, and that where its hash says. */
static char *chains_problem(const struct eh_host *h, uint64_t *hashed)
{
	const struct eh_inet_hash *t = h->hash;

	*hashed = 0;
	for (uint32_t b = 0; b <= t->bucket_mask; b++)
		for (const struct eh_sock *s = t->bucket[b]; s; s = s->ehash_next) {
			char *why = eh_tuple_problem(s);

			++*hashed;
			if (why)
				return why;
			if (!s->hashed || !s->obj || s->bucket != b || *s->ehash_pprev != s ||
			    (eh_ehashfn(t, s->laddr, s->lport, s->raddr, s->rport) & t->bucket_mask) != b)
				return g_strdup_printf("chain %u of the established table of %s holds "
						       "what does not belong there: %08x:%u -> %08x:%u",
						       b, h->m->name, s->laddr, s->lport, s->raddr,
						       s->rport);
		}
	return NULL;
}

struct held {
	uint64_t alive, hashed;
};

static void hold(struct held *x, const struct eh_sock *sk)
{
	x->alive += sk->obj != NULL;
	x->hashed += sk->obj && sk->hashed;
}

/* `alive` of a cache are held by somebody, or in the hands of a CPU just now. */
static char *account(const struct eh_host *h, const struct eh_kmem_cache *k, const char *what,
		     uint64_t held, uint64_t in_hand)
{
	uint64_t alive = 0;

	for (int d = 0; d < h->m->ndies; d++)
		alive += eh_kmem_alive(k, d);
	if (alive <= held + in_hand && held <= alive + in_hand)
		return NULL;
	return g_strdup_printf("%s of %s: %" PRIu64 " allocated and not freed, but %" PRIu64
			       " are in use and %" PRIu64 " in the hands of CPUs",
			       what, h->m->name, alive, held, in_hand);
}

static char *sockets_problem(const struct eh_host *h)
{
	const struct eh_tcp_host *th = h->tcp;
	struct held sk = {0}, req = {0}, tw = {0};
	uint64_t hashed;
	char *why = chains_problem(h, &hashed);

	for (guint i = 0; i < th->blocks->len; i++)
		for (int j = 0; j < EH_TCP_BLOCK; j++)
			hold(&sk, &((struct eh_tcp *)th->blocks->pdata[i])[j].sk);
	for (guint i = 0; i < th->request_blocks->len; i++)
		for (int j = 0; j < EH_TCP_BLOCK; j++)
			hold(&req, &((struct eh_request *)th->request_blocks->pdata[i])[j].sk);
	for (guint i = 0; i < th->timewait_blocks->len; i++)
		for (int j = 0; j < EH_TCP_BLOCK; j++)
			hold(&tw, &((struct eh_timewait *)th->timewait_blocks->pdata[i])[j].sk);
	if (!why && hashed != sk.hashed + req.hashed + tw.hashed)
		why = g_strdup_printf("%" PRIu64 " sockets of %s are hashed, but %" PRIu64
				      " are in the established table",
				      sk.hashed + req.hashed + tw.hashed, h->m->name, hashed);
	if (!why)
		why = account(h, h->sk_cache, "sockets", sk.alive, h->in_hand);
	if (!why)
		why = account(h, h->req_cache, "request sockets", req.alive, h->in_hand);
	if (!why)
		why = account(h, h->tw_cache, "TIME_WAIT sockets", tw.alive, h->in_hand);
	return why;
}

static char *buckets_problem(const struct eh_host *h)
{
	const struct eh_inet_hash *t = h->hash;
	uint64_t first = 0, second = 0;
	char *why;

	for (int port = 0; port < PORTS; port++) {
		const struct eh_bind_bucket *tb = t->tb[port];

		first += tb != NULL;
		for (const struct eh_bind2_bucket *tb2 = tb ? tb->second : NULL; tb2; tb2 = tb2->next)
			second += tb2->obj != NULL;
	}
	why = account(h, h->tb_cache, "bind buckets", first + t->tb_waiting, h->in_hand);
	return why ? why : account(h, h->tb2_cache, "bhash2 buckets", second, h->in_hand);
}

char *eh_host_problem(const struct eh_host *h)
{
	char *why = sockets_problem(h);

	if (!why)
		why = buckets_problem(h);
	return why ? why : eh_softnet_problem(h->softnet);
}

static void fail(const struct eh_sim *sim, char *why)
{
	if (why)
		eh_assert_failed(sim, why, __FILE__, __LINE__);
}

void eh_net_check(const struct eh_host *a, const struct eh_host *b)
{
	fail(a->sim, eh_host_problem(a));
	fail(a->sim, eh_host_problem(b));
	fail(a->sim, eh_link_problem(a, b));
}
