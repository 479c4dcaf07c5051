/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/trace.h>

#include <ehsim/cpu.h>
#include <ehsim/symbol.h>
#include <string.h>

_Static_assert(EH_SYM_COUNT <= UINT8_MAX, "struct eh_slice holds a symbol in a byte");

/* What is known of a CPU so far. */
struct seen {
	eh_time charged[EH_SYM_COUNT];
	struct eh_slice open; /* the last slice, which may still grow; length 0: none */
	eh_time end;	      /* nothing more can be laid down before it */
};

struct eh_trace {
	struct eh_machine *m[2];
	struct seen *seen[2];
	eh_time from, until, last; /* last: observed up to here */
	GArray *slices;
	bool begun;
};

struct eh_trace *eh_trace_new(struct eh_machine *const m[2], eh_time from, eh_time until,
			      GArray *slices)
{
	struct eh_trace *t = g_new0(struct eh_trace, 1);

	*t = (struct eh_trace){.from = from, .until = until, .last = until + (until - from),
			       .slices = slices};
	for (int h = 0; h < 2; h++) {
		t->m[h] = m[h];
		t->seen[h] = m[h] ? g_new0(struct seen, m[h]->ncpus) : NULL;
	}
	return t;
}

static void hand_over(struct eh_trace *t, struct seen *s)
{
	struct eh_slice cut = s->open;
	eh_time end = MIN(s->open.at + s->open.length, t->until);

	s->open.length = 0;
	cut.at = MAX(cut.at, t->from);
	cut.length = end - cut.at;
	if (cut.length <= 0)
		return;
	g_array_append_val(t->slices, cut);
	if (t->slices->len >= EH_TRACE_MOST) /* what lies behind is cut off */
		t->until = t->last = MIN(t->until, end);
}

static void lay_down(struct eh_trace *t, struct seen *s, struct eh_slice slice)
{
	if (s->open.length && s->open.sym == slice.sym && s->open.at + s->open.length == slice.at) {
		s->open.length += slice.length;
	} else {
		hand_over(t, s);
		s->open = slice;
	}
	s->end = slice.at + slice.length;
}

/* The CPU has run: what it charged since we looked ends at its own clock. */
static void look(struct eh_trace *t, int host, int cpu)
{
	const struct eh_cpu *c = &t->m[host]->cpus[cpu];
	struct seen *s = &t->seen[host][cpu];
	eh_time grown[EH_SYM_COUNT], sum = 0, at;
	int first = s->open.sym;

	for (int sym = 0; sym < EH_SYM_COUNT; sym++)
		sum += grown[sym] = c->charged[sym] - s->charged[sym];
	if (!sum)
		return;
	memcpy(s->charged, c->charged, sizeof(s->charged));
	at = MAX(s->end, c->retire - sum);
	for (int i = -1; i < EH_SYM_COUNT; i++) {
		int sym = i < 0 ? first : i;

		if (grown[sym] <= 0 || (i >= 0 && sym == first))
			continue;
		lay_down(t, s, (struct eh_slice){.at = at, .length = grown[sym],
						 .cpu = (uint16_t)cpu, .host = (uint8_t)host,
						 .sym = (uint8_t)sym});
		at += grown[sym];
	}
}

/* Events that belong to no CPU run no kernel code. */
static void on_event(const struct eh_event *ev, void *arg)
{
	struct eh_trace *t = arg;

	for (int h = 0; h < 2; h++) {
		const char *cpus = t->m[h] ? (const char *)t->m[h]->cpus : NULL;
		ptrdiff_t offset = (const char *)ev - cpus;

		if (cpus && offset >= 0 && offset < (ptrdiff_t)sizeof(struct eh_cpu) * t->m[h]->ncpus)
			look(t, h, (int)(offset / (ptrdiff_t)sizeof(struct eh_cpu)));
	}
}

static void begin(struct eh_trace *t)
{
	t->begun = true;
	for (int h = 0; h < 2; h++)
		for (int i = 0; t->m[h] && i < t->m[h]->ncpus; i++)
			memcpy(t->seen[h][i].charged, t->m[h]->cpus[i].charged,
			       sizeof(t->seen[h][i].charged));
}

void eh_trace_run(struct eh_trace *t, eh_time to)
{
	struct eh_sim *sim = t->m[0]->sim;

	if (eh_sim_now(sim) >= t->last || to <= t->from) {
		eh_sim_run(sim, to);
		return;
	}
	if (!t->begun)
		begin(t);
	eh_sim_run_watched(sim, to, on_event, t);
}

eh_time eh_trace_free(struct eh_trace *t)
{
	eh_time until = t->until;

	for (int h = 0; h < 2; h++) {
		for (int i = 0; t->m[h] && i < t->m[h]->ncpus; i++) {
			if (t->begun)
				look(t, h, i);
			hand_over(t, &t->seen[h][i]);
		}
		g_free(t->seen[h]);
	}
	until = MIN(until, t->until);
	g_free(t);
	return until;
}
