/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Test-and-set: every attempt is a locked operation and takes the line. */
#include <ehsim/c2c.h>
#include <ehsim/lock.h>

#define SYM EH_SYM(tas_spin_lock)

struct tas {
	struct eh_lock lock;
	struct eh_word locked;
};

static void tas_init(struct eh_lock *l, struct eh_machine *m, int die)
{
	eh_word_init(&((struct tas *)l)->locked, eh_lines_named(m, 1, die, "tas.locked"), 0);
}

static eh_time tas_lock(struct eh_lock *l, struct eh_cpu *c)
{
	struct tas *t = (struct tas *)l;
	eh_time failed;

	eh_call(c, SYM, EH_LOCK_CALL);
	if (!eh_word_xchg(c, SYM, &t->locked, 1))
		return 0;
	failed = c->retire;
	while (eh_word_xchg(c, SYM, &t->locked, 1))
		;
	return c->retire - failed;
}

static void tas_unlock(struct eh_lock *l, struct eh_cpu *c)
{
	eh_work(c, EH_SYM(_raw_spin_unlock), EH_LOCK_UNLOCK);
	eh_word_store(c, EH_SYM(_raw_spin_unlock), &((struct tas *)l)->locked, 0);
}

const struct eh_lock_kind eh_lock_tas = {
	.name = "tas",
	.help = "test-and-set: an exchange in a loop; textbooks, and virtual machines' fallback",
	.size = sizeof(struct tas),
	.lines = 1,
	.init = tas_init,
	.lock = tas_lock,
	.unlock = tas_unlock,
};
