/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path.h"

#include <ehsim/c2c.h>
#include <ehsim/softnet.h>

#define ENTRIES 32768 /* rps_sock_flow_entries, and rps_flow_cnt of all queues together */
#define SOCK_FLOWS_PER_LINE 16
#define FLOWS_PER_LINE 8
#define WEIGHT 64 /* weight_p */

struct eh_rps_flow {
	uint16_t cpu; /* EH_NO_CPU: none yet */
	uint64_t last; /* tail of that CPU's backlog behind the flow's last packet */
};

static void ipi_arrives(struct eh_event *ev)
{
	struct eh_softnet_cpu *sd = eh_container_of(ev, struct eh_softnet_cpu, ipi);

	sd->ipi_sent = false;
	sd->ipi_here = true;
	eh_cpu_raise(sd->cpu);
}

static void make_tables(struct eh_softnet *s)
{
	const struct eh_host *h = s->host;
	int queues = h->nic->nqueues;

	s->flows_per_queue = 16;
	while (s->flows_per_queue * 2 * (uint32_t)queues <= ENTRIES)
		s->flows_per_queue *= 2;
	s->sock_flow = g_new(uint16_t, ENTRIES);
	for (int i = 0; i < ENTRIES; i++)
		s->sock_flow[i] = EH_NO_CPU;
	s->flows = g_new0(struct eh_rps_flow, s->flows_per_queue * (uint32_t)queues);
	for (uint32_t i = 0; i < s->flows_per_queue * (uint32_t)queues; i++)
		s->flows[i].cpu = EH_NO_CPU;
	s->sock_flow_lines = eh_lines_named(h->m, ENTRIES / SOCK_FLOWS_PER_LINE, -1, "rps_sock_flow_table");
	s->flow_lines = eh_lines_named(h->m, s->flows_per_queue * (uint32_t)queues / FLOWS_PER_LINE, -1,
				       "rps_dev_flow_table");
}

struct eh_softnet *eh_softnet_new(struct eh_host *h)
{
	struct eh_softnet *s;

	if (h->kernel->steering == EH_STEER_OFF && !h->kernel->skb_defer)
		return NULL;
	s = g_new0(struct eh_softnet, 1);
	s->host = h;
	s->cpus = g_new0(struct eh_softnet_cpu, h->m->ncpus);
	for (int i = 0; i < h->m->ncpus; i++) {
		struct eh_softnet_cpu *sd = &s->cpus[i];
		eh_line_id lines = eh_lines_named(h->m, 2, h->m->die_of[i], "softnet_data");

		sd->cpu = &h->m->cpus[i];
		sd->ipi.fn = ipi_arrives;
		eh_spin_init(&sd->lock, lines);
		eh_spin_init(&sd->defer_lock, lines + 1);
		if (h->kernel->steering == EH_STEER_RPS)
			eh_sched_online(h->sched, i);
	}
	if (h->kernel->steering == EH_STEER_RFS)
		make_tables(s);
	return s;
}

void eh_softnet_free(struct eh_softnet *s)
{
	if (!s)
		return;
	for (int i = 0; i < s->host->m->ncpus; i++)
		eh_sim_cancel(s->host->sim, &s->cpus[i].ipi);
	g_free(s->cpus);
	g_free(s->flows);
	g_free(s->sock_flow);
	g_free(s);
}

/* --- interrupts --- */

static void kick(struct eh_cpu *c, struct eh_softnet *s, struct eh_softnet_cpu *sd)
{
	eh_path(c, EH_SYM(smp_call_function_single), s->host->kernel->cost.ipi_send);
	eh_cpu_sync(c, c->retire);
	s->count.ipis++;
	if (sd->ipi_sent || sd->ipi_here)
		return;
	sd->ipi_sent = true;
	eh_sim_at(c->sim, &sd->ipi, c->retire + s->host->m->cfg->ipi);
}

void eh_softnet_interrupt(struct eh_cpu *c, struct eh_softnet *s)
{
	struct eh_softnet_cpu *sd = &s->cpus[c->id];

	if (!sd->ipi_here)
		return;
	sd->ipi_here = false;
	sd->polled |= sd->asked;
	sd->asked = false;
	eh_path(c, EH_SYM(flush_smp_call_function_queue), s->host->kernel->cost.ipi);
	c->softirq_pending = true;
}

/* --- steering --- */

static uint32_t flow_hash(const struct eh_nic *nic, uint32_t saddr, uint16_t sport, uint32_t daddr,
			  uint16_t dport)
{
	const uint64_t words[] = {(uint64_t)saddr << 32 | daddr, (uint64_t)sport << 16 | dport};

	return (uint32_t)eh_siphash(nic->key[0], nic->key[1], words, 2);
}

void eh_rps_record_flow(struct eh_cpu *c, struct eh_host *h, const struct eh_sock *sk)
{
	const int sym = EH_SYM(tcp_recvmsg_locked);
	struct eh_softnet *s = h->softnet;
	uint32_t entry;

	if (!s || !s->sock_flow)
		return;
	entry = flow_hash(h->nic, sk->raddr, sk->rport, sk->laddr, sk->lport) % ENTRIES;
	eh_load(c, sym, s->sock_flow_lines + entry / SOCK_FLOWS_PER_LINE, 0);
	if (s->sock_flow[entry] == c->id)
		return;
	eh_store(c, sym, s->sock_flow_lines + entry / SOCK_FLOWS_PER_LINE);
	s->sock_flow[entry] = c->id;
}

/* The CPU for a packet; *flow: what RFS remembers of the flow, or NULL. EH_NO_CPU: this one, at once. */
static uint16_t rps_cpu(struct eh_cpu *c, struct eh_softnet *s, const struct eh_packet *p, int queue,
			struct eh_rps_flow **flow)
{
	const int sym = EH_SYM(get_rps_cpu);
	uint32_t hash = flow_hash(s->host->nic, p->saddr, p->sport, p->daddr, p->dport), entry;
	struct eh_rps_flow *f;
	uint16_t wanted;

	*flow = NULL;
	eh_path(c, sym, s->host->kernel->cost.rps);
	if (s->host->kernel->steering == EH_STEER_RPS)
		return (uint16_t)((uint64_t)hash * (uint64_t)s->host->m->ncpus >> 32);
	eh_load(c, sym, s->sock_flow_lines + hash % ENTRIES / SOCK_FLOWS_PER_LINE, 0);
	eh_cpu_sync(c, c->retire);
	wanted = s->sock_flow[hash % ENTRIES];
	if (wanted == EH_NO_CPU)
		return EH_NO_CPU;
	entry = (uint32_t)queue * s->flows_per_queue + hash % s->flows_per_queue;
	eh_load(c, sym, s->flow_lines + entry / FLOWS_PER_LINE, 0);
	f = &s->flows[entry];
	if (f->cpu != wanted && (f->cpu == EH_NO_CPU || s->cpus[f->cpu].head >= f->last)) {
		eh_store(c, sym, s->flow_lines + entry / FLOWS_PER_LINE);
		f->cpu = wanted;
	}
	*flow = f;
	return f->cpu;
}

static void deliver(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p)
{
	const struct eh_kernel_cost *cost = &h->kernel->cost;

	eh_path(c, EH_SYM(__netif_receive_skb_core), cost->netif_receive);
	eh_path(c, h->tcp->sym.ip_rcv, cost->ip_rcv);
	eh_tcp_rcv(c, h, p);
}

static void enqueue(struct eh_cpu *c, struct eh_softnet *s, struct eh_softnet_cpu *sd,
		    struct eh_packet *p, struct eh_rps_flow *flow)
{
	const int sym = EH_SYM(enqueue_to_backlog);
	struct eh_softnet_cpu *mine = &s->cpus[c->id];

	eh_path(c, sym, s->host->kernel->cost.backlog);
	eh_spin_lock(c, &sd->lock, &s->host->backlog_lock, EH_SYM(_raw_spin_lock));
	eh_packets_push(&sd->input, p);
	sd->tail++;
	if (flow)
		flow->last = sd->tail;
	s->count.steered += sd != mine;
	if (!sd->scheduled) {
		sd->scheduled = true;
		if (sd == mine) {
			sd->polled = true;
			c->softirq_pending = true;
		} else {
			sd->kick_next = mine->to_kick;
			mine->to_kick = sd;
		}
	}
	eh_spin_unlock(c, &sd->lock, sym, s->host->kernel->cost.spin_unlock);
}

void eh_netif_receive_skb(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p, int queue)
{
	struct eh_rps_flow *flow = NULL;
	uint16_t cpu = EH_NO_CPU;

	if (h->kernel->steering != EH_STEER_OFF)
		cpu = rps_cpu(c, h->softnet, p, queue, &flow);
	if (cpu == EH_NO_CPU)
		deliver(c, h, p);
	else
		enqueue(c, h->softnet, &h->softnet->cpus[cpu], p, flow);
}

static void process_backlog(struct eh_cpu *c, struct eh_softnet *s, struct eh_softnet_cpu *sd)
{
	const int sym = EH_SYM(process_backlog);
	struct eh_host *h = s->host;
	struct eh_packet *p;
	int n = 0;

	while (n < WEIGHT) {
		while (n < WEIGHT && (p = eh_packets_pop(&sd->process))) {
			eh_path(c, sym, h->kernel->cost.backlog);
			eh_touch(c, EH_SYM(__netif_receive_skb_core), p->skb->line + 1, 3, false);
			sd->head++;
			deliver(c, h, p);
			n++;
		}
		if (n == WEIGHT)
			break;
		eh_spin_lock(c, &sd->lock, &h->backlog_lock, EH_SYM(_raw_spin_lock));
		sd->process = sd->input;
		sd->input.head = NULL;
		sd->scheduled = sd->polled = sd->process.head != NULL;
		eh_spin_unlock(c, &sd->lock, sym, h->kernel->cost.spin_unlock);
		if (!sd->scheduled)
			return;
	}
	c->softirq_pending = true;
}

/* --- frees that go home --- */

bool eh_skb_defer(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p)
{
	const int sym = EH_SYM(skb_attempt_defer_free);
	struct eh_softnet *s = h->softnet;
	struct eh_softnet_cpu *sd;
	bool full;

	if (!h->kernel->skb_defer || p->alloc_cpu == c->id)
		return false;
	sd = &s->cpus[p->alloc_cpu];
	eh_path(c, sym, h->kernel->cost.defer);
	eh_store(c, sym, p->skb->line);
	eh_local_bh_disable(c);
	eh_spin_lock(c, &sd->defer_lock, &h->defer_lock, EH_SYM(_raw_spin_lock_bh));
	p->next = sd->defer;
	sd->defer = p;
	full = ++sd->ndefer == h->kernel->skb_defer_max;
	s->count.deferred++;
	eh_spin_unlock(c, &sd->defer_lock, sym, h->kernel->cost.spin_unlock);
	eh_local_bh_enable(c);
	if (full) {
		s->count.kicks++;
		kick(c, s, sd);
	}
	return true;
}

static void flush_deferred(struct eh_cpu *c, struct eh_softnet *s, struct eh_softnet_cpu *sd)
{
	const int sym = EH_SYM(skb_defer_free_flush);
	struct eh_packet *p, *next;

	eh_load(c, sym, sd->defer_lock.line, 0);
	eh_cpu_sync(c, c->retire);
	if (!sd->defer)
		return;
	eh_spin_lock(c, &sd->defer_lock, &s->host->defer_lock, EH_SYM(_raw_spin_lock));
	next = sd->defer;
	sd->defer = NULL;
	sd->ndefer = 0;
	eh_spin_unlock(c, &sd->defer_lock, sym, s->host->kernel->cost.spin_unlock);
	while ((p = next)) {
		next = p->next;
		eh_packet_consume(c, s->host, p);
	}
}

void eh_softnet_action(struct eh_cpu *c, struct eh_softnet *s)
{
	struct eh_softnet_cpu *sd = &s->cpus[c->id], *to;

	if (sd->polled)
		process_backlog(c, s, sd);
	while ((to = sd->to_kick)) {
		sd->to_kick = to->kick_next;
		to->asked = true;
		kick(c, s, to);
	}
	if (s->host->kernel->skb_defer)
		flush_deferred(c, s, sd);
}

/* --- invariants --- */

/* How often sd is in a list; more than once, too, if a list runs in a circle. */
static int listed(const struct eh_softnet *s, const struct eh_softnet_cpu *sd)
{
	int times = 0;

	for (int i = 0; i < s->host->m->ncpus; i++) {
		int n = 0;

		for (const struct eh_softnet_cpu *to = s->cpus[i].to_kick;
		     to && n <= s->host->m->ncpus; to = to->kick_next, n++)
			times += to == sd;
	}
	return times;
}

char *eh_softnet_problem(const struct eh_softnet *s)
{
	for (int i = 0; s && i < s->host->m->ncpus; i++) {
		const struct eh_softnet_cpu *sd = &s->cpus[i];
		int told = sd->polled + sd->asked + listed(s, sd);

		if (told != sd->scheduled)
			return g_strdup_printf("the backlog of CPU %d of %s is scheduled %d times, but in "
					       "line to be polled %d times",
					       i, s->host->m->name, sd->scheduled, told);
	}
	return NULL;
}
