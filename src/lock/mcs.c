/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mellor-Crummey and Scott, 1991: a queue of nodes, one per CPU and lock, each on a line of its
 * own, homed with its CPU; who waits spins on the own one. Links are CPU numbers + 1.
 */
#include <ehsim/c2c.h>
#include <ehsim/lock.h>

#define SYM EH_SYM(mcs_spin_lock)

struct node {
	struct eh_word next, locked;
};

struct mcs {
	struct eh_lock lock;
	struct eh_word tail;
	struct node *nodes; /* by CPU */
};

static void mcs_init(struct eh_lock *l, struct eh_machine *m, int die)
{
	struct mcs *q = (struct mcs *)l;

	eh_word_init(&q->tail, eh_lines_named(m, 1, die, "mcs.tail"), 0);
	g_ptr_array_add(m->kept, q->nodes = g_new(struct node, m->ncpus));
	for (int i = 0; i < m->ncpus; i++) {
		eh_word_init(&q->nodes[i].next, eh_lines_named(m, 1, m->die_of[i], "mcs.node"), 0);
		eh_word_init(&q->nodes[i].locked, q->nodes[i].next.line, 0);
	}
}

static eh_time mcs_lock(struct eh_lock *l, struct eh_cpu *c)
{
	struct mcs *q = (struct mcs *)l;
	struct node *me = &q->nodes[c->id];
	eh_time queued;
	uint64_t prev;

	eh_call(c, SYM, EH_LOCK_CALL);
	eh_word_store(c, SYM, &me->next, 0);
	eh_word_store(c, SYM, &me->locked, 0);
	prev = eh_word_xchg(c, SYM, &q->tail, c->id + 1u);
	if (!prev)
		return 0;
	queued = c->retire;
	eh_word_store(c, SYM, &q->nodes[prev - 1].next, c->id + 1u);
	eh_word_wait(c, SYM, &me->locked, 0);
	return c->retire - queued;
}

static void mcs_unlock(struct eh_lock *l, struct eh_cpu *c)
{
	const int sym = EH_SYM(mcs_spin_unlock);
	struct mcs *q = (struct mcs *)l;
	struct node *me = &q->nodes[c->id];
	uint64_t next;

	eh_work(c, sym, EH_LOCK_UNLOCK);
	next = eh_word_load(c, sym, &me->next);
	if (!next) {
		if (eh_word_cmpxchg(c, sym, &q->tail, c->id + 1u, 0) == c->id + 1u)
			return;
		next = eh_word_wait(c, sym, &me->next, 0);
	}
	eh_word_store(c, sym, &q->nodes[next - 1].locked, 1);
}

const struct eh_lock_kind eh_lock_mcs = {
	.name = "mcs",
	.help = "MCS queue: in turn, each waits on a node of its own",
	.size = sizeof(struct mcs),
	.fifo = true,
	.nodes = 1,
	.lines = 2,
	.init = mcs_init,
	.lock = mcs_lock,
	.unlock = mcs_unlock,
};
