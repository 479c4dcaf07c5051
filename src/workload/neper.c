/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "neper.h"

#include <math.h>

#define FEWEST_SAMPLES 5
#define FIRST_DUE 2 /* intervals */
#define TICKS_PER_S 1e8

void eh_neper_init(struct eh_neper_sum *sum, eh_time length)
{
	*sum = (struct eh_neper_sum){
		.interval = length < FEWEST_SAMPLES * EH_SEC ? EH_SEC / FEWEST_SAMPLES : EH_SEC,
	};
	eh_moments_init(&sum->latency);
	sum->ticks = eh_hist_new();
}

void eh_neper_fini(struct eh_neper_sum *sum)
{
	eh_hist_free(sum->ticks);
	sum->ticks = NULL;
}

void eh_neper_flow_init(struct eh_neper_flow *f)
{
	*f = (struct eh_neper_flow){0};
	eh_moments_init(&f->pending);
}

void eh_neper_flow_fini(struct eh_neper_flow *f)
{
	g_clear_pointer(&f->ticks, g_array_unref);
}

static void collect(struct eh_neper_flow *f, double latency)
{
	int64_t ticks = llround(latency * TICKS_PER_S);

	eh_moments_add(&f->pending, latency);
	if (!f->ticks)
		f->ticks = g_array_new(FALSE, FALSE, sizeof(ticks));
	g_array_append_val(f->ticks, ticks);
}

static void fold(struct eh_neper_sum *sum, struct eh_neper_flow *f)
{
	eh_moments_fold(&sum->latency, &f->pending);
	eh_moments_init(&f->pending);
	for (guint i = 0; i < f->ticks->len; i++)
		eh_hist_add(sum->ticks, g_array_index(f->ticks, int64_t, i));
	g_array_set_size(f->ticks, 0);
}

/* Chan's parallel update. */
void eh_moments_fold(struct eh_moments *into, const struct eh_moments *from)
{
	double delta, n;

	if (!from->n)
		return;
	if (!into->n) {
		*into = *from;
		return;
	}
	n = (double)into->n + (double)from->n;
	delta = from->mean - into->mean;
	into->m2 += from->m2 + delta * delta * (double)into->n * (double)from->n / n;
	into->mean += delta * (double)from->n / n;
	into->n += from->n;
	into->min = MIN(into->min, from->min);
	into->max = MAX(into->max, from->max);
}

void eh_neper_event(struct eh_neper_sum *sum, struct eh_neper_flow *f, eh_time now, double latency)
{
	int64_t elapsed;

	if (!sum->started) {
		sum->started = true;
		sum->first = now;
	}
	sum->things++;
	f->things++;
	collect(f, latency);
	elapsed = (now - sum->first) / sum->interval;
	if (elapsed < f->due)
		return;
	f->due = MAX(elapsed + 1, FIRST_DUE);
	sum->samples++;
	sum->last = now;
	fold(sum, f);
}

void eh_neper_flush(struct eh_neper_sum *sum, struct eh_neper_flow *f, eh_time now)
{
	if (!f->things)
		return;
	sum->samples++;
	if (sum->last < now)
		sum->last = now;
}

double eh_neper_quantile(const struct eh_neper_sum *sum, double q)
{
	double x = (double)eh_hist_quantile(sum->ticks, q) / TICKS_PER_S;

	return CLAMP(x, sum->latency.min, sum->latency.max);
}

double eh_neper_throughput(const struct eh_neper_sum *sum)
{
	if (sum->last <= sum->first)
		return 0;
	return (double)(sum->things - 1) * (double)EH_SEC / (double)(sum->last - sum->first);
}
