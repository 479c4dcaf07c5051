/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Test-and-test-and-set with bounded exponential backoff: who finds it taken looks away for a time
 * that doubles with every look (Anderson 1990; Mellor-Crummey and Scott 1991). The bounds are
 * those of the implementation in LiTL, as far as recalled: 2^9 to 2^20 turns of an empty loop; a
 * turn takes a cycle here.
 */
#include <ehsim/c2c.h>
#include <ehsim/lock.h>

#define SYM EH_SYM(backoff_spin_lock)

enum { FIRST_DELAY = 1 << 9, LONGEST_DELAY = 1 << 20 };

struct backoff {
	struct eh_lock lock;
	struct eh_word locked;
};

static void backoff_init(struct eh_lock *l, struct eh_machine *m, int die)
{
	eh_word_init(&((struct backoff *)l)->locked, eh_lines_named(m, 1, die, "backoff.locked"), 0);
}

static eh_time backoff_lock(struct eh_lock *l, struct eh_cpu *c)
{
	struct backoff *b = (struct backoff *)l;
	eh_time failed;

	eh_call(c, SYM, EH_LOCK_CALL);
	if (!eh_word_load(c, SYM, &b->locked) && !eh_word_xchg(c, SYM, &b->locked, 1))
		return 0;
	failed = c->retire;
	for (int64_t delay = FIRST_DELAY;;) {
		if (eh_word_load(c, SYM, &b->locked)) {
			eh_cpu_wait_until(c, SYM, c->retire + delay * c->m->cycle);
			delay = MIN(2 * delay, LONGEST_DELAY);
		} else if (!eh_word_xchg(c, SYM, &b->locked, 1)) {
			return c->retire - failed;
		}
	}
}

static void backoff_unlock(struct eh_lock *l, struct eh_cpu *c)
{
	eh_work(c, EH_SYM(_raw_spin_unlock), EH_LOCK_UNLOCK);
	eh_word_store(c, EH_SYM(_raw_spin_unlock), &((struct backoff *)l)->locked, 0);
}

const struct eh_lock_kind eh_lock_backoff = {
	.name = "backoff",
	.help = "test-and-test-and-set with bounded exponential backoff",
	.size = sizeof(struct backoff),
	.lines = 1,
	.init = backoff_init,
	.lock = backoff_lock,
	.unlock = backoff_unlock,
};
