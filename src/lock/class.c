/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/qspinlock.h>
#include <ehsim/trace.h>

/* Of lock.h: a CPU comes and goes once ahead of the clock, its release waits for the clock. */
#define AHEAD_PER_CPU 4

void eh_lock_class_watch(struct eh_lock_class *class, struct eh_machine *m, bool asks)
{
	struct eh_lock_watch *w = g_new0(struct eh_lock_watch, 1);

	g_ptr_array_add(m->kept, w);
	w->asks = asks;
	w->queue = eh_little_new(m->sim, class->name, AHEAD_PER_CPU * m->ncpus);
	g_ptr_array_add(m->kept, w->queue);
	eh_lock_watch_reset(w);
	class->watch = w;
}

void eh_lock_class_init(struct eh_lock_class *class, struct eh_machine *m, const char *name)
{
	*class = (struct eh_lock_class){.name = name};
	eh_lock_class_watch(class, m, false);
}

void eh_lock_watch_reset(struct eh_lock_watch *w)
{
	w->wait_min = w->hold_min = EH_TIME_NEVER;
	w->wait_max = w->hold_max = 0;
}

void eh_lock_class_read(const struct eh_lock_class *class, struct eh_little_reading *r)
{
	const struct eh_lock_watch *w = class->watch;

	if (w->asks)
		eh_little_read(w->queue, w->asked, w->asking, r);
	else
		eh_little_read(w->queue, class->contentions, class->wait_total, r);
}

void eh_lock_class_waited(struct eh_lock_class *class, eh_time waited, bool bounce)
{
	struct eh_lock_watch *w = class->watch;

	class->contentions++;
	class->con_bounces += bounce;
	class->wait_total += waited;
	class->wait_max = MAX(class->wait_max, waited);
	if (!w)
		return;
	w->wait_min = MIN(w->wait_min, waited);
	w->wait_max = MAX(w->wait_max, waited);
}

struct eh_lock_log *eh_lock_log_new(eh_time from, eh_time until)
{
	struct eh_lock_log *log = g_new(struct eh_lock_log, 1);

	*log = (struct eh_lock_log){from, until, g_array_new(FALSE, FALSE, sizeof(struct eh_lock_seen))};
	return log;
}

void eh_lock_log_free(struct eh_lock_log *log)
{
	if (log)
		g_array_unref(log->seen);
	g_free(log);
}

/* Classes without a name are the spinlocks within other locks. */
void eh_lock_note_add(const struct eh_cpu *c, const struct eh_lock_class *class, eh_time from, eh_time to,
		      bool waits)
{
	struct eh_lock_log *log = c->m->lock_log;
	struct eh_lock_seen seen = {.name = class->name, .cpu = c->id, .waits = waits};

	if (to <= log->from || from >= log->until || !class->name || log->seen->len >= EH_TRACE_MOST)
		return;
	seen.at = MAX(from, log->from);
	seen.length = MIN(to, log->until) - seen.at;
	g_array_append_val(log->seen, seen);
}
