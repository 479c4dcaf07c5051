/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a scenario: it is refused with a message or accepted, and what is accepted shows
 * itself as a scenario that shows itself the same way.
 */
#include "../../src/scenario/settings.h"
#include "replay.h"

static struct eh_scenario *parse(const char *text, size_t length, struct eh_messages *msgs)
{
	struct eh_node *root = eh_tree_parse("fuzz.yaml", text, length, msgs);

	return eh_scenario_check(eh_scenario_new("fuzz.yaml"), root, NULL, msgs);
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

static bool fuzz_one(const char *text, size_t length)
{
	struct eh_messages *msgs = eh_messages_new();
	FILE *nowhere = fopen("/dev/null", "w");
	struct eh_scenario *s = parse(text, length, msgs);
	bool fine = s != NULL;

	require(fine == !eh_messages_errors(msgs), "it is refused with a reason");
	eh_messages_print(msgs, nowhere, TRUE);
	if (s)
		check_show(s);
	eh_scenario_free(s);
	eh_messages_free(msgs);
	fclose(nowhere);
	return fine;
}
