/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is each report right? One result built by hand against golden files, then the corners. The
 * metrics and the client's profile are the figures printed in the message of Linux commit
 * 86c2bc293b, before and after its series; intervals, speeds, the server's profile, user code and
 * the rows called X1 are made up to show their shape. EH_GOLD_UPDATE=1 writes the golden files
 * instead of comparing.
 */
#include <ehsim/report.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

typedef void (*print_fn)(const struct eh_result *, const struct eh_report_options *, GString *);

struct figure {
	const char *metric, *neper;
	double s0, s1;
};

static const struct figure figures[] = {
	{"throughput_per_s", "throughput", 47426.00, 139866.80},
	{"latency_min_s", "latency_min", 0.156279245, 0.014131929},
	{"latency_mean_s", "latency_mean", 1.546521274, 0.505675853},
	{"latency_max_s", "latency_max", 20.922042756, 17.895073144},
	{"latency_stddev_s", "latency_stddev", 3.936005194, 2.125164772},
	{"utime_s", NULL, 1.260125, 3.575504},
	{"stime_s", NULL, 1981.852707, 1979.077873},
};

static void add_expect(struct eh_point *p, const char *row, const char *metric, double published,
		       double within, const char *note)
{
	const struct eh_metric *m = eh_point_find(p, metric);
	struct eh_expect *e = g_new0(struct eh_expect, 1);

	e->row = g_strdup(row);
	e->metric = g_strdup(metric);
	e->published = published;
	e->simulated = m && !m->null_why ? m->mean : NAN;
	e->ratio = e->simulated / published;
	e->within = within;
	e->holds = fabs(e->ratio - 1) <= within;
	e->note = g_strdup(note);
	g_ptr_array_add(p->expect, e);
}

static struct eh_point *add_point(struct eh_result *r, int index, const char *state)
{
	struct eh_point *p = eh_point_new(index);

	eh_pair_add(p->set, "kernel.connect", "%s", state);
	p->seed = 1;
	p->fingerprint = UINT64_C(0x0123456789abcdef) + (uint64_t)index;
	p->start_text = g_strdup("start: steady; warm-up 20 ms cut");
	p->simulated = 10 * EH_SEC;
	p->warmup = 20 * EH_MS;
	p->wall_s = 12.5;
	p->candidates = 50000000;
	p->line_accesses = 200000000;
	p->events = 1250000;
	p->queues = 33;
	g_ptr_array_add(r->points, p);
	return p;
}

static void add_figures(struct eh_point *p, bool second)
{
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(figures); i++) {
		const struct figure *f = &figures[i];
		double x = second ? f->s1 : f->s0;

		if (i == 0)
			eh_point_metric(p, f->metric, x, x * 0.99, x * 1.01);
		else if (i == 2)
			eh_point_metric(p, f->metric, x, x * 0.4, x * 1.6);
		else
			eh_point_metric(p, f->metric, x, x, x);
		if (f->neper)
			eh_pair_add(p->neper_client, f->neper, i ? "%.9f" : "%.2f", x);
	}
	eh_pair_add(p->neper_server, "remote_throughput", "%.0f",
		    second ? figures[0].s1 : figures[0].s0);
}

static void compare_with_first(struct eh_result *r)
{
	const struct eh_point *first = g_ptr_array_index(r->points, 0);

	for (guint i = 0; i < r->points->len; i++) {
		struct eh_point *p = g_ptr_array_index(r->points, i);

		p->baseline = first->index;
		if (i)
			eh_point_compare(p, first);
	}
}

static struct eh_result *pair_of_states(void)
{
	struct eh_result *r = eh_result_new();
	struct eh_point *s0, *s1;

	r->version = g_strdup("0.0-test");
	r->scenario_file = g_strdup("scenarios/connect-pair.yaml");
	r->scenario_sha256 = g_strdup("00ff");
	r->description =
		g_strdup("200 threads and 30000 flows of tcp_crr over IPv6, before and after "
			 "the port search looks up under RCU");
	eh_pair_add(r->values, "workload.kind", "tcp_crr");
	eh_pair_add(r->values, "workload.threads", "200");
	eh_pair_add(r->fitted, "machine.latency.dirty.same_die", "65ns (fitted on X1: an example)");

	s0 = add_point(r, 0, "S0");
	add_figures(s0, false);
	eh_profile_add(s0->client, "_raw_spin_lock", 0.4954, false);
	eh_profile_add(s0->client, "_raw_spin_lock_bh", 0.2587, false);
	eh_profile_add(s0->client, "queued_spin_lock_slowpath", 0.0597, false);
	eh_profile_add(s0->client, "__inet_hash_connect", 0.0567, false);
	eh_profile_add(s0->client, "__inet6_check_established", 0.0353, false);
	eh_profile_add(s0->client, "inet6_ehashfn", 0.0348, false);
	eh_profile_add(s0->client, "rcu_all_qs", 0.0064, false);
	eh_profile_add(s0->client, "[user]", 0.0007, true);
	eh_profile_add(s0->server, "tcp_v6_rcv", 0.031, false);
	add_expect(s0, "D0", "throughput_per_s", 47426.00, 0.2, NULL);
	((struct eh_expect *)g_ptr_array_index(s0->expect, 0))->fitted = true;
	add_expect(s0, "D0", "latency_mean_s", 1.546521274, 0.2, NULL);

	s1 = add_point(r, 1, "S1");
	add_figures(s1, true);
	eh_profile_add(s1->client, "__inet6_check_established", 0.5686, false);
	eh_profile_add(s1->client, "__inet_hash_connect", 0.1796, false);
	eh_profile_add(s1->client, "inet6_ehashfn", 0.1388, false);
	eh_profile_add(s1->client, "rcu_all_qs", 0.0252, false);
	eh_profile_add(s1->client, "__cond_resched", 0.0201, false);
	eh_profile_add(s1->client, "_raw_spin_lock", 0.0041, false);
	eh_point_metric_null(s1, "setup_stime_s",
			     "the run started from the steady state, so no "
			     "set-up was simulated and nothing was measured in it");
	add_expect(s1, "D1", "throughput_per_s", 139866.80, 0.2, NULL);
	add_expect(s1, "X1", "latency_max_s", 23.5, 0.2, NULL);
	add_expect(s1, "D1", "latency_stddev_s", 2.125164772, 0, NULL);
	add_expect(s1, "X1", "setup_stime_s", 18.4, 0.2,
		   "the run started from the steady state; the published figure covers the serial "
		   "set-up");
	compare_with_first(r);
	return r;
}

static char *print(print_fn fn, const struct eh_result *r, bool color, bool profile, bool verbose)
{
	struct eh_report_options o = {color, profile, verbose};
	GString *out = g_string_new(NULL);

	fn(r, &o, out);
	ck_assert(g_utf8_validate(out->str, -1, NULL));
	return g_string_free(out, FALSE);
}

static void check_gold(const char *name, char *text)
{
	const char *srcdir = getenv("srcdir"), *update = getenv("EH_GOLD_UPDATE");
	char *file = g_build_filename(srcdir ? srcdir : ".", "tests", "gold", name, NULL), *gold;

	if (update && *update)
		ck_assert(g_file_set_contents(file, text, -1, NULL));
	ck_assert_msg(g_file_get_contents(file, &gold, NULL, NULL), "cannot read %s", file);
	ck_assert_msg(strcmp(text, gold) == 0, "%s differs; this run prints:\n%s", file, text);
	g_free(gold);
	g_free(file);
	g_free(text);
}

/* No number that is none, no line end with blanks, no line too wide. */
static void check_clean(const char *text)
{
	char **words = g_strsplit_set(text, " \t\n,:=[](){}%", -1), **w;
	char **lines = g_strsplit(text, "\n", -1), **line;

	for (w = words; *w; w++) {
		const char *s = **w == '-' || **w == '+' ? *w + 1 : *w;

		ck_assert_msg(g_ascii_strcasecmp(s, "nan") != 0 &&
				      g_ascii_strcasecmp(s, "inf") != 0,
			      "not a number in:\n%s", text);
	}
	for (line = lines; *line; line++)
		ck_assert_msg(!g_str_has_suffix(*line, " "), "blank at the end of '%s'", *line);
	g_strfreev(words);
	g_strfreev(lines);
}

static void check_width(const char *text, glong most)
{
	char **lines = g_strsplit(text, "\n", -1), **line;

	for (line = lines; *line; line++)
		ck_assert_msg(g_utf8_strlen(*line, -1) <= most, "too wide: '%s'", *line);
	g_strfreev(lines);
}

static JsonNode *read_back(const char *text)
{
	GError *error = NULL;
	JsonNode *root = json_from_string(text, &error);

	ck_assert_msg(root != NULL, "%s", error ? error->message : "empty");
	return root;
}

/* Members by name and elements by number, as "points.0.metrics"; fails when there is none. */
static JsonNode *at(JsonNode *node, const char *path)
{
	char **steps = g_strsplit(path, "/", -1), **s;

	for (s = steps; *s; s++) {
		if (JSON_NODE_HOLDS_ARRAY(node))
			node = json_array_get_element(json_node_get_array(node), (guint)atoi(*s));
		else
			node = json_object_get_member(json_node_get_object(node), *s);
		ck_assert_msg(node != NULL, "no '%s' in %s", *s, path);
	}
	g_strfreev(steps);
	return node;
}

static double real_at(JsonNode *root, const char *path)
{
	return json_node_get_double(at(root, path));
}

static const char *text_at(JsonNode *root, const char *path)
{
	return json_node_get_string(at(root, path));
}

START_TEST(gold_text)
{
	struct eh_result *r = pair_of_states();
	char *text = print(eh_report_text, r, false, false, false);

	check_clean(text);
	check_width(text, 100);
	check_gold("report-pair.txt", text);
	eh_result_free(r);
}
END_TEST

START_TEST(gold_text_full)
{
	struct eh_result *r = pair_of_states();
	char *text = print(eh_report_text, r, true, true, true);

	check_clean(text);
	check_gold("report-pair-full.txt", text);
	eh_result_free(r);
}
END_TEST

/* More than two points stand below each other. */
START_TEST(four_points)
{
	static const double throughput[] = {47426.00, 139866.80, 151867, 320677};
	struct eh_result *r = eh_result_new();
	char state[] = "S0", *text;
	int i;

	for (i = 0; i < 4; i++, state[1]++)
		eh_point_metric(add_point(r, i, state), "throughput_per_s", throughput[i],
				throughput[i] * 0.9, throughput[i] * 1.1);
	compare_with_first(r);
	text = print(eh_report_text, r, false, false, false);
	check_width(text, 100);
	ck_assert_ptr_nonnull(strstr(text, "  throughput  S0      47426  /s\n"));
	ck_assert_ptr_nonnull(strstr(text, "              S2     151867  /s  x 3.202  2.749 .. 3.655  +220.2 %\n"));
	ck_assert_ptr_nonnull(strstr(text, "              S3     320677  /s  x 6.762  5.805 .. 7.718  +576.2 %\n"));
	g_free(text);
	eh_result_free(r);
}
END_TEST

START_TEST(gold_neper_json)
{
	struct eh_result *r = pair_of_states();
	char *text = print(eh_report_json, r, false, false, false);

	check_clean(text);
	check_gold("report-pair.json", text);
	check_gold("report-pair.neper", print(eh_report_neper, r, false, false, false));
	eh_result_free(r);
}
END_TEST

START_TEST(json_reads_back)
{
	struct eh_result *r = pair_of_states();
	char *text = print(eh_report_json, r, false, false, false);
	JsonNode *root = read_back(text);

	ck_assert_str_eq(text_at(root, "schema"), "ehsim-result/1");
	ck_assert_str_eq(text_at(root, "scenario/values/workload.kind"), "tcp_crr");
	ck_assert_str_eq(text_at(root, "points/1/set/kernel.connect"), "S1");
	ck_assert_str_eq(text_at(root, "points/1/fingerprint"), "0123456789abcdf0");
	ck_assert_str_eq(text_at(root, "points/0/status"), "done");
	ck_assert_int_eq(json_node_get_int(at(root, "points/0/simulated_ns")), 10000000000);
	ck_assert_double_eq(real_at(root, "points/1/metrics/throughput_per_s/mean"), 139866.80);
	ck_assert_double_eq(real_at(root, "points/0/metrics/latency_mean_s/mean"), 1.546521274);
	ck_assert(json_node_is_null(at(root, "points/1/metrics/setup_stime_s/mean")));
	ck_assert_ptr_nonnull(text_at(root, "points/1/metrics/setup_stime_s/null_reason"));
	ck_assert(json_node_is_null(at(root, "points/1/expect/3/simulated")));
	ck_assert(json_node_is_null(at(root, "points/1/expect/3/ratio")));
	ck_assert_double_eq(real_at(root, "host/candidates_per_s/1"), 4e6);
	ck_assert_double_eq(real_at(root, "host/simulated_s_per_s/0"), 0.8);
	json_node_unref(root);
	g_free(text);
	eh_result_free(r);
}
END_TEST

/* Made up: a lock that is waited for, one that is not; lines of a socket, of two, and the rest. */
static struct eh_result *with_tables(bool locks, bool lines)
{
	struct eh_result *r = eh_result_new();
	struct eh_point *p = add_point(r, 1, "S0");
	struct eh_lock_row *lock;
	struct eh_line_row *line;

	p->with_locks = locks;
	p->with_lines = lines;
	lock = eh_lock_row_add(p->locks[0], "bhash", "spinlock");
	lock->acquisitions = 1205100;
	lock->contentions = 3;
	lock->con_bounces = 2;
	lock->acq_bounces = 620405;
	lock->wait_min = 136720;
	lock->wait_max = 2 * EH_MS;
	lock->wait_total = 2 * EH_MS + 400 * EH_NS;
	lock->hold_min = 6990;
	lock->hold_max = 155380;
	lock->hold_total = 120 * EH_MS;
	eh_lock_row_add(p->locks[0], "slock", "spinlock")->acquisitions = 11815;
	eh_lock_row_add(p->locks[1], "rq->lock", "spinlock")->acquisitions = 7;
	line = eh_line_row_add(p->lines[0], "ehash_locks+0x0");
	line->lcl_hitm = 175;
	line->rmt_hitm = 1025;
	line->lcl_store = 600;
	line->rmt_store = 200;
	line->share = 0.9;
	line->lines = 16;
	line->hottest = 4711;
	line->hottest_share = 0.125;
	line->waited = 2000 * 91400;
	line = eh_line_row_add(p->lines[0], "other");
	line->lcl_store = 222;
	line->share = 0.1;
	line->lines = 30;
	return r;
}

START_TEST(gold_tables)
{
	struct eh_result *r = with_tables(true, true);
	char *text = print(eh_report_text, r, false, false, false);

	check_clean(text);
	check_width(text, 100);
	check_gold("report-tables.txt", text);
	text = print(eh_report_json, r, false, false, false);
	check_clean(text);
	json_node_unref(read_back(text));
	check_gold("report-tables.json", text);
	eh_result_free(r);
}
END_TEST

/* Present only when asked for; in neper's output never. */
START_TEST(tables_when_asked_for)
{
	struct eh_result *none = with_tables(false, false);
	char *neper = print(eh_report_neper, none, false, false, false);

	for (int i = 0; i < 4; i++) {
		bool locks = i & 1, lines = i & 2;
		struct eh_result *r = with_tables(locks, lines);
		char *text = print(eh_report_text, r, false, true, true);
		char *json = print(eh_report_json, r, false, false, false);
		char *same = print(eh_report_neper, r, false, false, false);

		ck_assert(!strstr(text, "perf lock contention") == !locks);
		ck_assert(!strstr(text, "perf c2c") == !lines);
		ck_assert(!strstr(json, "\"locks\"") == !locks);
		ck_assert(!strstr(json, "\"lines\"") == !lines);
		ck_assert_str_eq(neper, same);
		ck_assert_ptr_nonnull(strstr(text, "\nLittle's law: 33 queues checked\n"));
		g_free(text);
		g_free(json);
		g_free(same);
		eh_result_free(r);
	}
	g_free(neper);
	eh_result_free(none);
}
END_TEST

/* Two runs may differ in `host` only. */
START_TEST(json_speed_only_in_host)
{
	struct eh_result *a = pair_of_states(), *b = pair_of_states();
	struct eh_point *p = g_ptr_array_index(b->points, 0);
	char *x, *y;

	p->wall_s = 99;
	p->candidates = p->events = p->line_accesses = 7;
	x = print(eh_report_json, a, false, false, false);
	y = print(eh_report_json, b, false, false, false);
	ck_assert_str_ne(x, y);
	*strstr(x, "\"host\"") = '\0';
	*strstr(y, "\"host\"") = '\0';
	ck_assert_str_eq(x, y);
	g_free(x);
	g_free(y);
	eh_result_free(a);
	eh_result_free(b);
}
END_TEST

START_TEST(json_seeds)
{
	struct eh_result *r = eh_result_new();
	JsonNode *root;
	char *text;

	add_point(r, 0, "S0")->seed = (UINT64_C(1) << 53) - 1;
	add_point(r, 1, "S1")->seed = UINT64_C(1) << 53;
	add_point(r, 2, "S2")->seed = UINT64_MAX;
	text = print(eh_report_json, r, false, false, false);
	root = read_back(text);
	ck_assert_int_eq(json_node_get_int(at(root, "points/0/seed")), 9007199254740991);
	ck_assert_str_eq(text_at(root, "points/1/seed"), "9007199254740992");
	ck_assert_str_eq(text_at(root, "points/2/seed"), "18446744073709551615");
	json_node_unref(root);
	g_free(text);
	eh_result_free(r);
}
END_TEST

/* Digits inside strings are text and stay whole; reals lose what is beyond 12 digits. */
START_TEST(json_rounding)
{
	struct eh_result *r = eh_result_new();
	struct eh_point *p = add_point(r, 0, "0.1234567890123456 \"quoted\" \\");
	char *text;

	eh_point_metric(p, "a", 0.1 + 0.2, 1e-300, 1e300);
	eh_point_metric(p, "b", 123456789012345.0, -0.0, 2);
	text = print(eh_report_json, r, false, false, false);
	ck_assert_ptr_nonnull(strstr(text, "\"0.1234567890123456 \\\"quoted\\\" \\\\\""));
	ck_assert_ptr_nonnull(strstr(text, "\"mean\" : 0.3,"));
	ck_assert_ptr_nonnull(strstr(text, "\"lo\" : 1e-300,"));
	ck_assert_ptr_nonnull(strstr(text, "\"mean\" : 1.23456789012e+14,"));
	ck_assert_ptr_nonnull(strstr(text, "\"lo\" : 0,"));
	json_node_unref(read_back(text));
	g_free(text);
	eh_result_free(r);
}
END_TEST

static struct eh_result *corners(void)
{
	struct eh_result *r = eh_result_new();
	struct eh_point *p;
	char *symbol = g_strnfill(300, 's');

	p = add_point(r, 0, "S0"); /* failed: nothing was measured */
	p->status = EH_FAILED;
	p->status_text =
		g_strdup("the point's process ended with signal 11\nbefore the first sample");
	eh_point_metric_null(p, "throughput_per_s", "the point failed");
	add_expect(p, NULL, "throughput_per_s", 47426, 0.2, NULL);

	p = add_point(r, 1, "S1"); /* interrupted, odd numbers */
	p->status = EH_INTERRUPTED;
	p->status_text = g_strdup("stopped by the user after 1.2 s of 10 s");
	p->wall_s = 0;
	g_clear_pointer(&p->start_text, g_free);
	eh_point_metric(p, "throughput_per_s", 139866.8, -INFINITY, INFINITY);
	eh_point_metric(p, "latency_mean_s", NAN, NAN, NAN);
	eh_point_metric(p, "busy_cpus", 0, 0, 0);
	eh_profile_add(p->client, symbol, 0.9, false);
	eh_profile_add(p->client, "not_a_share", NAN, false);
	add_expect(p, "D1", "throughput_per_s", 139866.8, 0.2, NULL);

	p = add_point(r, 2, "S2"); /* imprecise */
	p->status = EH_IMPRECISE;
	eh_point_metric(p, "throughput_per_s", 1e200, 1e199, 2e200);
	eh_point_metric(p, "busy_cpus", 200, 199, 201);
	g_free(symbol);
	compare_with_first(r);
	return r;
}

START_TEST(corners_print_cleanly)
{
	struct eh_result *r = corners();
	JsonNode *root;
	char *text;

	text = print(eh_report_text, r, false, false, true);
	check_clean(text);
	ck_assert_ptr_nonnull(strstr(text, "interrupted: stopped by the user after 1.2 s of 10 s"));
	ck_assert_ptr_nonnull(
		strstr(text, "failed: the point's process ended with signal 11 before"));
	ck_assert_ptr_nonnull(strstr(text, "latency_mean  -  no finite value"));
	ck_assert_ptr_nonnull(strstr(text, "no samples"));
	check_gold("report-corners.txt", text);
	text = print(eh_report_text, r, false, true, true);
	check_clean(text);
	g_free(text);
	text = print(eh_report_neper, r, false, false, false);
	ck_assert_ptr_nonnull(strstr(text, "signal 11 before the first sample\n"));
	ck_assert_ptr_nonnull(strstr(text, "# interrupted: stopped by the user"));
	g_free(text);
	text = print(eh_report_json, r, false, false, false);
	check_clean(text);
	root = read_back(text);
	ck_assert_str_eq(text_at(root, "points/1/status"), "interrupted");
	ck_assert_uint_eq(strlen(text_at(root, "points/1/profile/client/0/symbol")), 300);
	ck_assert(json_node_is_null(at(root, "points/1/profile/client/1/share")));
	ck_assert(json_node_is_null(at(root, "points/1/metrics/throughput_per_s/hi")));
	ck_assert(json_node_is_null(at(root, "host/events_per_s/1")));
	json_node_unref(root);
	g_free(text);
	eh_result_free(r);
}
END_TEST

START_TEST(empty_result)
{
	struct eh_result *r = eh_result_new();
	const struct eh_report_kind *k;

	for (k = eh_report_kinds; k->name; k++) {
		char *text = print(k->print, r, true, true, true);

		check_clean(text);
		g_free(text);
		ck_assert_ptr_eq(eh_report_find(k->name), k);
	}
	ck_assert_ptr_null(eh_report_find("xml"));
	eh_result_free(r);
}
END_TEST

START_TEST(metrics_stand_once)
{
	struct eh_point *p = eh_point_new(0);

	eh_point_metric_null(p, "a", "not yet");
	eh_point_metric(p, "b", 1, 1, 1);
	eh_point_metric(p, "a", 2, 1, 3);
	ck_assert_uint_eq(p->metrics->len, 2);
	ck_assert_ptr_null(eh_point_find(p, "a")->null_why);
	ck_assert_double_eq(eh_point_find(p, "a")->mean, 2);
	ck_assert_ptr_null(eh_point_find(p, "c"));
	eh_point_free(p);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("report");
	TCase *t = tcase_create("report");

	tcase_add_test(t, gold_text);
	tcase_add_test(t, gold_text_full);
	tcase_add_test(t, four_points);
	tcase_add_test(t, gold_neper_json);
	tcase_add_test(t, gold_tables);
	tcase_add_test(t, tables_when_asked_for);
	tcase_add_test(t, json_reads_back);
	tcase_add_test(t, json_speed_only_in_host);
	tcase_add_test(t, json_seeds);
	tcase_add_test(t, json_rounding);
	tcase_add_test(t, corners_print_cleanly);
	tcase_add_test(t, empty_result);
	tcase_add_test(t, metrics_stand_once);
	suite_add_tcase(s, t);
	return run_suite(s);
}
