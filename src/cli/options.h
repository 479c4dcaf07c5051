/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The words on the command line. What they mean for a run is decided elsewhere.
 */
#ifndef EHSIM_CLI_OPTIONS_H
#define EHSIM_CLI_OPTIONS_H

#include <ehsim/report.h>
#include <stdbool.h>

/* Exit statuses; an interrupted run leaves with 128 + the number of the signal. */
enum { EH_EXIT_DONE = 0, EH_EXIT_FAILED = 1, EH_EXIT_USAGE = 2 };

enum eh_verb { EH_VERB_RUN, EH_VERB_CHECK, EH_VERB_SHOW, EH_VERB_LIST, EH_VERB_EXPLAIN, EH_VERB_SCHEMA,
	       EH_VERB_MANUAL, EH_VERB_LOOK };

enum eh_when { EH_AUTO, EH_ALWAYS, EH_NEVER };

/* One report of the result, and where it goes. */
struct eh_output {
	const struct eh_report_kind *kind;
	char *path; /* NULL: stdout */
};

struct eh_options {
	enum eh_verb verb;
	char *scenario;	 /* file; NULL for the verbs that need none */
	GPtrArray *stored; /* char *: results to look at (EH_VERB_LOOK) */
	char *report;	   /* folder of --report, or NULL */
	bool plot;
	GPtrArray *sets; /* char *, "section.key=value", NULL-terminated; --seed is one of them */
	char *explain;	 /* key, NULL for all */
	/* struct eh_output *: reports of the result; at most one to stdout, none if --report is all */
	GPtrArray *outputs;
	char *status_file; /* NULL: none */
	char *output; /* of what is no report (--show, --list, --explain); NULL: stdout */
	bool force, profile, locks, lines, rcu, slabs, where, courses, quiet, verbose;
	eh_time trace_start, trace_length; /* length 0: no trace among the outputs */
	int point; /* from 1; 0: all */
	int slice, slices; /* every slices-th point from number slice on; 0: all */
	int jobs;	   /* 0: one per CPU */
	int64_t memory;	   /* for all jobs together, bytes; 0: what is available */
	char *results;	   /* directory; NULL: none */
	GPtrArray *merge;  /* char *: directories; empty: simulate */
	char *baseline; /* number or KEY=VALUE; NULL: the first point */
	enum eh_when progress, color;
};

/*
 * Read argv into `o`. Returns false when there is nothing more to do: help or version were printed
 * or something was wrong and said; *status is then the exit status. eh_options_clear in any case.
 */
bool eh_options_parse(struct eh_options *o, int argc, char **argv, int *status);
void eh_options_clear(struct eh_options *o);

/* Whether `when` means yes for a stream: auto is a terminal that may be coloured. */
bool eh_options_color(enum eh_when when, int fd);

#endif
