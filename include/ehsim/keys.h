/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Key tables: one row per parameter, the single source for parsing, ranges, --explain, --show and
 * the manual.
 *
 * The folder that owns a parameter owns its row; scenario only gathers the tables. A row points
 * into a plain config struct by offset. Nested YAML maps are spelled with dots: the key
 * "latency.dirty.same_die" of section "machine" is written
 *
 *	machine: {latency: {dirty: {same_die: 65ns}}}
 *
 * Wherever a value may stand, {value: 65ns, origin: published, source: "text"} may stand too; it
 * overrides the row's origin and source for that scenario.
 */
#ifndef EHSIM_KEYS_H
#define EHSIM_KEYS_H

#include <ehsim/quantity.h>
#include <ehsim/types.h>

enum eh_key_kind {
	EH_KEY_BOOL,   /* bool: true/false/yes/no/on/off */
	EH_KEY_INT,    /* int64_t, a bare number */
	EH_KEY_TIME,   /* eh_time, needs a unit: ps ns us ms s min */
	EH_KEY_SIZE,   /* int64_t bytes, needs a unit: B kB MB KiB MiB GiB */
	EH_KEY_RATE,   /* int64_t bits per second, needs a unit: bit/s ... or B/s ... */
	EH_KEY_FREQ,   /* int64_t Hz, needs a unit */
	EH_KEY_SHARE,  /* double, 0..1, written in %: "1%" */
	EH_KEY_REAL,   /* double, a bare number */
	EH_KEY_ENUM,   /* int, index into words */
	EH_KEY_STRING, /* char *, owned by the config struct (g_malloc) */
};

enum eh_origin {
	EH_PUBLISHED, /* somebody printed it: source says where */
	EH_MEASURED,  /* we measured it: source says with what */
	EH_FITTED,    /* adjusted until a published row matched: source names the row */
	EH_ASSUMED,   /* a choice without a figure behind it: source says why */
	EH_CHOSEN,    /* a choice of the user (size of the experiment), not a physical number */
};

struct eh_key {
	const char *name;	  /* dotted path inside its section */
	enum eh_key_kind kind;
	size_t offset;		  /* into the section's config struct */
	const char *def;	  /* default, as a user would write it */
	const char *min, *max;	  /* range, as a user would write it; NULL: none */
	const char *const *words; /* EH_KEY_ENUM: NULL-terminated */
	const char *(*word)(int i); /* ... or, words being NULL, the i-th of another table's names,
				       NULL behind the last */
	enum eh_origin origin;
	const char *source;	  /* where the default comes from */
	const char *help;	  /* one or two sentences for --explain */
};

/* A section of the scenario: "machine", "kernel", "network", "workload", "run". */
struct eh_section {
	const char *name;
	const struct eh_key *keys; /* ends with name == NULL */
	size_t offset;		   /* of the config struct inside struct eh_values */
	const char *help;
};

extern const char *const eh_origin_words[]; /* "published", "measured", ... NULL-terminated */
extern const char *const eh_bool_words[];   /* "false", "true", "no", "yes", ... NULL-terminated */

/* False for a kind that is no integer with a unit (a count is one, of no unit). */
bool eh_key_dimension(enum eh_key_kind kind, enum eh_dimension *dim);

/*
 * Parse `text` for `key` into the config struct `cfg` (range checked). Returns NULL on success or
 * a newly allocated message fit for a user ("'rate' needs a unit; for example 10Gbit/s"). A string
 * value replaces (and frees) the old one.
 */
char *eh_key_parse(const struct eh_key *key, const char *text, void *cfg);

/* Print the value in shortest exact form, as eh_key_parse reads it. Newly allocated. */
char *eh_key_print(const struct eh_key *key, const void *cfg);

/* "whole number", "time", ...; an enumeration's words are said instead. */
const char *eh_key_kind_name(enum eh_key_kind kind);

/* "1 to 8", "at least 1ns"; newly allocated, NULL if there is no range. */
char *eh_key_range(const struct eh_key *key);

/* i-th word of an EH_KEY_ENUM, NULL behind the last. */
const char *eh_key_word(const struct eh_key *key, int i);
/* All of them, NULL-terminated; free the array only. */
const char **eh_key_words(const struct eh_key *key);

/* Set every key of the table to its default; aborts if a row's own default does not parse. */
void eh_keys_defaults(const struct eh_key *keys, void *cfg);

/* Free the strings. */
void eh_keys_clear(const struct eh_key *keys, void *cfg);

/* NULL when there is none. */
const struct eh_key *eh_keys_find(const struct eh_key *keys, const char *name);

#endif
