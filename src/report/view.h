/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stored results side by side, as figures and the page show them: the points of all of them in one
 * list, named by what sets them apart, and which number, which key and which points come first.
 * Internal to reports.
 */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include "scale.h"
#include "stored.h"

#include <ehsim/workload.h>

enum { VIEW_DETAILED = 8, VIEW_FEW = 4, VIEW_GROUPS = 8, VIEW_HOSTS = 2 };

/* A number with its interval; all NAN where there is none, lo and hi alone where it is not known.
 */
struct view_number {
	double mean, lo, hi;
};

struct view_point {
	int number; /* from 1, over all results */
	const struct eh_stored *result;
	int result_number; /* from 1 */
	JsonObject *o;
	guint group;		     /* its line, with an axis */
	int index;		     /* in its result */
	GPtrArray *set;		     /* struct eh_pair *: what sets it apart */
	char *name;		     /* "connect=S1, threads=64" */
	char *full;		     /* "kernel.connect=S1, workload.threads=64" */
	struct view_point *baseline; /* NULL: none; itself */
	struct view_number main;     /* of view.metric */
	struct view_number
		ratio;	  /* of that to the baseline's; ratio.lo == ratio.hi: interval not known */
	bool significant; /* the interval leaves 1 out */
	double published; /* of view.metric; NAN */
};

struct view {
	GPtrArray *results; /* const struct eh_stored * */
	GPtrArray *points;  /* struct view_point * */
	GPtrArray *keys;    /* char *, swept or differing between results */
	GPtrArray *metrics; /* const char *, those that any point has a number for */
	const char *metric; /* the main one; NULL when there are no numbers */
	bool less_is_more;  /* of the main one */
	/* Two points that show most of what happens when they are explained; NULL. */
	struct view_point *pair[2];
	GPtrArray *groups; /* char *, with an axis: "kind=ticket", what else a line of points has;
			      or "" */
	const char *axis;  /* key whose numbers make an axis, or NULL */
	GPtrArray *shown;  /* struct view_point *: those with details */
	GPtrArray *few;	   /* of them, at most VIEW_FEW */
	bool one_host;
};

struct view *view_new(GPtrArray *results);
void view_free(struct view *v);

/* Half the width of its interval, what was cut at 0 included (result.h). */
double view_half(const struct view_number *n);
/* Of any metric. */
struct view_number view_metric(const struct view_point *p, const char *metric);
/* The ratio of a metric to the baseline's, as the result has it; NAN. */
struct view_number view_change(const struct view_point *p, const char *metric);
/* The value of a key at a point: swept, or of the scenario; NULL. */
const char *view_value(const struct view_point *p, const char *key);
/* That value as a number, in its base unit; NAN for a word. */
double view_value_real(const struct view_point *p, const char *key);

/* That of the first point; NULL when this version does not know it. */
const struct eh_workload_kind *view_kind(const struct view *v);
/* "transaction", "operation" or, of bulk data, "Mbit". */
const char *view_transaction(const struct view *v);
/* As scale_pick, but for throughput that counts Mbit. */
struct scale view_scale(const struct view *v, const char *metric, double x);

/* "client", "server": rows of the profile; `host` below VIEW_HOSTS. */
const char *view_host(int host);
JsonArray *view_profile(const struct view_point *p, int host);
/* Seconds of CPU time of the client per transaction or operation; NAN when it cannot be told. */
double view_cpu_time(const struct view_point *p);
bool view_has_numbers(const struct view_point *p);

#endif
