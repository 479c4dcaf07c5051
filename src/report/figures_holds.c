/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which CPU held which lock, and who waited, in the window of a trace. */
#include "figures.h"

#include <ehsim/trace.h>
#include <inttypes.h>
#include <string.h>

enum { CPUS = 16, SERIES = 7, MOST_PIECES = 2500 };

struct kind {
	guint name;
	bool waits;
	eh_time sum;
	guint n;
};

static eh_time mean(const struct kind *k)
{
	return k->n ? k->sum / (eh_time)k->n : 0;
}

static int more_time_first(gconstpointer a, gconstpointer b)
{
	const struct kind *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? 1 : -1;
	return x->name != y->name ? (x->name < y->name ? -1 : 1) : x->waits - y->waits;
}

/* What lasts longer lies below what is taken within it. */
static int longer_first(gconstpointer a, gconstpointer b)
{
	const struct kind *x = a, *y = b;

	return mean(x) != mean(y) ? (mean(x) < mean(y) ? 1 : -1) : more_time_first(a, b);
}

static bool shown(const struct eh_hold *h, eh_time until)
{
	return !h->host && h->cpu < CPUS && h->at < until;
}

/* The kinds with most time. */
static GArray *kinds_of(const struct eh_point *p)
{
	GArray *kinds = g_array_new(FALSE, TRUE, sizeof(struct kind));

	for (guint i = 0; i < 2 * p->hold_names->len; i++) {
		struct kind k = {.name = i / 2, .waits = i % 2};

		g_array_append_val(kinds, k);
	}
	for (guint i = 0; i < p->holds->len; i++) {
		const struct eh_hold *h = &g_array_index(p->holds, struct eh_hold, i);
		struct kind *k = &g_array_index(kinds, struct kind, 2 * h->name + !!h->waits);

		if (shown(h, EH_TIME_NEVER)) {
			k->sum += h->length;
			k->n++;
		}
	}
	g_array_sort(kinds, more_time_first);
	g_array_set_size(kinds, MIN(kinds->len, SERIES));
	while (kinds->len && !g_array_index(kinds, struct kind, kinds->len - 1).sum)
		g_array_set_size(kinds, kinds->len - 1);
	g_array_sort(kinds, longer_first);
	return kinds;
}

static guint pieces(const struct eh_point *p, eh_time until)
{
	guint n = 0;

	for (guint i = 0; i < p->holds->len; i++)
		n += shown(&g_array_index(p->holds, struct eh_hold, i), until);
	return n;
}

static void put(const struct eh_point *p, const GArray *kinds, eh_time until, GString *data)
{
	int rows[CPUS] = {0}, row = 0;

	g_string_append(data, "row,label,series,name,from,to,high\n");
	for (guint i = 0; i < p->holds->len; i++)
		if (shown(&g_array_index(p->holds, struct eh_hold, i), until))
			rows[g_array_index(p->holds, struct eh_hold, i).cpu] = 1;
	for (int cpu = 0; cpu < CPUS; cpu++)
		if (rows[cpu])
			rows[cpu] = ++row;
	for (guint s = 0; s < kinds->len; s++) {
		const struct kind *k = &g_array_index(kinds, struct kind, s);
		const struct eh_pair *name = p->hold_names->pdata[k->name];
		char *text = g_strdup_printf("%s %s", k->waits ? "waits for" : "holds", name->key);

		for (guint i = 0; i < p->holds->len; i++) {
			const struct eh_hold *h = &g_array_index(p->holds, struct eh_hold, i);
			char label[16];

			if (!shown(h, until) || h->name != k->name || h->waits != k->waits)
				continue;
			g_snprintf(label, sizeof(label), "CPU %d", h->cpu);
			g_string_append_printf(data, "%d,%s,%u,", rows[h->cpu], label, s + 1);
			figure_text(data, text);
			figure_real(data, (double)(h->at - p->trace_from) / (double)EH_US);
			figure_real(data, (double)(MIN(h->at + h->length, until) - p->trace_from) /
						  (double)EH_US);
			figure_real(data, k->waits ? 0.15 : MAX(0.4 - 0.06 * s, 0.15));
			g_string_append_c(data, '\n');
		}
		g_free(text);
	}
}

void figures_holds(const struct view *v, const char *name, const struct eh_point *p,
		   const struct view_point *shown_as, GPtrArray *out)
{
	eh_time length = p->trace_until - p->trace_from;
	GArray *kinds = kinds_of(p);
	struct eh_figure *f;

	while (pieces(p, p->trace_from + length) > MOST_PIECES && length > EH_NS)
		length /= 2;
	if (kinds->len) {
		f = figure_new(v, name, "timeline.gp", "time since the begin of the trace, us",
			       "High bars hold a lock, low ones wait for it. Locks taken within others lie on "
			       "them.",
			       g_strdup_printf("Who holds locks and who waits: %s", shown_as->name));
		put(p, kinds, p->trace_from + length, f->data);
		g_ptr_array_add(f->args, g_strdup_printf("%" PRId64 ".%06" PRId64, length / EH_US, length % EH_US));
		g_ptr_array_add(out, f);
	}
	g_array_unref(kinds);
}
