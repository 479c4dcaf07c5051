/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/report.h>

#include "courses.h"
#include "json_put.h"
#include "json_tables.h"
#include "names.h"

#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

static const uint64_t exact_in_double = UINT64_C(1) << 53;

static void put_pairs(JsonBuilder *b, const char *name, const GPtrArray *pairs)
{
	guint i;

	begin_object(b, name);
	for (i = 0; i < pairs->len; i++) {
		const struct eh_pair *pair = g_ptr_array_index(pairs, i);

		put_text(b, pair->key, pair->value);
	}
	json_builder_end_object(b);
}

static void put_sampling(JsonBuilder *b, const struct eh_point *p)
{
	if (!p->sampled)
		return;
	begin_object(b, "sampling");
	put_int(b, "stretches", p->stretches);
	put_real(b, "share_in_detail", p->in_detail);
	json_builder_end_object(b);
}

static void put_metrics(JsonBuilder *b, const GPtrArray *metrics)
{
	guint i;

	begin_object(b, "metrics");
	for (i = 0; i < metrics->len; i++) {
		const struct eh_metric *m = g_ptr_array_index(metrics, i);
		bool none = m->null_why || !isfinite(m->mean);

		begin_object(b, m->name);
		put_real(b, "mean", none ? NAN : m->mean);
		put_real(b, "lo", none ? NAN : m->lo);
		put_real(b, "hi", none ? NAN : m->hi);
		if (none)
			put_text(b, "null_reason", m->null_why ? m->null_why : "no finite value");
		else if (!isfinite(m->lo) || !isfinite(m->hi))
			put_text(b, "null_reason", "the interval is not known");
		json_builder_end_object(b);
	}
	json_builder_end_object(b);
}

static void put_profile(JsonBuilder *b, const char *host, const GPtrArray *rows)
{
	guint i;

	begin_array(b, host);
	for (i = 0; i < rows->len; i++) {
		const struct eh_profile_row *row = g_ptr_array_index(rows, i);

		json_builder_begin_object(b);
		put_text(b, "symbol", row->symbol);
		put_real(b, "share", row->share);
		put_bool(b, "user", row->user);
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
}

static void put_spreads(JsonBuilder *b, const GPtrArray *spreads)
{
	if (!spreads->len)
		return;
	begin_object(b, "distributions");
	for (guint i = 0; i < spreads->len; i++) {
		const struct eh_spread *s = g_ptr_array_index(spreads, i);

		begin_object(b, s->name);
		put_int(b, "count", (int64_t)s->count);
		begin_array(b, "quantiles");
		for (int k = 0; k < s->n && k < EH_SPREAD_AT; k++) {
			json_builder_begin_object(b);
			put_real(b, "q", eh_spread_at[k]);
			put_real(b, "value", s->value[k]);
			json_builder_end_object(b);
		}
		json_builder_end_array(b);
		json_builder_end_object(b);
	}
	json_builder_end_object(b);
}

static void put_expect(JsonBuilder *b, const GPtrArray *rows)
{
	guint i;

	begin_array(b, "expect");
	for (i = 0; i < rows->len; i++) {
		const struct eh_expect *e = g_ptr_array_index(rows, i);

		json_builder_begin_object(b);
		put_text(b, "metric", e->metric);
		put_text(b, "row", e->row);
		put_real(b, "published", e->published);
		put_real(b, "simulated", e->simulated);
		put_real(b, "ratio", e->ratio);
		put_real(b, "within", e->within);
		put_bool(b, "holds", e->holds);
		put_bool(b, "fitted", e->fitted);
		put_text(b, "note", e->note);
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
}

static void put_seed(JsonBuilder *b, uint64_t seed)
{
	char digits[24];

	if (seed < exact_in_double) {
		put_int(b, "seed", (int64_t)seed);
	} else {
		g_snprintf(digits, sizeof(digits), "%" PRIu64, seed);
		put_text(b, "seed", digits);
	}
}

/* What a point and each of its repeats have. */
static void put_run(JsonBuilder *b, const struct eh_point *p)
{
	char fingerprint[20];

	g_snprintf(fingerprint, sizeof(fingerprint), "%016" PRIx64, p->fingerprint);
	put_seed(b, p->seed);
	put_text(b, "fingerprint", fingerprint);
	put_text(b, "status", name_status(p->status));
	put_text(b, "status_text", p->status_text);
	put_text(b, "start", p->start_text);
	put_int(b, "simulated_ns", p->simulated / EH_NS);
	put_int(b, "warmup_ns", p->warmup / EH_NS);
	put_sampling(b, p);
	put_metrics(b, p->metrics);
}

static void put_repeats(JsonBuilder *b, const GPtrArray *repeats)
{
	if (!repeats->len)
		return;
	begin_array(b, "repeats");
	for (guint i = 0; i < repeats->len; i++) {
		const struct eh_point *run = g_ptr_array_index(repeats, i);

		json_builder_begin_object(b);
		put_int(b, "repeat", run->repeat);
		put_run(b, run);
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
}

static void put_changes(JsonBuilder *b, const struct eh_point *p)
{
	static const char *const ways[] = {
		[EH_UNPAIRED] = "unpaired",
		[EH_PAIRED_BATCHES] = "batches",
		[EH_PAIRED_REPEATS] = "repeats",
		[EH_NO_INTERVAL] = "unknown",
	};

	if (p->baseline >= 0)
		put_int(b, "baseline", p->baseline);
	begin_object(b, "changes");
	for (guint i = 0; i < p->changes->len; i++) {
		const struct eh_change *c = g_ptr_array_index(p->changes, i);

		begin_object(b, c->metric);
		put_real(b, "ratio", c->ratio);
		put_real(b, "lo", c->lo);
		put_real(b, "hi", c->hi);
		put_text(b, "pairing", ways[c->how]);
		put_bool(b, "significant", eh_change_significant(c));
		put_real(b, "published", c->published);
		json_builder_end_object(b);
	}
	json_builder_end_object(b);
}

static void add_point(JsonBuilder *b, const struct eh_point *p)
{
	json_builder_begin_object(b);
	put_int(b, "index", p->index);
	put_pairs(b, "set", p->set);
	put_run(b, p);
	put_repeats(b, p->repeats);
	put_changes(b, p);
	begin_object(b, "profile");
	put_profile(b, "client", p->client);
	put_profile(b, "server", p->server);
	json_builder_end_object(b);
	put_spreads(b, p->spreads);
	if (p->with_courses)
		courses_json(b, p->courses);
	json_tables(b, p);
	begin_object(b, "neper");
	put_pairs(b, "client", p->neper_client);
	put_pairs(b, "server", p->neper_server);
	json_builder_end_object(b);
	put_expect(b, p->expect);
	json_builder_end_object(b);
}

enum speed { WALL, CANDIDATES, LINES, EVENTS, SIMULATED };

static double speed_of(const struct eh_point *p, enum speed what)
{
	double wall = p->wall_s > 0 ? p->wall_s : NAN;

	switch (what) {
	case WALL:
		return p->wall_s;
	case CANDIDATES:
		return (double)p->candidates / wall;
	case LINES:
		return (double)p->line_accesses / wall;
	case EVENTS:
		return (double)p->events / wall;
	case SIMULATED:
		return (double)p->simulated / (double)EH_SEC / wall;
	}
	return NAN;
}

static void put_host(JsonBuilder *b, const GPtrArray *points)
{
	static const struct {
		const char *name;
		enum speed what;
	} speeds[] = {
		{"wall_s", WALL},
		{"candidates_per_s", CANDIDATES},
		{"line_accesses_per_s", LINES},
		{"events_per_s", EVENTS},
		{"simulated_s_per_s", SIMULATED},
	};
	guint i, k;

	begin_object(b, "host");
	for (k = 0; k < G_N_ELEMENTS(speeds); k++) {
		begin_array(b, speeds[k].name);
		for (i = 0; i < points->len; i++)
			add_real(b, speed_of(g_ptr_array_index(points, i), speeds[k].what));
		json_builder_end_array(b);
	}
	json_builder_end_object(b);
}

static JsonNode *build(const struct eh_result *r)
{
	JsonBuilder *b = json_builder_new();
	JsonNode *root;
	guint i;

	json_builder_begin_object(b);
	put_text(b, "schema", "ehsim-result/1");
	begin_object(b, "ehsim");
	put_text(b, "version", r->version);
	json_builder_end_object(b);
	begin_object(b, "scenario");
	put_text(b, "file", r->scenario_file);
	put_text(b, "sha256", r->scenario_sha256);
	put_text(b, "description", r->description);
	put_pairs(b, "values", r->values);
	json_builder_end_object(b);
	begin_array(b, "fitted");
	for (i = 0; i < r->fitted->len; i++) {
		const struct eh_pair *pair = g_ptr_array_index(r->fitted, i);

		json_builder_begin_object(b);
		put_text(b, "key", pair->key);
		put_text(b, "value", pair->value);
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
	begin_array(b, "points");
	for (i = 0; i < r->points->len; i++)
		add_point(b, g_ptr_array_index(r->points, i));
	json_builder_end_array(b);
	put_host(b, r->points);
	json_builder_end_object(b);
	root = json_builder_get_root(b);
	g_object_unref(b);
	return root;
}

static const char *skip_string(const char *s)
{
	for (s++; *s && *s != '"'; s++)
		if (*s == '\\' && s[1])
			s++;
	return *s ? s + 1 : s;
}

/* json-glib writes reals with 17 digits: round each to 12; integers stay as they are. */
static void append_rounded(GString *out, const char *text)
{
	const char *s = text;

	while (*s) {
		char number[64], digits[64];
		const char *end = s;
		size_t n;

		if (*s == '"') {
			end = skip_string(s);
			g_string_append_len(out, s, end - s);
			s = end;
			continue;
		}
		if (*s != '-' && !g_ascii_isdigit(*s)) {
			g_string_append_c(out, *s++);
			continue;
		}
		n = strspn(s, "+-.0123456789eE");
		end = s + n;
		/* g_strlcpy would measure all that follows, each time */
		memcpy(number, s, MIN(n, sizeof(number) - 1));
		number[MIN(n, sizeof(number) - 1)] = '\0';
		if (strpbrk(number, ".eE"))
			g_ascii_formatd(digits, sizeof(digits), "%.12g",
					g_ascii_strtod(number, NULL));
		else
			g_strlcpy(digits, number, sizeof(digits));
		g_string_append(out, digits);
		s = end;
	}
}

void eh_report_json(const struct eh_result *r, const struct eh_report_options *o, GString *out)
{
	JsonNode *root = build(r);
	char *text = json_to_string(root, TRUE);

	(void)o;
	append_rounded(out, text);
	g_string_append_c(out, '\n');
	g_free(text);
	json_node_unref(root);
}
