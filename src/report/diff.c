/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare.h"

#include "names.h"

#include <math.h>
#include <string.h>

static const double least = 0.0005; /* of a share: prints as 0.05 % */

struct delta {
	const struct eh_profile_row *row; /* of either */
	double before, by;
};

static int larger_delta(gconstpointer pa, gconstpointer pb)
{
	const struct delta *a = pa, *b = pb;
	double x = fabs(a->by), y = fabs(b->by);

	return x != y ? (x < y ? 1 : -1) : strcmp(a->row->symbol, b->row->symbol);
}

static double share_of(const GPtrArray *rows, const char *symbol)
{
	guint i;

	for (i = 0; i < rows->len; i++) {
		const struct eh_profile_row *row = g_ptr_array_index(rows, i);

		if (strcmp(row->symbol, symbol) == 0)
			return row->share;
	}
	return 0;
}

/* Every symbol of both profiles once, what moved most first. */
static GArray *deltas(const GPtrArray *before, const GPtrArray *after)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct delta));
	guint i;

	for (i = 0; i < after->len; i++) {
		const struct eh_profile_row *row = g_ptr_array_index(after, i);
		struct delta d = {row, share_of(before, row->symbol), 0};

		d.by = row->share - d.before;
		if (!isfinite(d.by))
			continue;
		g_array_append_val(all, d);
	}
	for (i = 0; i < before->len; i++) {
		const struct eh_profile_row *row = g_ptr_array_index(before, i);
		struct delta d = {row, row->share, -row->share};

		if (share_of(after, row->symbol) == 0)
			g_array_append_val(all, d);
	}
	g_array_sort(all, larger_delta);
	return all;
}

/* As perf diff prints it. */
static void print_diff(const char *title, const GPtrArray *before, const GPtrArray *after,
		       guint most, GString *out)
{
	GArray *all = deltas(before, after);
	guint i;

	for (i = 0; i < MIN(all->len, most); i++) {
		const struct delta *d = &g_array_index(all, struct delta, i);

		if (!(fabs(d->by) >= least))
			break;
		if (!i)
			g_string_append_printf(out, "  perf diff, %s:\n    Baseline  Delta Abs  Symbol\n",
					       title);
		g_string_append_printf(out, "    %7.2f%%   %+7.2f%%  [%c] %s\n", 100 * d->before,
				       100 * d->by, d->row->user ? '.' : 'k', d->row->symbol);
	}
	g_array_unref(all);
}

void compare_profiles(const struct eh_point *base, const struct eh_point *p,
		      const struct eh_report_options *o, guint most, GString *out)
{
	char *name = name_point(p), *title;

	if (o->profile)
		most = G_MAXUINT;
	title = g_strdup_printf("%s%s", name, p->one_host ? "" : ", client");
	print_diff(title, base->client, p->client, most, out);
	g_free(title);
	if (o->profile && !p->one_host) {
		title = g_strdup_printf("%s, server", name);
		print_diff(title, base->server, p->server, most, out);
		g_free(title);
	}
	g_free(name);
}
