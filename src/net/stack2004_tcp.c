/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stack2004.h"

#define ACK_BYTES 52 /* IP, TCP with timestamps */

static int64_t window(const struct eh_stack2004 *s)
{
	return MAX(s->cfg->window - (int64_t)(s->rcv_nxt - s->copied), 0);
}

void eh_stack2004_send_ack(struct eh_cpu *c, struct eh_stack2004 *s)
{
	const struct eh_kernel_cost *cost = &s->kernel->cost;
	struct eh_segment2004 *seg = eh_segment2004_new(s->pool, 0);
	int sym = EH_SYM(tcp_send_ack);

	s->unacked = 0;
	eh_sim_cancel(s->m->sim, &s->delack);
	seg->frame.bits = eh_hub_bits(ACK_BYTES);
	seg->ack = s->told_at = s->rcv_nxt;
	seg->window = s->told = window(s);
	s->count.acks++;
	seg->head = eh_cache2004_alloc(c, s->heads);
	seg->data = eh_cache2004_alloc(c, s->datas);
	eh_touch(c, EH_SYM(alloc_skb), seg->head, s->head_lines, true);
	eh_stack2004_path(c, sym, cost->transmit);
	eh_store(c, sym, eh_stack2004_sk_line(s, EH_SOCK2004_TCP));
	eh_touch(c, sym, seg->data, 3, true);
	eh_stack2004_path(c, EH_SYM(__ip_queue_xmit), cost->ip_xmit);
	eh_store(c, EH_SYM(__ip_queue_xmit), eh_stack2004_sk_line(s, EH_SOCK2004_IDENT));
	eh_rmw(c, EH_SYM(__ip_queue_xmit), s->route);
	eh_stack2004_xmit(c, s, seg);
}

static void data_ready(struct eh_cpu *c, struct eh_stack2004 *s)
{
	int sym = EH_SYM(sock_def_readable);
	eh_time since;

	since = eh_read2004_lock(c, &s->callback_lock, &s->callback_class, sym);
	eh_stack2004_path(c, sym, s->kernel->cost.readable);
	eh_cpu_sync(c, c->retire);
	if (s->waits) {
		s->waits = false;
		eh_task_wake(c, s->reader);
	}
	eh_read2004_unlock(c, &s->callback_lock, &s->callback_class, since, sym);
}

static void checksum(struct eh_cpu *c, struct eh_stack2004 *s, const struct eh_segment2004 *seg)
{
	int sym = EH_SYM(csum_partial);
	int64_t line = s->kernel->ehash2004.line_size, lines = (seg->payload + line - 1) / line;

	for (int64_t i = 0; i < lines; i++) {
		eh_load(c, sym, seg->data + 2 + (eh_line_id)i, 0);
		eh_work(c, sym, s->cfg->csum);
	}
}

void eh_stack2004_established(struct eh_cpu *c, struct eh_stack2004 *s, struct eh_segment2004 *seg)
{
	int sym = EH_SYM(tcp_rcv_established);
	eh_line_id first = eh_stack2004_sk_line(s, EH_SOCK2004_TCP);
	int lines = (int)(eh_stack2004_sk_line(s, EH_SOCK2004_TCP_END) - first);

	eh_stack2004_path(c, sym, s->kernel->cost.rcv_established);
	eh_touch(c, sym, first, lines, false);
	if (!s->cfg->checksum)
		checksum(c, s, seg);
	eh_touch(c, sym, first, lines - 1, true);
	eh_store(c, sym, seg->head);
	eh_rmw(c, sym, eh_stack2004_sk_line(s, EH_SOCK2004_QUEUE)); /* sk_rmem_alloc */
	eh_store(c, sym, eh_stack2004_sk_line(s, EH_SOCK2004_QUEUE));
	eh_cpu_sync(c, c->retire);
	s->rcv_nxt += seg->payload;
	eh_segments2004_push(&s->queue, seg);
	if (++s->unacked >= s->cfg->ack_every)
		eh_stack2004_send_ack(c, s);
	else
		eh_sim_at(s->m->sim, &s->delack, eh_sim_now(s->m->sim) + s->cfg->delack);
	data_ready(c, s);
}

void eh_stack2004_rcv(struct eh_cpu *c, struct eh_stack2004 *s, struct eh_segment2004 *seg)
{
	int sym = EH_SYM(tcp_v4_rcv);
	int64_t line = s->kernel->ehash2004.line_size;
	uint64_t before;
	struct eh_sock2004 *sk;

	eh_stack2004_path(c, sym, s->kernel->cost.tcp_rcv);
	eh_store(c, sym, seg->head + (eh_line_id)(EH_SKB2004_CB / line)); /* sequence numbers */
	before = c->transfers;
	sk = eh_ehash2004_lookup(c, s->table, &s->four);
	s->count.lookup_transfers += c->transfers - before;
	eh_assert(s->m->sim, sk == s->sk);
	eh_sock2004_lock(c, sk, sym);
	if (s->owned) {
		eh_segments2004_push(&s->backlog, seg);
		s->count.backlogged++;
	} else {
		eh_stack2004_established(c, s, seg);
	}
	eh_sock2004_unlock(c, sk, sym);
	eh_sock2004_put(c, sk, sym);
}

/* --- system calls --- */

void eh_stack2004_select(struct eh_stack2004 *s, struct eh_task *t)
{
	const struct eh_kernel_cost *cost = &s->kernel->cost;
	int sym = EH_SYM(do_select);

	s->reader = t;
	eh_cpu_point(t->cpu);
	eh_stack2004_path(t->cpu, sym, cost->syscall + cost->epoll_wait);
	eh_rmw(t->cpu, sym, eh_stack2004_sk_line(s, EH_SOCK2004_CALLBACK)); /* add_wait_queue */
	eh_load(t->cpu, sym, eh_stack2004_sk_line(s, EH_SOCK2004_QUEUE), 0);
	eh_cpu_sync(t->cpu, t->cpu->retire);
	while (!s->queue.first) {
		s->waits = true;
		eh_task_block(t);
		eh_load(t->cpu, sym, eh_stack2004_sk_line(s, EH_SOCK2004_QUEUE), 0);
		eh_cpu_sync(t->cpu, t->cpu->retire);
	}
	eh_rmw(t->cpu, sym, eh_stack2004_sk_line(s, EH_SOCK2004_CALLBACK));
}

/* Copies up to `most` bytes of the first segment. */
static uint64_t copy(struct eh_cpu *c, struct eh_stack2004 *s, const struct eh_segment2004 *seg,
		     uint64_t most)
{
	uint64_t line = (uint64_t)s->kernel->ehash2004.line_size;
	uint64_t n = MIN(most, seg->payload - s->offset);

	for (uint64_t i = s->offset / line; i < (s->offset + n + line - 1) / line; i++) {
		eh_load(c, EH_SYM(__copy_to_user), seg->data + 2 + (eh_line_id)i, 0);
		eh_work(c, EH_SYM(__copy_to_user), s->cfg->copy);
	}
	return n;
}

static void consume(struct eh_cpu *c, struct eh_stack2004 *s)
{
	struct eh_segment2004 *seg = eh_segments2004_pop(&s->queue);
	int sym = EH_SYM(__kfree_skb);

	s->offset = 0;
	s->count.segments++;
	eh_stack2004_path(c, sym, s->kernel->cost.xmit_done);
	eh_store(c, sym, eh_stack2004_sk_line(s, EH_SOCK2004_QUEUE));
	eh_rmw(c, sym, eh_stack2004_sk_line(s, EH_SOCK2004_QUEUE)); /* sock_rfree */
	eh_rmw(c, sym, s->route);				    /* dst_release */
	eh_cache2004_give(c, s->datas, seg->data);
	eh_cache2004_give(c, s->heads, seg->head);
	eh_segment2004_free(s->pool, seg);
}

static void set_owned(struct eh_cpu *c, struct eh_stack2004 *s, int sym)
{
	eh_local_bh_disable(c);
	eh_sock2004_lock(c, s->sk, sym);
	s->owned = true;
	eh_sock2004_unlock(c, s->sk, sym);
	eh_local_bh_enable(c);
}

static void release(struct eh_cpu *c, struct eh_stack2004 *s)
{
	int sym = EH_SYM(release_sock);

	eh_local_bh_disable(c);
	eh_sock2004_lock(c, s->sk, sym);
	while (s->backlog.first) {
		struct eh_segments2004 list = s->backlog;
		struct eh_segment2004 *seg;

		eh_segments2004_init(&s->backlog);
		eh_sock2004_unlock(c, s->sk, sym);
		while ((seg = eh_segments2004_pop(&list)))
			eh_stack2004_established(c, s, seg);
		eh_sock2004_lock(c, s->sk, sym);
	}
	s->owned = false;
	eh_sock2004_unlock(c, s->sk, sym);
	eh_stack2004_path(c, sym, s->kernel->cost.release_sock);
	eh_local_bh_enable(c);
}

/* The window has opened so far that the sender should hear of it. */
static void cleanup_rbuf(struct eh_cpu *c, struct eh_stack2004 *s)
{
	int64_t left = s->told - (int64_t)(s->rcv_nxt - s->told_at);

	if (2 * left > s->cfg->window || window(s) < 2 * left || !window(s))
		return;
	s->count.updates++;
	eh_stack2004_send_ack(c, s);
}

uint64_t eh_stack2004_recv(struct eh_stack2004 *s, struct eh_task *t, uint64_t most,
			   uint64_t *segments)
{
	const struct eh_kernel_cost *cost = &s->kernel->cost;
	struct eh_cpu *c = t->cpu;
	int sym = EH_SYM(tcp_recvmsg);
	uint64_t got = 0, before = s->count.segments;

	eh_cpu_point(c);
	eh_stack2004_path(c, sym, cost->syscall + cost->recvmsg + cost->lock_sock);
	set_owned(c, s, sym);
	eh_cpu_sync(c, c->retire);
	while (got < most && s->queue.first) {
		struct eh_segment2004 *seg = s->queue.first;
		uint64_t n;

		eh_touch(c, sym, eh_stack2004_sk_line(s, EH_SOCK2004_TCP), 2, false);
		eh_load(c, sym, seg->head, 0);
		n = copy(c, s, seg, most - got);
		eh_store(c, sym, eh_stack2004_sk_line(s, EH_SOCK2004_TCP) + 1); /* copied_seq */
		s->offset += (uint32_t)n;
		s->copied += n;
		got += n;
		if (s->offset == seg->payload)
			consume(c, s);
		eh_cpu_point(c);
	}
	cleanup_rbuf(c, s);
	release(c, s);
	eh_cpu_point(c);
	s->count.bytes += got;
	*segments += s->count.segments - before;
	return got;
}
