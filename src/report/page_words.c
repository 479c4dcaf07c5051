/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page.h"

#include <string.h>

static const struct {
	const char *metric, *words;
} words[] = {
	{"throughput_per_s", "transactions per second of all client threads together"},
	{"latency_mean_s", "mean time of a transaction, as neper measures it"},
	{"latency_min_s", "shortest transaction"},
	{"latency_max_s", "longest transaction"},
	{"latency_stddev_s", "standard deviation of the transactions' times"},
	{"latency_p50_s", "half of the transactions took no longer"},
	{"latency_p90_s", "90 % of the transactions took no longer"},
	{"latency_p99_s", "99 % of the transactions took no longer"},
	{"utime_s", "time of the client's threads in user space, summed over the measured window"},
	{"stime_s", "time of the client's threads in the kernel, summed over the measured window"},
	{"utime_per_transaction_s", "user time of the client per transaction"},
	{"stime_per_transaction_s", "kernel time of the client per transaction"},
	{"busy_cpus", "CPUs of the client that are busy, on average"},
	{"candidates_per_connect", "local ports that a connect() looks at before one is free"},
	{"ns_per_candidate",
	 "time of the port search per port looked at, waiting for locks included"},
	{"setup_stime_s", "kernel time of the connects before the start, one after another"},
	{"setup_candidates", "local ports looked at by these connects"},
	{"setup_ns_per_candidate", "time of these searches per port looked at"},
	{"throughput_ratio", "throughput over that of the baseline"},
	{"ops_per_s", "operations per second of all threads together"},
	{"ns_per_op", "time between two operations of the host, the inverse of ops_per_s"},
	{"ns_per_section", "time of an operation as one thread sees it"},
	{"one_way_ns", "time of one hop of the ping-pong"},
	{"fairness", "fewest operations of a thread over most operations of a thread: 1 is fair"},
	{"lock_wait_mean_s", "wait for the lock, mean over all acquisitions"},
	{"lock_contended_share", "share of the acquisitions that had to wait"},
	{"skb_kept_bytes", "memory of the socket buffers that sockets keep, at the end"},
	{"skb_flush_s", "from memory pressure until sockets kept none"},
	{"skb_flushed", "socket buffers that memory pressure freed"},
	{"reader_busy_cpus", "CPUs of the server whose threads read, as far as they are busy"},
	{"softirq_busy_cpus", "the server's other CPUs, as far as they are busy"},
	{"reader_copy_share", "of the readers' CPUs: copying to the user"},
	{"reader_release_share", "of the readers' CPUs: skb_release_data, the references of pages"},
	{"reader_pages_share", "of the readers' CPUs: pages given back"},
	{"reader_slab_share", "of the readers' CPUs: objects given back"},
	{"reader_locks_share", "of the readers' CPUs: spinlocks"},
	{"lookup_cycles", "clock cycles of a lookup in the established table"},
	{"lookup_ticks", "ticks of the timer that find a CPU in a lookup while one file is received"},
	{"transfer_s", "time of one file, from the bytes received in the window"},
	{"whole_transfer_s", "time of the files that began and ended in the run, on average"},
	{"stack_cpus", "CPUs that the network's code keeps busy, system calls included"},
	{"stack_ns_per_segment", "the same per segment received"},
	{"lines_per_lookup", "cache lines that a lookup gets from another CPU"},
	{"interrupts_per_s", "interrupts of the adapter, of all CPUs"},
	{"interrupts_most_per_s", "the same of the CPU that gets most of them"},
	{"interrupts_least_per_s", "the same of the CPU that gets fewest"},
	{"collisions_per_s", "collisions on the hub"},
	{"transfers_per_op", "cache lines that CPUs took from each other, per operation"},
};

const char *page_word(const struct view *v, const char *metric)
{
	if (!strcmp(metric, "throughput_per_s") && !strcmp(page_value(v, "workload.kind"), "tcp_stream"))
		return "Mbit/s of all flows together";
	for (guint i = 0; i < G_N_ELEMENTS(words); i++)
		if (!strcmp(words[i].metric, metric))
			return words[i].words;
	return NULL;
}

void page_words(const struct view *v, GString *out)
{
	g_string_append(out, "<h3>What the metrics mean</h3>\n<ul class=\"pale\">\n");
	for (guint i = 0; i < v->metrics->len; i++) {
		const char *metric = g_ptr_array_index(v->metrics, i), *text = page_word(v, metric);

		if (!text)
			continue;
		g_string_append(out, "<li>");
		html_printf(out, "%s: %s", metric, text);
		g_string_append(out, "</li>\n");
	}
	g_string_append(out, "</ul>\n");
}
