/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "text.h"
#include "tree.h"
#include <string.h>
#include <yaml.h>

#define DEEPEST 64
#define TOO_DEEP "more than 64 levels deep; no key needs more than five"
/* Aliases make small files large: a tree of this many values is a mistake or an attack. */
#define MOST_NODES 200000
#define YAML_TAGS "tag:yaml.org,2002:"

struct loading {
	const char *file; /* interned */
	struct eh_messages *msgs;
	yaml_document_t document;
	GArray *above; /* int: document nodes from the root to here */
	int nodes;
	bool failed; /* beyond repair: say no more */
};

/* libyaml counts from 0. */
static struct eh_place place_of(const char *file, const yaml_mark_t *mark)
{
	return (struct eh_place){file, (int)mark->line + 1, (int)mark->column + 1};
}

static struct eh_node *node_new(enum eh_node_kind kind, struct eh_place at)
{
	struct eh_node *node = g_new0(struct eh_node, 1);

	node->kind = kind;
	node->at = at;
	return node;
}

void eh_node_free(struct eh_node *node)
{
	if (!node)
		return;
	g_free(node->text);
	if (node->items)
		g_ptr_array_unref(node->items);
	if (node->keys)
		g_ptr_array_unref(node->keys);
	g_free(node);
}

static void node_free(void *node)
{
	eh_node_free(node);
}

struct eh_node *eh_tree_scalar(const char *text, struct eh_place at)
{
	struct eh_node *node = node_new(EH_NODE_SCALAR, at);

	node->text = g_strdup(text);
	return node;
}

struct eh_node *eh_tree_list(struct eh_place at)
{
	struct eh_node *node = node_new(EH_NODE_LIST, at);

	node->items = g_ptr_array_new_with_free_func(node_free);
	return node;
}

const char *eh_node_words(const struct eh_node *node)
{
	static const char *const words[] = {"a value", "a list", "a map"};

	return words[node->kind];
}

static struct eh_node *fail(struct loading *l, struct eh_place at, const char *text)
{
	if (!l->failed)
		eh_message(l->msgs, EH_ERROR, at, "%s", text);
	l->failed = true;
	return NULL;
}

static struct eh_node *convert(struct loading *l, int index);

/* Plain and quoted scalars get the tags of text from libyaml; any other was written by the user. */
static bool foreign_tag(const yaml_node_t *node)
{
	const char *tag = (const char *)node->tag;

	switch (node->type) {
	case YAML_SCALAR_NODE:
		return strcmp(tag, YAML_STR_TAG) != 0;
	case YAML_SEQUENCE_NODE:
		return strcmp(tag, YAML_SEQ_TAG) != 0;
	default:
		return strcmp(tag, YAML_MAP_TAG) != 0;
	}
}

static struct eh_node *convert_list(struct loading *l, const yaml_node_t *from,
				    struct eh_node *node)
{
	node->items = g_ptr_array_new_with_free_func(node_free);
	for (const yaml_node_item_t *i = from->data.sequence.items.start;
	     i < from->data.sequence.items.top && !l->failed; i++) {
		struct eh_node *item = convert(l, *i);

		if (item)
			g_ptr_array_add(node->items, item);
	}
	return node;
}

/* The key of a pair, NULL (and a message) if it is not one. `seen`: text -> struct eh_node *. */
static struct eh_node *convert_key(struct loading *l, int index, GHashTable *seen)
{
	const yaml_node_t *from = yaml_document_get_node(&l->document, index);
	struct eh_place at = place_of(l->file, &from->start_mark);
	const struct eh_node *first;
	struct eh_node *key;

	if (from->type != YAML_SCALAR_NODE) {
		eh_message(l->msgs, EH_ERROR, at, "a key must be a word; write KEY: VALUE");
		return NULL;
	}
	key = convert(l, index);
	if (!key)
		return NULL;
	if (key->plain && !strcmp(key->text, "<<")) {
		eh_message(l->msgs, EH_ERROR, at,
			   "the merge key '<<' is not supported; write the keys out");
		eh_node_free(key);
		return NULL;
	}
	first = g_hash_table_lookup(seen, key->text);
	if (first) {
		eh_message(l->msgs, EH_ERROR, at, "'%s' is given twice; remove one of them", key->text);
		eh_message(l->msgs, EH_NOTE, first->at, "first given here");
		eh_node_free(key);
		return NULL;
	}
	g_hash_table_insert(seen, key->text, key);
	return key;
}

static struct eh_node *convert_map(struct loading *l, const yaml_node_t *from, struct eh_node *node)
{
	GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);

	node->items = g_ptr_array_new_with_free_func(node_free);
	node->keys = g_ptr_array_new_with_free_func(node_free);
	for (const yaml_node_pair_t *p = from->data.mapping.pairs.start;
	     p < from->data.mapping.pairs.top && !l->failed; p++) {
		struct eh_node *key = convert_key(l, p->key, seen), *item;

		if (!key)
			continue;
		g_ptr_array_add(node->keys, key);
		item = convert(l, p->value);
		if (item) {
			g_ptr_array_add(node->items, item);
		} else {
			g_hash_table_remove(seen, key->text);
			g_ptr_array_set_size(node->keys, (int)node->items->len);
		}
	}
	g_hash_table_unref(seen);
	return node;
}

static struct eh_node *convert(struct loading *l, int index)
{
	const yaml_node_t *from = yaml_document_get_node(&l->document, index);
	struct eh_place at = place_of(l->file, &from->start_mark);
	struct eh_node *node;

	for (guint i = 0; i < l->above->len; i++)
		if (g_array_index(l->above, int, i) == index)
			return fail(l, at,
				    "this value contains itself (an alias to what surrounds it); "
				    "write the value out");
	if (l->above->len >= DEEPEST)
		return fail(l, at, TOO_DEEP);
	if (++l->nodes > MOST_NODES)
		return fail(l, at, "too many values; aliases multiply what they stand for");
	if (foreign_tag(from)) {
		const char *tag = (const char *)from->tag;
		bool yaml = g_str_has_prefix(tag, YAML_TAGS);

		eh_message(l->msgs, EH_ERROR, at, "tags such as '%s%s' are not supported; remove it",
			   yaml ? "!!" : "", yaml ? tag + strlen(YAML_TAGS) : tag);
		return NULL;
	}

	g_array_append_val(l->above, index);
	switch (from->type) {
	case YAML_SEQUENCE_NODE:
		node = convert_list(l, from, node_new(EH_NODE_LIST, at));
		break;
	case YAML_MAPPING_NODE:
		node = convert_map(l, from, node_new(EH_NODE_MAP, at));
		break;
	default:
		node = node_new(EH_NODE_SCALAR, at);
		node->text =
			g_strndup((const char *)from->data.scalar.value, from->data.scalar.length);
		node->plain = from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
		if (strlen(node->text) < from->data.scalar.length)
			fail(l, at, "a byte of value 0 in this text");
		break;
	}
	g_array_set_size(l->above, l->above->len - 1);
	return node;
}

/* libyaml's two marks: where it stopped, and what it was reading then. */
static void syntax_error(struct loading *l, const yaml_parser_t *parser)
{
	struct eh_place at = place_of(l->file, &parser->problem_mark);
	const char *problem = parser->problem ? parser->problem : "cannot be read as YAML", *hint;

	if (parser->error == YAML_MEMORY_ERROR)
		problem = "too large to be read as YAML";
	hint = eh_syntax_hint(problem);
	eh_message(l->msgs, EH_ERROR, at, "%s%s%s", problem, hint ? "; " : "", hint ? hint : "");
	if (parser->context)
		eh_message(l->msgs, EH_NOTE, place_of(l->file, &parser->context_mark), "%s",
			   parser->context);
}

/* After the first document nothing may follow. */
static bool no_more(struct loading *l, yaml_parser_t *parser)
{
	yaml_document_t next;
	bool more;

	if (!yaml_parser_load(parser, &next)) {
		syntax_error(l, parser);
		return false;
	}
	more = yaml_document_get_root_node(&next) != NULL;
	if (more)
		fail(l, place_of(l->file, &next.start_mark),
		     "a second document starts here; a scenario is one document, write "
		     "another file");
	yaml_document_delete(&next);
	return !more;
}

/*
 * A first pass over the events, for the depth alone: libyaml takes a time that grows with the
 * square of the depth (10 s for 100 kB of brackets), so it must not get there. Errors are left to
 * the second pass.
 */
static bool shallow(struct loading *l, const char *text, gsize length)
{
	yaml_parser_t parser;
	yaml_event_t event;
	int depth = 0;
	bool end = false;

	if (!yaml_parser_initialize(&parser))
		g_error("out of memory");
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
	while (!end && depth <= DEEPEST && yaml_parser_parse(&parser, &event)) {
		if (event.type == YAML_SEQUENCE_START_EVENT ||
		    event.type == YAML_MAPPING_START_EVENT)
			depth++;
		if (event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT)
			depth--;
		if (depth > DEEPEST)
			fail(l, place_of(l->file, &event.start_mark), TOO_DEEP);
		end = event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return depth <= DEEPEST;
}

static struct eh_node *load_document(struct loading *l, yaml_parser_t *parser)
{
	struct eh_node *root = NULL;

	if (!yaml_parser_load(parser, &l->document)) {
		syntax_error(l, parser);
		return NULL;
	}
	if (!yaml_document_get_root_node(&l->document))
		fail(l, (struct eh_place){l->file, 1, 1}, EH_EMPTY);
	else if (no_more(l, parser))
		root = convert(l, 1);
	yaml_document_delete(&l->document);
	if (l->failed)
		g_clear_pointer(&root, eh_node_free);
	return root;
}

struct eh_node *eh_tree_parse(const char *file, const char *text, gsize length,
			      struct eh_messages *msgs)
{
	struct loading l = {.file = g_intern_string(file), .msgs = msgs};
	struct eh_node *root = NULL;
	yaml_parser_t parser;

	if (!eh_text_check(l.file, text, length, msgs) || !shallow(&l, text, length))
		return NULL;
	if (!yaml_parser_initialize(&parser))
		g_error("out of memory");
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
	l.above = g_array_new(FALSE, FALSE, sizeof(int));
	root = load_document(&l, &parser);
	g_array_unref(l.above);
	yaml_parser_delete(&parser);
	return root;
}

struct eh_node *eh_tree_load(const char *file, char **sha256, struct eh_messages *msgs)
{
	gsize length;
	char *text = eh_text_read(file, &length, msgs);
	struct eh_node *root;

	if (!text)
		return NULL;
	root = eh_tree_parse(file, text, length, msgs);
	if (sha256)
		*sha256 = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text,
						      length);
	g_free(text);
	return root;
}
