/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include <ehsim/slab.h>
#include <ehsim/stats.h>
#include <math.h>
#include <string.h>

/* Rows of a course at most; caches of a host that are kept. */
enum { SEARCHES = 256, LOOKS = 100, CACHES = 6 };

const char *const eh_course_columns[EH_COURSE_KINDS][EH_COURSE_COLUMNS] = {
	[EH_COURSE_SEARCHES] = {"time_s", "began_s", "from_port", "port", "candidates"},
	[EH_COURSE_SLABS] = {"time_s", "in_use", "in_arrays", "in_slabs", NULL},
	[EH_COURSE_RCU] = {"time_s", "waiting", "bytes", NULL, NULL},
};

struct eh_courses {
	eh_time from, period, next;
	struct eh_series *rcu[2];
	GPtrArray *slabs[2]; /* struct eh_series *, in the order of the caches */
};

static int columns(enum eh_course_kind kind)
{
	int n = 0;

	while (n < EH_COURSE_COLUMNS && eh_course_columns[kind][n])
		n++;
	return n;
}

int eh_course_rows(const struct eh_course *c)
{
	return c->n / columns(c->kind);
}

const double *eh_course_row(const struct eh_course *c, int i)
{
	return &c->value[i * columns(c->kind)];
}

static struct eh_rcu *rcu_of(const struct eh_world *w, int host)
{
	if (w->lab)
		return host ? NULL : eh_lab_rcu(w->lab);
	return (host ? w->server : w->client)->rcu;
}

static void series_free(void *s)
{
	eh_series_free(s);
}

struct eh_courses *eh_courses_begin(const struct eh_world *w, const struct eh_point *p, eh_time period)
{
	struct eh_courses *c;
	struct eh_machine *m[2];

	if (!p->with_courses)
		return NULL;
	eh_world_machines(w, m);
	c = g_new0(struct eh_courses, 1);
	c->from = c->next = eh_sim_now(w->sim);
	c->period = MAX(period, EH_US);
	for (int h = 0; h < 2; h++) {
		c->slabs[h] = g_ptr_array_new_with_free_func(series_free);
		for (int i = 0; m[h] && eh_mm_cache(m[h]->mm, i); i++)
			g_ptr_array_add(c->slabs[h], eh_series_new(columns(EH_COURSE_SLABS), LOOKS));
		c->rcu[h] = eh_series_new(columns(EH_COURSE_RCU), LOOKS);
	}
	if (w->client)
		w->client->walks = eh_series_new(columns(EH_COURSE_SEARCHES), SEARCHES);
	return c;
}

static double seconds(eh_time t)
{
	return (double)t / (double)EH_SEC;
}

static void look_at_caches(const struct eh_mm *mm, GPtrArray *series, double at)
{
	for (guint i = 0; i < series->len; i++) {
		struct eh_kmem_info info;
		double row[EH_COURSE_COLUMNS];

		eh_kmem_info(eh_mm_cache(mm, (int)i), &info);
		row[0] = at;
		row[1] = (double)info.active;
		row[2] = (double)info.cached;
		row[3] = (double)info.objects - row[1] - row[2];
		eh_series_add(g_ptr_array_index(series, i), row);
	}
}

void eh_courses_look(struct eh_courses *c, const struct eh_world *w)
{
	eh_time now = eh_sim_now(w->sim);
	double at = seconds(now - c->from);
	struct eh_machine *m[2];

	if (now < c->next)
		return;
	c->next = now + c->period;
	eh_world_machines(w, m);
	for (int h = 0; h < 2; h++) {
		struct eh_rcu_stats st;

		if (m[h])
			look_at_caches(m[h]->mm, c->slabs[h], at);
		if (!rcu_of(w, h))
			continue;
		eh_rcu_stats(rcu_of(w, h), &st);
		eh_series_add(c->rcu[h], (const double[]){at, (double)st.waiting, (double)st.bytes});
	}
}

/* How far what it counts moves. */
static double span(const struct eh_series *s, int column)
{
	double least = INFINITY, most = -INFINITY;

	for (int i = 0; i < eh_series_rows(s); i++) {
		least = MIN(least, eh_series_row(s, i)[column]);
		most = MAX(most, eh_series_row(s, i)[column]);
	}
	return most > least ? most - least : 0;
}

static void keep(struct eh_point *p, enum eh_course_kind kind, int host, const char *name,
		 const struct eh_series *s)
{
	struct eh_course *c = eh_course_add(p->courses, kind, host, name);
	int n = columns(kind);

	c->n = eh_series_rows(s) * n;
	c->value = g_new(double, MAX(c->n, 1));
	for (int i = 0; i < eh_series_rows(s); i++)
		memcpy(&c->value[i * n], eh_series_row(s, i), sizeof(double) * (size_t)n);
}

/* Those that move most, in the order of the caches. */
static void keep_caches(const struct eh_courses *c, const struct eh_mm *mm, int host, struct eh_point *p)
{
	GPtrArray *series = c->slabs[host];

	for (guint i = 0; i < series->len; i++) {
		double of = span(series->pdata[i], 1);
		struct eh_kmem_info info;
		guint before = 0;

		for (guint k = 0; k < series->len; k++) {
			double other = span(series->pdata[k], 1);

			before += other > of || (other >= of && k < i);
		}
		if (!(of > 0) || before >= CACHES)
			continue;
		eh_kmem_info(eh_mm_cache(mm, (int)i), &info);
		keep(p, EH_COURSE_SLABS, host, info.name, series->pdata[i]);
	}
}

/* Their times are those of the CPUs: from the window's begin. */
static void keep_searches(const struct eh_courses *c, struct eh_series *walks, struct eh_point *p)
{
	struct eh_course *to;

	if (!eh_series_rows(walks))
		return;
	keep(p, EH_COURSE_SEARCHES, 0, "", walks);
	to = p->courses->pdata[p->courses->len - 1];
	for (int i = 0; i < eh_course_rows(to); i++) {
		double *row = &to->value[i * columns(EH_COURSE_SEARCHES)];

		row[0] -= seconds(c->from);
		row[1] -= seconds(c->from);
	}
}

void eh_courses_end(struct eh_courses *c, const struct eh_world *w, struct eh_point *p)
{
	struct eh_machine *m[2];

	if (!c)
		return;
	eh_world_machines(w, m);
	if (w->client) {
		keep_searches(c, w->client->walks, p);
		g_clear_pointer(&w->client->walks, eh_series_free);
	}
	for (int h = 0; h < 2; h++) {
		if (m[h])
			keep_caches(c, m[h]->mm, h, p);
		if (span(c->rcu[h], 1) > 0)
			keep(p, EH_COURSE_RCU, h, "", c->rcu[h]);
		g_ptr_array_unref(c->slabs[h]);
		eh_series_free(c->rcu[h]);
	}
	g_free(c);
}
