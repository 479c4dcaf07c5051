/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model-id.h"
#include "record.h"
#include "record_fields.h"
#include <eh-config.h>
#include <ehsim/symbol.h>
#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#define DEEPEST 8 /* a record has four levels; the parser calls itself once per level */

/* What is wrong, where: the path of a member grows from the inside. */
struct trouble {
	char *path, *what;
};

static bool wrong(struct trouble *t, const char *fmt, ...) G_GNUC_PRINTF(2, 3);

static bool wrong(struct trouble *t, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	t->what = g_strdup_vprintf(fmt, args);
	va_end(args);
	t->path = g_strdup("");
	return false;
}

static bool inside(struct trouble *t, const char *name, int index)
{
	char *path = index < 0 ? g_strdup_printf(".%s%s", name, t->path) :
				 g_strdup_printf(".%s[%d]%s", name, index, t->path);

	g_free(t->path);
	t->path = path;
	return false;
}

static bool is(JsonNode *node, GType type)
{
	return JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == type;
}

static bool get_int(JsonNode *node, int64_t lo, int64_t hi, int64_t *x, struct trouble *t)
{
	if (!is(node, G_TYPE_INT64))
		return wrong(t, "a whole number is needed");
	int64_t value = json_node_get_int(node);

	if (value < lo || value > hi)
		return wrong(t, "%" PRId64 " lies outside %" PRId64 " to %" PRId64, value, lo, hi);
	*x = value;
	return true;
}

static bool get_real(JsonNode *node, double *x, struct trouble *t)
{
	const char *word = is(node, G_TYPE_STRING) ? json_node_get_string(node) : "";

	if (is(node, G_TYPE_DOUBLE) || is(node, G_TYPE_INT64))
		*x = json_node_get_double(node);
	else if (!strcmp(word, "inf") || !strcmp(word, "-inf"))
		*x = *word == '-' ? -INFINITY : INFINITY;
	else if (!strcmp(word, "nan"))
		*x = NAN;
	else
		return wrong(t, "a number is needed");
	return true;
}

static bool get_text(JsonNode *node, bool may_be_null, char **text, struct trouble *t)
{
	if (is(node, G_TYPE_STRING)) {
		g_free(*text);
		*text = g_strdup(json_node_get_string(node));
		return true;
	}
	if (may_be_null && JSON_NODE_HOLDS_NULL(node))
		return true;
	return wrong(t, may_be_null ? "a text or null is needed" : "a text is needed");
}

static bool get_hex(JsonNode *node, uint64_t *x, struct trouble *t)
{
	const char *word = is(node, G_TYPE_STRING) ? json_node_get_string(node) : "";

	if (strlen(word) != 16 || strspn(word, "0123456789abcdef") != 16)
		return wrong(t, "16 hex digits are needed");
	*x = g_ascii_strtoull(word, NULL, 16);
	return true;
}

static bool get_reals(JsonNode *node, double **x, int *n, struct trouble *t)
{
	JsonArray *array = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
	guint length = array ? json_array_get_length(array) : 0;

	if (!array || length > G_MAXINT / sizeof(**x))
		return wrong(t, "a list of numbers is needed");
	*x = length ? g_new0(double, length) : NULL;
	*n = (int)length;
	for (guint i = 0; i < length; i++)
		if (!get_real(json_array_get_element(array, i), &(*x)[i], t))
			return inside(t, "", (int)i);
	return true;
}

static bool get_words(JsonNode *node, int64_t *x, size_t n, struct trouble *t)
{
	JsonArray *array = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;

	if (!array || json_array_get_length(array) != n)
		return wrong(t, "a list of %zu whole numbers is needed", n);
	for (guint i = 0; i < n; i++)
		if (!get_int(json_array_get_element(array, i), INT64_MIN, INT64_MAX, &x[i], t))
			return inside(t, "", (int)i);
	return true;
}

static bool get_bytes(JsonNode *node, const struct eh_field *f, GArray *into, struct trouble *t)
{
	gsize length;
	guchar *bytes;

	if (!is(node, G_TYPE_STRING))
		return wrong(t, "a text is needed");
	bytes = g_base64_decode(json_node_get_string(node), &length);
	if (length % f->size || length / f->size > EH_TRACE_MOST) {
		g_free(bytes);
		return wrong(t, "%" G_GSIZE_FORMAT " bytes are no list of %" G_GSIZE_FORMAT " each", length,
			     f->size);
	}
	g_array_append_vals(into, bytes, (guint)(length / f->size));
	g_free(bytes);
	return true;
}

static bool get_fields(JsonNode *node, const struct eh_field *fields, void *to, struct trouble *t);

static bool get_rows(JsonNode *node, const struct eh_field *f, GPtrArray *rows, struct trouble *t)
{
	JsonArray *array = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;

	if (!array)
		return wrong(t, "a list is needed");
	for (guint i = 0; i < json_array_get_length(array); i++) {
		void *row = g_malloc0(f->size);

		g_ptr_array_add(rows, row);
		if (!get_fields(json_array_get_element(array, i), f->fields, row, t))
			return inside(t, "", (int)i);
	}
	return true;
}

static bool get_field(JsonNode *node, const struct eh_field *f, char *base, struct trouble *t)
{
	void *p = base + f->offset;
	int64_t x = 0;
	bool fine = true;

	switch (f->kind) {
	case EH_FIELD_INT:
		fine = get_int(node, 0, f->most ? f->most : G_MAXINT, &x, t);
		*(int *)p = (int)x;
		break;
	case EH_FIELD_I64:
		fine = get_int(node, INT64_MIN, INT64_MAX, &x, t);
		*(int64_t *)p = x;
		break;
	case EH_FIELD_U32:
		fine = get_int(node, 0, UINT32_MAX, &x, t);
		*(uint32_t *)p = (uint32_t)x;
		break;
	case EH_FIELD_U64:
		fine = get_int(node, 0, INT64_MAX, &x, t);
		*(uint64_t *)p = (uint64_t)x;
		break;
	case EH_FIELD_HEX:
		return get_hex(node, p, t);
	case EH_FIELD_REAL:
		return get_real(node, p, t);
	case EH_FIELD_BOOL:
		if (!is(node, G_TYPE_BOOLEAN))
			return wrong(t, "true or false is needed");
		*(bool *)p = json_node_get_boolean(node);
		break;
	case EH_FIELD_TEXT:
	case EH_FIELD_MAYBE:
		return get_text(node, f->kind == EH_FIELD_MAYBE, p, t);
	case EH_FIELD_REALS:
		return get_reals(node, p, (int *)(void *)(base + f->count), t);
	case EH_FIELD_WORDS:
		return get_words(node, p, f->count, t);
	case EH_FIELD_ROWS:
		return get_rows(node, f, *(GPtrArray **)p, t);
	case EH_FIELD_BYTES:
		return get_bytes(node, f, *(GArray **)p, t);
	}
	return fine;
}

static bool get_fields(JsonNode *node, const struct eh_field *fields, void *to, struct trouble *t)
{
	JsonObject *object = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
	guint n = 0;

	if (!object)
		return wrong(t, "an object is needed");
	for (const struct eh_field *f = fields; f->name; f++, n++) {
		JsonNode *member = json_object_get_member(object, f->name);

		if (!member) {
			wrong(t, "is not there");
			return inside(t, f->name, -1);
		}
		if (!get_field(member, f, to, t))
			return inside(t, f->name, -1);
	}
	if (json_object_get_size(object) != n)
		return wrong(t, "has %u members, not %u", json_object_get_size(object), n);
	return true;
}

/* The parser is not asked to go deeper than a record does. */
static bool shallow(const char *text, gsize length)
{
	int depth = 0;
	bool quoted = false;

	for (gsize i = 0; i < length && depth <= DEEPEST; i++) {
		if (quoted && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			quoted = !quoted;
		else if (!quoted && strchr("[{", text[i]) && text[i])
			depth++;
		else if (!quoted && strchr("]}", text[i]) && text[i])
			depth--;
	}
	return depth <= DEEPEST;
}

/* json-glib says "<data>:LINE:COLUMN: Parse error: ...". */
static char *syntax(const char *name, int line, const char *said)
{
	int column = 0;

	if (g_str_has_prefix(said, "<data>:") && strchr(said + 7, ':')) {
		column = (int)strtol(strchr(said + 7, ':') + 1, NULL, 10);
		said = strstr(said, ": ") ? strstr(said, ": ") + 2 : said;
	}
	return g_strdup_printf("%s:%d:%d: not JSON, or cut short: %s", name, line, column, said);
}

static JsonParser *parse(const char *name, int line, const char *text, gsize length, char **bad)
{
	JsonParser *parser = json_parser_new_immutable();
	GError *error = NULL;

	if (memchr(text, '\0', length) || !g_utf8_validate(text, (gssize)length, NULL))
		*bad = g_strdup_printf("%s:%d:1: not UTF-8 text", name, line);
	else if (!shallow(text, length))
		*bad = g_strdup_printf("%s:%d:1: nested too deep to be a record", name, line);
	else if (!json_parser_load_from_data(parser, text, (gssize)length, &error))
		*bad = syntax(name, line, error->message);
	else if (!json_parser_get_root(parser))
		*bad = g_strdup_printf("%s:%d:1: cut short: nothing is there", name, line);
	g_clear_error(&error);
	if (*bad)
		g_clear_object(&parser);
	return parser;
}

/* As eh_point_new left it, but for what was asked of it before. */
static void clear(struct eh_point *run, const struct eh_point *before)
{
	for (const struct eh_field *f = eh_record_fields; f->name; f++) {
		void *p = (char *)run + f->offset;

		if (f->kind == EH_FIELD_MAYBE)
			g_clear_pointer((char **)p, g_free);
		else if (f->kind == EH_FIELD_ROWS)
			g_ptr_array_set_size(*(GPtrArray **)p, 0);
		else if (f->kind == EH_FIELD_BYTES)
			g_array_set_size(*(GArray **)p, 0);
		else if (f->asked && f->kind == EH_FIELD_BOOL)
			*(bool *)p = *(const bool *)((const char *)before + f->offset);
		else if (f->asked && f->kind == EH_FIELD_I64)
			*(int64_t *)p = *(const int64_t *)((const char *)before + f->offset);
	}
	run->seed = before->seed;
	run->status = EH_DONE;
}

static bool slices_make_sense(const GArray *slices)
{
	for (guint i = 0; i < slices->len; i++) {
		const struct eh_slice *s = &g_array_index(slices, struct eh_slice, i);

		if (s->host > 1 || s->sym >= EH_SYM_COUNT)
			return false;
	}
	return true;
}

static bool holds_make_sense(const struct eh_point *p)
{
	for (guint i = 0; i < p->holds->len; i++) {
		const struct eh_hold *h = &g_array_index(p->holds, struct eh_hold, i);

		if (h->host > 1 || h->waits > 1 || h->name >= p->hold_names->len)
			return false;
	}
	return true;
}

bool eh_record_read_body(const char *name, const char *text, gsize length, struct eh_point *run, char **bad)
{
	JsonParser *parser;
	const struct eh_point before = *run;
	struct trouble t = {NULL, NULL};

	*bad = NULL;
	parser = parse(name, 2, text, length, bad);
	if (!parser)
		return false;
	if (!get_fields(json_parser_get_root(parser), eh_record_fields, run, &t))
		*bad = g_strdup_printf("%s:2: %s: %s", name, *t.path ? t.path + 1 : "the run", t.what);
	else if (!slices_make_sense(run->slices))
		*bad = g_strdup_printf("%s:2: slices: of no host or symbol", name);
	else if (!holds_make_sense(run))
		*bad = g_strdup_printf("%s:2: holds: of no host or lock", name);
	if (*bad)
		clear(run, &before);
	g_object_unref(parser);
	g_free(t.path);
	g_free(t.what);
	return !*bad;
}

static const char *member(JsonObject *head, const char *name)
{
	JsonNode *node = json_object_get_member(head, name);

	return node && is(node, G_TYPE_STRING) ? json_node_get_string(node) : "";
}

/* NULL, or what is wrong with the first line; *after is where the second begins. */
static char *check_head(const char *name, JsonNode *root, const char *key, const char *body, gsize length)
{
	JsonObject *head = JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
	JsonNode *bytes = head ? json_object_get_member(head, "bytes") : NULL;
	char *sum, *bad = NULL;

	if (!head || strcmp(member(head, "schema"), EH_RECORD_SCHEMA))
		return g_strdup_printf("%s:1: schema: \"%s\" is not \"" EH_RECORD_SCHEMA "\"", name,
				       head ? member(head, "schema") : "");
	if (strcmp(member(head, "version"), PACKAGE_VERSION) || strcmp(member(head, "model"), EH_MODEL_ID))
		return g_strdup_printf("%s:1: version: of ehsim %s (model %.12s), not of this one, " PACKAGE_VERSION
				       " (model %.12s)",
				       name, member(head, "version"), member(head, "model"), EH_MODEL_ID);
	if (key && strcmp(member(head, "key"), key))
		return g_strdup_printf("%s:1: key: of another run, %.12s and not %.12s", name,
				       member(head, "key"), key);
	if (!bytes || !is(bytes, G_TYPE_INT64) || json_node_get_int(bytes) != (int64_t)length)
		return g_strdup_printf("%s:2: cut short or changed: %" G_GSIZE_FORMAT " bytes are there, not %" PRId64,
				       name, length, bytes && is(bytes, G_TYPE_INT64) ? json_node_get_int(bytes) : 0);
	sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)body, length);
	if (strcmp(member(head, "sha256"), sum))
		bad = g_strdup_printf("%s:2: changed: its SHA-256 is not that of line 1", name);
	g_free(sum);
	return bad;
}

bool eh_record_read(const char *name, const char *text, gsize length, const char *key, struct eh_point *run,
		    char **bad)
{
	const char *end = memchr(text, '\n', length), *body;
	JsonParser *parser;

	*bad = NULL;
	if (!end) {
		*bad = g_strdup_printf("%s:1:%" G_GSIZE_FORMAT ": cut short: the first line has no end", name,
				       length + 1);
		return false;
	}
	body = end + 1;
	parser = parse(name, 1, text, (gsize)(end - text), bad);
	if (!parser)
		return false;
	*bad = check_head(name, json_parser_get_root(parser), key, body, length - (gsize)(body - text));
	g_object_unref(parser);
	return !*bad && eh_record_read_body(name, body, length - (gsize)(body - text), run, bad);
}
