/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/stats: the histogram against sorted samples, moments against gsl, and how often a 95 %
 * interval holds the true value.
 */
#include <ehsim/stats.h>
#include <ehsim/stream.h>

#include <glib.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "suite.h"

#define ROW(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* --- an even choice of rows --- */

START_TEST(series_stays_short)
{
	static const int lengths[] = {1, 7, 8, 9, 16, 17, 1000, 12345};

	for (guint i = 0; i < G_N_ELEMENTS(lengths); i++) {
		struct eh_series *s = eh_series_new(2, 8);
		double step;

		for (int k = 0; k < lengths[i]; k++)
			eh_series_add(s, (const double[]){k, -k});
		ck_assert_int_le(eh_series_rows(s), 8);
		ck_assert_int_ge(eh_series_rows(s), MIN(lengths[i], 4));
		step = eh_series_rows(s) > 1 ? eh_series_row(s, 1)[0] : 1;
		for (int k = 0; k < eh_series_rows(s); k++) {
			ck_assert_double_eq(eh_series_row(s, k)[0], k * step);
			ck_assert_double_eq(eh_series_row(s, k)[1], -k * step);
		}
		/* the last one that came is not far behind the last one kept */
		ck_assert_double_lt(lengths[i] - 1 - eh_series_row(s, eh_series_rows(s) - 1)[0], step);
		eh_series_free(s);
	}
}
END_TEST

/* --- what a window shows only parts of --- */

/*
 * Lengths of one kind, begun evenly over a time before and in a window of three mean lengths: the median
 * and what nine of ten do not exceed come out, although those that ended in the window are shorter.
 */
START_TEST(survival_in_a_window)
{
	const double quantiles[] = {0.1, 0.5, 0.9}, mean = 1e6;
	gsl_rng *r = eh_stream_new(1, "survival");
	struct eh_survival *s = eh_survival_new();

	for (int i = 0; i < 40000; i++) {
		double begin = mean * (13 * (double)eh_stream_below(r, 1000000) / 1e6 - 10);
		double end = begin + gsl_ran_exponential(r, mean);

		if (end > 0)
			eh_survival_add(s, (int64_t)fmax(0, -begin), (int64_t)(fmin(end, 3 * mean) - begin),
					end < 3 * mean);
	}
	for (guint i = 0; i < G_N_ELEMENTS(quantiles); i++) {
		struct eh_interval x = eh_survival_quantile(s, quantiles[i]);
		double right = -mean * log(1 - quantiles[i]);

		ck_assert_msg(x.lo <= right && right <= x.hi, "%g: %g not in %g..%g", quantiles[i], right,
			      x.lo, x.hi);
		ck_assert_double_le(x.hi - x.lo, 0.2 * right);
	}
	eh_survival_free(s);
	gsl_rng_free(r);
}
END_TEST

/* All seen from begin to end: the histogram's quantiles. Nobody seen for long enough: none. */
START_TEST(survival_edges)
{
	struct eh_survival *s = eh_survival_new();
	struct eh_hist *h = eh_hist_new();

	ck_assert(isinf(eh_survival_quantile(s, 0.5).mean));
	for (int i = 1; i <= 1000; i++) {
		eh_survival_add(s, 0, i * i, true);
		eh_hist_add(h, i * i);
	}
	ck_assert_uint_eq(eh_survival_count(s), 1000);
	for (double q = 0.1; q < 0.99; q += 0.1)
		ck_assert_double_eq(eh_survival_quantile(s, q).mean, (double)eh_hist_quantile(h, q));
	for (int i = 0; i < 2000; i++) /* lost sight of at once */
		eh_survival_add(s, 0, 0, false);
	ck_assert_double_eq(eh_survival_quantile(s, 0.5).mean, (double)eh_hist_quantile(h, 0.5));
	for (int i = 0; i < 9000; i++)
		eh_survival_add(s, 0, 1000000, false);
	ck_assert(isinf(eh_survival_quantile(s, 0.5).mean));
	ck_assert_double_gt(eh_survival_quantile(s, 0.05).mean, 0);
	eh_hist_free(h);
	eh_survival_free(s);
}
END_TEST

/* --- histogram --- */

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static int64_t some_value(gsl_rng *r, int kind)
{
	switch (kind % 4) {
	case 0: /* any size */
		return (int64_t)(eh_stream_u64(r) >> (1 + eh_stream_below(r, 63)));
	case 1: /* small */
		return (int64_t)eh_stream_below(r, 200);
	case 2: /* around powers of two */
		return (int64_t)((UINT64_C(1) << eh_stream_below(r, 62)) + eh_stream_below(r, 3)) -
		       1;
	default:
		return (int64_t)gsl_ran_lognormal(r, 15, 1.5);
	}
}

static const double quantile[] = {0, 1e-9, 0.001, 0.01, 0.07, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1};

/* The bucket's upper end is never below the sorted sample of that rank, and at most 1/64 above. */
START_TEST(hist_agrees_with_sorted)
{
	gsl_rng *r = eh_stream_new((uint64_t)_i, "hist");
	int n = 1 + (int)eh_stream_below(r, 3000);
	int64_t *x = g_new(int64_t, n);
	struct eh_hist *whole = eh_hist_new(), *half[2] = {eh_hist_new(), eh_hist_new()};

	for (int i = 0; i < n; i++) {
		x[i] = some_value(r, _i);
		eh_hist_add(whole, x[i]);
		eh_hist_add(half[i & 1], x[i]);
	}
	qsort(x, (size_t)n, sizeof(*x), by_value);
	eh_hist_merge(half[0], half[1]);
	ck_assert_uint_eq(eh_hist_count(whole), (uint64_t)n);
	ck_assert_int_eq(eh_hist_min(whole), x[0]);
	ck_assert_int_eq(eh_hist_max(whole), x[n - 1]);
	for (int i = 0; i < ROW(quantile); i++) {
		int rank = (int)ceil(quantile[i] * n - 1e-9);
		int64_t exact = x[CLAMP(rank, 1, n) - 1];
		int64_t got = eh_hist_quantile(whole, quantile[i]);

		ck_assert_int_ge(got, exact);
		ck_assert_int_le(got - exact, exact / 64);
		ck_assert_int_eq(eh_hist_quantile(half[0], quantile[i]), got);
	}
	ck_assert_int_eq(eh_hist_max(half[0]), x[n - 1]);
	ck_assert_uint_eq(eh_hist_count(half[0]), (uint64_t)n);
	eh_hist_free(whole);
	eh_hist_free(half[0]);
	eh_hist_free(half[1]);
	g_free(x);
	gsl_rng_free(r);
}
END_TEST

START_TEST(hist_edges)
{
	struct eh_hist *h = eh_hist_new(), *empty = eh_hist_new();

	ck_assert_int_eq(eh_hist_quantile(h, 0.5), 0);
	ck_assert_int_eq(eh_hist_min(h), 0);
	ck_assert_int_eq(eh_hist_max(h), 0);
	eh_hist_add(h, 5);
	eh_hist_merge(h, empty);
	ck_assert_int_eq(eh_hist_min(h), 5);
	eh_hist_merge(empty, h);
	ck_assert_int_eq(eh_hist_min(empty), 5);
	eh_hist_add(h, 0);
	eh_hist_add(h, INT64_MAX);
	ck_assert_int_eq(eh_hist_quantile(h, 0), 0);
	ck_assert_int_eq(eh_hist_quantile(h, 0.5), 5);
	ck_assert_int_eq(eh_hist_quantile(h, 1), INT64_MAX);
	/* One value is its own quantile however wide its bucket: it is clamped to the range. */
	eh_hist_free(h);
	h = eh_hist_new();
	eh_hist_add(h, 1000003);
	ck_assert_int_eq(eh_hist_quantile(h, 0.5), 1000003);
	eh_hist_free(h);
	eh_hist_free(empty);
}
END_TEST

/* --- moments --- */

START_TEST(moments_agree_with_gsl)
{
	gsl_rng *r = eh_stream_new((uint64_t)_i, "moments");
	struct eh_moments m;
	double x[1000];

	eh_moments_init(&m);
	ck_assert(eh_moments_stddev(&m, true) == 0.0);
	for (int i = 0; i < ROW(x); i++) {
		x[i] = 1e6 + gsl_ran_gaussian(r, 3.0);
		eh_moments_add(&m, x[i]);
		if (i == 0)
			ck_assert(eh_moments_stddev(&m, true) == 0.0);
	}
	ck_assert_uint_eq(m.n, ROW(x));
	ck_assert_double_eq_tol(m.mean, gsl_stats_mean(x, 1, ROW(x)), 1e-8);
	ck_assert_double_eq_tol(eh_moments_stddev(&m, true), gsl_stats_sd(x, 1, ROW(x)), 1e-8);
	ck_assert_double_eq_tol(eh_moments_stddev(&m, false),
				gsl_stats_sd(x, 1, ROW(x)) * sqrt(999.0 / 1000.0), 1e-8);
	ck_assert_double_eq(m.min, gsl_stats_min(x, 1, ROW(x)));
	ck_assert_double_eq(m.max, gsl_stats_max(x, 1, ROW(x)));
	gsl_rng_free(r);
}
END_TEST

/* --- intervals --- */

static bool holds(struct eh_interval i, double truth)
{
	return i.lo <= truth && truth <= i.hi;
}

/* x[i] - mean = phi (x[i-1] - mean) + noise: correlation phi between neighbours. */
static void autoregressive(gsl_rng *r, double *x, int n, double mean, double phi)
{
	double last = gsl_ran_gaussian(r, 1.0) / sqrt(1 - phi * phi);

	for (int i = 0; i < n; i++) {
		last = phi * last + gsl_ran_gaussian(r, 1.0);
		x[i] = mean + last;
	}
}

/*
 * Shares of 2,000 intervals that hold the true mean. Where neighbours are correlated the plain
 * interval is far too narrow, where they differ by turns too wide; merged batches come close. They do not reach 95 %: correlation up to
 * 0.2 stays in, and the decision to stop merging is made on the same values.
 */
static const struct {
	const char *what;
	double phi;
	int n;
	double batch_min, batch_max, plain_max;
} cover[] = {
	{"independent, few", 0.0, 5, 0.935, 0.965, 0.965},
	{"independent", 0.0, 100, 0.93, 0.965, 0.965},
	{"AR(1) 0.5", 0.5, 400, 0.88, 0.965, 0.80},
	{"AR(1) 0.8", 0.8, 400, 0.88, 0.965, 0.60},
	{"AR(1) 0.95", 0.95, 2000, 0.88, 0.965, 0.40},
	{"AR(1) -0.5", -0.5, 100, 0.93, 1.0, 1.0},
};

START_TEST(interval_coverage)
{
	gsl_rng *r = eh_stream_new(1, cover[_i].what);
	const int rounds = 2000;
	double batch = 0, plain = 0;
	double *x = g_new(double, cover[_i].n);

	for (int i = 0; i < rounds; i++) {
		struct eh_interval b, p;

		autoregressive(r, x, cover[_i].n, 100, cover[_i].phi);
		b = eh_batch_interval(x, cover[_i].n, 0.95);
		p = eh_mean_interval(x, cover[_i].n, 0.95);
		ck_assert_double_eq(b.mean, p.mean);
		batch += holds(b, 100);
		plain += holds(p, 100);
	}
	batch /= rounds;
	plain /= rounds;
	ck_assert_msg(batch >= cover[_i].batch_min && batch <= cover[_i].batch_max,
		      "%s: batch interval holds in %.3f", cover[_i].what, batch);
	ck_assert_msg(plain <= cover[_i].plain_max, "%s: plain interval holds in %.3f",
		      cover[_i].what, plain);
	g_free(x);
	gsl_rng_free(r);
}
END_TEST

/* Both sums swing together; the ratio is known far better than either of them. */
START_TEST(ratio_coverage)
{
	gsl_rng *r = eh_stream_new(2, "ratio");
	const int rounds = 2000;
	double a[200], b[200], held = 0, width = 0;

	for (int i = 0; i < rounds; i++) {
		struct eh_interval ratio;

		autoregressive(r, b, ROW(b), 100, _i ? 0.8 : 0.0);
		autoregressive(r, a, ROW(a), 0, _i ? 0.5 : 0.0);
		for (int k = 0; k < ROW(a); k++) {
			b[k] = 100 + 5 * (b[k] - 100);
			a[k] += 3 * b[k];
		}
		ratio = eh_ratio_interval(a, b, ROW(a), 0.95);
		held += holds(ratio, 3.0);
		width += ratio.hi - ratio.lo;
	}
	ck_assert_double_ge(held / rounds, _i ? 0.88 : 0.93);
	ck_assert_double_le(held / rounds, 0.97);
	ck_assert_double_lt(width / rounds, 0.01);
	gsl_rng_free(r);
}
END_TEST

/* Two numbers with and without something in common: the interval of their ratio holds, and knows it. */
START_TEST(paired_coverage)
{
	gsl_rng *r = eh_stream_new(3, "paired");
	const int rounds = 2000, n = _i & 1 ? 200 : 8;
	double common[200], a[200], b[200], held = 0, width = 0;

	for (int i = 0; i < rounds; i++) {
		double mean_a = 0, mean_b = 0;
		struct eh_interval ratio;

		autoregressive(r, common, n, 0, _i & 1 ? 0.5 : 0.0);
		autoregressive(r, a, n, 100, _i & 1 ? 0.5 : 0.0);
		autoregressive(r, b, n, 200, _i & 1 ? 0.5 : 0.0);
		for (int k = 0; k < n; k++) {
			a[k] = 100 + (_i & 2 ? 0.1 : 1) * (a[k] - 100) + (_i & 2 ? 1 : 0) * common[k];
			b[k] = 200 + (_i & 2 ? 0.2 : 2) * (b[k] - 200) + (_i & 2 ? 2 : 0) * common[k];
			mean_a += a[k] / n;
			mean_b += b[k] / n;
		}
		for (int k = 0; k < n; k++) {
			a[k] -= mean_a;
			b[k] -= mean_b;
		}
		ratio = eh_paired_ratio(mean_a, a, mean_b, b, n, _i & 1, 0.95);
		held += holds(ratio, 2.0);
		width += (ratio.hi - ratio.lo) / rounds;
	}
	ck_assert_double_ge(held / rounds, _i & 1 ? 0.9 : 0.93);
	ck_assert_double_le(held / rounds, 0.97);
	/* of 8: 2 x 2 x t(0.975, 7) sqrt(2 / 8) x 1 %, a tenth of it where nine tenths are common */
	if (_i == 0)
		ck_assert_double_eq_tol(width, 4 * 2.3646 * 0.5 * 0.01, 0.003);
	if (_i == 2)
		ck_assert_double_lt(width, 0.006);
	gsl_rng_free(r);
}
END_TEST

/* A step is cut where it is; noise hardly; what drifts to the end gives no cut but the limit. */
START_TEST(warm_up_is_found)
{
	gsl_rng *r = eh_stream_new(4, "mser");
	double x[100], noise[100], cut = 0;

	for (int k = 0; k < 100; k++)
		x[k] = 7;
	ck_assert_int_eq(eh_mser(x, 100), 0);
	ck_assert_int_eq(eh_mser(x, 1), 0);
	ck_assert_int_eq(eh_mser(x, 0), 0);
	for (int i = 0; i < 200; i++) {
		autoregressive(r, noise, 100, 0, 0.3);
		for (int k = 0; k < 100; k++)
			x[k] = 100 + noise[k] + (k < 30 ? 20 : 0);
		ck_assert_int_ge(eh_mser(x, 100), 30);
		ck_assert_int_lt(eh_mser(x, 100), 50);
		for (int k = 0; k < 100; k++)
			x[k] = 100 + noise[k] + k;
		ck_assert_int_eq(eh_mser(x, 100), 50);
		/* time constant of five values: nothing is left of it behind 20 */
		for (int k = 0; k < 100; k++)
			x[k] = 100 + noise[k] - 50 * exp(-k / 5.0);
		ck_assert_int_ge(eh_mser(x, 100), 8);
		cut += eh_mser(x, 100) / 200.0;
	}
	ck_assert_double_lt(cut, 30);
	gsl_rng_free(r);
}
END_TEST

START_TEST(interval_edges)
{
	static const double x[] = {1, 2, 3}, zero[] = {0, 0, 0};
	struct eh_interval i = eh_batch_interval(x, 1, 0.95);

	ck_assert_double_eq(i.mean, 1);
	ck_assert(isinf(i.lo) && i.lo < 0 && isinf(i.hi) && i.hi > 0);
	i = eh_mean_interval(x, 0, 0.95);
	ck_assert(i.mean == 0 && isinf(i.lo) && isinf(i.hi));
	i = eh_ratio_interval(x, zero, 3, 0.95);
	ck_assert(i.mean == 0 && isinf(i.lo) && isinf(i.hi));
	i = eh_ratio_interval(x, x, 1, 0.95);
	ck_assert(i.mean == 1 && isinf(i.lo) && isinf(i.hi));
	/* t(0.975, 2) = 4.302653, sd 1 */
	i = eh_mean_interval(x, 3, 0.95);
	ck_assert_double_eq_tol(i.hi - i.mean, 4.302653 / sqrt(3), 1e-6);
	ck_assert_double_eq_tol(i.mean - i.lo, 4.302653 / sqrt(3), 1e-6);
	i = eh_batch_interval(zero, 3, 0.95);
	ck_assert(i.mean == 0 && i.lo == 0 && i.hi == 0);
}
END_TEST

/* A constant has no correlation to speak of (0 / 0): nothing may be merged for ever or be NaN. */
START_TEST(constant_batches)
{
	double x[64];
	struct eh_interval i;

	for (int k = 0; k < ROW(x); k++)
		x[k] = 7;
	i = eh_batch_interval(x, ROW(x), 0.95);
	ck_assert(i.mean == 7 && i.lo == 7 && i.hi == 7);
	i = eh_ratio_interval(x, x, ROW(x), 0.95);
	ck_assert(i.mean == 1 && i.lo == 1 && i.hi == 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stats");
	TCase *hist = tcase_create("hist"), *moments = tcase_create("moments");
	TCase *interval = tcase_create("interval");

	tcase_add_loop_test(hist, hist_agrees_with_sorted, 0, 40);
	tcase_add_test(hist, hist_edges);
	tcase_add_test(hist, series_stays_short);
	tcase_add_test(hist, survival_in_a_window);
	tcase_add_test(hist, survival_edges);
	suite_add_tcase(suite, hist);
	tcase_add_loop_test(moments, moments_agree_with_gsl, 0, 5);
	suite_add_tcase(suite, moments);
	tcase_add_loop_test(interval, interval_coverage, 0, ROW(cover));
	tcase_add_loop_test(interval, ratio_coverage, 0, 2);
	tcase_add_loop_test(interval, paired_coverage, 0, 4);
	tcase_add_test(interval, warm_up_is_found);
	tcase_add_test(interval, interval_edges);
	tcase_add_test(interval, constant_batches);
	tcase_set_timeout(interval, 60);
	suite_add_tcase(suite, interval);

	return run_suite(suite);
}
