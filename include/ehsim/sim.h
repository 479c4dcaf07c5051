/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The simulated clock and the set of pending events.
 *
 * An event is an intrusive node: whoever owns the thing that will happen embeds a struct eh_event
 * in it, nothing is allocated per event. Events fire in order of (time, insertion): two events for
 * the same picosecond fire in the order in which they were added. The set is a monotone radix
 * wheel with one wide digit, so that an event due within two microseconds goes to its last bucket
 * at once; add and cancel are O(1), take is O(levels) amortised (src/engine/queue.h).
 *
 * An event either calls a function (short, must not block) or resumes a fiber. A fiber that waits
 * switches straight to the next event's fiber, without passing through a scheduler loop.
 *
 * No globals: two simulations can live in one process.
 */
#ifndef EHSIM_SIM_H
#define EHSIM_SIM_H

#include <ehsim/types.h>

struct eh_sim;
struct eh_fiber;
struct eh_event;

typedef void (*eh_event_fn)(struct eh_event *ev);

struct eh_ring {
	struct eh_ring *next, *prev;
};

struct eh_event {
	struct eh_ring ring; /* prev == NULL: not pending */
	eh_time at;
	struct eh_fiber *fiber; /* resumed when fn is NULL */
	eh_event_fn fn;
};

/*
 * --- the pending-event set alone (src/engine/queue.c), also what make bench measures ---
 *
 * The structs below are shown only so that the calls made millions of times per second inline;
 * nobody outside src/engine touches a field.
 */
#define EH_QUEUE_WORDS 55 /* of 64 buckets: see src/engine/queue.h */

struct eh_queue {
	struct eh_event *next; /* the earliest, once known */
	eh_time next_at;       /* its time; with next == NULL only a lower bound */
	eh_time base;	       /* buckets are counted from it; no event lies before it */
	eh_time split;	       /* the stretch that was split up last, -1: none yet */
	uint64_t words;	       /* bit w: occupied[w] != 0 */
	uint64_t occupied[EH_QUEUE_WORDS]; /* bit i % 64 of word i / 64: bucket[i] is not empty */
	struct eh_ring bucket[EH_QUEUE_WORDS * 64]; /* rings; an earlier one holds earlier times */
};

struct eh_queue *eh_queue_new(void);
void eh_queue_free(struct eh_queue *q);
/* `at` must not lie before the time of the last event taken; `ev` must not be pending. */
void eh_queue_add(struct eh_queue *q, struct eh_event *ev, eh_time at);
void eh_queue_cancel(struct eh_queue *q, struct eh_event *ev); /* no-op when not pending */
/*
 * Earliest event with at <= limit, removed; NULL if there is none. After NULL nothing may be added
 * before `limit`, unless the set is empty.
 */
struct eh_event *eh_queue_take(struct eh_queue *q, eh_time limit);
/*
 * Sharpens next_at until it either lies behind `at` or is the exact time of `next`; `floor` is a
 * time before which nothing will be added any more. Amortised O(levels).
 */
eh_time eh_queue_sharpen(struct eh_queue *q, eh_time at, eh_time floor);
uint64_t eh_queue_count(const struct eh_queue *q); /* looks at every bucket and event */

/*
 * A time before which nothing is pending; above `at` exactly when all that is pending lies behind
 * `at`. Usually one compare. EH_TIME_NEVER when empty.
 */
static inline eh_time eh_queue_bound(struct eh_queue *q, eh_time at, eh_time floor)
{
	if (eh_likely(at < q->next_at || q->next != NULL))
		return q->next_at;
	return eh_queue_sharpen(q, at, floor);
}

/* --- the simulation --- */
struct eh_fiber_pool;

struct eh_sim {
	eh_time now;
	eh_time limit; /* of the present run; below any time once stopped */
	eh_time turn;  /* events up to here need not ask the main stack; the limit if nobody watches */
	uint64_t events;
	uint64_t fingerprint;
	struct eh_fiber_pool *fibers;
	struct eh_queue queue; /* its first fields lie in the same line of the host's cache */
	uint64_t seed;
};

struct eh_sim *eh_sim_new(uint64_t seed);
void eh_sim_free(struct eh_sim *sim);

static inline eh_time eh_sim_now(const struct eh_sim *sim)
{
	return sim->now;
}

static inline uint64_t eh_sim_seed(const struct eh_sim *sim)
{
	return sim->seed;
}

static inline uint64_t eh_sim_events(const struct eh_sim *sim) /* fired so far */
{
	return sim->events;
}

static inline bool eh_event_pending(const struct eh_event *ev)
{
	return ev->ring.prev != NULL;
}

void eh_sim_at(struct eh_sim *sim, struct eh_event *ev, eh_time at); /* re-arms when pending */
void eh_sim_cancel(struct eh_sim *sim, struct eh_event *ev);

/*
 * Run events with at <= until; may be called again with a later time. Returns early after
 * eh_sim_stop, and then the clock stays where it is; else it ends at `until`.
 */
void eh_sim_run(struct eh_sim *sim, eh_time until);
void eh_sim_stop(struct eh_sim *sim); /* after the current event */

/*
 * The same run, and `watch` is called on the stack of the caller after each event, when whatever it
 * resumed has given up the CPU. Events, clock and fingerprint are those of eh_sim_run. What an event
 * was embedded in may be gone by then: only its address is told.
 */
typedef void (*eh_watch_fn)(const struct eh_event *ev, void *arg);
void eh_sim_run_watched(struct eh_sim *sim, eh_time until, eh_watch_fn watch, void *arg);

/*
 * Trajectory fingerprint: mix a value in. Models mix what they decide (who got which port when),
 * so a drift shows even if the printed means agree. Event times are mixed by the engine itself.
 */
static inline void eh_sim_mix(struct eh_sim *sim, uint64_t value)
{
	uint64_t x = (sim->fingerprint ^ value) * 0x9e3779b97f4a7c15u;

	sim->fingerprint = x << 29 | x >> 35;
}

static inline uint64_t eh_sim_fingerprint(const struct eh_sim *sim)
{
	return sim->fingerprint;
}

/*
 * May a context whose own clock reads `at` touch shared state now? True when nothing pending lies
 * before `at` and the run goes that far; then the clock is advanced to `at`. An event already
 * pending for the same picosecond goes first: true exactly when eh_sim_wait would not switch.
 */
static inline bool eh_sim_try_advance(struct eh_sim *sim, eh_time at)
{
	if (at >= eh_queue_bound(&sim->queue, at, sim->now) || at > sim->limit)
		return false;
	sim->now = at;
	return true;
}

/*
 * Called from a fiber. wait: give up the CPU until `ev` (whose fn is NULL and whose fiber is the
 * current one) fires at `at`. If no other event lies before `at` and at <= the run's limit, it
 * advances the clock and returns at once without a switch; events and fingerprint do not tell the
 * difference. park: give up the CPU until somebody adds an event that resumes this fiber.
 */
void eh_sim_wait_switch(struct eh_sim *sim, struct eh_event *ev, eh_time at); /* the slow half */
void eh_sim_park(struct eh_sim *sim);

static inline void eh_sim_wait(struct eh_sim *sim, struct eh_event *ev, eh_time at)
{
	if (!eh_sim_try_advance(sim, at)) {
		eh_sim_wait_switch(sim, ev, at);
		return;
	}
	sim->events++;
	eh_sim_mix(sim, (uint64_t)at);
}

/* --- impossible states --- */
/* Prints file, line, simulated time, then aborts. For the programmer, never for the user. */
#define eh_assert(sim, cond)                                                                       \
	do {                                                                                       \
		if (eh_unlikely(!(cond)))                                                          \
			eh_assert_failed((sim), #cond, __FILE__, __LINE__);                        \
	} while (0)
_Noreturn void eh_assert_failed(const struct eh_sim *sim, const char *cond, const char *file,
				int line);

#endif
