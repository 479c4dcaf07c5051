/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/keys.h>
#include <ehsim/nearest.h>
#include <ehsim/quantity.h>
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const eh_origin_words[] = {"published", "measured", "fitted",
				       "assumed",   "chosen",	NULL};

const char *const eh_bool_words[] = {"false", "true", "no", "yes", "off", "on", NULL};

/* A parsed value before it is stored. */
struct value {
	int64_t i;
	double d;
};

static bool in_range(const struct eh_key *key, const struct value *value);

bool eh_key_dimension(enum eh_key_kind kind, enum eh_dimension *dim)
{
	switch (kind) {
	case EH_KEY_INT:
		*dim = EH_DIM_COUNT;
		return true;
	case EH_KEY_TIME:
		*dim = EH_DIM_TIME;
		return true;
	case EH_KEY_SIZE:
		*dim = EH_DIM_SIZE;
		return true;
	case EH_KEY_RATE:
		*dim = EH_DIM_RATE;
		return true;
	case EH_KEY_FREQ:
		*dim = EH_DIM_FREQ;
		return true;
	default:
		return false;
	}
}

/* The number with the first unit that puts it into the range: 2100 of a clock are MHz. */
static char *other_unit(const struct eh_key *key, enum eh_dimension dim, const char *number)
{
	char *list = g_strdelimit(g_strdup(eh_quantity_units(dim)), " ", ',');
	char **units = g_strsplit(list, ",", -1), *found = NULL;

	for (char **unit = units; *unit && !found && (key->min || key->max); unit++) {
		char *text = g_strconcat(number, *unit, NULL);
		struct value value;

		if (**unit && !eh_quantity_parse(dim, text, &value.i) && in_range(key, &value))
			found = g_strdup(text);
		g_free(text);
	}
	g_strfreev(units);
	g_free(list);
	return found;
}

static const char *example(const struct eh_key *key)
{
	return key->def ? key->def : key->min ? key->min : "1";
}

/* Nothing is suggested that would be refused, or that reads only the beginning of a number. */
static char *fix_for(const struct eh_key *key, enum eh_dimension dim, const char *text)
{
	const char *def = example(key);
	const char *rest = text + strspn(text, "+-.0123456789");
	char *fix = eh_quantity_fix(dim, text, def), **words = g_strsplit(fix, " or ", -1);
	bool fine = !*rest || !strchr("_,:eEx", *rest);

	for (char **word = words; *word; word++) {
		struct value value;

		fine = fine && !eh_quantity_parse(dim, *word, &value.i) && in_range(key, &value);
	}
	g_strfreev(words);
	if (fine)
		return fix;
	g_free(fix);
	fix = *rest ? NULL : other_unit(key, dim, text);
	return fix ? fix : g_strdup(def);
}

/* "30,000", "1e3" and "8 cpus" are whole numbers; else the default. */
static char *whole_fix(const struct eh_key *key, const char *text)
{
	char **groups = g_strsplit_set(text, ",_ '", -1), *digits = g_strjoinv("", groups);
	struct value value;
	double real;
	char *fix;

	if (eh_real_parse(digits, &real) && fabs(real) < 0x1p63 && real == (double)(int64_t)real)
		value.i = (int64_t)real;
	else
		value.i = g_ascii_strtoll(text, NULL, 10);
	fix = g_ascii_isdigit(*text) && !strchr(text, '.') && in_range(key, &value) ?
		      eh_quantity_print(EH_DIM_COUNT, value.i) :
		      g_strdup(example(key));
	g_free(digits);
	g_strfreev(groups);
	return fix;
}

static char *quantity_message(const struct eh_key *key, enum eh_dimension dim, const char *text,
			      enum eh_quantity_fault fault)
{
	char *fix = fault == EH_QTY_BITS_OR_BYTES ?
			    eh_quantity_fix(dim, text, example(key)) :
			    fix_for(key, dim, text);
	char *message;
	const char *units = eh_quantity_units(dim);

	if (dim == EH_DIM_COUNT && fault != EH_QTY_TOO_LARGE) {
		g_free(fix);
		fix = whole_fix(key, text);
		message = g_strdup_printf(
			"'%s' must be a whole number without a unit, not '%s'; for example %s",
			key->name, text, fix);
		g_free(fix);
		return message;
	}
	switch (fault) {
	case EH_QTY_NO_UNIT:
		message = g_strdup_printf("'%s' needs a unit; for example %s", key->name, fix);
		break;
	case EH_QTY_BAD_UNIT:
		message =
			g_strdup_printf("'%s' cannot read the unit of '%s'; use %s, for example %s",
					key->name, text, units, fix);
		break;
	case EH_QTY_BITS_OR_BYTES:
		message = g_strdup_printf("'%s': '%s' may mean bits or bytes; say %s", key->name,
					  text, fix);
		break;
	case EH_QTY_FRACTION:
		g_free(fix);
		fix = eh_quantity_print(dim, 1);
		message = g_strdup_printf("'%s': '%s' is no multiple of the smallest unit; for example %s",
					  key->name, text, fix);
		break;
	case EH_QTY_TOO_LARGE:
		message = g_strdup_printf("'%s': '%s' is too large%s%s", key->name, text,
					  key->max ? "; it must be at most " : "",
					  key->max ? key->max : "");
		break;
	default:
		message = g_strdup_printf(
			"'%s' must be a number with a unit, not '%s'; for example %s", key->name,
			text, key->def ? key->def : units);
		break;
	}
	g_free(fix);
	return message;
}

static char *share_message(const struct eh_key *key, const char *text)
{
	double d;
	char *fix, *message;

	if (!eh_real_parse(text, &d))
		return g_strdup_printf("'%s' must be a percentage, not '%s'; for example %s",
				       key->name, text, key->def ? key->def : "1%");
	fix = eh_share_print(d);
	message = g_strdup_printf("'%s' is a share and needs a percent sign; '%s' is %s", key->name,
				  text, fix);
	g_free(fix);
	return message;
}

const char *eh_key_word(const struct eh_key *key, int i)
{
	return key->words ? key->words[i] : key->word(i);
}

const char **eh_key_words(const struct eh_key *key)
{
	GPtrArray *words = g_ptr_array_new();
	const char *word;

	for (int i = 0; (word = eh_key_word(key, i)); i++)
		g_ptr_array_add(words, (char *)word);
	g_ptr_array_add(words, NULL);
	return (const char **)g_ptr_array_free(words, FALSE);
}

static char *word_message(const struct eh_key *key, const char *text)
{
	const char **words = eh_key_words(key);
	const char *near = eh_nearest(text, words);
	char *list = g_strjoinv(", ", (char **)words);
	char *message;

	if (near)
		message = g_strdup_printf("'%s' cannot be '%s'; did you mean '%s'? (one of %s)",
					  key->name, text, near, list);
	else
		message = g_strdup_printf("'%s' cannot be '%s'; it is one of %s", key->name, text,
					  list);
	g_free(list);
	g_free(words);
	return message;
}

static char *parse(const struct eh_key *key, const char *text, struct value *value)
{
	enum eh_dimension dim;

	if (!*text && key->kind != EH_KEY_STRING)
		return g_strdup_printf("'%s' has no value", key->name);
	if (eh_key_dimension(key->kind, &dim)) {
		enum eh_quantity_fault fault = eh_quantity_parse(dim, text, &value->i);

		return fault ? quantity_message(key, dim, text, fault) : NULL;
	}
	switch (key->kind) {
	case EH_KEY_SHARE:
		return eh_share_parse(text, &value->d) ? NULL : share_message(key, text);
	case EH_KEY_REAL:
		if (eh_real_parse(text, &value->d))
			return NULL;
		return g_strdup_printf("'%s' must be a number without a unit, not '%s'%s%s", key->name,
				       text, key->def ? "; for example " : "",
				       key->def ? key->def : "");
	case EH_KEY_BOOL:
		for (int i = 0; eh_bool_words[i]; i++) {
			if (!g_ascii_strcasecmp(text, eh_bool_words[i])) {
				value->i = i & 1;
				return NULL;
			}
		}
		return g_strdup_printf("'%s' is true or false, not '%s'", key->name, text);
	case EH_KEY_ENUM:
		for (int i = 0; eh_key_word(key, i); i++) {
			if (!strcmp(text, eh_key_word(key, i))) {
				value->i = i;
				return NULL;
			}
		}
		return word_message(key, text);
	default:
		return NULL;
	}
}

static bool below(const struct eh_key *key, const struct value *a, const struct value *b)
{
	if (key->kind == EH_KEY_SHARE || key->kind == EH_KEY_REAL)
		return a->d < b->d;
	return a->i < b->i;
}

/* Below 0: too small, above: too large. */
static int beyond(const struct eh_key *key, const struct value *value)
{
	struct value bound;
	bool low, high;
	char *bad;

	bad = key->min ? parse(key, key->min, &bound) : NULL;
	low = key->min && !bad && below(key, value, &bound);
	g_free(bad);
	bad = key->max ? parse(key, key->max, &bound) : NULL;
	high = key->max && !bad && below(key, &bound, value);
	g_free(bad);
	return low ? -1 : high;
}

static bool in_range(const struct eh_key *key, const struct value *value)
{
	return !beyond(key, value);
}

/* NULL when inside the range. */
static char *range_message(const struct eh_key *key, const char *text, const struct value *value)
{
	int way = beyond(key, value);

	if (!way)
		return NULL;
	if (key->min && key->max)
		return g_strdup_printf("'%s' is %s, but must lie between %s and %s", key->name,
				       text, key->min, key->max);
	return g_strdup_printf("'%s' is %s, but must be at %s %s", key->name, text,
			       way < 0 ? "least" : "most", way < 0 ? key->min : key->max);
}

char *eh_key_parse(const struct eh_key *key, const char *text, void *cfg)
{
	void *field = (char *)cfg + key->offset;
	struct value value = {0, 0};
	char *message = parse(key, text, &value);

	if (!message)
		message = range_message(key, text, &value);
	if (message)
		return message;

	switch (key->kind) {
	case EH_KEY_BOOL:
		*(bool *)field = value.i;
		break;
	case EH_KEY_ENUM:
		*(int *)field = (int)value.i;
		break;
	case EH_KEY_SHARE:
	case EH_KEY_REAL:
		*(double *)field = value.d;
		break;
	case EH_KEY_STRING: {
		char *copy = g_strdup(text);

		g_free(*(char **)field);
		*(char **)field = copy;
		break;
	}
	default:
		*(int64_t *)field = value.i;
		break;
	}
	return NULL;
}

char *eh_key_print(const struct eh_key *key, const void *cfg)
{
	const void *field = (const char *)cfg + key->offset;
	enum eh_dimension dim;

	if (eh_key_dimension(key->kind, &dim))
		return eh_quantity_print(dim, *(const int64_t *)field);
	switch (key->kind) {
	case EH_KEY_BOOL:
		return g_strdup(*(const bool *)field ? "true" : "false");
	case EH_KEY_ENUM:
		return g_strdup(eh_key_word(key, *(const int *)field));
	case EH_KEY_SHARE:
		return eh_share_print(*(const double *)field);
	case EH_KEY_REAL:
		return eh_real_print(*(const double *)field);
	default: {
		const char *text = *(char *const *)field;

		return g_strdup(text ? text : "");
	}
	}
}

const char *eh_key_kind_name(enum eh_key_kind kind)
{
	static const char *const names[] = {
		[EH_KEY_BOOL] = "true or false", [EH_KEY_INT] = "whole number",
		[EH_KEY_TIME] = "time",		 [EH_KEY_SIZE] = "size",
		[EH_KEY_RATE] = "rate",		 [EH_KEY_FREQ] = "frequency",
		[EH_KEY_SHARE] = "share",	 [EH_KEY_REAL] = "number",
		[EH_KEY_ENUM] = "word",		 [EH_KEY_STRING] = "text",
	};

	return names[kind];
}

char *eh_key_range(const struct eh_key *key)
{
	if (key->min && key->max)
		return g_strdup_printf("%s to %s", key->min, key->max);
	if (key->min)
		return g_strdup_printf("at least %s", key->min);
	return key->max ? g_strdup_printf("at most %s", key->max) : NULL;
}

void eh_keys_defaults(const struct eh_key *keys, void *cfg)
{
	for (const struct eh_key *key = keys; key->name; key++) {
		char *bad = eh_key_parse(key, key->def ? key->def : "", cfg);

		if (bad) {
			fprintf(stderr, "ehsim: wrong default in a key table: %s\n", bad);
			abort();
		}
	}
}

void eh_keys_clear(const struct eh_key *keys, void *cfg)
{
	for (const struct eh_key *key = keys; key->name; key++) {
		char **field = (char **)((char *)cfg + key->offset);

		if (key->kind != EH_KEY_STRING)
			continue;
		g_free(*field);
		*field = NULL;
	}
}

const struct eh_key *eh_keys_find(const struct eh_key *keys, const char *name)
{
	for (const struct eh_key *key = keys; key->name; key++)
		if (!strcmp(key->name, name))
			return key;
	return NULL;
}
