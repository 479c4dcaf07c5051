/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of tcp_crr share. */
#ifndef EHSIM_WORKLOAD_CRR_H
#define EHSIM_WORKLOAD_CRR_H

#include "neper.h"

#include <ehsim/inet_hash.h>
#include <ehsim/tcp.h>
#include <ehsim/workload.h>

#define EH_CRR_PORT 12867
#define EH_CRR_EVENTS 1000 /* per epoll_wait */

struct eh_client_thread;

struct eh_flow {
	struct eh_client_thread *th;
	struct eh_tcp *tcp;
	struct eh_tcp *peer; /* tcp_stream: the server's half */
	int to; /* where it goes: of w->ndest */
	uint16_t source_port;
	eh_time last; /* previous receive, or creation */
	bool timed;   /* `last` was simulated: eh_crr_begin */
	struct eh_neper_flow neper;
};

struct eh_client_thread {
	struct eh_crr *w;
	int index;
	struct eh_task *task;
	struct eh_epoll *ep;
	struct eh_flow *flows;
	int nflows;
	struct eh_epoll_event *events;
	bool go;	 /* may pass the barrier */
	bool stop, done; /* has read the stop event; has flushed its flows */
	bool stopping;	 /* the stop event is there */
	struct eh_epitem stop_item;
	struct eh_event start; /* steady: its first instruction */
};

struct eh_server_thread {
	struct eh_crr *w;
	struct eh_task *task;
	struct eh_epoll *ep;
	struct eh_tcp **listeners; /* by server port */
	struct eh_epoll_event *events;
};

struct eh_usage {
	double utime, stime; /* seconds */
};

struct eh_crr {
	struct eh_host *client, *server;
	const struct eh_workload_config *cfg;
	const struct eh_run_config *run;
	struct eh_client_thread *threads;
	struct eh_server_thread *servers;
	struct eh_task *main;
	struct eh_event alarm;
	bool alarmed;
	int nthreads, nservers, nstopped;
	int ndest; /* server addresses x server ports */
	struct eh_crr_stats stats; /* utime and stime are added when asked for */
	struct eh_neper_sum neper;
	struct eh_little *flows; /* in a transaction whose start was simulated */
	uint64_t timed;		 /* such transactions that have ended */
	eh_time latencies;	 /* of those */
	eh_time reset_at; /* the window begins here, with so many transactions done */
	uint64_t reset_transactions, reset_bytes;
	struct eh_survival *window; /* transactions since then, as far as they lie in it; NULL before */
	struct eh_usage start, end;
};

static inline bool eh_crr_streams(const struct eh_crr *w)
{
	return w->cfg->kind == EH_TCP_STREAM;
}

/* How old the flow's transaction was when the window began; 0: it began in it. */
eh_time eh_crr_age(const struct eh_crr *w, const struct eh_flow *f);
/* User code between two events. */
void eh_crr_user(struct eh_task *t, int64_t instructions);
void eh_crr_usage(const struct eh_crr *w, struct eh_usage *u);
const struct eh_kernel_cost *eh_crr_cost(const struct eh_task *t);
_Noreturn void eh_crr_sleep_for_ever(struct eh_task *t);
/* neper gives up: "connect: Cannot assign requested address" */
void eh_crr_fail(struct eh_crr *w, eh_time at, const char *why);

/* Destination i. */
static inline uint32_t eh_crr_addr(const struct eh_crr *w, int i)
{
	return w->server->addr + (uint32_t)(i / (int)w->cfg->server_ports);
}

static inline uint16_t eh_crr_port(const struct eh_crr *w, int i)
{
	return (uint16_t)(EH_CRR_PORT + i % (int)w->cfg->server_ports);
}

/* A transaction of the flow begins. */
void eh_crr_begin(struct eh_flow *f, eh_time now);

/* crr_client.c */
void eh_client_open(struct eh_task *t, struct eh_flow *f);
void eh_client_loop(struct eh_task *t, struct eh_client_thread *th);

/* crr_server.c: a thread's function */
void eh_server_thread(struct eh_task *t, void *arg);

/* stream.c: the same for tcp_stream; before time 0, that part of a connection of the server */
void eh_stream_preset_server(struct eh_server_thread *th, struct eh_tcp *tp);
void eh_stream_client_thread(struct eh_task *t, void *arg);
void eh_stream_server_thread(struct eh_task *t, void *arg);

/* crr_setup.c: threads' functions with the serial set-up before the loop, and main's */
void eh_client_thread(struct eh_task *t, void *arg);
void eh_client_main(struct eh_task *t, void *arg);
void eh_crr_start_cold(struct eh_crr *w);

/* crr_steady.c */
void eh_crr_start_steady(struct eh_crr *w);

#endif
