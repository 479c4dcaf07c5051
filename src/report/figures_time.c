/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "figures.h"
#include "page.h"

#include <ehsim/symbol.h>
#include <string.h>

enum { CPUS = 16, SERIES = 7, MOST_PIECES = 2500 };

/* A stretch in one series; neighbours of the same are one. */
struct piece {
	eh_time at, end;
	int cpu, series; /* series from 0 */
};

/* Symbols by the time of the CPUs that are shown, longest first; the others share the last series.
 */
static void find_series(const struct eh_point *p, int series[EH_SYM_COUNT], int top[SERIES], int *n)
{
	eh_time spent[EH_SYM_COUNT] = {0};

	for (guint i = 0; i < p->slices->len; i++) {
		const struct eh_slice *s = &g_array_index(p->slices, struct eh_slice, i);

		if (!s->host && s->cpu < CPUS)
			spent[s->sym] += s->length;
	}
	for (int k = 0; k < EH_SYM_COUNT; k++)
		series[k] = SERIES;
	for (*n = 0; *n < SERIES; (*n)++) {
		int best = 0;

		for (int k = 1; k < EH_SYM_COUNT; k++)
			if (spent[k] > spent[best])
				best = k;
		if (spent[best] <= 0)
			break;
		spent[best] = 0;
		series[best] = *n;
		top[*n] = best;
	}
}

/* Those of the client's first CPUs that begin before `until`. */
static GArray *pieces(const struct eh_point *p, const int series[EH_SYM_COUNT], eh_time until)
{
	GArray *out = g_array_new(FALSE, FALSE, sizeof(struct piece));

	for (guint i = 0; i < p->slices->len; i++) {
		const struct eh_slice *s = &g_array_index(p->slices, struct eh_slice, i);
		struct piece new = {s->at, MIN(s->at + s->length, until), s->cpu, series[s->sym]};
		struct piece *last =
			out->len ? &g_array_index(out, struct piece, out->len - 1) : NULL;

		if (s->host || s->cpu >= CPUS || s->at >= until)
			continue;
		if (last && last->cpu == new.cpu && last->series == new.series &&
		    last->end == new.at)
			last->end = new.end;
		else
			g_array_append_val(out, new);
	}
	return out;
}

/* The window is halved until it is no more than a figure can hold. */
static GArray *fit(const struct eh_point *p, const int series[EH_SYM_COUNT])
{
	eh_time length = p->trace_until - p->trace_from;
	GArray *out = pieces(p, series, p->trace_from + length);

	while (out->len > MOST_PIECES && length > EH_NS) {
		g_array_unref(out);
		length /= 2;
		out = pieces(p, series, p->trace_from + length);
	}
	return out;
}

static double in_us(eh_time t)
{
	return (double)t / (double)EH_US;
}

static void put_pieces(const struct eh_point *p, const GArray *all, const int top[SERIES], int n,
		       GString *data)
{
	int rows[CPUS] = {0}, row = 0;

	g_string_append(data, "row,label,series,name,from,to,high\n");
	for (guint i = 0; i < all->len; i++)
		rows[g_array_index(all, struct piece, i).cpu] = 1;
	for (int cpu = 0; cpu < CPUS; cpu++)
		if (rows[cpu])
			rows[cpu] = ++row;
	for (guint i = 0; i < all->len; i++) {
		const struct piece *piece = &g_array_index(all, struct piece, i);
		char label[16];

		g_snprintf(label, sizeof(label), "CPU %d", piece->cpu);
		g_string_append_printf(data, "%d,%s,%d,", rows[piece->cpu], label,
				       MIN(piece->series, n) + 1);
		figure_text(data, piece->series < n
					  ? eh_symbol_name((enum eh_symbol)top[piece->series])
					  : "everything else");
		figure_real(data, in_us(piece->at - p->trace_from));
		figure_real(data, in_us(piece->end - p->trace_from));
		g_string_append(data, ",0.4\n");
	}
}

static void add(struct eh_book *page, const char *name, const struct eh_point *p,
		const struct view_point *shown)
{
	int series[EH_SYM_COUNT], top[SERIES], n;
	struct eh_figure *f;
	GArray *all;

	find_series(p, series, top, &n);
	all = fit(p, series);
	if (all->len) {
		f = figure_new(page->view, name, "timeline.gp",
			       "time since the begin of the trace, us",
			       "Blank: idle. Order within a stretch without accesses to shared "
			       "lines is not exact.",
			       g_strdup_printf("What the %s CPUs did: %s",
					       p->one_host ? "host's" : "client's", shown->name));
		put_pieces(p, all, top, n, f->data);
		g_ptr_array_add(page->figures, f);
	}
	g_array_unref(all);
}

void eh_book_timelines(struct eh_book *page, const struct eh_result *r)
{
	static const char *const names[] = {"timeline-1", "timeline-2"},
				 *const holds[] = {"timeline-locks-1", "timeline-locks-2"};

	for (guint k = 0; k < G_N_ELEMENTS(names); k++) {
		const struct view_point *shown = page->view->pair[k];
		const struct eh_point *p;

		/* the page's only result is that of `r` */
		if (!shown || (guint)shown->number > r->points->len)
			continue;
		p = g_ptr_array_index(r->points, shown->number - 1);
		if (p->repeats->len)
			p = g_ptr_array_index(p->repeats, 0);
		if (p->slices->len)
			add(page, names[k], p, shown);
		if (p->holds->len)
			figures_holds(page->view, holds[k], p, shown, page->figures);
	}
}
