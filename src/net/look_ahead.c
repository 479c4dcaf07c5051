/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lockless walk over rejected candidates, ahead of the simulated clock.
 *
 * A rejected candidate of S1 writes nothing, so a CPU may look at many candidates in one go, as long
 * as what it decides is what it would have decided in order. It notes its own clock before each
 * candidate (struct eh_lookahead). Whoever frees a port that it has passed ahead of time marks it:
 * when the clock gets there the CPU looks again, and goes back to that candidate if the port is
 * still free. Who needs the CPU itself (interrupt, urgent flag) sends it back to the first candidate
 * not before now. A port that may be taken is never decided ahead: the CPU stops in front of it and
 * waits for its turn. Going back also takes back what the reads displaced from the L2. What stays
 * approximate: lines are read in the state they had when the CPU read ahead.
 */
#include "port_walk.h"

#include <string.h>

#define PREFETCH 8   /* candidates */

static void wait_for(struct eh_lookahead *a, uint32_t at)
{
	if (at >= a->next)
		return;
	a->next = at;
	eh_sim_at(a->c->sim, &a->c->ev, a->clock[at]);
}

/* Something happened to the CPU itself: only candidates before now hold. */
static void kick(struct eh_cpu *c)
{
	struct eh_lookahead *a = c->kick_arg;
	eh_time now = eh_sim_now(c->sim);
	uint32_t lo = 0, hi = a->hold;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (a->clock[mid] < now)
			lo = mid + 1;
		else
			hi = mid;
	}
	a->hold = lo;
	wait_for(a, lo);
}

void eh_lookahead_port(struct eh_inet_hash *t, uint16_t port)
{
	eh_time now = eh_sim_now(t->host->sim);

	if (t->nfast)
		eh_fast_port(t, port);
	for (int i = 0; i < t->nahead; i++) {
		struct eh_lookahead *a = t->ahead[i];
		uint32_t at = (uint32_t)port - a->range.low, shift = a->range.step - 1;
		uint32_t pass = (a->range.remaining + shift) >> shift, j = (at >> shift) + pass - a->first;

		if (at >= a->range.span || a->parity != (at & shift))
			continue;
		while (j >= pass)
			j -= pass;
		if (j < a->hold && a->clock[j] > now) {
			a->again[j / 64] |= (uint64_t)1 << j % 64;
			wait_for(a, j);
		}
	}
}

static uint32_t next_again(const struct eh_lookahead *a, uint32_t from)
{
	for (uint32_t w = from / 64; w * 64 < a->hold; w++) {
		uint64_t bits = a->again[w];

		if (w == from / 64)
			bits &= ~(uint64_t)0 << from % 64;
		if (bits)
			return MIN(w * 64 + (uint32_t)__builtin_ctzll(bits), a->hold);
	}
	return a->hold;
}

/* Let the clock catch up with what was read ahead; candidates marked meanwhile are looked at. */
static void catch_up(struct search *s, struct eh_lookahead *a)
{
	struct eh_inet_hash *t = s->t;

	a->next = a->hold = a->n;
	memset(a->again, 0, sizeof(a->again));
	t->ahead[t->nahead++] = a;
	s->c->kick_arg = a;
	s->c->kick = kick;
	eh_cpu_sync(s->c, a->clock[a->n]);
	while (a->next < a->hold) {
		uint32_t j = a->next;

		if (!rejected_for_sure(&s->u->ports[port_at(s, s->i + s->range.step * j)])) {
			a->hold = j;
			break;
		}
		a->next = next_again(a, j + 1);
		eh_cpu_sync(s->c, a->clock[a->next]);
	}
	s->c->kick = NULL;
	for (int i = 0; i < t->nahead; i++)
		if (t->ahead[i] == a)
			t->ahead[i--] = t->ahead[--t->nahead];
}

/*
 * Set the CPU back to the instant before candidate `hold`: its window starts empty there, its L2
 * holds again what later reads displaced, and time by symbol shrinks in proportion.
 */
static void go_back(const struct eh_lookahead *a, uint32_t displaced, struct eh_core *k,
		    struct charges *x)
{
	eh_time all = a->clock[a->n] - a->clock[0], kept = a->clock[a->hold] - a->clock[0];
	eh_time *const part[] = {&x->loop, &x->hash, &x->resched, &x->qs};

	x->check = kept;
	for (int i = 0; i < 4; i++) {
		*part[i] = (eh_time)((__int128)*part[i] * kept / all);
		x->check -= *part[i];
	}
	eh_core_empty(k, a->c, a->clock[a->hold]);
	for (uint32_t i = displaced; i-- > a->displaced[a->hold];) {
		uint64_t *set = &a->c->l2[a->undo[i] >> 16];

		*set = eh_set_pull(*set, (uint16_t)a->undo[i]);
	}
}

static struct eh_lookahead *look_ahead_of(struct eh_inet_hash *t, const struct eh_cpu *c)
{
	if (!t->of_cpu[c->id])
		t->of_cpu[c->id] = g_new0(struct eh_lookahead, 1);
	return t->of_cpu[c->id];
}

/* Candidates that were looked at: reserved ports are passed by. */
static uint32_t looked_at(const struct search *s, const struct eh_lookahead *a, uint32_t reserved)
{
	if (eh_likely(!reserved))
		return a->hold;
	reserved = 0;
	for (uint32_t j = 0; j < a->hold; j++)
		reserved += s->u->ports[port_at(s, s->i + s->range.step * j)].state == EH_PORT_RESERVED;
	return a->hold - reserved;
}

/* What was ahead of the clock holds as far as `hold`: accounts like charges. */
static void settle_account(struct eh_cpu *c, const struct eh_lookahead *a, struct eh_account *of)
{
	eh_account_add(of, &c->accounts->ahead, a->clock[a->hold] - a->clock[0],
		       a->clock[a->n] - a->clock[0]);
	c->accounts->ahead = (struct eh_account){.restart = 0};
	c->core.account = of;
}

eh_always_inline void scan(struct search *s, struct eh_account *account)
{
	struct eh_lookahead *a = look_ahead_of(s->t, s->c);
	struct eh_undo undo = {.log = a->undo};
	struct eh_core k = s->c->core;
	struct charges x = {0};
	const uint32_t step = s->range.step, end = s->range.remaining;
	uint32_t i = s->i, n = 0, reserved = 0, seen;

	k.account = account;
	while (n < s->t->look_ahead && i < end) {
		uint32_t port = port_at(s, i);
		const struct eh_port *p = &s->u->ports[port];

		if (!rejected_for_sure(p))
			break;
		if (i + PREFETCH * step < end)
			prefetch(s, port_at(s, i + PREFETCH * step));
		a->displaced[n] = undo.n;
		a->clock[n++] = k.retire;
		if (eh_unlikely(p->state == EH_PORT_RESERVED)) {
			reserved++;
			work(s, &k, &x.loop, s->cost->loop);
		} else {
			read_head_and_bucket(s, &k, &x, p, port, &undo);
			if (eh_likely(p->state == EH_PORT_TAKEN))
				walk_to_match(s, &k, &x, p, port, check_and_hash(s, &k, &x),
					      &undo);
			between_candidates(s, &k, &x);
		}
		i += step;
	}
	a->c = s->c;
	a->clock[n] = k.retire;
	a->n = n;
	a->range = s->range;
	a->parity = s->offset & (step - 1);
	a->first = (port_at(s, s->i) - s->range.low) / step;
	s->c->core = k;
	catch_up(s, a);
	if (a->hold < n)
		go_back(a, undo.n, &k, &x);
	s->c->core = k;
	settle(s, &x);
	seen = looked_at(s, a, reserved);
	s->t->stats.candidates += seen;
	s->seen += seen;
	s->c->accesses += EH_LINES_READ * (uint64_t)seen;
	s->i += step * a->hold;
}

/* Walk rejected candidates from s->i on; stops in front of the first that may be taken. */
void eh_scan_lockless(struct search *s)
{
	struct eh_cpu *c = s->c;
	struct eh_account *account = c->core.account;

	if (eh_likely(!account)) {
		scan(s, NULL);
		return;
	}
	c->accounts->ahead.restart = account->restart;
	c->core.account = &c->accounts->ahead;
	scan(s, c->core.account);
	settle_account(c, look_ahead_of(s->t, c), account);
}
