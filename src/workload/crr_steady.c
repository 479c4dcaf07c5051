/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * start: steady. What a long run has made of ports and threads, without the run: the parity that is
 * searched first is full but for two ports, the rest of the flows lies in the other parity; every
 * thread is somewhere in its batch of events.
 */
#include "crr.h"

#include <ehsim/link.h>

#define LEFT_FREE 2	/* ports of the first parity */

static void shuffle(gsl_rng *r, uint32_t *a, int n)
{
	for (int i = n - 1; i > 0; i--) {
		int j = (int)eh_stream_below(r, (uint64_t)i + 1);
		uint32_t x = a[i];

		a[i] = a[j];
		a[j] = x;
	}
}

/* Appends the free ports of one parity in random order. */
static int free_ports(const struct eh_crr *w, gsl_rng *r, int64_t first, uint32_t *ports)
{
	const struct eh_kernel_config *k = w->client->kernel;
	int n = 0;

	for (int64_t p = first; p <= k->port_high; p += 2)
		if (eh_inet_port_free(w->client, w->server->addr, EH_CRR_PORT, (uint16_t)p))
			ports[n++] = (uint32_t)p;
	shuffle(r, ports, n);
	return n;
}

/* A port per flow, or NULL when there are not enough. */
static uint32_t *choose_ports(const struct eh_crr *w, gsl_rng *r)
{
	const struct eh_kernel_config *k = w->client->kernel;
	uint32_t *ports = g_new(uint32_t, k->port_high - k->port_low + 2);
	int flows = (int)w->cfg->flows;
	int n = free_ports(w, r, k->port_low, ports);

	if (flows > n - LEFT_FREE) {
		n -= MIN(n, LEFT_FREE);
		n += free_ports(w, r, k->port_low + 1, ports + n);
	}
	if (flows > n) {
		g_free(ports);
		return NULL;
	}
	shuffle(r, ports, flows);
	return ports;
}

/* Of the parity that is searched first. */
static uint16_t some_port(const struct eh_crr *w, gsl_rng *r)
{
	const struct eh_kernel_config *k = w->client->kernel;
	uint64_t n = (uint64_t)(k->port_high - k->port_low) / 2 + 1;

	return (uint16_t)((uint64_t)k->port_low + 2 * eh_stream_below(r, n));
}

/* The server's half, waiting for a request. */
static void preset_server(struct eh_crr *w, uint16_t port)
{
	int i = eh_tcp_select_listener(w->server->tcp, w->client->addr, port, EH_CRR_PORT);
	struct eh_server_thread *th = &w->servers[i];
	struct eh_tcp *tp = eh_tcp_preset(w->server, th->task->cpu->id, EH_CRR_PORT,
					  w->client->addr, port);

	eh_epoll_preset(th->ep, &tp->item, EH_EPOLLIN | EH_EPOLLRDHUP, tp, false);
}

static void preset_flow(struct eh_flow *f, uint16_t port, bool reconnected)
{
	struct eh_crr *w = f->th->w;
	int cpu = f->th->task->cpu->id;

	f->tcp = eh_tcp_preset(w->client, cpu, port, w->server->addr, EH_CRR_PORT);
	preset_server(w, port);
	if (!reconnected)
		eh_tcp_preset_segment(f->tcp, cpu, (int)w->cfg->response);
	eh_epoll_preset(f->th->ep, &f->tcp->item,
			(reconnected ? EH_EPOLLOUT : EH_EPOLLIN) | EH_EPOLLRDHUP, f, true);
}

static void preset_thread(struct eh_client_thread *th, gsl_rng *r, const uint32_t *ports)
{
	uint32_t *order = g_new(uint32_t, th->nflows);
	uint32_t reconnected = (uint32_t)eh_stream_below(r, (uint64_t)MAX(th->nflows, 1));

	for (int i = 0; i < th->nflows; i++)
		order[i] = (uint32_t)i;
	shuffle(r, order, th->nflows);
	for (int i = 0; i < th->nflows; i++)
		preset_flow(&th->flows[order[i]], (uint16_t)ports[i], order[i] < reconnected);
	g_free(order);
}

static void first_instruction(struct eh_event *ev)
{
	struct eh_client_thread *th = eh_container_of(ev, struct eh_client_thread, start);

	eh_task_start(th->task);
}

void eh_crr_start_steady(struct eh_crr *w)
{
	struct eh_sim *sim = w->client->sim;
	gsl_rng *r = eh_stream_new(eh_sim_seed(sim), "workload.steady");
	uint32_t *ports = choose_ports(w, r);
	int next = 0;

	if (ports) {
		for (int i = 0; i < w->nthreads; i++) {
			struct eh_client_thread *th = &w->threads[i];

			th->go = true;
			th->start.fn = first_instruction;
			preset_thread(th, r, ports + next);
			next += th->nflows;
			eh_sim_at(sim, &th->start,
				  eh_sim_now(sim) +
					  (eh_time)eh_stream_below(r, (uint64_t)w->cfg->stagger + 1));
		}
		eh_inet_preset_cursor(w->client, w->server->addr, EH_CRR_PORT, some_port(w, r));
		w->stats.running = true;
	} else {
		eh_crr_fail(w, eh_sim_now(sim));
	}
	g_free(ports);
	gsl_rng_free(r);
}
