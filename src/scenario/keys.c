/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/config.h>

#define AT(field) offsetof(struct eh_run_config, field)

static const char *const start_words[] = {"cold", "steady", "setup", NULL};

static const char *const detail_words[] = {"full", "sampled", NULL};

static const char *const warmup_end_words[] = {"fixed", "found", NULL};

const struct eh_key eh_run_keys[] = {
	{"start", EH_KEY_ENUM, AT(start), "steady", .words = start_words, .origin = EH_CHOSEN,
	 .source = "",
	 .help = "cold: from the first connect, set-up included, as neper runs. steady: all flows "
		 "connected, ports and queues as in the middle of a run. setup: the set-up alone."},
	{"warmup", EH_KEY_TIME, AT(warmup), "20ms", "0ns", "1000s", .origin = EH_CHOSEN,
	 .source = "", .help = "Simulated time cut off before measuring (steady start only)."},
	{"warmup_end", EH_KEY_ENUM, AT(warmup_end), "fixed", .words = warmup_end_words,
	 .origin = EH_CHOSEN, .source = "",
	 .help = "fixed: the warm-up ends at run.warmup. found: from there on batches are looked at, 10, "
		 "then 20, 40 and so on, until the MSER rule cuts fewer than half of them; all of these are "
		 "cut, and measuring begins. The metric looked at is until.metric."},
	{"length", EH_KEY_TIME, AT(length), "10s", "1us", "100000s", .origin = EH_CHOSEN,
	 .source = "neper -l",
	 .help = "Measured window when until.within is 0%, and of a cold run."},
	{"at_most", EH_KEY_TIME, AT(at_most), "10s", "1us", "100000s", .origin = EH_CHOSEN,
	 .source = "", .help = "A run that waits for its precision ends here all the same."},
	{"until.metric", EH_KEY_STRING, AT(until_metric), "throughput_per_s", .origin = EH_CHOSEN,
	 .source = "", .help = "The metric whose precision ends a steady run: throughput_per_s, "
			     "candidates_per_connect, ns_per_candidate or stime_per_transaction_s; of a "
			     "laboratory kind throughput_per_s (its ops_per_s), ns_per_op, "
			     "ns_per_section, one_way_ns, lock_wait_mean_s, lock_contended_share, bind_ns or "
			     "transfers_per_op."},
	{"until.within", EH_KEY_SHARE, AT(until_within), "1%", "0%", "100%", .origin = EH_CHOSEN,
	 .source = "",
	 .help = "Half width of its 95 % interval, as a share of the mean. 0%: run for run.length."},
	{"batch", EH_KEY_TIME, AT(batch), "10ms", "1us", "1000s", .origin = EH_CHOSEN, .source = "",
	 .help = "Length of one batch of the batch-means interval."},
	{"repeat", EH_KEY_INT, AT(repeat), "1", "1", "1000", .origin = EH_CHOSEN, .source = "",
	 .help = "Runs of each point, with the seeds seed, seed + 1 and so on; its numbers are then "
		 "means with Student-t intervals over them, and ratios between points pair equal "
		 "seeds."},
	{"detail", EH_KEY_ENUM, AT(detail), "full", .words = detail_words, .origin = EH_CHOSEN,
	 .source = "",
	 .help = "full: every candidate port is simulated. sampled: the rejected ones only in stretches; in "
		 "between a search walks the exact occupancy of the ports, at costs measured in the stretch "
		 "before, and all else is simulated as always."},
	{"sample.period", EH_KEY_TIME, AT(sample.period), "160ms", "10us", "1000s", .origin = EH_CHOSEN,
	 .source = "", .help = "Sampled: one stretch in each period, at a random instant."},
	{"sample.warmup", EH_KEY_TIME, AT(sample.warmup), "4ms", "0ns", "1000s", .origin = EH_CHOSEN,
	 .source = "a candidate of S1 and S2 on 480 CPUs costs as much as at 8 ms, 11 and 20 % less than at 1 ms",
	 .help = "Sampled: so long before each stretch is simulated in detail without being measured. Private "
		 "caches fill in it: a search should have come round."},
	{"sample.stretch", EH_KEY_TIME, AT(sample.stretch), "1ms", "1us", "1000s", .origin = EH_CHOSEN,
	 .source = "", .help = "Sampled: length of a measured stretch."},
	{"sample.candidates", EH_KEY_INT, AT(sample.candidates), "10000", "1000", "1000000000",
	 .origin = EH_CHOSEN, .source = "",
	 .help = "Sampled: a stretch with fewer candidate ports goes on until it has so many."},
	{"seed", EH_KEY_INT, AT(seed), "1", "0", "9223372036854775807", .origin = EH_CHOSEN,
	 .source = "", .help = "Seed of all random streams; the same for all points of a sweep."},
	{.name = NULL},
};
