/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/stats.h>

#include <glib.h>
#include <math.h>

#define WITHIN 1.959963985 /* normal, 95 % */

struct eh_survival {
	struct eh_hist *entered, *left, *ended; /* ages; those that ended have also left */
};

struct eh_survival *eh_survival_new(void)
{
	struct eh_survival *s = g_new(struct eh_survival, 1);

	*s = (struct eh_survival){eh_hist_new(), eh_hist_new(), eh_hist_new()};
	return s;
}

void eh_survival_free(struct eh_survival *s)
{
	if (!s)
		return;
	eh_hist_free(s->entered);
	eh_hist_free(s->left);
	eh_hist_free(s->ended);
	g_free(s);
}

void eh_survival_add(struct eh_survival *s, int64_t from, int64_t to, bool ended)
{
	eh_hist_add(s->entered, from);
	eh_hist_add(s->left, MAX(from, to));
	if (ended)
		eh_hist_add(s->ended, MAX(from, to));
}

uint64_t eh_survival_count(const struct eh_survival *s)
{
	return eh_hist_count(s->ended);
}

struct eh_interval eh_survival_quantile(const struct eh_survival *s, double q)
{
	struct eh_interval x = {INFINITY, INFINITY, INFINITY};
	double above = 1, sum = 0; /* Greenwood: variance of log `above` */
	uint64_t in = 0, out = 0;

	for (int i = 0; i < eh_hist_buckets() && !isfinite(x.hi); i++) {
		uint64_t ended = eh_hist_bucket(s->ended, i);
		double end = (double)eh_hist_bucket_end(i), spread;
		double begin = i ? (double)eh_hist_bucket_end(i - 1) : 0;

		in += eh_hist_bucket(s->entered, i);
		if (ended) {
			double risk = (double)(in - out), d = (double)ended;

			above *= 1 - d / risk;
			sum += risk > d ? d / (risk * (risk - d)) : 0;
			spread = WITHIN * above * sqrt(sum);
			if (above - spread <= 1 - q + 1e-12)
				x.lo = fmin(x.lo, begin);
			if (above <= 1 - q + 1e-12)
				x.mean = fmin(x.mean, end);
			if (above + spread <= 1 - q + 1e-12)
				x.hi = end;
		}
		out += eh_hist_bucket(s->left, i);
	}
	return x;
}
