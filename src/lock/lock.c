/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/lock.h>

struct eh_lock *eh_lock_new(struct eh_machine *m, const struct eh_lock_kind *kind, int die,
			    struct eh_lock_class *class)
{
	struct eh_lock *l = g_malloc0(kind->size);

	g_ptr_array_add(m->kept, l);
	l->kind = kind;
	l->class = class;
	l->last = EH_NO_CPU;
	kind->init(l, m, die);
	return l;
}

static void acquired(struct eh_lock *l, const struct eh_cpu *c, eh_time waited)
{
	struct eh_lock_class *s = l->class;

	s->acquisitions++;
	s->bounces += l->last != c->id && l->last != EH_NO_CPU;
	l->last = c->id;
	if (waited > 0) {
		s->contentions++;
		s->wait_total += waited;
		s->wait_max = MAX(s->wait_max, waited);
	}
}

void eh_lock_take(struct eh_lock *l, struct eh_cpu *c)
{
	eh_time waited = l->kind->lock(l, c);

	eh_assert(c->sim, l->writers == 0 && (l->readers == 0 || l->kind->optimistic));
	l->writers++;
	acquired(l, c, waited);
}

/* The section ends at the CPU's own clock, not when the code that ran ahead gets here. */
void eh_lock_release(struct eh_lock *l, struct eh_cpu *c)
{
	eh_cpu_sync(c, c->retire);
	eh_assert(c->sim, l->writers == 1);
	l->writers--;
	l->kind->unlock(l, c);
}

void eh_lock_take_read(struct eh_lock *l, struct eh_cpu *c)
{
	eh_time waited;

	if (!l->kind->read_lock) {
		eh_lock_take(l, c);
		return;
	}
	waited = l->kind->read_lock(l, c);
	eh_assert(c->sim, l->writers == 0 || l->kind->optimistic);
	l->readers++;
	acquired(l, c, waited);
}

bool eh_lock_release_read(struct eh_lock *l, struct eh_cpu *c)
{
	if (!l->kind->read_lock) {
		eh_lock_release(l, c);
		return false;
	}
	eh_cpu_sync(c, c->retire);
	eh_assert(c->sim, l->readers > 0);
	l->readers--;
	return l->kind->read_unlock(l, c);
}
