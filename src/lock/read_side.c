/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/c2c.h>
#include <ehsim/lock.h>
#include <ehsim/read_side.h>

void eh_refcount_init(struct eh_refcount *r, eh_line_id line)
{
	eh_word_init(&r->refs, line, 1);
}

void eh_refcount_inc(struct eh_cpu *c, struct eh_refcount *r)
{
	eh_work(c, EH_SYM(refcount_inc), EH_LOCK_UNLOCK);
	eh_word_add(c, EH_SYM(refcount_inc), &r->refs, 1);
}

bool eh_refcount_dec_and_test(struct eh_cpu *c, struct eh_refcount *r)
{
	uint64_t old;

	eh_work(c, EH_SYM(refcount_dec_and_test), EH_LOCK_UNLOCK);
	old = eh_word_add(c, EH_SYM(refcount_dec_and_test), &r->refs, (uint64_t)-1);
	eh_assert(c->sim, old > 0);
	return old == 1;
}

void eh_srcu_init(struct eh_srcu *s, struct eh_machine *m, int die)
{
	s->index = eh_lines_named(m, 1, die, "srcu.index");
	eh_line_shared(m, s->index);
	g_ptr_array_add(m->kept, s->cpu = g_new0(struct eh_srcu_cpu, m->ncpus));
	for (int i = 0; i < m->ncpus; i++) {
		s->cpu[i].line = eh_lines_named(m, 1, m->die_of[i], "srcu.counters");
		s->cpu[i].stack = eh_lines_named(m, 1, m->die_of[i], "stack");
	}
}

/* The counter is the CPU's own: an increment without a lock prefix. */
static void count(struct eh_cpu *c, const struct eh_srcu_cpu *own, int sym)
{
	eh_load(c, sym, own->line, 0);
	eh_store(c, sym, own->line);
}

void eh_srcu_read_lock(struct eh_cpu *c, struct eh_srcu *s)
{
	const int sym = EH_SYM(__srcu_read_lock);
	struct eh_srcu_cpu *own = &s->cpu[c->id];

	eh_call(c, sym, EH_LOCK_CALL);
	eh_load(c, sym, s->index, 0);
	count(c, own, sym);
	own->locks++;
	eh_rmw(c, sym, own->stack);
}

void eh_srcu_read_unlock(struct eh_cpu *c, struct eh_srcu *s)
{
	const int sym = EH_SYM(__srcu_read_unlock);
	struct eh_srcu_cpu *own = &s->cpu[c->id];

	eh_call(c, sym, EH_LOCK_CALL);
	eh_rmw(c, sym, own->stack);
	count(c, own, sym);
	own->unlocks++;
}

uint64_t eh_srcu_readers(const struct eh_srcu *s, const struct eh_machine *m)
{
	uint64_t inside = 0;

	for (int i = 0; i < m->ncpus; i++)
		inside += s->cpu[i].locks - s->cpu[i].unlocks;
	return inside;
}
