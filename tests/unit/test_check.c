/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scratch.h"
#include "suite.h"

#include <string.h>

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
	{"machine: {latency.clean.same_die: 5ns}", "names with dots are for --set, write here latency: {clean: {same_die: ...}}"},
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
	{"workload: {kind: lck}",
	 "t.yaml:1:18: error: 'kind' cannot be 'lck'; did you mean 'lock'? (one of tcp_crr, tcp_stream, line, lock, "
	 "read_side, hash, rcu, bind, slab, syn_flood, chain, ehash2004, transfer)"},
	{"workload: {kind: lock, lock: {kind: tiket}}",
	 "t.yaml:1:37: error: 'lock.kind' cannot be 'tiket'; did you mean 'ticket'?"},
	{"workload: {kind: lock, flows: 16}",
	 "t.yaml:1:31: error: 'workload.flows' means nothing to workload.kind lock, only to tcp_crr"},
	{"workload: {kind: lock, line: {op: padded}}",
	 "t.yaml:1:35: error: 'workload.line.op' means nothing to workload.kind lock, only to line"},
	{"workload: {placement: spread}",
	 "t.yaml:1:23: error: 'workload.placement' means nothing to workload.kind tcp_crr, only to line, "
	 "lock, read_side, hash, rcu, bind, slab, syn_flood, chain"},
	{"workload: {kind: hash}\nnetwork: {delay: 1us}", "'network.delay' means nothing"},
	{"workload: {kind: hash}\nkernel: {connect: S1}", "'kernel.connect' means nothing"},
	{"workload: {kind: hash}\nrun: {start: cold}",
	 "t.yaml:2:14: error: a laboratory kind (hash) has no set-up; write start: steady"},
	{"workload: {kind: line}\nrun: {until: {metric: ns_per_candidate}}",
	 "t.yaml:2:23: error: unknown metric 'ns_per_candidate' (of those that can end a run)"},
	{"run: {until: {metric: ops_per_s}}",
	 "t.yaml:1:23: error: unknown metric 'ops_per_s' (of those that can end a run)"},
	{"machine: {sockets: 1, cores_per_die: 4}\nworkload: {kind: line, threads: 9}",
	 "t.yaml:2:33: error: threads (9) must be at most the CPUs of a host"},
	{"machine: {sockets: 1}\nworkload: {kind: line, line: {op: ping_pong, pair: other_socket}}",
	 "t.yaml:2:52: error: this pair needs a host that has groups of two sockets"},
	{"machine: {threads_per_core: 1}\nworkload: {kind: line, line: {op: ping_pong, pair: smt}}",
	 "this pair needs a host that has cores with two threads"},
	{"workload: {kind: line, threads: 8, line: {op: ping_pong}}",
	 "t.yaml:1:33: error: a ping_pong has 2 threads, not 8"},
	{"machine: {sockets: 1}\nworkload: {kind: line, line: {home: 1}}",
	 "t.yaml:2:37: error: home (1) must be below the number of dies: 1, counted from 0"},
	{"machine: {cores_per_die: 64}\nworkload: {kind: line, threads: 65, line: {op: false_sharing}}",
	 "t.yaml:2:33: error: threads (65) with a word each in one line of 64 bytes"},
	{"workload: {kind: read_side, threads: 2, read_side: {writers: 3}}",
	 "t.yaml:1:62: error: writers (3) must be at most threads (2)"},
	{"workload: {kind: read_side, threads: 2, read_side: {writers: 3}}", "'threads' is 2 here"},
	{"workload: {kind: hash, hash: {updates: 1%}}",
	 "t.yaml:1:40: error: updates need a protection: global, bucket or rcu"},
	{"machine: {cache: {l1_lines: 64, l2_lines: 64}}\nworkload: {kind: hash}",
	 "t.yaml:1:43: error: l2_lines (64) must be larger: what the threads touch takes"},
	{"machine: {sockets: 1, cores_per_die: 4}\nworkload: {threads: 9, flows: 9}",
	 "t.yaml:2:21: error: threads (9) must be at most the CPUs of a host: 1 sockets x 1 dies x "
	 "4 "
	 "cores x 2 threads = 8"},
	{"machine: {sockets: 1, cores_per_die: 4}\nworkload: {server_threads: 9}",
	 "t.yaml:2:28: error: server_threads (9) must be at most"},
	{"workload: {flows: 30000}",
	 "t.yaml:1:19: error: flows (30000) need as many local ports, but 32768-60999 has "
	 "60999 - 32768 + 1 = 28232; widen the range or take at most 28232 flows\n"},
	{"workload: {flows: 28232}\nkernel: {reserved_ports: \"40000,50000-50001,1\"}",
	 "= 28232, 3 of them reserved; widen the range or take at most 28229 flows"},
	{"kernel: {reserved_ports: \"80-\"}",
	 "t.yaml:1:26: error: reserved_ports: '80-' is no port"},
	{"kernel: {reserved_ports: \"80,90-70\"}", "'90-70' is no port"},
	{"kernel: {reserved_ports: \"65536\"}", "'65536' is no port"},
	{"kernel: {port_low: 5000, port_high: 5000}",
	 "t.yaml:1:20: error: port_low (5000) must be below port_high (5000)"},
	{"kernel: {port_low: 5000, port_high: 5001}\nworkload: {flows: 2}",
	 "t.yaml:2:19: error: flows (2) leave a steady start no room: of the 2 local ports it keeps "
	 "1 free"},
	{"kernel: {port_low: 5000, port_high: 5009, reserved_ports: \"5001\"}\n"
	 "workload: {flows: 8}",
	 "flows (8) leave a steady start no room: of the 9 local ports it keeps 2 free"},
	{"machine: {sockets: 8, dies_per_socket: 16, cores_per_die: 256}",
	 "t.yaml:1:59: error: a host has at most 65534 CPUs, not 8 sockets x 16 dies x 256 cores x "
	 "2 threads = 65536"},
	{"machine: {cache: {l1_lines: 512, l2_lines: 256}}",
	 "t.yaml:1:29: error: l1_lines (512) must be at most l2_lines (256)"},
	{"machine: {cache: {l1_lines: 8, l2_lines: 64}}",
	 "t.yaml:1:42: error: l2_lines (64) must be larger: ports, 524288 ehash_buckets and 1 "
	 "flows take 106528 lines, and only 65504 can be told apart"},
	{"network: {delay: 1e6ns}", "or min, for example 10us"},
	{"network: {rate: 0x10}", "for example 100Gbit/s"},
	{"machine: {clock: 99999999999999999999s}", "for example 3GHz"},
	{"run: {at_most: 1ms}", "t.yaml:1:16: error: at_most (1ms) must be at least the warm-up "
				"and two batches: 20ms + 2 x "
				"10ms = 40ms"},
	{"run: {until: {metric: throughput}}",
	 "t.yaml:1:23: error: unknown metric 'throughput' (of those that can end a run); did you"},
	{"run: {until: {metric: throughput_ratio}}",
	 "t.yaml:1:23: error: unknown metric 'throughput_ratio' (of those that can end a run)"},
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
	{"run: {seed: 1, seed: 2}", "t.yaml:1:16: error: 'seed' is given twice; remove one of them\n  run: {seed: 1, "
				    "seed: 2}\n                 ^\n"
				    "t.yaml:1:7: note: first given here"},
	{"- run",
	 "t.yaml:1:1: error: a scenario is a map of sections, for example run: {length: 10s}, not a list"},
	{"", "t.yaml:1:1: error: is empty"},
	{"# only this\n", "t.yaml:1:1: error: is empty"},
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
	{"machine.file=absent.yaml", "machine.file=absent.yaml: error: machine file 'absent.yaml' cannot be read: No such file"},
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

int main(void)
{
	Suite *suite = suite_create("check");
	TCase *tcase = tcase_create("check");

	tcase_add_checked_fixture(tcase, make_folder, drop_folder);
	tcase_add_loop_test(tcase, wrong_scenarios, 0, G_N_ELEMENTS(wrong));
	tcase_add_test(tcase, all_at_once);
	tcase_add_test(tcase, depth);
	tcase_add_test(tcase, unreadable);
	tcase_add_loop_test(tcase, wrong_sets, 0, G_N_ELEMENTS(sets));
	tcase_add_test(tcase, sweep_checked);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
