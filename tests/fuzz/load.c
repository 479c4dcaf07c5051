/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a scenario: it is refused with a message or accepted, and what is accepted shows
 * itself as a scenario that shows itself the same way.
 *
 * `make check` replays the corpus. To look for new inputs, with clang and the folders' archives:
 *	clang -fsanitize=fuzzer,address,undefined -DEH_LIBFUZZER -I include -I src/scenario ...
 *	./load -dict=tests/fuzz/load.dict NEW-FOLDER tests/fuzz/corpus
 */
#include "../../src/scenario/settings.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct eh_scenario *parse(const char *text, size_t length, struct eh_messages *msgs)
{
	struct eh_node *root = eh_tree_parse("fuzz.yaml", text, length, msgs);

	return eh_scenario_check(eh_scenario_new("fuzz.yaml"), root, NULL, msgs);
}

static void require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

static void check_show(const struct eh_scenario *s)
{
	struct eh_messages *msgs = eh_messages_new();
	char *first = eh_scenario_show(s), *second;
	struct eh_scenario *again = parse(first, strlen(first), msgs);

	require(again != NULL, "what --show prints is a scenario");
	second = eh_scenario_show(again);
	require(!strcmp(first, second), "it shows itself the same way");
	require(eh_scenario_points(again) == eh_scenario_points(s), "it has as many points");
	g_free(first);
	g_free(second);
	eh_scenario_free(again);
	eh_messages_free(msgs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* the loader promises a 0 behind the bytes of a file */
	char *text = g_malloc(size + 1);
	struct eh_messages *msgs = eh_messages_new();
	FILE *nowhere = fopen("/dev/null", "w");
	struct eh_scenario *s;

	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	s = parse(text, size, msgs);
	require((s == NULL) == (eh_messages_errors(msgs) > 0), "it is refused with a reason");
	eh_messages_print(msgs, nowhere, TRUE);
	if (s)
		check_show(s);
	eh_scenario_free(s);
	eh_messages_free(msgs);
	fclose(nowhere);
	g_free(text);
	return 0;
}

#ifndef EH_LIBFUZZER
/* Replays files; what it accepts or refuses is printed, so that a test can compare. */
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct eh_messages *msgs = eh_messages_new();
		gsize length;
		char *text;

		if (!g_file_get_contents(argv[i], &text, &length, NULL)) {
			fprintf(stderr, "%s cannot be read\n", argv[i]);
			return 1;
		}
		/* so that a sanitizer sees reads beyond the end */
		text = g_realloc(text, length + 1);
		LLVMFuzzerTestOneInput((const uint8_t *)text, length);
		eh_scenario_free(parse(text, length, msgs));
		printf("%s %s\n", eh_messages_errors(msgs) ? "refused" : "accepted", argv[i]);
		eh_messages_free(msgs);
		g_free(text);
	}
	return 0;
}
#endif
