/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Test-and-test-and-set: waiters spin on copies of the line; a release sends them all to read it
 * again, and those that find it free to try the exchange.
 */
#include <ehsim/c2c.h>
#include <ehsim/lock.h>

#define SYM EH_SYM(ttas_spin_lock)

struct ttas {
	struct eh_lock lock;
	struct eh_word locked;
};

static void ttas_init(struct eh_lock *l, struct eh_machine *m, int die)
{
	eh_word_init(&((struct ttas *)l)->locked, eh_lines_named(m, 1, die, "ttas.locked"), 0);
}

static eh_time ttas_lock(struct eh_lock *l, struct eh_cpu *c)
{
	struct ttas *t = (struct ttas *)l;
	eh_time failed;

	eh_call(c, SYM, EH_LOCK_CALL);
	if (!eh_word_load(c, SYM, &t->locked) && !eh_word_xchg(c, SYM, &t->locked, 1))
		return 0;
	failed = c->retire;
	do {
		if (eh_word_load(c, SYM, &t->locked))
			eh_word_wait(c, SYM, &t->locked, 1);
	} while (eh_word_xchg(c, SYM, &t->locked, 1));
	return c->retire - failed;
}

static void ttas_unlock(struct eh_lock *l, struct eh_cpu *c)
{
	eh_work(c, EH_SYM(_raw_spin_unlock), EH_LOCK_UNLOCK);
	eh_word_store(c, EH_SYM(_raw_spin_unlock), &((struct ttas *)l)->locked, 0);
}

const struct eh_lock_kind eh_lock_ttas = {
	.name = "ttas",
	.help = "test-and-test-and-set: reads until free, then an exchange; near Linux's of 2004",
	.size = sizeof(struct ttas),
	.lines = 1,
	.init = ttas_init,
	.lock = ttas_lock,
	.unlock = ttas_unlock,
};
