/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a packet does: tcp_v4_rcv of 2.6.8, as far as the table is concerned. The one that is the last of
 * its connection closes it, the last one of TIME_WAIT ends that; then a new one opens.
 */
#include "ehash2004.h"

#define SYM EH_SYM(tcp_v4_rcv)

/* What a lookup may expect. */
struct sight {
	bool exists;
	uint64_t epoch;
};

void eh_connection2004_preset(struct table2004 *s, struct connection2004 *k, int cpu, gsl_rng *r)
{
	int64_t lifetime = s->cfg->ehash2004.lifetime;

	k->sk = eh_sock2004_preset(s->t, &k->four, cpu);
	k->left = lifetime ? 1 + (int64_t)eh_stream_below(r, (uint64_t)lifetime) : 0;
	k->exists = true;
}

static void open(struct table2004 *s, struct eh_cpu *c, struct connection2004 *k)
{
	k->sk = eh_sock2004_new(c, s->t, &k->four, EH_SOCK2004);
	k->left = s->cfg->ehash2004.lifetime;
	eh_ehash2004_insert(c, k->sk);
	k->exists = true;
}

/* It will be in neither chain. */
static void cease(struct connection2004 *k)
{
	k->exists = false;
	k->epoch++;
}

static void new_one(struct table2004 *s, struct eh_cpu *c, struct connection2004 *k, eh_time from)
{
	open(s, c, k);
	s->count[EH_COUNT_CONNECTIONS]++;
	s->count[EH_COUNT_CONNECTION_TIME] += c->retire - from;
}

static void end_time_wait(struct table2004 *s, struct eh_cpu *c, struct connection2004 *k)
{
	struct eh_sock2004 *tw = k->tw;
	eh_time from = c->retire;

	k->tw = NULL;
	cease(k);
	eh_ehash2004_unhash(c, tw);
	eh_sock2004_put(c, tw, SYM);
	new_one(s, c, k, from);
}

/* Under the socket's lock. */
static void to_time_wait(struct table2004 *s, struct eh_cpu *c, struct connection2004 *k,
			 struct eh_sock2004 *sk)
{
	eh_time from = c->retire;

	k->left = s->cfg->ehash2004.tw_packets;
	k->tw = eh_ehash2004_time_wait(c, sk);
	s->count[EH_COUNT_DANCES]++;
	s->count[EH_COUNT_DANCE_TIME] += c->retire - from;
	s->count[EH_COUNT_CONNECTION_TIME] += c->retire - from;
}

/* After a reset a process closes it: nobody else need have a reference. */
static void close_reset(struct table2004 *s, struct eh_cpu *c, struct connection2004 *k,
			struct eh_sock2004 *sk)
{
	eh_time from = c->retire;

	cease(k);
	eh_ehash2004_unhash(c, sk);
	eh_sock2004_put(c, sk, SYM);
	new_one(s, c, k, from);
}

/* Its owner has it no more. */
static void close_time_wait(struct table2004 *s, struct eh_cpu *c, struct connection2004 *k,
		  struct eh_sock2004 *sk)
{
	eh_time from = c->retire;

	eh_sock2004_put(c, sk, SYM);
	s->count[EH_COUNT_CONNECTION_TIME] += c->retire - from;
	if (!k->left && k->tw)
		end_time_wait(s, c, k);
}

static void for_socket(struct table2004 *s, struct eh_cpu *c, struct connection2004 *k,
		       struct eh_sock2004 *sk)
{
	bool last = false, reset = s->cfg->ehash2004.end == EH_END_RESET;

	eh_sock2004_lock(c, sk, SYM);
	if (sk == k->sk) {
		eh_path(c, SYM, s->cfg->ehash2004.work);
		eh_touch(c, SYM, sk->line + 2, (int)s->cfg->ehash2004.touch, true);
		eh_cpu_sync(c, c->retire);
		last = k->left && !--k->left;
		if (last) {
			k->sk = NULL;
			if (!reset)
				to_time_wait(s, c, k, sk);
		}
	} else {
		s->count[EH_COUNT_LATE]++;
	}
	eh_sock2004_unlock(c, sk, SYM);
	if (last && !reset)
		close_time_wait(s, c, k, sk);
	eh_sock2004_put(c, sk, SYM);
	if (last && reset)
		close_reset(s, c, k, sk);
}

static void for_time_wait(struct table2004 *s, struct eh_cpu *c, struct connection2004 *k,
			  struct eh_sock2004 *tw)
{
	bool over;

	eh_path(c, SYM, s->cfg->ehash2004.tw_work);
	eh_cpu_sync(c, c->retire);
	over = tw == k->tw && --k->left <= 0;
	eh_sock2004_put(c, tw, SYM);
	if (over && k->tw == tw)
		end_time_wait(s, c, k);
}

/* tcp_v4_send_reset, which is wrong if the connection was there all the time. */
static void for_nobody(struct table2004 *s, struct eh_cpu *c, const struct connection2004 *k,
		       const struct sight *before)
{
	if (!before->exists || !k->exists || before->epoch != k->epoch)
		return;
	s->count[EH_COUNT_RESETS]++;
	eh_path(c, EH_SYM(tcp_v4_send_reset), s->cfg->ehash2004.work);
}

void eh_packet2004(struct table2004 *s, struct eh_cpu *c, struct connection2004 *k)
{
	struct eh_sock2004 *sk;
	struct sight before;
	eh_time from;

	eh_cpu_sync(c, c->retire);
	from = c->retire;
	before = (struct sight){k->exists, k->epoch};
	sk = eh_ehash2004_lookup(c, s->t, &k->four);
	if (!sk)
		for_nobody(s, c, k, &before);
	else if (sk->kind == EH_TW2004)
		for_time_wait(s, c, k, sk);
	else
		for_socket(s, c, k, sk);
	s->count[EH_COUNT_PACKETS]++;
	s->count[EH_COUNT_PACKET_TIME] += c->retire - from;
}
