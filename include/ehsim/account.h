/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a CPU's time went: each picosecond by which retirement moves forward, by the reason why it
 * could not move sooner and by what the CPU was doing. The rows of a CPU add up to what is charged
 * to symbols, to the picosecond (eh_accounts_check).
 *
 * Reasons. Retirement is in order, so at any instant the oldest instruction not yet retired has the
 * blame:
 *	instructions	it has been dispatched only now, or retirement itself is at its rate
 *	mispredict	dispatch was restarted behind a branch found wrong
 *	hash		it is part of a chain of arithmetic (ehashfn), or waits for its result
 *	buffers		it is a load that waited for a line buffer
 *	read		it is a load, under way from its source: what is exposed of its latency. What passed
 *			beneath older instructions is hidden, and is kept beside it (took - time)
 *	write		it is a locked operation whose line is on its way from its source
 *	locked		its own cycles once the line is there
 *	drain		it is a locked operation, or a store without room, that waits for older stores
 *	in_use		its line's owner has not done yet, or others were to have it first
 *	home		the home agents were busy with other lines
 *	spin		it reads a word again and again: as the pending waiter of a queued spinlock, as a
 *			member of its queue, or otherwise
 * A source of a clean line is the L3 that has it, of a modified one its owner, a sibling being of
 * the own die.
 *
 * An exposed part is the later part of a latency. Of a latency with a wait at the home in it the
 * wait comes first.
 *
 * A search that has read ahead of the clock and goes back keeps of each row the part that holds, as it
 * does of the time by symbol; one that is sampled has the rows of what was measured.
 *
 * Kept only from eh_accounts_start on, called before anything runs; else c->core.account is NULL, and the
 * hot loops are compiled a second time for that.
 */
#ifndef EHSIM_ACCOUNT_H
#define EHSIM_ACCOUNT_H

#include <ehsim/types.h>

enum eh_source {
	EH_FROM_L1,
	EH_FROM_L2,
	EH_FROM_CLEAN_DIE, /* an L3 of the own die, of another one of the socket, of another socket */
	EH_FROM_CLEAN_SOCKET,
	EH_FROM_CLEAN_FAR,
	EH_FROM_DIRTY_DIE,
	EH_FROM_DIRTY_SOCKET,
	EH_FROM_DIRTY_FAR,
	EH_FROM_MEMORY,
	EH_SOURCES
};

enum eh_why {
	EH_WHY_INSTR,
	EH_WHY_MISPREDICT,
	EH_WHY_HASH,
	EH_WHY_BUFFERS,
	EH_WHY_READ, /* and one each for the sources */
	EH_WHY_WRITE = EH_WHY_READ + EH_SOURCES,
	EH_WHY_LOCKED = EH_WHY_WRITE + EH_SOURCES,
	EH_WHY_DRAIN,
	EH_WHY_IN_USE,
	EH_WHY_HOME,
	EH_WHY_SPIN_PENDING,
	EH_WHY_SPIN_QUEUE,
	EH_WHY_SPIN,
	EH_WHYS
};

enum eh_doing {
	EH_DOING_KERNEL, /* system calls, the scheduler */
	EH_DOING_SEARCH, /* the port search of connect() */
	EH_DOING_IRQ,	 /* interrupts and softirqs, whatever they came in between */
	EH_DOING_USER,
	EH_DOINGS
};

struct eh_account {
	eh_time time[EH_WHYS];
	uint64_t lines[2][EH_SOURCES]; /* line accesses: loads; stores and locked operations */
	eh_time took[2][EH_SOURCES];   /* latency of those, hidden or not, without waits at the home */
	/* what the next steps need to know of the last ones */
	eh_time restart; /* of dispatch, behind a branch found wrong */
	eh_time at_home; /* of the last line fetched: its wait at the home */
	uint8_t source;
	bool granted;	 /* it came out of its line's queue: the wait at the home is in its latency */
};

struct eh_accounts {
	struct eh_account doing[EH_DOINGS];
	struct eh_account ahead; /* of a search ahead of the clock, until it is known what holds */
	eh_time early;		 /* in the rows of the search, but not charged to symbols yet */
};

struct eh_machine;
struct eh_cpu;
struct eh_line;
struct eh_rmw;

void eh_accounts_start(struct eh_machine *m);
/* The simulation ends with a message when the rows of a CPU are not what was charged to symbols. */
void eh_accounts_check(const struct eh_machine *m);
/* Adds the part `kept` of an account of `all` to another, to the picosecond. */
void eh_account_add(struct eh_account *to, const struct eh_account *from, eh_time kept, eh_time all);
/* Adds what has been added to an account since it was `before`. */
void eh_account_since(struct eh_account *to, const struct eh_account *now,
		      const struct eh_account *before);

/* The next access is served from there. */
static inline void eh_account_from(struct eh_account *a, enum eh_source source)
{
	a->source = (uint8_t)source;
	a->at_home = 0;
	a->granted = false;
}

/* Before a line that the L2 does not hold is fetched to be read; before one is taken to be written. */
void eh_account_fetch(struct eh_account *a, const struct eh_cpu *c, const struct eh_line *l);
void eh_account_take(struct eh_account *a, const struct eh_cpu *c, const struct eh_line *l);
/*
 * A load retired, which took the retirement clock from `before` to `after`: its address was known and
 * it was dispatched at `start`, it had a line buffer at `begun`, its line at `done`.
 */
void eh_account_read(struct eh_account *a, eh_time before, eh_time after, eh_time start,
		     eh_time begun, eh_time done);
/* A locked operation, dispatched at `dispatch`, that asked for its line at `asked`. */
void eh_account_rmw(struct eh_account *a, eh_time before, eh_time after, eh_time dispatch,
		    eh_time asked, const struct eh_rmw *r);
/* A store whose line is on its way for `way`, beneath all that comes later. */
static inline void eh_account_store(struct eh_account *a, eh_time way)
{
	a->lines[1][a->source]++;
	a->took[1][a->source] += way;
}

/* Retirement went on as dispatch or its own rate let it. */
static inline void eh_account_instr(struct eh_account *a, eh_time before, eh_time after)
{
	eh_time wrong = (a->restart < after ? a->restart : after) - before;

	if (wrong > 0) {
		a->time[EH_WHY_MISPREDICT] += wrong;
		before += wrong;
	}
	a->time[EH_WHY_INSTR] += after - before;
}

/* A hash, dispatched from `dispatch` on: its instructions and the wait for its result. */
static inline void eh_account_hash(struct eh_account *a, eh_time before, eh_time after, eh_time dispatch)
{
	eh_time from = dispatch < before ? before : dispatch;

	eh_account_instr(a, before, from);
	a->time[EH_WHY_HASH] += after - from;
}

#endif
