/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scenario: text in, checked plain values out, points of a sweep, a run.
 *
 *	text --load--> tree with positions --check--> scenario (all defaults filled, origin of each)
 *	     --sweep--> points --run--> result
 *
 * Nothing reaches back: a run sees const values, a report sees a result.
 */
#ifndef EHSIM_SCENARIO_H
#define EHSIM_SCENARIO_H

#include <ehsim/config.h>
#include <ehsim/keys.h>
#include <ehsim/message.h>
#include <ehsim/result.h>

/* One point's values: the config structs of all folders (ehsim/config.h), filled in. */
struct eh_values {
	struct eh_machine_config machine;
	struct eh_kernel_config kernel;
	struct eh_network_config network;
	struct eh_workload_config workload;
	struct eh_run_config run;
};

/* Metrics whose precision may end a steady run (run.until.metric). */
extern const char *const eh_until_words[];     /* ends with NULL; of tcp_crr */
extern const char *const eh_until_lab_words[]; /* of the laboratory kinds; throughput_per_s, the
						  default, means ops_per_s there */

extern const struct eh_section eh_sections[]; /* ends with name == NULL */

struct eh_expect_row {
	char *metric;
	char *row;	    /* "D0"; may be NULL */
	double published;
	double within;	    /* share, 0: for the record */
	bool fitted;
	GPtrArray *when; /* struct eh_pair *: the row speaks of points where all keys have these values */
	char *note;
};

struct eh_scenario; /* opaque: file, values, origins, sweep axes, expectations */

/*
 * Load and check. `sets` is a NULL-terminated list of "section.key=value" (value may be a list
 * "[a, b]"); it may be NULL. Every problem becomes a message; NULL is returned if there was an
 * error. --set problems are located as "--set KEY=VALUE".
 */
struct eh_scenario *eh_scenario_load(const char *file, const char *const *sets,
				     struct eh_messages *msgs);
void eh_scenario_free(struct eh_scenario *s);

int eh_scenario_points(const struct eh_scenario *s);
/* Fill `v` (eh_values_init'ed by this call) for one point. `set` receives the swept pairs. */
void eh_scenario_point(const struct eh_scenario *s, int index, struct eh_values *v, GPtrArray *set);
/*
 * Which point each point is compared with, numbers from 1, newly allocated. `text` is the number of one
 * point for all, or "KEY=VALUE" of a list: then the point that differs from it in that key only. NULL and
 * a newly allocated text if it is neither.
 */
int *eh_scenario_baselines(const struct eh_scenario *s, const char *text, char **bad);
const char *eh_scenario_description(const struct eh_scenario *s);
const char *eh_scenario_sha256(const struct eh_scenario *s);
const GPtrArray *eh_scenario_expect(const struct eh_scenario *s); /* struct eh_expect_row * */
/* Full names and values of every key (first point), and of the keys whose origin is fitted. */
void eh_scenario_values(const struct eh_scenario *s, GPtrArray *values, GPtrArray *fitted);
/* The filled-in scenario as YAML that loads again to the same values. Newly allocated. */
char *eh_scenario_show(const struct eh_scenario *s);

/* The seed of repeat `k` (from 0): run.seed + k, so that equal repeats of all points share theirs. */
uint64_t eh_repeat_seed(const struct eh_values *v, int k);

void eh_values_init(struct eh_values *v); /* all defaults */
void eh_values_clear(struct eh_values *v);
void eh_values_copy(struct eh_values *to, const struct eh_values *from); /* `to` uninitialised */

/* Progress, called about four times a second of wall time; return false to interrupt the run. */
struct eh_progress {
	eh_time simulated, planned; /* planned may shrink or grow while precision is awaited */
	double precision;	    /* half width / mean reached so far, 1.0 when unknown */
	uint64_t events;
	const char *metric;   /* what a steady run waits for; else NULL */
	double mean, lo, hi; /* of the metric so far; all 0 while it has no number */
};
typedef bool (*eh_progress_fn)(const struct eh_progress *p, void *arg);

/*
 * Build the world for `v` with `seed`, run it, and fill `p` (metrics, profile, neper blocks,
 * fingerprint, status). `expect` (struct eh_expect_row *, may be NULL) is compared by the caller
 * with eh_point_expect.
 */
void eh_run_point(const struct eh_values *v, uint64_t seed, eh_progress_fn progress, void *arg,
		  struct eh_point *p);
/*
 * Of a merged point: is the mean over its repeats as precise as run.until asks? That decides its status,
 * whatever each of them reached alone.
 */
void eh_repeats_precise(struct eh_point *p, const struct eh_values *v);
void eh_point_expect(struct eh_point *p, const struct eh_values *v, const GPtrArray *expect);

#endif
