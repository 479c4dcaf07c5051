/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running moments by Welford's update (Technometrics 4, 1962), exact without keeping the values. */
#include <ehsim/stats.h>

#include <math.h>

void eh_moments_init(struct eh_moments *m)
{
	*m = (struct eh_moments){0};
}

void eh_moments_add(struct eh_moments *m, double x)
{
	double delta = x - m->mean;

	if (m->n == 0 || x < m->min)
		m->min = x;
	if (m->n == 0 || x > m->max)
		m->max = x;
	m->n++;
	m->mean += delta / (double)m->n;
	m->m2 += delta * (x - m->mean);
}

double eh_moments_stddev(const struct eh_moments *m, bool sample)
{
	double divisor = (double)m->n - (sample ? 1.0 : 0.0);

	return divisor > 0.0 ? sqrt(m->m2 / divisor) : 0.0;
}
