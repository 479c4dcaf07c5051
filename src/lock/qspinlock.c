/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/qspinlock.h>
#include <ehsim/word.h>
#include <glib.h>

struct qnode {
	struct eh_cpu *c;
	struct qnode *next;
	bool is_head; /* told by its predecessor: it spins on the lock word now */
	bool reading; /* waits for a store to the line it reads */
};

struct eh_spin_waiters {
	struct qnode *pending;	   /* spins on the lock word */
	struct qnode *head, *tail; /* MCS queue */
	int users;		   /* contexts in the slow path */
	struct eh_word served;	   /* ticket locks: whose turn it is; on the lock's line */
	uint64_t drawn;		   /* the last ticket */
	struct eh_spin_waiters *next; /* spare ones */
};

void eh_spin_init(struct eh_spinlock *l, eh_line_id line)
{
	*l = (struct eh_spinlock){.line = line, .owner = EH_NO_CPU};
}

void eh_spin_broken(const struct eh_cpu *c, const struct eh_spinlock *l)
{
	char *why = g_strdup_printf("a spinlock of CPU %u (65535: nobody) is taken or given back by CPU %u of %s",
				    l->owner, c->id, c->m->name);

	eh_assert_failed(c->sim, why, __FILE__, __LINE__);
}

/* It is ours from here on. */
static void take(const struct eh_cpu *c, struct eh_spinlock *l)
{
	if (eh_unlikely(l->owner != EH_NO_CPU))
		eh_spin_broken(c, l);
	l->owner = c->id;
}

/* The waiter's read returns the released word at this time; the fiber goes on then. */
static void hand_over(struct qnode *to, eh_time when)
{
	eh_time now = eh_sim_now(to->c->sim);

	to->reading = false;
	eh_sim_at(to->c->sim, &to->c->ev, when > now ? when : now);
}

/* The machine keeps what has once been used: a run may end while somebody waits. */
static struct eh_spin_waiters *waiters_get(struct eh_machine *m)
{
	struct eh_spin_waiters *w = m->spare_waiters;

	if (w)
		m->spare_waiters = w->next;
	else
		g_ptr_array_add(m->kept, w = g_new0(struct eh_spin_waiters, 1));
	w->next = NULL;
	return w;
}

static void waiters_put(struct eh_machine *m, struct eh_spin_waiters *w)
{
	*w = (struct eh_spin_waiters){.next = m->spare_waiters};
	m->spare_waiters = w;
}

static int home_of(const struct eh_cpu *c, const struct eh_spinlock *l)
{
	return c->m->lines[l->line].home;
}

/*
 * The owner's byte store with somebody reading the word: it has to take the line back before it is
 * seen, and the waiter has to fetch the line again. Returns when the waiter sees it.
 */
static eh_time seen_by(const struct eh_cpu *owner, const struct eh_cpu *waiter, int home,
		       eh_time store)
{
	return store + eh_line_transfer(owner, waiter, home) + eh_line_transfer(waiter, owner, home);
}

static void wait_for_word(struct eh_cpu *c, struct qnode *me, enum eh_why why)
{
	me->reading = true;
	eh_sim_park(c->sim);
	eh_cpu_wait_for(c, EH_SYM(queued_spin_lock_slowpath), why, eh_sim_now(c->sim));
}

/* We had the line when the owner released the lock, or will have it: that costs both transfers. */
static void wait_for_release(struct eh_cpu *c, struct eh_spinlock *l, int sym, enum eh_why why)
{
	eh_time store = l->release_at > c->retire ? l->release_at : c->retire;

	eh_cpu_wait_for(c, sym, why, seen_by(&c->m->cpus[l->last], c, home_of(c, l), store));
}

/* The read that ended the waiting: its time has passed, the line is in two caches now. */
static void read_word(struct eh_cpu *c, struct eh_spinlock *l)
{
	struct eh_line *line = &c->m->lines[l->line];
	uint64_t *set = &c->l2[l->line & c->m->l2_mask];

	if (!eh_set_match(*set, line->tag, 0xffff))
		eh_line_read_slow(c, line, set);
}

/*
 * The owner's store takes the line back, perhaps ahead of the clock. The queue at the home does not
 * hear of it: what it delays is counted with the hand-over (seen_by).
 */
static void take_back(struct eh_cpu *c, const struct eh_spinlock *l)
{
	struct eh_transfer queue = c->m->transfer[l->line];
	eh_time start = c->retire;

	eh_line_own(c, l->line, &start);
	c->m->transfer[l->line] = queue;
}

static void spin_pending(struct eh_cpu *c, struct eh_spinlock *l, struct eh_spin_waiters *w)
{
	struct qnode me = {.c = c};
	eh_time store;

	w->pending = &me;
	eh_rmw(c, EH_SYM(queued_spin_lock_slowpath), l->line); /* sets the pending bit */
	eh_cpu_sync(c, c->retire);
	if (l->owner != EH_NO_CPU)
		wait_for_word(c, &me, EH_WHY_SPIN_PENDING);
	else
		wait_for_release(c, l, EH_SYM(queued_spin_lock_slowpath), EH_WHY_SPIN_PENDING);
	w->pending = NULL;
	/*
	 * 16-bit store: locked, not pending. Both have a copy after our read, so the store has to
	 * invalidate the other one; a locked operation behind it waits for that.
	 */
	read_word(c, l);
	store = c->retire;
	c->drain = MAX(c->drain, c->retire + eh_line_own(c, l->line, &store));
	eh_work(c, EH_SYM(queued_spin_lock_slowpath), 1);
}

/* Wake the queue's next member: a store into its node, which it reads from our cache. */
static void pass_headship(struct eh_cpu *c, struct eh_spin_waiters *w, struct qnode *next)
{
	w->head = next;
	next->is_head = true;
	hand_over(next, seen_by(c, next->c, next->c->die, c->retire)); /* its node is homed with it */
}

static void spin_queued(struct eh_cpu *c, struct eh_spinlock *l, struct eh_spin_waiters *w)
{
	struct qnode me = {.c = c};
	struct qnode *prev;
	bool waited = false;

	eh_rmw(c, EH_SYM(queued_spin_lock_slowpath), l->line); /* xchg of the tail */
	prev = w->tail;
	w->tail = &me;
	if (prev) {
		prev->next = &me; /* a store into the predecessor's node: drains in the background */
		while (!me.is_head)
			wait_for_word(c, &me, EH_WHY_SPIN_QUEUE);
	} else {
		w->head = &me;
	}
	eh_cpu_sync(c, c->retire);
	while (l->owner != EH_NO_CPU || w->pending) {
		wait_for_word(c, &me, EH_WHY_SPIN_QUEUE);
		waited = true;
	}
	if (!waited && l->release_at > c->retire)
		wait_for_release(c, l, EH_SYM(queued_spin_lock_slowpath), EH_WHY_SPIN_QUEUE);
	else if (!waited) /* the first look finds it free */
		eh_load(c, EH_SYM(queued_spin_lock_slowpath), l->line, 0);
	take(c, l);
	if (w->tail == &me)
		eh_rmw(c, EH_SYM(queued_spin_lock_slowpath), l->line); /* tail -> locked */
	else
		eh_store(c, EH_SYM(queued_spin_lock_slowpath), l->line);
	if (w->tail == &me)
		w->head = w->tail = NULL;
	else
		pass_headship(c, w, me.next);
}

/*
 * The ticket was drawn by the locked operation before. Tickets count from the one whose turn it is when
 * the first one has to wait: it is its own if the lock is about to be released ahead of its clock.
 */
static void spin_ticket(struct eh_cpu *c, struct eh_spinlock *l, struct eh_spin_waiters *w)
{
	const int sym = EH_SYM(ticket_spin_lock);
	bool held = l->owner != EH_NO_CPU;
	uint64_t mine, now;

	if (w->users == 1) {
		eh_word_init(&w->served, l->line, held ? 0 : 1);
		w->drawn = 0;
	}
	mine = ++w->drawn;
	if (w->users == 1 && !held)
		wait_for_release(c, l, sym, EH_WHY_SPIN);
	now = w->served.value;
	while (now != mine)
		now = eh_word_wait(c, sym, &w->served, now);
	take(c, l);
}

static void slowpath(struct eh_cpu *c, struct eh_spinlock *l)
{
	struct eh_spin_waiters *w = l->waiters;
	eh_time from = c->retire;

	if (!w)
		w = l->waiters = waiters_get(c->m);
	w->users++;
	c->paused = c->m->pause;
	if (c->m->ticket_spinlocks)
		spin_ticket(c, l, w);
	else if (w->users == 1)
		spin_pending(c, l, w);
	else
		spin_queued(c, l, w);
	if (c->m->pause)
		eh_cpu_paused(c, from);
	if (--w->users == 0) {
		waiters_put(c->m, w);
		l->waiters = NULL;
	}
}

void eh_spin_contended(struct eh_cpu *c, struct eh_spinlock *l, struct eh_lock_class *class)
{
	eh_time from = c->retire;
	bool bounce;

	eh_cpu_sync(c, from);
	if (l->owner == EH_NO_CPU && l->release_at <= from && !l->waiters)
		return; /* released while the line was on its way to us */
	bounce = (l->owner != EH_NO_CPU ? l->owner : l->last) != c->id;
	if (class->watch)
		eh_little_enter(class->watch->queue, eh_sim_now(c->sim));
	slowpath(c, l);
	if (eh_unlikely(l->owner != EH_NO_CPU && l->owner != c->id))
		eh_spin_broken(c, l);
	eh_lock_class_waited(class, c->retire - from, bounce);
	eh_lock_note(c, class, from, c->retire, true);
	if (class->watch)
		eh_little_leave(class->watch->queue, from, c->retire);
}

void eh_spin_unlock_contended(struct eh_cpu *c, struct eh_spinlock *l)
{
	struct eh_spin_waiters *w = l->waiters;
	struct qnode *to = w->pending ? w->pending : w->head;
	eh_time start = c->retire;

	if (l->owner != c->id)
		eh_spin_broken(c, l);
	eh_spin_released(l, c, start);
	if (c->m->ticket_spinlocks) {
		eh_word_store(c, EH_SYM(_raw_spin_unlock), &w->served, w->served.value + 1);
		return;
	}
	/* The store leaves the store buffer when the line is back; a locked operation waits for it. */
	if (to)
		c->drain = MAX(c->drain, start + eh_line_transfer(c, to->c, home_of(c, l)));
	if (to && to->reading) {
		take_back(c, l);
		hand_over(to, seen_by(c, to->c, home_of(c, l), start));
	} else if (!w->pending) { /* the line comes back from whoever took it, before the head reads it */
		take_back(c, l);
	}
}
