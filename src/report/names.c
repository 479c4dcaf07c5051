/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "names.h"

#include <ehsim/message.h>

#include <string.h>

static char *join_set(const struct eh_point *p, bool with_keys)
{
	GString *s = g_string_new(NULL);
	guint i;

	for (i = 0; i < p->set->len; i++) {
		const struct eh_pair *pair = g_ptr_array_index(p->set, i);

		g_string_append_printf(s, "%s%s%s%s", i ? ", " : "", with_keys ? pair->key : "",
				       with_keys ? "=" : "", pair->value);
	}
	return eh_harmless(g_string_free(s, FALSE));
}

char *name_point(const struct eh_point *p)
{
	char *set = join_set(p, true), *out;

	out = g_strdup_printf("point %d%s%s", p->index, *set ? ": " : "", set);
	if (p->repeat) {
		char *point = out;

		out = g_strdup_printf("%s, repeat %d", point, p->repeat);
		g_free(point);
	}
	g_free(set);
	return out;
}

char *name_short(const struct eh_point *p, glong room)
{
	char *set = join_set(p, false);

	if (*set && g_utf8_strlen(set, -1) <= room)
		return set;
	g_free(set);
	return g_strdup_printf("%d", p->index);
}

const char *name_status(enum eh_status status)
{
	switch (status) {
	case EH_DONE:
		return "done";
	case EH_IMPRECISE:
		return "imprecise";
	case EH_INTERRUPTED:
		return "interrupted";
	case EH_FAILED:
		break;
	}
	return "failed";
}

const char *name_command(const struct eh_result *r)
{
	guint i;

	for (i = 0; i < r->values->len; i++) {
		const struct eh_pair *pair = g_ptr_array_index(r->values, i);

		if (strcmp(pair->key, "workload.kind") == 0)
			return pair->value;
	}
	return "user";
}
