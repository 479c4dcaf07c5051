/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/qspinlock.h>

struct eh_qnode {
	struct eh_cpu *c;
	struct eh_qnode *next;
	bool is_head;	/* told by its predecessor: it spins on the lock word now */
	bool woken;	/* an event that resumes it is pending or has fired */
};

void eh_spin_init(struct eh_spinlock *l, eh_line_id line)
{
	*l = (struct eh_spinlock){.line = line, .owner = EH_NO_CPU};
}

static eh_time transfer(const struct eh_cpu *to, const struct eh_cpu *from)
{
	const struct eh_machine *m = to->m;

	return eh_cpu_siblings(to, from->id) ? m->dirty_smt : m->dirty[to->die * m->ndies + from->die];
}

/* The waiter's read returns the released word at this time; the fiber goes on then. */
static void hand_over(struct eh_qnode *to, eh_time when)
{
	eh_time now = eh_sim_now(to->c->sim);

	to->woken = true;
	eh_sim_at(to->c->sim, &to->c->ev, when > now ? when : now);
}

/*
 * The owner's byte store with somebody reading the word: it has to take the line back before it is
 * seen, and the waiter has to fetch the line again. Returns when the waiter sees it.
 */
static eh_time seen_by(struct eh_cpu *owner, const struct eh_cpu *waiter, eh_time store)
{
	return store + transfer(owner, waiter) + transfer(waiter, owner);
}

static void wait_for_word(struct eh_cpu *c, struct eh_qnode *me)
{
	me->woken = false;
	eh_sim_park(c->sim);
	eh_cpu_wait_until(c, EH_SYM(queued_spin_lock_slowpath), eh_sim_now(c->sim));
}

/* The owner is known to have released at l->release_at, ahead of what we have seen. */
static void wait_for_release(struct eh_cpu *c, struct eh_spinlock *l)
{
	struct eh_cpu *last = &c->m->cpus[l->last];
	eh_time t = l->release_at > c->retire ? seen_by(last, c, l->release_at) : c->retire;

	eh_cpu_wait_until(c, EH_SYM(queued_spin_lock_slowpath), t);
}

static void spin_pending(struct eh_cpu *c, struct eh_spinlock *l)
{
	struct eh_qnode me = {.c = c};

	eh_rmw(c, EH_SYM(queued_spin_lock_slowpath), l->line); /* sets the pending bit */
	if (l->pending || l->head) { /* somebody else was faster: undo, queue */
		eh_spin_queue(c, l);
		return;
	}
	l->pending = &me;
	l->stolen = true;
	if (l->owner != EH_NO_CPU)
		wait_for_word(c, &me);
	else
		wait_for_release(c, l);
	l->pending = NULL;
	eh_work(c, EH_SYM(queued_spin_lock_slowpath), 1); /* 16-bit store: locked, not pending */
}

/* Wake the queue's next member: a store into its node, which it reads from our cache. */
static void pass_headship(struct eh_cpu *c, struct eh_spinlock *l, struct eh_qnode *next)
{
	l->head = next;
	next->is_head = true;
	hand_over(next, c->retire + transfer(c, next->c) + transfer(next->c, c));
}

void eh_spin_queue(struct eh_cpu *c, struct eh_spinlock *l)
{
	struct eh_qnode me = {.c = c};
	struct eh_qnode *prev;

	eh_rmw(c, EH_SYM(queued_spin_lock_slowpath), l->line); /* xchg of the tail */
	l->stolen = true;
	prev = l->tail;
	l->tail = &me;
	if (prev) {
		prev->next = &me; /* a store into the predecessor's node: drains in the background */
		do
			wait_for_word(c, &me);
		while (!me.is_head);
	} else {
		l->head = &me;
		me.is_head = true;
	}
	while (l->owner != EH_NO_CPU || l->pending) {
		l->head_spins = true;
		l->stolen = true;
		wait_for_word(c, &me);
	}
	l->head_spins = false;
	if (l->release_at > c->retire)
		wait_for_release(c, l);
	l->owner = c->id;
	if (l->tail == &me) {
		eh_rmw(c, EH_SYM(queued_spin_lock_slowpath), l->line); /* tail -> locked */
	} else {
		eh_store(c, EH_SYM(queued_spin_lock_slowpath), l->line);
	}
	if (l->tail == &me) {
		l->tail = NULL;
		l->head = NULL;
	} else {
		pass_headship(c, l, me.next);
	}
}

void eh_spin_slowpath(struct eh_cpu *c, struct eh_spinlock *l)
{
	if (l->pending || l->head)
		eh_spin_queue(c, l);
	else
		spin_pending(c, l);
}

void eh_spin_unlock_contended(struct eh_cpu *c, struct eh_spinlock *l)
{
	struct eh_qnode *w = l->pending ? l->pending : l->head_spins ? l->head : NULL;
	eh_time start = c->retire;

	l->owner = EH_NO_CPU;
	l->last = c->id;
	l->stolen = false;
	if (!w) { /* contenders took the line but none is reading the word */
		l->release_at = start + eh_line_take_back(c, l->line, start);
		return;
	}
	l->release_at = start;
	if (!w->woken)
		hand_over(w, seen_by(c, w->c, start));
}
