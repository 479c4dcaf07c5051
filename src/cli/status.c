/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "status.h"
#include "output.h"
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

static void put_int(JsonBuilder *b, const char *name, gint64 x)
{
	json_builder_set_member_name(b, name);
	json_builder_add_int_value(b, x);
}

/* Null for what is not known. */
static void put_real(JsonBuilder *b, const char *name, bool known, double x)
{
	json_builder_set_member_name(b, name);
	if (known && isfinite(x))
		json_builder_add_double_value(b, x);
	else
		json_builder_add_null_value(b);
}

static void put_text(JsonBuilder *b, const char *name, const char *text)
{
	json_builder_set_member_name(b, name);
	if (text)
		json_builder_add_string_value(b, text);
	else
		json_builder_add_null_value(b);
}

static double seconds(eh_time t)
{
	return (double)t / (double)EH_SEC;
}

/* What the point that runs knows of itself. */
static void put_progress(JsonBuilder *b, const struct eh_status_line *l)
{
	static const struct eh_progress nothing;
	const struct eh_progress *p = l->progress ? l->progress : &nothing;
	bool known = p->metric && p->lo < p->hi;

	put_int(b, "point", l->point);
	put_text(b, "set", l->name ? l->name + (*l->name == ' ') : NULL);
	put_int(b, "repeat", l->repeat);
	put_int(b, "repeats", l->repeats);
	put_real(b, "simulated_s", l->progress, seconds(p->simulated));
	put_real(b, "planned_s", l->progress && p->planned > 0, seconds(p->planned));
	put_text(b, "metric", p->metric);
	put_real(b, "mean", known, p->mean);
	put_real(b, "lo", known, p->lo);
	put_real(b, "hi", known, p->hi);
	put_real(b, "precision", known, p->precision);
	put_int(b, "events", (gint64)p->events);
}

static char *text_of(const struct eh_status_line *l)
{
	JsonBuilder *b = json_builder_new();
	JsonNode *root;
	char *body, *text;

	json_builder_begin_object(b);
	put_text(b, "schema", "ehsim-status/1");
	put_text(b, "state", l->state);
	put_int(b, "points", l->points);
	put_int(b, "done", l->done);
	put_int(b, "failed", l->failed);
	put_progress(b, l);
	put_real(b, "elapsed_s", true, l->elapsed_s);
	put_real(b, "left_s", l->left_s >= 0, l->left_s);
	json_builder_end_object(b);
	root = json_builder_get_root(b);
	body = json_to_string(root, TRUE);
	text = g_strconcat(body, "\n", NULL);
	g_free(body);
	json_node_unref(root);
	g_object_unref(b);
	return text;
}

bool eh_status_write(const char *path, const struct eh_status_line *line)
{
	char *text = text_of(line);
	bool fine = eh_output_write(path, true, text, strlen(text));

	g_free(text);
	return fine;
}
