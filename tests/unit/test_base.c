/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/keys.h>
#include <ehsim/message.h>
#include <ehsim/nearest.h>
#include <ehsim/quantity.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

static const struct {
	enum eh_dimension dim;
	const char *text;
	enum eh_quantity_fault fault;
	int64_t value;
	const char *printed; /* NULL: as text */
} quantities[] = {
	{EH_DIM_TIME, "20us", EH_QTY_FINE, 20 * EH_US, NULL},
	{EH_DIM_TIME, "57.6ns", EH_QTY_FINE, 57600, NULL},
	{EH_DIM_TIME, "0.1us", EH_QTY_FINE, 100 * EH_NS, "100ns"},
	{EH_DIM_TIME, "1500ps", EH_QTY_FINE, 1500, "1.5ns"},
	{EH_DIM_TIME, "90s", EH_QTY_FINE, 90 * EH_SEC, NULL},
	{EH_DIM_TIME, "2min", EH_QTY_FINE, 120 * EH_SEC, NULL},
	{EH_DIM_TIME, "1000ns", EH_QTY_FINE, EH_US, "1us"},
	{EH_DIM_TIME, "0ns", EH_QTY_FINE, 0, "0s"},
	{EH_DIM_TIME, "-3ns", EH_QTY_FINE, -3000, NULL},
	{EH_DIM_TIME, "+3 ns", EH_QTY_FINE, 3000, "3ns"},
	{EH_DIM_TIME, "7\302\265s", EH_QTY_FINE, 7 * EH_US, "7us"},
	{EH_DIM_TIME, ".5ns", EH_QTY_FINE, 500, "500ps"},
	{EH_DIM_TIME, "1.50000000000000000000000000000000ns", EH_QTY_FINE, 1500, "1.5ns"},
	{EH_DIM_TIME, "9223372036854775807ps", EH_QTY_FINE, INT64_MAX, NULL},
	{EH_DIM_TIME, "9223372036854775808ps", EH_QTY_TOO_LARGE, 0, NULL},
	{EH_DIM_TIME, "99999999999999999999999999min", EH_QTY_TOO_LARGE, 0, NULL},
	{EH_DIM_TIME, "0.0001ns", EH_QTY_FRACTION, 0, NULL},
	{EH_DIM_TIME, "0.00000000000000000000000000000000000000000000000000001s", EH_QTY_FRACTION,
	 0, NULL},
	{EH_DIM_TIME, "20", EH_QTY_NO_UNIT, 0, NULL},
	{EH_DIM_TIME, "20Ms", EH_QTY_BAD_UNIT, 0, NULL},
	{EH_DIM_TIME, "20sec", EH_QTY_BAD_UNIT, 0, NULL},
	{EH_DIM_TIME, "1e3ns", EH_QTY_BAD_UNIT, 0, NULL},
	{EH_DIM_TIME, "soon", EH_QTY_NO_NUMBER, 0, NULL},
	{EH_DIM_TIME, "", EH_QTY_NO_NUMBER, 0, NULL},
	{EH_DIM_TIME, ".", EH_QTY_NO_NUMBER, 0, NULL},
	{EH_DIM_TIME, "-ns", EH_QTY_NO_NUMBER, 0, NULL},
	{EH_DIM_RATE, "10Gbit/s", EH_QTY_FINE, 10000000000, NULL},
	{EH_DIM_RATE, "10gbit/s", EH_QTY_FINE, 10000000000, "10Gbit/s"},
	{EH_DIM_RATE, "1.25GB/s", EH_QTY_FINE, 10000000000, "10Gbit/s"},
	{EH_DIM_RATE, "1KiB/s", EH_QTY_FINE, 8192, "8192bit/s"},
	{EH_DIM_RATE, "10Gbps", EH_QTY_BITS_OR_BYTES, 0, NULL},
	{EH_DIM_RATE, "10Gb", EH_QTY_BITS_OR_BYTES, 0, NULL},
	{EH_DIM_RATE, "10GBps", EH_QTY_BITS_OR_BYTES, 0, NULL},
	{EH_DIM_RATE, "10Gb/s", EH_QTY_BITS_OR_BYTES, 0, NULL},
	{EH_DIM_RATE, "10GBit/s", EH_QTY_BAD_UNIT, 0, NULL},
	{EH_DIM_RATE, "10Gbit", EH_QTY_BAD_UNIT, 0, NULL},
	{EH_DIM_SIZE, "1KiB", EH_QTY_FINE, 1024, NULL},
	{EH_DIM_SIZE, "1kB", EH_QTY_FINE, 1000, NULL},
	{EH_DIM_SIZE, "1KB", EH_QTY_FINE, 1000, "1kB"},
	{EH_DIM_SIZE, "1536B", EH_QTY_FINE, 1536, "1536B"},
	{EH_DIM_SIZE, "48KiB", EH_QTY_FINE, 49152, NULL},
	{EH_DIM_SIZE, "1kb", EH_QTY_BITS_OR_BYTES, 0, NULL},
	{EH_DIM_FREQ, "2.1GHz", EH_QTY_FINE, 2100000000, NULL},
	{EH_DIM_FREQ, "2100mhz", EH_QTY_FINE, 2100000000, "2.1GHz"},
	{EH_DIM_COUNT, "30000", EH_QTY_FINE, 30000, NULL},
	{EH_DIM_COUNT, "2.0", EH_QTY_FINE, 2, "2"},
	{EH_DIM_COUNT, "2.5", EH_QTY_FRACTION, 0, NULL},
	{EH_DIM_COUNT, "30,000", EH_QTY_BAD_UNIT, 0, NULL},
};

START_TEST(quantity_reads)
{
	int64_t value = 0;
	char *text;

	ck_assert_int_eq(eh_quantity_parse(quantities[_i].dim, quantities[_i].text, &value),
			 quantities[_i].fault);
	if (quantities[_i].fault)
		return;
	ck_assert_int_eq(value, quantities[_i].value);
	text = eh_quantity_print(quantities[_i].dim, value);
	ck_assert_str_eq(text,
			 quantities[_i].printed ? quantities[_i].printed : quantities[_i].text);
	g_free(text);
}
END_TEST

/* Whatever is printed reads back to the same number: powers of ten and two, and neighbours. */
START_TEST(quantity_round_trip)
{
	for (int bit = 0; bit < 63; bit++) {
		for (int64_t near = -1; near <= 1; near++) {
			int64_t value = ((int64_t)1 << bit) + near, back = -1;
			char *text = eh_quantity_print((enum eh_dimension)_i, value);

			ck_assert_int_eq(eh_quantity_parse((enum eh_dimension)_i, text, &back), 0);
			ck_assert_int_eq(back, value);
			g_free(text);
		}
	}
	for (int64_t ten = 1; ten <= 100000000000000000; ten *= 10) {
		int64_t back = -1;
		char *text = eh_quantity_print((enum eh_dimension)_i, -ten * 7);

		ck_assert_int_eq(eh_quantity_parse((enum eh_dimension)_i, text, &back), 0);
		ck_assert_int_eq(back, -ten * 7);
		g_free(text);
	}
}
END_TEST

static const struct {
	enum eh_dimension dim;
	const char *text, *like, *fix;
} fixes[] = {
	{EH_DIM_TIME, "20", "5us", "20us"},
	{EH_DIM_TIME, "soon", "5us", "5us"},
	{EH_DIM_RATE, "10Gbps", "1Gbit/s", "10Gbit/s or 10GB/s"},
	{EH_DIM_RATE, "100Mb/s", "1Gbit/s", "100Mbit/s or 100MB/s"},
	{EH_DIM_RATE, "5KiB", "1Gbit/s", "5Kibit/s or 5KiB/s"},
	{EH_DIM_SIZE, "4kb", "1B", "4kB"},
	{EH_DIM_TIME, "-2h", "5us", "-120min"},
	{EH_DIM_TIME, "-1111111111111004737h", "5us", "-1111111111111004737us"},
};

START_TEST(quantity_fixes)
{
	char *fix = eh_quantity_fix(fixes[_i].dim, fixes[_i].text, fixes[_i].like);

	ck_assert_str_eq(fix, fixes[_i].fix);
	g_free(fix);
}
END_TEST

START_TEST(shares_and_reals)
{
	double d = -1;
	char *text;

	ck_assert(eh_share_parse("49.54%", &d));
	ck_assert(d == 0.4954);
	ck_assert(eh_share_parse("1 %", &d) && d == 0.01);
	text = eh_share_print(0.4954);
	ck_assert_str_eq(text, "49.54%");
	g_free(text);
	text = eh_share_print(0.2);
	ck_assert_str_eq(text, "20%");
	g_free(text);
	text = eh_real_print(-0.00025);
	ck_assert_str_eq(text, "-0.00025");
	g_free(text);
	text = eh_real_print(47426);
	ck_assert_str_eq(text, "47426");
	g_free(text);
	text = eh_real_print(1e-9);
	ck_assert_str_eq(text, "1e-9");
	g_free(text);
	text = eh_share_print(0);
	ck_assert_str_eq(text, "0%");
	g_free(text);
	ck_assert(!eh_share_parse("0.5", &d));
	ck_assert(!eh_share_parse("%", &d));
	ck_assert(!eh_share_parse("5%%", &d));

	ck_assert(eh_real_parse("-2.5e-3", &d) && d == -0.0025);
	ck_assert(!eh_real_parse("nan", &d));
	ck_assert(!eh_real_parse("inf", &d));
	ck_assert(!eh_real_parse("0x10", &d));
	ck_assert(!eh_real_parse("1e999", &d));
	ck_assert(!eh_real_parse("1,5", &d));
	ck_assert(!eh_real_parse("", &d));
	for (double x = 1e-9; x < 1e9; x *= 1.618) {
		text = eh_real_print(x);
		ck_assert(eh_real_parse(text, &d) && d == x);
		g_free(text);
		text = eh_share_print(x);
		ck_assert(eh_share_parse(text, &d) && d == x);
		g_free(text);
	}
}
END_TEST

START_TEST(nearest)
{
	static const char *const words[] = {"delay", "rate", "queues", "moderation", NULL};

	ck_assert_int_eq(eh_edit_distance("delay", "delai"), 1);
	ck_assert_int_eq(eh_edit_distance("iodepth", "iodpeth"), 1);
	ck_assert_int_eq(eh_edit_distance("", "abc"), 3);
	ck_assert_int_eq(eh_edit_distance("ABC", "abc"), 0);
	ck_assert_str_eq(eh_nearest("delai", words), "delay");
	ck_assert_str_eq(eh_nearest("Rate", words), "rate");
	ck_assert_str_eq(eh_nearest("moderatoin", words), "moderation");
	ck_assert_ptr_null(eh_nearest("bandwidth", words));
	ck_assert_ptr_null(eh_nearest("x", words));
	ck_assert_str_eq(eh_nearest("mod", words), "moderation");
	ck_assert_ptr_null(eh_nearest("", words));
	ck_assert_ptr_null(eh_nearest("a word that is far longer than any key name could ever be, "
				      "so that nobody should compare it",
				      words));
}
END_TEST

struct config {
	bool flag;
	int64_t count, size, rate, clock;
	eh_time delay;
	double within, factor;
	int state;
	char *name;
};

#define AT(field) offsetof(struct config, field)
static const char *const states[] = {"S0", "S1", NULL};
static const struct eh_key keys[] = {
	{.name = "flag", .kind = EH_KEY_BOOL, .offset = AT(flag), .def = "true"},
	{.name = "count",
	 .kind = EH_KEY_INT,
	 .offset = AT(count),
	 .def = "7",
	 .min = "1",
	 .max = "64"},
	{.name = "size", .kind = EH_KEY_SIZE, .offset = AT(size), .def = "1B", .min = "1B"},
	{.name = "rate", .kind = EH_KEY_RATE, .offset = AT(rate), .def = "10Gbit/s"},
	{.name = "clock",
	 .kind = EH_KEY_FREQ,
	 .offset = AT(clock),
	 .def = "2.1GHz",
	 .max = "10GHz"},
	{.name = "delay", .kind = EH_KEY_TIME, .offset = AT(delay), .def = "20us"},
	{.name = "within", .kind = EH_KEY_SHARE, .offset = AT(within), .def = "1%"},
	{.name = "factor", .kind = EH_KEY_REAL, .offset = AT(factor), .def = "1.5"},
	{.name = "state", .kind = EH_KEY_ENUM, .offset = AT(state), .def = "S1", .words = states},
	{.name = "name", .kind = EH_KEY_STRING, .offset = AT(name), .def = "x"},
	{.name = NULL},
};

static const struct {
	const char *key, *text, *message;
} wrong[] = {
	{"rate", "10", "'rate' needs a unit; for example 10Gbit/s"},
	{"rate", "10Gbps", "'rate': '10Gbps' may mean bits or bytes; say 10Gbit/s or 10GB/s"},
	{"delay", "5", "'delay' needs a unit; for example 5us"},
	{"delay", "5sec",
	 "'delay' cannot read the unit of '5sec'; use ps, ns, us, ms, s or min, for example 5s"},
	{"delay", "soon", "'delay' must be a number with a unit, not 'soon'; for example 20us"},
	{"count", "65", "'count' is 65, but must lie between 1 and 64"},
	{"count", "0", "'count' is 0, but must lie between 1 and 64"},
	{"count", "2.5", "'count' must be a whole number without a unit, not '2.5'; for example 7"},
	{"count", "99999999999999999999", "'count': '99999999999999999999' is too large; it must be at most 64"},
	{"size", "0B", "'size' is 0B, but must be at least 1B"},
	{"clock", "11GHz", "'clock' is 11GHz, but must be at most 10GHz"},
	{"within", "0.01", "'within' is a share and needs a percent sign; '0.01' is 1%"},
	{"within", "little", "'within' must be a percentage, not 'little'; for example 1%"},
	{"factor", "2x", "'factor' must be a number without a unit, not '2x'; for example 1.5"},
	{"flag", "maybe", "'flag' is true or false, not 'maybe'"},
	{"state", "s1", "'state' cannot be 's1'; did you mean 'S1'? (one of S0, S1)"},
	{"state", "fast", "'state' cannot be 'fast'; it is one of S0, S1"},
};

START_TEST(key_messages)
{
	struct config cfg = {0};
	char *message = eh_key_parse(eh_keys_find(keys, wrong[_i].key), wrong[_i].text, &cfg);

	ck_assert_str_eq(message, wrong[_i].message);
	g_free(message);
}
END_TEST

START_TEST(key_values)
{
	struct config cfg = {0};
	char *text;

	eh_keys_defaults(keys, &cfg);
	ck_assert(cfg.flag && cfg.count == 7 && cfg.size == 1 && cfg.rate == 10000000000);
	ck_assert(cfg.clock == 2100000000 && cfg.delay == 20 * EH_US && cfg.within == 0.01);
	ck_assert(cfg.factor == 1.5 && cfg.state == 1);
	ck_assert_str_eq(cfg.name, "x");
	for (const struct eh_key *key = keys; key->name; key++) {
		text = eh_key_print(key, &cfg);
		ck_assert_str_eq(text, key->def);
		g_free(text);
	}
	/* a string may be replaced by a part of itself */
	ck_assert_ptr_null(eh_key_parse(eh_keys_find(keys, "name"), "longer", &cfg));
	ck_assert_ptr_null(eh_key_parse(eh_keys_find(keys, "name"), cfg.name + 4, &cfg));
	ck_assert_str_eq(cfg.name, "er");
	ck_assert_ptr_null(eh_key_parse(eh_keys_find(keys, "flag"), "Off", &cfg));
	ck_assert(!cfg.flag);
	eh_keys_clear(keys, &cfg);
	ck_assert_ptr_null(cfg.name);
	ck_assert_ptr_null(eh_keys_find(keys, "nam"));
}
END_TEST

static char *printed(const struct eh_messages *m)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	eh_messages_print(m, to, FALSE);
	fclose(to);
	return text;
}

START_TEST(messages_sorted)
{
	struct eh_messages *m = eh_messages_new();
	char *text;

	eh_messages_text(m, "a.yaml", "first\nsec\tond \303\244\303\266\n");
	eh_message(m, EH_ERROR, (struct eh_place){"b.yaml", 0, 0}, "is empty");
	eh_message(m, EH_ERROR, (struct eh_place){"a.yaml", 2, 10}, "late %d", 1);
	eh_message(m, EH_NOTE, (struct eh_place){"a.yaml", 1, 1}, "stays behind it");
	eh_message(m, EH_WARNING, (struct eh_place){"a.yaml", 2, 3}, "early \033[31m");
	ck_assert_int_eq(eh_messages_errors(m), 2);
	text = printed(m);
	ck_assert_str_eq(text,
			 "a.yaml:2:3: warning: early ?[31m\n  sec?ond \303\244\303\266\n    ^\n"
			 "a.yaml:2:10: error: late 1\n  sec?ond \303\244\303\266\n           ^\n"
			 "a.yaml:1:1: note: stays behind it\n  first\n  ^\n"
			 "b.yaml: error: is empty\n");
	free(text);
	eh_messages_free(m);
}
END_TEST

START_TEST(messages_long_line)
{
	struct eh_messages *m = eh_messages_new();
	char *line = g_strnfill(5000, 'x'), *text;

	eh_messages_text(m, "a", line);
	eh_message(m, EH_ERROR, (struct eh_place){"a", 1, 4000}, "here");
	eh_message(m, EH_ERROR, (struct eh_place){"a", 9, 1}, "beyond the end");
	text = printed(m);
	ck_assert_uint_lt(strlen(text), 300);
	free(text);
	for (int i = 0; i < 1000; i++)
		eh_message(m, EH_ERROR, (struct eh_place){"z", i, 1}, "again");
	ck_assert_int_eq(eh_messages_errors(m), 1002);
	text = printed(m);
	ck_assert(g_str_has_suffix(text, "... and 802 more\n"));
	free(text);
	g_free(line);
	eh_messages_free(m);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base");
	TCase *tcase = tcase_create("base");

	tcase_add_loop_test(tcase, quantity_reads, 0, G_N_ELEMENTS(quantities));
	tcase_add_loop_test(tcase, quantity_round_trip, EH_DIM_TIME, EH_DIM_COUNT + 1);
	tcase_add_loop_test(tcase, quantity_fixes, 0, G_N_ELEMENTS(fixes));
	tcase_add_test(tcase, shares_and_reals);
	tcase_add_test(tcase, nearest);
	tcase_add_loop_test(tcase, key_messages, 0, G_N_ELEMENTS(wrong));
	tcase_add_test(tcase, key_values);
	tcase_add_test(tcase, messages_sorted);
	tcase_add_test(tcase, messages_long_line);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
