/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options_look.h"
#include "options_sweep.h"
#include <string.h>
#include <unistd.h>

static bool is_stored(const char *file)
{
	return g_str_has_suffix(file, ".json");
}

bool eh_is_stored(char *const *files)
{
	return files && is_stored(files[0]);
}

bool eh_take_stored(struct eh_options *o, char *const *files, bool runs)
{
	if (runs) {
		eh_usage("%s is a result: there is nothing to run, so only --report, --plot, "
			 "--output and --force go with it",
			 files[0]);
		return false;
	}
	for (char *const *file = files; *file; file++) {
		if (!is_stored(*file)) {
			eh_usage("a scenario and results do not go together: '%s' and '%s'",
				 files[0], *file);
			return false;
		}
		g_ptr_array_add(o->stored, g_strdup(*file));
	}
	if (o->report && o->output && !o->plot) {
		eh_usage("--output=%s is for --plot; the report goes to the folder %s", o->output,
			 o->report);
		return false;
	}
	o->verb = EH_VERB_LOOK;
	return true;
}

bool eh_can_plot(const struct eh_options *o)
{
	for (guint i = 0; o->plot && i < o->outputs->len; i++) {
		const struct eh_output *out = o->outputs->pdata[i];

		if ((!out->path || !strcmp(out->path, "-")) && out->kind != eh_report_kinds) {
			eh_usage("--plot and --format=%s both go to standard output; name a file, "
				 "as in "
				 "--format=%s=FILE",
				 out->kind->name, out->kind->name);
			return false;
		}
	}
	return true;
}

bool eh_options_color(enum eh_when when, int fd)
{
	const char *no = g_getenv("NO_COLOR"), *term = g_getenv("TERM");

	if (when != EH_AUTO)
		return when == EH_ALWAYS;
	return isatty(fd) && !(no && *no) && term && strcmp(term, "dumb");
}
