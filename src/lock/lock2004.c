/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/lock2004.h>

#define INSTR 2 /* the operation's neighbours: a branch, a preempt count */

/* The class's counts; `failed`: when the first attempt had, EH_TIME_NEVER: it had not. */
static eh_time acquired(struct eh_cpu *c, struct eh_lock_class *class, uint64_t transfers,
		     eh_time failed)
{
	bool bounce = c->transfers != transfers;

	class->acquisitions++;
	class->bounces += bounce;
	if (failed == EH_TIME_NEVER)
		return c->retire;
	eh_lock_class_waited(class, c->retire - failed, bounce);
	eh_lock_note(c, class, failed, c->retire, true);
	if (class->watch)
		eh_little_leave(class->watch->queue, failed, c->retire);
	return c->retire;
}

static eh_time begin_to_wait(const struct eh_cpu *c, struct eh_lock_class *class)
{
	if (class->watch)
		eh_little_enter(class->watch->queue, c->retire);
	return c->retire;
}

/* n of the word once it is n or more; for a writer, n is all there can be. */
static eh_time take(struct eh_cpu *c, struct eh_word *w, struct eh_lock_class *class, int64_t n,
		 int sym, int slow)
{
	uint64_t transfers = c->transfers;
	eh_time failed = EH_TIME_NEVER;
	int64_t left;

	eh_work(c, sym, INSTR);
	left = (int64_t)eh_word_add(c, sym, w, (uint64_t)-n) - n;
	if (left < 0)
		failed = begin_to_wait(c, class);
	while (left < 0) {
		left = (int64_t)eh_word_add(c, slow, w, (uint64_t)n) + n;
		while (left < n)
			left = (int64_t)eh_word_wait(c, slow, w, (uint64_t)left);
		left = (int64_t)eh_word_add(c, slow, w, (uint64_t)-n) - n;
	}
	return acquired(c, class, transfers, failed);
}

static void give(struct eh_cpu *c, struct eh_word *w, int64_t n, int sym)
{
	eh_work(c, sym, INSTR);
	eh_word_add(c, sym, w, (uint64_t)n);
}

/* The section ends at the CPU's own clock, not when the code that ran ahead gets here. */
static void release(struct eh_cpu *c, struct eh_lock_class *class, eh_time since)
{
	eh_cpu_sync(c, c->retire);
	eh_lock_class_held(class, c->retire - since);
	eh_lock_note(c, class, since, c->retire, false);
}

eh_time eh_read2004_lock(struct eh_cpu *c, struct eh_word *w, struct eh_lock_class *class, int sym)
{
	return take(c, w, class, 1, sym, EH_SYM(__read_lock_failed));
}

void eh_read2004_unlock(struct eh_cpu *c, struct eh_word *w, struct eh_lock_class *class,
			eh_time since, int sym)
{
	release(c, class, since);
	give(c, w, 1, sym);
}

eh_time eh_write2004_lock(struct eh_cpu *c, struct eh_word *w, struct eh_lock_class *class, int sym)
{
	return take(c, w, class, EH_RWLOCK2004_FREE, sym, EH_SYM(__write_lock_failed));
}

void eh_write2004_unlock(struct eh_cpu *c, struct eh_word *w, struct eh_lock_class *class,
			 eh_time since, int sym)
{
	release(c, class, since);
	give(c, w, EH_RWLOCK2004_FREE, sym);
}

eh_time eh_spin2004_lock(struct eh_cpu *c, struct eh_word *w, struct eh_lock_class *class, int sym)
{
	const int slow = EH_SYM(_raw_spin_lock);
	uint64_t transfers = c->transfers;
	eh_time failed = EH_TIME_NEVER;
	int64_t left;

	eh_work(c, sym, INSTR);
	left = (int64_t)eh_word_add(c, sym, w, (uint64_t)-1) - 1;
	if (left < 0)
		failed = begin_to_wait(c, class);
	while (left < 0) {
		left = (int64_t)eh_word_load(c, slow, w);
		while (left <= 0)
			left = (int64_t)eh_word_wait(c, slow, w, (uint64_t)left);
		left = (int64_t)eh_word_add(c, slow, w, (uint64_t)-1) - 1;
	}
	return acquired(c, class, transfers, failed);
}

void eh_spin2004_unlock(struct eh_cpu *c, struct eh_word *w, struct eh_lock_class *class,
			eh_time since, int sym)
{
	eh_work(c, sym, INSTR);
	release(c, class, since);
	eh_word_store(c, sym, w, EH_SPIN2004_FREE);
}
