/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "points.h"
#include "record.h"
#include "sweep.h"
#include <ehsim/message.h>
#include <stdio.h>
#include <string.h>

struct merge {
	GPtrArray *from;  /* struct eh_journal * */
	guint *used;	  /* records of each that belong to this sweep */
	GArray *missing;  /* int: numbers of points */
	bool faulty;
};

static void close_journal(void *j)
{
	eh_journal_close(j);
}

static bool open_all(const struct eh_options *o, struct merge *m)
{
	for (guint i = 0; i < o->merge->len; i++) {
		struct eh_journal *j = eh_journal_open(o->merge->pdata[i], false);

		if (!j)
			return false;
		g_ptr_array_add(m->from, j);
	}
	return true;
}

/* All but how long it took. */
static bool same(const struct eh_point *a, const struct eh_point *b)
{
	struct eh_point x = *a, y = *b;
	GString *s = g_string_new(NULL), *t = g_string_new(NULL);
	bool equal;

	x.wall_s = y.wall_s = 0;
	eh_record_write(&x, "", s);
	eh_record_write(&y, "", t);
	equal = g_string_equal(s, t);
	g_string_free(s, TRUE);
	g_string_free(t, TRUE);
	return equal;
}

/* In the first directory that has it; the others must agree. */
static bool find(struct merge *m, const char *key, struct eh_point *run)
{
	guint first = m->from->len;

	for (guint i = 0; i < m->from->len; i++) {
		struct eh_journal *j = m->from->pdata[i];
		struct eh_point *other = first < m->from->len ? eh_point_new(run->index) : run;
		char *bad = NULL;
		enum eh_found how = eh_journal_find(j, key, other, &bad);

		if (how == EH_BROKEN) {
			eh_say(stderr, "ehsim: %s", bad);
			m->faulty = true;
		}
		m->used[i] += how != EH_ABSENT;
		if (how == EH_FOUND && other == run) {
			first = i;
		} else if (how == EH_FOUND && !same(run, other)) {
			eh_say(stderr, "ehsim: point %d: %s and %s contradict each other (%.12s%s)", run->index,
			       eh_journal_path(m->from->pdata[first]), eh_journal_path(j), key, ".json");
			m->faulty = true;
		}
		if (other != run)
			eh_point_free(other);
		g_free(bad);
	}
	return first < m->from->len;
}

static bool behind_a_failure(const struct eh_sweep_point *sp, int k)
{
	return k > 0 && sp->runs[k - 1].ended && sp->runs[k - 1].run->status == EH_FAILED;
}

static void find_point(struct merge *m, const struct eh_scenario *s, struct eh_sweep_point *sp,
		       struct eh_journal *journal, struct eh_result *r)
{
	int index = sp->p->index, have = 0;

	for (int k = 0; k < sp->n; k++, have++) {
		if (behind_a_failure(sp, k)) {
			have = sp->n;
			break;
		}
		if (!find(m, sp->keys[k], sp->runs[k].run))
			break;
		sp->runs[k].ended = true;
		if (journal && !eh_journal_put(journal, sp->keys[k], sp->runs[k].run))
			m->faulty = true;
	}
	if (have < sp->n)
		g_array_append_val(m->missing, index);
	if (have < sp->n || !eh_sweep_settle(sp, s, false))
		eh_sweep_drop(sp, r);
}

static void say_what_is_left(const struct eh_options *o, const struct merge *m)
{
	char *numbers = eh_sweep_numbers(m->missing);

	if (m->missing->len)
		eh_say(stderr, "ehsim: %u point%s in no directory: %s", m->missing->len,
		       m->missing->len > 1 ? "s are" : " is", numbers);
	for (guint i = 0; !o->quiet && i < m->from->len; i++) {
		guint others = eh_journal_count(m->from->pdata[i]) - m->used[i];

		if (others)
			eh_say(stderr, "ehsim: %s: %u record%s of other runs or versions left aside",
			       eh_journal_path(m->from->pdata[i]), others, others > 1 ? "s" : "");
	}
	g_free(numbers);
}

struct eh_sweep_end eh_cli_merge(const struct eh_options *o, const struct eh_scenario *s,
				 const int *baselines, struct eh_journal *journal, struct eh_result *r)
{
	struct merge m = {
		.from = g_ptr_array_new_with_free_func(close_journal),
		.used = g_new0(guint, o->merge->len),
		.missing = g_array_new(FALSE, FALSE, sizeof(int)),
	};
	GPtrArray *points = eh_sweep_points(o, s, baselines, r);
	struct eh_sweep_end end = {.points = (int)points->len};

	end.refused = !open_all(o, &m);
	for (guint i = 0; !end.refused && i < points->len; i++)
		find_point(&m, s, points->pdata[i], journal, r);
	if (!end.refused)
		say_what_is_left(o, &m);
	end.missing = (int)m.missing->len;
	end.faulty = m.faulty;
	g_ptr_array_unref(points);
	eh_cli_compare(s, r);
	g_array_unref(m.missing);
	g_free(m.used);
	g_ptr_array_unref(m.from);
	return end;
}
