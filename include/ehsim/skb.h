/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Socket buffers: a head (struct sk_buff) and the memory its data lie in, both kernel objects.
 *
 * Sent, and to be acknowledged (SYN, data, FIN). sendmsg takes a pair of heads in one object of
 * skbuff_fclone_cache (512 bytes: the buffer, its clone, a count of the two) and the data from
 * kmalloc-1k (headers and skb_shared_info; the payload itself is a part of the thread's page), on
 * the sender's CPU. The first head stays in the socket's retransmit queue, the clone goes to the
 * device. The completion frees the clone, on the CPU of the completing queue; the ACK frees the
 * first, on the CPU that handles it. Each gives back one of two references of the data and one of
 * the pair: whoever is last gives the object back, so either CPU may be.
 * Sent, and not to be acknowledged (pure ACK, SYN-ACK, RST): a head of skbuff_head_cache (256 bytes)
 * and data as above; the completion frees both. A segment sent again by a timer goes as such a copy.
 * Received: the softirq that polls takes a head and the data (kmalloc-512) on its CPU; a struct
 * eh_packet stands for it. Whoever consumes the packet frees both: recvmsg what it has read, the
 * softirq all else.
 *
 * Memory of a socket. What has been sent counts against it until the completion (sk_wmem_alloc: a
 * locked operation by the sender, two by the completion, tcp_wfree; one for a pure ACK), what has
 * been received until it is read (sk_rmem_alloc, likewise); sk_forward_alloc, plain, in the line of
 * the receive queue.
 *
 * kernel.tx_skb_cache. The ACK does not free the buffer but leaves it with its socket, one at most;
 * the next sendmsg takes it if its clone has been freed, and drops what the payload holds of the page.
 * It goes with the socket at the latest.
 * kernel.skb_cache_flush, asked for in the answer to the series: when TCP comes under memory pressure
 * (kernel.tcp_pressure_at; by what, is not modelled) a walk over all sockets, from a timer, frees what
 * those keep that no system call owns, skb_flush_batch of them a jiffy, until none keeps any; for
 * kernel.tcp_pressure_for they keep nothing.
 * kernel.skb_caches: one. skb_init makes heads from the cache of the pairs, too (512 bytes each): what
 * one path frees on a CPU, another takes there.
 *
 * Lines: 4 of a head, 8 of a pair (the count in its last one); 3 of the data: headers (2) and the first
 * of skb_shared_info, which has the count of references.
 *
 * Not modelled: that a socket's memory waits for the completion of what it has sent, limits on
 * sk_wmem_alloc and sk_rmem_alloc, the counts of all sockets together (tcp_mem: until v5.19 a socket
 * keeps what it has been granted up to 2 MiB, so that small requests never change them), page fragments
 * as data of received buffers (napi_alloc_frag), the bulk free of completions, a second clone of a pair that is still with the device.
 * Source: description of net/core/skbuff.c, include/net/sock.h, net/ipv4/tcp.c, v5.0 to v5.2.
 */
#ifndef EHSIM_SKB_H
#define EHSIM_SKB_H

#include <ehsim/host.h>
#include <ehsim/packet.h>
#include <ehsim/timer.h>
#include <ehsim/word.h>

#define EH_SKB_LINES 4	    /* of a head */
#define EH_SKB_DATA_LINES 3 /* of its data: headers, then */
#define EH_SKB_SHINFO 2	    /* skb_shared_info */
#define EH_SKB_BLOCK 256    /* that their memory grows by */

enum { EH_SKB_SOCKET = 1, EH_SKB_DEVICE = 2 };

/* One that is sent. */
struct eh_skb {
	struct eh_skb *next; /* of the retransmit queue; of those not in use */
	struct eh_skb *sent; /* behind it, with the device */
	struct eh_object *head, *data;
	struct eh_word refs, dataref; /* fclone_ref, dataref */
	eh_line_id owner; /* line with sk_wmem_alloc of its socket; 0: none has it */
	eh_line_id page;  /* struct page of its payload; 0: has none */
	uint32_t end;	  /* sequence number behind its last byte */
	bool pair;	  /* an object of the cache of pairs, used as one */
	bool cloned;	  /* the clone is with the device, or has been */
	uint8_t where;	  /* EH_SKB_SOCKET, EH_SKB_DEVICE: who has it, for check.h */
};

struct eh_tcp;

/* Of a host: h->skbs. */
struct eh_skb_host {
	struct eh_kmem_cache *heads, *pairs, *tx_data, *rx_data; /* heads and pairs: one, maybe */
	struct eh_skb *free;
	GPtrArray *blocks;
	eh_line_id *pages; /* by CPU: struct page that payload comes from */
	uint64_t reused;   /* taken from a socket's cache */
	/* memory pressure */
	struct eh_host *host;
	struct eh_timer timer;
	struct eh_event relief;
	bool pressure; /* and sockets keep nothing meanwhile */
	guint next;    /* socket to look at */
	eh_time entered, flush_time; /* 0: not yet */
	uint64_t flushed;	     /* buffers */
};

struct eh_skb_host *eh_skb_host_new(struct eh_host *h);
void eh_skb_host_free(struct eh_skb_host *s);

/*
 * A new one in the hands of c (eh_host.in_hand counts it): with eh_skb_placed the caller has put it
 * somewhere.
 */
struct eh_skb *eh_skb_alloc(struct eh_cpu *c, struct eh_host *h, bool pair);
static inline void eh_skb_placed(struct eh_host *h)
{
	h->in_hand--;
}
/* Another reference for the device, which the caller has in hand. */
void eh_skb_clone(struct eh_cpu *c, struct eh_host *h, struct eh_skb *skb);
/* The reference of the socket, or of the device; of a lone head the only one. */
void eh_skb_free(struct eh_cpu *c, struct eh_host *h, struct eh_skb *skb);
void eh_skb_free_clone(struct eh_cpu *c, struct eh_host *h, struct eh_skb *skb);

/* --- a socket's --- */
/* sk_stream_alloc_skb: one behind all others in the retransmit queue, to end at `end`. */
struct eh_skb *eh_skb_queue(struct eh_cpu *c, struct eh_tcp *tp, uint32_t end, bool payload);
/* tcp_clean_rtx_queue: what tp->snd_una has passed. */
void eh_skb_acked(struct eh_cpu *c, struct eh_tcp *tp);
/* tcp_write_queue_purge: all it has. */
void eh_skb_purge(struct eh_cpu *c, struct eh_tcp *tp);

/* --- memory pressure, from kernel.tcp_pressure_at on --- */
void eh_skb_watch(struct eh_host *h);
void eh_skb_unwatch(struct eh_host *h);
/* Of the allocator's objects that sockets keep in their caches. */
int64_t eh_skb_kept_bytes(const struct eh_host *h);

/* --- received: p->skb, p->data --- */
void eh_rx_skb_alloc(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p);
void eh_rx_skb_preset(struct eh_host *h, int cpu, struct eh_packet *p);
void eh_rx_skb_free(struct eh_cpu *c, struct eh_host *h, struct eh_packet *p); /* not p itself */
eh_line_id eh_rx_skb_shinfo(const struct eh_packet *p);

#endif
