/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <ehsim/scenario.h>
#include <ehsim/schema.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *folder;

static void make_folder(void)
{
	folder = g_dir_make_tmp("ehsim-test-XXXXXX", NULL);
	ck_assert_ptr_nonnull(folder);
	ck_assert_int_eq(chdir(folder), 0);
}

static void drop_folder(void)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while ((name = g_dir_read_name(dir)))
		g_remove(name);
	g_dir_close(dir);
	ck_assert_int_eq(chdir("/"), 0);
	g_rmdir(folder);
	g_clear_pointer(&folder, g_free);
}

static void put(const char *file, const char *text)
{
	ck_assert(g_file_set_contents(file, text, -1, NULL));
}

/* All messages as text; the scenario is thrown away. */
static char *complaints(const char *text, const char *const *sets)
{
	struct eh_messages *msgs = eh_messages_new();
	struct eh_scenario *s;
	char *said = NULL;
	size_t size;
	FILE *to = open_memstream(&said, &size);

	put("t.yaml", text);
	s = eh_scenario_load("t.yaml", sets, msgs);
	eh_messages_print(msgs, to, FALSE);
	fclose(to);
	ck_assert((s == NULL) == (eh_messages_errors(msgs) > 0));
	eh_scenario_free(s);
	eh_messages_free(msgs);
	return said;
}

static struct eh_scenario *load(const char *text, const char *const *sets)
{
	struct eh_messages *msgs = eh_messages_new();
	struct eh_scenario *s;

	put("t.yaml", text);
	s = eh_scenario_load("t.yaml", sets, msgs);
	eh_messages_print(msgs, stderr, FALSE);
	eh_messages_free(msgs);
	ck_assert_ptr_nonnull(s);
	return s;
}

/* One line each: what is wrong must be said with these words. */
static const struct {
	const char *text, *said;
} wrong[] = {
	{"run: {sed: 1}", "t.yaml:1:7: error: unknown key 'sed' in 'run'; did you mean 'seed'?"},
	{"rum: {seed: 1}", "t.yaml:1:1: error: unknown section 'rum'; did you mean 'run'?"},
	{"threads: 5",
	 "t.yaml:1:1: error: unknown section 'threads'; did you mean key 'threads' of section "
	 "'workload'?"},
	{"kernel: {threads: 5}",
	 "t.yaml:1:10: error: unknown key 'threads' in 'kernel'; did you mean 'workload.threads'?"},
	{"machine: {latency: {clean: {same_dye: 1ns}}}",
	 "t.yaml:1:29: error: unknown key 'same_dye' in 'machine.latency.clean'; did you mean "
	 "'same_die'?"},
	{"machine: {latency: 5ns}",
	 "t.yaml:1:20: error: 'latency' is a map of keys such as 'clean', not a value"},
	{"machine: {latency.clean.same_die: 5ns}", "t.yaml:1:11: error: unknown key"},
	{"workload: {flows: {threads: 3}}", "t.yaml:1:20: error: unknown key 'threads' in 'flows'"},
	{"workload: {flows: }", "t.yaml:1:19: error: 'flows' has no value"},
	{"workload: {flows: [[1]]}",
	 "t.yaml:1:20: error: 'flows' must be one value or a list of values, not a list"},
	{"network: {delay: {value: 20us, origin: guess}}",
	 "t.yaml:1:40: error: unknown origin 'guess'"},
	{"network: {delay: {origin: fitted}}",
	 "t.yaml:1:18: error: 'delay' needs 'value' beside its origin"},
	{"network: {delay: 20us,30us}", "t.yaml:1:23: error: unknown key '30us'"},
	{"workload: {threads: \"1,2\"}", "; a list of values is written [a, b]"},
	{"workload: {threads: 64, flows: 16}",
	 "t.yaml:1:32: error: flows (16) must be at least threads (64)"},
	{"workload: {threads: 64, flows: 16}", "t.yaml:1:21: note: 'threads' is 64 here"},
	{"machine: {sockets: 1, cores_per_die: 4}\nworkload: {threads: 9, flows: 9}",
	 "t.yaml:2:21: error: threads (9) must be at most the CPUs of a host: 1 sockets x 1 dies x "
	 "4 "
	 "cores x 2 threads = 8"},
	{"machine: {sockets: 1, cores_per_die: 4}\nworkload: {server_threads: 9}",
	 "t.yaml:2:28: error: server_threads (9) must be at most"},
	{"workload: {flows: 30000}",
	 "t.yaml:1:19: error: flows (30000) need as many local ports, but 32768-60999 has 28232\n"},
	{"workload: {flows: 28232}\nkernel: {reserved_ports: \"40000,50000-50001,1\"}",
	 "but 32768-60999 has 28232, 3 of them reserved"},
	{"kernel: {reserved_ports: \"80-\"}",
	 "t.yaml:1:26: error: reserved_ports: '80-' is no port"},
	{"kernel: {reserved_ports: \"80,90-70\"}", "'90-70' is no port"},
	{"kernel: {reserved_ports: \"65536\"}", "'65536' is no port"},
	{"kernel: {port_low: 5000, port_high: 5000}",
	 "t.yaml:1:20: error: port_low (5000) must be below port_high (5000)"},
	{"run: {at_most: 1ms}", "t.yaml:1:16: error: at_most (1ms) must be at least the warm-up "
				"and two batches: 20ms + 2 x "
				"10ms = 40ms"},
	{"run: {until: {metric: throughput}}",
	 "t.yaml:1:23: error: unknown metric 'throughput'; did you mean"},
	{"run: {until: {metric: throughput_ratio}}",
	 "t.yaml:1:23: error: until.metric cannot be throughput_ratio, which is known only after"},
	{"kernel: {ehash_buckets: 1000}",
	 "t.yaml:1:25: error: ehash_buckets (1000) must be a power of two"},
	{"kernel: {ehash_locks_die: 2}", "t.yaml:1:27: error: ehash_locks_die (2) must be below "
					 "the number of dies: 2 sockets x 1 dies "
					 "= 2, counted from 0"},
	{"expect: [{metric: throughput_pers, published: 1}]",
	 "t.yaml:1:19: error: unknown metric 'throughput_pers'; did you mean 'throughput_per_s'?"},
	{"expect: [{metric: profile.client., published: 1}]", "error: unknown metric"},
	{"expect: [{metric: throughput_per_s, published: \"47,426\"}]",
	 "'published' must be a number without a unit, not '47,426'; write 47426"},
	{"expect: [{metric: throughput_per_s}]", "t.yaml:1:10: error: 'published' is missing"},
	{"expect: [{published: 1}]", "t.yaml:1:10: error: 'metric' is missing"},
	{"expect: [{metric: throughput_per_s, published: 1, within: 0.2}]",
	 "'within' is a share and needs a percent sign; '0.2' is 20%"},
	{"expect: [{metric: throughput_per_s, published: 1, when: {kernel.conect: S0}}]",
	 "t.yaml:1:58: error: unknown key 'kernel.conect' in 'when'; did you mean "
	 "'kernel.connect'?"},
	{"expect: [{metric: throughput_per_s, published: 1, when: {kernel.connect: S9}}]",
	 "t.yaml:1:74: error: 'connect' cannot be 'S9'"},
	{"run: {seed: 1, seed: 2}", "t.yaml:1:16: error: 'seed' is given twice\n  run: {seed: 1, "
				    "seed: 2}\n                 ^\n"
				    "t.yaml:1:7: note: first given here"},
	{"- run",
	 "t.yaml:1:1: error: a scenario is a map of sections (machine, kernel, ...), not a list"},
	{"", "t.yaml: error: is empty"},
	{"# only this\n", "t.yaml: error: is empty"},
	{"\357\273\277run: {}", "t.yaml:1:1: error: starts with a byte order mark"},
	{"run:\n \tseed: 1\n", "t.yaml:2:2: error: a tab as indentation"},
	{"description: gr\374n", "t.yaml:1:16: error: is not text: these bytes are not UTF-8"},
	{"run: {}\n---\nkernel: {}\n", "t.yaml:2:1: error: a second document starts here"},
	{"run: &a {until: *a}", "t.yaml:1:6: error: this value contains itself"},
	{"run: &a {seed: 1}\nkernel: {<<: *a}",
	 "t.yaml:2:10: error: the merge key '<<' is not supported"},
	{"run: !!map {seed: !!int 1}", "t.yaml:1:19: error: tags such as"},
};

START_TEST(wrong_scenarios)
{
	char *said = complaints(wrong[_i].text, NULL);

	if (!strstr(said, wrong[_i].said))
		ck_abort_msg("for:\n%s\nexpected: %s\nsaid:\n%s", wrong[_i].text, wrong[_i].said,
			     said);
	free(said);
}
END_TEST

START_TEST(all_at_once)
{
	char *said = complaints("machine: {sokets: 2, clock: 2.1}\n"
				"kernel: {connect: S7}\n"
				"network: {rate: 10Gbps}\n"
				"workload: {threads: many, flows: 0}\n",
				NULL);
	int lines = 0;

	for (const char *p = said; (p = strstr(p, ": error: ")); p++)
		lines++;
	ck_assert_int_eq(lines, 6);
	free(said);
}
END_TEST

START_TEST(depth)
{
	GString *text = g_string_new("run: ");
	char *said;

	for (int i = 0; i < 64; i++)
		g_string_append_c(text, '[');
	said = complaints(text->str, NULL);
	ck_assert_ptr_nonnull(strstr(said, "t.yaml:1:69: error: more than 64 levels deep"));
	free(said);
	g_string_free(text, TRUE);
}
END_TEST

START_TEST(unreadable)
{
	struct eh_messages *msgs = eh_messages_new();
	char *large = g_strnfill((1 << 20) + 1, '#');

	ck_assert_ptr_null(eh_scenario_load("absent.yaml", NULL, msgs));
	ck_assert_ptr_null(eh_scenario_load("/", NULL, msgs));
	ck_assert_ptr_null(eh_scenario_load("/dev/zero", NULL, msgs));
	ck_assert_int_eq(eh_messages_errors(msgs), 3);
	put("large.yaml", large);
	ck_assert_ptr_null(eh_scenario_load("large.yaml", NULL, msgs));
	ck_assert_int_eq(eh_messages_errors(msgs), 4);
	g_free(large);
	eh_messages_free(msgs);
}
END_TEST

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

/* A wrong point in the middle of a sweep is found before anything runs. */
START_TEST(sweep_checked)
{
	char *said = complaints("workload: {threads: [1, 8], flows: [4, 8, 16]}\n", NULL);

	ck_assert_ptr_nonnull(
		strstr(said, "t.yaml:1:37: error: flows (4) must be at least threads (8)"));
	ck_assert_ptr_null(strstr(said, "flows (8)"));
	free(said);
	said = complaints("workload: {flows: [1, 2]}\nrun: {seed: [1, 2, x]}\n", NULL);
	ck_assert_ptr_nonnull(strstr(said, "t.yaml:2:20: error: 'seed' must be a whole number"));
	free(said);
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
	ck_assert_uint_eq(fitted->len, 1);
	ck_assert_str_eq(((struct eh_pair *)fitted->pdata[0])->key, "kernel.connect");
	ck_assert_str_eq(((struct eh_pair *)fitted->pdata[0])->value, "S1 (fitted on D0)");
	eh_scenario_free(s);
}
END_TEST

static const struct {
	const char *set, *said;
} sets[] = {
	{"run.sed=1", "--set run.sed=1: error: unknown key 'run.sed'; did you mean 'run.seed'?"},
	{"seed=1", "--set seed=1: error: unknown key 'seed'; did you mean 'run.seed'?"},
	{"run.seed", "--set run.seed: error: write it as --set SECTION.KEY=VALUE"},
	{"run.seed=", "--set run.seed=: error: 'seed' has no value"},
	{"run.seed=x", "--set run.seed=x: error: 'seed' must be a whole number"},
	{"run.seed=[1, x]", "--set run.seed=[1, x]:1:5: error: 'seed' must be a whole number"},
	{"run.seed=[1", "--set run.seed=[1:2:1: error: "},
	{"machine.file=absent.yaml", "absent.yaml: error: cannot be read: No such file"},
};

START_TEST(wrong_sets)
{
	const char *one[] = {sets[_i].set, NULL};
	char *said = complaints("run: {}", one);

	if (!strstr(said, sets[_i].said))
		ck_abort_msg("expected: %s\nsaid:\n%s", sets[_i].said, said);
	free(said);
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
	"note: \"a\"}\n",
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
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tcase, make_folder, drop_folder);
	tcase_add_loop_test(tcase, wrong_scenarios, 0, G_N_ELEMENTS(wrong));
	tcase_add_test(tcase, all_at_once);
	tcase_add_test(tcase, depth);
	tcase_add_test(tcase, unreadable);
	tcase_add_test(tcase, defaults);
	tcase_add_test(tcase, tables);
	tcase_add_test(tcase, explain);
	tcase_add_test(tcase, sweep);
	tcase_add_test(tcase, sweep_checked);
	tcase_add_test(tcase, set_beats_file);
	tcase_add_loop_test(tcase, wrong_sets, 0, G_N_ELEMENTS(sets));
	tcase_add_test(tcase, preset);
	tcase_add_loop_test(tcase, show_is_stable, 0, G_N_ELEMENTS(shown));
	tcase_add_test(tcase, expectations);
	tcase_add_test(tcase, copies);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
