/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports: one output shape each, made from a finished result and nothing else.
 *
 *	text   what ran, then per point a short table under neper's words with 95 % intervals and the
 *	       client's top symbols; a comparison of the points; published against simulated; the
 *	       fitted numbers
 *	neper  the key=value lines of neper, one block per role, headed by a comment line
 *	neper-client, neper-server  the lines of one role alone, points a blank line apart
 *	perf   the whole profiles of both hosts under perf report's headings, nothing else
 *	json   one document, schema "ehsim-result/1"
 *	csv    a table: a header, then one row per run (a point, or each of its repeats)
 *	locks  as CSV the classes of locks: a row per point, host and class, times in ns under lock_stat's names
 *	where  as CSV where the time went: a row per point, host and reason, times in ps
 *
 * A report appends to `out` and never fails. It prints no NaN and no infinity: a number that does
 * not exist is "-" with its reason in text, null with a null_reason in JSON. Nothing depends on
 * the locale. Text is UTF-8, at most 100 columns unless a name alone is longer, or a name stands behind
 * the columns of slabs or of the lines' table.
 *
 * CSV (RFC 4180 but for line ends, which are one LF): point, the swept keys, seed, status, fingerprint,
 * simulated_s, warmup_s, then of every metric that any point has a number for the mean, NAME_lo and NAME_hi. A
 * cell without a number is empty. A swept key whose values carry a unit has a second column, a plain number
 * in the unit that its name ends in (network.delay_s). No comments, no units in cells beside that.
 *
 * Tables of locks, lines and where the time went: a point carries them when they were asked for before it ran
 * (result.h), and is printed with them.
 *
 * JSON in detail:
 *  - real numbers are rounded to 12 significant digits and written in the shortest form of those;
 *    compilers and optimisation levels therefore agree byte for byte;
 *  - `seed` is a number below 2^53 and a string of digits from there on, since readers that hold
 *    numbers as doubles would lose its last digits; `fingerprint` is always 16 hex digits;
 *  - `lo` and `hi` are null when an interval could not be computed (a single batch);
 *  - a point has `locks`, `lines`, `rcu`, `slabs`, `courses` and `where` exactly when they were asked for;
 *  - `host` holds one array per speed, with one element per point, in the order of `points`; null
 *    for a point that took no wall time. It is the only member that may differ between two runs of
 *    the same scenario, seed and version.
 */
#ifndef EHSIM_REPORT_H
#define EHSIM_REPORT_H

#include <ehsim/result.h>
#include <ehsim/types.h>
#include <glib.h>

struct eh_report_options {
	bool color;   /* text: bold headings, red MISS */
	bool profile; /* text: the whole profile of both hosts, as perf report --stdio prints it */
	bool verbose; /* text: speed of the simulator, seeds, fingerprints, queues checked */
};

void eh_report_text(const struct eh_result *r, const struct eh_report_options *o, GString *out);
void eh_report_neper(const struct eh_result *r, const struct eh_report_options *o, GString *out);
void eh_report_perf(const struct eh_result *r, const struct eh_report_options *o, GString *out);
void eh_report_csv(const struct eh_result *r, const struct eh_report_options *o, GString *out);
void eh_report_locks(const struct eh_result *r, const struct eh_report_options *o, GString *out);
void eh_report_where(const struct eh_result *r, const struct eh_report_options *o, GString *out);
void eh_report_neper_client(const struct eh_result *r, const struct eh_report_options *o, GString *out);
void eh_report_neper_server(const struct eh_result *r, const struct eh_report_options *o, GString *out);
void eh_report_json(const struct eh_result *r, const struct eh_report_options *o, GString *out);

/* The words of --format. Adding a report: one file and one line in src/report/kinds.c. */
struct eh_report_kind {
	const char *name;
	const char *help;
	void (*print)(const struct eh_result *r, const struct eh_report_options *o, GString *out);
	const char *only; /* "a, b": the workload.kinds that have such a report; NULL: all */
};

extern const struct eh_report_kind eh_report_kinds[]; /* ends with name == NULL */

/*
 * Chrome's trace event format, as Perfetto reads it: a process per host and point, a track per CPU,
 * a slice per stretch in one symbol (trace.h). Empty but for points that were asked for it.
 */
extern const struct eh_report_kind eh_report_trace;

/* NULL when there is none of that name. */
const struct eh_report_kind *eh_report_find(const char *name);

#endif
