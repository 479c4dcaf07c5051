/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/stats.h>

/* From the end to the front: sums of what is left, by Welford's update. */
int eh_mser(const double *x, int n)
{
	double mean = 0, squares = 0, least = 0;
	int best = n / 2;

	for (int cut = n - 1; cut >= 0; cut--) {
		double left = n - cut, delta = x[cut] - mean, error;

		mean += delta / left;
		squares += delta * (x[cut] - mean);
		if (cut > n / 2)
			continue;
		error = squares / left / left;
		if (cut == n / 2 || error <= least) { /* of equal ones the shorter cut */
			least = error;
			best = cut;
		}
	}
	return best;
}
