/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/quantity.h>
#include <glib.h>
#include <math.h>
#include <string.h>

/* 22 digits times the largest scale (a minute in ps, 2^46) still fit into 127 bits. */
#define MOST_DIGITS 22

typedef __int128 wide;

struct unit {
	const char *name;
	int64_t scale;
	bool print; /* a form we print; the others are only read */
};

static const struct unit time_units[] = {
	{"ps", 1, true},
	{"ns", EH_NS, true},
	{"us", EH_US, true},
	{"\302\265s", EH_US, false},
	{"\316\274s", EH_US, false},
	{"ms", EH_MS, true},
	{"s", EH_SEC, true},
	{"min", 60 * EH_SEC, true},
	{NULL, 0, false},
};

/* clang-format off */
static const struct unit size_units[] = {
	{"B", 1, true},
	{"kB", 1000, true},
	{"KiB", 1024, true},
	{"MB", 1000000, true},
	{"MiB", 1 << 20, true},
	{"GB", 1000000000, true},
	{"GiB", 1 << 30, true},
	{NULL, 0, false},
};

static const struct unit rate_units[] = {
	{"bit/s", 1, true},
	{"kbit/s", 1000, true},
	{"Mbit/s", 1000000, true},
	{"Gbit/s", 1000000000, true},
	{"Tbit/s", 1000000000000, true},
	{"B/s", 8, false},
	{"kB/s", 8000, false},
	{"MB/s", 8000000, false},
	{"GB/s", 8000000000, false},
	{"TB/s", 8000000000000, false},
	{"KiB/s", 8ll << 10, false},
	{"MiB/s", 8ll << 20, false},
	{"GiB/s", 8ll << 30, false},
	{NULL, 0, false},
};

static const struct unit freq_units[] = {
	{"Hz", 1, true},
	{"kHz", 1000, true},
	{"MHz", 1000000, true},
	{"GHz", 1000000000, true},
	{NULL, 0, false},
};
/* clang-format on */

static const struct unit count_units[] = {
	{"", 1, true},
	{NULL, 0, false},
};

static const struct {
	const struct unit *units;
	const char *words;
} dimensions[] = {
	[EH_DIM_TIME] = {time_units, "ps, ns, us, ms, s or min"},
	[EH_DIM_SIZE] = {size_units, "B, kB, MB, GB, KiB, MiB or GiB"},
	[EH_DIM_RATE] = {rate_units,
			 "bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s or B/s, kB/s, MB/s, GB/s"},
	[EH_DIM_FREQ] = {freq_units, "Hz, kHz, MHz or GHz"},
	[EH_DIM_COUNT] = {count_units, "a plain number"},
};

const char *eh_quantity_units(enum eh_dimension dim)
{
	return dimensions[dim].words;
}

char *eh_quantity_pattern(enum eh_dimension dim)
{
	GString *out = g_string_new("^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+) *(");

	for (const struct unit *u = dimensions[dim].units; u->name; u++)
		g_string_append_printf(out, "%s%s", u == dimensions[dim].units ? "" : "|", u->name);
	g_string_append(out, ")$");
	return g_string_free(out, FALSE);
}

/* End of the decimal number at the start of `text`; `text` itself if there is none. */
static const char *number_end(const char *text)
{
	const char *p = text;
	int digits = 0;

	if (*p == '-' || *p == '+')
		p++;
	for (; g_ascii_isdigit(*p); p++)
		digits++;
	if (*p == '.')
		for (p++; g_ascii_isdigit(*p); p++)
			digits++;
	return digits ? p : text;
}

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* Case counts in times (ms, Ms); elsewhere only the b of bits against the B of bytes. */
static bool unit_matches(enum eh_dimension dim, const char *name, const char *text)
{
	if (dim == EH_DIM_TIME)
		return !strcmp(name, text);
	if (g_ascii_strcasecmp(name, text))
		return false;
	for (; *name; name++, text++)
		if ((*name == 'B') != (*text == 'B') && g_ascii_tolower(*name) == 'b')
			return false;
	return true;
}

static const struct unit *find_unit(enum eh_dimension dim, const char *text)
{
	for (const struct unit *u = dimensions[dim].units; u->name; u++)
		if (unit_matches(dim, u->name, text))
			return u;
	return NULL;
}

/* "Gbps", "Gb", "GB", "Gb/s": 0 to 2 characters of prefix, then the doubtful b. */
static bool bits_or_bytes(enum eh_dimension dim, const char *unit, size_t *prefix)
{
	const char *p = unit;

	if (dim != EH_DIM_RATE && dim != EH_DIM_SIZE)
		return false;
	if (*p && strchr("kKmMgGtT", *p))
		p++;
	if (p > unit && *p == 'i')
		p++;
	*prefix = (size_t)(p - unit);
	if (dim == EH_DIM_SIZE)
		return !strcmp(p, "b");
	return !g_ascii_strcasecmp(p, "bps") || !strcmp(p, "b") || !strcmp(p, "B") ||
	       !strcmp(p, "b/s");
}

static enum eh_quantity_fault scale_number(const char *text, const char *end, int64_t scale,
					   int64_t *value)
{
	wide mantissa = 0, divisor = 1;
	bool negative = *text == '-', point = false;
	int digits = 0;

	/* trailing zeros of a fraction say nothing */
	if (memchr(text, '.', (size_t)(end - text)))
		while (end[-1] == '0')
			end--;
	for (; text < end; text++) {
		if (*text == '.')
			point = true;
		if (!g_ascii_isdigit(*text))
			continue;
		if (mantissa || *text != '0')
			digits++;
		if (digits > MOST_DIGITS)
			return point ? EH_QTY_FRACTION : EH_QTY_TOO_LARGE;
		mantissa = mantissa * 10 + (*text - '0');
		if (point && divisor > (wide)1 << 100)
			return EH_QTY_FRACTION;
		if (point)
			divisor *= 10;
	}
	mantissa *= scale;
	if (mantissa % divisor)
		return EH_QTY_FRACTION;
	mantissa /= divisor;
	if (mantissa > INT64_MAX)
		return EH_QTY_TOO_LARGE;
	*value = negative ? -(int64_t)mantissa : (int64_t)mantissa;
	return EH_QTY_FINE;
}

enum eh_quantity_fault eh_quantity_parse(enum eh_dimension dim, const char *text, int64_t *value)
{
	const char *end = number_end(text), *unit;
	const struct unit *u;
	size_t prefix;

	if (end == text)
		return EH_QTY_NO_NUMBER;
	unit = skip_blanks(end);
	u = find_unit(dim, unit);
	if (!u) {
		if (!*unit)
			return EH_QTY_NO_UNIT;
		return bits_or_bytes(dim, unit, &prefix) ? EH_QTY_BITS_OR_BYTES : EH_QTY_BAD_UNIT;
	}
	return scale_number(text, end, u->scale, value);
}

/* Units in words that people use elsewhere. */
static const struct {
	enum eh_dimension dim;
	const char *word, *unit;
	int times;
} spoken[] = {
	{EH_DIM_TIME, "nsec", "ns", 1},	  {EH_DIM_TIME, "usec", "us", 1},
	{EH_DIM_TIME, "msec", "ms", 1},	  {EH_DIM_TIME, "sec", "s", 1},
	{EH_DIM_TIME, "second", "s", 1},  {EH_DIM_TIME, "minute", "min", 1},
	{EH_DIM_TIME, "h", "min", 60},	  {EH_DIM_TIME, "hour", "min", 60},
	{EH_DIM_SIZE, "byte", "B", 1},	  {EH_DIM_RATE, "bit", "bit/s", 1},
	{EH_DIM_RATE, "kbit", "kbit/s", 1}, {EH_DIM_RATE, "Mbit", "Mbit/s", 1},
	{EH_DIM_RATE, "Gbit", "Gbit/s", 1}, {EH_DIM_RATE, "Tbit", "Tbit/s", 1},
};

/* The number of so many characters with the unit that its word means, NULL if it means none. */
static char *in_our_words(enum eh_dimension dim, const char *text, int number, const char *word)
{
	for (size_t i = 0; i < G_N_ELEMENTS(spoken); i++) {
		size_t length = strlen(spoken[i].word);
		char *count, *fix;
		int64_t n;

		if (spoken[i].dim != dim || g_ascii_strncasecmp(word, spoken[i].word, length) ||
		    (word[length] && g_ascii_strcasecmp(word + length, "s")))
			continue;
		if (spoken[i].times == 1)
			return g_strdup_printf("%.*s%s", number, text, spoken[i].unit);
		count = g_strndup(text, (gsize)number);
		fix = eh_quantity_parse(EH_DIM_COUNT, count, &n) || n > 1000000 || n < -1000000 ?
			      NULL :
			      g_strdup_printf("%" G_GINT64_FORMAT "%s", n * spoken[i].times,
					      spoken[i].unit);
		g_free(count);
		return fix;
	}
	return NULL;
}

char *eh_quantity_fix(enum eh_dimension dim, const char *text, const char *like)
{
	const char *end = number_end(text), *unit = skip_blanks(end);
	int number = (int)(end - text);
	size_t prefix;
	char *fix;

	if (!number)
		return g_strdup(like);
	if (bits_or_bytes(dim, unit, &prefix)) {
		if (dim == EH_DIM_SIZE)
			return g_strdup_printf("%.*s%.*sB", number, text, (int)prefix, unit);
		return g_strdup_printf("%.*s%.*sbit/s or %.*s%.*sB/s", number, text, (int)prefix,
				       unit, number, text, (int)prefix, unit);
	}
	fix = in_our_words(dim, text, number, unit);
	return fix ? fix : g_strdup_printf("%.*s%s", number, text, skip_blanks(number_end(like)));
}

/* value / scale in decimal, exactly, or NULL if that needs more than nine places. */
static char *print_scaled(int64_t value, const struct unit *u)
{
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
	uint64_t whole = size / (uint64_t)u->scale, rest = size % (uint64_t)u->scale;
	GString *out = g_string_new(value < 0 ? "-" : "");

	g_string_append_printf(out, "%" G_GUINT64_FORMAT, whole);
	if (rest)
		g_string_append_c(out, '.');
	for (int places = 0; rest; places++) {
		if (places == 9) {
			g_string_free(out, TRUE);
			return NULL;
		}
		wide next = (wide)rest * 10;

		g_string_append_c(out, (char)('0' + (int)(next / u->scale)));
		rest = (uint64_t)(next % u->scale);
	}
	g_string_append(out, u->name);
	return g_string_free(out, FALSE);
}

char *eh_quantity_print(enum eh_dimension dim, int64_t value)
{
	const struct unit *units = dimensions[dim].units;
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char *best = NULL;

	if (!value && dim == EH_DIM_TIME)
		return g_strdup("0s");
	for (const struct unit *u = units; u->name; u++) {
		char *text;

		if (!u->print || (u != units && size < (uint64_t)u->scale))
			continue;
		text = print_scaled(value, u);
		if (!best || (text && strlen(text) <= strlen(best))) {
			g_free(best);
			best = text;
		} else {
			g_free(text);
		}
	}
	return best;
}

bool eh_real_parse(const char *text, double *value)
{
	char *end;
	double d;

	/* strtod also takes hexadecimal, "inf" and "nan" */
	if (!*text || strspn(text, "+-.0123456789eE") != strlen(text))
		return false;
	d = g_ascii_strtod(text, &end);
	if (end == text || *end || !isfinite(d))
		return false;
	*value = d;
	return true;
}

/* Shift the decimal exponent in the text, so that 49.54% is the double nearest to 0.4954. */
static double read_percent(const char *text)
{
	const char *e = strpbrk(text, "eE");
	int mantissa = e ? (int)(e - text) : (int)strlen(text);
	int64_t exponent = e ? g_ascii_strtoll(e + 1, NULL, 10) : 0;
	char *shifted;
	double d;

	exponent = CLAMP(exponent, -9999, 9999);
	shifted = g_strdup_printf("%.*se%d", mantissa, text, (int)exponent - 2);
	d = g_ascii_strtod(shifted, NULL);
	g_free(shifted);
	return d;
}

bool eh_share_parse(const char *text, double *value)
{
	const char *percent = strchr(text, '%');
	char *number;
	double d;
	bool fine;

	if (!percent || percent[1])
		return false;
	number = g_strchomp(g_strndup(text, (gsize)(percent - text)));
	fine = eh_real_parse(number, &d);
	if (fine)
		d = read_percent(number);
	fine = fine && isfinite(d);
	if (fine)
		*value = d;
	g_free(number);
	return fine;
}

/*
 * The fewest digits that read back as `value` once shifted by `shift` places ("0.2" is "20" shifted
 * by two), laid out without an exponent unless it is far from 0.
 */
static char *shortest(double value, int shift)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE], format[8];
	int digits, exponent, places;
	GString *out;

	for (digits = 0; digits < 17; digits++) {
		g_snprintf(format, sizeof(format), "%%.%de", digits);
		g_ascii_formatd(text, sizeof(text), format, value);
		if (g_ascii_strtod(text, NULL) == value)
			break;
	}
	exponent = (int)g_ascii_strtoll(strchr(text, 'e') + 1, NULL, 10) + shift;
	places = digits - exponent;
	*strchr(text, 'e') = '\0';
	out = g_string_new(text);
	if (value == 0 || exponent == 0)
		return g_string_free(out, FALSE);
	if (exponent < -6 || exponent > 15) {
		g_string_append_printf(out, "e%d", exponent);
		return g_string_free(out, FALSE);
	}
	/* digits without point and sign, zeros around them, the point put back */
	g_string_set_size(out, 0);
	for (const char *p = text; *p; p++)
		if (g_ascii_isdigit(*p))
			g_string_append_c(out, *p);
	for (; places < 0; places++)
		g_string_append_c(out, '0');
	while ((int)out->len <= places)
		g_string_prepend_c(out, '0');
	if (places)
		g_string_insert_c(out, (gssize)out->len - places, '.');
	if (*text == '-')
		g_string_prepend_c(out, '-');
	return g_string_free(out, FALSE);
}

char *eh_real_print(double value)
{
	return shortest(value, 0);
}

char *eh_share_print(double value)
{
	char *number = shortest(value, 2), *text = g_strconcat(number, "%", NULL);

	g_free(number);
	return text;
}
