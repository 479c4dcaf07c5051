/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's queued spinlock (qspinlock.h) behind the interface of all kinds. */
#include <ehsim/c2c.h>
#include <ehsim/lock.h>

struct queued {
	struct eh_lock lock;
	struct eh_spinlock spin;
	struct eh_lock_class once; /* of the spinlock alone */
};

static void queued_init(struct eh_lock *l, struct eh_machine *m, int die)
{
	eh_spin_init(&((struct queued *)l)->spin, eh_lines_named(m, 1, die, "qspinlock"));
}

static eh_time queued_lock(struct eh_lock *l, struct eh_cpu *c)
{
	struct queued *q = (struct queued *)l;
	eh_time waited;

	eh_call(c, EH_SYM(_raw_spin_lock), EH_LOCK_CALL);
	eh_spin_lock(c, &q->spin, &q->once, EH_SYM(_raw_spin_lock));
	waited = q->once.wait_total;
	q->once.wait_total = 0;
	return waited;
}

static void queued_unlock(struct eh_lock *l, struct eh_cpu *c)
{
	eh_spin_unlock(c, &((struct queued *)l)->spin, EH_SYM(_raw_spin_unlock), EH_LOCK_UNLOCK);
}

const struct eh_lock_kind eh_lock_queued = {
	.name = "queued",
	.help = "queued spinlock: one waits on the word, the others in an MCS queue; Linux since 4.2",
	.size = sizeof(struct queued),
	.fifo = true,
	.lines = 1,
	.init = queued_init,
	.lock = queued_lock,
	.unlock = queued_unlock,
};
