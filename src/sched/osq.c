/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "osq.h"

#include <ehsim/c2c.h>

/* Of one look at the owner: two loads, three compares, need_resched, pause. */
#define LOOK 10

void eh_osq_init(struct eh_osq *q, struct eh_machine *m, eh_line_id line)
{
	eh_word_init(&q->tail, line, 0);
	q->nodes = m->osq_nodes;
	if (q->nodes)
		return;
	g_ptr_array_add(m->kept, q->nodes = m->osq_nodes = g_new(struct eh_osq_node, m->ncpus));
	for (int i = 0; i < m->ncpus; i++) {
		eh_word_init(&q->nodes[i].next, eh_lines_named(m, 1, m->die_of[i], "osq_node"), 0);
		eh_word_init(&q->nodes[i].locked, q->nodes[i].next.line, 0);
	}
}

void eh_osq_lock(struct eh_osq *q, struct eh_cpu *c)
{
	const int sym = EH_SYM(osq_lock);
	struct eh_osq_node *me = &q->nodes[c->id];
	uint64_t prev;

	eh_call(c, sym, EH_LOCK_CALL);
	eh_word_store(c, sym, &me->next, 0);
	eh_word_store(c, sym, &me->locked, 0);
	prev = eh_word_xchg(c, sym, &q->tail, c->id + 1u);
	if (!prev)
		return;
	eh_word_store(c, sym, &q->nodes[prev - 1].next, c->id + 1u);
	eh_word_wait(c, sym, &me->locked, 0);
}

void eh_osq_unlock(struct eh_osq *q, struct eh_cpu *c)
{
	const int sym = EH_SYM(osq_unlock);
	struct eh_osq_node *me = &q->nodes[c->id];
	uint64_t next;

	eh_call(c, sym, EH_LOCK_CALL);
	if (eh_word_cmpxchg(c, sym, &q->tail, c->id + 1u, 0) == c->id + 1u)
		return;
	next = eh_word_load(c, sym, &me->next);
	if (!next)
		next = eh_word_wait(c, sym, &me->next, 0);
	eh_word_store(c, sym, &q->nodes[next - 1].locked, 1);
}

bool eh_spin_on_owner(struct eh_cpu *c, int sym, const struct eh_word *w,
		      const struct eh_task *owner)
{
	eh_load(c, sym, owner->line, 0);
	while (eh_word_owner(eh_word_load(c, sym, w)) == owner) {
		if (!eh_owner_runs(owner) || c->need_resched)
			return false;
		eh_work(c, sym, LOOK);
		eh_cpu_point(c);
	}
	return true;
}
