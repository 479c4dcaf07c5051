/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/report.h>

#include "names.h"

/* A comment stays on its line, whatever the text holds. */
static void comment(GString *out, const char *text)
{
	char *line = g_strdelimit(g_strdup(text), "\r\n", ' ');

	g_string_append_printf(out, "# %s\n", line);
	g_free(line);
}

static void put_pairs(const GPtrArray *pairs, GString *out)
{
	for (guint i = 0; i < pairs->len; i++) {
		const struct eh_pair *pair = g_ptr_array_index(pairs, i);

		g_string_append_printf(out, "%s=%s\n", pair->key, pair->value);
	}
}

static void block(const struct eh_point *p, const char *role, const GPtrArray *pairs, GString *out)
{
	char *name = name_point(p), *head;

	head = g_strdup_printf("%s, %s", name, role);
	comment(out, head);
	if (p->status != EH_DONE) {
		char *status = g_strdup_printf("%s: %s", name_status(p->status),
					       p->status_text ? p->status_text : "no reason given");

		comment(out, status);
		g_free(status);
	}
	if (p->start_text)
		comment(out, p->start_text);
	if (!pairs->len)
		comment(out, "no output of this role");
	put_pairs(pairs, out);
	g_free(name);
	g_free(head);
}

void eh_report_neper(const struct eh_result *r, const struct eh_report_options *o, GString *out)
{
	guint i;

	(void)o;
	for (i = 0; i < r->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(r->points, i);

		/* who runs neper five times has five outputs */
		for (guint k = 0; k < MAX(p->repeats->len, 1); k++) {
			const struct eh_point *run = p->repeats->len ? g_ptr_array_index(p->repeats, k) : p;

			block(run, "client", run->neper_client, out);
			block(run, "server", run->neper_server, out);
		}
	}
}

/* What neper itself prints on that side, and nothing else: for scripts made for it. */
static void one_side(const struct eh_result *r, bool client, GString *out)
{
	for (guint i = 0; i < r->points->len; i++) {
		const struct eh_point *p = g_ptr_array_index(r->points, i);

		if (i)
			g_string_append_c(out, '\n');
		put_pairs(client ? p->neper_client : p->neper_server, out);
	}
}

void eh_report_neper_client(const struct eh_result *r, const struct eh_report_options *o, GString *out)
{
	(void)o;
	one_side(r, true, out);
}

void eh_report_neper_server(const struct eh_result *r, const struct eh_report_options *o, GString *out)
{
	(void)o;
	one_side(r, false, out);
}
