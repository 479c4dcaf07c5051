/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EHSIM_MACHINE_LINE_H
#define EHSIM_MACHINE_LINE_H

#include <ehsim/c2c.h>
#include <ehsim/cpu.h>

enum eh_request_kind { EH_OWN, EH_STORE, EH_READ };

/* Somebody who waits for a line. On the stack of its fiber, or c->store. */
struct eh_request {
	struct eh_cpu *c;
	struct eh_request *next;
	eh_time way;	   /* of a lone transfer, as things were when it was made */
	eh_time made;
	eh_time arrives;   /* at the home; the request's way is behind it then */
	eh_time latency;   /* the answer: from the grant until the data is there */
	uint64_t *word;	   /* EH_STORE: *word = value at the grant; EH_READ: value = *word */
	uint64_t value;
	enum eh_request_kind kind;
	bool gated;	   /* was there when the line came to its socket */
	bool pending;	   /* EH_STORE: not granted yet */
	bool awaited;	   /* EH_STORE: the CPU's fiber is parked until it is granted */
};

struct eh_demand **eh_demand_new(void);
void eh_demand_free(struct eh_machine *m);
GArray *eh_names_new(void);
void eh_c2c_free(struct eh_machine *m);

/* Of a clean line: from an L3, or memory. */
static inline eh_time eh_line_clean(const struct eh_cpu *c, const struct eh_line *l)
{
	if (!(l->state & EH_LINE_CACHED))
		return c->dram[l->home];
	return l->readers & c->m->socket_bit[c->die] ? c->copy[l->home] : c->clean[l->home];
}

/*
 * The die whose L3 has a line that c has modified and its L2 displaced: a modified line does not go
 * back to another socket before somebody asks for it.
 */
static inline int eh_line_kept_at(const struct eh_cpu *c, const struct eh_line *l)
{
	return c->m->socket_bit[l->home] == c->m->socket_bit[c->die] ? l->home : c->die;
}

static inline void eh_line_hold(const struct eh_machine *m, uint64_t *set, const struct eh_line *l)
{
	*set = eh_set_put(*set, l->tag, (uint16_t)~m->version_mask);
}

/* Somebody else's request comes first. */
bool eh_line_must_wait(const struct eh_cpu *c, eh_line_id id);
/* How long a transfer of the modified line that is asked for at `at` waits at its home. */
eh_time eh_line_queue_at_home(const struct eh_cpu *c, const struct eh_line *l, eh_time at);
/* Made at `at`, joins the line's queue; whoever made it parks, unless it is an EH_STORE. */
void eh_line_request(struct eh_request *r, eh_line_id id, eh_time at);
/* An EH_READ that is only made once another CPU writes the line. */
void eh_line_spin(struct eh_request *r, eh_line_id id);

#endif
