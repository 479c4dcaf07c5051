/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arena.h"
#include "line.h"

#include <ehsim/cpu.h>
#include <glib.h>
#include <string.h>

static size_t l1_bytes(const struct eh_machine *m)
{
	return ((size_t)m->l1_mask + 1) * sizeof(uint32_t);
}

static size_t bytes_per_cpu(const struct eh_machine *m)
{
	return l1_bytes(m) + ((size_t)m->l2_mask + 1) * sizeof(uint64_t);
}

static size_t tag_bytes(const struct eh_machine *m)
{
	return (size_t)m->ncpus * bytes_per_cpu(m);
}

void eh_cpus_forget(struct eh_machine *m)
{
	if (m->tags)
		memset(m->tags, 0, tag_bytes(m));
}

struct eh_cpu *eh_cpus_new(struct eh_machine *m)
{
	struct eh_cpu *cpus = g_aligned_alloc0((gsize)m->ncpus, sizeof(*cpus), 64);

	m->tags = eh_arena_new(tag_bytes(m));
	for (int i = 0; i < m->ncpus; i++) {
		struct eh_cpu *c = &cpus[i];

		c->id = (uint16_t)i;
		c->die = (uint16_t)m->die_of[i];
		c->m = m;
		c->sim = m->sim;
		c->window = (uint16_t)m->cfg->core.window;
		c->instr = m->instr;
		c->path_instr = m->path_instr;
		c->clean = m->clean + c->die * m->ndies;
		c->copy = m->copy + c->die * m->ndies;
		c->dirty = m->dirty + c->die * m->ndies * m->ndies;
		c->dram = m->dram + c->die * m->ndies;
		c->clean_mask = eh_line_state(&(struct eh_line){
			.state = 0xff, .readers = m->socket_bit[c->die]});
		c->clean_value = eh_line_state(&(struct eh_line){
			.state = EH_LINE_CACHED, .readers = m->socket_bit[c->die]});
		eh_core_empty(&c->core, c, 0);
		c->line_buffers = (uint16_t)m->cfg->core.line_buffers;
	}
	return cpus;
}

void eh_cpus_free(struct eh_machine *m)
{
	for (int i = 0; i < m->ncpus; i++)
		eh_sim_cancel(m->sim, &m->cpus[i].ev);
	eh_arena_free(m->tags, tag_bytes(m));
	g_aligned_free(m->cpus);
}

void eh_cpu_start(struct eh_cpu *c)
{
	if (c->l2)
		return;
	c->l1 = (uint32_t *)(void *)(c->m->tags + (size_t)c->id * bytes_per_cpu(c->m));
	c->l2 = (uint64_t *)(void *)((char *)c->l1 + l1_bytes(c->m));
}

eh_time eh_line_read_slow(const struct eh_cpu *c, struct eh_line *l, uint64_t *set)
{
	struct eh_machine *m = c->m;
	uint8_t state = EH_LINE_CACHED | (l->state & EH_LINE_DEMAND);
	eh_time latency;

	if (l->state & EH_LINE_DIRTY && l->owner == c->id) { /* displaced to the L3 */
		latency = c->copy[eh_line_kept_at(c, l)];
		state = l->state;
	} else if (l->state & EH_LINE_DIRTY) { /* its writer keeps a copy */
		latency = eh_line_transfer_from(c, l->owner, l->home) +
			  eh_line_queue_at_home(c, l, eh_sim_now(m->sim));
		l->readers |= m->socket_bit[m->die_of[l->owner]];
		m->cpus[c->id].transfers++;
		if (eh_unlikely(m->c2c))
			eh_c2c_count(c, (eh_line_id)(l - m->lines), l->owner, false, latency);
	} else {
		latency = eh_line_clean(c, l);
		if (!(l->state & EH_LINE_CACHED) || (l->state & EH_LINE_SOLE && l->owner == c->id)) {
			state |= EH_LINE_SOLE;
			l->owner = c->id;
		}
	}
	l->state = state;
	l->readers |= m->socket_bit[c->die];
	eh_line_hold(m, set, l);
	return latency;
}

/* Into the L2, in time; lines that somebody has modified stay where they are. */
static void fetch(const struct eh_cpu *c, eh_line_id id)
{
	const struct eh_machine *m = c->m;
	struct eh_line *l = &m->lines[id];
	uint64_t *set = &c->l2[id & m->l2_mask];

	if (!(l->state & EH_LINE_DIRTY) && !eh_set_match(*set, l->tag, 0xffff))
		eh_line_read_slow(c, l, set);
}

void eh_line_prefetch(struct eh_cpu *c, eh_line_id id)
{
	const struct eh_machine *m = c->m;
	uint32_t i = id / EH_LINES_PER_PAGE % EH_SEQUENCES;
	eh_line_id end = MIN(id + (eh_line_id)m->cfg->core.prefetch, id | (EH_LINES_PER_PAGE - 1));

	if (c->sequence[i].last + 1 == id) {
		end = MIN(end, m->nlines - 1);
		for (eh_line_id next = MAX(c->sequence[i].ahead, id) + 1; next <= end; next++)
			fetch(c, next);
		c->sequence[i].ahead = end;
	} else if (c->sequence[i].last != id) {
		c->sequence[i].ahead = id;
	}
	c->sequence[i].last = id;
}

/* Hardware threads of one core share its width and its window while they run. */
void eh_cpu_set_idle(struct eh_cpu *c, bool idle)
{
	struct eh_machine *m = c->m;
	int threads = (int)m->cfg->threads_per_core, running = 0;

	c->idle = idle;
	for (int i = 0; i < threads; i++) {
		const struct eh_cpu *s = &m->cpus[i * m->ncores + m->core_of[c->id]];

		running += s->l2 && !s->idle;
	}
	for (int i = 0; i < threads; i++) {
		struct eh_cpu *s = &m->cpus[i * m->ncores + m->core_of[c->id]];

		s->instr = m->instr * MAX(running, 1);
		s->window = (uint16_t)(m->cfg->core.window / MAX(running, 1));
		s->path_instr = running < 2 ? m->path_instr : m->path_instr_shared * running / 2;
	}
}

void eh_cpu_paused(struct eh_cpu *c, eh_time from)
{
	struct eh_machine *m = c->m;

	c->paused = false;
	for (int i = 0; i < (int)m->cfg->threads_per_core; i++) {
		struct eh_cpu *s = &m->cpus[i * m->ncores + m->core_of[c->id]];

		if (s != c && s->l2 && !s->idle && !s->paused)
			s->given += (c->retire - from) * (s->path_instr - m->path_instr) /
				    m->path_instr;
	}
}

struct eh_rmw eh_rmw(struct eh_cpu *c, int sym, eh_line_id id)
{
	return eh_core_rmw(&c->core, c, &c->charged[sym], id);
}

eh_time eh_store(struct eh_cpu *c, int sym, eh_line_id id)
{
	struct eh_machine *m = c->m;
	eh_time start, latency;

	c->accesses++;
	eh_core_work(&c->core, c, &c->charged[sym], 1, c->instr);
	start = c->retire;
	eh_cpu_sync(c, start);
	if (eh_unlikely(eh_line_in_demand(m, id))) { /* no room in the store buffer for two of these */
		eh_time before = c->retire;

		latency = eh_line_ask(c, id, &start);
		eh_core_retire(&c->core, &c->charged[sym], 0, start);
		if (c->core.account)
			c->core.account->time[EH_WHY_DRAIN] += c->retire - before;
	} else {
		latency = eh_line_own(c, id, &start);
	}
	if (eh_unlikely(c->core.account))
		eh_account_store(c->core.account, latency);
	if (c->drain < start + latency)
		c->drain = start + latency;
	return start + latency;
}

void eh_path(struct eh_cpu *c, int sym, int64_t k)
{
	eh_time cost = k * c->path_instr;

	if (eh_unlikely(c->given != 0)) {
		eh_time done = MIN(c->given, cost - k * c->m->path_instr);

		c->given -= done;
		cost -= done;
	}
	eh_core_work(&c->core, c, &c->charged[sym], k, cost);
}

void eh_touch(struct eh_cpu *c, int sym, eh_line_id first, int n, bool write)
{
	for (int i = 0; i < n; i++) {
		if (write)
			eh_store(c, sym, first + (eh_line_id)i);
		else
			eh_load(c, sym, first + (eh_line_id)i, 0);
	}
}

void eh_cpu_wait_until(struct eh_cpu *c, int sym, eh_time t)
{
	eh_cpu_wait_for(c, sym, EH_WHY_SPIN, t);
}

void eh_cpu_wait_for(struct eh_cpu *c, int sym, enum eh_why why, eh_time t)
{
	if (t > c->retire) {
		if (sym >= 0)
			c->charged[sym] += t - c->retire;
		if (sym >= 0 && c->core.account)
			c->core.account->time[why] += t - c->retire;
		c->retire = t;
	}
	eh_core_empty(&c->core, c, c->retire);
	eh_cpu_sync(c, c->retire);
}

eh_time eh_cpu_busy(const struct eh_cpu *c)
{
	eh_time sum = 0;

	for (int i = 0; i < EH_SYM_COUNT; i++)
		sum += c->charged[i];
	return sum;
}

eh_time eh_cpu_user(const struct eh_cpu *c)
{
	return c->charged[EH_SYM_USER];
}

void eh_cpu_raise(struct eh_cpu *c)
{
	c->irq_pending = c->device_pending = true;
	eh_cpu_notice(c);
}

void eh_cpu_raise_tick(struct eh_cpu *c)
{
	c->irq_pending = c->tick_pending = true;
	eh_cpu_notice(c);
}

void eh_cpu_raise_call(struct eh_cpu *c)
{
	c->irq_pending = c->call_pending = true;
	eh_cpu_notice(c);
}

void eh_cpu_notice(struct eh_cpu *c)
{
	if (c->idle) {
		if (!eh_event_pending(&c->ev) || c->ev.at > eh_sim_now(c->sim))
			eh_sim_at(c->sim, &c->ev, eh_sim_now(c->sim));
	} else if (c->kick) {
		c->kick(c);
	}
}

void eh_cpu_take_irqs(struct eh_cpu *c)
{
	struct eh_account *account = eh_cpu_enter(c, EH_DOING_IRQ);

	while (c->irq_pending && !c->in_irq) {
		bool tick = c->tick_pending, device = c->device_pending, call = c->call_pending;

		c->irq_pending = c->tick_pending = c->device_pending = c->call_pending = false;
		c->in_irq++;
		if (tick)
			c->tick(c);
		if (device && c->irq)
			c->irq(c);
		if (call)
			c->call(c);
		c->in_irq--;
		if (c->softirq_pending && !c->bh_off)
			eh_cpu_softirq(c);
	}
	eh_cpu_leave(c, account);
}

void eh_cpu_softirq(struct eh_cpu *c)
{
	struct eh_account *account = eh_cpu_enter(c, EH_DOING_IRQ);
	eh_time began = c->retire;
	bool enough = false;
	int rounds = 0;

	c->bh_off++;
	while (c->softirq_pending && !enough) {
		bool rcu = c->rcu_pending;

		c->softirq_pending = c->rcu_pending = false;
		if (c->softirq)
			c->softirq(c);
		if (rcu)
			c->rcu_core(c);
		enough = c->softirq_pending && c->softirq_enough && c->softirq_enough(c, ++rounds, began);
	}
	c->bh_off--;
	eh_cpu_leave(c, account);
}

void eh_local_bh_enable(struct eh_cpu *c)
{
	if (--c->bh_off == 0 && eh_unlikely(c->softirq_pending) && !c->in_irq)
		eh_cpu_softirq(c);
}
