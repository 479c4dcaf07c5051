/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json_text.h"

#include <string.h>

struct scan {
	const char *begin, *at, *end;
	const char *fault; /* what is wrong at `at` */
	const char *found; /* where the value of the path begins */
	int depth;
};

static bool fail(struct scan *s, const char *what)
{
	if (!s->fault)
		s->fault = s->at >= s->end
				   ? "the text ends here, in the middle of a value: was it cut off?"
				   : what;
	return false;
}

static void skip_space(struct scan *s)
{
	while (s->at < s->end && strchr(" \t\r\n", *s->at) && *s->at)
		s->at++;
}

static bool next_is(struct scan *s, char c)
{
	skip_space(s);
	if (s->at >= s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

static bool escape(struct scan *s)
{
	static const char simple[] = "\"\\/bfnrt";

	if (s->at >= s->end)
		return fail(s, "");
	if (*s->at == 'u') {
		s->at++;
		for (int i = 0; i < 4; i++, s->at++)
			if (s->at >= s->end || !g_ascii_isxdigit(*s->at))
				return fail(s, "four hexadecimal digits are needed behind \\u");
		return true;
	}
	if (!*s->at || !strchr(simple, *s->at))
		return fail(s, "a backslash must be followed by one of \" \\ / b f n r t u");
	s->at++;
	return true;
}

static bool string(struct scan *s)
{
	if (!next_is(s, '"'))
		return fail(s, "a string in \"double quotes\" is needed here");
	while (s->at < s->end && *s->at != '"') {
		if ((unsigned char)*s->at < ' ')
			return fail(
				s,
				"a string must not contain line ends or other control characters");
		if (*s->at++ == '\\' && !escape(s))
			return false;
	}
	if (s->at >= s->end)
		return fail(s, "");
	s->at++;
	return true;
}

static bool digits(struct scan *s)
{
	const char *from = s->at;

	while (s->at < s->end && g_ascii_isdigit(*s->at))
		s->at++;
	return s->at > from || fail(s, "a digit is needed here");
}

static bool number(struct scan *s)
{
	if (*s->at == '-')
		s->at++;
	if (s->at < s->end && *s->at == '0')
		s->at++;
	else if (!digits(s))
		return false;
	if (s->at < s->end && *s->at == '.') {
		s->at++;
		if (!digits(s))
			return false;
	}
	if (s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
		s->at++;
		if (s->at < s->end && (*s->at == '+' || *s->at == '-'))
			s->at++;
		return digits(s);
	}
	return true;
}

static bool word(struct scan *s)
{
	static const char *const words[] = {"true", "false", "null"};

	for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(s->end - s->at) >= n && !memcmp(s->at, words[i], n)) {
			s->at += n;
			return true;
		}
	}
	return fail(s, "a value is needed here");
}

static bool value(struct scan *s, const char *const *path);

/* The rest of the path below this member or element; NULL when it is not on the path. */
static const char *const *below(const char *const *path, const char *name, size_t n)
{
	return path && *path && strlen(*path) == n && !memcmp(*path, name, n) ? path + 1 : NULL;
}

static bool members(struct scan *s, const char *const *path)
{
	if (next_is(s, '}'))
		return true;
	do {
		const char *name;
		size_t n;

		skip_space(s);
		name = s->at + 1;
		if (!string(s))
			return false;
		n = (size_t)(s->at - 1 - name);
		if (!next_is(s, ':'))
			return fail(s, "':' is needed behind the name of a member");
		if (!value(s, below(path, name, n)))
			return false;
	} while (next_is(s, ','));
	return next_is(s, '}') || fail(s, "',' or '}' is needed here");
}

static bool elements(struct scan *s, const char *const *path)
{
	int i = 0;

	if (next_is(s, ']'))
		return true;
	do {
		char index[16];
		int n = g_snprintf(index, sizeof(index), "%d", i++);

		if (!value(s, below(path, index, (size_t)n)))
			return false;
	} while (next_is(s, ','));
	return next_is(s, ']') || fail(s, "',' or ']' is needed here");
}

static bool value(struct scan *s, const char *const *path)
{
	bool fine;

	skip_space(s);
	if (path && !*path && !s->found)
		s->found = s->at;
	if (s->at >= s->end)
		return fail(s, "");
	if (*s->at == '"')
		return string(s);
	if (*s->at == '-' || g_ascii_isdigit(*s->at))
		return number(s);
	if (*s->at != '{' && *s->at != '[')
		return word(s);
	if (++s->depth > JSON_TEXT_DEPTH)
		return fail(s, "arrays and objects are nested too deeply");
	fine = *s->at++ == '{' ? members(s, path) : elements(s, path);
	s->depth--;
	return fine;
}

static void place(const char *begin, const char *at, int *line, int *column)
{
	const char *from = begin;

	*line = 1;
	for (const char *c = begin; c < at; c++)
		if (*c == '\n') {
			(*line)++;
			from = c + 1;
		}
	*column = (int)MIN(at - from, G_MAXINT - 1) + 1;
}

char *json_text_fault(const char *text, gsize length, int *line, int *column)
{
	struct scan s = {.begin = text, .at = text, .end = text + length};
	const char *invalid;

	if (!g_utf8_validate_len(text, length, &invalid)) {
		place(text, invalid, line, column);
		return g_strdup("this is no UTF-8 text");
	}
	if (value(&s, NULL)) {
		skip_space(&s);
		if (s.at == s.end)
			return NULL;
		fail(&s, "nothing may follow the value");
	}
	place(text, s.at, line, column);
	return g_strdup(s.fault);
}

bool json_text_find(const char *text, gsize length, const char *const *path, int *line, int *column)
{
	struct scan s = {.begin = text, .at = text, .end = text + length};

	value(&s, path);
	if (s.found)
		place(text, s.found, line, column);
	return s.found != NULL;
}
