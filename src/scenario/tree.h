/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * YAML text as a tree of values with positions; which keys exist is not known here.
 *
 * What a scenario may not contain is refused with a message: what is not a regular text file of at
 * most 1 MiB, a byte order mark, tabs as indentation, keys given twice, the merge key "<<", tags,
 * values that contain themselves, more than 64 levels, more than one document. Scalars stay text
 * ("no" is not false here: the key tables decide).
 */
#ifndef EHSIM_SCENARIO_TREE_H
#define EHSIM_SCENARIO_TREE_H

#include <ehsim/message.h>
#include <stdbool.h>

enum eh_node_kind { EH_NODE_SCALAR, EH_NODE_LIST, EH_NODE_MAP };

struct eh_node {
	enum eh_node_kind kind;
	struct eh_place at;
	char *text;	  /* scalar */
	bool plain;	  /* scalar without quotes */
	GPtrArray *items; /* struct eh_node *: elements of a list, values of a map */
	GPtrArray *keys;  /* struct eh_node *, scalars: keys of a map, one for each item */
};

/*
 * Read a file. NULL if there was an error. `sha256` (may be NULL) receives the hash of the file's
 * bytes in hex, newly allocated. The place of the nodes is called `file`.
 */
struct eh_node *eh_tree_load(const char *file, char **sha256, struct eh_messages *msgs);

/* The same for `length` bytes at `text`, called `file` in messages. */
struct eh_node *eh_tree_parse(const char *file, const char *text, gsize length,
			      struct eh_messages *msgs);

/* A scalar made up elsewhere (an option's value). */
struct eh_node *eh_tree_scalar(const char *text, struct eh_place at);

/* An empty list. */
struct eh_node *eh_tree_list(struct eh_place at);

void eh_node_free(struct eh_node *node);

/* "a map", "a list" or "a value", for messages. */
const char *eh_node_words(const struct eh_node *node);

#endif
