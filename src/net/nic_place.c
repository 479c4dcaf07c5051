/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which queue of an interface: network.irqs, network.place. */
#include "path.h"

#include <ehsim/nic.h>

#define ENTRIES (1u << 20) /* flows the device tells apart by their hash */

int eh_nic_cpu_of(const struct eh_nic *nic, int queue)
{
	const struct eh_machine *m = nic->host->m;

	if (nic->host->net->irqs == EH_IRQS_LOCAL)
		return eh_machine_on_die(m, queue / (m->ncpus / m->ndies), queue);
	return eh_machine_spread(m, queue);
}

/* The n-th queue of a die, which has not all of them `but` this CPU's; NULL: it has none. */
static struct eh_nic_queue *of_die(struct eh_nic *nic, int die, const struct eh_cpu *but, uint64_t n)
{
	int here = 0, i;

	for (i = 0; i < nic->nqueues; i++)
		here += nic->queues[i].cpu->die == die && nic->queues[i].cpu != but;
	if (!here)
		return NULL;
	n %= (uint64_t)here;
	for (i = 0; nic->queues[i].cpu->die != die || nic->queues[i].cpu == but || n-- > 0; i++)
		;
	return &nic->queues[i];
}

static struct eh_nic_queue *placed(struct eh_nic *nic, int cpu, uint64_t n)
{
	const struct eh_machine *m = nic->host->m;
	int die = m->die_of[cpu];

	switch (nic->host->net->place) {
	case EH_PLACE_CPU:
		return nic->cpus[cpu].queues;
	case EH_PLACE_NODE:
		return of_die(nic, die, &m->cpus[cpu], n);
	case EH_PLACE_OTHER:
		return of_die(nic, (die + 1) % m->ndies, NULL, n);
	default:
		if (nic->host->net->irqs == EH_IRQS_LOCAL)
			return nic->cpus[cpu].queues;
		return of_die(nic, die, NULL, n);
	}
}

struct eh_nic_queue *eh_nic_completes(struct eh_nic *nic, int cpu)
{
	struct eh_nic_queue *q = placed(nic, cpu, (uint64_t)cpu);

	return q ? q : &nic->queues[cpu % nic->nqueues];
}

static uint64_t flow_hash(const struct eh_nic *nic, uint32_t saddr, uint16_t sport, uint32_t daddr,
			  uint16_t dport)
{
	const uint64_t words[] = {(uint64_t)saddr << 32 | daddr, (uint64_t)sport << 16 | dport};

	return eh_siphash(nic->key[0], nic->key[1], words, 2) & UINT32_MAX;
}

struct eh_nic_queue *eh_nic_receives(struct eh_nic *nic, const struct eh_packet *p)
{
	uint64_t hash = flow_hash(nic, p->saddr, p->sport, p->daddr, p->dport);
	struct eh_nic_queue *q = NULL;

	if (nic->sender && nic->sender[hash % ENTRIES] != EH_NO_CPU)
		q = placed(nic, nic->sender[hash % ENTRIES], hash);
	return q ? q : &nic->queues[hash * (uint64_t)nic->nqueues >> 32];
}

void eh_nic_place_init(struct eh_nic *nic)
{
	if (nic->host->net->place == EH_PLACE_HASH)
		return;
	nic->sender = g_new(uint16_t, ENTRIES);
	for (uint32_t i = 0; i < ENTRIES; i++)
		nic->sender[i] = EH_NO_CPU;
}

/* The device looks at what it sends. */
void eh_nic_learn(const struct eh_cpu *c, struct eh_nic *nic, const struct eh_packet *p)
{
	if (nic->sender && p->payload)
		nic->sender[flow_hash(nic, p->daddr, p->dport, p->saddr, p->sport) % ENTRIES] = c->id;
}
