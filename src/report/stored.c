/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stored.h"

#include <ehsim/book.h>

#include "json_text.h"
#include "stored_shape.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define MOST ((gsize)1 << 30) /* bytes of a result */

static JsonNode *member(JsonObject *o, const char *name)
{
	return o ? json_object_get_member(o, name) : NULL;
}

const char *stored_text(JsonObject *o, const char *name)
{
	JsonNode *node = member(o, name);

	if (!node || json_node_get_value_type(node) != G_TYPE_STRING)
		return NULL;
	return json_node_get_string(node);
}

double stored_real(JsonObject *o, const char *name)
{
	JsonNode *node = member(o, name);
	GType type = node ? json_node_get_value_type(node) : G_TYPE_INVALID;

	if (type == G_TYPE_DOUBLE)
		return json_node_get_double(node);
	return type == G_TYPE_INT64 ? (double)json_node_get_int(node) : NAN;
}

gint64 stored_int(JsonObject *o, const char *name)
{
	JsonNode *node = member(o, name);

	if (!node || json_node_get_value_type(node) != G_TYPE_INT64)
		return -1;
	return json_node_get_int(node);
}

bool stored_true(JsonObject *o, const char *name)
{
	JsonNode *node = member(o, name);

	return node && json_node_get_value_type(node) == G_TYPE_BOOLEAN &&
	       json_node_get_boolean(node);
}

JsonObject *stored_object(JsonObject *o, const char *name)
{
	JsonNode *node = member(o, name);

	return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

JsonArray *stored_array(JsonObject *o, const char *name)
{
	JsonNode *node = member(o, name);

	return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

JsonObject *stored_row(JsonArray *rows, guint i)
{
	JsonNode *node = i < stored_rows(rows) ? json_array_get_element(rows, i) : NULL;

	return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

guint stored_rows(JsonArray *rows)
{
	return rows ? json_array_get_length(rows) : 0;
}

char *stored_digits(JsonObject *o, const char *name)
{
	const char *text = stored_text(o, name);
	gint64 x = stored_int(o, name);

	if (text && *text && strspn(text, "0123456789") == strlen(text))
		return g_strdup(text);
	return x < 0 ? NULL : g_strdup_printf("%" G_GINT64_FORMAT, x);
}

static struct eh_stored *refuse(struct eh_stored *s)
{
	eh_stored_free(s);
	return NULL;
}

struct eh_stored *eh_stored_from(const char *name, char *text, gsize length,
				 struct eh_messages *msgs)
{
	struct eh_stored *s = g_new0(struct eh_stored, 1);
	struct eh_place at = {.file = g_intern_string(name)};
	GError *error = NULL;
	JsonNode *root;
	char *fault;

	s->file = g_strdup(name);
	s->text = text;
	s->length = length;
	fault = json_text_fault(text, length, &at.line, &at.column);
	if (fault) {
		eh_message(msgs, EH_ERROR, at, "%s", fault);
		g_free(fault);
		return refuse(s);
	}
	s->parser = json_parser_new_immutable();
	if (!json_parser_load_from_data(s->parser, text, (gssize)length, &error)) {
		at.line = at.column = 0;
		eh_message(msgs, EH_ERROR, at, "%s", error->message);
		g_error_free(error);
		return refuse(s);
	}
	root = json_parser_get_root(s->parser);
	if (!stored_shape_check(s->file, text, length, root, msgs))
		return refuse(s);
	s->top = json_node_get_object(root);
	s->points = stored_array(s->top, "points");
	return s;
}

struct eh_stored *eh_stored_load(const char *path, struct eh_messages *msgs)
{
	struct eh_place at = {.file = g_intern_string(path)};
	GError *error = NULL;
	char *text = NULL;
	gsize length;

	/* or it would wait for who writes into a pipe, or read without end */
	if (g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
		eh_message(msgs, EH_ERROR, at, "is not a regular file; name a result");
		return NULL;
	}
	if (!g_file_get_contents(path, &text, &length, &error)) {
		eh_message(msgs, EH_ERROR, at, "%s",
			   error->code == G_FILE_ERROR_NOENT ? "no such file" : error->message);
		g_error_free(error);
		return NULL;
	}
	if (length > MOST) {
		eh_message(msgs, EH_ERROR, at, "results larger than 1 GiB are not read");
		g_free(text);
		return NULL;
	}
	return eh_stored_from(path, text, length, msgs);
}

void eh_stored_free(struct eh_stored *s)
{
	if (!s)
		return;
	g_clear_object(&s->parser);
	g_free(s->text);
	g_free(s->file);
	g_free(s);
}
