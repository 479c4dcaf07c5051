/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "line.h"

#include <ehsim/word.h>
#include <glib.h>

/* One store may wait for its line: the next access that writes waits for that one. */
static void wait_for_store(struct eh_cpu *c, int sym)
{
	struct eh_request *r = c->store;

	if (!r || !r->pending)
		return;
	r->awaited = true;
	eh_sim_park(c->sim);
	r->awaited = false;
	eh_cpu_wait_for(c, sym, EH_WHY_DRAIN, eh_sim_now(c->sim));
}

static struct eh_request *store_of(struct eh_cpu *c)
{
	if (!c->store)
		g_ptr_array_add(c->m->kept, c->store = g_new0(struct eh_request, 1));
	return c->store;
}

uint64_t eh_word_load(struct eh_cpu *c, int sym, const struct eh_word *w)
{
	eh_load(c, sym, w->line, 0);
	eh_cpu_sync(c, c->retire);
	return w->value;
}

uint64_t eh_word_stored(const struct eh_cpu *c, const struct eh_word *w)
{
	const struct eh_request *r = c->store;

	return r && r->pending && r->word == &w->value ? r->value : w->value;
}

void eh_word_store(struct eh_cpu *c, int sym, struct eh_word *w, uint64_t value)
{
	struct eh_request *r;

	wait_for_store(c, sym);
	eh_work(c, sym, 1);
	eh_cpu_sync(c, c->retire);
	if (eh_line_must_wait(c, w->line)) {
		c->accesses++;
		r = store_of(c);
		*r = (struct eh_request){.c = c, .kind = EH_STORE, .pending = true,
					 .word = &w->value, .value = value};
		eh_line_request(r, w->line, c->retire);
		return;
	}
	eh_store(c, sym, w->line);
	w->value = value;
}

static void locked(struct eh_cpu *c, int sym, const struct eh_word *w)
{
	wait_for_store(c, sym);
	eh_rmw(c, sym, w->line);
}

uint64_t eh_word_xchg(struct eh_cpu *c, int sym, struct eh_word *w, uint64_t value)
{
	uint64_t old;

	locked(c, sym, w);
	old = w->value;
	w->value = value;
	return old;
}

uint64_t eh_word_add(struct eh_cpu *c, int sym, struct eh_word *w, uint64_t delta)
{
	uint64_t old;

	locked(c, sym, w);
	old = w->value;
	w->value += delta;
	return old;
}

uint64_t eh_word_or(struct eh_cpu *c, int sym, struct eh_word *w, uint64_t bits)
{
	uint64_t old;

	locked(c, sym, w);
	old = w->value;
	w->value |= bits;
	return old;
}

uint64_t eh_word_cmpxchg(struct eh_cpu *c, int sym, struct eh_word *w, uint64_t old, uint64_t value)
{
	uint64_t was;

	locked(c, sym, w);
	was = w->value;
	if (was == old)
		w->value = value;
	return was;
}

uint64_t eh_word_wait(struct eh_cpu *c, int sym, const struct eh_word *w, uint64_t old)
{
	uint64_t value = eh_word_load(c, sym, w);
	struct eh_request r = {.c = c, .kind = EH_READ, .word = &((struct eh_word *)(uintptr_t)w)->value};

	while (value == old) {
		if (eh_line_copy_is_good(c, w->line))
			eh_line_spin(&r, w->line);
		else
			eh_line_request(&r, w->line, c->retire);
		eh_sim_park(c->sim);
		eh_cpu_wait_until(c, sym, eh_sim_now(c->sim));
		value = r.value;
	}
	return value;
}
