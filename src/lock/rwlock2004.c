/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rwlock of 2004 (i386): one word that starts at the bias; a reader takes one, a writer all of
 * it. Every reader does two locked operations on the line, and nobody waits in turn: who fails puts
 * back what he took and tries again when the word looks right.
 */
#include <ehsim/c2c.h>
#include <ehsim/lock.h>

#define BIAS 0x01000000

struct rwlock2004 {
	struct eh_lock lock;
	struct eh_word word;
};

static void rwlock2004_init(struct eh_lock *l, struct eh_machine *m, int die)
{
	eh_word_init(&((struct rwlock2004 *)l)->word, eh_lines_named(m, 1, die, "rwlock"), BIAS);
}

/* Takes n of the word once it is n or more; for a writer, n is all there can be. */
static eh_time take(struct rwlock2004 *w, struct eh_cpu *c, int64_t n, int fast, int failed)
{
	int64_t left;
	eh_time from;

	eh_call(c, fast, EH_LOCK_CALL);
	left = (int64_t)eh_word_add(c, fast, &w->word, (uint64_t)-n) - n;
	from = c->retire;
	while (left < 0) {
		left = (int64_t)eh_word_add(c, failed, &w->word, (uint64_t)n) + n;
		while (left < n)
			left = (int64_t)eh_word_wait(c, failed, &w->word, (uint64_t)left);
		left = (int64_t)eh_word_add(c, failed, &w->word, (uint64_t)-n) - n;
	}
	return c->retire - from;
}

static eh_time rwlock2004_lock(struct eh_lock *l, struct eh_cpu *c)
{
	return take((struct rwlock2004 *)l, c, BIAS, EH_SYM(_raw_write_lock),
		    EH_SYM(__write_lock_failed));
}

static void rwlock2004_unlock(struct eh_lock *l, struct eh_cpu *c)
{
	eh_work(c, EH_SYM(_raw_write_unlock), EH_LOCK_UNLOCK);
	eh_word_add(c, EH_SYM(_raw_write_unlock), &((struct rwlock2004 *)l)->word, BIAS);
}

static eh_time rwlock2004_read_lock(struct eh_lock *l, struct eh_cpu *c)
{
	return take((struct rwlock2004 *)l, c, 1, EH_SYM(_raw_read_lock), EH_SYM(__read_lock_failed));
}

static bool rwlock2004_read_unlock(struct eh_lock *l, struct eh_cpu *c)
{
	eh_work(c, EH_SYM(_raw_read_unlock), EH_LOCK_UNLOCK);
	eh_word_add(c, EH_SYM(_raw_read_unlock), &((struct rwlock2004 *)l)->word, 1);
	return false;
}

const struct eh_lock_kind eh_lock_rwlock2004 = {
	.name = "rwlock2004",
	.help = "the rwlock of Linux 2.6 on i386: readers count down one word, nobody waits in turn",
	.size = sizeof(struct rwlock2004),
	.lines = 1,
	.init = rwlock2004_init,
	.lock = rwlock2004_lock,
	.unlock = rwlock2004_unlock,
	.read_lock = rwlock2004_read_lock,
	.read_unlock = rwlock2004_read_unlock,
};
