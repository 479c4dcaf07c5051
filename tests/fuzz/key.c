/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "section.key=text" for any key of the tables and any text: refused with a reason, or a value that
 * prints itself as a text that is read as the same value.
 */
#include "replay.h"
#include <ehsim/scenario.h>

static const struct eh_key *find(const char *name, size_t length, const struct eh_section **section)
{
	for (*section = eh_sections; (*section)->name; (*section)++) {
		size_t before = strlen((*section)->name);

		for (const struct eh_key *key = (*section)->keys; key->name; key++)
			if (length == before + 1 + strlen(key->name) && !memcmp(name, (*section)->name, before) &&
			    name[before] == '.' && !memcmp(name + before + 1, key->name, strlen(key->name)))
				return key;
	}
	return NULL;
}

/* Not by its name: the first byte chooses. */
static const struct eh_key *choose(unsigned char byte, const struct eh_section **section)
{
	unsigned n = 0;

	for (*section = eh_sections; (*section)->name; (*section)++)
		for (const struct eh_key *key = (*section)->keys; key->name; key++)
			if (n++ == byte)
				return key;
	return NULL;
}

static bool fuzz_one(const char *text, size_t length)
{
	const char *equals = memchr(text, '=', length), *value = length ? text + 1 : text;
	const struct eh_section *section;
	const struct eh_key *key = equals ? find(text, (size_t)(equals - text), &section) : NULL;
	struct eh_values v;
	char *bad;

	if (key)
		value = equals + 1;
	else
		key = choose((unsigned char)text[0], &section);
	if (!key)
		return false;
	eh_values_init(&v);
	bad = eh_key_parse(key, value, (char *)&v + section->offset);
	require(!bad || *bad, "it is refused with a reason");
	if (!bad) {
		char *first = eh_key_print(key, (char *)&v + section->offset), *second;
		char *worse = eh_key_parse(key, first, (char *)&v + section->offset);

		require(!worse, "what is printed is read");
		second = eh_key_print(key, (char *)&v + section->offset);
		require(!strcmp(first, second), "as the same");
		g_free(first);
		g_free(second);
	}
	eh_values_clear(&v);
	g_free(bad);
	return !bad;
}
