/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Batch means (Law and Kelton, Simulation Modeling and Analysis, section 9.5.3): values of
 * neighbouring stretches of one run are correlated, so stretches are merged until they are long.
 * The mean always uses every value; merging only decides what its spread is estimated from.
 */
#include <ehsim/stats.h>

#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#define FEW 10

/*
 * Merges in place until fewer than twenty are left; returns how many. An odd one out is the first:
 * nearest the warm-up. Long batches, and few: a slow swing, and one that comes back at once (threads
 * that search in step), would be taken for noise in short ones.
 */
static int merge(double *x, int n)
{
	while (n >= 2 * FEW) {
		int odd = n & 1;

		n /= 2;
		for (int i = 0; i < n; i++)
			x[i] = (x[odd + 2 * i] + x[odd + 2 * i + 1]) / 2;
	}
	return n;
}

/* Half the width of the Student-t interval of the mean of n independent values. */
static double half_width(const double *x, int n, double confidence)
{
	if (n < 2)
		return INFINITY;
	return gsl_cdf_tdist_Pinv((1 + confidence) / 2, n - 1) * gsl_stats_sd(x, 1, (size_t)n) /
	       sqrt(n);
}

static struct eh_interval around(double mean, double half)
{
	return (struct eh_interval){mean, mean - half, mean + half};
}

struct eh_interval eh_mean_interval(const double *x, int n, double confidence)
{
	if (n < 1)
		return around(0.0, INFINITY);
	return around(gsl_stats_mean(x, 1, (size_t)n), half_width(x, n, confidence));
}

struct eh_interval eh_batch_interval(const double *x, int n, double confidence)
{
	struct eh_interval interval = eh_mean_interval(x, n, confidence);
	double *copy;

	if (n < FEW)
		return interval;
	copy = g_memdup2(x, (size_t)n * sizeof(*x));
	n = merge(copy, n);
	interval = around(interval.mean, half_width(copy, n, confidence));
	g_free(copy);
	return interval;
}

struct eh_interval eh_successive_interval(const double *x, const double *w, int n, double confidence)
{
	double sum = 0, weights = 0, squares = 0;

	if (n < 2)
		return around(n ? x[0] : 0.0, INFINITY);
	for (int i = 0; i < n; i++) {
		double step = w[i] * (i ? x[i] - x[i - 1] : x[1] - x[0]);

		sum += w[i] * x[i];
		weights += w[i];
		squares += step * step / 2;
	}
	return around(sum / weights,
		      gsl_cdf_tdist_Pinv((1 + confidence) / 2, n - 1) * sqrt(squares) / weights);
}

/*
 * Delta method: the error of sum a / sum b is to first order the mean of a - ratio b, divided by
 * the mean of b.
 */
struct eh_interval eh_ratio_interval(const double *a, const double *b, int n, double confidence)
{
	double sum_a = 0, sum_b = 0, ratio, half, *rest;

	for (int i = 0; i < n; i++) {
		sum_a += a[i];
		sum_b += b[i];
	}
	if (sum_b == 0.0)
		return around(0.0, INFINITY);
	ratio = sum_a / sum_b;
	if (n < 2)
		return around(ratio, INFINITY);
	rest = g_new(double, (size_t)n);
	for (int i = 0; i < n; i++)
		rest[i] = a[i] - ratio * b[i];
	half = half_width(rest, merge(rest, n), confidence);
	g_free(rest);
	return around(ratio, half / fabs(sum_b / n));
}

void eh_ratio_dev(const double *a, const double *b, int n, double *dev)
{
	double sum_a = 0, sum_b = 0;

	for (int i = 0; i < n; i++) {
		sum_a += a[i];
		sum_b += b[i];
	}
	for (int i = 0; i < n; i++)
		dev[i] = sum_b == 0.0 ? 0.0 : (a[i] - sum_a / sum_b * b[i]) / (sum_b / n);
}

/* Delta method again: the relative error of b / a is that of b less that of a. */
struct eh_interval eh_paired_ratio(double a, const double *dev_a, double b, const double *dev_b, int n,
				   bool batches, double confidence)
{
	double half, *rest;

	if (a == 0.0 || n < 2)
		return around(a == 0.0 ? 0.0 : b / a, INFINITY);
	rest = g_new(double, (size_t)n);
	for (int i = 0; i < n; i++)
		rest[i] = dev_b[i] / a - b / a * dev_a[i] / a;
	half = half_width(rest, batches ? merge(rest, n) : n, confidence);
	g_free(rest);
	return around(b / a, half);
}
