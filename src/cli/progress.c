/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "progress.h"
#include "status.h"
#include <ehsim/message.h>
#include <ehsim/quantity.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NARROW 80

/* One that cannot be written is said once; the run is worth more than its status. */
static void put_status(struct eh_meter *m, const char *state, const struct eh_progress *p, double left)
{
	gint64 now = g_get_monotonic_time();
	const struct eh_status_line line = {
		.state = state,
		.points = m->runs,
		.done = m->done,
		.failed = m->failed,
		.point = m->name ? m->point : 0,
		.repeat = m->repeat,
		.repeats = m->repeats,
		.name = m->name,
		.progress = p,
		.elapsed_s = (double)(now - m->first) / G_USEC_PER_SEC,
		.left_s = left,
	};

	if (!m->status)
		return;
	m->written = now;
	if (!eh_status_write(m->status, &line))
		m->status = NULL;
}

void eh_meter_init(struct eh_meter *m, enum eh_when when, bool quiet, const char *status, int runs)
{
	const char *term = g_getenv("TERM");

	memset(m, 0, sizeof(*m));
	m->rewrite = isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
	m->on = when == EH_ALWAYS || (when == EH_AUTO && m->rewrite && !quiet);
	m->status = status;
	m->runs = runs;
	m->first = g_get_monotonic_time();
	put_status(m, "running", NULL, -1);
}

static int columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20)
		return size.ws_col - 1;
	return NARROW - 1;
}

static void put_line(struct eh_meter *m, const char *text)
{
	if (m->rewrite) {
		fprintf(stderr, "\r\033[K%.*s", columns(), text);
		m->shown = true;
	} else {
		fprintf(stderr, "%s\n", text);
	}
	fflush(stderr);
	m->last = g_get_monotonic_time();
}

void eh_meter_start(struct eh_meter *m, int point, int points, const GPtrArray *set)
{
	GString *name = g_string_new(NULL);
	char *line;

	for (guint i = 0; i < set->len; i++) {
		const struct eh_pair *pair = set->pdata[i];

		g_string_append_printf(name, " %s=%s", pair->key, pair->value);
	}
	g_free(m->name);
	m->name = eh_harmless(g_string_free(name, FALSE));
	m->point = point;
	m->points = points;
	m->repeat = m->repeats = 0;
	m->began = g_get_monotonic_time();
	put_status(m, "running", NULL, -1);
	if (!m->on)
		return;
	line = g_strdup_printf("point %d/%d%s: starting", point, points, m->name);
	put_line(m, line);
	g_free(line);
}

/* Seconds as 1:02:03 or 2:03. */
static void put_span(GString *out, double seconds)
{
	gint64 s = (gint64)CLAMP(seconds, 0, 1e9);

	if (s >= 3600)
		g_string_append_printf(out, "%" G_GINT64_FORMAT ":%02d:%02d", s / 3600,
				       (int)(s / 60 % 60), (int)(s % 60));
	else
		g_string_append_printf(out, "%d:%02d", (int)(s / 60), (int)(s % 60));
}

static void put_rate(GString *out, double rate)
{
	if (rate >= 1e6)
		g_string_append_printf(out, "%.1fM events/s", rate / 1e6);
	else if (rate >= 1e3)
		g_string_append_printf(out, "%.0fk events/s", rate / 1e3);
	else
		g_string_append_printf(out, "%.0f events/s", rate);
}

/* Of this point, and of those that follow if they take as long. */
static double seconds_left(const struct eh_meter *m, const struct eh_progress *p, double spent)
{
	double done = (double)p->simulated / (double)MAX(p->planned, 1);
	int runs = MAX(m->repeats, 1), before = MAX(m->repeat, 1) - 1;
	double whole = runs * spent / MAX(before + MIN(done, 1), 1e-9);

	return MAX(whole - spent, 0) + whole * MAX(m->runs - m->done - 1, 0) / MAX(m->jobs, 1);
}

static char *line_text(const struct eh_meter *m, const struct eh_progress *p, double spent)
{
	GString *out = g_string_new(NULL);

	if (m->jobs > 1)
		g_string_append_printf(out, "%d/%d done, %d at a time; ", m->done, m->runs, m->jobs);
	g_string_append_printf(out, "point %d/%d%s: %.4g of %.4g s simulated", m->point, m->points,
			       m->name, (double)p->simulated / EH_SEC, (double)p->planned / EH_SEC);
	if (m->repeats)
		g_string_append_printf(out, ", repeat %d/%d", m->repeat, m->repeats);
	if (p->metric && p->lo < p->hi)
		g_string_append_printf(out, ", %s %.4g", p->metric, p->mean);
	if (p->precision < 1)
		g_string_append_printf(out, " +-%.3g%%", 100 * p->precision);
	g_string_append(out, ", ");
	put_rate(out, (double)p->events / MAX(spent, 1e-6));
	if (p->simulated > 0) {
		g_string_append(out, ", ");
		put_span(out, seconds_left(m, p, spent));
		g_string_append(out, " left");
	}
	return g_string_free(out, FALSE);
}

void eh_meter_show(struct eh_meter *m, const struct eh_progress *p)
{
	gint64 now = g_get_monotonic_time();
	gint64 pause = now - m->began < 10 * G_USEC_PER_SEC ? G_USEC_PER_SEC : 10 * G_USEC_PER_SEC;
	double spent = (double)(now - m->began) / G_USEC_PER_SEC;
	char *line;

	if (m->status && now - m->written >= G_USEC_PER_SEC)
		put_status(m, "running", p, p->simulated > 0 ? seconds_left(m, p, spent) : -1);
	if (!m->on || (!m->rewrite && now - m->last < pause))
		return;
	line = line_text(m, p, spent);
	put_line(m, line);
	g_free(line);
}

void eh_meter_end(struct eh_meter *m)
{
	if (m->shown)
		fputs("\r\033[K", stderr);
	m->shown = false;
	g_clear_pointer(&m->name, g_free);
}

void eh_meter_done(struct eh_meter *m, const struct eh_point *p)
{
	m->done += p->status != EH_INTERRUPTED;
	m->failed += p->status == EH_FAILED;
}

void eh_meter_fini(struct eh_meter *m, bool interrupted)
{
	put_status(m, interrupted ? "interrupted" : m->failed ? "failed" : "done", NULL,
		   interrupted ? -1 : 0);
}
