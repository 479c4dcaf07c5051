/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/lock.h>

struct eh_lock_reader {
	const void *who; /* task or, without one, CPU */
	eh_time since;
	struct eh_lock_reader *next;
};

static const void *who(const struct eh_cpu *c)
{
	return c->curr ? (const void *)c->curr : c;
}

static void enter(struct eh_lock *l, const struct eh_cpu *c)
{
	struct eh_lock_reader *r = l->spare;

	if (r)
		l->spare = r->next;
	else
		g_ptr_array_add(c->m->kept, r = g_new(struct eh_lock_reader, 1));
	*r = (struct eh_lock_reader){who(c), c->retire, l->inside};
	l->inside = r;
}

static void leave(struct eh_lock *l, const struct eh_cpu *c)
{
	struct eh_lock_reader **at = &l->inside, *r;

	while (*at && (*at)->who != who(c))
		at = &(*at)->next;
	r = *at;
	eh_assert(c->sim, r != NULL);
	eh_lock_class_held(l->class, c->retire - r->since);
	eh_lock_note(c, l->class, r->since, c->retire, false);
	*at = r->next;
	r->next = l->spare;
	l->spare = r;
}

struct eh_lock *eh_lock_new(struct eh_machine *m, const struct eh_lock_kind *kind, int die,
			    struct eh_lock_class *class)
{
	struct eh_lock *l = g_malloc0(kind->size);

	g_ptr_array_add(m->kept, l);
	l->kind = kind;
	l->class = class;
	l->last = EH_NO_CPU;
	if (!class->watch)
		eh_lock_class_watch(class, m, true);
	kind->init(l, m, die);
	return l;
}

/* The CPU's own clock, as everywhere: it may be ahead. */
static eh_time ask(const struct eh_lock *l, const struct eh_cpu *c)
{
	eh_little_enter(l->class->watch->queue, c->retire);
	return c->retire;
}

static void acquired(struct eh_lock *l, const struct eh_cpu *c, eh_time asked, eh_time waited)
{
	struct eh_lock_class *s = l->class;
	bool bounce = l->last != c->id && l->last != EH_NO_CPU;

	eh_assert(c->sim, waited <= c->retire - asked);
	s->acquisitions++;
	s->bounces += bounce;
	l->last = c->id;
	if (waited > 0) {
		eh_lock_class_waited(s, waited, bounce);
		eh_lock_note(c, s, c->retire - waited, c->retire, true);
	}
	s->watch->asked++;
	s->watch->asking += c->retire - asked;
	eh_little_leave(s->watch->queue, asked, c->retire);
}

void eh_lock_take(struct eh_lock *l, struct eh_cpu *c)
{
	eh_time asked = ask(l, c), waited = l->kind->lock(l, c);

	eh_assert(c->sim, l->writers == 0 && (l->readers == 0 || l->kind->optimistic));
	l->writers++;
	acquired(l, c, asked, waited);
	l->taken_at = c->retire;
}

/* The section ends at the CPU's own clock, not when the code that ran ahead gets here. */
void eh_lock_release(struct eh_lock *l, struct eh_cpu *c)
{
	eh_cpu_sync(c, c->retire);
	eh_assert(c->sim, l->writers == 1);
	l->writers--;
	eh_lock_class_held(l->class, c->retire - l->taken_at);
	eh_lock_note(c, l->class, l->taken_at, c->retire, false);
	l->kind->unlock(l, c);
}

void eh_lock_take_read(struct eh_lock *l, struct eh_cpu *c)
{
	eh_time asked, waited;

	if (!l->kind->read_lock) {
		eh_lock_take(l, c);
		return;
	}
	asked = ask(l, c);
	waited = l->kind->read_lock(l, c);
	eh_assert(c->sim, l->writers == 0 || l->kind->optimistic);
	l->readers++;
	acquired(l, c, asked, waited);
	enter(l, c);
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
	leave(l, c);
	return l->kind->read_unlock(l, c);
}
