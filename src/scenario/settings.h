/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside a scenario: one setting per key of every section, in the order of eh_sections.
 *
 * A setting holds the texts it was given (one, or one per element of a list: then it is an axis of
 * the sweep) with the origin of each. No text means the row's default. The texts are known to
 * parse.
 */
#ifndef EHSIM_SCENARIO_SETTINGS_H
#define EHSIM_SCENARIO_SETTINGS_H

#include "tree.h"
#include <ehsim/scenario.h>

#define EH_MOST_POINTS 10000

/* One value of a setting. */
struct eh_choice {
	char *text; /* in the form eh_key_print gives */
	enum eh_origin origin;
	char *source; /* may be NULL */
	struct eh_place at;
};

struct eh_setting {
	const struct eh_section *section;
	const struct eh_key *key;
	char *def;	    /* the row's default, in the form eh_key_print gives */
	GPtrArray *choices; /* struct eh_choice *; empty: the default */
	guint order;	    /* of axes: the lower one varies more slowly */
	bool bad;	    /* something given for it was refused */
	struct eh_setting *leader; /* of axes that go in step: the slowest of them; else NULL */
};

struct eh_scenario {
	char *file; /* as given */
	char *sha256;
	char *description;   /* "" if there is none */
	GPtrArray *settings; /* struct eh_setting * */
	GHashTable *named;   /* the same by full name */
	GPtrArray *axes;     /* struct eh_setting *, not owned; slowest first */
	GPtrArray *zips;     /* GPtrArray * of struct eh_setting *, not owned: lists that go in step */
	GPtrArray *expect;   /* struct eh_expect_row * */
	guint orders;	     /* next value of eh_setting.order */
};

/* A member of an expectation. */
struct eh_expect_word {
	const char *name, *help;
};

/* schema.c */
extern const struct eh_expect_word eh_expect_words[]; /* ends with name == NULL */
const char **eh_expect_names(void);		      /* NULL-terminated; free the array only */
/* False for a key that names a machine: it takes one, not a list. */
bool eh_key_swept(const struct eh_section *section, const struct eh_key *key);
extern const char *const eh_metric_words[]; /* metrics a scenario may expect; NULL-terminated */
/* "profile.client.SYMBOL" or "profile.server.SYMBOL": returns SYMBOL, else NULL. */
const char *eh_metric_profile(const char *metric, bool *server);
const struct eh_section *eh_section_find(const char *name);
const char *eh_key_source(const struct eh_key *key); /* NULL if there is none */

/* explain.c: the kinds of workload that take it, newly allocated; NULL where all do */
char *eh_key_takers(const struct eh_section *section, const struct eh_key *key);

/* values.c */
struct eh_scenario *eh_scenario_new(const char *file);
/* Where the section's struct lies in the values. */
void *eh_section_of(const struct eh_section *section, struct eh_values *v);
struct eh_setting *eh_setting_find(const struct eh_scenario *s, const struct eh_key *key);
/* "kernel.connect"; NULL when there is no such key. */
struct eh_setting *eh_setting_named(const struct eh_scenario *s, const char *name);
char *eh_setting_name(const struct eh_setting *setting); /* full name, newly allocated */
/* Text, origin and source of one of its values (0 if it has no list), whether given or default. */
const char *eh_setting_text(const struct eh_setting *setting, guint choice);
enum eh_origin eh_setting_origin(const struct eh_setting *setting, guint choice);
const char *eh_setting_source(const struct eh_setting *setting, guint choice);
/* Does any point's kind of workload take this key? */
bool eh_setting_taken(const struct eh_scenario *s, const struct eh_setting *setting);
/* `v` holds the point before this one: what differs between the two is filled in. */
void eh_scenario_next(const struct eh_scenario *s, int index, struct eh_values *v);
/* Which of its choices point `index` takes. */
guint eh_setting_choice(const struct eh_scenario *s, const struct eh_setting *setting, int index);
void eh_choice_free(void *choice);
void eh_expect_row_free(void *row);

/* names.c: names of keys and what to say of wrong ones */
/* The words that may follow `prefix` ("" or "latency.") in the key names; free the array only. */
const char **eh_next_words(const struct eh_section *section, const char *prefix);
/* Message "unknown WHAT 'word' IN; did you mean 'near'?" */
void eh_unknown(struct eh_messages *msgs, struct eh_place at, const char *what, const char *word,
		const char *in, const char *const *words);
/* Full name of the key that `name` most probably means; newly allocated, NULL if none is near. */
char *eh_nearest_name(const struct eh_scenario *s, const char *name);
/* Message "unknown key 'name' IN; did you mean ...?" for a full name. */
void eh_unknown_name(const struct eh_scenario *s, struct eh_place at, const char *name,
		     const char *in, struct eh_messages *msgs);

/* check.c */
/* Nothing was written ("kernel:"). */
bool eh_node_is_empty(const struct eh_node *node);
/* Or a message that 'name' must be `what`. */
bool eh_need_scalar(const struct eh_node *node, const char *name, const char *what,
		    struct eh_messages *msgs);

/* One section into the settings. `preset_source` is NULL unless it is a preset. */
void eh_check_section(struct eh_scenario *s, const struct eh_section *section,
		      const struct eh_node *node, const char *preset_source,
		      struct eh_messages *msgs);
/* One value or list of values for a key; replaces what was there. */
void eh_check_value(struct eh_scenario *s, struct eh_setting *setting, const struct eh_node *node,
		    const char *preset_source, struct eh_messages *msgs);

/* range.c: {from: 1, to: 128, times: 2} */
bool eh_range_is(const struct eh_node *node);
bool eh_range_possible(const struct eh_key *key); /* it is a number */
/* Its values, written out as a list; NULL and a message if it is refused. */
struct eh_node *eh_range_list(const struct eh_setting *setting, const struct eh_node *node,
			      struct eh_messages *msgs);

/* zip.c: lists that go in step, "zip: [a.b, c.d]" or a list of such lists; replaces what was there */
void eh_check_zip(struct eh_scenario *s, const struct eh_node *node, struct eh_messages *msgs);
/* When all values are known: followers to their leaders, or a message that lengths differ. */
void eh_zip_settle(struct eh_scenario *s, struct eh_messages *msgs);

/*
 * machine_file.c: takes what names a machine out of the section and reads that file into the settings.
 * `named` and `node`: the same from the command line, NULL if there is none; it is stronger.
 */
void eh_check_machine_file(struct eh_scenario *s, struct eh_node *root, const struct eh_setting *named,
			   const struct eh_node *node, struct eh_messages *msgs);

/* expect.c: the list under `expect` */
void eh_check_expect(struct eh_scenario *s, const struct eh_node *node, struct eh_messages *msgs);

/* sweep.c: number the axes; refuses more than EH_MOST_POINTS */
void eh_sweep_axes(struct eh_scenario *s, struct eh_messages *msgs);

/* cross.c: what must hold between keys, for every point */
void eh_check_cross(struct eh_scenario *s, struct eh_messages *msgs);

/*
 * scenario.c: a tree (NULL if it could not be read) into a new scenario; both are taken over. NULL
 * if `msgs` has errors.
 */
struct eh_scenario *eh_scenario_check(struct eh_scenario *s, struct eh_node *root,
				      const char *const *sets, struct eh_messages *msgs);

#endif
