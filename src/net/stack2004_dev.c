/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stack2004.h"

#define HEADERS 66 /* Ethernet, IP, TCP with timestamps */
#define DESCRIPTORS_PER_LINE 2

static int next_cpu(struct eh_stack2004 *s)
{
	int n = s->m->ncpus, cpu;

	switch (s->cfg->irq) {
	case EH_STACK2004_FIXED:
		return (int)s->cfg->irq_cpu;
	case EH_STACK2004_RANDOM:
		return (int)eh_stream_below(s->random, (uint64_t)n);
	default: /* who is in a handler has a higher priority and loses */
		for (int i = 1; i <= n; i++) {
			cpu = (s->last_cpu + i) % n;
			if (!s->m->cpus[cpu].in_irq)
				return cpu;
		}
		return (s->last_cpu + 1) % n;
	}
}

static void raise_interrupt(struct eh_stack2004 *s)
{
	if (s->raised)
		return;
	s->raised = true;
	s->last_cpu = next_cpu(s);
	s->cpu[s->last_cpu].asked = true;
	eh_cpu_raise(&s->m->cpus[s->last_cpu]);
}

void eh_stack2004_arrives(void *arg, struct eh_hub_frame *f)
{
	struct eh_stack2004 *s = arg;

	eh_segments2004_push(&s->arrived, eh_container_of(f, struct eh_segment2004, frame));
	s->count.received++;
	raise_interrupt(s);
}

/* The segment travels on; what is left to do here goes by a record of its own. */
void eh_stack2004_sent(void *arg, struct eh_hub_frame *f)
{
	struct eh_stack2004 *s = arg;
	const struct eh_segment2004 *seg = eh_container_of(f, struct eh_segment2004, frame);
	struct eh_segment2004 *note = eh_segment2004_new(s->pool, 0);

	note->head = seg->head;
	note->data = seg->data;
	eh_segments2004_push(&s->done, note);
	s->count.sent++;
	raise_interrupt(s);
}

static eh_line_id descriptor(const struct eh_stack2004 *s, int slot)
{
	return s->descriptors + (eh_line_id)(slot / DESCRIPTORS_PER_LINE);
}

/* The adapter has written it to memory behind the caches' backs. */
static void written_by_adapter(struct eh_stack2004 *s, int slot, const struct eh_segment2004 *seg)
{
	int64_t line = s->kernel->ehash2004.line_size;

	for (int64_t i = 0; i < (seg->payload + HEADERS + line - 1) / line; i++)
		eh_line_displaced(s->m, s->ring[slot].data + (eh_line_id)i);
	eh_line_displaced(s->m, descriptor(s, slot));
}

static void netif_rx(struct eh_cpu *c, struct eh_stack2004 *s, struct eh_segment2004 *seg)
{
	int sym = EH_SYM(netif_rx);

	eh_load(c, sym, s->xtime, 0);
	eh_stack2004_path(c, sym, s->cfg->netif_rx);
	eh_store(c, sym, seg->head);
	eh_store(c, sym, s->cpu[c->id].line);
	eh_segments2004_push(&s->cpu[c->id].backlog, seg);
	c->softirq_pending = true;
}

/* All of it but the line that has nothing but control block. */
static void fill_head(struct eh_cpu *c, const struct eh_stack2004 *s, eh_line_id head)
{
	int64_t line = s->kernel->ehash2004.line_size;

	for (int64_t i = 0; i < s->head_lines; i++) {
		if (i * line < EH_SKB2004_CB || (i + 1) * line > EH_SKB2004_LEN)
			eh_store(c, EH_SYM(eth_interrupt), head + (eh_line_id)i);
	}
}

static void receive(struct eh_cpu *c, struct eh_stack2004 *s, struct eh_segment2004 *seg)
{
	int sym = EH_SYM(eth_interrupt), slot = s->next_slot;

	s->next_slot = (slot + 1) % (int)s->cfg->ring;
	written_by_adapter(s, slot, seg);
	eh_load(c, sym, descriptor(s, slot), 0);
	seg->head = s->ring[slot].head;
	seg->data = s->ring[slot].data;
	s->ring[slot].head = eh_cache2004_alloc(c, s->heads);
	s->ring[slot].data = eh_cache2004_alloc(c, s->datas);
	eh_touch(c, EH_SYM(alloc_skb), s->ring[slot].head, s->head_lines, true);
	eh_store(c, sym, descriptor(s, slot));
	eh_stack2004_path(c, sym, s->kernel->cost.gro);
	fill_head(c, s, seg->head);
	eh_load(c, sym, seg->data, 0); /* eth_type_trans */
	netif_rx(c, s, seg);
}

static void completed(struct eh_cpu *c, struct eh_stack2004 *s, struct eh_segment2004 *note)
{
	eh_stack2004_path(c, EH_SYM(eth_interrupt), s->kernel->cost.xmit_done);
	eh_load(c, EH_SYM(eth_interrupt), note->head, 0);
	eh_cache2004_give(c, s->datas, note->data);
	eh_cache2004_give(c, s->heads, note->head);
	eh_segment2004_free(s->pool, note);
}

static void handle(struct eh_cpu *c, struct eh_stack2004 *s)
{
	int sym = EH_SYM(eth_interrupt);
	struct eh_segment2004 *seg;
	eh_time since;

	eh_stack2004_path(c, EH_SYM(do_IRQ), s->kernel->cost.hardirq);
	since = eh_spin2004_lock(c, &s->driver_lock, &s->driver_class, sym);
	s->count.interrupts++;
	s->count.irqs[c->id]++;
	do {
		eh_store(c, sym, s->driver);
		eh_cpu_wait_until(c, sym, c->retire + s->cfg->mmio);
		while ((seg = eh_segments2004_pop(&s->arrived)))
			receive(c, s, seg);
		while ((seg = eh_segments2004_pop(&s->done)))
			completed(c, s, seg);
		eh_cpu_sync(c, c->retire);
	} while (s->arrived.first || s->done.first);
	eh_spin2004_unlock(c, &s->driver_lock, &s->driver_class, since, sym);
	eh_cpu_sync(c, c->retire);
	s->raised = false;
	if (s->arrived.first || s->done.first)
		raise_interrupt(s);
}

void eh_stack2004_interrupt(struct eh_cpu *c)
{
	struct eh_stack2004 *s = c->irq_arg;

	if (s->delack_due) /* its timer came with a tick */
		c->softirq_pending = true;
	if (!s->cpu[c->id].asked)
		return;
	s->cpu[c->id].asked = false;
	handle(c, s);
}

static void delayed_ack(struct eh_cpu *c, struct eh_stack2004 *s)
{
	int sym = EH_SYM(tcp_delack_timer_handler);

	s->delack_due = false;
	eh_sock2004_lock(c, s->sk, sym);
	if (s->unacked && !s->owned)
		eh_stack2004_send_ack(c, s);
	eh_sock2004_unlock(c, s->sk, sym);
}

/* Read without a lock; a reference and a stamp are written. */
static void route(struct eh_cpu *c, struct eh_stack2004 *s)
{
	int sym = EH_SYM(ip_route_input);
	eh_time known = eh_load(c, sym, s->route_bucket, 0);

	eh_load(c, sym, s->route + 1, known);
	eh_rmw(c, sym, s->route);
	eh_store(c, sym, s->route);
}

void eh_stack2004_softirq(struct eh_cpu *c)
{
	struct eh_stack2004 *s = c->irq_arg;
	const struct eh_kernel_cost *cost = &s->kernel->cost;
	struct eh_stack2004_cpu *mine = &s->cpu[c->id];
	struct eh_segment2004 *seg;

	if (s->delack_due)
		delayed_ack(c, s);
	if (!mine->backlog.first)
		return;
	eh_stack2004_path(c, EH_SYM(net_rx_action), cost->rx_action);
	while ((seg = eh_segments2004_pop(&mine->backlog))) {
		eh_store(c, EH_SYM(net_rx_action), mine->line);
		eh_load(c, EH_SYM(netif_receive_skb), seg->head, 0);
		eh_stack2004_path(c, EH_SYM(netif_receive_skb), cost->netif_receive);
		eh_load(c, EH_SYM(ip_rcv), seg->data + 1, 0);
		eh_stack2004_path(c, EH_SYM(ip_rcv), cost->ip_rcv);
		route(c, s);
		eh_stack2004_rcv(c, s, seg);
		eh_cpu_point(c);
	}
}

void eh_stack2004_xmit(struct eh_cpu *c, struct eh_stack2004 *s, struct eh_segment2004 *seg)
{
	int sym = EH_SYM(dev_queue_xmit);
	eh_time queue, driver;

	queue = eh_spin2004_lock(c, &s->queue_lock, &s->queue_class, sym);
	eh_stack2004_path(c, sym, s->kernel->cost.dev_xmit);
	driver = eh_spin2004_lock(c, &s->driver_lock, &s->driver_class, sym);
	eh_store(c, sym, s->descriptors + (eh_line_id)s->cfg->ring);
	eh_store(c, sym, s->driver);
	eh_spin2004_unlock(c, &s->driver_lock, &s->driver_class, driver, sym);
	eh_spin2004_unlock(c, &s->queue_lock, &s->queue_class, queue, sym);
	eh_cpu_sync(c, c->retire);
	eh_hub_send(s->port, &seg->frame);
}
