/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "why.h"

#include <math.h>
#include <string.h>

const struct why_line_kind why_line_kinds[WHY_LINE_KINDS] = {
	{"lcl_hitm", "read, modified by a CPU of the same socket"},
	{"rmt_hitm", "read, modified by a CPU of another socket"},
	{"lcl_store", "written, taken from the same socket"},
	{"rmt_store", "written, taken from another socket"},
};

JsonArray *why_locks(const struct view_point *p, int host)
{
	return stored_array(stored_object(p->o, "locks"), view_host(host));
}

JsonArray *why_lines(const struct view_point *p, int host)
{
	return stored_array(stored_object(p->o, "lines"), view_host(host));
}

JsonArray *why_where(const struct view_point *p, int host)
{
	return stored_array(stored_object(stored_object(p->o, "where"), view_host(host)), "rows");
}

const char *why_where_name(JsonObject *row)
{
	const char *group = stored_text(row, "group"), *reason = stored_text(row, "reason"), *name;
	char *text;

	if (!group || !*group)
		return reason;
	text = g_strdup_printf("%s: %s", group, reason);
	name = g_intern_string(text);
	g_free(text);
	return name;
}

double why_where_operations(const struct view_point *p)
{
	return stored_real(stored_object(p->o, "where"), "operations");
}

double why_where_ps(JsonObject *row)
{
	static const char *const columns[] = {"search_ps", "kernel_ps", "softirq_ps", "user_ps"};
	double sum = 0;

	for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
		double x = stored_real(row, columns[i]);

		sum += isfinite(x) ? x : 0;
	}
	return sum;
}

double why_window_ns(const struct view_point *p)
{
	JsonObject *run = stored_row(stored_array(p->o, "repeats"), 0);

	run = run && json_object_has_member(run, "simulated_ns") ? run : p->o;
	return stored_real(run, "simulated_ns") - stored_real(run, "warmup_ns");
}

double why_operations(const struct view_point *p, const char **word)
{
	double rate = view_metric(p, "throughput_per_s").mean;

	*word = "transaction";
	if (!(rate > 0)) {
		rate = view_metric(p, "ops_per_s").mean;
		*word = "operation";
	}
	return rate * why_window_ns(p) * 1e-9;
}

static double busy_ps(const struct view_point *p, int host)
{
	return stored_real(stored_object(stored_object(p->o, "where"), view_host(host)), "busy_ps");
}

double why_cpu_time(const struct view_point *p, int host)
{
	double operations = why_where_operations(p);

	if (!host)
		return view_cpu_time(p);
	return operations > 0 ? 1e-12 * busy_ps(p, host) / operations : NAN;
}

double why_busy_cpus(const struct view_point *p, int host)
{
	return 1e-3 * busy_ps(p, host) / why_window_ns(p);
}

static struct why_move *find(GArray *moves, const char *symbol)
{
	struct why_move new = {symbol, 0, 0};

	for (guint i = 0; i < moves->len; i++) {
		struct why_move *m = &g_array_index(moves, struct why_move, i);

		if (!strcmp(m->symbol, symbol))
			return m;
	}
	g_array_append_val(moves, new);
	return &g_array_index(moves, struct why_move, moves->len - 1);
}

static int by_difference(gconstpointer a, gconstpointer b)
{
	const struct why_move *x = a, *y = b;
	double dx = fabs(x->b - x->a), dy = fabs(y->b - y->a);

	return dx != dy ? (dx < dy ? 1 : -1) : strcmp(x->symbol, y->symbol);
}

GArray *why_moves(const struct view_point *a, const struct view_point *b, int host)
{
	GArray *moves = g_array_new(FALSE, FALSE, sizeof(struct why_move));
	const struct view_point *of[] = {a, b};

	for (int side = 0; side < 2; side++) {
		JsonArray *rows = view_profile(of[side], host);
		double time = why_cpu_time(of[side], host);

		for (guint i = 0; isfinite(time) && i < stored_rows(rows); i++) {
			JsonObject *row = stored_row(rows, i);
			struct why_move *m = find(moves, stored_text(row, "symbol"));

			*(side ? &m->b : &m->a) += stored_real(row, "share") * time;
		}
	}
	g_array_sort(moves, by_difference);
	return moves;
}

GArray *why_reasons(const struct view_point *a, const struct view_point *b, int host)
{
	GArray *moves = g_array_new(FALSE, FALSE, sizeof(struct why_move));
	const struct view_point *of[] = {a, b};

	for (int side = 0; side < 2; side++) {
		JsonArray *rows = why_where(of[side], host);
		double operations = why_where_operations(of[side]);

		for (guint i = 0; operations > 0 && i < stored_rows(rows); i++) {
			struct why_move *m = find(moves, why_where_name(stored_row(rows, i)));

			*(side ? &m->b : &m->a) +=
				why_where_ps(stored_row(rows, i)) * 1e-12 / operations;
		}
	}
	g_array_sort(moves, by_difference);
	return moves;
}
