/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A seqlock: writers take a queued spinlock and make the sequence odd, then even again; readers
 * write nothing, they read the sequence before and after, and once more all of it if a writer was
 * there. Both words are on one line of the cache.
 */
#include <ehsim/c2c.h>
#include <ehsim/lock.h>

struct seqlock {
	struct eh_lock lock;
	struct eh_spinlock spin;
	struct eh_lock_class once; /* of that alone */
	struct eh_word locked; /* what unlock stores to */
	struct eh_word sequence;
	uint64_t *begun; /* by CPU: what the reader saw at first */
};

static void seqlock_init(struct eh_lock *l, struct eh_machine *m, int die)
{
	struct seqlock *s = (struct seqlock *)l;

	eh_word_init(&s->sequence, eh_lines_named(m, 1, die, "seqlock"), 0);
	eh_word_init(&s->locked, s->sequence.line, 0);
	eh_spin_init(&s->spin, s->sequence.line);
	g_ptr_array_add(m->kept, s->begun = g_new0(uint64_t, m->ncpus));
}

static eh_time seqlock_lock(struct eh_lock *l, struct eh_cpu *c)
{
	struct seqlock *s = (struct seqlock *)l;
	eh_time waited;

	eh_call(c, EH_SYM(_raw_spin_lock), EH_LOCK_CALL);
	eh_spin_lock(c, &s->spin, &s->once, EH_SYM(_raw_spin_lock));
	waited = s->once.wait_total;
	s->once.wait_total = 0;
	eh_word_store(c, EH_SYM(write_seqlock), &s->sequence,
		      eh_word_stored(c, &s->sequence) + 1);
	return waited;
}

static void seqlock_unlock(struct eh_lock *l, struct eh_cpu *c)
{
	struct seqlock *s = (struct seqlock *)l;

	eh_work(c, EH_SYM(write_sequnlock), EH_LOCK_UNLOCK);
	eh_word_store(c, EH_SYM(write_sequnlock), &s->sequence,
		      eh_word_stored(c, &s->sequence) + 1);
	/* Stores leave in order: the lock is not free before the sequence is even. */
	eh_word_store(c, EH_SYM(write_sequnlock), &s->locked, 0);
	eh_spin_unlock(c, &s->spin, EH_SYM(write_sequnlock), EH_LOCK_UNLOCK);
}

static eh_time seqlock_read_lock(struct eh_lock *l, struct eh_cpu *c)
{
	const int sym = EH_SYM(read_seqbegin);
	struct seqlock *s = (struct seqlock *)l;
	uint64_t now;
	eh_time from;

	eh_work(c, sym, EH_LOCK_UNLOCK);
	now = eh_word_load(c, sym, &s->sequence);
	from = c->retire;
	while (now & 1)
		now = eh_word_wait(c, sym, &s->sequence, now);
	s->begun[c->id] = now;
	return c->retire - from;
}

static bool seqlock_read_unlock(struct eh_lock *l, struct eh_cpu *c)
{
	struct seqlock *s = (struct seqlock *)l;

	eh_work(c, EH_SYM(read_seqretry), EH_LOCK_UNLOCK);
	return eh_word_load(c, EH_SYM(read_seqretry), &s->sequence) != s->begun[c->id];
}

const struct eh_lock_kind eh_lock_seqlock = {
	.name = "seqlock",
	.help = "seqlock: readers write nothing and read again when a writer was there",
	.size = sizeof(struct seqlock),
	.optimistic = true,
	.lines = 1,
	.init = seqlock_init,
	.lock = seqlock_lock,
	.unlock = seqlock_unlock,
	.read_lock = seqlock_read_lock,
	.read_unlock = seqlock_read_unlock,
};
