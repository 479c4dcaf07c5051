/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "settings.h"
#include <ehsim/quantity.h>
#include <math.h>
#include <string.h>

#define A_HAIR 1e-9 /* of a step: what rounding may add on the way to the last value */

static const char *const words[] = {"from", "to", "step", "times", NULL};

/* Texts of a range, as they were written; NULL where there is none. */
struct range {
	const struct eh_node *from, *to, *step, *times;
};

bool eh_range_possible(const struct eh_key *key)
{
	return key->kind != EH_KEY_BOOL && key->kind != EH_KEY_ENUM && key->kind != EH_KEY_STRING;
}

bool eh_range_is(const struct eh_node *node)
{
	for (guint i = 0; node->kind == EH_NODE_MAP && i < node->keys->len; i++)
		if (g_strv_contains(words, ((struct eh_node *)node->keys->pdata[i])->text))
			return true;
	return false;
}

static bool take_words(const struct eh_setting *setting, const struct eh_node *node,
		       struct range *r, struct eh_messages *msgs)
{
	const struct eh_node **slots[] = {&r->from, &r->to, &r->step, &r->times};
	int before = eh_messages_errors(msgs);

	for (guint i = 0; i < node->keys->len; i++) {
		const struct eh_node *key = node->keys->pdata[i], *item = node->items->pdata[i];
		bool known = false;

		for (guint n = 0; words[n]; n++) {
			if (strcmp(words[n], key->text))
				continue;
			known = true;
			if (eh_need_scalar(item, key->text, "one value", msgs))
				*slots[n] = item;
		}
		if (!known) {
			char *in = g_strdup_printf(" in a range of '%s'", setting->key->name);

			eh_unknown(msgs, key->at, "key", key->text, in, words);
			g_free(in);
		}
	}
	if (eh_messages_errors(msgs) != before)
		return false;
	if (r->from && r->to && !r->step != !r->times)
		return true;
	eh_message(msgs, EH_ERROR, node->at,
		   "a range of '%s' is {from: A, to: B, step: C}, or with 'times' in place of 'step'",
		   setting->key->name);
	return false;
}

static bool is_real(const struct eh_key *key)
{
	return key->kind == EH_KEY_REAL || key->kind == EH_KEY_SHARE;
}

/* The number in a text, NAN and a message if it is refused. A step may lie outside of the range. */
static double number(const struct eh_setting *setting, const struct eh_node *node, bool bounded,
		     struct eh_messages *msgs)
{
	struct eh_key key = *setting->key;
	int64_t whole = 0;
	double real = 0;
	char *bad;

	key.offset = 0;
	if (!bounded)
		key.min = key.max = NULL;
	bad = eh_key_parse(&key, node->text, is_real(&key) ? (void *)&real : (void *)&whole);
	if (bad)
		eh_message(msgs, EH_ERROR, node->at, "%s", bad);
	if (is_real(&key))
		whole = 0;
	else
		real = (double)whole;
	if (bad)
		real = NAN;
	g_free(bad);
	return real;
}

static char *text_of(const struct eh_setting *setting, double value)
{
	struct eh_key key = *setting->key;
	int64_t whole = llround(value);
	char digits[G_ASCII_DTOSTR_BUF_SIZE];

	key.offset = 0;
	if (is_real(&key)) /* 0.1 and two steps of 0.1 are 0.3 */
		value = g_ascii_strtod(g_ascii_formatd(digits, sizeof(digits), "%.12g", value), NULL);
	return eh_key_print(&key, is_real(&key) ? (const void *)&value : (const void *)&whole);
}

/* The k-th value; up or down, by steps or by factors. */
static double value_at(double from, double to, double by, bool times, int k)
{
	if (times)
		return to < from ? from / pow(by, k) : from * pow(by, k);
	return to < from ? from - by * k : from + by * k;
}

/* Not above the end, up to a hair. */
static bool inside(double from, double to, double by, bool times, double x)
{
	double slack = A_HAIR * (times ? fabs(to) : by);

	return to < from ? x >= to - slack : x <= to + slack;
}

static bool can_go(const struct eh_setting *setting, const struct range *r, double from, double to,
		   double by, struct eh_messages *msgs)
{
	if (r->step && by <= 0)
		eh_message(msgs, EH_ERROR, r->step->at,
			   "'step' must be above 0, not %s; a range from high to low goes down by it",
			   r->step->text);
	else if (r->times && by <= 1)
		eh_message(msgs, EH_ERROR, r->times->at,
			   "'times' must be above 1, not %s; a range from high to low is divided by it",
			   r->times->text);
	else if (r->times && (from <= 0 || to <= 0))
		eh_message(msgs, EH_ERROR, (from <= 0 ? r->from : r->to)->at,
			   "a range of '%s' by 'times' must not touch 0; use 'step'",
			   setting->key->name);
	else
		return true;
	return false;
}

static void put(struct eh_node *list, const struct eh_setting *setting, double x, struct eh_place at)
{
	const struct eh_node *last;
	char *text = text_of(setting, x);

	last = list->items->len ? list->items->pdata[list->items->len - 1] : NULL;
	if (!last || strcmp(last->text, text)) /* 1 x 1.2 is 1 again */
		g_ptr_array_add(list->items, eh_tree_scalar(text, at));
	g_free(text);
}

struct eh_node *eh_range_list(const struct eh_setting *setting, const struct eh_node *node,
			      struct eh_messages *msgs)
{
	struct range r = {0};
	struct eh_node *list;
	double from, to, by, x;

	if (!eh_range_possible(setting->key)) {
		eh_message(msgs, EH_ERROR, node->at,
			   "'%s' is no number, so it has no range; a list of values is written [a, b]",
			   setting->key->name);
		return NULL;
	}
	if (!take_words(setting, node, &r, msgs))
		return NULL;
	from = number(setting, r.from, true, msgs);
	to = number(setting, r.to, true, msgs);
	if (r.times && !eh_real_parse(r.times->text, &by)) {
		eh_message(msgs, EH_ERROR, r.times->at, "'times' is a number without a unit, not '%s'",
			   r.times->text);
		by = NAN;
	} else if (r.step) {
		by = number(setting, r.step, false, msgs);
	}
	if (!isfinite(from) || !isfinite(to) || !isfinite(by))
		return NULL;
	if (!can_go(setting, &r, from, to, by, msgs))
		return NULL;
	list = eh_tree_list(node->at);
	for (int k = 0; inside(from, to, by, r.times, x = value_at(from, to, by, r.times, k)); k++) {
		if (k > EH_MOST_POINTS) {
			eh_message(msgs, EH_ERROR, node->at,
				   "this range of '%s' has more than %d values; take larger steps", setting->key->name,
				   EH_MOST_POINTS);
			eh_node_free(list);
			return NULL;
		}
		put(list, setting, x, r.from->at);
	}
	return list;
}
