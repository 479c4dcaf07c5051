/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/result.h>
#include <ehsim/stats.h>

#include <math.h>
#include <string.h>

#define CONFIDENCE 0.95

static double length(const struct eh_point *p)
{
	return (double)(p->simulated - p->warmup);
}

static bool with_setup(const struct eh_point *p)
{
	const struct eh_metric *m = eh_point_find(p, "setup_stime_s");

	return m && !m->null_why;
}

/* A whole run counts from the barrier on for run.length, wherever its clock stands then. */
static bool windows_differ(const struct eh_point *p, const struct eh_point *base, const char *name)
{
	if (strcmp(name, "utime_s") && strcmp(name, "stime_s"))
		return false;
	return with_setup(p) != with_setup(base) || (!with_setup(p) && length(p) != length(base));
}

/* Half width over the mean; infinite where no error is known. */
static double relative(const struct eh_metric *m)
{
	if (!m->ndev && !(m->lo < m->hi))
		return INFINITY;
	return m->mean != 0 ? fabs(eh_metric_half(m) / m->mean) : 0;
}

static void set_interval(struct eh_change *c, const struct eh_metric *a, const struct eh_metric *b)
{
	double half;

	if (a->ndev >= 2 && a->ndev == b->ndev && a->batches == b->batches) {
		struct eh_interval i = eh_paired_ratio(a->mean, a->dev, b->mean, b->dev, a->ndev,
						       a->batches, CONFIDENCE);

		c->how = a->batches ? EH_PAIRED_BATCHES : EH_PAIRED_REPEATS;
		c->lo = i.lo < 0 && isfinite(i.lo) ? 0 : i.lo;
		c->hi = i.hi;
		return;
	}
	half = c->ratio * hypot(relative(a), relative(b));
	c->how = isfinite(half) ? EH_UNPAIRED : EH_NO_INTERVAL;
	c->lo = isfinite(half) ? fmax(c->ratio - half, 0) : -INFINITY;
	c->hi = c->ratio + half;
}

/* The row that expects a figure of this metric, or NULL. */
static const struct eh_expect *expected(const struct eh_point *p, const char *metric)
{
	for (guint i = 0; i < p->expect->len; i++) {
		const struct eh_expect *e = p->expect->pdata[i];

		if (!strcmp(e->metric, metric))
			return e;
	}
	return NULL;
}

/* The ratio that the source itself prints, or that of two figures, which are rounded. */
static double published(const struct eh_point *p, const struct eh_point *base, const char *name)
{
	const struct eh_expect *a = expected(base, name), *b = expected(p, name);
	const struct eh_expect *said = expected(p, "throughput_ratio");

	if (said && !strcmp(name, p->one_host ? "ops_per_s" : "throughput_per_s"))
		return said->published;
	return a && b && a->published > 0 ? b->published / a->published : NAN;
}

void eh_point_compare(struct eh_point *p, const struct eh_point *base)
{
	g_ptr_array_set_size(p->changes, 0);
	if (!eh_point_has_numbers(p) || !eh_point_has_numbers(base))
		return;
	for (guint i = 0; i < p->metrics->len; i++) {
		const struct eh_metric *b = p->metrics->pdata[i], *a = eh_point_find(base, b->name);
		struct eh_change *c;

		if (!a || a->null_why || b->null_why || !(a->mean > 0) || windows_differ(p, base, b->name))
			continue;
		c = g_new0(struct eh_change, 1);
		c->metric = g_strdup(b->name);
		c->ratio = b->mean / a->mean;
		c->published = published(p, base, b->name);
		set_interval(c, a, b);
		g_ptr_array_add(p->changes, c);
	}
}

const struct eh_change *eh_point_change(const struct eh_point *p, const char *metric)
{
	for (guint i = 0; i < p->changes->len; i++) {
		const struct eh_change *c = p->changes->pdata[i];

		if (!strcmp(c->metric, metric))
			return c;
	}
	return NULL;
}

bool eh_change_significant(const struct eh_change *c)
{
	return c->lo > 1 || c->hi < 1;
}
