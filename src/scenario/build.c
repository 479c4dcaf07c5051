/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "world.h"

#include <ehsim/sample.h>

#define CLIENT_ADDRESS 1
#define SERVER_ADDRESS 2

void eh_world_build(struct eh_world *w, const struct eh_values *v, uint64_t seed)
{
	*w = (struct eh_world){.sim = eh_sim_new(seed)};
	if (eh_workload_kinds[v->workload.kind].lab) {
		w->lab = eh_lab_new(w->sim, &v->machine, &v->kernel, &v->network, &v->workload);
		return;
	}
	w->client = eh_host_new(w->sim, "client", CLIENT_ADDRESS, &v->machine, &v->kernel, &v->network);
	w->server = eh_host_new(w->sim, "server", SERVER_ADDRESS, &v->machine, &v->kernel, &v->network);
	w->link = eh_link_new(w->client, w->server);
	if (v->run.detail == EH_DETAIL_SAMPLED)
		eh_sample_start(w->client, &v->run.sample);
	w->streams = v->workload.kind == EH_TCP_STREAM;
	w->crr = eh_crr_new(w->client, w->server, &v->workload, &v->run);
}

void eh_world_free(struct eh_world *w)
{
	eh_lab_free(w->lab);
	eh_crr_free(w->crr);
	eh_link_free(w->link);
	eh_host_free(w->client);
	eh_host_free(w->server);
	eh_sim_free(w->sim);
}

void eh_world_machines(const struct eh_world *w, struct eh_machine *m[2])
{
	m[0] = w->lab ? eh_lab_machine(w->lab) : w->client->m;
	m[1] = w->lab ? NULL : w->server->m;
}
