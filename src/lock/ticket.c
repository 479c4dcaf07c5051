/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ticket lock, Linux 2.6.25 to 4.1: first come, first served, and every waiter reads the same
 * word again after each release. `next` and `owner` are the halves of one word: what the xadd
 * changes and what it returns, and unlock's store is to one half alone.
 */
#include <ehsim/c2c.h>
#include <ehsim/lock.h>

#define SYM EH_SYM(ticket_spin_lock)

struct ticket {
	struct eh_lock lock;
	struct eh_word next, owner;
};

static void ticket_init(struct eh_lock *l, struct eh_machine *m, int die)
{
	struct ticket *t = (struct ticket *)l;

	eh_word_init(&t->next, eh_lines_named(m, 1, die, "ticket"), 0);
	eh_word_init(&t->owner, t->next.line, 0);
}

static eh_time ticket_lock(struct eh_lock *l, struct eh_cpu *c)
{
	struct ticket *t = (struct ticket *)l;
	uint64_t mine, now;
	eh_time drawn;

	eh_call(c, SYM, EH_LOCK_CALL);
	mine = eh_word_add(c, SYM, &t->next, 1);
	now = t->owner.value;
	drawn = c->retire;
	while (now != mine)
		now = eh_word_wait(c, SYM, &t->owner, now);
	return c->retire - drawn;
}

static void ticket_unlock(struct eh_lock *l, struct eh_cpu *c)
{
	struct ticket *t = (struct ticket *)l;

	eh_work(c, EH_SYM(_raw_spin_unlock), EH_LOCK_UNLOCK);
	eh_word_store(c, EH_SYM(_raw_spin_unlock), &t->owner, t->owner.value + 1);
}

const struct eh_lock_kind eh_lock_ticket = {
	.name = "ticket",
	.help = "ticket lock: in turn, all wait on one word; Linux 2.6.25 to 4.1",
	.size = sizeof(struct ticket),
	.fifo = true,
	.lines = 1,
	.init = ticket_init,
	.lock = ticket_lock,
	.unlock = ticket_unlock,
};
