/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include <ehsim/check.h>
#include <ehsim/lock.h>
#include <ehsim/nic.h>
#include <ehsim/sample.h>
#include <string.h>

struct lock {
	int host; /* 0: client, or the one of the laboratory; 1: server */
	const char *name, *type;
	struct eh_lock_class class; /* as it stands at the reading */
	struct eh_little_reading queue;
};

struct queue {
	int host;
	const struct eh_little *q;
	struct eh_little_reading r;
};

/* Everything at one instant; always in the same order. */
struct eh_queues {
	GArray *locks, *others;
	GArray *slabs[2]; /* by host; of the first reading */
};

static void read_lock(struct eh_queues *s, int host, const struct eh_lock_class *class,
		      const char *type)
{
	struct lock new = {.host = host, .name = class->name, .type = type, .class = *class};

	eh_lock_class_read(class, &new.queue);
	g_array_append_val(s->locks, new);
}

static void add_queue(struct eh_queues *s, int host, const struct eh_little *q,
		      const struct eh_little_reading *r)
{
	struct queue new = {.host = host, .q = q, .r = *r};

	g_array_append_val(s->others, new);
}

static void read_sched(struct eh_queues *s, int host, struct eh_sched *sched, struct eh_rcu *rcu)
{
	struct eh_little_reading r;
	const struct eh_little *q = eh_sched_runnable(sched, &r);

	add_queue(s, host, q, &r);
	read_lock(s, host, eh_sched_rq_lock(sched), "spinlock");
	read_lock(s, host, eh_rcu_node_lock(rcu), "spinlock");
	read_lock(s, host, eh_rcu_exp_lock(rcu), "spinlock");
}

static void read_memory(struct eh_queues *s, int host, struct eh_mm *mm)
{
	struct eh_kmem_cache *k;

	for (int i = 0; (k = eh_mm_cache(mm, i)); i++) {
		read_lock(s, host, eh_kmem_list_lock(k), "spinlock");
		read_lock(s, host, eh_kmem_alien_lock(k), "spinlock");
	}
	read_lock(s, host, eh_zone_lock(mm), "spinlock");
}

static void read_host(struct eh_queues *s, int host, struct eh_host *h)
{
	const struct eh_lock_class *classes[] = {
		&h->ehash_lock, &h->bhash_lock, &h->bhash2_lock,
		&h->rskq_lock,	&h->ep_lock,	&h->sock_lock,
		&h->backlog_lock, &h->defer_lock,
	};
	struct eh_little_reading r;

	for (size_t i = 0; i < G_N_ELEMENTS(classes); i++) {
		read_lock(s, host, classes[i], "spinlock");
		eh_sample_locks(h, classes[i],
				&g_array_index(s->locks, struct lock, s->locks->len - 1).class);
	}
	read_memory(s, host, h->m->mm);
	read_sched(s, host, h->sched, h->rcu);
	eh_little_read(h->nic->waiting, h->nic->taken, h->nic->waited, &r);
	add_queue(s, host, h->nic->waiting, &r);
}

static void read_lab(struct eh_queues *s, const struct eh_lab *lab)
{
	struct eh_lab_stats st;

	eh_lab_stats(lab, &st);
	if (st.locks.watch) {
		read_lock(s, 0, &st.locks, st.locks.name);
		g_array_index(s->locks, struct lock, 0).name = "lock under test";
	}
	if (eh_lab_host(lab)) {
		read_host(s, 0, eh_lab_host(lab));
		return;
	}
	read_memory(s, 0, eh_lab_machine(lab)->mm);
	read_sched(s, 0, eh_lab_sched(lab), eh_lab_rcu(lab));
}

static struct eh_queues *read_all(const struct eh_world *w)
{
	struct eh_queues *s = g_new(struct eh_queues, 1);
	struct eh_little_reading r;
	const struct eh_little *q;

	s->locks = g_array_new(FALSE, FALSE, sizeof(struct lock));
	s->others = g_array_new(FALSE, FALSE, sizeof(struct queue));
	if (w->lab) {
		read_lab(s, w->lab);
		return s;
	}
	read_host(s, 0, w->client);
	read_host(s, 1, w->server);
	q = eh_crr_flows(w->crr, &r);
	add_queue(s, 0, q, &r);
	return s;
}

static void queues_free(struct eh_queues *s)
{
	g_array_unref(s->locks);
	g_array_unref(s->others);
	g_free(s);
}

struct eh_queues *eh_queues_begin(const struct eh_world *w)
{
	struct eh_queues *s = read_all(w);

	for (int host = 0; host < 2; host++)
		s->slabs[host] = eh_slabs_begin(w, host);
	for (guint i = 0; i < s->locks->len; i++)
		eh_lock_watch_reset(g_array_index(s->locks, struct lock, i).class.watch);
	return s;
}

/* Classes of one name (a slab cache has one each) make one row. */
static struct eh_lock_row *row_of(GPtrArray *rows, const struct lock *l)
{
	for (guint i = 0; i < rows->len; i++) {
		struct eh_lock_row *row = g_ptr_array_index(rows, i);

		if (!strcmp(row->name, l->name))
			return row;
	}
	return eh_lock_row_add(rows, l->name, l->type);
}

static void add_lock(GPtrArray *rows, const struct lock *from, const struct lock *to)
{
	const struct eh_lock_class *a = &from->class, *b = &to->class;
	struct eh_lock_row *row;

	if (b->acquisitions == a->acquisitions)
		return;
	row = row_of(rows, to);
	if (b->contentions > a->contentions)
		row->wait_min = row->contentions ? MIN(row->wait_min, b->watch->wait_min)
						 : b->watch->wait_min;
	row->wait_max = MAX(row->wait_max, b->watch->wait_max);
	row->acquisitions += b->acquisitions - a->acquisitions;
	row->contentions += b->contentions - a->contentions;
	row->acq_bounces += b->bounces - a->bounces;
	row->con_bounces += b->con_bounces - a->con_bounces;
	row->wait_total += b->wait_total - a->wait_total;
	row->hold_total += b->hold_total - a->hold_total;
	if (b->watch->hold_min <= b->watch->hold_max) {
		row->hold_min = row->hold_max ? MIN(row->hold_min, b->watch->hold_min)
					      : b->watch->hold_min;
		row->hold_max = MAX(row->hold_max, b->watch->hold_max);
	}
}

static int longest_first(gconstpointer a, gconstpointer b)
{
	const struct eh_lock_row *x = *(struct eh_lock_row *const *)a;
	const struct eh_lock_row *y = *(struct eh_lock_row *const *)b;

	if (x->wait_total != y->wait_total)
		return x->wait_total < y->wait_total ? 1 : -1;
	if (x->acquisitions != y->acquisitions)
		return x->acquisitions < y->acquisitions ? 1 : -1;
	return strcmp(x->name, y->name);
}

static const char *host_name(const struct eh_world *w, int host)
{
	return w->lab ? eh_lab_machine(w->lab)->name : (host ? w->server : w->client)->m->name;
}

void eh_queues_end(struct eh_queues *from, const struct eh_world *w, struct eh_point *p)
{
	struct eh_queues *to = read_all(w);
	struct eh_machine *m[2];

	eh_world_machines(w, m);
	for (int host = 0; host < 2; host++)
		if (m[host])
			eh_mm_check(m[host]->mm);
	for (int host = 0; host < 2; host++)
		eh_slabs_end(from->slabs[host], w, host, p);
	if (!w->lab)
		eh_net_check(w->client, w->server);
	for (guint i = 0; i < to->locks->len; i++) {
		const struct lock *a = &g_array_index(from->locks, struct lock, i);
		const struct lock *b = &g_array_index(to->locks, struct lock, i);

		eh_little_check(b->class.watch->queue, host_name(w, b->host), &a->queue, &b->queue);
		if (p->with_locks)
			add_lock(p->locks[b->host], a, b);
	}
	for (guint i = 0; i < to->others->len; i++) {
		const struct queue *a = &g_array_index(from->others, struct queue, i);
		const struct queue *b = &g_array_index(to->others, struct queue, i);

		eh_little_check(b->q, host_name(w, b->host), &a->r, &b->r);
	}
	p->queues = (int)(to->locks->len + to->others->len);
	for (int h = 0; h < 2; h++)
		g_ptr_array_sort(p->locks[h], longest_first);
	queues_free(from);
	queues_free(to);
}
