/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Named random streams. A stream is (seed of the run, name): "client.perturb", "link.client". Adding
 * one never moves the numbers of another. Each is a gsl_rng of our own type (xoshiro256**, seeded by
 * splitmix64 over seed and a hash of the name), so every gsl_ran_* works on it; models that must be
 * exact on every compiler take integers only.
 */
#ifndef EHSIM_STREAM_H
#define EHSIM_STREAM_H

#include <ehsim/types.h>
#include <gsl/gsl_rng.h>

extern const gsl_rng_type *const eh_stream_type;

gsl_rng *eh_stream_new(uint64_t seed, const char *name); /* free with gsl_rng_free */
uint64_t eh_stream_u64(gsl_rng *r);
/* Uniform in 0..n-1, exact (rejection), n >= 1. */
uint64_t eh_stream_below(gsl_rng *r, uint64_t n);

/* siphash-2-4 of up to four words under a 128-bit key: what secure_port_offset and friends use. */
uint64_t eh_siphash(uint64_t k0, uint64_t k1, const uint64_t *words, int n);

#endif
