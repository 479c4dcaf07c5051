/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf.h"

#include "names.h"

#include <math.h>
#include <string.h>

enum { TOP_ROWS = 8 };
static const double top_share = 0.003; /* perf top lists quoted in patches stop about here */

/* What rounds to 0.00% is left out, as perf's --percent-limit would. */
static const double report_share = 0.00005;

static void dots(GString *out, size_t n)
{
	while (n--)
		g_string_append_c(out, '.');
}

static bool shown(const struct eh_profile_row *row, double limit)
{
	return isfinite(row->share) && row->share >= limit;
}

void perf_top(const GPtrArray *rows, const char *command, GString *out)
{
	size_t width = strlen("[kernel]");
	double rest = 0;
	guint i, n = 0, others = 0;

	for (i = 0; i < rows->len && i < TOP_ROWS; i++) {
		const struct eh_profile_row *row = g_ptr_array_index(rows, i);

		if (row->user && shown(row, top_share))
			width = MAX(width, strlen(command));
	}
	for (i = 0; i < rows->len; i++) {
		const struct eh_profile_row *row = g_ptr_array_index(rows, i);

		if (i >= TOP_ROWS || !shown(row, top_share)) {
			rest += isfinite(row->share) ? row->share : 0;
			others++;
			continue;
		}
		g_string_append_printf(out, "%9.2f%%  %-*s  [%c] %s\n", 100 * row->share,
				       (int)width, row->user ? command : "[kernel]",
				       row->user ? '.' : 'k', row->symbol);
		n++;
	}
	if (!n)
		g_string_append(out, "    no samples\n");
	else if (rest >= report_share)
		g_string_append_printf(out, "%9.2f%%  the rest (%u symbol%s)\n", 100 * rest, others,
				       others == 1 ? "" : "s");
}

static void report_head(const GPtrArray *rows, size_t command_width, size_t object_width,
			GString *out)
{
	size_t symbol_width = strlen("Symbol");
	guint i;

	for (i = 0; i < rows->len; i++) {
		const struct eh_profile_row *row = g_ptr_array_index(rows, i);

		if (shown(row, report_share))
			symbol_width = MAX(symbol_width, strlen(row->symbol) + strlen("[k] "));
	}
	g_string_append_printf(out, "# Overhead  %-*s  %-*s  Symbol\n", (int)command_width,
			       "Command", (int)object_width, "Shared Object");
	g_string_append(out, "# ........  ");
	dots(out, command_width);
	g_string_append(out, "  ");
	dots(out, object_width);
	g_string_append(out, "  ");
	dots(out, symbol_width);
	g_string_append(out, "\n#\n");
}

static void host_report(const char *title, const GPtrArray *rows, const char *command, GString *out)
{
	size_t command_width = MAX(strlen("Command"), strlen(command));
	size_t object_width = MAX(strlen("[kernel.kallsyms]"), strlen(command));
	guint i;

	g_string_append_printf(out, "# %s\n", title);
	if (!rows->len) {
		g_string_append(out, "# no samples\n");
		return;
	}
	g_string_append(out,
			"#\n# Samples of event 'cpu-clock' (simulated busy time, all CPUs)\n#\n");
	report_head(rows, command_width, object_width, out);
	for (i = 0; i < rows->len; i++) {
		const struct eh_profile_row *row = g_ptr_array_index(rows, i);

		if (!shown(row, report_share))
			continue;
		g_string_append_printf(out, "%9.2f%%  %-*s  %-*s  [%c] %s\n", 100 * row->share,
				       (int)command_width, command, (int)object_width,
				       row->user ? command : "[kernel.kallsyms]",
				       row->user ? '.' : 'k', row->symbol);
	}
}

void perf_point(const struct eh_result *r, const struct eh_point *p, GString *out)
{
	const char *command = name_command(r);
	char *name = name_point(p), *title;

	if (p->one_host) {
		host_report(name, p->client, command, out);
		g_free(name);
		return;
	}
	title = g_strdup_printf("%s, client", name);
	host_report(title, p->client, command, out);
	g_free(title);
	g_string_append_c(out, '\n');
	title = g_strdup_printf("%s, server", name);
	host_report(title, p->server, command, out);
	g_free(title);
	g_free(name);
}

void eh_report_perf(const struct eh_result *r, const struct eh_report_options *o, GString *out)
{
	(void)o;
	for (guint i = 0; i < r->points->len; i++) {
		if (i)
			g_string_append_c(out, '\n');
		perf_point(r, g_ptr_array_index(r->points, i), out);
	}
}
