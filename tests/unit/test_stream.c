/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Named random streams: golden values, independence, uniformity; siphash against its vectors. */
#include <ehsim/stream.h>

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "suite.h"

#define ROW(a) ((int)(sizeof(a) / sizeof((a)[0])))

START_TEST(stream_golden)
{
	static const uint64_t named[] = {0x887bbdd6b35bd77du, 0xb3253e2c677302d8u,
					 0x8e1dd6e96cbd1f6cu};
	/* xoshiro256** seeded with splitmix64 from 1, computed independently. */
	static const uint64_t plain[] = {0xb3f2af6d0fc710c5u, 0x853b559647364ceau,
					 0x92f89756082a4514u};
	gsl_rng *r = eh_stream_new(1, "client.perturb");

	for (int i = 0; i < ROW(named); i++)
		ck_assert_uint_eq(eh_stream_u64(r), named[i]);
	gsl_rng_set(r, 1);
	for (int i = 0; i < ROW(plain); i++)
		ck_assert_uint_eq(gsl_rng_get(r), plain[i]);
	gsl_rng_free(r);
}
END_TEST

/* Correlation of uniform numbers of two streams that differ in name, seed or both. */
START_TEST(streams_are_independent)
{
	static const struct {
		uint64_t seed;
		const char *name;
	} row[] = {{1, "a"}, {2, "a"}, {1, "b"}, {2, "b"}, {1, "ab"}, {1, "ba"}, {0, ""}, {1, ""}};
	const int n = 20000;

	for (int i = 0; i < ROW(row); i++) {
		for (int j = 0; j < i; j++) {
			gsl_rng *x = eh_stream_new(row[i].seed, row[i].name);
			gsl_rng *y = eh_stream_new(row[j].seed, row[j].name);
			double sum = 0;

			for (int k = 0; k < n; k++)
				sum += (gsl_rng_uniform(x) - 0.5) * (gsl_rng_uniform(y) - 0.5);
			/* Standard deviation of the mean of the products: 1 / (12 sqrt n). */
			ck_assert_double_lt(fabs(sum / n), 4 / (12 * sqrt(n)));
			gsl_rng_free(x);
			gsl_rng_free(y);
		}
	}
}
END_TEST

START_TEST(below_is_uniform)
{
	gsl_rng *r = eh_stream_new(3, "below");
	int seen[7] = {0};
	const int n = 70000;

	for (int i = 0; i < n; i++)
		seen[eh_stream_below(r, 7)]++;
	for (int i = 0; i < 7; i++)
		ck_assert_int_lt(abs(seen[i] - n / 7), 400); /* 4.3 standard deviations */
	for (int i = 0; i < 100; i++) {
		uint64_t huge = UINT64_MAX / 3 * 2;

		ck_assert_uint_eq(eh_stream_below(r, 1), 0);
		ck_assert_uint_lt(eh_stream_below(r, huge), huge);
	}
	gsl_rng_free(r);
}
END_TEST

START_TEST(gsl_takes_streams)
{
	gsl_rng *r = eh_stream_new(5, "exponential");
	double sum = 0;
	const int n = 200000;

	for (int i = 0; i < n; i++)
		sum += gsl_ran_exponential(r, 10.0);
	ck_assert_double_eq_tol(sum / n, 10.0, 4 * 10.0 / sqrt(n));
	ck_assert_uint_lt(gsl_rng_uniform_int(r, 10), 10);
	gsl_rng_free(r);
}
END_TEST

/* The vectors for messages of 0, 8 and 16 bytes that came with the paper's reference code. */
START_TEST(siphash_vectors)
{
	static const uint64_t word[] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
	static const uint64_t want[] = {0x726fdb47dd0e0e31u, 0x93f5f5799a932462u,
					0x3f2acc7f57c29bdbu};

	ck_assert_uint_eq(eh_siphash(word[0], word[1], word, _i), want[_i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stream");
	TCase *stream = tcase_create("stream");

	tcase_add_test(stream, stream_golden);
	tcase_add_test(stream, streams_are_independent);
	tcase_add_test(stream, below_is_uniform);
	tcase_add_test(stream, gsl_takes_streams);
	tcase_add_loop_test(stream, siphash_vectors, 0, 3);
	suite_add_tcase(suite, stream);

	return run_suite(suite);
}
