/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path.h"

#include <ehsim/c2c.h>
#include <ehsim/skb.h>

#define HEAD_BYTES 256
#define PAIR_BYTES 512
#define TX_BYTES 1024 /* headers of any kind (320), skb_shared_info (320), no payload */
#define RX_BYTES 512  /* a short frame and its headroom (192), skb_shared_info */
#define RX_LINES 2    /* headers and payload, skb_shared_info */
#define PER_SLAB 32   /* SLUB, all four */

static struct eh_kmem_cache *make(struct eh_host *h, const char *name, int size, int lines)
{
	return eh_kmem_cache_make(h->m, &(struct eh_kmem_spec){name, size, lines, PER_SLAB, 0});
}

struct eh_skb_host *eh_skb_host_new(struct eh_host *h)
{
	struct eh_skb_host *s = g_new0(struct eh_skb_host, 1);
	bool one = h->kernel->skb_caches == EH_SKB_CACHES_ONE;

	s->pairs = one ? make(h, "skbuff_fclone_cache", PAIR_BYTES, 2 * EH_SKB_LINES) : NULL;
	s->heads = one ? s->pairs : make(h, "skbuff_head_cache", HEAD_BYTES, EH_SKB_LINES);
	if (!one)
		s->pairs = make(h, "skbuff_fclone_cache", PAIR_BYTES, 2 * EH_SKB_LINES);
	s->tx_data = make(h, "kmalloc-1k", TX_BYTES, EH_SKB_DATA_LINES);
	s->rx_data = make(h, "kmalloc-512", RX_BYTES, RX_LINES);
	s->host = h;
	s->blocks = g_ptr_array_new_with_free_func(g_free);
	s->pages = g_new0(eh_line_id, h->m->ncpus);
	for (int i = 0; i < h->m->ncpus; i++)
		s->pages[i] = eh_lines_named(h->m, 1, h->m->die_of[i], "struct page of payload");
	return s;
}

void eh_skb_host_free(struct eh_skb_host *s)
{
	if (!s)
		return;
	if (s->heads != s->pairs)
		eh_kmem_cache_free(s->heads);
	eh_kmem_cache_free(s->pairs);
	eh_kmem_cache_free(s->tx_data);
	eh_kmem_cache_free(s->rx_data);
	g_ptr_array_free(s->blocks, TRUE);
	g_free(s->pages);
	g_free(s);
}

static struct eh_skb *take(struct eh_skb_host *s)
{
	struct eh_skb *skb;

	if (!s->free) {
		struct eh_skb *block = g_new0(struct eh_skb, EH_SKB_BLOCK);

		g_ptr_array_add(s->blocks, block);
		for (int i = EH_SKB_BLOCK; i-- > 0;) {
			block[i].next = s->free;
			s->free = &block[i];
		}
	}
	skb = s->free;
	s->free = skb->next;
	*skb = (struct eh_skb){0};
	return skb;
}

static void give_back(struct eh_skb_host *s, struct eh_skb *skb)
{
	skb->where = 0;
	skb->next = s->free;
	s->free = skb;
}

struct eh_skb *eh_skb_alloc(struct eh_cpu *c, struct eh_host *h, bool pair)
{
	const int sym = EH_SYM(__alloc_skb);
	struct eh_skb_host *s = h->skbs;
	struct eh_skb *skb = take(s);

	h->in_hand++;
	skb->pair = pair;
	skb->head = eh_kmem_alloc(c, pair ? s->pairs : s->heads);
	skb->data = eh_kmem_alloc(c, s->tx_data);
	eh_word_init(&skb->refs, skb->head->line + 2 * EH_SKB_LINES - 1, 1);
	eh_word_init(&skb->dataref, skb->data->line + EH_SKB_SHINFO, 1);
	eh_touch(c, sym, skb->head->line, EH_SKB_LINES, true);
	eh_store(c, sym, skb->dataref.line);
	if (pair)
		eh_store(c, sym, skb->refs.line);
	return skb;
}

void eh_skb_clone(struct eh_cpu *c, struct eh_host *h, struct eh_skb *skb)
{
	const int sym = EH_SYM(skb_clone);

	h->in_hand++;
	skb->cloned = true;
	eh_touch(c, sym, skb->head->line + EH_SKB_LINES, EH_SKB_LINES, true);
	skb->refs.value = 2; /* the clone's last line has it */
	eh_word_add(c, sym, &skb->dataref, 1);
}

/* put_page */
static void drop_page(struct eh_cpu *c, struct eh_skb *skb, int sym)
{
	if (skb->page)
		eh_rmw(c, sym, skb->page);
	skb->page = 0;
}

static void release_data(struct eh_cpu *c, struct eh_host *h, struct eh_skb *skb)
{
	const int sym = EH_SYM(skb_release_data);

	if (skb->cloned && eh_word_add(c, sym, &skb->dataref, (uint64_t)-1) != 1)
		return;
	if (!skb->cloned)
		eh_load(c, sym, skb->dataref.line, 0);
	drop_page(c, skb, sym);
	eh_kmem_free(c, h->skbs->tx_data, skb->data);
}

static void release_pair(struct eh_cpu *c, struct eh_host *h, struct eh_skb *skb, bool clone)
{
	const int sym = EH_SYM(kfree_skbmem);

	if (clone || eh_word_load(c, sym, &skb->refs) != 1)
		if (eh_word_add(c, sym, &skb->refs, (uint64_t)-1) != 1)
			return;
	eh_kmem_free(c, h->skbs->pairs, skb->head);
	give_back(h->skbs, skb);
}

void eh_skb_free(struct eh_cpu *c, struct eh_host *h, struct eh_skb *skb)
{
	h->in_hand++;
	release_data(c, h, skb);
	if (skb->pair) {
		release_pair(c, h, skb, false);
	} else {
		eh_kmem_free(c, h->skbs->heads, skb->head);
		give_back(h->skbs, skb);
	}
	h->in_hand--;
}

void eh_skb_free_clone(struct eh_cpu *c, struct eh_host *h, struct eh_skb *skb)
{
	eh_touch(c, EH_SYM(napi_consume_skb), skb->head->line + (skb->pair ? EH_SKB_LINES : 0), 2,
		 false);
	if (skb->owner)
		eh_rmw(c, skb->pair ? EH_SYM(tcp_wfree) : EH_SYM(sock_wfree), skb->owner);
	if (!skb->pair) {
		eh_skb_free(c, h, skb);
		return;
	}
	if (skb->owner)
		eh_rmw(c, EH_SYM(sk_free), skb->owner);
	h->in_hand++;
	release_data(c, h, skb);
	release_pair(c, h, skb, true);
	h->in_hand--;
}

/* --- received --- */

void eh_rx_skb_alloc(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p)
{
	p->skb = eh_net_alloc(c, h, h->skbs->heads);
	p->data = eh_net_alloc(c, h, h->skbs->rx_data);
	eh_touch(c, EH_SYM(__alloc_skb), p->data->line, RX_LINES, true);
}

eh_line_id eh_rx_skb_shinfo(const struct eh_packet *p)
{
	return p->data->line + RX_LINES - 1;
}

void eh_rx_skb_preset(struct eh_host *h, int cpu, struct eh_packet *p)
{
	p->skb = eh_kmem_preset(h->skbs->heads, cpu);
	p->data = eh_kmem_preset(h->skbs->rx_data, cpu);
}

void eh_rx_skb_free(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p)
{
	struct eh_object *head = p->skb, *data = p->data;

	h->in_hand++;
	p->skb = p->data = NULL;
	eh_load(c, EH_SYM(skb_release_data), data->line + RX_LINES - 1, 0);
	eh_kmem_free(c, h->skbs->rx_data, data);
	eh_kmem_free(c, h->skbs->heads, head);
	h->in_hand--;
}
