/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statistics: a log-linear histogram (64 buckets per octave, as neper's), batch means with
 * Student-t intervals, running moments. No names of metrics, no units.
 */
#ifndef EHSIM_STATS_H
#define EHSIM_STATS_H

#include <ehsim/types.h>

/* --- log-linear histogram of non-negative integers --- */
struct eh_hist;
struct eh_hist *eh_hist_new(void);
void eh_hist_free(struct eh_hist *h);
void eh_hist_add(struct eh_hist *h, int64_t value);
void eh_hist_merge(struct eh_hist *into, const struct eh_hist *from);
uint64_t eh_hist_count(const struct eh_hist *h);
int64_t eh_hist_min(const struct eh_hist *h); /* 0 when empty */
int64_t eh_hist_max(const struct eh_hist *h);
/* Upper end of the bucket that holds quantile q (0..1), clamped to [min, max]; 0 when empty. */
int64_t eh_hist_quantile(const struct eh_hist *h, double q);

/* The buckets one by one: how many values, and the largest that belongs there. */
int eh_hist_buckets(void);
uint64_t eh_hist_bucket(const struct eh_hist *h, int i);
int64_t eh_hist_bucket_end(int i);

/* --- how long something lasts, of which a window shows only parts --- */
/*
 * The product-limit estimate (Kaplan, Meier, "Nonparametric estimation from incomplete observations", Journal
 * of the American Statistical Association 53, 1958) in the buckets of a histogram: each thing is watched
 * from one age on to another, where it ends or is lost sight of. Ones that last longer than a window are
 * thus not forgotten. Intervals by Greenwood's variance, at 95 %, as if all were independent.
 */
struct eh_survival;
struct eh_survival *eh_survival_new(void);
void eh_survival_free(struct eh_survival *s);
void eh_survival_add(struct eh_survival *s, int64_t from, int64_t to, bool ended); /* ages, 0 <= from <= to */
uint64_t eh_survival_count(const struct eh_survival *s); /* ended */
/* The age at which a share q has ended; INFINITY where nothing was watched for that long. */
struct eh_interval eh_survival_quantile(const struct eh_survival *s, double q);

/* --- rows of numbers in the order they come, of which an even choice is kept --- */
/*
 * Never more than `most` rows: when there are, each second one goes and from then on every other of those
 * that come is kept. The first stays.
 */
struct eh_series;
struct eh_series *eh_series_new(int columns, int most);
void eh_series_free(struct eh_series *s);
void eh_series_add(struct eh_series *s, const double *row);
int eh_series_rows(const struct eh_series *s);
const double *eh_series_row(const struct eh_series *s, int i);

/* --- running moments (gsl_rstat) --- */
struct eh_moments {
	uint64_t n;
	double mean, m2, min, max;
};
void eh_moments_init(struct eh_moments *m);
void eh_moments_add(struct eh_moments *m, double x);
double eh_moments_stddev(const struct eh_moments *m, bool sample); /* n-1 or n */

/* --- confidence --- */
struct eh_interval {
	double mean, lo, hi;
};
/*
 * Interval of the mean of `n` batch values that may still be correlated: neighbours are merged
 * pairwise until 10 to 19 long batches are left, then Student-t at `confidence` (0.95). n < 2:
 * lo = -INFINITY, hi = INFINITY.
 */
struct eh_interval eh_batch_interval(const double *x, int n, double confidence);
/* Ratio of sums a[i]/b[i] by batches (delta method on batch means, same merging). */
struct eh_interval eh_ratio_interval(const double *a, const double *b, int n, double confidence);
/*
 * Weighted mean of one value from each of n neighbouring stretches, w[i] > 0, when what they measure may
 * drift: how far each is off is taken from how it differs from the one before (von Neumann, "Distribution
 * of the ratio of the mean square successive difference to the variance", Annals of Mathematical
 * Statistics 12, 1941), so a drift that is seen is no error. Student-t; n < 2: the half width is infinite.
 */
struct eh_interval eh_successive_interval(const double *x, const double *w, int n, double confidence);
/*
 * Where a warm-up ends: how many of the first values to cut so that the mean of the others is known best,
 * by MSER (White, "An effective truncation heuristic for bias reduction in simulation output", Simulation
 * 69, 1997): least sum of squares about their mean, over the square of their number. At most n / 2; that
 * many means that no end was seen.
 */
int eh_mser(const double *x, int n);
/* Student-t of independent values. */
struct eh_interval eh_mean_interval(const double *x, int n, double confidence);
/*
 * How far each batch moves that ratio, to first order: dev[i] = (a[i] - ratio b[i]) / mean b. Their mean
 * is 0, and the half width of the mean of as many such values is that of the ratio.
 */
void eh_ratio_dev(const double *a, const double *b, int n, double *dev);
/*
 * Ratio of two numbers b / a that came from the same stretches or seeds: dev_a and dev_b say how far each
 * of those moved its number. What moves both alike moves the ratio not at all, so pairing takes out what
 * common random numbers have in common; where there is nothing in common the interval is as wide as that
 * of independent numbers. `batches`: neighbours may be correlated and are merged as above.
 */
struct eh_interval eh_paired_ratio(double a, const double *dev_a, double b, const double *dev_b, int n,
				   bool batches, double confidence);

#endif
