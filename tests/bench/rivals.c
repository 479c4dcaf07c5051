/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rivals.h"

#include <glib.h>

/* --- the wheel of src/engine --- */

static void *wheel_new(size_t max)
{
	(void)max;
	return eh_queue_new();
}

static void wheel_free(void *queue)
{
	eh_queue_free(queue);
}

static void wheel_add(void *queue, struct bench_item *it, eh_time at)
{
	eh_queue_add(queue, &it->ev, at);
}

static struct bench_item *wheel_take(void *queue)
{
	return eh_container_of(eh_queue_take(queue, EH_TIME_NEVER), struct bench_item, ev);
}

static void wheel_cancel(void *queue, struct bench_item *it)
{
	eh_queue_cancel(queue, &it->ev);
}

/* --- binary heap of pointers, ordered by (time, sequence) --- */

struct heap {
	struct bench_item **slot; /* from 1 */
	size_t n;
	uint64_t seq;
};

static void *heap_new(size_t max)
{
	struct heap *h = g_new0(struct heap, 1);

	h->slot = g_new(struct bench_item *, max + 1);
	return h;
}

static void heap_free(void *queue)
{
	struct heap *h = queue;

	g_free(h->slot);
	g_free(h);
}

static inline bool earlier(const struct bench_item *a, const struct bench_item *b)
{
	return a->ev.at < b->ev.at || (a->ev.at == b->ev.at && a->seq < b->seq);
}

static inline void heap_place(struct heap *h, struct bench_item *it, size_t i)
{
	h->slot[i] = it;
	it->index = i;
}

static void heap_up(struct heap *h, struct bench_item *it, size_t i)
{
	for (; i > 1 && earlier(it, h->slot[i / 2]); i /= 2)
		heap_place(h, h->slot[i / 2], i);
	heap_place(h, it, i);
}

static void heap_down(struct heap *h, struct bench_item *it, size_t i)
{
	size_t child;

	for (; (child = 2 * i) <= h->n; i = child) {
		if (child < h->n && earlier(h->slot[child + 1], h->slot[child]))
			child++;
		if (!earlier(h->slot[child], it))
			break;
		heap_place(h, h->slot[child], i);
	}
	heap_place(h, it, i);
}

static void heap_add(void *queue, struct bench_item *it, eh_time at)
{
	struct heap *h = queue;

	it->ev.at = at;
	it->seq = h->seq++;
	heap_up(h, it, ++h->n);
}

static void heap_cancel(void *queue, struct bench_item *it)
{
	struct heap *h = queue;
	struct bench_item *last = h->slot[h->n--];

	if (last == it)
		return;
	if (it->index > 1 && earlier(last, h->slot[it->index / 2]))
		heap_up(h, last, it->index);
	else
		heap_down(h, last, it->index);
}

static struct bench_item *heap_take(void *queue)
{
	struct heap *h = queue;
	struct bench_item *first = h->slot[1], *last = h->slot[h->n--];

	if (h->n > 0)
		heap_down(h, last, 1);
	return first;
}

/* --- GLib's balanced tree --- */

struct tree {
	GTree *tree;
	uint64_t seq;
};

static int by_time(const void *a, const void *b, void *data)
{
	(void)data;
	return earlier(a, b) ? -1 : a != b;
}

static void *tree_new(size_t max)
{
	struct tree *t = g_new0(struct tree, 1);

	(void)max;
	t->tree = g_tree_new_full(by_time, NULL, NULL, NULL);
	return t;
}

static void tree_free(void *queue)
{
	struct tree *t = queue;

	g_tree_destroy(t->tree);
	g_free(t);
}

static void tree_add(void *queue, struct bench_item *it, eh_time at)
{
	struct tree *t = queue;

	it->ev.at = at;
	it->seq = t->seq++;
	g_tree_insert(t->tree, it, it);
}

static void tree_cancel(void *queue, struct bench_item *it)
{
	struct tree *t = queue;

	g_tree_remove(t->tree, it);
}

static struct bench_item *tree_take(void *queue)
{
	struct tree *t = queue;
	struct bench_item *first = g_tree_node_key(g_tree_node_first(t->tree));

	g_tree_remove(t->tree, first);
	return first;
}

const struct bench_rival bench_rivals[BENCH_RIVALS] = {
	{"wheel (ours)", wheel_new, wheel_free, wheel_add, wheel_take, wheel_cancel},
	{"binary heap", heap_new, heap_free, heap_add, heap_take, heap_cancel},
	{"GTree", tree_new, tree_free, tree_add, tree_take, tree_cancel},
};
