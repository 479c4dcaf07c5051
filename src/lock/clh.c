/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Craig; Landin and Hagersten, 1993: a queue in which each waits on the node of its predecessor and
 * takes that node over when done. One node per CPU and lock, and one more in the tail at first.
 */
#include <ehsim/c2c.h>
#include <ehsim/lock.h>

#define SYM EH_SYM(clh_spin_lock)

struct clh {
	struct eh_lock lock;
	struct eh_word tail;	/* number of a node */
	struct eh_word *locked; /* by node, each on its own line */
	struct {
		uint64_t node, prev;
	} *mine; /* by CPU: thread-local in the original */
};

static void clh_init(struct eh_lock *l, struct eh_machine *m, int die)
{
	struct clh *q = (struct clh *)l;
	int n = m->ncpus;

	g_ptr_array_add(m->kept, q->locked = g_new(struct eh_word, n + 1));
	g_ptr_array_add(m->kept, q->mine = g_malloc0_n((gsize)n, sizeof(*q->mine)));
	eh_word_init(&q->tail, eh_lines_named(m, 1, die, "clh.tail"), (uint64_t)n);
	eh_word_init(&q->locked[n], eh_lines_named(m, 1, die, "clh.node"), 0);
	for (int i = 0; i < n; i++) {
		eh_word_init(&q->locked[i], eh_lines_named(m, 1, m->die_of[i], "clh.node"), 0);
		q->mine[i].node = (uint64_t)i;
	}
}

static eh_time clh_lock(struct eh_lock *l, struct eh_cpu *c)
{
	struct clh *q = (struct clh *)l;
	uint64_t node = q->mine[c->id].node, prev;
	eh_time queued;

	eh_call(c, SYM, EH_LOCK_CALL);
	eh_word_store(c, SYM, &q->locked[node], 1);
	prev = eh_word_xchg(c, SYM, &q->tail, node);
	q->mine[c->id].prev = prev;
	if (!eh_word_load(c, SYM, &q->locked[prev]))
		return 0;
	queued = c->retire;
	eh_word_wait(c, SYM, &q->locked[prev], 1);
	return c->retire - queued;
}

static void clh_unlock(struct eh_lock *l, struct eh_cpu *c)
{
	struct clh *q = (struct clh *)l;

	eh_work(c, EH_SYM(_raw_spin_unlock), EH_LOCK_UNLOCK);
	eh_word_store(c, EH_SYM(_raw_spin_unlock), &q->locked[q->mine[c->id].node], 0);
	q->mine[c->id].node = q->mine[c->id].prev;
}

const struct eh_lock_kind eh_lock_clh = {
	.name = "clh",
	.help = "CLH queue: in turn, each waits on the node of the one before",
	.size = sizeof(struct clh),
	.fifo = true,
	.nodes = 1,
	.lines = 1,
	.init = clh_init,
	.lock = clh_lock,
	.unlock = clh_unlock,
};
