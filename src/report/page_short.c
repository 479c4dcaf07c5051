/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page.h"

#include "view_names.h"

#include <ehsim/schema.h>
#include <ehsim/workload.h>
#include <math.h>
#include <string.h>

enum { FEW_VALUES = 12, FEW_POINTS = 6 };

char *page_key_help(const char *key)
{
	char *message = NULL, *text = eh_explain(key, &message), *end;
	GString *help = g_string_new(NULL);

	g_free(message);
	if (!text || strncmp(text, key, strlen(key)) || text[strlen(key)] != '\n') {
		g_free(text);
		return g_string_free(help, TRUE);
	}
	/* help stands in lines of two blanks before the table of type, default, ... */
	end = strstr(text, "\n  type ");
	if (end)
		*end = '\0';
	for (const char *c = text + strlen(key); *c; c++)
		if (!g_ascii_isspace(*c))
			g_string_append_c(help, *c);
		else if (help->len && help->str[help->len - 1] != ' ')
			g_string_append_c(help, ' ');
	g_free(text);
	return g_string_free(help, FALSE);
}

const char *page_value(const struct view *v, const char *key)
{
	const char *text = v->points->len ? view_value(g_ptr_array_index(v->points, 0), key) : NULL;

	return text ? text : "?";
}

static bool is_swept(const struct view *v, const char *key)
{
	return g_ptr_array_find_with_equal_func(v->keys, key, g_str_equal, NULL);
}

static const char *plural(const char *count)
{
	return strcmp(count, "1") ? "s" : "";
}

/* A count that may be swept; `noun` is that of one. */
static void put_count(const struct view *v, const char *key, const char *noun, GString *out)
{
	if (is_swept(v, key))
		html_printf(out, "a swept number of %ss", noun);
	else
		html_printf(out, "%s %s%s", page_value(v, key), noun, plural(page_value(v, key)));
}

static void put_machine(const struct view *v, GString *out)
{
	const char *preset = page_value(v, "machine.preset"), *name = page_value(v, "machine.name");
	const char *sockets = page_value(v, "machine.sockets"),
		   *dies = page_value(v, "machine.dies_per_socket");
	const char *cores = page_value(v, "machine.cores_per_die"),
		   *threads = page_value(v, "machine.threads_per_core");

	html_printf(out, "%s of %s socket%s × %s die%s × %s core%s × %s thread%s at %s",
		    v->one_host ? "One host" : "Two hosts", sockets, plural(sockets), dies,
		    plural(dies), cores, plural(cores), threads, plural(threads),
		    page_value(v, "machine.clock"));
	if (*preset && *preset != '?')
		html_printf(out, " (%s)", preset);
	else if (*name && *name != '?' && strcmp(name, "generic"))
		html_printf(out, " (%s)", name);
}

static bool is_no(const char *text)
{
	return !strcmp(text, "no") || !strcmp(text, "false");
}

/* Between two hosts, as neper has it. */
static const char *between_hosts(const struct view *v)
{
	const char *kind = page_value(v, "workload.kind");

	if (!strcmp(kind, "tcp_stream"))
		return "neper's tcp_stream: bulk data one way, by ";
	if (strcmp(kind, "tcp_crr"))
		return NULL;
	if (is_swept(v, "workload.reconnect"))
		return "neper's tcp_crr or tcp_rr: each transaction is one request and one response, with a "
		       "connect and a close or without, by ";
	if (is_no(page_value(v, "workload.reconnect")))
		return "neper's tcp_rr: each transaction is one request and one response on a connection that "
		       "stays, by ";
	return "neper's tcp_crr: each transaction is a connect, one request, one response and a close, by ";
}

static void put_workload(const struct view *v, GString *out)
{
	const char *kind = page_value(v, "workload.kind"), *words = between_hosts(v);
	const struct eh_workload_kind *loop = view_kind(v);

	if (words) {
		html_printf(out, ", connected by a network. %s", words);
		put_count(v, "workload.threads", "client thread", out);
		g_string_append(out, " with ");
		put_count(v, "workload.flows", "flow", out);
		g_string_append(out, " against ");
		put_count(v, "workload.server_threads", "server thread", out);
		html_printf(out, ", %s.", page_value(v, "network.family"));
	} else {
		html_printf(out, " runs the laboratory loop “%s” (%s%s%s) by ", kind, loop ? loop->help : "",
			    loop && !loop->link ? "; " : "", loop && loop->link ? "" : "no network");
		put_count(v, "workload.threads", "thread", out);
		g_string_append(out, ".");
	}
}

/* "kernel.connect: S0, S1" and what the key means. */
static void put_key(const struct view *v, const char *key, GString *out)
{
	GPtrArray *seen = g_ptr_array_new();
	char *help = page_key_help(key);

	for (guint i = 0; i < v->points->len; i++) {
		const char *text = view_value(g_ptr_array_index(v->points, i), key);

		if (text && !g_ptr_array_find_with_equal_func(seen, text, g_str_equal, NULL))
			g_ptr_array_add(seen, (char *)text);
	}
	g_string_append(out, "<li><code>");
	html_text(out, key);
	g_string_append(out, "</code>: ");
	for (guint i = 0; i < seen->len && i < FEW_VALUES; i++)
		html_printf(out, "%s%s", i ? ", " : "", (char *)g_ptr_array_index(seen, i));
	if (seen->len > FEW_VALUES)
		html_printf(out, ", ... (%u values, to %s)", seen->len,
			    (char *)g_ptr_array_index(seen, seen->len - 1));
	if (help) {
		g_string_append(out, " <span class=\"pale\">");
		html_text(out, help);
		g_string_append(out, "</span>");
	}
	g_string_append(out, "</li>\n");
	g_ptr_array_unref(seen);
	g_free(help);
}

static void put_compared(const struct view *v, GString *out)
{
	g_string_append(out, "<h2>What was compared</h2>\n<p>");
	put_machine(v, out);
	put_workload(v, out);
	g_string_append(out, "</p>\n");
	if (v->keys->len) {
		html_element(out, "p",
			     v->results->len > 1 ? "The results differ in:"
						 : "Everything is the same at all points but:");
		g_string_append(out, "<ul>\n");
		for (guint i = 0; i < v->keys->len; i++)
			put_key(v, g_ptr_array_index(v->keys, i), out);
		g_string_append(out, "</ul>\n");
	} else {
		html_element(
			out, "p",
			v->points->len > 1
				? "All points have the same values."
				: "One point, compared with nothing but the published figures.");
	}
}

static void put_point(const struct view *v, const struct view_point *p, GString *out)
{
	struct scale s = view_scale(v, v->metric, p->main.mean);

	g_string_append(out, "<li>");
	html_printf(out, "%s: ", p->name);
	if (!view_has_numbers(p)) {
		g_string_append(out, "no number</li>\n");
		return;
	}
	html_number(out, HTML_JSON, &s, p->main.mean);
	html_interval(out, HTML_JSON, &s, &p->main);
	if (p->baseline && p->baseline != p && isfinite(p->ratio.mean)) {
		g_string_append(out, ", ");
		html_ratio(out, p->baseline->result == p->result ? HTML_JSON : HTML_DERIVED,
			   &p->ratio);
		html_printf(out, " of %s%s", p->baseline->name,
			    p->significant || !isfinite(p->ratio.lo) ? ""
								     : ": no significant change");
	}
	if (isfinite(p->published)) {
		struct view_number over = {p->main.mean / p->published, NAN, NAN};
		struct scale ratio = html_ratio_scale(over.mean);

		g_string_append(out, "; published: ");
		html_number(out, HTML_JSON, &s, p->published);
		g_string_append(out, ", simulated × ");
		html_number(out, HTML_DERIVED, &ratio, over.mean);
	}
	g_string_append(out, "</li>\n");
}

/* A line of points: where it begins, where it ends, and where it is highest. */
static void put_group(const struct view *v, guint group, GString *out)
{
	const struct view_point *first = NULL, *last = NULL, *best = NULL;
	struct scale s;

	for (guint i = 0; i < v->points->len; i++) {
		const struct view_point *p = g_ptr_array_index(v->points, i);
		double x = view_value_real(p, v->axis);

		if (p->group != group || !view_has_numbers(p))
			continue;
		first = !first || x < view_value_real(first, v->axis) ? p : first;
		last = !last || x > view_value_real(last, v->axis) ? p : last;
		best = !best || (p->main.mean > best->main.mean) != v->less_is_more ? p : best;
	}
	if (!first)
		return;
	s = view_scale(v, v->metric, best->main.mean);
	g_string_append(out, "<li>");
	html_printf(out, "%s%s", (char *)g_ptr_array_index(v->groups, group),
		    v->groups->len > 1 ? ": " : "");
	html_number(out, HTML_JSON, &s, first->main.mean);
	html_interval(out, HTML_JSON, &s, &first->main);
	html_printf(out, " at %s=%s, ", view_short_key(v, v->axis), view_value(first, v->axis));
	if (best != first && best != last) {
		g_string_append(out, "best ");
		html_number(out, HTML_JSON, &s, best->main.mean);
		html_printf(out, " at %s, ", view_value(best, v->axis));
	}
	html_number(out, HTML_JSON, &s, last->main.mean);
	html_interval(out, HTML_JSON, &s, &last->main);
	html_printf(out, " at %s", view_value(last, v->axis));
	g_string_append(out, "</li>\n");
}

static void put_outcome(const struct view *v, GString *out)
{
	bool all = v->points->len <= FEW_POINTS;
	const GPtrArray *points = all ? v->points : v->few;
	const char *words = v->metric ? page_word(v, v->metric) : NULL;

	g_string_append(out, "<h2>What came out</h2>\n");
	if (!v->metric) {
		html_element(out, "p", "No point has a number.");
		return;
	}
	g_string_append(out, "<p>");
	html_printf(out, "%s%s%s", v->metric, words ? ": " : "", words ? words : "");
	g_string_append(out, v->less_is_more ? " (less is better)" : " (more is better)");
	if (!all && !v->axis)
		g_string_append(out, ", at some of the points");
	g_string_append(out, ":</p>\n<ul>\n");
	for (guint i = 0; !all && v->axis && i < v->groups->len && i < VIEW_GROUPS; i++)
		put_group(v, i, out);
	for (guint i = 0; (all || !v->axis) && i < points->len; i++)
		put_point(v, g_ptr_array_index(points, i), out);
	g_string_append(out, "</ul>\n");
}

void page_short(const struct view *v, GString *out)
{
	g_string_append(out, "<section class=\"short\" id=\"short\">\n");
	put_compared(v, out);
	put_outcome(v, out);
	page_sure(v, out);
	page_reasons(v, out);
	g_string_append(out, "</section>\n");
}
