/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * start: steady. What a long run has made of ports and threads, without the run: the parity that is
 * searched first is full but for two ports, the rest of the flows lies in the other parity; every
 * thread is somewhere in its batch of events.
 */
#include "crr.h"

#include <ehsim/bulk.h>
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

/* Ports of the flows: towards each destination its own choice, unless bind() makes them exclusive. */
struct pool {
	uint32_t *ports;
	int n, next;
};

static bool exclusive(const struct eh_crr *w)
{
	return w->cfg->local_bind == EH_BIND_PORT || w->cfg->source_port;
}

static void host_range(const struct eh_crr *w, int64_t *low, int64_t *high)
{
	const struct eh_kernel_config *k = w->client->kernel;
	const struct eh_workload_config *c = w->cfg;

	*low = c->port_low >= k->port_low && c->port_low <= k->port_high ? c->port_low : k->port_low;
	*high = c->port_high >= k->port_low && c->port_high <= k->port_high ? c->port_high
									     : k->port_high;
}

static int step(const struct eh_crr *w)
{
	return w->cfg->port_low || w->cfg->port_high ? 1 : 2;
}

/* Appends the free ports from `first` on, every other one or all, in random order. */
static void free_ports(const struct eh_crr *w, gsl_rng *r, int to, int64_t first, struct pool *pool)
{
	uint32_t *ports = pool->ports + pool->n;
	int64_t low, high;
	int n = 0;

	host_range(w, &low, &high);
	for (int64_t p = first; p <= high; p += step(w))
		if (eh_inet_port_free(w->client, eh_crr_addr(w, to), eh_crr_port(w, to), (uint16_t)p))
			ports[n++] = (uint32_t)p;
	shuffle(r, ports, n);
	pool->n += n;
}

/* A port for each of the flows that go there; false when there are not enough. */
static bool choose_ports(const struct eh_crr *w, gsl_rng *r, int to, int flows, struct pool *pool)
{
	int left = exclusive(w) ? 0 : LEFT_FREE;
	int64_t low, high, other;

	host_range(w, &low, &high);
	other = exclusive(w) ? low : low + 1; /* bind() begins with the parity connect() ends with */
	pool->ports = g_new(uint32_t, high - low + 2);
	free_ports(w, r, to, step(w) == 1 ? low : 2 * low + 1 - other, pool);
	if (flows > pool->n - left) {
		pool->n -= MIN(pool->n, left);
		if (step(w) == 2)
			free_ports(w, r, to, other, pool);
	}
	if (flows > pool->n)
		return false;
	shuffle(r, pool->ports, flows);
	return true;
}

/* Some port that a search may begin at. */
static uint16_t some_port(const struct eh_crr *w, gsl_rng *r)
{
	int64_t low, high;

	host_range(w, &low, &high);
	return (uint16_t)((uint64_t)low +
			  (uint64_t)step(w) *
				  eh_stream_below(r, (uint64_t)((high - low) / step(w)) + 1));
}

/* The server's half, waiting for a request. */
static struct eh_tcp *preset_server(struct eh_crr *w, int to, uint16_t port)
{
	const struct eh_tcp_host *tcp = w->server->tcp;
	const struct eh_sock tuple = {.laddr = eh_crr_addr(w, to),
				      .lport = eh_crr_port(w, to),
				      .raddr = w->client->addr,
				      .rport = port};
	int i = eh_tcp_select_listener(tcp, eh_tcp_listen_group(tcp, tuple.lport), tuple.raddr,
				       port, tuple.laddr);
	struct eh_server_thread *th = &w->servers[i];
	struct eh_tcp *tp = eh_tcp_preset(w->server, th->task->cpu->id, &tuple);

	if (eh_crr_streams(w))
		eh_stream_preset_server(th, tp);
	eh_epoll_preset(th->ep, &tp->item, EH_EPOLLIN | EH_EPOLLRDHUP, tp, false);
	return tp;
}

static void preset_flow(struct eh_flow *f, uint16_t port, bool reconnected)
{
	struct eh_crr *w = f->th->w;
	int cpu = f->th->task->cpu->id;
	const struct eh_sock tuple = {.laddr = w->client->addr,
				      .lport = port,
				      .raddr = eh_crr_addr(w, f->to),
				      .rport = eh_crr_port(w, f->to),
				      .bound = exclusive(w)};

	f->tcp = eh_tcp_preset(w->client, cpu, &tuple);
	f->tcp->reset_on_close = !w->cfg->time_wait;
	f->peer = preset_server(w, f->to, port);
	if (eh_crr_streams(w))
		eh_bulk_preset(f->tcp, cpu, w->cfg->tcp_stream.write);
	else if (!reconnected)
		eh_tcp_preset_segment(f->tcp, cpu, (int)w->cfg->response);
	eh_epoll_preset(f->th->ep, &f->tcp->item,
			(reconnected || eh_crr_streams(w) ? EH_EPOLLOUT : EH_EPOLLIN) | EH_EPOLLRDHUP,
			f, true);
}

static uint16_t port_of(const struct eh_flow *f, struct pool *pools)
{
	struct pool *pool = &pools[exclusive(f->th->w) ? 0 : f->to];

	return f->source_port ? f->source_port : (uint16_t)pool->ports[pool->next++];
}

static void preset_thread(struct eh_client_thread *th, gsl_rng *r, struct pool *pools)
{
	uint32_t *order = g_new(uint32_t, th->nflows);
	uint32_t reconnected = (uint32_t)eh_stream_below(r, (uint64_t)MAX(th->nflows, 1));

	for (int i = 0; i < th->nflows; i++)
		order[i] = (uint32_t)i;
	shuffle(r, order, th->nflows);
	for (int i = 0; i < th->nflows; i++) {
		struct eh_flow *f = &th->flows[order[i]];

		preset_flow(f, port_of(f, pools), order[i] < reconnected);
	}
	g_free(order);
}

static void first_instruction(struct eh_event *ev)
{
	struct eh_client_thread *th = eh_container_of(ev, struct eh_client_thread, start);

	eh_task_start(th->task);
}

static bool choose_all(const struct eh_crr *w, gsl_rng *r, struct pool *pools)
{
	int flows = (int)w->cfg->flows;

	if (w->cfg->source_port)
		return true;
	if (exclusive(w))
		return choose_ports(w, r, 0, flows, &pools[0]);
	for (int i = 0; i < w->ndest; i++)
		if (!choose_ports(w, r, i, flows / w->ndest + (i < flows % w->ndest), &pools[i]))
			return false;
	return true;
}

void eh_crr_start_steady(struct eh_crr *w)
{
	struct eh_sim *sim = w->client->sim;
	gsl_rng *r = eh_stream_new(eh_sim_seed(sim), "workload.steady");
	struct pool *pools = g_new0(struct pool, w->ndest);

	if (choose_all(w, r, pools)) {
		for (int i = 0; i < w->nthreads; i++) {
			struct eh_client_thread *th = &w->threads[i];

			th->go = true;
			th->start.fn = first_instruction;
			preset_thread(th, r, pools);
			eh_sim_at(sim, &th->start,
				  eh_sim_now(sim) +
					  (eh_time)eh_stream_below(r, (uint64_t)w->cfg->stagger + 1));
		}
		for (int i = 0; i < w->ndest; i++)
			eh_inet_preset_cursor(w->client, eh_crr_addr(w, i), eh_crr_port(w, i),
					      some_port(w, r));
		w->stats.running = true;
	} else {
		eh_crr_fail(w, eh_sim_now(sim), "connect: Cannot assign requested address");
	}
	for (int i = 0; i < w->ndest; i++)
		g_free(pools[i].ports);
	g_free(pools);
	gsl_rng_free(r);
}
