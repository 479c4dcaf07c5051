/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a run leaves behind: plain numbers, the scenario that made them, seed and version. A report
 * sees only this; it never sees simulation objects. Everything is owned by the result and freed by
 * eh_result_free. Units are in the metric names (throughput_per_s, latency_mean_s).
 */
#ifndef EHSIM_RESULT_H
#define EHSIM_RESULT_H

#include <ehsim/keys.h>
#include <ehsim/trace.h>
#include <ehsim/types.h>
#include <glib.h>

struct eh_metric {
	char *name;
	double mean;
	double lo, hi;	/* 95 % confidence, cut at 0; equal to mean when it is one exact number */
	char *null_why; /* non-NULL: there is no number, and this is the reason */
	/*
	 * What the interval comes from: how far each batch of the window, or each repeat, moved the
	 * number (eh_ratio_dev in stats.h). None: one number whose error is not known.
	 */
	double *dev;
	int ndev;
	bool batches;
};

/* A metric against that of the point's baseline. */
enum eh_pairing {
	EH_UNPAIRED,	   /* from two independent intervals */
	EH_PAIRED_BATCHES, /* batch with batch of windows of as many batches */
	EH_PAIRED_REPEATS, /* repeat with repeat: the same seed */
	EH_NO_INTERVAL,	   /* the error of one of the two is not known: lo and hi are infinite */
};

struct eh_change {
	char *metric;
	double ratio;  /* this point's over the baseline's */
	double lo, hi; /* 95 % confidence */
	enum eh_pairing how;
	double published; /* ratio of the figures that the scenario expects of both; NAN */
};

struct eh_profile_row {
	char *symbol;	/* kernel symbol, as perf prints it; user code: "[user]" */
	double share;	/* 0..1 of the busy time of that host's CPUs */
	bool user;
};

/* A class of locks in the measured window; names as in lock_stat. */
struct eh_lock_row {
	char *name, *type; /* "ehash_locks", "spinlock" */
	uint64_t contentions, acquisitions;
	uint64_t con_bounces, acq_bounces;
	eh_time wait_total, wait_min, wait_max; /* of contentions; min and max 0 without one */
	eh_time hold_total, hold_min, hold_max; /* of releases; max 0 without one */
};

/* A line of some kind of object, of all those objects, in the measured window; as perf c2c says it. */
struct eh_line_row {
	char *name;	  /* "ehash_locks+0x0": what it holds, and where in it the line begins; "other" */
	uint64_t lcl_hitm, rmt_hitm;   /* reads that found it modified by a CPU of the same/another socket */
	uint64_t lcl_store, rmt_store; /* writes that took it away from one */
	double share;	       /* of all such accesses of the host */
	uint32_t lines;	       /* that were accessed so */
	uint32_t hottest;      /* number of the one of them with most; 0: none (other) */
	double hottest_share;  /* of the row's accesses */
	eh_time waited;	       /* by all of them together */
};

/* Grace periods of RCU, or waits for one, that ended in the measured window. */
/*
 * A kmem cache of a host, in slabinfo's words and those of its tail for debugging: what stands at the end
 * of the measured window, and from maxobjs on (which is of the whole run) what was counted in it; waits in ns.
 */
#define EH_SLAB_NUMBERS(X)                                                                         \
	X(active_objs)                                                                             \
	X(num_objs)                                                                                \
	X(objsize)                                                                                 \
	X(objperslab)                                                                              \
	X(pagesperslab)                                                                            \
	X(limit)                                                                                   \
	X(batchcount)                                                                              \
	X(sharedfactor)                                                                            \
	X(active_slabs)                                                                            \
	X(num_slabs)                                                                               \
	X(sharedavail)                                                                             \
	X(bytes)                                                                                   \
	X(maxobjs)                                                                                 \
	X(listallocs)                                                                              \
	X(frees)                                                                                   \
	X(grown)                                                                                   \
	X(shrunk)                                                                                  \
	X(reaped)                                                                                  \
	X(nodeallocs)                                                                              \
	X(remotefrees)                                                                             \
	X(alienoverflow)                                                                           \
	X(allochit)                                                                                \
	X(allocmiss)                                                                               \
	X(freehit)                                                                                 \
	X(freemiss)                                                                                \
	X(list_lock_acquisitions)                                                                  \
	X(list_lock_contentions)                                                                   \
	X(list_lock_wait_ns)                                                                       \
	X(alien_lock_acquisitions)                                                                 \
	X(alien_lock_contentions)                                                                  \
	X(alien_lock_wait_ns)

enum eh_slab_number {
#define EH_SLAB_ENUM(name) EH_SLAB_##name,
	EH_SLAB_NUMBERS(EH_SLAB_ENUM)
#undef EH_SLAB_ENUM
	EH_SLAB_COUNT
};

struct eh_slab_row {
	char *name;
	char *by_node; /* active_objs, "812 790" */
	uint64_t number[EH_SLAB_COUNT];
};

enum eh_rcu_what { EH_RCU_NORMAL, EH_RCU_SYNC, EH_RCU_EXP, EH_RCU_WHATS };
enum { EH_RCU_BINS = 24, EH_RCU_BIN_1MS = 10 }; /* bin i: [2^(i - 10), 2^(i - 9)) ms; the last: and above */
struct eh_rcu_times {
	uint64_t count;
	eh_time mean, p50, p90, p99, max; /* percentiles as in eh_hist_quantile */
	uint64_t bin[EH_RCU_BINS];
};

/* RCU of a host in the measured window; the counts are those of rcu.h. */
struct eh_rcu_table {
	struct eh_rcu_times times[EH_RCU_WHATS];
	uint64_t scans, urgent, heavy, reports, found, kicks, overloads, ipis;
	uint64_t called, invoked, batches, freed, qlen_peak;
	uint64_t waiting, waiting_peak;	   /* objects at its end; most of all times in it */
	int64_t bytes, bytes_peak;
};

/* What a host's CPUs did (account.h), as columns of its table. */
enum { EH_WHERE_SEARCH, EH_WHERE_KERNEL, EH_WHERE_IRQ, EH_WHERE_USER, EH_WHERE_COLUMNS };

/*
 * One reason why time passed in the measured window. All rows of a host add up to the busy time of its
 * CPUs, to the picosecond.
 */
struct eh_where_row {
	char *name; /* "clean line, other die" */
	char *group; /* "reads": what several rows share; "" */
	eh_time time[EH_WHERE_COLUMNS];
	uint64_t lines[EH_WHERE_COLUMNS]; /* accesses to lines that came from there, or were there */
	eh_time hidden[EH_WHERE_COLUMNS]; /* their latency that passed beneath other work */
};

/* A stretch of a trace's window in which a CPU held a lock, or waited for it. */
struct eh_hold {
	eh_time at, length; /* at: from the beginning of the simulation */
	uint32_t name;	    /* of the class: index in hold_names */
	uint16_t cpu;
	uint8_t host, waits;
};

struct eh_pair {
	char *key, *value;
};

/* How something spreads that a metric is the mean of: value[i] is the quantile eh_spread_at[i]. */
enum { EH_SPREAD_AT = 16 };
extern const double eh_spread_at[EH_SPREAD_AT]; /* 0 to 1 */
struct eh_spread {
	char *name; /* "candidates_per_connect", "latency_s" */
	uint64_t count;
	double *value;
	int n; /* EH_SPREAD_AT */
};

/*
 * What changes in the course of the measured window, a row per look or search that ended: times in s from
 * its begin, then numbers as the columns say.
 */
enum eh_course_kind { EH_COURSE_SEARCHES, EH_COURSE_SLABS, EH_COURSE_RCU, EH_COURSE_KINDS };
enum { EH_COURSE_COLUMNS = 5 };
extern const char *const eh_course_columns[EH_COURSE_KINDS][EH_COURSE_COLUMNS]; /* NULL: fewer */
struct eh_course {
	int kind, host; /* 0: client, or the one host */
	char *name;	/* of a cache; else "" */
	double *value;
	int n; /* rows times columns */
};

struct eh_expect {
	char *metric;
	double published;
	double simulated;  /* NAN when null_why of the metric is set */
	double ratio;	   /* simulated / published */
	double within;	   /* tolerance as a share (0.2 = 20 %), 0 when only for the record */
	bool holds;
	bool fitted;	   /* a number was fitted on this row */
	char *row;	   /* row of the published cases, "D0" */
	char *note;	   /* why it cannot be compared, or NULL */
};

enum eh_status { EH_DONE, EH_IMPRECISE, EH_INTERRUPTED, EH_FAILED };

struct eh_point {
	int index;
	/*
	 * run.repeat above 1: one point per repeat, each with its seed, number and all that a run leaves
	 * behind. The point's own metrics are then their means with Student-t intervals over the repeats,
	 * its profiles the mean shares, its times and counts sums; its tables of locks, lines and RCU and its trace are those
	 * of the first repeat, which has none then; neper blocks stay with the repeats.
	 */
	GPtrArray *repeats; /* struct eh_point *; empty: one run, which is this point */
	int repeat;	    /* of such a repeat: from 1; else 0 */
	int baseline;	    /* index of the point it is compared with; its own: it is a baseline; -1: none */
	GPtrArray *changes; /* struct eh_change *: against the baseline, in the order of the metrics */
	GPtrArray *set;		 /* struct eh_pair *: swept keys only, full name "kernel.connect" */
	uint64_t seed;
	uint64_t fingerprint;	 /* hash over the trajectory */
	enum eh_status status;
	char *status_text;	 /* plain sentence for anything but EH_DONE, else NULL */
	char *start_text;	 /* what was simulated: "start: steady; warm-up 20 ms cut" */
	eh_time simulated;	 /* whole simulated time, warm-up included */
	eh_time warmup;
	GPtrArray *metrics;	 /* struct eh_metric * */
	/* A sampled run (sample.h): stretches measured, share of the candidate ports walked in detail. */
	bool sampled;
	int stretches;
	double in_detail;
	bool one_host;		 /* a laboratory kind: `client` is the host, `server` is empty */
	GPtrArray *client, *server; /* struct eh_profile_row *, largest first */
	/* Asked for before the run: else the tables of locks and lines stay empty. */
	bool with_locks, with_lines, with_rcu, with_where, with_slabs, with_courses;
	struct eh_rcu_table rcu[2]; /* client, server */
	GPtrArray *spreads; /* struct eh_spread * */
	GPtrArray *courses; /* struct eh_course * */
	GPtrArray *locks[2]; /* client, server: struct eh_lock_row *, longest wait first */
	GPtrArray *lines[2]; /* struct eh_line_row *, most accesses first, then "other" */
	GPtrArray *slabs[2]; /* struct eh_slab_row *, in the order of the caches */
	GPtrArray *where[2]; /* struct eh_where_row *, always the same rows in the same order */
	eh_time where_busy[2]; /* what was charged to symbols */
	double where_ports, where_operations; /* candidate ports; connections, or a loop's operations */
	/*
	 * Asked for before the run: what CPUs did from trace_start of the measured window on (of the
	 * simulation without one), for trace_length; 0: no slices.
	 */
	eh_time trace_start, trace_length;
	eh_time trace_from, trace_until; /* seen, since the simulation began */
	GArray *slices;			 /* struct eh_slice */
	GArray *holds;		 /* struct eh_hold, of the same window, as each ended */
	GPtrArray *hold_names;	 /* struct eh_pair *: the key */
	int queues;	     /* for which Little's law was checked */
	GPtrArray *neper_client, *neper_server; /* struct eh_pair *, in neper's order; or empty */
	GPtrArray *expect;	 /* struct eh_expect * */
	/* Speed of this simulation; only in the `host` block, never part of a comparison. */
	double wall_s;
	uint64_t candidates, line_accesses, events;
};

struct eh_result {
	char *version;
	char *scenario_file, *scenario_sha256, *description;
	GPtrArray *values;	/* struct eh_pair *: all keys filled in, full names */
	GPtrArray *fitted;	/* struct eh_pair *: full key name, "65ns (fitted on D0: ...)" */
	GPtrArray *points;	/* struct eh_point * */
};

struct eh_result *eh_result_new(void);
void eh_result_free(struct eh_result *r);
struct eh_point *eh_point_new(int index); /* also fit as element of eh_result.points */
void eh_point_free(struct eh_point *p);

void eh_point_metric(struct eh_point *p, const char *name, double mean, double lo, double hi);
void eh_point_metric_null(struct eh_point *p, const char *name, const char *why);
/* Keeps a copy of `dev` with a metric that has a number. */
void eh_point_metric_dev(struct eh_point *p, const char *name, const double *dev, int n, bool batches);
/* Fills a point from its repeats. */
void eh_point_merge(struct eh_point *p);
/*
 * Fills the changes of a point against one of the same result; none if either has no numbers. utime_s
 * and stime_s, sums over a window, are left out when the windows differ in length.
 */
void eh_point_compare(struct eh_point *p, const struct eh_point *base);
bool eh_point_has_numbers(const struct eh_point *p); /* it ran to its end */
const struct eh_change *eh_point_change(const struct eh_point *p, const char *metric); /* or NULL */
/* The interval leaves 1 out. */
bool eh_change_significant(const struct eh_change *c);
/* NULL when absent. */
const struct eh_metric *eh_point_find(const struct eh_point *p, const char *name);
/* Half the width of its interval, the part that was cut at 0 included. */
static inline double eh_metric_half(const struct eh_metric *m)
{
	return m->lo > 0 || m->lo == m->hi ? (m->hi - m->lo) / 2 : m->hi - m->mean;
}
void eh_pair_add(GPtrArray *pairs, const char *key, const char *value_fmt, ...) G_GNUC_PRINTF(3, 4);
void eh_pair_free(void *pair); /* fit for g_ptr_array_new_with_free_func */
/* An empty spread of that name (copied), at the end. */
struct eh_spread *eh_spread_add(GPtrArray *spreads, const char *name);
/* An empty one of that name (copied), at the end. */
struct eh_course *eh_course_add(GPtrArray *courses, enum eh_course_kind kind, int host, const char *name);
int eh_course_rows(const struct eh_course *c);
const double *eh_course_row(const struct eh_course *c, int i);
void eh_profile_add(GPtrArray *rows, const char *symbol, double share, bool user);
/* An empty row of that name (copied), at the end of the rows. */
struct eh_lock_row *eh_lock_row_add(GPtrArray *rows, const char *name, const char *type);
struct eh_slab_row *eh_slab_row_add(GPtrArray *rows, const char *name, const char *by_node);
struct eh_line_row *eh_line_row_add(GPtrArray *rows, const char *name);
struct eh_where_row *eh_where_row_add(GPtrArray *rows, const char *name, const char *group);
uint64_t eh_line_row_accesses(const struct eh_line_row *row);

#endif
