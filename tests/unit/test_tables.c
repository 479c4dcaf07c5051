/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of locks and lines of whole runs: do their numbers add up with the metrics of the same
 * window, and does a run not care whether somebody counts?
 */
#include <math.h>
#include <string.h>

#include "scratch.h"
#include "suite.h"

#define MACHINE "machine: {sockets: 2, dies_per_socket: 1, cores_per_die: 4, threads_per_core: 1}\n"
#define LAB_RUN "run: {warmup: 20us, batch: 20us, length: 200us, until: {within: 0%}}\n"
#define CRR                                                                                        \
	"kernel: {port_low: 40000, port_high: 40999}\n"                                            \
	"workload: {threads: 8, server_threads: 8, flows: 400}\n"

static const char ping_pong[] = MACHINE LAB_RUN
	"workload: {kind: line, line: {op: ping_pong, pair: same_die}}\n";
static const char lock[] = MACHINE LAB_RUN
	"workload: {kind: lock, threads: 8, lock: {kind: queued, inside: 200, outside: 300, touch: 1}}\n";
static const char table[] = MACHINE LAB_RUN
	"workload: {kind: hash, threads: 8, hash: {protection: bucket, buckets: 4, updates: 50%}}\n";
static const char readers[] = MACHINE LAB_RUN
	"workload: {kind: read_side, threads: 8, read_side: {kind: rwsem, writers: 1}}\n";
static const char steady[] = MACHINE CRR
	"run: {warmup: 1ms, batch: 1ms, length: 5ms, until: {within: 0%}}\n";
static const char cold[] = MACHINE CRR "run: {start: cold, length: 5ms}\n";
static const char set_up[] = MACHINE CRR "run: {start: setup}\n";

static const char *const all[] = {ping_pong, lock, table, readers, steady, cold, set_up};

static struct eh_point *run(const char *text, bool tables)
{
	struct eh_scenario *s = load(text, NULL);
	struct eh_point *p = eh_point_new(1);
	struct eh_values v;

	p->with_locks = p->with_lines = p->with_where = p->with_courses = tables;
	eh_scenario_point(s, 0, &v, NULL);
	eh_run_point(&v, (uint64_t)v.run.seed, NULL, NULL, p);
	eh_values_clear(&v);
	eh_scenario_free(s);
	return p;
}

static double metric(const struct eh_point *p, const char *name)
{
	const struct eh_metric *m = eh_point_find(p, name);

	ck_assert_msg(m && !m->null_why, "no %s", name);
	return m->mean;
}

START_TEST(the_same_run)
{
	struct eh_point *with = run(all[_i], true), *without = run(all[_i], false);

	ck_assert_uint_eq(with->fingerprint, without->fingerprint);
	ck_assert_uint_eq(with->line_accesses, without->line_accesses);
	ck_assert_uint_eq(with->metrics->len, without->metrics->len);
	for (guint i = 0; i < with->metrics->len; i++) {
		const struct eh_metric *a = with->metrics->pdata[i], *b = without->metrics->pdata[i];

		ck_assert_str_eq(a->name, b->name);
		ck_assert(!memcmp(&a->mean, &b->mean, sizeof(a->mean)));
	}
	ck_assert_uint_eq(without->courses->len, 0);
	for (int h = 0; h < 2; h++) {
		ck_assert_uint_eq(without->locks[h]->len, 0);
		ck_assert_uint_eq(without->lines[h]->len, 0);
	}
	ck_assert_int_gt(with->queues, 2);
	ck_assert_int_eq(with->queues, without->queues);
	eh_point_free(with);
	eh_point_free(without);
}
END_TEST

static void check_locks(const GPtrArray *rows)
{
	for (guint i = 0; i < rows->len; i++) {
		const struct eh_lock_row *row = rows->pdata[i];

		ck_assert_uint_gt(row->acquisitions, 0);
		ck_assert_uint_le(row->contentions, row->acquisitions);
		ck_assert_uint_le(row->con_bounces, row->contentions);
		ck_assert_uint_le(row->acq_bounces, row->acquisitions);
		ck_assert_int_le(row->wait_min * (eh_time)row->contentions, row->wait_total);
		ck_assert_int_ge(row->wait_max * (eh_time)row->contentions, row->wait_total);
		ck_assert((row->wait_min > 0) == (row->contentions > 0));
		ck_assert_int_le(row->hold_min, row->hold_max);
		ck_assert_int_le(row->hold_max, row->hold_total);
		if (i)
			ck_assert_int_le(row->wait_total,
					 ((const struct eh_lock_row *)rows->pdata[i - 1])->wait_total);
	}
}

/* Times go up but for searches, which may end in another order than their CPUs' clocks say. */
static void check_courses(const GPtrArray *courses, double length)
{
	for (guint i = 0; i < courses->len; i++) {
		const struct eh_course *c = courses->pdata[i];

		ck_assert_int_gt(eh_course_rows(c), 0);
		for (int k = 0; k < eh_course_rows(c); k++) {
			const double *row = eh_course_row(c, k);

			ck_assert_double_ge(row[0], 0);
			ck_assert_double_le(row[0], 1.01 * length + 1e-4);
			if (k && c->kind != EH_COURSE_SEARCHES)
				ck_assert_double_gt(row[0], eh_course_row(c, k - 1)[0]);
			if (c->kind == EH_COURSE_SEARCHES) {
				ck_assert_double_lt(row[1], row[0]);
				ck_assert_double_gt(row[3], 0);
				ck_assert_double_ge(row[4], 1);
			} else {
				ck_assert(row[1] >= 0 && row[2] >= 0);
			}
			if (c->kind == EH_COURSE_SLABS)
				ck_assert_double_ge(row[3], 0);
		}
	}
}

static void check_lines(const GPtrArray *rows)
{
	double sum = 0;

	ck_assert_uint_le(rows->len, 21);
	for (guint i = 0; i < rows->len; i++) {
		const struct eh_line_row *row = rows->pdata[i];
		bool other = !strcmp(row->name, "other");

		ck_assert_uint_gt(eh_line_row_accesses(row), 0);
		ck_assert_uint_gt(row->lines, 0);
		ck_assert(other == (i == 20) && other == !row->hottest);
		ck_assert(other || row->hottest_share * row->lines >= 1 - 1e-9);
		ck_assert(other || strstr(row->name, "+0x"));
		if (i && !other)
			ck_assert_uint_le(eh_line_row_accesses(row),
					  eh_line_row_accesses(rows->pdata[i - 1]));
		sum += row->share;
	}
	ck_assert(!rows->len || fabs(sum - 1) < 1e-9);
}

START_TEST(rows_fit_together)
{
	struct eh_point *p = run(all[_i], true);

	check_courses(p->courses, (double)(p->simulated - p->warmup) / (double)EH_SEC);
	ck_assert(p->one_host || _i > 4 || p->courses->len > 2);
	for (int h = 0; h < 2; h++) {
		check_locks(p->locks[h]);
		check_lines(p->lines[h]);
		ck_assert((p->lines[h]->len > 0) == (h == 0 || !p->one_host));
	}
	eh_point_free(p);
}
END_TEST

/*
 * Two CPUs take the one line away from each other once per operation, by a locked operation that finds
 * it modified; nothing else moves.
 */
START_TEST(two_cpus)
{
	struct eh_point *p = run(ping_pong, true);
	const struct eh_line_row *row = p->lines[0]->pdata[0];
	double operations = metric(p, "ops_per_s") * 200e-6;

	ck_assert_uint_eq(p->lines[0]->len, 1);
	ck_assert_str_eq(row->name, "counter+0x0");
	ck_assert_uint_eq(row->lines, 1);
	ck_assert(fabs(row->share - 1) + fabs(row->hottest_share - 1) < 1e-12);
	ck_assert_uint_eq(row->lcl_hitm + row->rmt_hitm + row->rmt_store, 0);
	ck_assert_uint_eq(row->lcl_store, (uint64_t)llround(operations));
	ck_assert_double_eq_tol(metric(p, "transfers_per_op") * operations, (double)row->lcl_store,
				1e-6);
	/* The line is on its way for less than a hop, which ends with the operation itself. */
	ck_assert_int_gt(row->waited, 0);
	ck_assert_double_lt((double)row->waited / (double)row->lcl_store / 1e3,
			    metric(p, "one_way_ns"));
	ck_assert_uint_eq(p->locks[0]->len, 0);
	eh_point_free(p);
}
END_TEST

/* One row per lock class; what the metrics say of the lock under test, it says, too. */
START_TEST(lock_under_test)
{
	struct eh_point *p = run(lock, true);
	const struct eh_lock_row *row = p->locks[0]->pdata[0];
	double n = (double)row->acquisitions;

	ck_assert_str_eq(row->name, "lock under test");
	ck_assert_str_eq(row->type, "queued");
	ck_assert_double_eq_tol(metric(p, "ops_per_s") * 200e-6, n, 8); /* under way at the edges */
	ck_assert_double_eq_tol(metric(p, "lock_wait_mean_s") * n * 1e12, (double)row->wait_total, 1);
	ck_assert_double_eq_tol(metric(p, "lock_contended_share") * n, (double)row->contentions, 1e-6);
	eh_point_free(p);
}
END_TEST

/* Classes of one name make one row: slab caches have a list_lock each. */
START_TEST(classes_by_name)
{
	struct eh_point *p = run(cold, true);

	for (int h = 0; h < 2; h++)
		for (guint i = 0; i < p->locks[h]->len; i++)
			for (guint j = 0; j < i; j++)
				ck_assert_str_ne(((struct eh_lock_row *)p->locks[h]->pdata[i])->name,
						 ((struct eh_lock_row *)p->locks[h]->pdata[j])->name);
	ck_assert_uint_gt(p->locks[0]->len, 4);
	ck_assert_uint_gt(p->locks[1]->len, 4);
	eh_point_free(p);
}
END_TEST

static int by_time(gconstpointer a, gconstpointer b)
{
	const struct eh_hold *x = a, *y = b;

	return x->at != y->at ? (x->at < y->at ? -1 : 1) : x->cpu - y->cpu;
}

/*
 * In a trace nobody holds the lock under test while another CPU does, and who has waited holds it when the
 * wait ends. A trace of the whole window has the holds of the table.
 */
START_TEST(holds_of_a_trace)
{
	struct eh_scenario *s = load(lock, NULL);
	struct eh_point *p = eh_point_new(1);
	eh_time until = 0, sum = 0;
	struct eh_values v;
	guint holds = 0, waits = 0;

	p->with_locks = true;
	p->trace_length = 200 * EH_US;
	eh_scenario_point(s, 0, &v, NULL);
	eh_run_point(&v, (uint64_t)v.run.seed, NULL, NULL, p);
	g_array_sort(p->holds, by_time);
	for (guint i = 0; i < p->holds->len; i++) {
		const struct eh_hold *h = &g_array_index(p->holds, struct eh_hold, i);
		const struct eh_pair *name = p->hold_names->pdata[h->name];
		bool found = false;

		ck_assert_int_ge(h->at, p->trace_from);
		ck_assert_int_le(h->at + h->length, p->trace_from + p->trace_length);
		if (strcmp(name->key, "queued"))
			continue;
		for (guint k = 0; h->waits && k < p->holds->len; k++) {
			const struct eh_hold *after = &g_array_index(p->holds, struct eh_hold, k);

			found |= !after->waits && after->cpu == h->cpu && after->at == h->at + h->length;
		}
		ck_assert(!h->waits || found || h->at + h->length >= p->trace_from + p->trace_length - 20 * EH_US);
		waits += h->waits;
		if (h->waits)
			continue;
		ck_assert_int_ge(h->at, until);
		until = h->at + h->length;
		sum += h->length;
		holds++;
	}
	ck_assert_uint_gt(holds, 100);
	ck_assert_uint_gt(waits, 100);
	/* but for the ones that reach over an end */
	ck_assert_double_eq_tol((double)((const struct eh_lock_row *)p->locks[0]->pdata[0])->hold_total,
				(double)sum, 0.02 * (double)sum);
	eh_values_clear(&v);
	eh_scenario_free(s);
	eh_point_free(p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tables");
	TCase *runs = tcase_create("runs");

	tcase_add_checked_fixture(runs, make_folder, drop_folder);
	tcase_add_loop_test(runs, the_same_run, 0, G_N_ELEMENTS(all));
	tcase_add_loop_test(runs, rows_fit_together, 0, G_N_ELEMENTS(all));
	tcase_add_test(runs, two_cpus);
	tcase_add_test(runs, lock_under_test);
	tcase_add_test(runs, classes_by_name);
	tcase_add_test(runs, holds_of_a_trace);
	suite_add_tcase(suite, runs);
	return run_suite(suite);
}
