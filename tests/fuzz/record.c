/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as the record of a run: refused with a located sentence, or a run that writes itself as a
 * record that is read as the same, and that every report can print.
 *
 * Bytes without a first line that fits are read as the second line alone, since no fuzzer guesses a
 * SHA-256.
 */
#include "../../src/cli/record.h"
#include "replay.h"
#include <ehsim/report.h>

static bool is_body(const char *text, size_t length)
{
	const char *head = "{\"schema\":";

	return length < strlen(head) || memcmp(text, head, strlen(head));
}

static void print_all(struct eh_point *p)
{
	const struct eh_report_options how = {.profile = true, .verbose = true};
	struct eh_result *r = eh_result_new();

	r->version = g_strdup("0");
	r->scenario_file = g_strdup("fuzz.yaml");
	r->scenario_sha256 = g_strdup("0");
	r->description = g_strdup("");
	g_ptr_array_add(r->points, p);
	for (const struct eh_report_kind *kind = eh_report_kinds; kind->name; kind++) {
		GString *out = g_string_new(NULL);

		kind->print(r, &how, out);
		g_string_free(out, TRUE);
	}
	eh_result_free(r);
}

static bool fuzz_one(const char *text, size_t length)
{
	struct eh_point *p = eh_point_new(1), *again;
	bool (*body)(const char *, const char *, gsize, struct eh_point *, char **) = eh_record_read_body;
	GString *first = g_string_new(NULL), *second = g_string_new(NULL);
	char *bad = NULL;
	bool fine;

	fine = is_body(text, length) ? body("fuzz", text, length, p, &bad) :
				       eh_record_read("fuzz", text, length, NULL, p, &bad);
	require(fine == !bad, "it is refused with a reason");
	require(fine || g_str_has_prefix(bad, "fuzz:"), "which says where");
	g_free(bad);
	eh_record_write(p, "", first);
	again = eh_point_new(1);
	require(eh_record_read("fuzz", first->str, first->len, "", again, &bad), "what is written is read");
	eh_record_write(again, "", second);
	require(g_string_equal(first, second), "as the same");
	g_string_free(first, TRUE);
	g_string_free(second, TRUE);
	eh_point_free(again);
	print_all(p);
	return fine;
}
