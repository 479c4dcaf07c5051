/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a target of the fuzzer is: fuzz_one judges any bytes (behind them lies a 0) and says whether they are
 * accepted. Built with -DEH_LIBFUZZER libFuzzer calls it, else a main that replays files and prints
 * "accepted FILE" or "refused FILE".
 */
#ifndef EHSIM_FUZZ_REPLAY_H
#define EHSIM_FUZZ_REPLAY_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fuzz_one(const char *text, size_t length);

static inline void require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

#ifdef EH_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = g_malloc(size + 1);

	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	fuzz_one(text, size);
	g_free(text);
	return 0;
}
#else
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		gsize length;
		char *text;

		if (!g_file_get_contents(argv[i], &text, &length, NULL)) {
			fprintf(stderr, "%s cannot be read\n", argv[i]);
			return 1;
		}
		/* so that a sanitizer sees reads beyond the end */
		text = g_realloc(text, length + 1);
		printf("%s %s\n", fuzz_one(text, length) ? "accepted" : "refused", argv[i]);
		g_free(text);
	}
	return 0;
}
#endif

#endif
