/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "internal.h"

void eh_cblist_init(struct cblist *l)
{
	*l = (struct cblist){.head = NULL};
	for (int i = 0; i < SEGMENTS; i++)
		l->tail[i] = &l->head;
}

void eh_cblist_add(struct cblist *l, struct eh_rcu_head *h)
{
	h->next = NULL;
	*l->tail[SEG_NEXT] = h;
	l->tail[SEG_NEXT] = &h->next;
	l->n[SEG_NEXT]++;
	l->len++;
}

/* Segment `from` moves into the empty place `to` before it. */
static void move(struct cblist *l, int from, int to)
{
	l->n[to] = l->n[from];
	l->n[from] = 0;
	l->seq[to] = l->seq[from];
	l->tail[to] = l->tail[from];
}

void eh_cblist_advance(struct cblist *l, uint64_t seq)
{
	int i = SEG_WAIT, to = SEG_WAIT;

	for (; i < SEG_NEXT && l->seq[i] <= seq; i++) {
		l->n[SEG_DONE] += l->n[i];
		l->n[i] = 0;
		l->tail[SEG_DONE] = l->tail[i];
	}
	for (int j = SEG_WAIT; j < i; j++)
		l->tail[j] = l->tail[SEG_DONE];
	for (; i < SEG_NEXT && to < i; i++, to++)
		if (l->n[i])
			move(l, i, to);
	for (int j = to; j < SEG_NEXT; j++)
		if (!l->n[j])
			l->tail[j] = l->tail[j - 1];
}

bool eh_cblist_accelerate(struct cblist *l, uint64_t seq)
{
	int i = SEG_NEXT_READY;

	while (i > SEG_DONE && !(l->n[i] && l->seq[i] < seq))
		i--;
	if (!eh_cblist_rest(l, i) || ++i >= SEG_NEXT)
		return false;
	for (int j = i + 1; j <= SEG_NEXT; j++) {
		l->n[i] += l->n[j];
		l->n[j] = 0;
	}
	for (int j = i; j < SEG_NEXT; j++) {
		l->tail[j] = l->tail[SEG_NEXT];
		l->seq[j] = seq;
	}
	return true;
}

bool eh_cblist_take_done(struct cblist *l, struct taken *t)
{
	*t = (struct taken){.first = l->head, .end = l->tail[SEG_DONE], .n = l->n[SEG_DONE]};
	if (!t->n)
		return false;
	l->head = *t->end;
	*t->end = NULL;
	l->n[SEG_DONE] = 0;
	for (int i = SEG_DONE; i < SEGMENTS; i++)
		if (l->tail[i] == t->end)
			l->tail[i] = &l->head;
	return true;
}

void eh_cblist_put_back(struct cblist *l, const struct taken *t)
{
	if (!t->n)
		return;
	*t->end = l->head;
	l->head = t->first;
	for (int i = SEG_DONE; i < SEGMENTS; i++)
		if (l->tail[i] == &l->head)
			l->tail[i] = t->end;
	l->n[SEG_DONE] += t->n;
}
