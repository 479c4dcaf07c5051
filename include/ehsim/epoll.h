/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * epoll: a set of items and the list of those that may be ready, in the order in which they became
 * so. A source calls eh_ep_poll_callback, which puts the item at the tail of the ready list under
 * ep->lock and wakes the waiter. epoll_wait takes the list, asks each item what it is ready for and
 * hands out what is wanted; level-triggered as in Linux: an item that was handed out goes back to
 * the tail and leaves the list only when it is asked again and is not ready. What becomes ready
 * during the scan waits on the overflow list and goes to the head when the scan ends.
 *
 * ep->lock is a spinlock (v6.18; before, callbacks took the read side of an rwlock: the same
 * read-modify-writes of one line). One thread waits on a set.
 * Not modelled: ep->mtx (never contended with one thread per set), nested sets, edge-triggered and
 * one-shot items, the red-black tree beside its instructions, timeouts, busy polling.
 */
#ifndef EHSIM_EPOLL_H
#define EHSIM_EPOLL_H

#include <ehsim/host.h>

enum {
	EH_EPOLLIN = 0x001,
	EH_EPOLLOUT = 0x004,
	EH_EPOLLERR = 0x008,
	EH_EPOLLHUP = 0x010,
	EH_EPOLLRDHUP = 0x2000,
};

struct eh_epitem;

/* What is the item ready for? Runs on CPU c and charges what the look costs. */
typedef uint32_t (*eh_poll_fn)(struct eh_cpu *c, struct eh_epitem *item);

struct eh_epitem {
	struct eh_epoll *ep; /* NULL: in no set */
	uint32_t events;     /* wanted; errors and hang-ups always are */
	eh_poll_fn poll;
	void *data;  /* the program's */
	bool ready;  /* on the ready list, or in the scan's hands */
	bool missed; /* on the overflow list */
	GList link;
	struct eh_epitem *next_missed;
};

struct eh_epoll {
	struct eh_host *host;
	struct eh_spinlock lock; /* its line holds the list heads too */
	GQueue ready;
	bool scanning;
	struct eh_epitem *missed; /* last first */
	struct eh_task *waiter;	  /* asleep, or about to be */
	uint64_t waits, handed_out;
};

struct eh_epoll_event {
	uint32_t events;
	void *data;
};

/* The set's lines are homed with `cpu`. */
struct eh_epoll *eh_epoll_new(struct eh_host *h, int cpu);
void eh_epoll_free(struct eh_epoll *ep);

enum eh_epoll_op { EH_EPOLL_ADD, EH_EPOLL_MOD, EH_EPOLL_DEL };

void eh_sys_epoll_ctl(struct eh_task *t, struct eh_epoll *ep, enum eh_epoll_op op,
		      struct eh_epitem *item, uint32_t events, void *data);
/* Blocks until something is ready. */
int eh_sys_epoll_wait(struct eh_task *t, struct eh_epoll *ep, struct eh_epoll_event *events,
		      int max);

/* The item's source has news on CPU c; `key`: which events it may be, 0: any. */
void eh_ep_poll_callback(struct eh_cpu *c, struct eh_epitem *item, uint32_t key);

/* Before time 0, without cost: the item is in the set, and on its ready list if `ready`. */
void eh_epoll_preset(struct eh_epoll *ep, struct eh_epitem *item, uint32_t events, void *data,
		     bool ready);

#endif
