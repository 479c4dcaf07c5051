/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bulk data, system calls: what is copied, what is sent, what is freed. */
#include "bulk.h"

#include <ehsim/c2c.h>
#include <ehsim/link.h>
#include <ehsim/skb.h>
#include <ehsim/softnet.h>
#include <errno.h>

#define BLOCK_ORDER 3 /* SKB_FRAG_PAGE_ORDER */
#define BLOCK_BYTES (EH_PAGE_BYTES << BLOCK_ORDER)
#define COPY_OPS 2 /* micro-ops per line beside its load and its store: the string copy moves half a line each */

void eh_bulk_copy(struct eh_cpu *c, eh_line_id from, int offset, eh_line_id to, int n)
{
	const int sym = EH_SYM(copy_user_enhanced_fast_string);
	int first = offset / EH_LINE_BYTES, last = (offset + n - 1) / EH_LINE_BYTES;

	eh_path(c, sym, eh_cost_of(c)->copy);
	for (int i = first; i <= last; i++) {
		eh_work(c, sym, COPY_OPS);
		eh_load(c, sym, from + (eh_line_id)i, 0);
		eh_store(c, sym, to + (eh_line_id)(i - first));
	}
}

/* Of the program's buffer, for byte `done` of a call. */
static eh_line_id user_line(const struct eh_bulk *b, int done)
{
	return b->user + (eh_line_id)(done / EH_LINE_BYTES);
}

/* --- sending --- */

static void append(struct eh_tx_queue *q, struct eh_tx_skb *s)
{
	if (!q->head)
		q->tail = &q->head;
	s->next = NULL;
	*q->tail = s;
	q->tail = &s->next;
}

/* tcp_xmit_size_goal, not above half of the largest window (tcp_bound_to_half_wnd). */
static int goal(const struct eh_host *h)
{
	int mss = eh_bulk_mss(h->kernel, h->net);
	int most = (int)MIN(EH_BULK_MOST, h->kernel->tcp_rmem / 4);

	return h->kernel->tso ? MAX(most / mss, 1) * mss : mss;
}

/* tcp_write_xmit */
void eh_bulk_push(struct eh_cpu *c, struct eh_tcp *tp)
{
	struct eh_bulk *b = tp->bulk;
	struct eh_tx_skb *s;

	while ((s = b->unsent.head)) {
		uint32_t seq = tp->snd_nxt, end = seq + (uint32_t)s->bytes;

		if (eh_seq_before(b->window_end, end) ||
		    (s->bytes < goal(tp->sk.host) && tp->snd_una != tp->snd_nxt))
			return;
		b->unsent.head = s->next;
		s->end = end;
		append(&b->sent, s);
		tp->snd_nxt = end;
		eh_tcp_send_clone(c, tp, s->skb, s->bytes, seq);
	}
}

static struct eh_tx_skb *new_skb(struct eh_cpu *c, struct eh_tcp *tp)
{
	struct eh_bulk *b = tp->bulk;
	struct eh_host *h = tp->sk.host;
	struct eh_tx_skb *s = b->spare;

	if (s)
		b->spare = s->next;
	else
		s = g_new(struct eh_tx_skb, 1);
	*s = (struct eh_tx_skb){.skb = eh_skb_alloc(c, h, true)};
	s->skb->where |= EH_SKB_SOCKET;
	append(&b->unsent, s);
	eh_skb_placed(h);
	b->queued += EH_SKB_TRUESIZE;
	return s;
}

static struct eh_tx_skb *last_unsent(const struct eh_bulk *b)
{
	return b->unsent.head ? eh_container_of(b->unsent.tail, struct eh_tx_skb, next) : NULL;
}

static void put_block(struct eh_cpu *c, struct eh_tcp *tp)
{
	struct eh_bulk *b = tp->bulk;

	if (b->block && eh_bulk_put_page(c, EH_SYM(tcp_sendmsg_locked), b->block))
		eh_page_free(c, tp->sk.host->m->mm, b->block);
	b->block = NULL;
}

/* As much of `want` bytes as the block at hand takes; the sk_buff refers to the block. */
static int fill(struct eh_cpu *c, struct eh_tcp *tp, struct eh_tx_skb *s, int done, int want)
{
	const int sym = EH_SYM(tcp_sendmsg_locked);
	struct eh_bulk *b = tp->bulk;
	struct eh_mm *mm = tp->sk.host->m->mm;
	int n;

	if (b->block && b->block_used == BLOCK_BYTES)
		put_block(c, tp);
	if (!b->block) {
		b->block = eh_page_alloc(c, mm, BLOCK_ORDER, c->die);
		eh_bulk_set_refs(b->block, 1);
		b->block_used = 0;
	}
	if (!s->nblocks || s->block[s->nblocks - 1] != b->block) {
		eh_rmw(c, sym, b->block->line);
		eh_bulk_set_refs(b->block, (uintptr_t)b->block->slab + 1);
		s->block[s->nblocks++] = b->block;
	}
	n = MIN(want, BLOCK_BYTES - b->block_used);
	eh_work(c, EH_SYM(tcp_sendmsg_locked), eh_cost_of(c)->copy_frag);
	eh_bulk_copy(c, user_line(b, done), 0,
		     eh_bulk_page(mm, b->block) +
			     (eh_line_id)(b->block_used / EH_LINE_BYTES),
		     n);
	b->block_used += n;
	return n;
}

bool eh_bulk_writable(const struct eh_tcp *tp)
{
	return tp->bulk->queued * 3 <= tp->sk.host->kernel->tcp_wmem * 2;
}

bool eh_bulk_poll(struct eh_tcp *tp)
{
	if (!eh_bulk_writable(tp))
		tp->bulk->full = true;
	return eh_bulk_writable(tp);
}

int eh_sys_bulk_send(struct eh_task *t, struct eh_tcp *tp, int bytes)
{
	struct eh_cpu *c = eh_sys_enter(t);
	struct eh_bulk *b = tp->bulk;
	struct eh_host *h = tp->sk.host;
	const int sym = EH_SYM(tcp_sendmsg_locked), full = goal(h);
	int done = 0;

	eh_rps_record_flow(c, h, &tp->sk);
	eh_lock_sock(c, tp);
	eh_path(c, sym, eh_cost_of(c)->sendmsg);
	eh_tcp_lines(c, sym, tp, EH_SOCK_SEND, 2, true);
	while (done < bytes && b->queued < h->kernel->tcp_wmem) {
		struct eh_tx_skb *s = last_unsent(b);
		int n;

		if (!s || s->bytes == full)
			s = new_skb(c, tp);
		n = fill(c, tp, s, done, MIN(bytes - done, full - s->bytes));
		s->bytes += n;
		b->queued += n;
		done += n;
		if (s->bytes == full)
			eh_bulk_push(c, tp);
		eh_cpu_point(c);
	}
	b->bytes += (uint64_t)done;
	eh_bulk_push(c, tp);
	eh_release_sock(c, tp);
	eh_sys_exit(t);
	return done ? done : -EAGAIN;
}

/* --- receiving --- */

/* skb_release_data and kfree_skb_list: each part's page, then the heads. */
void eh_bulk_consume(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p)
{
	struct eh_packet *next;

	for (struct eh_packet *f = p; f; f = f->more) {
		if (f->skb) /* how many parts it has */
			eh_load(c, EH_SYM(skb_release_data), eh_rx_skb_shinfo(f), 0);
		eh_work(c, EH_SYM(skb_release_data), h->kernel->cost.release_frag);
		if (eh_bulk_put_page(c, EH_SYM(skb_release_data), f->page))
			eh_page_free(c, h->m->mm, f->page);
	}
	for (; p; p = next) {
		next = p->more;
		if (p->skb)
			eh_rx_skb_free(c, h, p);
		eh_packet_free(&h->nic->link->pool, p);
	}
}

static int read_part(struct eh_cpu *c, struct eh_host *h, struct eh_bulk *b, int done, int want)
{
	struct eh_packet *part = b->part;
	int n = MIN(want, part->frame_bytes - b->part_read);

	eh_bulk_settle(h, part);
	eh_work(c, EH_SYM(__skb_datagram_iter), h->kernel->cost.copy_frag);
	eh_bulk_copy(c, eh_bulk_page(h->m->mm, part->page) + part->at, b->part_read,
		     user_line(b, done), n);
	b->part_read += n;
	if (b->part_read == part->frame_bytes) {
		b->part = part->more;
		b->part_read = 0;
	}
	return n;
}

/* All of the first packet has been read. */
static void eat(struct eh_cpu *c, struct eh_tcp *tp)
{
	struct eh_packet *p = eh_packets_pop(&tp->received);

	eh_tcp_lines(c, EH_SYM(tcp_recvmsg_locked), tp, EH_SOCK_RECEIVE, 1, true);
	tp->bulk->rmem -= eh_bulk_truesize(tp->sk.host, p);
	if (!eh_skb_defer(c, tp->sk.host, p))
		eh_bulk_consume(c, tp->sk.host, p);
}

int eh_sys_bulk_recv(struct eh_task *t, struct eh_tcp *tp, int bytes)
{
	struct eh_cpu *c = eh_sys_enter(t);
	struct eh_bulk *b = tp->bulk;
	struct eh_host *h = tp->sk.host;
	const int sym = EH_SYM(tcp_recvmsg_locked);
	int done = 0;

	eh_rps_record_flow(c, h, &tp->sk);
	eh_lock_sock(c, tp);
	eh_path(c, sym, eh_cost_of(c)->recvmsg);
	eh_tcp_lines(c, sym, tp, EH_SOCK_RECEIVE, 1, true);
	eh_tcp_lines(c, sym, tp, EH_SOCK_TCP_RX, 1, true);
	eh_cpu_sync(c, c->retire);
	while (done < bytes && tp->received.head) {
		struct eh_packet *p = tp->received.head;

		if (!b->part) {
			eh_touch(c, sym, p->skb->line, 4, false);
			b->part = p;
		}
		while (b->part && done < bytes) {
			done += read_part(c, h, b, done, bytes - done);
			eh_cpu_point(c);
		}
		if (!b->part)
			eat(c, tp);
		eh_cpu_sync(c, c->retire);
	}
	b->bytes += (uint64_t)done;
	eh_bulk_cleanup(c, tp, done);
	eh_release_sock(c, tp);
	eh_sys_exit(t);
	return done ? done : tp->sk.state == EH_TCP_ESTABLISHED ? -EAGAIN : -ECONNRESET;
}

/* --- before time 0, and the end --- */

void eh_bulk_preset(struct eh_tcp *tp, int cpu, int64_t bytes)
{
	const struct eh_host *h = tp->sk.host;
	struct eh_bulk *b = g_new0(struct eh_bulk, 1);

	b->user_lines = (int)(bytes / EH_LINE_BYTES) + 2;
	b->user = eh_lines_named(h->m, (uint32_t)b->user_lines, h->m->die_of[cpu], "user buffer");
	b->edge = b->window_end = (uint32_t)(h->kernel->tcp_rmem / 2);
	tp->bulk = b;
	eh_rx_rings_fill(h->nic);
}

uint64_t eh_bulk_skbs(const struct eh_bulk *b)
{
	uint64_t n = 0;

	for (const struct eh_tx_skb *s = b->unsent.head; s; s = s->next)
		n++;
	for (const struct eh_tx_skb *s = b->sent.head; s; s = s->next)
		n++;
	return n;
}

static void free_all(struct eh_tx_skb *s)
{
	struct eh_tx_skb *next;

	for (; s; s = next) {
		next = s->next;
		g_free(s);
	}
}

void eh_bulk_free(struct eh_bulk *b)
{
	free_all(b->unsent.head);
	free_all(b->sent.head);
	free_all(b->spare);
	g_free(b);
}
