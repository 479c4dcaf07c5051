/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/inet_hash.h>
#include <ehsim/nic.h>
#include <ehsim/skb.h>
#include <ehsim/softnet.h>
#include <ehsim/tcp.h>
#include <ehsim/timer.h>

static struct eh_kmem_cache *make_cache(struct eh_host *h, const char *name, int size, int lines,
					int per_slab)
{
	return eh_kmem_cache_make(h->m, &(struct eh_kmem_spec){name, size, lines, per_slab, 0});
}

/* Size, lines the model touches, and SLUB's objects per slab, of v6.12 x86-64. */
static void make_caches(struct eh_host *h)
{
	const char *tcp = h->ipv6 ? "TCPv6" : "TCP";
	const char *req = h->ipv6 ? "request_sock_TCPv6" : "request_sock_TCP";

	h->sk_cache = make_cache(h, tcp, h->ipv6 ? 2496 : 2368, EH_SOCK_LINES, 13);
	h->req_cache = make_cache(h, req, 320, EH_REQ_LINES, 12);
	h->tw_cache = make_cache(h, h->ipv6 ? "tw_sock_TCPv6" : "tw_sock_TCP", 256, EH_TW_LINES, 32);
	h->tb_cache = make_cache(h, "tcp_bind_bucket", 128, 2, 32);
	h->tb2_cache = make_cache(h, "tcp_bind2_bucket", 128, 2, 32);
	h->skbs = eh_skb_host_new(h);
	h->file_cache = make_cache(h, "filp", 192, 3, 21);
}

static void name_locks(struct eh_host *h)
{
	eh_lock_class_init(&h->ehash_lock, h->m, "ehash_locks");
	eh_lock_class_init(&h->bhash_lock, h->m, "bhash");
	eh_lock_class_init(&h->bhash2_lock, h->m, "bhash2");
	eh_lock_class_init(&h->rskq_lock, h->m, "rskq_lock");
	eh_lock_class_init(&h->ep_lock, h->m, "ep->lock");
	eh_lock_class_init(&h->sock_lock, h->m, "slock");
	eh_lock_class_init(&h->backlog_lock, h->m, "input_pkt_queue.lock");
	eh_lock_class_init(&h->defer_lock, h->m, "defer_lock");
}

static gsl_rng *host_stream(const struct eh_host *h)
{
	char *name = g_strconcat(h->m->name, ".random", NULL);
	gsl_rng *r = eh_stream_new(eh_sim_seed(h->sim), name);

	g_free(name);
	return r;
}

struct eh_host *eh_host_on(struct eh_machine *m, struct eh_sched *sched, struct eh_rcu *rcu,
			   uint32_t addr, const struct eh_kernel_config *kernel,
			   const struct eh_network_config *net)
{
	struct eh_host *h = g_new0(struct eh_host, 1);

	h->sim = m->sim;
	h->kernel = kernel;
	h->net = net;
	h->addr = addr;
	h->ipv6 = net->family == 1;
	h->sym_check = h->ipv6 ? EH_SYM(__inet6_check_established) :
				 EH_SYM(__inet_check_established);
	h->sym_hashfn = h->ipv6 ? EH_SYM(inet6_ehashfn) : EH_SYM(inet_ehashfn);
	h->m = m;
	h->sched = sched;
	h->rcu = rcu;
	for (int i = 0; i < m->ncpus; i++)
		m->cpus[i].host = h;
	h->random = host_stream(h);
	make_caches(h);
	name_locks(h);
	h->hash = eh_inet_hash_new(h);
	return h;
}

struct eh_host *eh_host_new(struct eh_sim *sim, const char *name, uint32_t addr,
			    const struct eh_machine_config *machine,
			    const struct eh_kernel_config *kernel,
			    const struct eh_network_config *net)
{
	struct eh_machine *m = eh_machine_new(sim, name, machine);
	struct eh_sched *sched;
	struct eh_rcu *rcu;
	struct eh_host *h;

	m->ticket_spinlocks = kernel->lock == EH_SPIN_TICKET;
	sched = eh_sched_new(m, kernel);
	rcu = eh_rcu_new(sched, kernel);
	eh_rcu_sizes(rcu, eh_kmem_bytes);
	eh_mm_reap(eh_mm_new(m, kernel), sched);
	h = eh_host_on(m, sched, rcu, addr, kernel, net);
	h->whole = true;
	h->tcp = eh_tcp_host_new(h);
	h->nic = eh_nic_new(h);
	h->softnet = eh_softnet_new(h);
	h->timers = eh_timers_new(h);
	eh_skb_watch(h);
	return h;
}

static void free_below(struct eh_host *h)
{
	eh_mm_free(h->m->mm);
	eh_rcu_free(h->rcu);
	eh_sched_free(h->sched);
	eh_machine_free(h->m);
}

void eh_host_free(struct eh_host *h)
{
	if (!h)
		return;
	eh_skb_unwatch(h);
	eh_softnet_free(h->softnet);
	eh_nic_free(h->nic);
	eh_tcp_host_free(h->tcp);
	eh_timers_free(h->timers);
	eh_inet_hash_free(h->hash);
	eh_kmem_cache_free(h->sk_cache);
	eh_kmem_cache_free(h->req_cache);
	eh_kmem_cache_free(h->tw_cache);
	eh_kmem_cache_free(h->tb_cache);
	eh_kmem_cache_free(h->tb2_cache);
	eh_skb_host_free(h->skbs);
	eh_kmem_cache_free(h->file_cache);
	gsl_rng_free(h->random);
	if (h->whole)
		free_below(h);
	g_free(h);
}
