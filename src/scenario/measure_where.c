/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include <ehsim/account.h>

static const struct {
	const char *name, *group;
} reasons[EH_WHYS] = {
	[EH_WHY_INSTR] = {"instructions", ""},
	[EH_WHY_MISPREDICT] = {"wrong branches", ""},
	[EH_WHY_HASH] = {"hash", ""},
	[EH_WHY_BUFFERS] = {"line buffers full", ""},
	[EH_WHY_READ + EH_FROM_L1] = {"L1", "read"},
	[EH_WHY_READ + EH_FROM_L2] = {"L2", "read"},
	[EH_WHY_READ + EH_FROM_CLEAN_DIE] = {"clean, own die", "read"},
	[EH_WHY_READ + EH_FROM_CLEAN_SOCKET] = {"clean, other die", "read"},
	[EH_WHY_READ + EH_FROM_CLEAN_FAR] = {"clean, other socket", "read"},
	[EH_WHY_READ + EH_FROM_DIRTY_DIE] = {"dirty, own die", "read"},
	[EH_WHY_READ + EH_FROM_DIRTY_SOCKET] = {"dirty, other die", "read"},
	[EH_WHY_READ + EH_FROM_DIRTY_FAR] = {"dirty, other socket", "read"},
	[EH_WHY_READ + EH_FROM_MEMORY] = {"memory", "read"},
	[EH_WHY_WRITE + EH_FROM_L1] = {"held", "write"},
	[EH_WHY_WRITE + EH_FROM_L2] = {"L2", "write"},
	[EH_WHY_WRITE + EH_FROM_CLEAN_DIE] = {"clean, own die", "write"},
	[EH_WHY_WRITE + EH_FROM_CLEAN_SOCKET] = {"clean, other die", "write"},
	[EH_WHY_WRITE + EH_FROM_CLEAN_FAR] = {"clean, other socket", "write"},
	[EH_WHY_WRITE + EH_FROM_DIRTY_DIE] = {"dirty, own die", "write"},
	[EH_WHY_WRITE + EH_FROM_DIRTY_SOCKET] = {"dirty, other die", "write"},
	[EH_WHY_WRITE + EH_FROM_DIRTY_FAR] = {"dirty, other socket", "write"},
	[EH_WHY_WRITE + EH_FROM_MEMORY] = {"memory", "write"},
	[EH_WHY_LOCKED] = {"locked operations", ""},
	[EH_WHY_DRAIN] = {"older stores", "wait"},
	[EH_WHY_IN_USE] = {"line in use", "wait"},
	[EH_WHY_HOME] = {"home busy", "wait"},
	[EH_WHY_SPIN_PENDING] = {"lock, pending", "wait"},
	[EH_WHY_SPIN_QUEUE] = {"lock, in its queue", "wait"},
	[EH_WHY_SPIN] = {"other spinning", "wait"},
};

static const int column_of[EH_DOINGS] = {
	[EH_DOING_KERNEL] = EH_WHERE_KERNEL,
	[EH_DOING_SEARCH] = EH_WHERE_SEARCH,
	[EH_DOING_IRQ] = EH_WHERE_IRQ,
	[EH_DOING_USER] = EH_WHERE_USER,
};

struct eh_where {
	struct eh_account sum[2][EH_DOINGS];
	eh_time busy[2];
};

void eh_where_start(const struct eh_world *w)
{
	struct eh_machine *m[2];

	eh_world_machines(w, m);
	for (int h = 0; h < 2; h++)
		if (m[h])
			eh_accounts_start(m[h]);
}

static void add(struct eh_account *sum, const struct eh_account *a)
{
	for (int why = 0; why < EH_WHYS; why++)
		sum->time[why] += a->time[why];
	for (int write = 0; write < 2; write++)
		for (int from = 0; from < EH_SOURCES; from++) {
			sum->lines[write][from] += a->lines[write][from];
			sum->took[write][from] += a->took[write][from];
		}
}

struct eh_where *eh_where_begin(const struct eh_world *w)
{
	struct eh_where *x = g_new0(struct eh_where, 1);
	struct eh_machine *m[2];

	eh_world_machines(w, m);
	for (int h = 0; h < 2; h++) {
		if (!m[h])
			continue;
		eh_accounts_check(m[h]);
		for (int i = 0; i < m[h]->ncpus; i++) {
			const struct eh_cpu *c = &m[h]->cpus[i];

			if (!c->accounts)
				continue;
			x->busy[h] += eh_cpu_busy(c);
			for (int doing = 0; doing < EH_DOINGS; doing++)
				add(&x->sum[h][doing], &c->accounts->doing[doing]);
			x->sum[h][EH_DOING_SEARCH].time[EH_WHY_INSTR] -= c->accounts->early;
		}
	}
	return x;
}

static void fill(struct eh_where_row *row, int why, int column, const struct eh_account *from,
		 const struct eh_account *to)
{
	int source = why - EH_WHY_READ, write = source >= EH_SOURCES;

	row->time[column] = to->time[why] - from->time[why];
	if (why < EH_WHY_READ || why >= EH_WHY_LOCKED)
		return;
	source -= write * EH_SOURCES;
	row->lines[column] = to->lines[write][source] - from->lines[write][source];
	row->hidden[column] = to->took[write][source] - from->took[write][source] - row->time[column];
}

void eh_where_end(struct eh_where *from, const struct eh_world *w, struct eh_point *p)
{
	struct eh_where *to = eh_where_begin(w);

	for (int h = 0; p->with_where && h < (w->lab ? 1 : 2); h++) {
		p->where_busy[h] = to->busy[h] - from->busy[h];
		for (int why = 0; why < EH_WHYS; why++) {
			struct eh_where_row *row = eh_where_row_add(p->where[h], reasons[why].name,
								    reasons[why].group);

			for (int doing = 0; doing < EH_DOINGS; doing++)
				fill(row, why, column_of[doing], &from->sum[h][doing],
				     &to->sum[h][doing]);
		}
	}
	g_free(from);
	g_free(to);
}
