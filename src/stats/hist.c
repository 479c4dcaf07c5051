/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values below 64 have a bucket each. Above, an octave [2^e, 2^(e+1)) is cut into 64 buckets of
 * 2^(e-6): a bucket's ends differ by less than 1.6 %. The index is the seven leading bits of the
 * value plus 64 for every bit dropped behind them, which runs on without a gap.
 */
#include <ehsim/stats.h>

#include <glib.h>
#include <math.h>

#define SUB_BITS 6
#define SUB (1 << SUB_BITS)
#define BUCKETS ((63 - SUB_BITS) * SUB + SUB)

struct eh_hist {
	uint64_t count;
	int64_t min, max;
	uint64_t bucket[BUCKETS];
};

static unsigned bucket_of(int64_t value)
{
	unsigned e, dropped;

	if (value < SUB)
		return (unsigned)value;
	e = 63 - (unsigned)__builtin_clzll((uint64_t)value);
	dropped = e - SUB_BITS;
	return dropped * SUB + (unsigned)(value >> dropped);
}

static int64_t upper_end(unsigned bucket)
{
	unsigned dropped = bucket < 2 * SUB ? 0 : bucket / SUB - 1;
	uint64_t leading = bucket - dropped * SUB;

	return (int64_t)(((leading + 1) << dropped) - 1);
}

struct eh_hist *eh_hist_new(void)
{
	return g_new0(struct eh_hist, 1);
}

void eh_hist_free(struct eh_hist *h)
{
	g_free(h);
}

void eh_hist_add(struct eh_hist *h, int64_t value)
{
	g_assert(value >= 0);
	if (h->count == 0 || value < h->min)
		h->min = value;
	if (h->count == 0 || value > h->max)
		h->max = value;
	h->count++;
	h->bucket[bucket_of(value)]++;
}

void eh_hist_merge(struct eh_hist *into, const struct eh_hist *from)
{
	if (from->count == 0)
		return;
	if (into->count == 0 || from->min < into->min)
		into->min = from->min;
	if (into->count == 0 || from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	for (int i = 0; i < BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
}

uint64_t eh_hist_count(const struct eh_hist *h)
{
	return h->count;
}

int64_t eh_hist_min(const struct eh_hist *h)
{
	return h->min;
}

int64_t eh_hist_max(const struct eh_hist *h)
{
	return h->max;
}

int64_t eh_hist_quantile(const struct eh_hist *h, double q)
{
	uint64_t below = 0;
	double rank;
	unsigned i = 0;

	if (h->count == 0)
		return 0;
	if (q >= 1.0)
		return h->max;
	/* The smallest value with at least a share q at or below it; 0.07 * 100 is 7, not 8. */
	rank = ceil(q * (double)h->count * (1.0 - 1e-12));
	if (rank < 1.0)
		return h->min;
	while (i < BUCKETS - 1 && (double)(below += h->bucket[i]) < rank)
		i++;
	return CLAMP(upper_end(i), h->min, h->max);
}

int eh_hist_buckets(void)
{
	return BUCKETS;
}

uint64_t eh_hist_bucket(const struct eh_hist *h, int i)
{
	return h->bucket[i];
}

int64_t eh_hist_bucket_end(int i)
{
	return upper_end((unsigned)i);
}
