/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * glibc's default mutex: a word that is free, taken, or taken with somebody perhaps asleep. Who
 * finds it taken marks it so and sleeps in the kernel without spinning first; who releases a marked
 * one wakes the longest sleeper, which then competes with whoever comes by. Type, owner and word
 * are on one line: both calls read the type first, and note the owner.
 *
 * The kernel's half (kernel/futex, v6.12): both calls go to the bucket of the address, a line with
 * a count of those who are about to sleep, a spinlock and a list. A sleeper looks at the word again
 * under that lock. List entries lie on the sleepers' stacks, so that whoever enters the list or
 * leaves it writes the line of a neighbour. The table is spread over all dies.
 *
 * Not modelled: two addresses in one bucket (there are 256 for each CPU), sleepers with priorities
 * or for a time only, the return of who is woken by mistake (it sleeps on), the reference count of
 * who is woken, the plain stores of a process that has one thread.
 * Source: descriptions of nptl/lowlevellock.c (glibc) and kernel/futex (Linux), recalled.
 */
#include "sched.h"

#include <ehsim/c2c.h>
#include <ehsim/lock.h>

enum { FREE, TAKEN, MARKED }; /* the word */

#define WAIT EH_SYM(futex_wait)
#define WAKE EH_SYM(futex_wake)

struct waiter {
	struct eh_task *t;
	struct waiter *next;
	bool woken;
};

struct bucket {
	struct eh_word waiters;
	struct eh_spinlock lock;
	struct eh_lock_class class;
	struct waiter *first, *last;
};

struct pthread_mutex {
	struct eh_lock lock;
	struct eh_word word, owner;
	struct bucket *bucket; /* NULL: nobody has been in the kernel for it */
};

static void pmutex_init(struct eh_lock *l, struct eh_machine *m, int die)
{
	struct pthread_mutex *p = (struct pthread_mutex *)l;

	eh_word_init(&p->word, eh_lines_named(m, 1, die, "pthread_mutex_t"), FREE);
	eh_word_init(&p->owner, p->word.line, 0);
}

static const struct eh_kernel_cost *cost_of(const struct eh_cpu *c)
{
	return &c->curr->sched->kernel->cost;
}

/* A multiplicative hash: neighbours' buckets lie anywhere. */
static struct bucket *bucket_of(struct pthread_mutex *p, struct eh_machine *m)
{
	struct bucket *b = p->bucket;
	int die = (int)((p->word.line * UINT32_C(2654435769) >> 16) % (uint32_t)m->ndies);

	if (b)
		return b;
	g_ptr_array_add(m->kept, b = p->bucket = g_new0(struct bucket, 1));
	eh_word_init(&b->waiters, eh_lines_named(m, 1, die, "futex_hash_bucket"), 0);
	eh_spin_init(&b->lock, b->waiters.line);
	return b;
}

static struct bucket *enter(struct pthread_mutex *p, struct eh_cpu *c, int sym)
{
	eh_cpu_point(c);
	eh_path(c, EH_SYM(entry_SYSCALL_64), cost_of(c)->syscall);
	eh_path(c, sym, cost_of(c)->futex);
	return bucket_of(p, c->m);
}

static void lock_bucket(struct bucket *b, struct eh_cpu *c)
{
	eh_spin_lock(c, &b->lock, &b->class, EH_SYM(_raw_spin_lock));
}

static void unlock_bucket(struct bucket *b, struct eh_cpu *c, int sym)
{
	eh_spin_unlock(c, &b->lock, sym, cost_of(c)->spin_unlock);
}

/* --- under the bucket's lock --- */

static void enlist(struct bucket *b, struct eh_cpu *c, struct waiter *w)
{
	if (!w->t->futex_q)
		w->t->futex_q = eh_lines_named(c->m, 1, c->die, "futex_q");
	eh_path(c, WAIT, cost_of(c)->futex_wait);
	eh_store(c, WAIT, w->t->futex_q);
	if (b->first) {
		eh_load(c, WAIT, b->first->t->futex_q, 0); /* of which priority is it? */
		eh_store(c, WAIT, b->last->t->futex_q);
		b->last->next = w;
	} else {
		b->first = w;
	}
	b->last = w;
}

/* NULL: nobody sleeps. */
static struct eh_task *delist_first(struct bucket *b, struct eh_cpu *c)
{
	struct waiter *w = b->first;
	struct eh_task *t;

	if (!w)
		return NULL;
	t = w->t;
	eh_load(c, WAKE, t->futex_q, 0); /* of which address is it? */
	eh_path(c, WAKE, cost_of(c)->futex_wake);
	eh_store(c, WAKE, t->futex_q);
	if (w->next)
		eh_store(c, WAKE, w->next->t->futex_q);
	else
		b->last = NULL;
	b->first = w->next;
	eh_word_add(c, WAKE, &b->waiters, (uint64_t)-1);
	w->woken = true; /* its place is its fiber's stack: it may be gone from here on */
	return t;
}

/* --- the two system calls --- */

static void futex_wait(struct pthread_mutex *p, struct eh_task *t)
{
	struct waiter w = {.t = t};
	struct eh_cpu *c = t->cpu;
	struct bucket *b = enter(p, c, WAIT);

	eh_word_add(c, WAIT, &b->waiters, 1);
	lock_bucket(b, c);
	if (eh_word_load(c, WAIT, &p->word) != MARKED) {
		unlock_bucket(b, c, WAIT);
		eh_word_add(c, WAIT, &b->waiters, (uint64_t)-1);
		return;
	}
	enlist(b, c, &w);
	unlock_bucket(b, c, WAIT);
	while (!w.woken)
		eh_task_block(t);
}

static void futex_wake(struct pthread_mutex *p, struct eh_cpu *c)
{
	struct bucket *b = enter(p, c, WAKE);
	struct eh_task *t;

	if (!eh_word_load(c, WAKE, &b->waiters))
		return;
	lock_bucket(b, c);
	t = delist_first(b, c);
	unlock_bucket(b, c, WAKE);
	if (t)
		eh_task_wake(c, t);
}

/* --- in user space --- */

static void call(const struct pthread_mutex *p, struct eh_cpu *c)
{
	eh_call(c, EH_SYM_USER, EH_LOCK_CALL);
	eh_load(c, EH_SYM_USER, p->word.line, 0);
}

static void lock_wait(struct pthread_mutex *p, struct eh_cpu *c)
{
	if (eh_word_load(c, EH_SYM_USER, &p->word) == MARKED)
		futex_wait(p, c->curr);
	while (eh_word_xchg(c, EH_SYM_USER, &p->word, MARKED) != FREE)
		futex_wait(p, c->curr);
}

static eh_time pmutex_lock(struct eh_lock *l, struct eh_cpu *c)
{
	struct pthread_mutex *p = (struct pthread_mutex *)l;
	eh_time waited = 0;

	eh_assert(c->sim, !c->curr->is_idle);
	call(p, c);
	if (eh_word_cmpxchg(c, EH_SYM_USER, &p->word, FREE, TAKEN) != FREE) {
		waited = -c->retire;
		lock_wait(p, c);
		waited += c->retire;
	}
	eh_word_store(c, EH_SYM_USER, &p->owner, c->id + 1u);
	return waited;
}

static void pmutex_unlock(struct eh_lock *l, struct eh_cpu *c)
{
	struct pthread_mutex *p = (struct pthread_mutex *)l;

	call(p, c);
	eh_word_store(c, EH_SYM_USER, &p->owner, 0);
	if (eh_word_xchg(c, EH_SYM_USER, &p->word, FREE) == MARKED)
		futex_wake(p, c);
}

const struct eh_lock_kind eh_lock_pthread_mutex = {
	.name = "pthread_mutex",
	.help = "glibc's mutex: who fails sleeps in the kernel (futex), without spinning first",
	.size = sizeof(struct pthread_mutex),
	.sleeps = true,
	.lines = 4,
	.init = pmutex_init,
	.lock = pmutex_lock,
	.unlock = pmutex_unlock,
};
