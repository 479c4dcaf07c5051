/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path.h"

#include <ehsim/c2c.h>

#define ALWAYS (EH_EPOLLERR | EH_EPOLLHUP)

struct eh_epoll *eh_epoll_new(struct eh_host *h, int cpu)
{
	struct eh_epoll *ep = g_new0(struct eh_epoll, 1);

	ep->host = h;
	eh_spin_init(&ep->lock, eh_lines_named(h->m, 1, h->m->die_of[cpu], "eventpoll.lock"));
	g_queue_init(&ep->ready);
	return ep;
}

void eh_epoll_free(struct eh_epoll *ep)
{
	g_free(ep);
}

/* From process context interrupts are off, from an interrupt they are anyway: softirqs wait. */
static void lock(struct eh_cpu *c, struct eh_epoll *ep)
{
	eh_local_bh_disable(c);
	eh_call(c, EH_SYM(_raw_spin_lock), ep->host->kernel->cost.spin_lock);
	eh_spin_lock(c, &ep->lock, &ep->host->ep_lock, EH_SYM(_raw_spin_lock));
}

static void unlock(struct eh_cpu *c, struct eh_epoll *ep, int sym)
{
	eh_spin_unlock(c, &ep->lock, sym, ep->host->kernel->cost.spin_unlock);
	eh_local_bh_enable(c);
}

static void add_ready(struct eh_epoll *ep, struct eh_epitem *item)
{
	item->ready = true;
	item->link.data = item;
	g_queue_push_tail_link(&ep->ready, &item->link);
}

static struct eh_task *take_waiter(struct eh_epoll *ep)
{
	struct eh_task *t = ep->waiter;

	ep->waiter = NULL;
	return t;
}

void eh_ep_poll_callback(struct eh_cpu *c, struct eh_epitem *item, uint32_t key)
{
	const int sym = EH_SYM(ep_poll_callback);
	struct eh_epoll *ep = item->ep;
	struct eh_task *waiter = NULL;

	if (!ep)
		return;
	eh_path(c, sym, ep->host->kernel->cost.epoll_callback);
	lock(c, ep);
	if (item->ep == ep && (!key || key & (item->events | ALWAYS))) {
		if (ep->scanning && !item->missed) {
			item->missed = true;
			item->next_missed = ep->missed;
			ep->missed = item;
		} else if (!ep->scanning && !item->ready) {
			add_ready(ep, item);
		}
		waiter = take_waiter(ep);
	}
	unlock(c, ep, sym);
	if (waiter)
		eh_task_wake(c, waiter);
}

/* --- epoll_ctl --- */

/* ADD and MOD look at once whether there is something to hand out. */
static void look(struct eh_cpu *c, struct eh_epoll *ep, struct eh_epitem *item)
{
	const int sym = EH_SYM(do_epoll_ctl);

	if (!(item->poll(c, item) & (item->events | ALWAYS)))
		return;
	lock(c, ep);
	if (!item->ready)
		add_ready(ep, item);
	unlock(c, ep, sym);
}

static void delete(struct eh_cpu *c, struct eh_epoll *ep, struct eh_epitem *item)
{
	lock(c, ep);
	if (item->ready)
		g_queue_unlink(&ep->ready, &item->link);
	item->ready = false;
	item->ep = NULL;
	unlock(c, ep, EH_SYM(do_epoll_ctl));
}

void eh_sys_epoll_ctl(struct eh_task *t, struct eh_epoll *ep, enum eh_epoll_op op,
		      struct eh_epitem *item, uint32_t events, void *data)
{
	struct eh_cpu *c = eh_sys_enter(t);

	eh_path(c, EH_SYM(do_epoll_ctl), ep->host->kernel->cost.epoll_ctl);
	if (op == EH_EPOLL_DEL) {
		delete(c, ep, item);
	} else {
		item->ep = ep;
		item->events = events;
		item->data = data;
		look(c, ep, item);
	}
	eh_sys_exit(t);
}

/* --- epoll_wait --- */

static GQueue start_scan(struct eh_cpu *c, struct eh_epoll *ep)
{
	GQueue list;

	lock(c, ep);
	list = ep->ready;
	g_queue_init(&ep->ready);
	ep->scanning = true;
	unlock(c, ep, EH_SYM(do_epoll_wait));
	return list;
}

/* The new list: what the scan did not get to, what became ready meanwhile, then the rest. */
static void done_scan(struct eh_cpu *c, struct eh_epoll *ep, GQueue *left)
{
	struct eh_epitem *item;

	lock(c, ep);
	for (item = ep->missed; item; item = item->next_missed) {
		item->missed = false;
		if (item->ready || item->ep != ep)
			continue;
		item->ready = true;
		item->link.data = item;
		g_queue_push_head_link(&ep->ready, &item->link);
	}
	ep->missed = NULL;
	ep->scanning = false;
	while (left->tail)
		g_queue_push_head_link(&ep->ready, g_queue_pop_tail_link(left));
	unlock(c, ep, EH_SYM(do_epoll_wait));
}

static int send_events(struct eh_cpu *c, struct eh_epoll *ep, struct eh_epoll_event *events,
		       int max)
{
	GQueue list = start_scan(c, ep);
	GList *link;
	int n = 0;

	while (n < max && (link = g_queue_pop_head_link(&list))) {
		struct eh_epitem *item = link->data;
		uint32_t now = item->poll(c, item) & (item->events | ALWAYS);

		item->ready = false;
		if (!now)
			continue;
		eh_path(c, EH_SYM(do_epoll_wait), ep->host->kernel->cost.epoll_event);
		events[n++] = (struct eh_epoll_event){.events = now, .data = item->data};
		add_ready(ep, item); /* level-triggered */
	}
	done_scan(c, ep, &list);
	return n;
}

static void wait_for_news(struct eh_task *t, struct eh_epoll *ep)
{
	struct eh_cpu *c = t->cpu;
	bool sleep;

	lock(c, ep);
	sleep = !ep->ready.head;
	if (sleep)
		ep->waiter = t;
	unlock(c, ep, EH_SYM(do_epoll_wait));
	if (sleep)
		eh_task_block(t);
}

int eh_sys_epoll_wait(struct eh_task *t, struct eh_epoll *ep, struct eh_epoll_event *events,
		      int max)
{
	struct eh_cpu *c = eh_sys_enter(t);
	int n = 0;

	eh_path(c, EH_SYM(do_epoll_wait), ep->host->kernel->cost.epoll_wait);
	for (;;) {
		eh_load(c, EH_SYM(do_epoll_wait), ep->lock.line, 0);
		eh_cpu_sync(c, c->retire);
		if (ep->ready.head)
			n = send_events(c, ep, events, max);
		if (n)
			break;
		wait_for_news(t, ep);
		c = t->cpu;
	}
	ep->waits++;
	ep->handed_out += (uint64_t)n;
	eh_sys_exit(t);
	return n;
}

void eh_epoll_preset(struct eh_epoll *ep, struct eh_epitem *item, uint32_t events, void *data,
		     bool ready)
{
	item->ep = ep;
	item->events = events;
	item->data = data;
	if (ready)
		add_ready(ep, item);
}
