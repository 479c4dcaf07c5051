/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ports.h"
#include <glib.h>
#include <stdbool.h>
#include <string.h>

#define PORTS 65536

/* "9000" or "9000-9010" up to a comma or the end. */
static bool read_range(const char *part, int64_t *first, int64_t *last)
{
	guint64 number[2];
	int numbers = 0;

	for (const char *p = part;; p++) {
		const char *digits = p;
		char *end;

		if (numbers == 2 || !g_ascii_isdigit(*p))
			return false;
		number[numbers++] = g_ascii_strtoull(p, &end, 10);
		p = end;
		if (p - digits > 5)
			return false;
		if (!*p)
			break;
		if (*p != '-')
			return false;
	}
	*first = (int64_t)number[0];
	*last = (int64_t)number[numbers - 1];
	return *first <= *last && *last < PORTS;
}

static char **parts_of(const char *list)
{
	char **parts = g_strsplit(list ? list : "", ",", -1);

	for (char **part = parts; *part; part++)
		g_strstrip(*part);
	return parts;
}

char *eh_ports_check(const char *list)
{
	char **parts = parts_of(list), *bad = NULL;
	int64_t first, last;

	for (char **part = parts; *part && !bad; part++)
		if (!read_range(*part, &first, &last))
			bad = g_strdup_printf(
				"reserved_ports: '%s' is no port and no range of ports; "
				"for example \"8080,9000-9010\"",
				*part);
	g_strfreev(parts);
	return bad;
}

static gint by_first(gconstpointer a, gconstpointer b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int64_t eh_ports_count(const char *list, int64_t low, int64_t high, int64_t step)
{
	struct {
		int64_t first, last;
	} range;
	GArray *ranges = g_array_new(FALSE, FALSE, sizeof(range));
	char **parts = parts_of(list);
	int64_t count = 0, next = MAX(low, 0); /* the first that may still be counted */

	for (char **part = parts; *part; part++)
		if (read_range(*part, &range.first, &range.last))
			g_array_append_val(ranges, range);
	g_array_sort(ranges, by_first);
	for (guint i = 0; i < ranges->len; i++) {
		memcpy(&range, ranges->data + i * sizeof(range), sizeof(range));
		range.last = MIN(range.last, MIN(high, PORTS - 1));
		if (range.first > next)
			next += (range.first - next + step - 1) / step * step;
		if (next > range.last)
			continue;
		count += (range.last - next) / step + 1;
		next += ((range.last - next) / step + 1) * step;
	}
	g_strfreev(parts);
	g_array_free(ranges, TRUE);
	return count;
}
