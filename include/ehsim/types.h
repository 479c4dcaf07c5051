/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scalars every folder shares.
 *
 * Simulated time is a signed 64-bit count of picoseconds (range 106 days): fine enough for one
 * cycle of any clock, exact to add, and no floating point ever decides an order.
 */
#ifndef EHSIM_TYPES_H
#define EHSIM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int64_t eh_time; /* picoseconds */

#define EH_PS ((eh_time)1)
#define EH_NS ((eh_time)1000)
#define EH_US ((eh_time)1000000)
#define EH_MS ((eh_time)1000000000)
#define EH_SEC ((eh_time)1000000000000)
#define EH_TIME_NEVER INT64_MAX

#define eh_likely(x) __builtin_expect(!!(x), 1)
#define eh_unlikely(x) __builtin_expect(!!(x), 0)

/* For the few functions whose arguments must stay in registers. */
#define eh_always_inline static inline __attribute__((always_inline))

/* Without a branch: which of two instants is later is often a coin toss. */
eh_always_inline eh_time eh_later(eh_time a, eh_time b)
{
	return __builtin_expect_with_probability(a < b, 1, 0.5) ? b : a;
}

#define eh_container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

#endif
