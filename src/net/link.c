/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/link.h>
#include <ehsim/nic.h>
#include <string.h>

#define BLOCK EH_PACKET_BLOCK

#define WIRE 24 /* preamble, checksum, gap */
#define ETHERNET 14
#define SHORTEST 60
#define IPV4 20
#define IPV6 40
#define TCP 20
#define SYN_OPTIONS 20
#define OPTIONS 12
#define PLAIN_SYN_OPTIONS 12 /* without timestamps */

void eh_packet_pool_init(struct eh_packet_pool *pool)
{
	*pool = (struct eh_packet_pool){.blocks = g_ptr_array_new_with_free_func(g_free)};
}

void eh_packet_pool_clear(struct eh_packet_pool *pool, struct eh_sim *sim)
{
	for (guint i = 0; i < pool->blocks->len; i++) {
		struct eh_packet *block = g_ptr_array_index(pool->blocks, i);

		for (int j = 0; j < BLOCK; j++)
			eh_sim_cancel(sim, &block[j].ev);
	}
	g_ptr_array_free(pool->blocks, TRUE);
}

static void more_packets(struct eh_packet_pool *pool)
{
	struct eh_packet *block = g_new0(struct eh_packet, BLOCK);

	g_ptr_array_add(pool->blocks, block);
	for (int i = BLOCK; i-- > 0;) {
		block[i].next = pool->free;
		pool->free = &block[i];
	}
}

struct eh_packet *eh_packet_new(struct eh_packet_pool *pool)
{
	struct eh_packet *p;

	if (!pool->free)
		more_packets(pool);
	p = pool->free;
	pool->free = p->next;
	pool->taken++;
	memset(p, 0, sizeof(*p));
	return p;
}

void eh_packet_free(struct eh_packet_pool *pool, struct eh_packet *p)
{
	p->next = pool->free;
	p->skb = NULL;
	pool->free = p;
	pool->taken--;
}

static void attach(struct eh_link *l, struct eh_nic *nic, int side)
{
	nic->link = l;
	nic->side = side;
	l->way[!side].to = nic;
}

struct eh_link *eh_link_new(struct eh_host *a, struct eh_host *b)
{
	struct eh_link *l = g_new0(struct eh_link, 1);

	l->sim = a->sim;
	l->cfg = a->net;
	eh_packet_pool_init(&l->pool);
	attach(l, a->nic, 0);
	attach(l, b->nic, 1);
	return l;
}

struct eh_link *eh_link_new_sink(struct eh_host *h)
{
	struct eh_link *l = g_new0(struct eh_link, 1);

	l->sim = h->sim;
	l->cfg = h->net;
	eh_packet_pool_init(&l->pool);
	attach(l, h->nic, 0);
	return l;
}

void eh_link_free(struct eh_link *l)
{
	if (!l)
		return;
	eh_packet_pool_clear(&l->pool, l->sim);
	g_free(l);
}

int64_t eh_link_wire_bytes(const struct eh_network_config *cfg, const struct eh_packet *p)
{
	int64_t options = p->flags & EH_SYN ? (p->plain ? PLAIN_SYN_OPTIONS : SYN_OPTIONS)
					    : (p->plain ? 0 : OPTIONS);
	int64_t frame = ETHERNET + (cfg->family == 1 ? IPV6 : IPV4) + TCP + options + p->payload;

	return MAX(frame, SHORTEST) + WIRE;
}

static void arrives(struct eh_event *ev)
{
	struct eh_packet *p = eh_container_of(ev, struct eh_packet, ev);

	eh_nic_receive(p->to, p);
}

void eh_link_send(struct eh_link *l, const struct eh_nic *from, struct eh_packet *p, eh_time at)
{
	struct eh_link_way *way = &l->way[from->side];
	int64_t bytes = eh_link_wire_bytes(l->cfg, p);

	if (way->busy < at)
		way->busy = at;
	way->busy += bytes * 8 * EH_SEC / l->cfg->rate;
	way->packets++;
	way->bytes += (uint64_t)bytes;
	if (!way->to) {
		eh_packet_free(&l->pool, p);
		return;
	}
	p->to = way->to;
	p->ev.fn = arrives;
	eh_sim_at(l->sim, &p->ev, way->busy + l->cfg->delay);
}
