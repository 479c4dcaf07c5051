/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The queued rwlock (Linux since 3.16; kernel/locking/qrwlock.c, v6.12): readers count themselves
 * in the upper bits of one word, a writer sets its lowest byte; whoever fails stands in line at a
 * queued spinlock, which lies on the same line of the cache.
 */
#include <ehsim/c2c.h>
#include <ehsim/lock.h>

enum { WAITING = 0x100, READER = 0x200 };

struct qrwlock {
	struct eh_lock lock;
	struct eh_word cnts;	/* readers and the waiting writer's bit */
	struct eh_word wlocked; /* its lowest byte, which unlock stores to alone */
	struct eh_spinlock wait_lock;
};

static void qrwlock_init(struct eh_lock *l, struct eh_machine *m, int die)
{
	struct qrwlock *q = (struct qrwlock *)l;

	eh_word_init(&q->cnts, eh_lines_named(m, 1, die, "qrwlock"), 0);
	eh_word_init(&q->wlocked, q->cnts.line, 0);
	eh_spin_init(&q->wait_lock, q->cnts.line);
}

/* One cmpxchg of the whole word: from `cnts` and the byte clear, to nothing but the byte. */
static bool write_trylock(struct qrwlock *q, struct eh_cpu *c, int sym, uint64_t cnts)
{
	if (eh_word_cmpxchg(c, sym, &q->cnts, cnts, 0) != cnts || q->wlocked.value)
		return false;
	q->wlocked.value = 1;
	return true;
}

static eh_time qrwlock_lock(struct eh_lock *l, struct eh_cpu *c)
{
	const int sym = EH_SYM(queued_write_lock_slowpath);
	struct qrwlock *q = (struct qrwlock *)l;
	struct eh_lock_class line = {.acquisitions = 0};
	eh_time failed;

	eh_call(c, EH_SYM(_raw_write_lock), EH_LOCK_CALL);
	if (write_trylock(q, c, EH_SYM(_raw_write_lock), 0))
		return 0;
	failed = c->retire;
	eh_spin_lock(c, &q->wait_lock, &line, sym);
	if (eh_word_load(c, sym, &q->cnts) || !write_trylock(q, c, sym, 0)) {
		uint64_t cnts = eh_word_or(c, sym, &q->cnts, WAITING) | WAITING;

		/* From here on nobody else can set the byte. */
		if (q->wlocked.value)
			eh_word_wait(c, sym, &q->wlocked, 1);
		do {
			cnts = eh_word_load(c, sym, &q->cnts);
			while (cnts != WAITING)
				cnts = eh_word_wait(c, sym, &q->cnts, cnts);
		} while (!write_trylock(q, c, sym, WAITING));
	}
	eh_spin_unlock(c, &q->wait_lock, sym, EH_LOCK_UNLOCK);
	return c->retire - failed;
}

static void qrwlock_unlock(struct eh_lock *l, struct eh_cpu *c)
{
	eh_work(c, EH_SYM(_raw_write_unlock), EH_LOCK_UNLOCK);
	eh_word_store(c, EH_SYM(_raw_write_unlock), &((struct qrwlock *)l)->wlocked, 0);
}

static eh_time qrwlock_read_lock(struct eh_lock *l, struct eh_cpu *c)
{
	const int sym = EH_SYM(queued_read_lock_slowpath);
	struct qrwlock *q = (struct qrwlock *)l;
	struct eh_lock_class line = {.acquisitions = 0};
	eh_time failed;

	eh_call(c, EH_SYM(_raw_read_lock), EH_LOCK_CALL);
	if (!(eh_word_add(c, EH_SYM(_raw_read_lock), &q->cnts, READER) & WAITING) &&
	    !q->wlocked.value)
		return 0;
	failed = c->retire;
	eh_word_add(c, sym, &q->cnts, (uint64_t)-READER);
	eh_spin_lock(c, &q->wait_lock, &line, sym);
	eh_word_add(c, sym, &q->cnts, READER);
	if (q->wlocked.value)
		eh_word_wait(c, sym, &q->wlocked, 1);
	eh_spin_unlock(c, &q->wait_lock, sym, EH_LOCK_UNLOCK);
	return c->retire - failed;
}

static bool qrwlock_read_unlock(struct eh_lock *l, struct eh_cpu *c)
{
	eh_work(c, EH_SYM(_raw_read_unlock), EH_LOCK_UNLOCK);
	eh_word_add(c, EH_SYM(_raw_read_unlock), &((struct qrwlock *)l)->cnts, (uint64_t)-READER);
	return false;
}

const struct eh_lock_kind eh_lock_qrwlock = {
	.name = "qrwlock",
	.help = "queued rwlock: readers count up one word, who fails waits in turn; Linux since 3.16",
	.size = sizeof(struct qrwlock),
	.lines = 1,
	.init = qrwlock_init,
	.lock = qrwlock_lock,
	.unlock = qrwlock_unlock,
	.read_lock = qrwlock_read_lock,
	.read_unlock = qrwlock_read_unlock,
};
