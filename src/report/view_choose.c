/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view_choose.h"

#include "view_names.h"

#include <math.h>
#include <string.h>

/* Different numbers of a key, if all points with results have one. */
static guint count_numbers(const struct view *v, const char *key)
{
	GArray *seen = g_array_new(FALSE, FALSE, sizeof(double));
	guint n;

	for (guint i = 0; i < v->points->len; i++) {
		double x = view_value_real(g_ptr_array_index(v->points, i), key);
		bool old = false;

		if (!isfinite(x)) {
			g_array_set_size(seen, 0);
			break;
		}
		for (guint k = 0; !old && k < seen->len; k++)
			old = g_array_index(seen, double, k) == x;
		if (!old)
			g_array_append_val(seen, x);
	}
	n = seen->len;
	g_array_unref(seen);
	return n;
}

static void find_axis(struct view *v)
{
	guint best = 2;

	for (guint i = 0; i < v->keys->len; i++) {
		guint n = count_numbers(v, g_ptr_array_index(v->keys, i));

		if (n > best) {
			best = n;
			v->axis = g_ptr_array_index(v->keys, i);
		}
	}
}

static void add_once(GPtrArray *points, struct view_point *p, guint most)
{
	if (p && points->len < most && !g_ptr_array_find(points, p, NULL))
		g_ptr_array_add(points, p);
}

static int by_number(gconstpointer a, gconstpointer b)
{
	const struct view_point *const *p = a, *const *q = b;

	return (*p)->number - (*q)->number;
}

/* Which of two stands further from `a` in its main number, as a ratio. */
static struct view_point *further(const struct view_point *a, struct view_point *p,
				  struct view_point *q)
{
	double of_p = fabs(log(p->main.mean / a->main.mean)),
	       of_q = q ? fabs(log(q->main.mean / a->main.mean)) : -1;

	return !q || of_p > of_q ? p : q;
}

/* Of a key that is not the kernel's, with others that are: those show what a patch does. */
static bool differ_elsewhere(const struct view *v, const struct view_point *p, const struct view_point *q)
{
	for (guint i = 0; i < v->keys->len; i++) {
		const char *key = g_ptr_array_index(v->keys, i);

		if (!g_str_has_prefix(key, "kernel.") &&
		    g_strcmp0(view_value(p, key), view_value(q, key)))
			return true;
	}
	return false;
}

/* Two points with the same machine and workload, where such are swept, too: as far apart as any, or as any of
   which figures were published. */
static void pair_of_kernels(struct view *v)
{
	bool published = false;
	double most = -1;
	guint kernels = 0;

	for (guint i = 0; i < v->keys->len; i++)
		kernels += g_str_has_prefix(g_ptr_array_index(v->keys, i), "kernel.");
	if (!kernels || kernels == v->keys->len || v->points->len > VIEW_DETAILED)
		return;
	for (guint i = 0; i < v->points->len; i++)
		for (guint k = i + 1; k < v->points->len; k++) {
			struct view_point *p = g_ptr_array_index(v->points, i),
					  *q = g_ptr_array_index(v->points, k);
			double apart = fabs(log(q->main.mean / p->main.mean));
			bool known = isfinite(p->published) && isfinite(q->published);

			if (!view_has_numbers(p) || !view_has_numbers(q) || differ_elsewhere(v, p, q) ||
			    (known == published ? !(apart > most) : published))
				continue;
			published = known;
			most = apart;
			v->pair[0] = p;
			v->pair[1] = q;
		}
}

/* The first point with numbers, and the one furthest from it. */
static void pair_from_first(struct view *v)
{
	for (guint i = 0; i < v->points->len; i++) {
		struct view_point *p = g_ptr_array_index(v->points, i);

		if (!view_has_numbers(p))
			continue;
		if (!v->pair[0])
			v->pair[0] = p;
		else
			v->pair[1] = further(v->pair[0], p, v->pair[1]);
	}
}

/* Where groups go along an axis: the first and the one furthest from it at the axis' far end. */
static void pair_at_end(struct view *v)
{
	double end = -INFINITY;

	for (guint i = 0; i < v->points->len; i++)
		end = MAX(end, view_value_real(g_ptr_array_index(v->points, i), v->axis));
	for (guint i = 0; i < v->points->len; i++) {
		struct view_point *p = g_ptr_array_index(v->points, i);

		if (!view_has_numbers(p) || view_value_real(p, v->axis) < end)
			continue;
		if (!v->pair[0])
			v->pair[0] = p;
		else
			v->pair[1] = further(v->pair[0], p, v->pair[1]);
	}
	if (!v->pair[1])
		v->pair[0] = NULL;
}

static void find_groups(struct view *v)
{
	for (guint i = 0; v->axis && i < v->points->len; i++) {
		struct view_point *p = g_ptr_array_index(v->points, i);
		GString *s = g_string_new(NULL);
		guint group;

		for (guint k = 0; k < p->set->len; k++) {
			const struct eh_pair *pair = g_ptr_array_index(p->set, k);

			if (strcmp(pair->key, v->axis))
				g_string_append_printf(s, "%s%s=%s", s->len ? ", " : "",
						       view_short_key(v, pair->key), pair->value);
		}
		if (!g_ptr_array_find_with_equal_func(v->groups, s->str, g_str_equal, &group)) {
			group = v->groups->len;
			g_ptr_array_add(v->groups, g_strdup(s->str));
		}
		p->group = group;
		g_string_free(s, TRUE);
	}
}

/* The pair, the first, the best, the worst, the last; then in order until there are enough. */
static void choose(const struct view *v, GPtrArray *out, guint most)
{
	struct view_point *best = NULL, *worst = NULL;

	for (guint i = 0; i < v->points->len; i++) {
		struct view_point *p = g_ptr_array_index(v->points, i);

		if (!view_has_numbers(p))
			continue;
		best = !best || p->main.mean > best->main.mean ? p : best;
		worst = !worst || p->main.mean < worst->main.mean ? p : worst;
	}
	add_once(out, v->pair[0], most);
	add_once(out, v->pair[1], most);
	if (v->points->len) {
		add_once(out, g_ptr_array_index(v->points, 0), most);
		add_once(out, best, most);
		add_once(out, worst, most);
		add_once(out, g_ptr_array_index(v->points, v->points->len - 1), most);
	}
	for (guint i = 0; v->points->len <= most && i < v->points->len; i++)
		add_once(out, g_ptr_array_index(v->points, i), most);
	g_ptr_array_sort(out, by_number);
}

void view_choose(struct view *v)
{
	find_axis(v);
	find_groups(v);
	if (v->groups->len > 1)
		pair_at_end(v);
	if (!v->pair[0])
		pair_of_kernels(v);
	if (!v->pair[0])
		pair_from_first(v);
	choose(v, v->shown, v->points->len <= VIEW_DETAILED ? VIEW_DETAILED : VIEW_FEW);
	choose(v, v->few, VIEW_FEW);
}
