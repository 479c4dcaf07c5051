/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One host: its machine and the kernel objects that every network path needs. Built by
 * scenario/build.c through eh_host_new; everything in it is owned by it except sim and configs.
 */
#ifndef EHSIM_HOST_H
#define EHSIM_HOST_H

#include <ehsim/qspinlock.h>
#include <ehsim/rcu.h>
#include <ehsim/slab.h>
#include <ehsim/stream.h>
#include <ehsim/task.h>

struct eh_inet_hash; /* established table, bind tables, port search: inet_hash.h */
struct eh_nic;	     /* nic.h */
struct eh_skb_host;  /* skb.h */
struct eh_tcp_host;  /* listeners, pools, counts: tcp.h */
struct eh_timers;    /* timer.h */
struct eh_softnet;

struct eh_host {
	struct eh_sim *sim;
	struct eh_machine *m;
	struct eh_sched *sched;
	struct eh_rcu *rcu;
	const struct eh_kernel_config *kernel;
	const struct eh_network_config *net;
	uint32_t addr; /* its one address */
	bool ipv6;
	int sym_check, sym_hashfn; /* by family */

	bool whole; /* machine, scheduler, RCU and memory are its own */
	struct eh_inet_hash *hash;
	struct eh_nic *nic;
	struct eh_tcp_host *tcp;
	struct eh_timers *timers;
	struct eh_softnet *softnet; /* softnet.h; or NULL */
	struct eh_skb_host *skbs;
	/* lines an object has in the model: see sock.h */
	struct eh_kmem_cache *sk_cache, *req_cache, *tw_cache, *tb_cache, *tb2_cache, *file_cache;
	struct eh_lock_class ehash_lock, bhash_lock, bhash2_lock, rskq_lock, ep_lock, sock_lock,
		backlog_lock, defer_lock;
	gsl_rng *random; /* get_random_u32 */
	uint64_t candidates, connects; /* port search, all connects */
	uint64_t in_hand; /* objects that a CPU is just allocating, sending or freeing: check.h */
	/* Candidates of each search that ends, while somebody wants to know; else NULL. Not the host's. */
	struct eh_hist *searches;
	struct eh_series *walks; /* of them: end, begin (s), first and last port, candidates; likewise */
};

struct eh_host *eh_host_new(struct eh_sim *sim, const char *name, uint32_t addr,
			    const struct eh_machine_config *machine,
			    const struct eh_kernel_config *kernel,
			    const struct eh_network_config *net);
/*
 * The TCP tables on a machine of the laboratory, which keeps it and what runs on it: no interface, no
 * connections.
 */
struct eh_host *eh_host_on(struct eh_machine *m, struct eh_sched *sched, struct eh_rcu *rcu,
			   uint32_t addr, const struct eh_kernel_config *kernel,
			   const struct eh_network_config *net);
void eh_host_free(struct eh_host *h);

#endif
