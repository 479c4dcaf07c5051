/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Generator: xoshiro256** 1.0 (Blackman and Vigna, 2018), seeded with splitmix64 (Steele, Lea and
 * Flood, 2014) over the run's seed and the 64-bit FNV-1a hash of the stream's name.
 * siphash-2-4: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012.
 */
#include <ehsim/stream.h>

#include <limits.h>

#if ULONG_MAX != UINT64_MAX
#error "a gsl_rng must return 64 bits: unsigned long is too short here"
#endif

struct xoshiro {
	uint64_t s[4];
};

static inline uint64_t rotl(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

static uint64_t splitmix(uint64_t *x)
{
	uint64_t z = *x += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void fill(struct xoshiro *g, uint64_t x)
{
	for (int i = 0; i < 4; i++)
		g->s[i] = splitmix(&x);
}

static void xoshiro_set(void *state, unsigned long seed)
{
	fill(state, seed);
}

static unsigned long xoshiro_get(void *state)
{
	uint64_t *s = ((struct xoshiro *)state)->s;
	uint64_t result = rotl(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

static double xoshiro_get_double(void *state)
{
	return (double)(xoshiro_get(state) >> 11) * 0x1p-53;
}

static const gsl_rng_type stream_type = {
	.name = "xoshiro256**",
	.max = ULONG_MAX,
	.min = 0,
	.size = sizeof(struct xoshiro),
	.set = xoshiro_set,
	.get = xoshiro_get,
	.get_double = xoshiro_get_double,
};

const gsl_rng_type *const eh_stream_type = &stream_type;

gsl_rng *eh_stream_new(uint64_t seed, const char *name)
{
	gsl_rng *r = gsl_rng_alloc(eh_stream_type);
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
	/* The seed goes through splitmix first: seeds and names must not cancel each other. */
	fill(r->state, splitmix(&seed) ^ hash);
	return r;
}

uint64_t eh_stream_u64(gsl_rng *r)
{
	return xoshiro_get(r->state);
}

uint64_t eh_stream_below(gsl_rng *r, uint64_t n)
{
	/* The high word of a 128-bit product; the 2^64 mod n lowest low words would be too many. */
	unsigned __int128 product = (unsigned __int128)xoshiro_get(r->state) * n;

	if ((uint64_t)product < n) {
		uint64_t surplus = -n % n;

		while ((uint64_t)product < surplus)
			product = (unsigned __int128)xoshiro_get(r->state) * n;
	}
	return (uint64_t)(product >> 64);
}

static inline void sip_rounds(uint64_t v[4], int rounds)
{
	while (rounds-- > 0) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotl(v[1], 13) ^ v[0];
		v[3] = rotl(v[3], 16) ^ v[2];
		v[0] = rotl(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotl(v[1], 17) ^ v[2];
		v[3] = rotl(v[3], 21) ^ v[0];
		v[2] = rotl(v[2], 32);
	}
}

uint64_t eh_siphash(uint64_t k0, uint64_t k1, const uint64_t *words, int n)
{
	/* The initial state spells "somepseudorandomlygeneratedbytes". */
	uint64_t v[4] = {
		k0 ^ 0x736f6d6570736575u,
		k1 ^ 0x646f72616e646f6du,
		k0 ^ 0x6c7967656e657261u,
		k1 ^ 0x7465646279746573u,
	};

	/* The last block has no bytes of the message left, only its length in the top byte. */
	for (int i = 0; i <= n; i++) {
		uint64_t m = i < n ? words[i] : (uint64_t)n * 8 << 56;

		v[3] ^= m;
		sip_rounds(v, 2);
		v[0] ^= m;
	}
	v[2] ^= 0xff;
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
