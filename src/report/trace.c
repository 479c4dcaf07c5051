/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/report.h>

#include "names.h"

#include <ehsim/symbol.h>
#include <ehsim/trace.h>
#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <string.h>

/* A JSON string, quotes included. */
static char *quoted(const char *text)
{
	char *valid = g_utf8_make_valid(text ? text : "", -1), *json;
	JsonNode *node = json_node_init_string(json_node_alloc(), valid);

	json = json_to_string(node, FALSE);
	json_node_unref(node);
	g_free(valid);
	return json;
}

/* Microseconds, which is what the format counts in; exact. */
static void put_time(GString *out, const char *name, eh_time t)
{
	g_string_append_printf(out, ",\"%s\":%" PRId64 ".%06" PRId64, name, t / EH_US, t % EH_US);
}

static void put_name(GString *out, const char *what, int process, int thread, const char *name,
		     int place)
{
	char *text = quoted(name);

	g_string_append_printf(out,
			       "{\"ph\":\"M\",\"name\":\"%s_name\",\"pid\":%d,\"tid\":%d,\"args\":{"
			       "\"name\":%s}},\n"
			       "{\"ph\":\"M\",\"name\":\"%s_sort_index\",\"pid\":%d,\"tid\":%d,\"args\":{"
			       "\"sort_index\":%d}},\n",
			       what, process, thread, text, what, process, thread, place);
	g_free(text);
}

static int process_of(const struct eh_point *p, int host)
{
	return 2 * p->index + host - 1;
}

/* A track per CPU that did anything. */
static void put_tracks(const struct eh_point *p, GString *out)
{
	static const char *const hosts[] = {"client", "server"};
	char *point = name_point(p);
	GHashTable *done = g_hash_table_new(g_direct_hash, g_direct_equal);

	for (int h = 0; h < (p->one_host ? 1 : 2); h++) {
		char *name = p->one_host ? g_strdup(point) : g_strdup_printf("%s, %s", point, hosts[h]);

		put_name(out, "process", process_of(p, h), 0, name, process_of(p, h));
		g_free(name);
	}
	for (guint i = 0; i < p->slices->len; i++) {
		const struct eh_slice *s = &g_array_index(p->slices, struct eh_slice, i);
		char name[16];

		if (!g_hash_table_add(done, GINT_TO_POINTER(2 * s->cpu + s->host + 1)))
			continue;
		g_snprintf(name, sizeof(name), "CPU %d", s->cpu);
		put_name(out, "thread", process_of(p, s->host), s->cpu + 1, name, s->cpu);
	}
	g_hash_table_unref(done);
	g_free(point);
}

static void put_slices(const struct eh_point *p, GString *out)
{
	for (guint i = 0; i < p->slices->len; i++) {
		const struct eh_slice *s = &g_array_index(p->slices, struct eh_slice, i);

		g_string_append_printf(out, "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d",
				       s->sym == EH_SYM_USER ? "user" : "kernel",
				       eh_symbol_name(s->sym), process_of(p, s->host), s->cpu + 1);
		put_time(out, "ts", s->at - p->trace_from);
		put_time(out, "dur", s->length);
		g_string_append(out, "},\n");
	}
}

static void put_head(const struct eh_result *r, GString *out)
{
	const char *const pairs[][2] = {
		{"ehsim", r->version},
		{"scenario", r->scenario_file},
		{"sha256", r->scenario_sha256},
		{"description", r->description},
	};

	g_string_append(out, "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{");
	for (guint i = 0; i < G_N_ELEMENTS(pairs); i++) {
		char *text = quoted(pairs[i][1]);

		g_string_append_printf(out, "%s\"%s\":%s", i ? "," : "", pairs[i][0], text);
		g_free(text);
	}
	g_string_append(out, "},\n\"traceEvents\":[\n");
}

static void print(const struct eh_result *r, const struct eh_report_options *o, GString *out)
{
	gsize empty;

	(void)o;
	put_head(r, out);
	empty = out->len;
	for (guint i = 0; i < r->points->len; i++) {
		put_tracks(g_ptr_array_index(r->points, i), out);
		put_slices(g_ptr_array_index(r->points, i), out);
	}
	if (out->len > empty) /* the comma behind the last */
		g_string_truncate(out, out->len - strlen(",\n"));
	g_string_append(out, "\n]}\n");
}

const struct eh_report_kind eh_report_trace = {"trace", "slices per CPU, for Perfetto", print, NULL};
