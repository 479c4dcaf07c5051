/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab.h"

#include <string.h>

const struct eh_workload_kind eh_workload_kinds[] = {
	[EH_TCP_CRR] = {.name = "tcp_crr", .help = "neper's tcp_crr between two hosts"},
	[EH_TCP_STREAM] = {.name = "tcp_stream",
			   .help = "neper's tcp_stream between two hosts: bulk data one way"},
	[EH_LAB_LINE] = {.name = "line",
			 .help = "words that several CPUs load, store and add to",
			 .lab = &eh_lab_line},
	[EH_LAB_LOCK] = {.name = "lock",
			 .help = "take a lock, work, release it, work",
			 .lab = &eh_lab_lock},
	[EH_LAB_READ_SIDE] = {.name = "read_side",
			      .help = "RCU, SRCU, reference counts and read locks",
			      .lab = &eh_lab_read_side},
	[EH_LAB_HASH] = {.name = "hash",
			 .help = "lookups and updates in a hash table",
			 .lab = &eh_lab_hash},
	[EH_LAB_RCU] = {.name = "rcu",
			.help = "who waits for RCU's grace periods, and whom they wait for",
			.lab = &eh_lab_rcu_loop},
	[EH_LAB_BIND] = {.name = "bind",
			 .help = "bind() of a socket, and its close",
			 .lab = &eh_lab_bind},
	[EH_LAB_SLAB] = {.name = "slab",
			 .help = "allocations and frees of kernel objects",
			 .lab = &eh_lab_slab},
	[EH_LAB_SYN_FLOOD] = {.name = "syn_flood",
			      .help = "SYNs to one listener, as fast as its host can take them",
			      .lab = &eh_lab_syn_flood},
	[EH_LAB_CHAIN] = {.name = "chain",
			  .help = "one stream whose socket stands behind others in its chain",
			  .lab = &eh_lab_chain},
	[EH_LAB_EHASH2004] = {.name = "ehash2004",
			      .help = "packets of connections in the established table of 2004",
			      .lab = &eh_lab_ehash2004,
			      .ehash2004 = true},
	[EH_LAB_TRANSFER] = {.name = "transfer",
			     .help = "a file that a host of 2004 receives through a hub",
			     .lab = &eh_lab_transfer,
			     .ehash2004 = true,
			     .link = true,
			     .leads = "lookup_cycles"},
	{.name = NULL},
};

/* Of section workload: all but these belong to tcp_crr alone or, as "line.op", to that kind. */
static const char *const common[] = {"kind", "threads", NULL};
static const char *const of_any_lab[] = {"placement", "start_within", NULL};
/* Of section kernel: scheduler, RCU and slab; the rest is the network's. */
static const char *const of_any_host[] = {
	"hz",
	"cost.spin_unlock",
	"cost.rcu_all_qs",
	"cost.schedule",
	"cost.wakeup",
	"cost.gp_node",
	"cost.fqs_cpu",
	"cost.rcu_core",
	"cost.call_rcu",
	"cost.rcu_invoke",
	"cost.ipi_send",
	"cost.ipi",
	"cost.tick",
	"cost.gp_report",
	"cost.kfree_rcu",
	"cost.kfree_rcu_work",
	"cost.slab",
	"cost.slab_array",
	"cost.slab_bulk",
	"cost.slab_slow",
	"cost.slab_take",
	"cost.slab_put",
	"cost.slab_init",
	"cost.slab_alien",
	"cost.slab_new",
	"cost.page",
	"cost.page_zone",
	"allocator",
	"alien",
	"alien_limit",
	"slab_refill",
	"slub_bulk",
	"pcp_batch",
	"pcp_high",
	"pcp_order",
	NULL,
};

/* Of section workload: what tcp_stream has not of tcp_crr. */
static const char *const of_messages[] = {"request", "response", "reconnect", "time_wait",
					  "setup_placement", NULL};

/* ... and what only bulk data meet. */
static const char *const of_bulk[] = {"tso", "gro", "tcp_rmem", "tcp_wmem", "cost.rx_frame", "cost.gro_merge",
				      "cost.copy", "cost.copy_frag", "cost.release_frag", "cost.clean_skb",
				      "mtu", "ring", "ddio", NULL};

/* ... and what bind() is made of. */
static const char *const of_bind[] = {
	"bhash2",	  "port_low",	    "port_high",     "cost.syscall",	 "cost.bind",
	"cost.get_port",  "cost.conflict",  "cost.scan_loop", "cost.spin_lock", "cost.bh_enable",
	"cost.bind_hash", "cost.bind_bucket", "cost.put_port", "cost.cond_resched", NULL,
};

/* ... and what a host of 2004 does with a frame. */
static const char *const of_transfer[] = {
	"cost.syscall", "cost.epoll_wait", "cost.recvmsg", "cost.lock_sock", "cost.release_sock",
	"cost.transmit", "cost.ip_xmit", "cost.dev_xmit", "cost.xmit_done", "cost.hardirq",
	"cost.rx_action", "cost.gro", "cost.netif_receive", "cost.ip_rcv", "cost.tcp_rcv",
	"cost.rcv_established", "cost.readable", "rate", "delay", NULL,
};

static bool streams(const struct eh_workload_kind *kind)
{
	return kind == &eh_workload_kinds[EH_TCP_STREAM];
}

static bool workload_key(const struct eh_workload_kind *kind, const char *key)
{
	const char *dot = strchr(key, '.');

	if (dot)
		return (kind->lab || streams(kind)) && !strncmp(key, kind->name, strlen(kind->name)) &&
		       key + strlen(kind->name) == dot;
	if (g_strv_contains(common, key))
		return true;
	if (streams(kind) && g_strv_contains(of_messages, key))
		return false;
	return g_strv_contains(of_any_lab, key) == (kind->lab != NULL);
}

static bool of_ehash2004(const char *key)
{
	return g_str_has_prefix(key, "ehash2004.") || !strcmp(key, "ehash_buckets");
}

static bool networked(const struct eh_workload_kind *kind)
{
	return !kind->lab || kind->lab->networked;
}

bool eh_workload_takes(const struct eh_workload_kind *kind, const char *section, const char *key)
{
	if (!strcmp(section, "workload"))
		return workload_key(kind, key);
	if ((!strcmp(section, "kernel") || !strcmp(section, "network")) && g_strv_contains(of_bulk, key))
		return streams(kind);
	if (kind->lab == &eh_lab_transfer && g_strv_contains(of_transfer, key))
		return true;
	if (!strcmp(section, "network"))
		return networked(kind);
	if (!strcmp(section, "kernel") && kind->ehash2004 && of_ehash2004(key))
		return true;
	if (!strcmp(section, "kernel") && g_str_has_prefix(key, "ehash2004."))
		return false;
	if (!strcmp(section, "kernel") && kind->lab == &eh_lab_bind && g_strv_contains(of_bind, key))
		return true;
	if (!strcmp(section, "kernel"))
		return networked(kind) || g_str_has_prefix(key, "rcu.") || g_strv_contains(of_any_host, key);
	return true;
}
