/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scratch.h"
#include "suite.h"

#include <ehsim/schema.h>
#include <math.h>
#include <string.h>

START_TEST(defaults)
{
	struct eh_scenario *s = load("description: nothing else\n", NULL);
	struct eh_values v, d;

	ck_assert_int_eq(eh_scenario_points(s), 1);
	ck_assert_str_eq(eh_scenario_description(s), "nothing else");
	/* sha256sum of the text */
	ck_assert_str_eq(eh_scenario_sha256(s),
			 "7b2828fff32ed43d6e80f280c81ff7e442fe617aad0ae2ab077f25435ce77d4c");
	eh_scenario_point(s, 0, &v, NULL);
	eh_values_init(&d);
	for (const struct eh_section *section = eh_sections; section->name; section++) {
		for (const struct eh_key *key = section->keys; key->name; key++) {
			char *a = eh_key_print(key, (char *)&v + section->offset);
			char *b = eh_key_print(key, (char *)&d + section->offset);

			ck_assert_str_eq(a, b);
			g_free(a);
			g_free(b);
		}
	}
	eh_values_clear(&v);
	eh_values_clear(&d);
	eh_scenario_free(s);
}
END_TEST

/* Each row has what --explain prints, and no key is both a value and a map of further keys. */
START_TEST(tables)
{
	for (const struct eh_section *section = eh_sections; section->name; section++) {
		for (const struct eh_key *key = section->keys; key->name; key++) {
			char *inner = g_strconcat(key->name, ".", NULL);
			char *full = g_strdup_printf("%s.%s", section->name, key->name), *why;
			char *text = eh_explain(full, &why);

			ck_assert_ptr_nonnull(text);
			ck_assert(key->help && *key->help);
			if (key->origin == EH_PUBLISHED || key->origin == EH_FITTED)
				ck_assert_msg(key->source && *key->source, "%s has no source",
					      full);
			for (const struct eh_key *k = section->keys; k->name; k++) {
				ck_assert(!g_str_has_prefix(k->name, inner));
				ck_assert(k == key || strcmp(k->name, key->name));
			}
			g_free(text);
			g_free(full);
			g_free(inner);
		}
	}
}
END_TEST

/* The help names every metric that may end a run. */
START_TEST(metrics_named)
{
	const struct eh_key *key = eh_keys_find(eh_run_keys, "until.metric");

	for (const char *const *word = eh_until_words; *word; word++)
		ck_assert_msg(strstr(key->help, *word) != NULL, "%s", *word);
	for (const char *const *word = eh_until_lab_words; *word; word++)
		ck_assert_msg(strstr(key->help, *word) || !strcmp(*word, "ops_per_s"), "%s", *word);
}
END_TEST

START_TEST(explain)
{
	char *why = NULL, *text = eh_explain_all();
	guint lines = 0, keys = 0;

	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	for (const struct eh_section *section = eh_sections; section->name; section++)
		for (const struct eh_key *key = section->keys; key->name; key++)
			keys++;
	ck_assert_uint_eq(lines, keys);
	g_free(text);
	ck_assert_ptr_null(eh_explain("kernel.conect", &why));
	ck_assert_str_eq(why, "unknown key 'kernel.conect'; did you mean 'kernel.connect'?");
	g_free(why);
	ck_assert_ptr_null(eh_explain("", &why));
	g_free(why);
}
END_TEST

START_TEST(sweep)
{
	const char *sets[] = {"run.seed=[5, 6]", NULL};
	struct eh_scenario *s = load("workload: {flows: [10, 20, 30]}\n"
				     "kernel: {connect: [S1, {value: S0, origin: measured}]}\n",
				     sets);
	static const char *const want[][3] = {
		{"10", "S1", "5"}, {"10", "S1", "6"}, {"10", "S0", "5"},
		{"10", "S0", "6"}, {"20", "S1", "5"},
	};

	ck_assert_int_eq(eh_scenario_points(s), 12);
	for (int i = 0; i < (int)G_N_ELEMENTS(want); i++) {
		struct eh_point *p = eh_point_new(i);
		struct eh_values v;

		eh_scenario_point(s, i, &v, p->set);
		ck_assert_uint_eq(p->set->len, 3);
		for (guint n = 0; n < 3; n++)
			ck_assert_str_eq(((struct eh_pair *)p->set->pdata[n])->value, want[i][n]);
		ck_assert_str_eq(((struct eh_pair *)p->set->pdata[1])->key, "kernel.connect");
		ck_assert_int_eq(v.workload.flows, atoi(want[i][0]));
		ck_assert_int_eq(v.run.seed, atoi(want[i][2]));
		eh_values_clear(&v);
		eh_point_free(p);
	}
	eh_scenario_free(s);
}
END_TEST

START_TEST(set_beats_file)
{
	const char *sets[] = {"run.seed=9",
			      "kernel.connect={value: S1, origin: fitted, source: D0}", NULL};
	struct eh_scenario *s = load("run: {seed: [1, 2]}\n", sets);
	GPtrArray *values = g_ptr_array_new(), *fitted = g_ptr_array_new();
	struct eh_values v;

	ck_assert_int_eq(eh_scenario_points(s), 1);
	eh_scenario_point(s, 0, &v, NULL);
	ck_assert_int_eq(v.run.seed, 9);
	ck_assert_int_eq(v.kernel.connect, EH_S1);
	eh_values_clear(&v);
	eh_scenario_values(s, values, fitted);
	ck_assert_uint_eq(fitted->len, 5); /* ours, and the four defaults that are fitted */
	ck_assert_str_eq(((struct eh_pair *)fitted->pdata[1])->key, "kernel.cost.hash6");
	ck_assert_str_eq(((struct eh_pair *)fitted->pdata[0])->key, "kernel.connect");
	ck_assert_str_eq(((struct eh_pair *)fitted->pdata[0])->value, "S1 (fitted on D0)");
	eh_scenario_free(s);
}
END_TEST

START_TEST(preset)
{
	struct eh_scenario *s;
	struct eh_values v;
	char *show, *said;

	put("m.yaml", "description: a machine\nname: big\nsockets: 4\n"
		      "clock: {value: 2.5GHz, origin: measured, source: here}\n"
		      "latency: {clean: {same_die: 40ns, far_die: 90ns}}\n");
	s = load("machine: {file: m.yaml, sockets: 3, latency: {clean: {far_die: 95ns}}}\n", NULL);
	eh_scenario_point(s, 0, &v, NULL);
	ck_assert_str_eq(v.machine.name, "big");
	ck_assert_str_eq(v.machine.file, "m.yaml");
	ck_assert_int_eq(v.machine.sockets, 3);
	ck_assert_int_eq(v.machine.clock_hz, 2500000000);
	ck_assert_int_eq(v.machine.latency.clean_same_die, 40 * EH_NS);
	ck_assert_int_eq(v.machine.latency.clean_far_die, 95 * EH_NS);
	eh_values_clear(&v);
	show = eh_scenario_show(s);
	ck_assert_ptr_nonnull(
		strstr(show, "  clock: {value: 2.5GHz, origin: measured, source: \"here\"}\n"));
	ck_assert_ptr_nonnull(
		strstr(show, "    same_die: {value: 40ns, origin: chosen, source: \"m.yaml\"}\n"));
	ck_assert_ptr_nonnull(strstr(show, "    far_die: {value: 95ns, origin: chosen}\n")
				      ? show
				      : strstr(show, "far_die: 95ns\n"));
	ck_assert_ptr_null(strstr(show, "file"));
	g_free(show);
	eh_scenario_free(s);

	put("m.yaml", "sockts: 4\nfile: n.yaml\n");
	said = complaints("machine: {file: m.yaml, clock: 5}\n", NULL);
	ck_assert_ptr_nonnull(strstr(said,
				     "m.yaml:1:1: error: unknown key 'sockts' in 'machine'; did "
				     "you mean 'sockets'?"));
	ck_assert_ptr_nonnull(
		strstr(said, "m.yaml:2:1: error: a machine file cannot name another one"));
	ck_assert_ptr_nonnull(strstr(said, "t.yaml:1:32: error: 'clock' needs a unit"));
	free(said);
}
END_TEST

/* show(show(x)) == show(x), the same points and values. */
static const char *const shown[] = {
	"run: {}",
	"description: \"a \\\"b\\\" \\\\ \\n\\t c\"\nmachine: {name: \"x: [y]\", clock: 2.1GHz}\n",
	"run: {seed: [3, 4]}\nkernel: {reserved_ports: [\"\", \"80,90-95\"], connect: [S1, S0]}\n"
	"machine: {latency: {dirty: {far_die: [1ns, {value: 1.5us, origin: fitted, source: \"D0: "
	"x\"}]}}}\n",
	"network: {rate: 12345bit/s, delay: {value: 10us, origin: chosen}}\n"
	"expect:\n- {metric: throughput_per_s, published: 47426, within: 12.5%, row: D0, fitted: "
	"yes}\n"
	"- {metric: profile.client._raw_spin_lock, published: 25.54%, when: {kernel.connect: S1}, "
	"note: \"a\"}\n"
	"- {metric: throughput_per_s, published: 1, when: {kernel.connect: S1, run.seed: 3}}\n",
	"workload: {kind: [line, hash], line: {op: padded}, hash: {updates: 5%, protection: rcu}}\n",
};

START_TEST(show_is_stable)
{
	struct eh_scenario *a = load(shown[_i], NULL), *b;
	char *first = eh_scenario_show(a), *second;

	b = load(first, NULL);
	second = eh_scenario_show(b);
	ck_assert_str_eq(first, second);
	ck_assert_int_eq(eh_scenario_points(a), eh_scenario_points(b));
	ck_assert_str_eq(eh_scenario_description(a), eh_scenario_description(b));
	ck_assert_uint_eq(eh_scenario_expect(a)->len, eh_scenario_expect(b)->len);
	for (int i = 0; i < eh_scenario_points(a); i++) {
		struct eh_values x, y;

		eh_scenario_point(a, i, &x, NULL);
		eh_scenario_point(b, i, &y, NULL);
		for (const struct eh_section *section = eh_sections; section->name; section++) {
			for (const struct eh_key *key = section->keys; key->name; key++) {
				char *p = eh_key_print(key, (char *)&x + section->offset);
				char *q = eh_key_print(key, (char *)&y + section->offset);

				ck_assert_str_eq(p, q);
				g_free(p);
				g_free(q);
			}
		}
		eh_values_clear(&x);
		eh_values_clear(&y);
	}
	g_free(first);
	g_free(second);
	eh_scenario_free(a);
	eh_scenario_free(b);
}
END_TEST

START_TEST(expectations)
{
	struct eh_scenario *s = load(
		"expect:\n"
		"- {metric: throughput_per_s, published: 1000, within: 10%, row: D0, note: mine}\n"
		"- {metric: throughput_per_s, published: 1200, within: 10%}\n"
		"- {metric: throughput_per_s, published: 1200, note: mine}\n"
		"- {metric: throughput_per_s, published: 1, when: {kernel.connect: S1}}\n"
		"- {metric: profile.server.accept, published: 40%, within: 30%}\n"
		"- {metric: profile.client.accept, published: 0.4}\n"
		"- {metric: setup_stime_s, published: 1, within: 5%}\n",
		NULL);
	struct eh_point *p = eh_point_new(1);
	const struct eh_expect *const *e;
	struct eh_values v;

	eh_point_metric(p, "throughput_per_s", 1050, 1000, 1100);
	eh_point_metric_null(p, "setup_stime_s", "no set-up was simulated");
	eh_profile_add(p->server, "accept", 0.5, false);
	eh_scenario_point(s, 0, &v, NULL);
	eh_point_expect(p, &v, eh_scenario_expect(s));
	ck_assert_uint_eq(p->expect->len, 6);
	e = (const struct eh_expect *const *)p->expect->pdata;
	ck_assert(e[0]->holds && e[0]->ratio == 1.05 && !e[0]->note);
	ck_assert_str_eq(e[0]->row, "D0");
	ck_assert(!e[1]->holds && e[1]->ratio == 0.875);
	ck_assert(e[2]->holds);
	ck_assert_str_eq(e[2]->note, "mine");
	ck_assert(e[3]->holds && e[3]->published == 0.4 && e[3]->simulated == 0.5);
	ck_assert(e[4]->holds && isnan(e[4]->simulated) &&
		  strstr(e[4]->note, "no modelled mechanism"));
	ck_assert(!e[5]->holds);
	ck_assert_str_eq(e[5]->note, "no set-up was simulated");
	eh_values_clear(&v);
	eh_point_free(p);
	eh_scenario_free(s);
}
END_TEST

/* All conditions of a row have to hold, whoever set the values. */
START_TEST(conditions)
{
	static const struct {
		const char *sets[3];
		guint rows;
	} runs[] = {
		{{NULL}, 2},
		{{"workload.threads=8", NULL}, 1},
		{{"kernel.connect=S0", NULL}, 1},
		{{"workload.threads=8", "kernel.connect=S0", NULL}, 1},
		{{"workload.flows=3000", NULL}, 2},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(runs); i++) {
		struct eh_scenario *s = load(
			"kernel: {connect: S1}\nworkload: {threads: 4, flows: 2000}\n"
			"expect:\n"
			"- {metric: throughput_per_s, published: 1, when: {kernel.connect: S1, "
			"workload.threads: 4}}\n"
			"- {metric: throughput_per_s, published: 1}\n",
			runs[i].sets);
		struct eh_point *p = eh_point_new(1);
		struct eh_values v;

		eh_scenario_point(s, 0, &v, NULL);
		eh_point_expect(p, &v, eh_scenario_expect(s));
		ck_assert_uint_eq(p->expect->len, runs[i].rows);
		eh_values_clear(&v);
		eh_point_free(p);
		eh_scenario_free(s);
	}
}
END_TEST

/* What no kind of the sweep takes is neither shown nor among the values. */
START_TEST(keys_of_the_kind)
{
	struct eh_scenario *s = load("workload: {kind: lock, lock: {kind: mcs}}\n", NULL);
	GPtrArray *values = g_ptr_array_new_with_free_func(eh_pair_free);
	GPtrArray *fitted = g_ptr_array_new_with_free_func(eh_pair_free);
	char *text = eh_scenario_show(s);
	bool lock = false;

	ck_assert_ptr_nonnull(strstr(text, "    kind: mcs\n"));
	ck_assert_ptr_null(strstr(text, "flows"));
	ck_assert_ptr_null(strstr(text, "network:"));
	eh_scenario_values(s, values, fitted);
	for (guint i = 0; i < values->len; i++) {
		const struct eh_pair *pair = values->pdata[i];

		lock |= !strcmp(pair->key, "workload.lock.kind") && !strcmp(pair->value, "mcs");
		ck_assert(!g_str_has_prefix(pair->key, "workload.hash."));
		ck_assert(!g_str_has_prefix(pair->key, "network."));
	}
	ck_assert(lock);
	g_free(text);
	g_ptr_array_unref(values);
	g_ptr_array_unref(fitted);
	eh_scenario_free(s);
}
END_TEST

START_TEST(copies)
{
	struct eh_values a, b;

	eh_values_init(&a);
	eh_values_copy(&b, &a);
	ck_assert_str_eq(a.machine.name, b.machine.name);
	ck_assert_ptr_ne(a.machine.name, b.machine.name);
	eh_values_clear(&a);
	eh_values_clear(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("scenario");
	TCase *tcase = tcase_create("scenario");

	tcase_add_checked_fixture(tcase, make_folder, drop_folder);
	tcase_add_test(tcase, defaults);
	tcase_add_test(tcase, tables);
	tcase_add_test(tcase, metrics_named);
	tcase_add_test(tcase, explain);
	tcase_add_test(tcase, sweep);
	tcase_add_test(tcase, set_beats_file);
	tcase_add_test(tcase, preset);
	tcase_add_loop_test(tcase, show_is_stable, 0, G_N_ELEMENTS(shown));
	tcase_add_test(tcase, expectations);
	tcase_add_test(tcase, conditions);
	tcase_add_test(tcase, keys_of_the_kind);
	tcase_add_test(tcase, copies);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
