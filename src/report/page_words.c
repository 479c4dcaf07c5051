/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page.h"

#include <ehsim/schema.h>
#include <string.h>

const char *page_word(const struct view *v, const char *metric)
{
	const struct eh_metric_help *help;

	if (!strcmp(metric, "throughput_per_s"))
		return strcmp(page_value(v, "workload.kind"), "tcp_stream") ?
			       "transactions per second of all client threads together" :
			       "Mbit/s of all flows together";
	help = eh_metric_help(metric);
	return help ? help->words : NULL;
}

void page_words(const struct view *v, GString *out)
{
	g_string_append(out, "<h3>What the metrics mean</h3>\n<ul class=\"pale\">\n");
	for (guint i = 0; i < v->metrics->len; i++) {
		const char *metric = g_ptr_array_index(v->metrics, i), *text = page_word(v, metric);

		if (!text)
			continue;
		g_string_append(out, "<li>");
		html_printf(out, "%s: %s", metric, text);
		g_string_append(out, "</li>\n");
	}
	g_string_append(out, "</ul>\n");
}
