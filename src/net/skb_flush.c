/* SPDX-License-Identifier: GPL-3.0-or-later */
/* enter_memory_pressure: what sockets keep is freed, kernel.skb_flush_batch sockets a jiffy. */
#include "path.h"

#include <ehsim/skb.h>

static void flush_socket(struct eh_cpu *c, struct eh_host *h, struct eh_tcp *tp)
{
	const int sym = EH_SYM(tcp_enter_memory_pressure);
	struct eh_packet *read = NULL;
	struct eh_skb *sent = NULL;

	eh_tcp_lines(c, sym, tp, EH_SOCK_RECEIVE, 1, false);
	eh_tcp_lines(c, sym, tp, EH_SOCK_SEND, 1, false);
	eh_cpu_sync(c, c->retire);
	if (!tp->sk.obj || (!tp->rx_skb && !tp->tx_skb))
		return;
	tp->refs++;
	eh_rmw(c, sym, tp->sk.obj->line + EH_SOCK_LOCK); /* sock_hold */
	eh_bh_lock_sock(c, tp);
	if (!tp->owned) { /* else it is not idle: another time */
		read = tp->rx_skb;
		sent = tp->tx_skb;
		tp->rx_skb = NULL;
		tp->tx_skb = NULL;
		h->in_hand += (read != NULL) + (sent != NULL);
		h->skbs->flushed += (read != NULL) + (sent != NULL);
	}
	eh_bh_unlock_sock(c, tp);
	if (read) {
		eh_packet_consume(c, h, read);
		h->in_hand--;
	}
	if (sent) {
		sent->where &= ~EH_SKB_SOCKET;
		eh_skb_free(c, h, sent);
		h->in_hand--;
	}
	eh_tcp_put(c, tp, sym);
}

static void flush(struct eh_cpu *c, struct eh_timer *t)
{
	struct eh_skb_host *s = eh_container_of(t, struct eh_skb_host, timer);
	struct eh_host *h = s->host;
	const GPtrArray *blocks = h->tcp->blocks;

	for (int64_t n = 0; n < h->kernel->skb_flush_batch && s->next < blocks->len * EH_TCP_BLOCK; n++) {
		struct eh_tcp *block = g_ptr_array_index(blocks, s->next / EH_TCP_BLOCK);
		struct eh_tcp *tp = &block[s->next++ % EH_TCP_BLOCK];

		if (tp->sk.obj)
			flush_socket(c, h, tp);
	}
	if (s->next == blocks->len * EH_TCP_BLOCK) {
		s->next = 0;
		eh_cpu_sync(c, c->retire);
		if (!eh_skb_kept_bytes(h)) {
			s->flush_time = eh_sim_now(h->sim) - s->entered;
			return;
		}
	}
	eh_timer_mod(c, t, flush, 0);
}

static void relieve(struct eh_event *ev)
{
	eh_container_of(ev, struct eh_skb_host, relief)->pressure = false;
}

static void enter(struct eh_cpu *c, struct eh_timer *t)
{
	struct eh_skb_host *s = eh_container_of(t, struct eh_skb_host, timer);
	struct eh_host *h = s->host;

	s->entered = eh_sim_now(h->sim);
	if (!h->kernel->skb_cache_flush)
		return;
	s->pressure = true;
	s->relief.fn = relieve;
	eh_sim_at(h->sim, &s->relief, s->entered + h->kernel->tcp_pressure_for);
	flush(c, t);
}

void eh_skb_watch(struct eh_host *h)
{
	if (!h->kernel->tcp_pressure_at)
		return;
	eh_sched_online(h->sched, 0);
	eh_timer_mod(&h->m->cpus[0], &h->skbs->timer, enter, h->kernel->tcp_pressure_at);
}

void eh_skb_unwatch(struct eh_host *h)
{
	eh_timer_del(h->sim, &h->skbs->timer);
	eh_sim_cancel(h->sim, &h->skbs->relief);
}

int64_t eh_skb_kept_bytes(const struct eh_host *h)
{
	const struct eh_skb_host *s = h->skbs;
	int64_t sent = eh_kmem_bytes(s->pairs) + eh_kmem_bytes(s->tx_data);
	int64_t read = eh_kmem_bytes(s->heads) + eh_kmem_bytes(s->rx_data), n = 0;

	for (guint i = 0; i < h->tcp->blocks->len; i++)
		for (int j = 0; j < EH_TCP_BLOCK; j++) {
			const struct eh_tcp *tp = &((struct eh_tcp *)h->tcp->blocks->pdata[i])[j];

			n += (tp->tx_skb ? sent : 0) + (tp->rx_skb ? read : 0);
		}
	return n;
}
