/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "settings.h"
#include <ehsim/quantity.h>
#include <ehsim/schema.h>
#include <string.h>

static const char head[] =
	".\\\" SPDX-License-Identifier: GPL-3.0-or-later\n"
	".\\\" Printed by `ehsim --manual` from the key tables; `make docs` writes it anew.\n"
	".TH EHSIM 5 \"\" \"ehsim\" \"File Formats\"\n"
	".SH NAME\n"
	"ehsim \\- the keys of a scenario of ehsim\n"
	".SH DESCRIPTION\n"
	"A scenario is a YAML file whose top may hold a\n"
	".BR description ,\n"
	"the sections below,\n"
	".B zip\n"
	"and\n"
	".BR expect ;\n"
	".BR ehsim (1)\n"
	"explains its form, sweeps and what comes out. A key such as\n"
	".B machine.latency.dirty.same_die\n"
	"is written\n"
	".PP\n"
	".RS\n"
	".nf\n"
	"machine: {latency: {dirty: {same_die: 65ns}}}\n"
	".fi\n"
	".RE\n"
	".PP\n"
	"or\n"
	".B \\-\\-set machine.latency.dirty.same_die=65ns\n"
	"on the command line. In place of a value there may be a list of values or, of numbers, a range\n"
	".B {from: A, to: B, step: C}\n"
	"(or\n"
	".B times\n"
	"instead of\n"
	".BR step ),\n"
	"which are swept, or the value with where it comes from:\n"
	".BR \"{value: 65ns, origin: published, source: \\(dqtext\\(dq}\" .\n"
	"An origin is\n"
	".B published\n"
	"(somebody printed the number),\n"
	".B measured\n"
	"(with what, the source says),\n"
	".B fitted\n"
	"(adjusted until a published row matched),\n"
	".B assumed\n"
	"(no figure behind it) or\n"
	".B chosen\n"
	"(a choice of the user, not a physical number).\n"
	".PP\n"
	"The file is UTF-8 without byte order mark and one YAML document. Keys given twice, merge keys (<<),\n"
	"tags, values that contain themselves, more than 64 levels and tabs as indentation are refused.\n"
	"A number with a dimension always has a unit; k is 1000 and Ki is 1024.\n";

static const char expect_head[] =
	".SH EXPECT\n"
	"A list of published figures that simulated ones are compared with; each is a map of\n";

static const char tail[] =
	".SH SEE ALSO\n"
	".BR ehsim (1),\n"
	".BR ehsim\\-model (7)\n";

/* Text that roff prints as it stands. */
static void put(GString *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		g_string_append(out, "\\&");
	for (; *text; text++) {
		if (*text == '\\')
			g_string_append(out, "\\e");
		else if (*text == '-')
			g_string_append(out, "\\-");
		else if (*text == '"')
			g_string_append(out, "\\(dq");
		else
			g_string_append_c(out, *text);
	}
}

static void put_kinds(GString *out)
{
	static const enum eh_key_kind kinds[] = {EH_KEY_TIME, EH_KEY_SIZE, EH_KEY_RATE, EH_KEY_FREQ};

	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
		enum eh_dimension dim;

		eh_key_dimension(kinds[i], &dim);
		g_string_append_printf(out, ".TP\n.B %s\n", eh_key_kind_name(kinds[i]));
		put(out, eh_quantity_units(dim));
		g_string_append_c(out, '\n');
	}
	g_string_append(out, ".TP\n.B share\nin %\n");
}

static void put_kind(GString *out, const struct eh_key *key)
{
	char *range = eh_key_range(key);

	if (key->kind == EH_KEY_ENUM) {
		const char **words = eh_key_words(key);
		char *list = g_strjoinv(", ", (char **)words);

		put(out, list);
		g_free(list);
		g_free(words);
	} else {
		put(out, eh_key_kind_name(key->kind));
	}
	if (range) {
		g_string_append(out, ", ");
		put(out, range);
	}
	g_free(range);
}

static void put_takers(GString *out, const struct eh_section *section, const struct eh_key *key)
{
	char *takers = eh_key_takers(section, key);

	if (takers) {
		g_string_append(out, " Only of workload.kind ");
		put(out, takers);
		g_string_append_c(out, '.');
	}
	g_free(takers);
}

static void put_key(GString *out, const struct eh_section *section, const struct eh_key *key)
{
	g_string_append_printf(out, ".TP\n.B %s.%s\n", section->name, key->name);
	put(out, key->help);
	put_takers(out, section, key);
	g_string_append(out, "\n.br\n");
	put_kind(out, key);
	g_string_append(out, "; default\n.B ");
	put(out, *key->def ? key->def : "\"\"");
	g_string_append_printf(out, "\n(%s", eh_origin_words[key->origin]);
	if (eh_key_source(key)) {
		g_string_append(out, ": ");
		put(out, key->source);
	}
	g_string_append(out, ")\n");
}

static void put_section(GString *out, const struct eh_section *section)
{
	char *name = g_ascii_strup(section->name, -1);

	g_string_append_printf(out, ".SH %s\n", name);
	put(out, section->help);
	g_string_append_c(out, '\n');
	for (const struct eh_key *key = section->keys; key->name; key++)
		put_key(out, section, key);
	g_free(name);
}

static void put_metrics(GString *out)
{
	g_string_append(out, ".SH METRICS\nWhat a point of a result may have; ehsim(1) says more of some.\n");
	for (const struct eh_metric_help *m = eh_metric_helps; m->name; m++) {
		g_string_append_printf(out, ".TP\n.B %s\n", m->name);
		put(out, m->words);
		if (*m->unit) {
			g_string_append(out, " (");
			put(out, m->unit);
			g_string_append_c(out, ')');
		}
		g_string_append_c(out, '\n');
	}
}

char *eh_manual(void)
{
	GString *out = g_string_new(head);

	put_kinds(out);
	for (const struct eh_section *section = eh_sections; section->name; section++)
		put_section(out, section);
	g_string_append(out, expect_head);
	for (const struct eh_expect_word *word = eh_expect_words; word->name; word++) {
		g_string_append_printf(out, ".TP\n.B %s\n", word->name);
		put(out, word->help);
		g_string_append_c(out, '\n');
	}
	put_metrics(out);
	g_string_append(out, tail);
	return g_string_free(out, FALSE);
}
