/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page.h"

#include "why.h"

#include <math.h>
#include <string.h>

#define LITTLE_WAITING 0.05 /* CPUs, on average: less is not worth a sentence */

enum { MOVES = 4, NUMBERS = 6 };

static void put_move(const struct why_move *m, GString *out)
{
	double most = MAX(m->a, m->b);
	struct scale s = scale_pick("x_s", most);

	g_string_append(out, "<li><code>");
	html_text(out, m->symbol);
	g_string_append(out, "</code>: ");
	html_number(out, HTML_DERIVED, &s, m->a);
	g_string_append(out, " → ");
	html_number(out, HTML_DERIVED, &s, m->b);
	g_string_append(out, m->b > m->a ? " (+" : " (−");
	html_number(out, HTML_DERIVED, &s, fabs(m->b - m->a));
	g_string_append(out, ")</li>\n");
}

static void put_list(const GArray *moves, GString *out)
{
	g_string_append(out, "<ul>\n");
	for (guint i = 0; i < moves->len && i < MOVES; i++)
		put_move(&g_array_index(moves, struct why_move, i), out);
	g_string_append(out, "</ul>\n");
}

/*
 * Throughput is busy CPUs over CPU time per transaction, so its change is that of one, of the other, or of
 * both.
 */
static void put_identity(const struct view *v, const struct view_point *a, const struct view_point *b,
			 GString *out)
{
	double time = why_cpu_time(b, 0) / why_cpu_time(a, 0);
	double busy = view_metric(b, "busy_cpus").mean / view_metric(a, "busy_cpus").mean;
	struct scale of_time = html_ratio_scale(time), of_busy = html_ratio_scale(busy);
	struct scale of_both = html_ratio_scale(busy / time);

	if (v->one_host || strcmp(v->metric, "throughput_per_s") || !(time > 0) || !(busy > 0))
		return;
	g_string_append(out, "<p>");
	if (b->baseline == a && !b->significant && isfinite(b->ratio.lo)) {
		html_printf(out, "The throughput of %s and %s differs by no more than chance: what follows explains "
				 "nothing that is sure.",
			    a->name, b->name);
	} else {
		bool same_busy = fabs(log(busy)) < 0.1 * fabs(log(time));
		bool same_time = fabs(log(time)) < 0.1 * fabs(log(busy));

		html_printf(out, "From %s to %s the throughput becomes × ", a->name, b->name);
		html_number(out, HTML_DERIVED, &of_both, busy / time);
		g_string_append(out, same_busy ? ": as many of the client's CPUs are busy as before (× "
					       : ": busy are of the client's CPUs × ");
		html_number(out, HTML_DERIVED, &of_busy, busy);
		html_printf(out, "%s, and a %s takes %s× ", same_busy ? ")" : "", view_transaction(v),
			    same_time ? "as much of their time as before, " : "");
		html_number(out, HTML_DERIVED, &of_time, time);
		g_string_append(out, same_time ? "." : " of their time.");
	}
	g_string_append(out, "</p>\n");
}

static void put_cost(const struct view *v, const struct view_point *a, const struct view_point *b,
		     int host, GString *out)
{
	double at_a = why_cpu_time(a, host), at_b = why_cpu_time(b, host);
	struct scale s = scale_pick("x_s", MAX(at_a, at_b));
	GArray *moves;

	if (!isfinite(at_a) || !isfinite(at_b) || v->one_host)
		return;
	moves = why_moves(a, b, host);
	g_string_append_printf(out, "<p>A %s takes ", view_transaction(v));
	html_number(out, HTML_DERIVED, &s, at_a);
	html_printf(out, " of the %s's CPU time at %s and ", view_host(host), a->name);
	html_number(out, HTML_DERIVED, &s, at_b);
	html_printf(out, " at %s. %s", b->name, moves->len ? "The functions that change most:" : "");
	g_string_append(out, "</p>\n");
	if (moves->len)
		put_list(moves, out);
	g_array_unref(moves);
}

static void put_reasons(const struct view *v, const struct view_point *a, const struct view_point *b,
			int host, GString *out)
{
	GArray *reasons = why_reasons(a, b, host);

	if (reasons->len) {
		g_string_append(out, "<p>");
		html_printf(out,
			    "What the CPUs %sdid or waited for, interrupts included, per %s, as far as it "
			    "changes most (words: see Why below):",
			    v->one_host ? "" : host ? "of the server " : "of the client ",
			    view_transaction(v));
		g_string_append(out, "</p>\n");
		put_list(reasons, out);
	}
	g_array_unref(reasons);
}

/* All CPUs of a host, when that is the same at both. */
static void put_size(const struct view *v, GString *out)
{
	static const char *const keys[] = {"machine.sockets", "machine.dies_per_socket",
					   "machine.cores_per_die", "machine.threads_per_core"};
	double n = 1;

	for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
		double x = view_value_real(v->pair[0], keys[i]);

		n *= x == view_value_real(v->pair[1], keys[i]) ? x : NAN;
	}
	if (n > 0)
		html_printf(out, "; each has %.0f CPUs", n);
}

/* Which of the hosts has anything left to give. */
static void put_busy(const struct view *v, const struct view_point *a, const struct view_point *b,
		     GString *out)
{
	struct scale cpus = {1, 1, ""};

	if (v->one_host || !isfinite(why_busy_cpus(a, 0)) || !isfinite(why_busy_cpus(b, 0)) ||
	    !isfinite(why_busy_cpus(a, 1)) || !isfinite(why_busy_cpus(b, 1)))
		return;
	g_string_append(out, "<p>Busy CPUs, interrupts included: ");
	for (int host = 0; host < VIEW_HOSTS; host++) {
		html_printf(out, "%sof the %s ", host ? "; " : "", view_host(host));
		html_number(out, HTML_DERIVED, &cpus, why_busy_cpus(a, host));
		g_string_append(out, " → ");
		html_number(out, HTML_DERIVED, &cpus, why_busy_cpus(b, host));
	}
	put_size(v, out);
	g_string_append(out, ".</p>\n");
}

/* Of the numbers beside the main one, what follows from it or depends on the window's length. */
static bool is_dull(const struct view *v, const char *metric)
{
	static const char *const dull[] = {
		"throughput_ratio",	   "utime_s",	     "stime_s",	  "utime_per_transaction_s",
		"stime_per_transaction_s", "latency_mean_s", "ns_per_op", NULL};

	return !strcmp(metric, v->metric) || g_strv_contains(dull, metric);
}

static void put_number(const struct view *v, const struct view_point *a, const struct view_point *b, const char *metric,
		       GString *out)
{
	struct view_number at_a = view_metric(a, metric), at_b = view_metric(b, metric);
	struct view_number change =
		b->baseline == a ? view_change(b, metric) : (struct view_number){NAN, NAN, NAN};
	struct scale s = view_scale(v, metric, MAX(at_a.mean, at_b.mean));
	const char *words = page_word(v, metric);

	g_string_append(out, "<li>");
	html_printf(out, "%s", words ? words : metric);
	html_printf(out, "%s%s%s: ", words ? " (" : "", words ? metric : "", words ? ")" : "");
	html_number(out, HTML_JSON, &s, at_a.mean);
	g_string_append(out, " → ");
	html_number(out, HTML_JSON, &s, at_b.mean);
	if (isfinite(change.mean)) {
		g_string_append(out, ", ");
		html_ratio(out, HTML_JSON, &change);
		if (change.lo <= 1 && change.hi >= 1)
			g_string_append(out, ": no significant change");
	}
	g_string_append(out, "</li>\n");
}

/* How far apart two points are in a number; negative where one of them has none. */
static double apart(const struct view *v, const struct view_point *a, const struct view_point *b,
		    const char *metric)
{
	double at_a = view_metric(a, metric).mean, at_b = view_metric(b, metric).mean;

	if (is_dull(v, metric) || !isfinite(at_a) || !isfinite(at_b))
		return -1;
	return at_a > 0 && at_b > 0 ? fabs(log(at_b / at_a)) : at_a != at_b ? INFINITY : 0;
}

/* Of one host's many numbers those that change most. */
static bool comes_first(const struct view *v, const struct view_point *a, const struct view_point *b, guint which)
{
	double mine = apart(v, a, b, g_ptr_array_index(v->metrics, which));
	guint before = 0;

	for (guint i = 0; v->one_host && i < v->metrics->len; i++) {
		double other = apart(v, a, b, g_ptr_array_index(v->metrics, i));

		before += other > mine || (other == mine && i < which);
	}
	return mine >= 0 && before < NUMBERS;
}

/* How the other numbers of both points compare. */
static void put_numbers(const struct view *v, const struct view_point *a,
			const struct view_point *b, GString *out)
{
	guint n = 0;

	for (guint i = 0; i < v->metrics->len && n < NUMBERS; i++) {
		const char *metric = g_ptr_array_index(v->metrics, i);

		if (!comes_first(v, a, b, i))
			continue;
		if (!n++) {
			g_string_append(out, "<p>");
			html_printf(out, "Other numbers, %s → %s:", a->name, b->name);
			g_string_append(out, "</p>\n<ul>\n");
		}
		put_number(v, a, b, metric, out);
	}
	if (n)
		g_string_append(out, "</ul>\n");
}

static void put_hold(JsonObject *lock, GString *out)
{
	double held = stored_real(lock, "holdtime_avg_ns"), waited = stored_real(lock, "waittime_avg_ns");
	double most = MAX(held, waited);
	struct scale s = scale_pick("x_ns", most);

	if (!isfinite(held) || !isfinite(waited))
		return;
	g_string_append(out, " (a wait takes ");
	html_number(out, HTML_JSON, &s, waited);
	g_string_append(out, ", a hold ");
	html_number(out, HTML_JSON, &s, held);
	g_string_append_c(out, ')');
}

/* The top of one point's tables in a sentence. */
static void put_tops(const struct view *v, const struct view_point *p, int host, GString *out)
{
	JsonObject *symbol = stored_row(view_profile(p, host), 0),
		   *lock = stored_row(why_locks(p, host), 0);
	JsonObject *line = stored_row(why_lines(p, host), 0);
	struct scale percent = {0.01, 1, "%"}, cpus = {1, 2, ""};
	double waiting = stored_real(lock, "waittime_total_ns") / why_window_ns(p);

	if (!symbol)
		return;
	g_string_append(out, "<li>");
	html_printf(out, "%s%s: most time in %s, ", p->name,
		    v->one_host ? "" : host ? ", server" : ", client", stored_text(symbol, "symbol"));
	html_number(out, HTML_JSON, &percent, stored_real(symbol, "share"));
	g_string_append(out, " of the busy time");
	if (waiting >= LITTLE_WAITING) {
		html_printf(out, "; the lock most waited for is %s, by ",
			    stored_text(lock, "name"));
		html_number(out, HTML_DERIVED, &cpus, waiting);
		g_string_append(out, " CPUs on average");
		put_hold(lock, out);
	} else if (lock) {
		g_string_append_printf(
			out, "; hardly any CPU waits for the owner of a lock%s",
			g_str_has_prefix(stored_text(symbol, "symbol"), "_raw_")
				? ", so that time is the lock's cache line on its way"
				: "");
	}
	if (line && g_strcmp0(stored_text(line, "cacheline"), "other")) {
		html_printf(out, "; the line that travels most between CPUs is %s, ",
			    stored_text(line, "cacheline"));
		html_number(out, HTML_JSON, &percent, stored_real(line, "share"));
		g_string_append(out, " of all such accesses");
	}
	g_string_append(out, ".</li>\n");
}

void page_reasons(const struct view *v, GString *out)
{
	const struct view_point *a = v->pair[0], *b = v->pair[1];

	g_string_append(out, "<h2>Why</h2>\n");
	if (!a) {
		html_element(out, "p", "There is nothing to explain.");
		return;
	}
	if (b && v->points->len > 2) {
		g_string_append(out, "<p>");
		html_printf(out, "Of two points: %s and %s.", a->name, b->name);
		g_string_append(out, "</p>\n");
	}
	if (b) {
		put_identity(v, a, b, out);
		put_busy(v, a, b, out);
		for (int host = 0; host < (v->one_host ? 1 : VIEW_HOSTS); host++) {
			put_cost(v, a, b, host, out);
			put_reasons(v, a, b, host, out);
		}
		put_numbers(v, a, b, out);
	}
	g_string_append(out, "<ul>\n");
	for (int host = 0; host < (v->one_host ? 1 : VIEW_HOSTS); host++) {
		put_tops(v, a, host, out);
		if (b)
			put_tops(v, b, host, out);
	}
	g_string_append(out, "</ul>\n");
}
