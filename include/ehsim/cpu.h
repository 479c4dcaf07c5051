/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A CPU: its core model, its caches' tags, its contexts, and where its time went.
 *
 * Core. Instructions dispatch in order at a given rate into a reorder window and retire in order.
 * A load starts when it is dispatched and its address is known, and overlaps with every other load
 * in the window; dispatch stalls only when the oldest instruction not yet retired is a whole window
 * behind. A locked read-modify-write waits for everything older (and for the store buffer), two of
 * them never overlap, but younger loads start beneath it (unless core.locked_fence). A plain store retires at once and drains
 * in the background; only a locked operation waits for it. A branch found wrong restarts dispatch.
 *
 * Kernel code calls, in program order:
 *	eh_work(c, sym, k)		k instructions, independent of memory
 *	eh_call(c, sym, k)		the same in a function of its own: call and return take front
 *					end and retirement (core.call)
 *	t = eh_chain(c, sym, k, cyc, t)	k instructions whose result is there `cyc` cycles after t
 *	t = eh_load(c, sym, line, t)	a load whose address is known at t (0: at dispatch)
 *	eh_store(c, sym, line)		a plain store
 *	eh_rmw(c, sym, line)		a locked read-modify-write
 *	eh_path(c, sym, k)		k instructions of a long branchy path (core.path_ipc)
 * Each charges to `sym` the time by which it moves retirement forward: what perf sees.
 *
 * Order. c->retire is the CPU's own clock, at or ahead of the simulation's. Loads and work run on.
 * Stores and locked operations touch shared state in global order: they first let every event
 * before their start happen (eh_cpu_sync), which may give up the CPU to other fibers. Code that
 * reads shared simulation state to decide something calls eh_cpu_sync itself.
 *
 * Contexts. One task or the idle loop runs on a CPU; interrupts are taken at sync points unless a
 * handler is running. bh_off > 0 keeps softirqs back until eh_local_bh_enable. User code lies
 * between two sync points, so that what interrupts it sees c->user and what came before does not:
 * eh_cpu_point, c->user = true, the work, eh_cpu_point, c->user = false.
 *
 * Hardware threads of a core share its width and window while both run: in tight loops each gets
 * half, on long paths half of core.smt_gain. The port search's loop, counted beforehand, leaves
 * that out. A thread that waits for a kernel's spinlock spins with PAUSE (core.pause): it leaves the
 * width to the others, whose next long paths are shorter by what they would have got done meanwhile;
 * its part of the window stays its own.
 *
 * Not modelled: caches shared by the threads of a core, micro-op caches, instruction misses (they are
 * inside core.path_ipc), frequency changes.
 */
#ifndef EHSIM_CPU_H
#define EHSIM_CPU_H

#include <ehsim/account.h>
#include <ehsim/fiber.h>
#include <ehsim/machine.h>
#include <ehsim/tags.h>
#include <string.h>

#define EH_RETIRE_RING 64 /* memory operations in flight, power of two */
#define EH_MISS_RING 64
#define EH_SEQUENCES 16 /* pages the prefetcher watches, power of two */
#define EH_NEVER_LEAVES (UINT64_MAX / 2)

/*
 * The core's registers, so to say: what changes with every instruction. A tight loop copies them to
 * a local variable (they then live in the host's registers), works on the copy, and puts it back.
 */
struct eh_core {
	eh_time dispatch; /* when the next instruction can dispatch */
	eh_time retire;	  /* when the last instruction retired: the CPU's own clock */
	eh_time limit;	  /* retire time of the youngest memory operation that left the window */
	uint64_t n;	  /* instructions dispatched so far */
	uint64_t leaves;  /* n at which the oldest entry of the ring leaves the window */
	uint32_t head, tail; /* of the ring, below EH_RETIRE_RING; ring[head].leaves is never reached */
	uint32_t miss;	  /* index into missed[] */
	struct eh_account *account; /* of what it does; NULL: nobody keeps any */
};

/*
 * The first three lines of the host's cache hold what nearly every event of this CPU needs: the
 * engine fetches them while the event before is still at work (prefetch_event in sim.c).
 */
struct eh_cpu {
	struct eh_event ev;	/* resumes whatever fiber waits on this CPU */
	int16_t bh_off, in_irq;
	uint16_t id, die;
	bool irq_pending;	/* any of the next two: the one flag the hot path tests */
	bool device_pending, tick_pending;
	bool softirq_pending, idle, need_resched;
	bool paused;		/* spins with PAUSE */
	bool user;		/* in user mode; set by whoever runs user code, see below */
	bool rcu_urgent;	/* rcu_all_qs must report; set by RCU */
	uint16_t line_buffers, window;
	uint16_t clean_mask, clean_value;    /* state and readers of a line that is clean and has
						been read by this socket before */
	union {
		struct eh_core core;
		struct {
			eh_time dispatch, retire, limit; /* the same, by their short names */
		};
	};
	eh_time drain; /* when the store buffer is empty */
	eh_time instr, path_instr; /* ps per instruction, as the core's other threads leave it */
	eh_time given;		   /* that long paths are to be shorter by: the others have spun */
	struct eh_machine *m;
	struct eh_sim *sim;
	uint32_t *l1; /* by line number & mask: the line held */
	uint64_t *l2; /* by line number & mask: a set of tags */
	const eh_time *clean, *copy, *dirty, *dram; /* rows of this CPU's die in the machine's tables */
	uint64_t accesses;		     /* line accesses, for --verbose */
	uint64_t transfers;		     /* lines fetched from, or taken away from, other CPUs */
	struct eh_request *store;	     /* word.c: a store that waits for its line */
	struct {
		eh_line_id last, ahead; /* line read last; fetched up to here */
	} sequence[EH_SEQUENCES];	     /* by page, for eh_line_prefetch */
	struct eh_accounts *accounts;  /* or NULL */
	eh_time charged[EH_SYM_COUNT]; /* ps by symbol */
	eh_time missed[EH_MISS_RING];  /* completion of the last line_buffers misses */
	struct {
		uint64_t leaves; /* n at which it leaves */
		eh_time retired; /* when it retired */
	} ring[EH_RETIRE_RING];	 /* memory operations in the window */

	/* contexts */
	void (*irq)(struct eh_cpu *c);	   /* hardirq + softirq on exit, set by net */
	void (*softirq)(struct eh_cpu *c); /* pending softirqs */
	/* more of them are pending, but so many rounds since `began` were enough: a thread goes on;
	   set by sched */
	bool (*softirq_enough)(struct eh_cpu *c, int rounds, eh_time began);
	void (*tick)(struct eh_cpu *c);	   /* the timer interrupt, set by sched */
	void *tick_arg;
	void (*kick)(struct eh_cpu *c);	   /* set by code that has run ahead of the clock: fall back
					      to the first instant not before now */
	void *kick_arg;
	void *irq_arg;
	bool call_pending, rcu_pending;
	void (*call)(struct eh_cpu *c);	    /* the call-function interrupt; set by RCU */
	void (*rcu_core)(struct eh_cpu *c); /* RCU's softirq, behind the others; set by RCU */
	void *rcu;
	void *host;		/* struct eh_host, set by net */
	struct eh_task *curr;	/* set by sched */
} __attribute__((aligned(64)));

/* --- steps on a core's registers, inline because a candidate port takes a dozen of them --- */

/* The registers back in hand. Whether anybody keeps accounts has not changed: the compiler knows. */
eh_always_inline void eh_core_take(struct eh_core *k, const struct eh_cpu *c)
{
	struct eh_account *account = k->account;

	*k = c->core;
	k->account = account;
}

/* The oldest memory operation is a whole window behind: dispatch waits until it has retired. */
eh_always_inline void eh_core_dispatch(struct eh_core *k, const struct eh_cpu *c, uint32_t instr,
				       eh_time cost)
{
	k->n += instr;
	k->dispatch += cost;
	while (k->n > k->leaves) {
		k->limit = c->ring[k->tail].retired;
		k->tail = (k->tail + 1) % EH_RETIRE_RING;
		k->leaves = c->ring[k->tail].leaves;
	}
	k->dispatch = eh_later(k->dispatch, k->limit);
}

eh_always_inline void eh_core_retire(struct eh_core *k, eh_time *charge, eh_time cost,
				     eh_time complete)
{
	eh_time r = eh_later(k->retire + cost, complete);

	*charge += r - k->retire;
	k->retire = r;
}

/* A memory operation retires: from now on the window remembers it. */
eh_always_inline void eh_core_enter(struct eh_core *k, struct eh_cpu *c)
{
	uint64_t leaves = k->n + c->window;

	c->ring[k->head].leaves = leaves;
	c->ring[k->head].retired = k->retire;
	k->head = (k->head + 1) % EH_RETIRE_RING;
	c->ring[k->head].leaves = EH_NEVER_LEAVES;
	k->leaves = k->leaves < leaves ? k->leaves : leaves; /* the oldest, if there was one */
	if (eh_unlikely(k->head == k->tail)) { /* more in flight than we remember: forget one */
		k->limit = c->ring[k->tail].retired;
		k->tail = (k->tail + 1) % EH_RETIRE_RING;
		k->leaves = c->ring[k->tail].leaves;
	}
}

/* The pipeline is empty at t, and no miss is outstanding. */
static inline void eh_core_empty(struct eh_core *k, struct eh_cpu *c, eh_time t)
{
	for (uint32_t i = 0; i < c->line_buffers; i++)
		c->missed[i] = c->missed[i] < t ? c->missed[i] : t;
	k->retire = k->dispatch = k->limit = t;
	k->tail = k->head;
	c->ring[k->head].leaves = k->leaves = EH_NEVER_LEAVES;
}

/* A miss takes a line buffer: it starts when the one taken line_buffers misses ago is free. */
eh_always_inline eh_time eh_core_miss(struct eh_core *k, struct eh_cpu *c, eh_time start,
				      eh_time latency)
{
	uint32_t i = k->miss, next = i + 1;
	eh_time done = eh_later(start, c->missed[i]) + latency;

	c->missed[i] = done;
	k->miss = next & -(uint32_t)(next != c->line_buffers); /* wraps; a branch would often miss */
	return done;
}

/*
 * Latency of a read that misses the own caches; moves the line to clean and its tag into the set.
 * Reads of modified lines queue at the home as writes do, but not behind each other's: the first one
 * leaves a clean copy in the L3 for all.
 */
eh_time eh_line_read_slow(const struct eh_cpu *c, struct eh_line *l, uint64_t *set);

/*
 * What reads ahead of the clock displaced from the L2, so that they can be undone. Not noted: the
 * order of use after a hit, and lines that were not clean.
 */
struct eh_undo {
	uint32_t *log; /* set << 16 | displaced tag */
	uint32_t n;
};

/* State and readers in one, as they lie in memory: c->clean_mask, c->clean_value. */
eh_always_inline uint16_t eh_line_state(const struct eh_line *l)
{
	uint16_t x;

	memcpy(&x, &l->state, sizeof(x));
	return x;
}

/* What the prefetcher makes of a read of the line. */
void eh_line_prefetch(struct eh_cpu *c, eh_line_id id);

/* index: of the set */
eh_always_inline eh_time eh_line_read_miss(const struct eh_cpu *c, struct eh_line *l,
					   uint32_t index, struct eh_undo *undo)
{
	uint64_t *set = &c->l2[index];

	if (eh_likely((eh_line_state(l) & c->clean_mask) == c->clean_value)) {
		if (undo)
			undo->log[undo->n++] = index << 16 | (uint32_t)(*set >> 48);
		*set = eh_set_push(*set, l->tag);
		return c->copy[l->home];
	}
	return eh_line_read_slow(c, l, set);
}

eh_always_inline void eh_core_work(struct eh_core *k, struct eh_cpu *c, eh_time *charge,
				   int64_t instr, eh_time cost)
{
	eh_time before = k->retire;

	eh_core_dispatch(k, c, (uint32_t)instr, cost);
	eh_core_retire(k, charge, cost, k->dispatch);
	if (eh_unlikely(k->account))
		eh_account_instr(k->account, before, k->retire);
}

eh_always_inline eh_time eh_core_chain(struct eh_core *k, struct eh_cpu *c, eh_time *charge,
				    int64_t instr, eh_time cost, eh_time latency, eh_time known)
{
	eh_time ready = (known > k->dispatch ? known : k->dispatch) + latency;
	eh_time before = k->retire, dispatch = k->dispatch;

	eh_core_dispatch(k, c, (uint32_t)instr, cost);
	eh_core_retire(k, charge, cost, ready > k->dispatch ? ready : k->dispatch);
	if (eh_unlikely(k->account))
		eh_account_hash(k->account, before, k->retire, dispatch);
	return ready;
}

/*
 * The memory half of a load: no dispatch of its own (its instruction is counted in the block around
 * it), no note in the window. streamed: known not to be in the L1, which is left alone. undo: NULL
 * when the CPU is not ahead of the clock.
 */
eh_always_inline eh_time eh_core_read(struct eh_core *k, struct eh_cpu *c, eh_line_id id,
				      eh_time known, bool streamed, struct eh_undo *undo)
{
	const struct eh_machine *m = c->m;
	struct eh_line *l = &m->lines[id];
	uint32_t index = id & m->l2_mask;
	uint64_t *set = &c->l2[index];
	eh_time start = eh_later(known, k->dispatch), latency, done, before = k->retire;
	uint64_t hit = eh_set_match(*set, l->tag, 0xffff);

	if (eh_unlikely(hit != 0)) { /* the L2 holds what the L1 holds */
		latency = !streamed && c->l1[id & m->l1_mask] == id ? m->l1_hit : m->l2_hit;
		done = start + latency;
		*set = eh_set_front(*set, hit, l->tag);
		if (eh_unlikely(k->account))
			eh_account_from(k->account,
					latency == m->l1_hit ? EH_FROM_L1 : EH_FROM_L2);
	} else {
		if (eh_unlikely(k->account))
			eh_account_fetch(k->account, c, l);
		latency = eh_line_read_miss(c, l, index, undo);
		done = eh_core_miss(k, c, start, latency);
	}
	if (!streamed)
		c->l1[id & m->l1_mask] = id;
	k->retire = eh_later(k->retire, done);
	if (eh_unlikely(k->account))
		eh_account_read(k->account, before, k->retire, start, done - latency, done);
	return done;
}

eh_always_inline eh_time eh_core_load(struct eh_core *k, struct eh_cpu *c, eh_time *charge,
				      eh_line_id id, eh_time known)
{
	eh_time before = k->retire, done;

	eh_core_dispatch(k, c, 1, c->instr);
	k->retire += c->instr;
	if (eh_unlikely(k->account))
		eh_account_instr(k->account, before, k->retire);
	done = eh_core_read(k, c, id, known, false, NULL);
	eh_core_enter(k, c);
	if (eh_unlikely(c->m->prefetch))
		eh_line_prefetch(c, id);
	*charge += k->retire - before;
	return done;
}

/* A branch that depended on data ready at `known` went the other way. */
eh_always_inline void eh_core_mispredict(struct eh_core *k, const struct eh_cpu *c, eh_time known)
{
	if (known < k->dispatch)
		known = k->dispatch;
	k->dispatch = known + c->m->mispredict;
	if (eh_unlikely(k->account))
		k->account->restart = k->dispatch;
}

/* --- what kernel code calls --- */

static inline void eh_work(struct eh_cpu *c, int sym, int64_t k)
{
	eh_core_work(&c->core, c, &c->charged[sym], k, k * c->instr);
}

static inline void eh_call(struct eh_cpu *c, int sym, int64_t k)
{
	eh_core_work(&c->core, c, &c->charged[sym], k, k * c->instr + c->m->call);
}

static inline eh_time eh_chain(struct eh_cpu *c, int sym, int64_t k, int64_t cycles, eh_time known)
{
	return eh_core_chain(&c->core, c, &c->charged[sym], k, k * c->instr,
			     cycles * c->m->cycle, known);
}

static inline eh_time eh_load(struct eh_cpu *c, int sym, eh_line_id id, eh_time known)
{
	c->accesses++;
	return eh_core_load(&c->core, c, &c->charged[sym], id, known);
}

static inline void eh_mispredict(struct eh_cpu *c, eh_time known)
{
	eh_core_mispredict(&c->core, c, known);
}

void eh_cpu_set_idle(struct eh_cpu *c, bool idle); /* called by the idle loop */
/* By the spinlocks' slow path, which has been spinning since `from` and has set c->paused. */
void eh_cpu_paused(struct eh_cpu *c, eh_time from);

/* For machine.c. A CPU's caches exist from eh_cpu_start on: whoever runs something there calls it. */
struct eh_cpu *eh_cpus_new(struct eh_machine *m);
void eh_cpus_free(struct eh_machine *m);
void eh_cpus_forget(struct eh_machine *m); /* empty all tags */
void eh_cpu_start(struct eh_cpu *c);

static inline bool eh_cpu_siblings(const struct eh_cpu *c, int other)
{
	const int *core_of = c->m->core_of;

	return other != c->id && core_of[other] == core_of[c->id];
}

/* `to` fetches a line that CPU `owner` has modified. */
static inline eh_time eh_line_transfer_from(const struct eh_cpu *to, int owner, int home)
{
	const struct eh_machine *m = to->m;

	if (eh_cpu_siblings(to, owner))
		return m->dirty_smt;
	return to->dirty[m->die_of[owner] * m->ndies + home];
}

static inline eh_time eh_line_transfer(const struct eh_cpu *to, const struct eh_cpu *from, int home)
{
	return eh_line_transfer_from(to, from->id, home);
}

void eh_cpu_take_irqs(struct eh_cpu *c);
void eh_cpu_softirq(struct eh_cpu *c); /* run pending softirqs with bottom halves off, until none is
					  or softirq_enough says so */

/* Let everything before `t` happen; interrupts that arrived meanwhile are taken first. */
static inline void eh_cpu_sync(struct eh_cpu *c, eh_time t)
{
	if (!eh_sim_try_advance(c->sim, t))
		eh_sim_wait_switch(c->sim, &c->ev, t);
}

/* Global order at the CPU's own clock, and an opportunity for interrupts. */
static inline void eh_cpu_point(struct eh_cpu *c)
{
	eh_cpu_sync(c, c->retire);
	if (eh_unlikely(c->irq_pending && !c->in_irq))
		eh_cpu_take_irqs(c);
}

struct eh_rmw {
	eh_time start, latency, done; /* latency: of the line alone */
};

/*
 * Ownership of the line for c, in global order at `start`; latency 0 when held exclusively. `start`
 * moves to when the request begins to be served. For a line nobody else waits for.
 */
eh_time eh_line_own(struct eh_cpu *c, eh_line_id id, eh_time *start);

/* Somebody waits for the line already, or spins on it: whoever wants it has to ask. */
static inline bool eh_line_in_demand(const struct eh_machine *m, eh_line_id id)
{
	const struct eh_transfer *t = &m->transfer[id];

	return (m->residency ? t->until : t->from) > m->sim->now ||
	       m->lines[id].state & EH_LINE_DEMAND;
}

/* Like eh_line_own for a line in demand. Gives up the CPU until the home gets round to it. */
eh_time eh_line_ask(struct eh_cpu *c, eh_line_id id, eh_time *start);

/*
 * c's copy is the line's present content. The tag alone does not tell: after as many writes as there
 * are versions an old one looks like new.
 */
static inline bool eh_line_copy_is_good(const struct eh_cpu *c, eh_line_id id)
{
	const struct eh_line *l = &c->m->lines[id];

	if (l->state & EH_LINE_DIRTY)
		return l->owner == c->id;
	return eh_set_match(c->l2[id & c->m->l2_mask], l->tag, 0xffff) != 0;
}

/* What LOCK# takes beyond the line's way, before a locked operation on it. */
static inline eh_time eh_cpu_bus_lock(const struct eh_cpu *c, eh_line_id id)
{
	return eh_likely(!c->m->bus_lock) || eh_line_copy_is_good(c, id) ? 0 : c->m->bus_lock;
}

/*
 * Locked read-modify-write on a copy of the core's registers; syncs. It has been dispatched, and its
 * entry in the window is left to the caller: loads dispatched with it share one.
 */
eh_always_inline struct eh_rmw eh_core_rmw_bare(struct eh_core *k, struct eh_cpu *c,
						eh_time *charge, eh_line_id id)
{
	struct eh_rmw r;
	eh_time before = k->retire, dispatch = k->dispatch, asked, bus;

	c->accesses++;
	r.start = asked = eh_later(eh_later(k->dispatch, k->retire), c->drain);
	eh_cpu_sync(c, r.start);
	bus = eh_cpu_bus_lock(c, id);
	if (eh_unlikely(eh_line_in_demand(c->m, id)))
		r.latency = eh_line_ask(c, id, &r.start);
	else
		r.latency = eh_line_own(c, id, &r.start);
	r.done = r.start + r.latency + c->m->locked_op + bus;
	eh_core_retire(k, charge, c->instr, r.done);
	if (eh_unlikely(c->m->locked_fence))
		k->dispatch = eh_later(k->dispatch, r.done);
	if (eh_unlikely(k->account))
		eh_account_rmw(k->account, before, k->retire, dispatch, asked, &r);
	return r;
}

/* The whole of it. */
eh_always_inline struct eh_rmw eh_core_rmw(struct eh_core *k, struct eh_cpu *c, eh_time *charge,
					   eh_line_id id)
{
	struct eh_rmw r;

	eh_core_dispatch(k, c, 1, c->instr);
	r = eh_core_rmw_bare(k, c, charge, id);
	eh_core_enter(k, c);
	return r;
}

/* Locked read-modify-write; syncs. */
struct eh_rmw eh_rmw(struct eh_cpu *c, int sym, eh_line_id id);
/* Plain store; syncs at retirement. Returns when it is visible. */
eh_time eh_store(struct eh_cpu *c, int sym, eh_line_id id);
void eh_path(struct eh_cpu *c, int sym, int64_t k);
/* n consecutive lines at once (a struct walked through), read or written. */
void eh_touch(struct eh_cpu *c, int sym, eh_line_id first, int n, bool write);

/* The core idles or waits until t: the pipeline is empty then. Charged to sym if sym >= 0. */
void eh_cpu_wait_until(struct eh_cpu *c, int sym, eh_time t);
/* The same, and it is known why. */
void eh_cpu_wait_for(struct eh_cpu *c, int sym, enum eh_why why, eh_time t);

/* What the CPU does from here on, for its accounts; returns what eh_cpu_leave wants. */
static inline struct eh_account *eh_cpu_enter(struct eh_cpu *c, enum eh_doing doing)
{
	struct eh_account *old = c->core.account;

	if (old)
		c->core.account = &c->accounts->doing[doing];
	return old;
}

static inline void eh_cpu_leave(struct eh_cpu *c, struct eh_account *old)
{
	c->core.account = old;
}

eh_time eh_cpu_busy(const struct eh_cpu *c);   /* all charged time */
eh_time eh_cpu_user(const struct eh_cpu *c);

/* Mark an interrupt pending for c at the current time and make the CPU look at it: c->irq. */
void eh_cpu_raise(struct eh_cpu *c);
/* The same for the timer interrupt: c->tick. It goes first when both are pending. */
void eh_cpu_raise_tick(struct eh_cpu *c);
/* The same for a function that another CPU wants called: c->call. Goes last. */
void eh_cpu_raise_call(struct eh_cpu *c);
/* From an interrupt: RCU's softirq runs when it ends, or when bottom halves are on again. */
static inline void eh_cpu_raise_rcu(struct eh_cpu *c)
{
	c->softirq_pending = c->rcu_pending = true;
}
/* Something changed for c (a flag, a task to run): wake it from idle, stop it from running ahead. */
void eh_cpu_notice(struct eh_cpu *c);

static inline void eh_local_bh_disable(struct eh_cpu *c)
{
	c->bh_off++;
}
void eh_local_bh_enable(struct eh_cpu *c); /* runs softirqs that were held back */

#endif
