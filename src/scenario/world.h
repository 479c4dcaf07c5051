/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A point's objects, connected: made by build.c, driven by run.c. */
#ifndef EHSIM_SCENARIO_WORLD_H
#define EHSIM_SCENARIO_WORLD_H

#include <ehsim/link.h>
#include <ehsim/scenario.h>
#include <ehsim/workload.h>

struct eh_world {
	struct eh_sim *sim;
	struct eh_lab *lab; /* a laboratory kind: its one host and all that follows is NULL */
	struct eh_host *client, *server;
	struct eh_link *link;
	struct eh_crr *crr;
	bool streams; /* crr runs tcp_stream */
};

/* The values outlive the world. */
void eh_world_build(struct eh_world *w, const struct eh_values *v, uint64_t seed);
void eh_world_free(struct eh_world *w);
/* Of its hosts: client and server, or the one of the laboratory and NULL. */
void eh_world_machines(const struct eh_world *w, struct eh_machine *m[2]);

#endif
