/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks between keys, point by point: what cross.c and cross_lab.c share. */
#ifndef EHSIM_SCENARIO_CROSSING_H
#define EHSIM_SCENARIO_CROSSING_H

#include "settings.h"

#include <ehsim/workload.h>

struct eh_crossing {
	struct eh_scenario *s;
	struct eh_messages *msgs;
	int index;	    /* of the point */
	struct eh_values v; /* of the point */
	const struct eh_workload_kind *kind;
	GHashTable *told; /* texts of messages: points of a sweep repeat them */
};

/* False if one of the keys was refused already; `names` end with NULL. */
bool eh_cross_sound(const struct eh_crossing *c, const char *const *names);
/* Where the key was given; false if it was not. */
bool eh_cross_given(const struct eh_crossing *c, const char *name, struct eh_place *at);
/* An error at the first of the keys that was given, and notes where the others stand. */
void eh_cross_breach(struct eh_crossing *c, const char *const *names, const char *fmt, ...)
	G_GNUC_PRINTF(3, 4);

/* cross_lab.c: what must hold for a laboratory kind */
void eh_cross_lab(struct eh_crossing *c);
/* Keys that no point's kind of workload takes; once, not by point. */
void eh_cross_strangers(struct eh_scenario *s, struct eh_messages *msgs);

#endif
