/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/result.h>

#include <math.h>
#include <string.h>

static void metric_free(void *p)
{
	struct eh_metric *m = p;

	g_free(m->name);
	g_free(m->null_why);
	g_free(m->dev);
	g_free(m);
}

static void change_free(void *p)
{
	struct eh_change *c = p;

	g_free(c->metric);
	g_free(c);
}

static void profile_row_free(void *p)
{
	struct eh_profile_row *row = p;

	g_free(row->symbol);
	g_free(row);
}

static void spread_free(void *p)
{
	struct eh_spread *s = p;

	g_free(s->name);
	g_free(s->value);
	g_free(s);
}

static void course_free(void *p)
{
	struct eh_course *c = p;

	g_free(c->name);
	g_free(c->value);
	g_free(c);
}

static void lock_row_free(void *p)
{
	struct eh_lock_row *row = p;

	g_free(row->name);
	g_free(row->type);
	g_free(row);
}

static void slab_row_free(void *p)
{
	struct eh_slab_row *row = p;

	g_free(row->name);
	g_free(row->by_node);
	g_free(row);
}

static void line_row_free(void *p)
{
	struct eh_line_row *row = p;

	g_free(row->name);
	g_free(row);
}

static void where_row_free(void *p)
{
	struct eh_where_row *row = p;

	g_free(row->name);
	g_free(row->group);
	g_free(row);
}

void eh_pair_free(void *p)
{
	struct eh_pair *pair = p;

	g_free(pair->key);
	g_free(pair->value);
	g_free(pair);
}

static void expect_free(void *p)
{
	struct eh_expect *e = p;

	g_free(e->metric);
	g_free(e->row);
	g_free(e->note);
	g_free(e);
}

static void point_free(void *p)
{
	eh_point_free(p);
}

struct eh_result *eh_result_new(void)
{
	struct eh_result *r = g_new0(struct eh_result, 1);

	r->values = g_ptr_array_new_with_free_func(eh_pair_free);
	r->fitted = g_ptr_array_new_with_free_func(eh_pair_free);
	r->points = g_ptr_array_new_with_free_func(point_free);
	return r;
}

void eh_result_free(struct eh_result *r)
{
	if (!r)
		return;
	g_free(r->version);
	g_free(r->scenario_file);
	g_free(r->scenario_sha256);
	g_free(r->description);
	g_ptr_array_unref(r->values);
	g_ptr_array_unref(r->fitted);
	g_ptr_array_unref(r->points);
	g_free(r);
}

struct eh_point *eh_point_new(int index)
{
	struct eh_point *p = g_new0(struct eh_point, 1);

	p->index = index;
	p->baseline = -1;
	p->repeats = g_ptr_array_new_with_free_func(point_free);
	p->changes = g_ptr_array_new_with_free_func(change_free);
	p->set = g_ptr_array_new_with_free_func(eh_pair_free);
	p->metrics = g_ptr_array_new_with_free_func(metric_free);
	p->client = g_ptr_array_new_with_free_func(profile_row_free);
	p->server = g_ptr_array_new_with_free_func(profile_row_free);
	p->spreads = g_ptr_array_new_with_free_func(spread_free);
	p->courses = g_ptr_array_new_with_free_func(course_free);
	for (int h = 0; h < 2; h++) {
		p->locks[h] = g_ptr_array_new_with_free_func(lock_row_free);
		p->slabs[h] = g_ptr_array_new_with_free_func(slab_row_free);
		p->lines[h] = g_ptr_array_new_with_free_func(line_row_free);
		p->where[h] = g_ptr_array_new_with_free_func(where_row_free);
	}
	p->slices = g_array_new(FALSE, FALSE, sizeof(struct eh_slice));
	p->holds = g_array_new(FALSE, FALSE, sizeof(struct eh_hold));
	p->hold_names = g_ptr_array_new_with_free_func(eh_pair_free);
	p->neper_client = g_ptr_array_new_with_free_func(eh_pair_free);
	p->neper_server = g_ptr_array_new_with_free_func(eh_pair_free);
	p->expect = g_ptr_array_new_with_free_func(expect_free);
	return p;
}

void eh_point_free(struct eh_point *p)
{
	if (!p)
		return;
	g_free(p->status_text);
	g_free(p->start_text);
	g_ptr_array_unref(p->repeats);
	g_ptr_array_unref(p->changes);
	g_ptr_array_unref(p->set);
	g_ptr_array_unref(p->metrics);
	g_ptr_array_unref(p->client);
	g_ptr_array_unref(p->server);
	g_ptr_array_unref(p->spreads);
	g_ptr_array_unref(p->courses);
	for (int h = 0; h < 2; h++) {
		g_ptr_array_unref(p->locks[h]);
		g_ptr_array_unref(p->lines[h]);
		g_ptr_array_unref(p->slabs[h]);
		g_ptr_array_unref(p->where[h]);
	}
	g_array_unref(p->slices);
	g_array_unref(p->holds);
	g_ptr_array_unref(p->hold_names);
	g_ptr_array_unref(p->neper_client);
	g_ptr_array_unref(p->neper_server);
	g_ptr_array_unref(p->expect);
	g_free(p);
}

/* A name stands once; giving it again replaces the number and keeps the place. */
static struct eh_metric *metric_slot(struct eh_point *p, const char *name)
{
	struct eh_metric *m = (struct eh_metric *)eh_point_find(p, name);

	if (!m) {
		m = g_new0(struct eh_metric, 1);
		m->name = g_strdup(name);
		g_ptr_array_add(p->metrics, m);
	}
	g_clear_pointer(&m->null_why, g_free);
	g_clear_pointer(&m->dev, g_free);
	m->ndev = 0;
	return m;
}

void eh_point_metric(struct eh_point *p, const char *name, double mean, double lo, double hi)
{
	struct eh_metric *m;

	if (!isfinite(mean)) {
		eh_point_metric_null(p, name, "no finite value");
		return;
	}
	m = metric_slot(p, name);
	m->mean = mean;
	/* what is counted or timed is never less than nothing */
	m->lo = mean >= 0 && lo < 0 && isfinite(lo) ? 0 : lo;
	m->hi = hi;
}

void eh_point_metric_dev(struct eh_point *p, const char *name, const double *dev, int n, bool batches)
{
	struct eh_metric *m = (struct eh_metric *)eh_point_find(p, name);

	if (!m || m->null_why || n < 1)
		return;
	g_free(m->dev);
	m->dev = g_memdup2(dev, (size_t)n * sizeof(*dev));
	m->ndev = n;
	m->batches = batches;
}

void eh_point_metric_null(struct eh_point *p, const char *name, const char *why)
{
	struct eh_metric *m = metric_slot(p, name);

	m->mean = m->lo = m->hi = 0;
	m->null_why = g_strdup(why);
}

const struct eh_metric *eh_point_find(const struct eh_point *p, const char *name)
{
	guint i;

	for (i = 0; i < p->metrics->len; i++) {
		const struct eh_metric *m = g_ptr_array_index(p->metrics, i);

		if (strcmp(m->name, name) == 0)
			return m;
	}
	return NULL;
}

void eh_pair_add(GPtrArray *pairs, const char *key, const char *value_fmt, ...)
{
	struct eh_pair *pair = g_new0(struct eh_pair, 1);
	va_list ap;

	pair->key = g_strdup(key);
	va_start(ap, value_fmt);
	pair->value = g_strdup_vprintf(value_fmt, ap);
	va_end(ap);
	g_ptr_array_add(pairs, pair);
}

struct eh_course *eh_course_add(GPtrArray *courses, enum eh_course_kind kind, int host, const char *name)
{
	struct eh_course *c = g_new0(struct eh_course, 1);

	c->kind = kind;
	c->host = host;
	c->name = g_strdup(name);
	g_ptr_array_add(courses, c);
	return c;
}

struct eh_spread *eh_spread_add(GPtrArray *spreads, const char *name)
{
	struct eh_spread *s = g_new0(struct eh_spread, 1);

	s->name = g_strdup(name);
	s->n = EH_SPREAD_AT;
	s->value = g_new0(double, EH_SPREAD_AT);
	g_ptr_array_add(spreads, s);
	return s;
}

void eh_profile_add(GPtrArray *rows, const char *symbol, double share, bool user)
{
	struct eh_profile_row *row = g_new0(struct eh_profile_row, 1);

	row->symbol = g_strdup(symbol);
	row->share = share;
	row->user = user;
	g_ptr_array_add(rows, row);
}

struct eh_lock_row *eh_lock_row_add(GPtrArray *rows, const char *name, const char *type)
{
	struct eh_lock_row *row = g_new0(struct eh_lock_row, 1);

	row->name = g_strdup(name);
	row->type = g_strdup(type);
	g_ptr_array_add(rows, row);
	return row;
}

struct eh_slab_row *eh_slab_row_add(GPtrArray *rows, const char *name, const char *by_node)
{
	struct eh_slab_row *row = g_new0(struct eh_slab_row, 1);

	row->name = g_strdup(name);
	row->by_node = g_strdup(by_node);
	g_ptr_array_add(rows, row);
	return row;
}

struct eh_line_row *eh_line_row_add(GPtrArray *rows, const char *name)
{
	struct eh_line_row *row = g_new0(struct eh_line_row, 1);

	row->name = g_strdup(name);
	g_ptr_array_add(rows, row);
	return row;
}

struct eh_where_row *eh_where_row_add(GPtrArray *rows, const char *name, const char *group)
{
	struct eh_where_row *row = g_new0(struct eh_where_row, 1);

	row->name = g_strdup(name);
	row->group = g_strdup(group);
	g_ptr_array_add(rows, row);
	return row;
}

uint64_t eh_line_row_accesses(const struct eh_line_row *row)
{
	return row->lcl_hitm + row->rmt_hitm + row->lcl_store + row->rmt_store;
}
