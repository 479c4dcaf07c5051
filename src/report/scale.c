/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scale.h"

#include <math.h>
#include <string.h>

struct prefix {
	double factor;
	const char *unit;
};

/* Largest first. */
static const struct prefix times[] = {
	{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {1e-12, "ps"}, {0, NULL},
};
static const struct prefix bits[] = {
	{1e12, "Tbit/s"}, {1e9, "Gbit/s"}, {1e6, "Mbit/s"}, {1e3, "kbit/s"}, {1, "bit/s"}, {0, NULL},
};
static const struct prefix octets[] = {
	{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}, {1, "B/s"}, {0, NULL},
};
static const struct prefix per_second[] = {{1, "/s"}, {0, NULL}};
static const struct prefix percent[] = {{1e-2, "%"}, {0, NULL}};

/* First match wins. `base` turns the metric's own unit into that of the prefixes. */
static const struct suffix {
	const char *text;
	const struct prefix *prefixes;
	double base;
} suffixes[] = {
	{"_bits_per_s", bits, 1},
	{"_bit_per_s", bits, 1},
	{"_bytes_per_s", octets, 1},
	{"_per_s", per_second, 1},
	{"_s", times, 1},
	{"_ns", times, 1e-9},
	{"_share", percent, 1},
	{NULL, NULL, 0},
};

static const struct suffix *find_suffix(const char *metric)
{
	const struct suffix *s;

	for (s = suffixes; s->text; s++)
		if (g_str_has_suffix(metric, s->text))
			return s;
	return NULL;
}

char *scale_label(const char *metric)
{
	const struct suffix *s = find_suffix(metric);

	return g_strndup(metric, strlen(metric) - (s ? strlen(s->text) : 0));
}

static int decimals_for(double x)
{
	double size = fabs(x);
	int digits;

	if (!(size > 0) || !isfinite(size))
		return 0;
	digits = (int)floor(log10(size)) + 1;
	return CLAMP(5 - digits, 0, 4);
}

struct scale scale_pick(const char *metric, double value)
{
	const struct suffix *s = find_suffix(metric);
	struct scale out = {1, 0, ""};

	if (s) {
		const struct prefix *p = s->prefixes;

		/* what would print as 1000.00 of the smaller unit goes up */
		while (p[1].unit && !(fabs(value) * s->base >= p->factor * 0.999995))
			p++;
		if (!isfinite(value) || value == 0)
			p = s->prefixes;
		out.factor = p->factor / s->base;
		out.unit = p->unit;
	} else if (g_str_has_prefix(metric, "ns_per_") || strstr(metric, "_ns_per_")) {
		out.unit = "ns";
	}
	out.decimals = decimals_for(value / out.factor);
	return out;
}

char *scale_print(const struct scale *s, double value)
{
	char format[16], digits[64];
	double x = value / s->factor;

	if (!isfinite(x))
		return g_strdup("-");
	if (x == 0)
		x = 0; /* no "-0" */
	if (fabs(x) >= 1e12)
		g_strlcpy(format, "%.5g", sizeof(format));
	else
		g_snprintf(format, sizeof(format), "%%.%df", s->decimals);
	return g_strdup(g_ascii_formatd(digits, sizeof(digits), format, x));
}

char *scale_print_unit(const struct scale *s, double value)
{
	char *number = scale_print(s, value), *out;

	if (!*s->unit || !isfinite(value))
		return number;
	out = g_strdup_printf("%s %s", number, s->unit);
	g_free(number);
	return out;
}

char *scale_time(eh_time t)
{
	char digits[G_ASCII_DTOSTR_BUF_SIZE];
	double seconds = (double)t / (double)EH_SEC;
	const struct prefix *p = times;

	while (t && p[1].unit && fabs(seconds) < p->factor)
		p++;
	g_ascii_formatd(digits, sizeof(digits), "%.6g", seconds / p->factor);
	return g_strdup_printf("%s %s", digits, p->unit);
}
