/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a stored result (--report, --plot): refused with a reason, or looked at: its page, its figures'
 * data and its bars come out, and the page names no file of the result's making.
 */
#include "replay.h"
#include <ehsim/book.h>

static void stored_free(void *s)
{
	eh_stored_free(s);
}

static void look(struct eh_stored *s)
{
	GPtrArray *results = g_ptr_array_new_with_free_func(stored_free);
	GString *out = g_string_new(NULL);
	struct eh_book *book;

	g_ptr_array_add(results, s);
	eh_plot(results, 80, out);
	book = eh_book_new(results);
	for (guint i = 0; i < eh_book_figures(book)->len; i++) {
		const struct eh_figure *f = eh_book_figures(book)->pdata[i];

		require(!strchr(f->name, '/') && *f->name != '.', "a figure's name is no path");
	}
	eh_book_html(book, out);
	require(g_utf8_validate(out->str, (gssize)out->len, NULL), "the page is UTF-8");
	eh_book_free(book);
	g_string_free(out, TRUE);
	g_ptr_array_unref(results);
}

static bool fuzz_one(const char *text, size_t length)
{
	struct eh_messages *msgs = eh_messages_new();
	struct eh_stored *s = eh_stored_from("fuzz.json", g_memdup2(text, length + 1), length, msgs);
	bool fine = s != NULL;

	require(fine == !eh_messages_errors(msgs), "it is refused with a reason");
	if (fine)
		look(s);
	eh_messages_free(msgs);
	return fine;
}
