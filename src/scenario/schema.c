/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "settings.h"
#include <string.h>

const struct eh_section eh_sections[] = {
	{"machine", eh_machine_keys, offsetof(struct eh_values, machine),
	 "The hosts: topology, cores, caches and the time a cache line takes to arrive."},
	{"kernel", eh_kernel_keys, offsetof(struct eh_values, kernel),
	 "The kernel of both hosts: switches between code paths, sysctls, lengths of paths."},
	{"network", eh_network_keys, offsetof(struct eh_values, network),
	 "The link between the hosts and their network cards."},
	{"workload", eh_workload_keys, offsetof(struct eh_values, workload),
	 "What runs on the hosts: neper's options, or a loop of the laboratory."},
	{"run", eh_run_keys, offsetof(struct eh_values, run),
	 "How long to simulate, from which start, how precisely."},
	{NULL, NULL, 0, NULL},
};

const char *const eh_metric_words[] = {
	"throughput_per_s",	   "throughput_ratio",	      "latency_mean_s",
	"latency_min_s",	   "latency_max_s",	      "latency_stddev_s",
	"latency_p50_s",	   "latency_p90_s",	      "latency_p99_s",
	"candidates_per_connect",  "ns_per_candidate",	      "setup_ns_per_candidate",
	"stime_per_transaction_s", "utime_per_transaction_s", "setup_stime_s",
	"stime_start_s",	   "num_transactions",	      "num_samples",
	"ops_per_s",		   "ns_per_op",		      "ns_per_section",
	"one_way_ns",		   "fairness",		      "lock_wait_mean_s",
	"lock_contended_share",	   "transfers_per_op",	      "grace_periods_per_s",
	"gp_mean_s",		   "gp_p50_s",		      "gp_p99_s",
	"gp_max_s",		   "gp_wait_mean_s",	      "gp_wait_p50_s",
	"gp_wait_max_s",	   "rcu_waiting_peak",	      "rcu_waiting_peak_bytes",
	"bind_ns",		   "alloc_ns",		      "free_ns",
	"alloc_cycles",		   "free_cycles",	      "object_cycles",
	"reader_busy_cpus",	   "softirq_busy_cpus",	      "reader_copy_share",
	"reader_release_share",	   "reader_pages_share",      "reader_slab_share",
	"reader_locks_share",	   "skb_kept_bytes",	      "skb_flush_s",
	"skb_flushed",
	"lookup_ns",
	"lookup_cycles",
	"packet_ns",
	"connection_ns",
	"dance_ns",
	"resets_per_million",
	"tomb_waits_per_million",
	"tomb_wait_ns",
	"late_per_million",
	"twice_per_million",
	"missed_per_million",
	"bucket_ns",
	"use_after_free_per_million",
	"double_free_per_million",
	"resurrected_per_million",
	"put_again_per_million",
	"held_at_free_per_million",
	"restarts_per_million",
	"lookup_ticks",
	"lines_per_lookup",
	"transfer_s",
	"whole_transfer_s",
	"stack_cpus",
	"stack_ns_per_segment",
	"interrupts_per_s",
	"interrupts_most_per_s",
	"interrupts_least_per_s",
	"collisions_per_s",
	"profile.client.SYMBOL",
	"profile.server.SYMBOL",   NULL,
};

const struct eh_expect_word eh_expect_words[] = {
	{"metric", "The number that is compared."},
	{"published", "The figure that somebody printed; of profiles also in %."},
	{"within", "How far the simulated number may lie from it, as a share such as 20%. Without "
		   "it the row is printed for the record and decides nothing."},
	{"row", "A name for the row of the source."},
	{"fitted", "true if a number of the scenario was fitted on this row."},
	{"when", "Compare only at points where every key named here has this value."},
	{"note", "A remark; of a row without within, the reason why nothing is compared."},
	{NULL, NULL},
};

const char **eh_expect_names(void)
{
	const char **names = g_new0(const char *, G_N_ELEMENTS(eh_expect_words));

	for (int i = 0; eh_expect_words[i].name; i++)
		names[i] = eh_expect_words[i].name;
	return names;
}

bool eh_key_swept(const struct eh_section *section, const struct eh_key *key)
{
	return strcmp(section->name, "machine") ||
	       (strcmp(key->name, "file") && strcmp(key->name, "preset"));
}

const char *eh_metric_profile(const char *metric, bool *server)
{
	static const char client[] = "profile.client.", serving[] = "profile.server.";

	*server = g_str_has_prefix(metric, serving);
	if (!*server && !g_str_has_prefix(metric, client))
		return NULL;
	metric += *server ? strlen(serving) : strlen(client);
	return *metric ? metric : NULL;
}

const char *eh_key_source(const struct eh_key *key)
{
	return key->source && *key->source ? key->source : NULL;
}

const struct eh_section *eh_section_find(const char *name)
{
	for (const struct eh_section *section = eh_sections; section->name; section++)
		if (!strcmp(section->name, name))
			return section;
	return NULL;
}
