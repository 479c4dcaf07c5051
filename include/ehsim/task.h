/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tasks (threads) and the scheduler, as far as servers that block in epoll_wait need it: per-CPU
 * FIFO run queues, sleep and wake-up, an idle loop per CPU that takes interrupts, the tick.
 *
 * A task is a fiber that runs on one CPU until it is moved. A wake-up puts it on the run queue of
 * its CPU: an idle CPU leaves idle (machine.idle_exit) and switches to it; a busy one gets to it
 * when its current task blocks or at the tick that ends its time slice. The tick (HZ) charges
 * sched_tick, rotates the run queue when more than one task is runnable, and tells the tick hooks.
 *
 * Kept per task: utime and stime as getrusage would report them without fine irq accounting:
 * interrupts on top of a task count as its system time.
 *
 * A switch and a wake-up take the run queue's lock, a real one on a line homed with the CPU; a
 * wake-up also takes the line of the task's state. A woken idle CPU hears of it machine.ipi later.
 *
 * Softirqs go on until none is pending, for kernel.softirq_restart rounds or kernel.softirq_time, or
 * until another task is to run; then the CPU's ksoftirqd, a task like others, goes on. As since v6.5
 * the next interrupt or local_bh_enable does not wait for it.
 *
 * Idle CPUs do not tick, unless somebody needs it (eh_sched_need_tick). CPUs tick in turn, spread
 * evenly over the period.
 *
 * Not modelled: load balancing between CPUs (a task moves when its owner says so), EEVDF lag and
 * weights (but RCU's threads, which sleep long, go before what runs: rcu.h), real-time classes.
 */
#ifndef EHSIM_TASK_H
#define EHSIM_TASK_H

#include <ehsim/qspinlock.h>
#include <glib.h>

struct eh_sched;

struct eh_task {
	struct eh_sched *sched;
	struct eh_cpu *cpu;
	struct eh_fiber *fiber;
	struct eh_task *next;	/* run queue */
	void (*fn)(struct eh_task *t, void *arg);
	void *arg;
	const char *comm;
	eh_line_id line;	/* its state and the lock of wakers */
	bool sleeping, is_idle;
	bool queued;		/* on its run queue, or a waker is about to put it there */
	bool wake_pending;	/* woken before it got to sleep */
	eh_line_id futex_q;	/* on its stack, while it waits for a futex; 0: has never done so */
	eh_time queued_at;
	eh_time utime, stime;	/* up to the last switch away; eh_task_times adds the current stretch */
};

/* What other folders want to hear of; called on the CPU it happened on, after the cost. */
struct eh_sched_hooks {
	void (*context_switch)(struct eh_cpu *c, void *arg);
	/*
	 * user_or_idle: the tick interrupted user mode or the idle loop. Runs in the interrupt, no
	 * spinlock is held on this CPU; may take some.
	 */
	void (*tick)(struct eh_cpu *c, bool user_or_idle, void *arg);
	void *arg;
};

struct eh_sched *eh_sched_new(struct eh_machine *m, const struct eh_kernel_config *kernel);
void eh_sched_free(struct eh_sched *s); /* and all its tasks */
void eh_sched_hook(struct eh_sched *s, const struct eh_sched_hooks *h); /* up to 4, copied */

/* Prepare a CPU that runs interrupts only (idle fiber, caches); eh_task_new does it too. */
void eh_sched_online(struct eh_sched *s, int cpu);

/*
 * Made sleeping; eh_task_start puts it on its run queue at the current time without a waker. One that
 * is still on its way to sleep (a timer may be that quick) does not sleep then.
 */
struct eh_task *eh_task_new(struct eh_sched *s, int cpu, const char *comm,
			    void (*fn)(struct eh_task *t, void *arg), void *arg);
void eh_task_start(struct eh_task *t);

/* Sleep until woken. Called by the task itself; charges __schedule; returns on its CPU. */
void eh_task_block(struct eh_task *t);
/* From context c (task or interrupt): make t runnable; charges try_to_wake_up. */
void eh_task_wake(struct eh_cpu *c, struct eh_task *t);
/* A sleeping task will wake up on another CPU. */
void eh_task_set_cpu(struct eh_task *t, int cpu);
/*
 * cond_resched's slow half, and the way back to user mode, when c->need_resched is set: passes
 * through the scheduler, which is a context switch for the hooks even if nobody else is runnable.
 */
void eh_task_yield(struct eh_task *t);

void eh_task_times(const struct eh_task *t, eh_time *utime, eh_time *stime);
struct eh_machine *eh_sched_machine(const struct eh_sched *s);
/* For RCU's scan: is the CPU idle right now (so are those never online); how often did it go idle? */
bool eh_sched_idle(const struct eh_sched *s, int cpu);
uint64_t eh_sched_idle_entries(const struct eh_sched *s, int cpu);
/* The CPU ticks even while it idles, as long as somebody needs it (one user: RCU callbacks). */
void eh_sched_need_tick(struct eh_sched *s, int cpu, bool needed);
eh_time eh_sched_jiffy(const struct eh_sched *s);
/* When a timer that may fire at `at` does on that CPU: at its first tick not before. */
eh_time eh_sched_timer(const struct eh_sched *s, int cpu, eh_time at);
struct eh_lock_class *eh_sched_rq_lock(struct eh_sched *s);
/* Tasks that are runnable and do not run, of all CPUs: the queue, for Little's law, and a reading. */
const struct eh_little *eh_sched_runnable(const struct eh_sched *s, struct eh_little_reading *r);

#endif
