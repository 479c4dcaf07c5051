/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/stats.h>

#include <glib.h>
#include <string.h>

struct eh_series {
	int columns, most, rows;
	uint64_t seen, every; /* a power of two */
	double *value;
};

struct eh_series *eh_series_new(int columns, int most)
{
	struct eh_series *s = g_new0(struct eh_series, 1);

	g_assert(columns > 0 && most > 1);
	*s = (struct eh_series){.columns = columns, .most = most, .every = 1};
	s->value = g_new(double, (gsize)columns * (gsize)most);
	return s;
}

void eh_series_free(struct eh_series *s)
{
	if (s)
		g_free(s->value);
	g_free(s);
}

static size_t row_bytes(const struct eh_series *s)
{
	return sizeof(double) * (size_t)s->columns;
}

static void thin_out(struct eh_series *s)
{
	for (int i = 0; 2 * i < s->rows; i++)
		memmove(&s->value[i * s->columns], &s->value[2 * i * s->columns], row_bytes(s));
	s->rows = (s->rows + 1) / 2;
	s->every *= 2;
}

void eh_series_add(struct eh_series *s, const double *row)
{
	uint64_t n = s->seen++;

	if (n % s->every)
		return;
	if (s->rows == s->most)
		thin_out(s);
	if (n % s->every)
		return;
	memcpy(&s->value[s->rows++ * s->columns], row, row_bytes(s));
}

int eh_series_rows(const struct eh_series *s)
{
	return s->rows;
}

const double *eh_series_row(const struct eh_series *s, int i)
{
	g_assert(i >= 0 && i < s->rows);
	return &s->value[i * s->columns];
}
