/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every CPU did when: a window of simulated time as slices, one per stretch of time that a CPU
 * charged to one symbol without a break. What a user looks at to see a lock convoy.
 *
 * An observer: it reads what CPUs charge after each event and changes nothing, neither numbers nor
 * fingerprint. While nobody traces it costs nothing.
 *
 * Order. A CPU that gives way to the others in between (it does so before every access to shared
 * state, if anything is due) is seen at each of these instants. What it charged to several symbols
 * from one of them to the next is laid down without gaps, the symbol it was in first, the others in
 * the order of symbol.h: durations are exact, their order within such a stretch need not be.
 *
 * Waits are charged when they end. Those that began in the window and end within another length of
 * it are seen; a CPU that waits for longer stays blank at the end of the window, as one that is idle.
 */
#ifndef EHSIM_TRACE_H
#define EHSIM_TRACE_H

#include <ehsim/types.h>
#include <glib.h>

#define EH_TRACE_MOST 1000000 /* slices of a window; it ends early there */

struct eh_machine;
struct eh_trace;

struct eh_slice {
	eh_time at, length; /* at: from the beginning of the simulation */
	uint16_t cpu;
	uint8_t host; /* index of the machine */
	uint8_t sym;  /* enum eh_symbol */
};

/* Who held a lock or waited for one, seen by the locks themselves (qspinlock.h), as each of it ends. */
struct eh_lock_seen {
	const char *name; /* the class's */
	eh_time at, length;
	uint16_t cpu;
	bool waits;
};

/* Of a machine, while somebody wants to know: what touches [from, until), cut to that. */
struct eh_lock_log {
	eh_time from, until;
	GArray *seen; /* struct eh_lock_seen, at most EH_TRACE_MOST */
};

struct eh_lock_log *eh_lock_log_new(eh_time from, eh_time until);
void eh_lock_log_free(struct eh_lock_log *log);

/*
 * Of one or two machines (m[1] may be NULL) of one simulation; [from, until). `slices` (struct
 * eh_slice) is the caller's and gets what is seen, by CPU in order of time.
 */
struct eh_trace *eh_trace_new(struct eh_machine *const m[2], eh_time from, eh_time until,
			      GArray *slices);
/* Run the simulation to `to`, as eh_sim_run does; observes if the window asks for it. */
void eh_trace_run(struct eh_trace *t, eh_time to);
/* Hands over what is still open, and frees. Returns where the window ended: before `until` if
 * there was too much to see. */
eh_time eh_trace_free(struct eh_trace *t);

#endif
