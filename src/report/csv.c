/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/report.h>

#include "compare.h"
#include "names.h"

#include <ehsim/quantity.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Values with a unit get a second column, a plain number in the unit that its name ends in. */
static const struct {
	enum eh_dimension dim;
	const char *suffix;
	double unit;
} dimensions[] = {
	{EH_DIM_TIME, "s", (double)EH_SEC},
	{EH_DIM_SIZE, "bytes", 1},
	{EH_DIM_RATE, "bit_per_s", 1},
	{EH_DIM_FREQ, "hz", 1},
};

static void put(GString *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		g_string_append(out, text);
		return;
	}
	g_string_append_c(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			g_string_append_c(out, '"');
		g_string_append_c(out, *text);
	}
	g_string_append_c(out, '"');
}

static void next(GString *out, const char *text)
{
	g_string_append_c(out, ',');
	put(out, text);
}

static void next_real(GString *out, double x)
{
	char digits[64];

	g_string_append_c(out, ',');
	if (isfinite(x))
		g_string_append(out, g_ascii_formatd(digits, sizeof(digits), "%.12g", x == 0 ? 0 : x));
}

static const char *value_of(const struct eh_point *p, const char *key)
{
	for (guint i = 0; i < p->set->len; i++) {
		const struct eh_pair *pair = g_ptr_array_index(p->set, i);

		if (!strcmp(pair->key, key))
			return pair->value;
	}
	return NULL;
}

/* Index into dimensions[] when all values of the key have a unit of it, -1: just words or numbers. */
static int dimension_of(const struct eh_result *r, const char *key)
{
	for (guint d = 0; d < G_N_ELEMENTS(dimensions); d++) {
		bool all = true;

		for (guint i = 0; all && i < r->points->len; i++) {
			const char *value = value_of(g_ptr_array_index(r->points, i), key);
			int64_t x;

			all = !value || eh_quantity_parse(dimensions[d].dim, value, &x) == EH_QTY_FINE;
		}
		if (all)
			return (int)d;
	}
	return -1;
}

static void swept_head(const char *key, int dim, GString *out)
{
	char *name;

	next(out, key);
	if (dim < 0)
		return;
	name = g_strdup_printf("%s_%s", key, dimensions[dim].suffix);
	next(out, name);
	g_free(name);
}

static void swept_value(const char *value, int dim, GString *out)
{
	int64_t x = 0;

	next(out, value ? value : "");
	if (dim < 0)
		return;
	if (value)
		eh_quantity_parse(dimensions[dim].dim, value, &x);
	next_real(out, value ? (double)x / dimensions[dim].unit : NAN);
}

static void head(const GPtrArray *keys, const GArray *dims, bool repeats, const GPtrArray *metrics,
		 GString *out)
{
	static const char *const ends[] = {"", "_lo", "_hi"};

	g_string_append(out, "point");
	for (guint i = 0; i < keys->len; i++)
		swept_head(g_ptr_array_index(keys, i), g_array_index(dims, int, i), out);
	if (repeats)
		g_string_append(out, ",repeat");
	g_string_append(out, ",seed,status,fingerprint,simulated_s,warmup_s");
	for (guint i = 0; i < metrics->len; i++) {
		for (guint k = 0; k < G_N_ELEMENTS(ends); k++) {
			char *name = g_strconcat(g_ptr_array_index(metrics, i), ends[k], NULL);

			next(out, name);
			g_free(name);
		}
	}
	g_string_append_c(out, '\n');
}

/* `p` has the swept values, `run` the rest: itself, or one of its repeats. */
static void row(const struct eh_point *p, const struct eh_point *run, const GPtrArray *keys,
		const GArray *dims, bool repeats, const GPtrArray *metrics, GString *out)
{
	g_string_append_printf(out, "%d", p->index);
	for (guint i = 0; i < keys->len; i++)
		swept_value(value_of(p, g_ptr_array_index(keys, i)), g_array_index(dims, int, i), out);
	if (run->repeat)
		g_string_append_printf(out, ",%d", run->repeat);
	else if (repeats)
		g_string_append_c(out, ',');
	g_string_append_printf(out, ",%" PRIu64 ",%s,%016" PRIx64, run->seed, name_status(run->status),
			       run->fingerprint);
	next_real(out, (double)run->simulated / (double)EH_SEC);
	next_real(out, (double)run->warmup / (double)EH_SEC);
	for (guint i = 0; i < metrics->len; i++) {
		const struct eh_metric *m = eh_point_find(run, g_ptr_array_index(metrics, i));
		bool none = !m || m->null_why;

		next_real(out, none ? NAN : m->mean);
		next_real(out, none ? NAN : m->lo);
		next_real(out, none ? NAN : m->hi);
	}
	g_string_append_c(out, '\n');
}

/* Names of the metrics that some point has a number for, in the order of the text report. */
static GPtrArray *measured(const struct eh_result *r)
{
	GPtrArray *all = compare_metric_names(r), *some = g_ptr_array_new();

	for (guint k = 0; k < all->len; k++) {
		bool any = false;

		for (guint i = 0; !any && i < r->points->len; i++) {
			const struct eh_metric *m = eh_point_find(g_ptr_array_index(r->points, i),
								  g_ptr_array_index(all, k));

			any = m && !m->null_why && isfinite(m->mean);
		}
		if (any)
			g_ptr_array_add(some, g_ptr_array_index(all, k));
	}
	g_ptr_array_unref(all);
	return some;
}

static void add_once(GPtrArray *names, char *name)
{
	for (guint i = 0; i < names->len; i++)
		if (!strcmp(g_ptr_array_index(names, i), name))
			return;
	g_ptr_array_add(names, name);
}

void eh_report_csv(const struct eh_result *r, const struct eh_report_options *o, GString *out)
{
	GPtrArray *keys = g_ptr_array_new(), *metrics = measured(r);
	GArray *dims = g_array_new(FALSE, FALSE, sizeof(int));
	bool repeats = false;

	(void)o;
	for (guint i = 0; i < r->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(r->points, i);

		repeats |= p->repeats->len > 0;
		for (guint k = 0; k < p->set->len; k++)
			add_once(keys, ((struct eh_pair *)g_ptr_array_index(p->set, k))->key);
	}
	for (guint i = 0; i < keys->len; i++) {
		int dim = dimension_of(r, g_ptr_array_index(keys, i));

		g_array_append_val(dims, dim);
	}
	head(keys, dims, repeats, metrics, out);
	for (guint i = 0; i < r->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(r->points, i);

		if (!p->repeats->len)
			row(p, p, keys, dims, repeats, metrics, out);
		for (guint k = 0; k < p->repeats->len; k++)
			row(p, g_ptr_array_index(p->repeats, k), keys, dims, repeats, metrics, out);
	}
	g_array_unref(dims);
	g_ptr_array_unref(keys);
	g_ptr_array_unref(metrics);
}
