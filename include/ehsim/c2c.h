/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which lines travel between CPUs, and what lies in them: what `perf c2c` finds out on hardware.
 *
 * Names: whoever makes lines says what they hold (eh_line_name): an array of lines, or objects of
 * `stride` lines each. Lines without a name are reported by number.
 *
 * Counts, once eh_c2c_start has been called, of every access that finds the line modified by another
 * CPU (a HITM in perf's words) or has to take copies away from others, by what it was (a read, or a
 * write: store or locked operation) and by where the other CPU is: local (the same socket, siblings
 * included) or remote; and the time these accesses waited for the line: in the queue at its home and
 * on its way. Counting changes no result. Window: from eh_c2c_start or the last eh_c2c_reset on.
 *
 * Not modelled: sampling (perf sees a share of the loads, here all are counted), the symbols that
 * accessed a line.
 */
#ifndef EHSIM_C2C_H
#define EHSIM_C2C_H

#include <ehsim/machine.h>

struct eh_cpu;

struct eh_c2c_count {
	uint64_t lcl_hitm, rmt_hitm;	 /* reads of lines modified by a CPU of the same / another socket */
	uint64_t lcl_store, rmt_store; /* writes that took the line, or copies of it, away from one */
	eh_time waited;
};

struct eh_c2c_row {
	const char *name;  /* NULL: nobody named it */
	uint32_t field;	   /* which line of the object, counted from 0 */
	uint32_t lines;	   /* lines that were accessed so, of all objects */
	eh_line_id hottest; /* the one of them with most */
	double hottest_share; /* of the row's accesses */
	struct eh_c2c_count count;
};

/* In place of what the lines were called before. `name` is not copied. */
void eh_line_name(struct eh_machine *m, eh_line_id first, uint32_t n, uint32_t stride,
		  const char *name);

/* n lines of an array, named. */
static inline eh_line_id eh_lines_named(struct eh_machine *m, uint32_t n, int die, const char *name)
{
	eh_line_id first = eh_lines_new(m, n, die);

	eh_line_name(m, first, n, 1, name);
	return first;
}

void eh_c2c_start(struct eh_machine *m);
void eh_c2c_reset(struct eh_machine *m);
/* While it rests nothing is counted. Before or after the start. */
void eh_c2c_rest(struct eh_machine *m, bool rest);
/* struct eh_c2c_row, most accesses first; free with g_array_unref. NULL if not started. */
GArray *eh_c2c_rows(const struct eh_machine *m);

/* For src/machine: c waited so long for a line last written by `other` (EH_NO_CPU: by none). */
void eh_c2c_count(const struct eh_cpu *c, eh_line_id id, int other, bool write, eh_time waited);

#endif
