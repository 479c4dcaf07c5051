/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crr.h"

void eh_crr_user(struct eh_task *t, int64_t instructions)
{
	struct eh_cpu *c = t->cpu;
	struct eh_account *account;

	eh_cpu_point(c);
	c->user = true;
	account = eh_cpu_enter(c, EH_DOING_USER);
	eh_path(c, EH_SYM_USER, instructions);
	eh_cpu_leave(c, account);
	eh_cpu_point(c);
	c->user = false;
}

const struct eh_kernel_cost *eh_crr_cost(const struct eh_task *t)
{
	return &((const struct eh_host *)t->cpu->host)->kernel->cost;
}

void eh_crr_sleep_for_ever(struct eh_task *t)
{
	for (;;)
		eh_task_block(t);
}

void eh_crr_fail(struct eh_crr *w, eh_time at, const char *why)
{
	if (!w->stats.failed) {
		w->stats.failed_at = at;
		w->stats.failure = why;
	}
	w->stats.failed = true;
	eh_sim_stop(w->client->sim);
}

void eh_crr_begin(struct eh_flow *f, eh_time now)
{
	f->last = now;
	f->timed = true;
	eh_little_enter(f->th->w->flows, now);
}

static void cpu_times(const struct eh_crr *w, eh_time *utime, eh_time *stime)
{
	eh_time u, s;

	eh_task_times(w->main, utime, stime);
	for (int i = 0; i < w->nthreads; i++) {
		eh_task_times(w->threads[i].task, &u, &s);
		*utime += u;
		*stime += s;
	}
}

void eh_crr_usage(const struct eh_crr *w, struct eh_usage *usage)
{
	eh_time u, s;

	cpu_times(w, &u, &s);
	usage->utime = (double)u / (double)EH_SEC;
	usage->stime = (double)s / (double)EH_SEC;
}

static void make_servers(struct eh_crr *w)
{
	struct eh_host *h = w->server;

	w->servers = g_new0(struct eh_server_thread, w->nservers);
	for (int i = 0; i < w->nservers; i++) {
		struct eh_server_thread *th = &w->servers[i];
		int cpu = eh_machine_spread(h->m, i);

		th->w = w;
		th->task = eh_task_new(h->sched, cpu, eh_workload_kinds[w->cfg->kind].name,
				       eh_crr_streams(w) ? eh_stream_server_thread : eh_server_thread,
				       th);
		th->ep = eh_epoll_new(h, cpu);
		th->events = g_new(struct eh_epoll_event, EH_CRR_EVENTS);
		th->listeners = g_new(struct eh_tcp *, w->cfg->server_ports);
		for (int j = 0; j < w->cfg->server_ports; j++) {
			th->listeners[j] = eh_tcp_listen(h, cpu, eh_crr_port(w, j),
							 (int)w->cfg->listen_backlog);
			eh_epoll_preset(th->ep, &th->listeners[j]->item, EH_EPOLLIN,
					&th->listeners[j], false);
		}
		eh_task_start(th->task);
	}
}

static int first_cpu(const struct eh_crr *w, int i)
{
	const struct eh_machine *m = w->client->m;
	bool home = w->run->start != EH_START_STEADY &&
		    w->cfg->setup_placement == EH_SETUP_HOME;

	return home ? eh_machine_on_die(m, 0, i) : eh_machine_spread(m, i);
}

static void make_clients(struct eh_crr *w)
{
	struct eh_host *h = w->client;
	int flows = (int)w->cfg->flows, index = 0;

	w->threads = g_new0(struct eh_client_thread, w->nthreads);
	for (int i = 0; i < w->nthreads; i++) {
		struct eh_client_thread *th = &w->threads[i];
		int cpu = first_cpu(w, i);

		th->w = w;
		th->index = i;
		th->task = eh_task_new(h->sched, cpu, eh_workload_kinds[w->cfg->kind].name,
				       eh_crr_streams(w) ? eh_stream_client_thread : eh_client_thread,
				       th);
		th->ep = eh_epoll_new(h, cpu);
		th->events = g_new(struct eh_epoll_event, EH_CRR_EVENTS);
		th->nflows = flows / w->nthreads + (i < flows % w->nthreads);
		th->flows = g_new0(struct eh_flow, th->nflows);
		for (int j = 0; j < th->nflows; j++, index++) {
			th->flows[j].th = th;
			th->flows[j].to = index % w->ndest;
			if (w->cfg->source_port)
				th->flows[j].source_port =
					(uint16_t)(w->cfg->source_port + index);
			eh_neper_flow_init(&th->flows[j].neper);
		}
	}
	w->main = eh_task_new(h->sched, first_cpu(w, w->nthreads), "tcp_crr", eh_client_main, w);
}

struct eh_crr *eh_crr_new(struct eh_host *client, struct eh_host *server,
			  const struct eh_workload_config *cfg, const struct eh_run_config *run)
{
	struct eh_crr *w = g_new0(struct eh_crr, 1);

	w->client = client;
	w->server = server;
	w->cfg = cfg;
	w->run = run;
	w->nthreads = (int)cfg->threads;
	w->nservers = (int)cfg->server_threads;
	w->ndest = (int)(cfg->server_ports * cfg->server_addresses);
	w->flows = eh_little_new(client->sim, "flows in a transaction", 2 * w->nthreads);
	eh_moments_init(&w->stats.latency);
	eh_neper_init(&w->neper, run->length);
	make_servers(w);
	make_clients(w);
	if (run->start == EH_START_STEADY)
		eh_crr_start_steady(w);
	else
		eh_crr_start_cold(w);
	return w;
}

void eh_crr_free(struct eh_crr *w)
{
	if (!w)
		return;
	eh_sim_cancel(w->client->sim, &w->alarm);
	eh_neper_fini(&w->neper);
	eh_survival_free(w->window);
	for (int i = 0; i < w->nthreads; i++) {
		eh_sim_cancel(w->client->sim, &w->threads[i].start);
		eh_epoll_free(w->threads[i].ep);
		g_free(w->threads[i].events);
		for (int j = 0; j < w->threads[i].nflows; j++)
			eh_neper_flow_fini(&w->threads[i].flows[j].neper);
		g_free(w->threads[i].flows);
	}
	for (int i = 0; i < w->nservers; i++) {
		eh_epoll_free(w->servers[i].ep);
		g_free(w->servers[i].events);
		g_free(w->servers[i].listeners);
	}
	g_free(w->flows);
	g_free(w->threads);
	g_free(w->servers);
	g_free(w);
}

void eh_crr_stats(const struct eh_crr *w, struct eh_crr_stats *st)
{
	*st = w->stats;
	cpu_times(w, &st->utime, &st->stime);
}

const struct eh_little *eh_crr_flows(const struct eh_crr *w, struct eh_little_reading *r)
{
	eh_little_read(w->flows, w->timed, w->latencies, r);
	return w->flows;
}

eh_time eh_crr_age(const struct eh_crr *w, const struct eh_flow *f)
{
	return MAX(w->reset_at - f->last, 0);
}

/* What is under way has lasted so far. */
const struct eh_survival *eh_crr_follow_end(struct eh_crr *w)
{
	eh_time now = eh_sim_now(w->client->sim);

	for (int i = 0; w->window && i < w->nthreads; i++)
		for (int j = 0; j < w->threads[i].nflows; j++) {
			const struct eh_flow *f = &w->threads[i].flows[j];

			if (f->timed && f->last <= now)
				eh_survival_add(w->window, eh_crr_age(w, f), now - f->last, false);
		}
	return w->window;
}

void eh_crr_reset(struct eh_crr *w)
{
	eh_survival_free(w->window);
	w->window = eh_survival_new();
	eh_moments_init(&w->stats.latency);
	eh_neper_fini(&w->neper);
	eh_neper_init(&w->neper, w->run->length);
	for (int i = 0; i < w->nthreads; i++) {
		for (int j = 0; j < w->threads[i].nflows; j++) {
			eh_neper_flow_fini(&w->threads[i].flows[j].neper);
			eh_neper_flow_init(&w->threads[i].flows[j].neper);
		}
	}
	w->reset_at = eh_sim_now(w->client->sim);
	w->reset_transactions = w->stats.transactions;
	w->reset_bytes = eh_crr_streams(w) ? eh_crr_bytes(w) : 0;
	eh_crr_usage(w, &w->start);
}

/* Throughput and counts of a window that has not ended by neper's own rules. */
static void window(const struct eh_crr *w, struct eh_neper *n, struct eh_moments *latency)
{
	eh_time now = eh_sim_now(w->client->sim);
	struct eh_usage u;

	eh_crr_usage(w, &u);
	n->utime_end = u.utime;
	n->stime_end = u.stime;
	n->time_start = (double)w->reset_at / (double)EH_SEC;
	n->time_end = (double)now / (double)EH_SEC;
	n->num_transactions = w->stats.transactions - w->reset_transactions;
	if (now > w->reset_at)
		n->throughput = (double)n->num_transactions / (n->time_end - n->time_start);
	if (now > w->reset_at && eh_crr_streams(w))
		n->throughput = (double)(eh_crr_bytes(w) - w->reset_bytes) * 8 / 1e6 /
				(n->time_end - n->time_start);
	*latency = w->stats.latency;
}

const int eh_percentiles[EH_PERCENTILES] = {50, 90, 99};

void eh_crr_neper(const struct eh_crr *w, struct eh_neper *n)
{
	struct eh_moments latency = w->neper.latency;

	*n = (struct eh_neper){
		.utime_start = w->start.utime,
		.stime_start = w->start.stime,
		.num_samples = w->neper.samples,
	};
	if (w->stats.finished) {
		n->utime_end = w->end.utime;
		n->stime_end = w->end.stime;
		n->time_start = (double)w->neper.first / (double)EH_SEC;
		n->time_end = (double)w->neper.last / (double)EH_SEC;
		n->throughput = eh_neper_throughput(&w->neper);
		n->num_transactions = latency.n;
	} else {
		window(w, n, &latency);
	}
	if (!latency.n)
		return;
	n->latency_min = latency.min;
	n->latency_max = latency.max;
	n->latency_mean = latency.mean;
	for (int i = 0; w->stats.finished && i < EH_PERCENTILES; i++)
		n->latency_percentile[i] = eh_neper_quantile(&w->neper, eh_percentiles[i] / 100.0);
	n->latency_stddev = latency.n > 1 ? eh_moments_stddev(&latency, true) : 0;
}

double eh_crr_latency(const struct eh_crr *w, double q)
{
	return eh_neper_quantile(&w->neper, q);
}
