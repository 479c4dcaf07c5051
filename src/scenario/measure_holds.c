/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include <ehsim/trace.h>
#include <string.h>

void eh_holds_begin(const struct eh_world *w, eh_time from, eh_time until)
{
	struct eh_machine *m[2];

	eh_world_machines(w, m);
	for (int h = 0; h < 2; h++)
		if (m[h])
			m[h]->lock_log = eh_lock_log_new(from, until);
}

static uint32_t name_of(GPtrArray *names, const char *name)
{
	for (guint i = 0; i < names->len; i++)
		if (!strcmp(((const struct eh_pair *)names->pdata[i])->key, name))
			return i;
	eh_pair_add(names, name, "%s", "");
	return names->len - 1;
}

void eh_holds_end(const struct eh_world *w, struct eh_point *p)
{
	struct eh_machine *m[2];

	eh_world_machines(w, m);
	for (int h = 0; h < 2; h++) {
		if (!m[h] || !m[h]->lock_log)
			continue;
		for (guint i = 0; i < m[h]->lock_log->seen->len; i++) {
			const struct eh_lock_seen *s =
				&g_array_index(m[h]->lock_log->seen, struct eh_lock_seen, i);
			struct eh_hold hold = {.at = s->at, .length = s->length, .cpu = s->cpu,
					       .host = (uint8_t)h, .waits = s->waits};

			hold.name = name_of(p->hold_names, s->name);
			g_array_append_val(p->holds, hold);
		}
		g_clear_pointer(&m[h]->lock_log, eh_lock_log_free);
	}
}
