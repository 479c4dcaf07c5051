/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "line.h"

#include <ehsim/account.h>
#include <glib.h>
#include <inttypes.h>

void eh_accounts_start(struct eh_machine *m)
{
	struct eh_accounts *all = g_new0(struct eh_accounts, m->ncpus);

	g_ptr_array_add(m->kept, all);
	for (int i = 0; i < m->ncpus; i++) {
		m->cpus[i].accounts = &all[i];
		m->cpus[i].core.account = &all[i].doing[EH_DOING_KERNEL];
	}
}

static eh_time sum(const struct eh_accounts *all)
{
	eh_time t = -all->early;

	for (int doing = 0; doing < EH_DOINGS; doing++)
		for (int why = 0; why < EH_WHYS; why++)
			t += all->doing[doing].time[why];
	return t;
}

void eh_accounts_check(const struct eh_machine *m)
{
	for (int i = 0; i < m->ncpus; i++) {
		const struct eh_cpu *c = &m->cpus[i];
		eh_time kept = c->accounts ? sum(c->accounts) : eh_cpu_busy(c);
		char *why;

		if (eh_likely(kept == eh_cpu_busy(c)))
			continue;
		why = g_strdup_printf("accounts of CPU %d of %s: %" PRId64 " ps by reason, %" PRId64
				      " ps by symbol", i, m->name, kept, eh_cpu_busy(c));
		eh_assert_failed(m->sim, why, __FILE__, __LINE__);
	}
}

static uint64_t part(uint64_t x, eh_time kept, eh_time all)
{
	return (uint64_t)((unsigned __int128)x * (uint64_t)kept / (uint64_t)all);
}

void eh_account_add(struct eh_account *to, const struct eh_account *from, eh_time kept, eh_time all)
{
	eh_time left = kept;

	for (int why = 0; why < EH_WHYS; why++) {
		eh_time t = kept == all ? from->time[why] :
					  (eh_time)part((uint64_t)from->time[why], kept, all);

		to->time[why] += t;
		left -= t;
	}
	if (kept != all) /* what rounding down leaves */
		to->time[EH_WHY_INSTR] += left;
	for (int w = 0; w < 2; w++)
		for (int s = 0; s < EH_SOURCES; s++) {
			if (kept == all) {
				to->lines[w][s] += from->lines[w][s];
				to->took[w][s] += from->took[w][s];
			} else {
				to->lines[w][s] += part(from->lines[w][s], kept, all);
				to->took[w][s] += (eh_time)part((uint64_t)from->took[w][s], kept, all);
			}
		}
}

void eh_account_since(struct eh_account *to, const struct eh_account *now,
		      const struct eh_account *before)
{
	for (int why = 0; why < EH_WHYS; why++)
		to->time[why] += now->time[why] - before->time[why];
	for (int w = 0; w < 2; w++)
		for (int s = 0; s < EH_SOURCES; s++) {
			to->lines[w][s] += now->lines[w][s] - before->lines[w][s];
			to->took[w][s] += now->took[w][s] - before->took[w][s];
		}
}

static bool same_socket(const struct eh_machine *m, int a, int b)
{
	return m->socket_bit[a] == m->socket_bit[b];
}

/* From an L3, or memory; a modified line: from where c's own L2 displaced it to. */
static enum eh_source clean_source(const struct eh_cpu *c, const struct eh_line *l)
{
	const struct eh_machine *m = c->m;
	int at = l->state & EH_LINE_DIRTY ? eh_line_kept_at(c, l) : l->home;

	if (!(l->state & (EH_LINE_CACHED | EH_LINE_DIRTY)))
		return EH_FROM_MEMORY;
	if (at == c->die)
		return EH_FROM_CLEAN_DIE;
	if (same_socket(m, at, c->die))
		return EH_FROM_CLEAN_SOCKET;
	return m->cfg->cache.remote_copies == EH_COPIES_AT_READER && l->readers & m->socket_bit[c->die] ?
		       EH_FROM_CLEAN_DIE : EH_FROM_CLEAN_FAR;
}

static enum eh_source dirty_source(const struct eh_cpu *c, const struct eh_line *l)
{
	int die = c->m->die_of[l->owner];

	if (die == c->die)
		return EH_FROM_DIRTY_DIE;
	return same_socket(c->m, die, c->die) ? EH_FROM_DIRTY_SOCKET : EH_FROM_DIRTY_FAR;
}

void eh_account_fetch(struct eh_account *a, const struct eh_cpu *c, const struct eh_line *l)
{
	bool dirty = l->state & EH_LINE_DIRTY && l->owner != c->id;

	eh_account_from(a, dirty ? dirty_source(c, l) : clean_source(c, l));
}

/* Of a clean line: where its data is, or the copies that have to go. */
static enum eh_source shared_source(const struct eh_cpu *c, const struct eh_line *l)
{
	const struct eh_machine *m = c->m;
	uint8_t here = m->socket_bit[c->die];
	bool sole = l->state & EH_LINE_SOLE && l->owner == c->id;
	bool mine = eh_set_match(c->l2[(uint32_t)(l - m->lines) & m->l2_mask], l->tag, 0xffff) != 0;

	if (!sole && l->readers & (uint8_t)~here)
		return EH_FROM_CLEAN_FAR;
	if (!mine)
		return clean_source(c, l);
	if (sole || !l->readers)
		return EH_FROM_L1;
	return m->dies_per_socket > 1 ? EH_FROM_CLEAN_SOCKET : EH_FROM_CLEAN_DIE;
}

void eh_account_take(struct eh_account *a, const struct eh_cpu *c, const struct eh_line *l)
{
	const struct eh_machine *m = c->m;
	enum eh_source source;

	if (!(l->state & EH_LINE_DIRTY))
		source = shared_source(c, l);
	else if (l->owner != c->id)
		source = dirty_source(c, l);
	else if (eh_set_match(c->l2[(uint32_t)(l - m->lines) & m->l2_mask], l->tag, 0xffff))
		source = EH_FROM_L1;
	else
		source = clean_source(c, l);
	eh_account_from(a, source);
}

/* (from, to], as far as it lies behind *before, which moves on. */
static void segment(struct eh_account *a, int why, eh_time *before, eh_time to)
{
	if (to <= *before)
		return;
	a->time[why] += to - *before;
	*before = to;
}

void eh_account_read(struct eh_account *a, eh_time before, eh_time after, eh_time start,
		     eh_time begun, eh_time done)
{
	eh_time at_home = a->at_home;

	a->lines[0][a->source]++;
	a->took[0][a->source] += done - begun - at_home;
	if (after == before)
		return;
	if (start > before) {
		eh_account_instr(a, before, start);
		before = start;
	}
	segment(a, EH_WHY_BUFFERS, &before, begun);
	segment(a, EH_WHY_HOME, &before, begun + at_home);
	segment(a, EH_WHY_READ + a->source, &before, after);
}

void eh_account_rmw(struct eh_account *a, eh_time before, eh_time after, eh_time dispatch,
		    eh_time asked, const struct eh_rmw *r)
{
	eh_time at_home = MIN(a->at_home, r->start + r->latency - asked);
	eh_time way = r->latency - (a->granted ? MIN(at_home, r->latency) : 0);
	eh_time there = r->start + r->latency;

	a->lines[1][a->source]++;
	a->took[1][a->source] += way;
	if (dispatch > before) {
		eh_account_instr(a, before, dispatch);
		before = dispatch;
	}
	segment(a, EH_WHY_DRAIN, &before, asked);
	segment(a, EH_WHY_IN_USE, &before, there - way - at_home);
	segment(a, EH_WHY_HOME, &before, there - way);
	segment(a, EH_WHY_WRITE + a->source, &before, there);
	segment(a, EH_WHY_LOCKED, &before, MIN(after, r->done));
	segment(a, EH_WHY_INSTR, &before, after);
}
