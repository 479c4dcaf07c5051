/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crr.h"

#include <ehsim/sample.h>

/* futex in the kernel, beside the wake-up or the sleep. */
static void futex(struct eh_task *t)
{
	eh_cpu_point(t->cpu);
	eh_path(t->cpu, EH_SYM(entry_SYSCALL_64), eh_crr_cost(t)->syscall);
}

/* One after another in order of index; the barrier behind it opens when main says so. */
static void set_up(struct eh_task *t, struct eh_client_thread *th)
{
	struct eh_crr *w = th->w;

	for (int i = 0; i < th->nflows; i++) {
		struct eh_flow *f = &th->flows[i];

		eh_crr_user(t, w->cfg->user_work);
		eh_crr_begin(f, t->cpu->retire);
		eh_client_open(t, f);
	}
	futex(t);
	if (th->index + 1 < w->nthreads)
		eh_task_wake(t->cpu, w->threads[th->index + 1].task);
	else
		eh_task_wake(t->cpu, w->main);
	while (!th->go)
		eh_task_block(t);
}

void eh_client_thread(struct eh_task *t, void *arg)
{
	struct eh_client_thread *th = arg;

	if (!th->go)
		set_up(t, th);
	eh_client_loop(t, th);
}

static void note_setup(struct eh_crr *w, eh_time now)
{
	struct eh_search_stats search;

	eh_inet_search_stats(w->client, &search);
	eh_crr_stats(w, &w->stats);
	w->stats.setup_end = now;
	w->stats.setup_utime = w->stats.utime;
	w->stats.setup_stime = w->stats.stime;
	w->stats.setup_connects = search.searches;
	w->stats.setup_candidates = search.candidates;
	w->stats.setup_search = search.time;
}

/* The load balancer spreads who has slept on the set-up's node. */
static void release(struct eh_task *t, struct eh_client_thread *th)
{
	struct eh_machine *m = th->w->client->m;

	while (!th->task->sleeping) /* the last one, on its way into the barrier */
		eh_task_yield(t);
	eh_task_set_cpu(th->task, eh_machine_spread(m, th->index));
	th->go = true;
	futex(t);
	eh_task_wake(t->cpu, th->task);
}

static uint32_t poll_stop(struct eh_cpu *c, struct eh_epitem *item)
{
	const struct eh_client_thread *th =
		eh_container_of(item, struct eh_client_thread, stop_item);

	eh_cpu_sync(c, c->retire);
	return th->stopping ? EH_EPOLLIN : 0;
}

static void alarm_fires(struct eh_event *ev)
{
	struct eh_crr *w = eh_container_of(ev, struct eh_crr, alarm);

	w->alarmed = true;
	eh_task_start(w->main);
}

/* Main waits for the set-up, opens the barrier, sleeps until the alarm, stops all threads. */
void eh_client_main(struct eh_task *t, void *arg)
{
	struct eh_crr *w = arg;

	eh_cpu_sync(t->cpu, t->cpu->retire);
	note_setup(w, t->cpu->retire);
	if (w->run->start == EH_START_SETUP) {
		w->stats.finished = true;
		eh_sim_stop(w->client->sim);
		eh_crr_sleep_for_ever(t);
	}
	w->stats.running = true;
	eh_sample_phase(w->client);
	w->reset_at = t->cpu->retire;
	for (int i = 0; i < w->nthreads; i++)
		release(t, &w->threads[i]);
	eh_crr_usage(w, &w->start);
	eh_cpu_sync(t->cpu, t->cpu->retire);
	eh_sim_at(w->client->sim, &w->alarm,
		  MAX(t->cpu->retire, w->stats.setup_end + w->run->length));
	while (!w->alarmed)
		eh_task_block(t);
	eh_crr_usage(w, &w->end);
	for (int i = 0; i < w->nthreads; i++) {
		futex(t); /* a write to its eventfd */
		w->threads[i].stopping = true;
		eh_ep_poll_callback(t->cpu, &w->threads[i].stop_item, EH_EPOLLIN);
	}
	eh_crr_sleep_for_ever(t);
}

void eh_crr_start_cold(struct eh_crr *w)
{
	w->alarm.fn = alarm_fires;
	for (int i = 0; i < w->nthreads; i++) {
		struct eh_client_thread *th = &w->threads[i];

		th->stop_item.poll = poll_stop;
		eh_epoll_preset(th->ep, &th->stop_item, EH_EPOLLIN, th, false);
	}
	eh_task_start(w->threads[0].task);
}
