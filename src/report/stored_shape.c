/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stored_shape.h"

#include "json_text.h"

#include <string.h>

#define MOST_MESSAGES 10

/* What a member may be; NULL is one of the kinds. */
enum kind {
	TEXT = 1,
	REAL = 2, /* whole numbers, too */
	TRUTH = 4,
	OBJECT = 8, /* with these members */
	ARRAY = 16, /* of objects with these members */
	MAP = 32,   /* of any names, to objects with these members */
	TEXTS = 64, /* of any names, to texts */
	NOTHING = 128,
	OPTIONAL = 256,
};

struct member {
	const char *name;
	int kinds;
	const struct member *members;
};

static const struct member metric[] = {
	{"mean", REAL | NOTHING, NULL},
	{"lo", REAL | NOTHING, NULL},
	{"hi", REAL | NOTHING, NULL},
	{NULL, 0, NULL},
};
static const struct member change[] = {
	{"ratio", REAL | NOTHING, NULL},     {"lo", REAL | NOTHING, NULL},
	{"hi", REAL | NOTHING, NULL},	     {"significant", TRUTH, NULL},
	{"published", REAL | NOTHING, NULL}, {NULL, 0, NULL},
};
static const struct member symbol[] = {
	{"symbol", TEXT, NULL},
	{"share", REAL, NULL},
	{"user", TRUTH, NULL},
	{NULL, 0, NULL},
};
static const struct member symbols[] = {
	{"client", ARRAY, symbol},
	{"server", ARRAY, symbol},
	{NULL, 0, NULL},
};
static const struct member lock[] = {
	{"name", TEXT, NULL},	      {"type", TEXT, NULL},
	{"contentions", REAL, NULL},  {"waittime_total_ns", REAL, NULL},
	{"acquisitions", REAL, NULL}, {"holdtime_total_ns", REAL | OPTIONAL, NULL},
	{NULL, 0, NULL},
};
static const struct member locks[] = {
	{"client", ARRAY, lock},
	{"server", ARRAY, lock},
	{NULL, 0, NULL},
};
static const struct member line[] = {
	{"cacheline", TEXT, NULL},
	{"share", REAL, NULL},
	{NULL, 0, NULL},
};
static const struct member lines[] = {
	{"client", ARRAY, line},
	{"server", ARRAY, line},
	{NULL, 0, NULL},
};
static const struct member reason[] = {
	{"reason", TEXT, NULL},
	{NULL, 0, NULL},
};
static const struct member reasons[] = {
	{"rows", ARRAY, reason},
	{NULL, 0, NULL},
};
static const struct member where[] = {
	{"client", OBJECT, reasons},
	{"server", OBJECT, reasons},
	{NULL, 0, NULL},
};
static const struct member expectation[] = {
	{"metric", TEXT, NULL},
	{"row", TEXT | NOTHING, NULL},
	{"published", REAL | NOTHING, NULL},
	{"simulated", REAL | NOTHING, NULL},
	{"ratio", REAL | NOTHING, NULL},
	{"within", REAL, NULL},
	{"holds", TRUTH, NULL},
	{"fitted", TRUTH, NULL},
	{"note", TEXT | NOTHING, NULL},
	{NULL, 0, NULL},
};
static const struct member nothing[] = {{NULL, 0, NULL}};
static const struct member repeat[] = {
	{"seed", REAL | TEXT, NULL},
	{"metrics", MAP, metric},
	{NULL, 0, NULL},
};
static const struct member course[] = {
	{"kind", TEXT, NULL},
	{"host", TEXT, NULL},
	{"cache", TEXT | NOTHING, NULL},
	{"rows", ARRAY, nothing},
	{NULL, 0, NULL},
};
static const struct member point[] = {
	{"index", REAL, NULL},
	{"set", TEXTS, NULL},
	{"seed", REAL | TEXT, NULL},
	{"fingerprint", TEXT, NULL},
	{"status", TEXT, NULL},
	{"status_text", TEXT | NOTHING, NULL},
	{"start", TEXT | NOTHING, NULL},
	{"simulated_ns", REAL, NULL},
	{"warmup_ns", REAL, NULL},
	{"metrics", MAP, metric},
	{"repeats", ARRAY | OPTIONAL, repeat},
	{"baseline", REAL | OPTIONAL, NULL},
	{"changes", MAP, change},
	{"profile", OBJECT, symbols},
	{"locks", OBJECT | OPTIONAL, locks},
	{"lines", OBJECT | OPTIONAL, lines},
	{"where", OBJECT | OPTIONAL, where},
	{"courses", ARRAY | OPTIONAL, course},
	{"expect", ARRAY, expectation},
	{NULL, 0, NULL},
};
static const struct member program[] = {{"version", TEXT | NOTHING, NULL}, {NULL, 0, NULL}};
static const struct member scenario[] = {
	{"file", TEXT | NOTHING, NULL},
	{"sha256", TEXT | NOTHING, NULL},
	{"description", TEXT | NOTHING, NULL},
	{"values", TEXTS, NULL},
	{NULL, 0, NULL},
};
static const struct member fitted[] = {{"key", TEXT, NULL}, {"value", TEXT, NULL}, {NULL, 0, NULL}};
static const struct member top[] = {
	{"ehsim", OBJECT, program},
	{"scenario", OBJECT, scenario},
	{"fitted", ARRAY, fitted},
	{"points", ARRAY, point},
	{NULL, 0, NULL},
};

struct check {
	const char *file, *text;
	gsize length;
	struct eh_messages *msgs;
	GPtrArray *path; /* char * */
	int wrong;
};

static void complain(struct check *c, const char *fmt, ...) G_GNUC_PRINTF(2, 3);

static void complain(struct check *c, const char *fmt, ...)
{
	struct eh_place at = {.file = g_intern_string(c->file), .line = 1, .column = 1};
	va_list args;
	char *text;

	if (c->wrong++ >= MOST_MESSAGES)
		return;
	g_ptr_array_add(c->path, NULL);
	json_text_find(c->text, c->length, (const char *const *)c->path->pdata, &at.line,
		       &at.column);
	g_ptr_array_set_size(c->path, (int)c->path->len - 1);
	va_start(args, fmt);
	text = g_strdup_vprintf(fmt, args);
	va_end(args);
	eh_message(c->msgs, EH_ERROR, at, "%s", text);
	g_free(text);
}

static int kind_of(JsonNode *node)
{
	GType type;

	if (JSON_NODE_HOLDS_OBJECT(node))
		return OBJECT | MAP | TEXTS;
	if (JSON_NODE_HOLDS_ARRAY(node))
		return ARRAY;
	if (JSON_NODE_HOLDS_NULL(node))
		return NOTHING;
	type = json_node_get_value_type(node);
	if (type == G_TYPE_STRING)
		return TEXT;
	return type == G_TYPE_BOOLEAN ? TRUTH : REAL;
}

static const char *wanted(int kinds)
{
	if (kinds & (OBJECT | MAP | TEXTS))
		return "an object";
	if (kinds & ARRAY)
		return "an array of objects";
	if (kinds & TRUTH)
		return "true or false";
	if (kinds & REAL)
		return "a number";
	return "a text";
}

static void push(struct check *c, const char *step)
{
	g_ptr_array_add(c->path, (char *)step);
}

static void pop(struct check *c)
{
	g_ptr_array_set_size(c->path, (int)c->path->len - 1);
}

static void check_object(struct check *c, JsonObject *o, const struct member *members);

static void check_child(struct check *c, const char *step, JsonNode *node, int kinds,
			const struct member *members)
{
	push(c, step);
	if (!(kind_of(node) & kinds))
		complain(c, "'%s' must be %s", step, wanted(kinds));
	else if (members)
		check_object(c, json_node_get_object(node), members);
	pop(c);
}

static void check_array(struct check *c, JsonArray *array, const struct member *members)
{
	for (guint i = 0; i < json_array_get_length(array); i++) {
		char *index = g_strdup_printf("%u", i);

		check_child(c, index, json_array_get_element(array, i), OBJECT, members);
		g_free(index);
	}
}

static void check_map(struct check *c, JsonObject *o, int kinds, const struct member *members)
{
	JsonObjectIter iter;
	const char *name;
	JsonNode *node;

	json_object_iter_init(&iter, o);
	while (json_object_iter_next(&iter, &name, &node))
		check_child(c, name, node, kinds & TEXTS ? TEXT : OBJECT, members);
}

static void check_member(struct check *c, const struct member *m, JsonNode *node)
{
	push(c, m->name);
	if (!(kind_of(node) & m->kinds))
		complain(c, "'%s' must be %s", m->name, wanted(m->kinds));
	else if (JSON_NODE_HOLDS_ARRAY(node))
		check_array(c, json_node_get_array(node), m->members);
	else if (m->kinds & (MAP | TEXTS))
		check_map(c, json_node_get_object(node), m->kinds, m->members);
	else if (m->kinds & OBJECT)
		check_object(c, json_node_get_object(node), m->members);
	pop(c);
}

static void check_object(struct check *c, JsonObject *o, const struct member *members)
{
	for (const struct member *m = members; m->name; m++) {
		JsonNode *node = json_object_get_member(o, m->name);

		if (node)
			check_member(c, m, node);
		else if (!(m->kinds & OPTIONAL))
			complain(c, "'%s' is missing here", m->name);
	}
}

static bool is_result(struct check *c, JsonNode *root)
{
	JsonNode *schema = JSON_NODE_HOLDS_OBJECT(root)
				   ? json_object_get_member(json_node_get_object(root), "schema")
				   : NULL;
	const char *name = schema && kind_of(schema) == TEXT ? json_node_get_string(schema) : NULL;

	if (name && !strcmp(name, STORED_SCHEMA))
		return true;
	if (name)
		push(c, "schema");
	if (name && g_str_has_prefix(name, "ehsim-result/"))
		complain(c,
			 "this is a result of schema %s, made by another version of ehsim; this "
			 "one reads %s",
			 name, STORED_SCHEMA);
	else
		complain(c,
			 "this is no result of ehsim --format=json: it does not begin with "
			 "\"schema\": \"%s\"",
			 STORED_SCHEMA);
	return false;
}

bool stored_shape_check(const char *file, const char *text, gsize length, JsonNode *root,
			struct eh_messages *msgs)
{
	struct check c = {file, text, length, msgs, g_ptr_array_new(), 0};

	if (is_result(&c, root))
		check_object(&c, json_node_get_object(root), top);
	g_ptr_array_unref(c.path);
	return !c.wrong;
}
