/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view.h"

#include "view_choose.h"
#include "view_names.h"

#include <ehsim/quantity.h>
#include <math.h>
#include <string.h>

static const struct view_number nothing = {NAN, NAN, NAN};

/* The number people ask for first, by what a run has; if it waited for another one, that one. */
static const char *const mains[] = {"throughput_per_s", "ops_per_s", "setup_stime_s"};

static bool is_less_more(const char *metric)
{
	if (g_str_has_suffix(metric, "_per_s"))
		return false;
	return g_str_has_prefix(metric, "ns_per_") || g_str_has_suffix(metric, "_ns") ||
	       g_str_has_suffix(metric, "_s") || g_str_has_suffix(metric, "_cycles");
}

static struct view_number number_of(JsonObject *o, const char *mean)
{
	struct view_number n = {stored_real(o, mean), stored_real(o, "lo"), stored_real(o, "hi")};

	if (!isfinite(n.mean))
		return nothing;
	if (!isfinite(n.lo) || !isfinite(n.hi))
		n.lo = n.hi = NAN;
	return n;
}

struct view_number view_metric(const struct view_point *p, const char *metric)
{
	return number_of(stored_object(stored_object(p->o, "metrics"), metric), "mean");
}

struct view_number view_change(const struct view_point *p, const char *metric)
{
	return number_of(stored_object(stored_object(p->o, "changes"), metric), "ratio");
}

const char *view_value(const struct view_point *p, const char *key)
{
	for (guint i = 0; i < p->set->len; i++) {
		const struct eh_pair *pair = g_ptr_array_index(p->set, i);

		if (!strcmp(pair->key, key))
			return pair->value;
	}
	return stored_text(stored_object(stored_object(p->result->top, "scenario"), "values"), key);
}

double view_value_real(const struct view_point *p, const char *key)
{
	static const enum eh_dimension dims[] = {EH_DIM_TIME, EH_DIM_SIZE, EH_DIM_RATE,
						 EH_DIM_FREQ};
	const char *text = view_value(p, key);
	char *end = NULL;
	double x = text && *text ? g_ascii_strtod(text, &end) : NAN;
	int64_t exact;

	if (!text || !end || end == text)
		return NAN;
	if (!*end)
		return x;
	if (!strcmp(end, "%"))
		return x / 100;
	for (guint i = 0; i < G_N_ELEMENTS(dims); i++)
		if (eh_quantity_parse(dims[i], text, &exact) == EH_QTY_FINE)
			return dims[i] == EH_DIM_TIME ? (double)exact / (double)EH_SEC
						      : (double)exact;
	return NAN;
}

bool view_has_numbers(const struct view_point *p)
{
	return isfinite(p->main.mean);
}

const char *view_host(int host)
{
	return host ? "server" : "client";
}

JsonArray *view_profile(const struct view_point *p, int host)
{
	return stored_array(stored_object(p->o, "profile"), view_host(host));
}

const struct eh_workload_kind *view_kind(const struct view *v)
{
	const char *name = v->points->len ? view_value(g_ptr_array_index(v->points, 0), "workload.kind")
					  : NULL;

	for (const struct eh_workload_kind *k = eh_workload_kinds; k->name; k++)
		if (!g_strcmp0(k->name, name))
			return k;
	return NULL;
}

static bool is_bulk(const struct view *v)
{
	return view_kind(v) == &eh_workload_kinds[EH_TCP_STREAM];
}

const char *view_transaction(const struct view *v)
{
	return v->one_host ? "operation" : is_bulk(v) ? "Mbit" : "transaction";
}

struct scale view_scale(const struct view *v, const char *metric, double x)
{
	struct scale s = scale_pick(metric, x);

	if (!strcmp(s.unit, "/s") && !strcmp(metric, "throughput_per_s") && is_bulk(v))
		s.unit = "Mbit/s";
	return s;
}

double view_cpu_time(const struct view_point *p)
{
	double busy = view_metric(p, "busy_cpus").mean;
	double rate = view_metric(p, "throughput_per_s").mean;

	return rate > 0 ? busy / rate : NAN;
}

static void find_metrics(struct view *v)
{
	GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
	const struct eh_workload_kind *kind = view_kind(v);
	const char *until =
		v->points->len ? view_value(g_ptr_array_index(v->points, 0), "run.until.metric")
			       : NULL;

	for (guint i = 0; i < v->points->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->points, i);
		JsonObjectIter iter;
		const char *name;
		JsonNode *node;

		json_object_iter_init_ordered(&iter, stored_object(p->o, "metrics"));
		while (json_object_iter_next_ordered(&iter, &name, &node))
			/* the ratio stands beside the number that it is of */
			if (strcmp(name, "throughput_ratio") &&
			    isfinite(view_metric(p, name).mean) &&
			    g_hash_table_add(seen, (char *)name))
				g_ptr_array_add(v->metrics, (char *)name);
	}
	if (until && g_hash_table_contains(seen, until))
		v->metric = until;
	if (!v->metric && kind && kind->leads && g_hash_table_contains(seen, kind->leads))
		v->metric = kind->leads;
	for (guint i = 0; !v->metric && i < G_N_ELEMENTS(mains); i++)
		if (g_hash_table_contains(seen, mains[i]))
			v->metric = mains[i];
	if (!v->metric && v->metrics->len)
		v->metric = g_ptr_array_index(v->metrics, 0);
	v->less_is_more = v->metric && is_less_more(v->metric);
	g_hash_table_unref(seen);
}

static double published_of(const struct view_point *p, const char *metric)
{
	JsonArray *rows = stored_array(p->o, "expect");

	for (guint i = 0; i < stored_rows(rows); i++) {
		JsonObject *row = stored_row(rows, i);

		if (!g_strcmp0(stored_text(row, "metric"), metric) && !stored_text(row, "note"))
			return stored_real(row, "published");
	}
	return NAN;
}

double view_half(const struct view_number *n)
{
	return n->lo > 0 || n->lo == n->hi ? (n->hi - n->lo) / 2 : n->hi - n->mean;
}

/* Of numbers of two results: as of independent windows. */
static struct view_number ratio_of(const struct view_number *a, const struct view_number *b)
{
	struct view_number r = {a->mean / b->mean, NAN, NAN};
	double of_a = view_half(a) / a->mean, of_b = view_half(b) / b->mean, half;

	if (!isfinite(r.mean))
		return nothing;
	half = r.mean * hypot(of_a, of_b);
	if (isfinite(half) && a->lo < a->hi && b->lo < b->hi) {
		r.lo = fmax(r.mean - half, 0);
		r.hi = r.mean + half;
	}
	return r;
}

static void find_baseline(const struct view *v, struct view_point *p)
{
	gint64 index = stored_int(p->o, "baseline");
	const struct view_point *first = g_ptr_array_index(v->points, 0);

	for (guint i = 0; i < v->points->len; i++) {
		struct view_point *q = g_ptr_array_index(v->points, i);

		if (q->result == p->result && q->index == index)
			p->baseline = q;
	}
	/* a result's own first points are compared with the first of all */
	if (v->results->len > 1 && p->result != first->result && (!p->baseline || p->baseline == p))
		p->baseline = (struct view_point *)first;
	if (!p->baseline || p->baseline == p)
		return;
	p->ratio = p->baseline->result == p->result ? view_change(p, v->metric) : nothing;
	if (!isfinite(p->ratio.mean))
		p->ratio = ratio_of(&p->main, &p->baseline->main);
	p->significant = p->ratio.lo > 1 || p->ratio.hi < 1;
}

static void fill_points(struct view *v)
{
	for (guint i = 0; i < v->points->len; i++) {
		struct view_point *p = g_ptr_array_index(v->points, i);

		p->main = v->metric ? view_metric(p, v->metric) : nothing;
		p->published = v->metric ? published_of(p, v->metric) : NAN;
		p->ratio = nothing;
		v->one_host |= stored_rows(view_profile(p, 1)) == 0;
	}
	for (guint i = 0; v->metric && i < v->points->len; i++)
		find_baseline(v, g_ptr_array_index(v->points, i));
}

static void point_free(void *data)
{
	struct view_point *p = data;

	g_ptr_array_unref(p->set);
	g_free(p->name);
	g_free(p->full);
	g_free(p);
}

static void add_points(struct view *v, const struct eh_stored *s, int result_number)
{
	for (guint i = 0; i < stored_rows(s->points); i++) {
		struct view_point *p = g_new0(struct view_point, 1);

		p->o = stored_row(s->points, i);
		p->result = s;
		p->result_number = result_number;
		p->index = (int)CLAMP(stored_int(p->o, "index"), 0, G_MAXINT);
		p->number = (int)v->points->len + 1;
		p->set = g_ptr_array_new_with_free_func(eh_pair_free);
		g_ptr_array_add(v->points, p);
	}
}

struct view *view_new(GPtrArray *results)
{
	struct view *v = g_new0(struct view, 1);

	v->results = g_ptr_array_ref(results);
	v->points = g_ptr_array_new_with_free_func(point_free);
	v->keys = g_ptr_array_new_with_free_func(g_free);
	v->metrics = g_ptr_array_new();
	v->groups = g_ptr_array_new_with_free_func(g_free);
	v->shown = g_ptr_array_new();
	v->few = g_ptr_array_new();
	for (guint i = 0; i < results->len; i++)
		add_points(v, g_ptr_array_index(results, i), (int)i + 1);
	view_name_points(v);
	find_metrics(v);
	fill_points(v);
	view_choose(v);
	return v;
}

void view_free(struct view *v)
{
	g_ptr_array_unref(v->results);
	g_ptr_array_unref(v->points);
	g_ptr_array_unref(v->keys);
	g_ptr_array_unref(v->metrics);
	g_ptr_array_unref(v->groups);
	g_ptr_array_unref(v->shown);
	g_ptr_array_unref(v->few);
	g_free(v);
}
