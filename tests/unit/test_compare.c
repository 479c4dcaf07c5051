/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * src/scenario, repeats and changes: are repeats merged by Student's rule, which pairs make an interval of
 * a ratio, and is it sharper where points share their random numbers? --baseline: which point is each
 * compared with?
 */
#include <ehsim/scenario.h>
#include <math.h>
#include <string.h>

#include "scratch.h"
#include "suite.h"

static struct eh_point *run_of(int repeat, double x)
{
	struct eh_point *p = eh_point_new(1);

	p->repeat = repeat;
	p->seed = (uint64_t)repeat;
	p->simulated = 10;
	p->fingerprint = 77;
	p->start_text = g_strdup("start: by hand");
	eh_point_metric(p, "throughput_per_s", x, x - 1, x + 1);
	eh_profile_add(p->client, "f", 0.25, false);
	eh_profile_add(p->client, repeat & 1 ? "odd" : "even", 0.75, false);
	return p;
}

static struct eh_point *merged(const double *x, int n)
{
	struct eh_point *p = eh_point_new(1);

	for (int i = 0; i < n; i++)
		g_ptr_array_add(p->repeats, run_of(i + 1, x[i]));
	eh_point_merge(p);
	return p;
}

static const struct eh_profile_row *row(const struct eh_point *p, guint i)
{
	return g_ptr_array_index(p->client, i);
}

START_TEST(repeats_become_means)
{
	static const double x[] = {1, 2, 3, 4, 5};
	struct eh_point *p = merged(x, 5);
	const struct eh_metric *m = eh_point_find(p, "throughput_per_s");

	ck_assert_double_eq(m->mean, 3);
	/* t(0.975, 4) = 2.776445, sd = sqrt(2.5) */
	ck_assert_double_eq_tol(m->hi - 3, 2.776445 * sqrt(2.5 / 5), 1e-6);
	ck_assert_double_eq_tol(3 - m->lo, 2.776445 * sqrt(2.5 / 5), 1e-6);
	ck_assert_int_eq(m->ndev, 5);
	ck_assert_double_eq(m->dev[0], -2);
	ck_assert_int_eq(p->status, EH_DONE);
	ck_assert_int_eq(p->simulated, 50);
	ck_assert_ptr_nonnull(strstr(p->start_text, "5 repeats, seeds 1 to 5"));
	ck_assert_uint_eq(p->client->len, 3);
	ck_assert_str_eq(row(p, 0)->symbol, "odd");
	ck_assert_double_eq_tol(row(p, 0)->share, 0.45, 1e-12);
	ck_assert_str_eq(row(p, 2)->symbol, "f");
	ck_assert_double_eq_tol(row(p, 2)->share, 0.25, 1e-12);
	eh_point_free(p);
}
END_TEST

/* What happened once in three runs happened no less than never; half of the width is known all the same. */
START_TEST(counts_are_not_negative)
{
	static const double x[] = {0, 0, 3};
	struct eh_point *p = merged(x, 3);
	const struct eh_metric *m = eh_point_find(p, "throughput_per_s");

	ck_assert_double_eq(m->mean, 1);
	ck_assert_double_eq(m->lo, 0);
	ck_assert_double_eq_tol(m->hi, 1 + 4.302653, 1e-5); /* t(0.975, 2) = 4.302653, sd = sqrt(3) */
	ck_assert_double_eq_tol(eh_metric_half(m), 4.302653, 1e-5);
	eh_point_free(p);
}
END_TEST

/* The worst status is the point's; who did not end is in no mean. */
START_TEST(one_repeat_fails)
{
	struct eh_point *p = eh_point_new(1), *bad;

	g_ptr_array_add(p->repeats, run_of(1, 10));
	g_ptr_array_add(p->repeats, run_of(2, 12));
	bad = run_of(3, 1000);
	bad->status = EH_FAILED;
	bad->status_text = g_strdup("no port");
	eh_point_metric_null(p->repeats->pdata[1], "fairness", "there is one thread");
	eh_point_metric(p->repeats->pdata[0], "fairness", 1, 1, 1);
	g_ptr_array_add(p->repeats, bad);
	eh_point_merge(p);
	ck_assert_int_eq(p->status, EH_FAILED);
	ck_assert_str_eq(p->status_text, "1 of 3 repeats, number 3: no port");
	ck_assert_double_eq(eh_point_find(p, "throughput_per_s")->mean, 11);
	ck_assert_str_eq(eh_point_find(p, "fairness")->null_why, "not every repeat has this number");
	eh_point_free(p);
}
END_TEST

/* Repeats whose mean is known as well as was asked for are precise together; else a sentence says so. */
START_TEST(precision_over_repeats)
{
	static const double near[] = {100, 100.1, 99.9}, far[] = {100, 120, 80};
	struct eh_values v;

	eh_values_init(&v);
	v.run.start = EH_START_STEADY;
	v.run.until_within = 0.01;
	for (int i = 0; i < 2; i++) {
		struct eh_point *p = merged(i ? far : near, 3);

		if (!i) { /* no run was precise alone */
			p->status = EH_IMPRECISE;
			p->status_text = g_strdup("within 2 % only");
		}
		eh_repeats_precise(p, &v);
		ck_assert_int_eq(p->status, i ? EH_IMPRECISE : EH_DONE);
		ck_assert(i || !p->status_text);
		ck_assert(!i || strstr(p->status_text, "within 49.68 % only, not the 1.00 % asked for"));
		eh_point_free(p);
	}
	eh_values_clear(&v);
}
END_TEST

/*
 * What moves both points alike, seed by seed, is no part of the ratio: here 10 % from seed to seed, and
 * 0.1 % of each point's own.
 */
START_TEST(common_random_numbers_sharpen)
{
	static const double common[] = {-0.1, 0.05, 0.12, -0.03, -0.04};
	static const double own[] = {0.001, -0.001, 0.0005, 0, -0.0005};
	double x[5], y[5];
	struct eh_point *a, *b;
	const struct eh_change *c;
	double alone;

	for (int i = 0; i < 5; i++) {
		x[i] = 1000 * (1 + common[i]);
		y[i] = 1010 * (1 + common[i]) * (1 + own[i]);
	}
	a = merged(x, 5);
	b = merged(y, 5);
	eh_point_compare(b, a);
	c = eh_point_change(b, "throughput_per_s");
	ck_assert_int_eq(c->how, EH_PAIRED_REPEATS);
	ck_assert_double_eq_tol(c->ratio, 1.01, 1e-3);
	ck_assert(eh_change_significant(c));
	alone = eh_point_find(a, "throughput_per_s")->hi / 1000 - 1;
	ck_assert_double_gt(alone, 0.1);
	ck_assert_double_lt(c->hi - c->lo, 0.03 * 2 * alone);
	eh_point_free(a);
	eh_point_free(b);
}
END_TEST

static void give(struct eh_point *p, const char *name, double mean, int n, const double *dev)
{
	eh_point_metric(p, name, mean, mean - 1, mean + 1);
	if (n)
		eh_point_metric_dev(p, name, dev, n, true);
}

/* Windows of as many batches are paired; of others the relative half widths add; one number is just one. */
START_TEST(how_a_ratio_is_known)
{
	static const double dev[] = {1, -1, 0};
	struct eh_point *a = eh_point_new(1), *b = eh_point_new(2);
	const struct eh_change *c;

	give(a, "throughput_per_s", 100, 3, dev);
	give(b, "throughput_per_s", 200, 3, dev);
	give(a, "ns_per_candidate", 100, 3, dev);
	give(b, "ns_per_candidate", 50, 2, dev);
	eh_point_metric(a, "fairness", 0.5, 0.5, 0.5);
	eh_point_metric(b, "fairness", 0.4, 0.4, 0.4);
	eh_point_metric(a, "utime_s", 1, 1, 1);
	eh_point_metric(b, "utime_s", 2, 2, 2);
	eh_point_metric(a, "busy_cpus", 0, 0, 0);
	eh_point_metric(b, "busy_cpus", 1, 1, 1);
	b->simulated = 5;
	eh_point_compare(b, a);
	c = eh_point_change(b, "throughput_per_s");
	ck_assert_int_eq(c->how, EH_PAIRED_BATCHES);
	/* of 2 x 1 % and 0.5 % apart: sd 0.5 % / 1 of b, t(0.975, 2) / sqrt(3) */
	ck_assert_double_eq_tol(c->hi - 2, 2 * 0.005 * 4.302653 / sqrt(3), 1e-6);
	c = eh_point_change(b, "ns_per_candidate");
	ck_assert_int_eq(c->how, EH_UNPAIRED);
	ck_assert_double_eq_tol(c->hi - c->ratio, 0.5 * hypot(0.01, 0.02), 1e-9);
	c = eh_point_change(b, "fairness");
	ck_assert_int_eq(c->how, EH_NO_INTERVAL);
	ck_assert(isinf(c->lo) && isinf(c->hi) && !eh_change_significant(c));
	ck_assert_ptr_null(eh_point_change(b, "utime_s")); /* windows of different lengths */
	ck_assert_ptr_null(eh_point_change(b, "busy_cpus")); /* no ratio to nothing */
	a->status = EH_FAILED;
	eh_point_compare(b, a);
	ck_assert_uint_eq(b->changes->len, 0);
	eh_point_free(a);
	eh_point_free(b);
}
END_TEST

static void expect_figure(struct eh_point *p, const char *metric, double published)
{
	struct eh_expect *e = g_new0(struct eh_expect, 1);

	e->metric = g_strdup(metric);
	e->published = published;
	g_ptr_array_add(p->expect, e);
}

/* Of two figures their ratio, unless the source prints one itself. */
START_TEST(published_beside_simulated)
{
	struct eh_point *a = eh_point_new(1), *b = eh_point_new(2);

	give(a, "throughput_per_s", 100, 0, NULL);
	give(b, "throughput_per_s", 200, 0, NULL);
	eh_point_compare(b, a);
	ck_assert(isnan(eh_point_change(b, "throughput_per_s")->published));
	expect_figure(a, "throughput_per_s", 90);
	expect_figure(b, "throughput_per_s", 270);
	eh_point_compare(b, a);
	ck_assert_double_eq(eh_point_change(b, "throughput_per_s")->published, 3);
	expect_figure(b, "throughput_ratio", 1.9);
	eh_point_compare(b, a);
	ck_assert_double_eq(eh_point_change(b, "throughput_per_s")->published, 1.9);
	eh_point_free(a);
	eh_point_free(b);
}
END_TEST

static const char *const sets[] = {"kernel.connect=[S0,S1]", "workload.threads=[2,4,8]",
				   "workload.flows=[20,40,80]", "zip=[workload.flows,workload.threads]",
				   NULL};

static const struct {
	const char *text, *bases; /* or what is wrong */
} choices[] = {
	{"1", "1 1 1 1 1 1 "},
	{"4", "4 4 4 4 4 4 "},
	{"kernel.connect=S1", "4 5 6 4 5 6 "},
	{"workload.threads=4", "2 2 2 5 5 5 "},
	{"workload.flows=80", "3 3 3 6 6 6 "}, /* follows the threads */
	{"7", "there is no point 7; --list shows all 6"},
	{"0", "there is no point 0; --list shows all 6"},
	{"kernel.conect=S1", "'kernel.conect' is not swept; did you mean 'kernel.connect'?"},
	{"kernel.connect", "which value of kernel.connect? write kernel.connect=S0"},
	{"kernel.connect=S2", "kernel.connect is never S2; it is S0, S1"},
	{"workload.threads=16", "workload.threads is never 16; it is 2, 4, 8"},
	{"", "'' is not swept; it is the number of a point or KEY=VALUE of a list"},
};

START_TEST(baselines)
{
	struct eh_scenario *s = load("run: {seed: 1}", sets);
	GString *out = g_string_new(NULL);
	char *bad;
	int *base;

	base = eh_scenario_baselines(s, choices[_i].text, &bad);
	for (int i = 0; base && i < eh_scenario_points(s); i++)
		g_string_append_printf(out, "%d ", base[i]);
	ck_assert_str_eq(base ? out->str : bad, choices[_i].bases);
	g_string_free(out, TRUE);
	g_free(base);
	g_free(bad);
	eh_scenario_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("compare");
	TCase *t = tcase_create("compare");

	tcase_add_checked_fixture(t, make_folder, drop_folder);
	tcase_add_test(t, repeats_become_means);
	tcase_add_test(t, counts_are_not_negative);
	tcase_add_test(t, one_repeat_fails);
	tcase_add_test(t, precision_over_repeats);
	tcase_add_test(t, common_random_numbers_sharpen);
	tcase_add_test(t, how_a_ratio_is_known);
	tcase_add_test(t, published_beside_simulated);
	tcase_add_loop_test(t, baselines, 0, G_N_ELEMENTS(choices));
	suite_add_tcase(s, t);
	return run_suite(s);
}
