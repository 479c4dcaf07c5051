/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "text.h"
#include <string.h>

/* libyaml's words for a problem, and what most probably mends it. */
static const struct {
	const char *problem, *hint;
} hints[] = {
	{"did not find expected ',' or '}'", "close the '{' or put a comma before this"},
	{"did not find expected ',' or ']'", "close the '[' or put a comma before this"},
	{"did not find expected key", "start the keys of one map in the same column"},
	{"did not find expected '-' indicator", "start the entries of one list in the same column"},
	{"did not find expected alphabetic or numeric character", "put the text in quotes"},
	{"could not find expected ':'", "write KEY: VALUE"},
	{"did not find expected node content", "write a value, or remove the comma"},
	{"found unexpected end of stream", "close the quote"},
	{"found undefined alias", "write the value itself"},
	{"found character that cannot start any token", "put the text in quotes"},
	{"found unknown escape character", "in double quotes, write a backslash twice"},
	{"mapping values are not allowed in this context",
	 "put a text with ': ' in it in quotes, or start the key in the column of its map"},
	{"block sequence entries are not allowed in this context", "start a list in a line of its own"},
	{"did not find expected <document start>", "write one map of sections"},
	{NULL, NULL},
};

const char *eh_syntax_hint(const char *problem)
{
	for (int i = 0; hints[i].problem; i++)
		if (!strcmp(hints[i].problem, problem))
			return hints[i].hint;
	return NULL;
}
