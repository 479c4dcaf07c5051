/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ehsim/message.h>
#include <string.h>

/* A file of nothing but mistakes is not worth a screenful more than this. */
#define MOST_SHOWN 200
#define MOST_COLUMNS 96

struct message {
	enum eh_level level;
	struct eh_place at;
	char *text;
	GPtrArray *notes; /* struct message * */
	guint order;
};

struct source {
	char *file;
	char *text;
};

struct eh_messages {
	GPtrArray *list; /* struct message * */
	GPtrArray *sources;
	int errors;
};

static void message_free(gpointer p)
{
	struct message *m = p;

	g_free(m->text);
	g_ptr_array_unref(m->notes);
	g_free(m);
}

static void source_free(gpointer p)
{
	struct source *s = p;

	g_free(s->file);
	g_free(s->text);
	g_free(s);
}

struct eh_messages *eh_messages_new(void)
{
	struct eh_messages *m = g_new0(struct eh_messages, 1);

	m->list = g_ptr_array_new_with_free_func(message_free);
	m->sources = g_ptr_array_new_with_free_func(source_free);
	return m;
}

void eh_messages_free(struct eh_messages *m)
{
	if (!m)
		return;
	g_ptr_array_unref(m->list);
	g_ptr_array_unref(m->sources);
	g_free(m);
}

/* Controls are all of one byte or (U+0080 to U+009F) of two. */
char *eh_harmless(char *text)
{
	if (!g_utf8_validate(text, -1, NULL)) {
		char *valid = g_utf8_make_valid(text, -1);

		g_free(text);
		text = valid;
	}
	for (char *p = text; *p; p = g_utf8_next_char(p))
		if (g_unichar_iscntrl(g_utf8_get_char(p)))
			memset(p, '?', (size_t)(g_utf8_next_char(p) - p));
	return text;
}

void eh_say(FILE *to, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = eh_harmless(g_strdup_vprintf(fmt, args));
	va_end(args);
	fprintf(to, "%s\n", text);
	g_free(text);
}

void eh_message(struct eh_messages *m, enum eh_level level, struct eh_place at, const char *fmt,
		...)
{
	struct message *msg = g_new0(struct message, 1);
	va_list args;

	va_start(args, fmt);
	msg->text = eh_harmless(g_strdup_vprintf(fmt, args));
	va_end(args);
	msg->level = level;
	msg->at = at;
	msg->notes = g_ptr_array_new_with_free_func(message_free);
	msg->order = m->list->len;
	if (level == EH_ERROR)
		m->errors++;

	if (level == EH_NOTE && m->list->len) {
		struct message *head = g_ptr_array_index(m->list, m->list->len - 1);

		g_ptr_array_add(head->notes, msg);
	} else {
		g_ptr_array_add(m->list, msg);
	}
}

void eh_messages_text(struct eh_messages *m, const char *file, const char *text)
{
	struct source *s = g_new0(struct source, 1);

	s->file = g_strdup(file);
	s->text = g_strdup(text);
	g_ptr_array_add(m->sources, s);
}

int eh_messages_errors(const struct eh_messages *m)
{
	return m->errors;
}

static int by_place(gconstpointer pa, gconstpointer pb)
{
	const struct message *a = *(struct message *const *)pa, *b = *(struct message *const *)pb;
	int files = g_strcmp0(a->at.file, b->at.file);

	if (files)
		return files;
	if (a->at.line != b->at.line)
		return a->at.line < b->at.line ? -1 : 1;
	if (a->at.column != b->at.column)
		return a->at.column < b->at.column ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Line `number` of a text as valid UTF-8 without its end; newly allocated, NULL if there is none.
 */
static char *line_of(const struct eh_messages *m, const char *file, int number)
{
	const char *text = NULL, *end;

	for (guint i = 0; i < m->sources->len && !text; i++) {
		const struct source *s = g_ptr_array_index(m->sources, i);

		if (!strcmp(s->file, file))
			text = s->text;
	}
	for (int line = 1; text && line < number; line++) {
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	if (!text || !*text)
		return NULL;
	end = strchr(text, '\n');
	if (!end)
		end = text + strlen(text);
	if (end > text && end[-1] == '\r')
		end--;
	return eh_harmless(g_utf8_make_valid(text, end - text));
}

/* The line and a caret below the column; of a long line the part around the caret. */
static void print_line(const struct eh_messages *m, const struct eh_place *at, FILE *to)
{
	char *line = at->line ? line_of(m, at->file, at->line) : NULL;
	glong length, column, from;
	char *part;

	if (!line)
		return;
	length = g_utf8_strlen(line, -1);
	column = CLAMP(at->column - 1, 0, length);
	from = column > MOST_COLUMNS * 3 / 4 ? column - MOST_COLUMNS / 2 : 0;
	part = g_utf8_substring(line, from, MIN(length, from + MOST_COLUMNS));
	fprintf(to, "  %s\n", part);
	if (at->column > 0)
		fprintf(to, "  %*s^\n", (int)(column - from), "");
	g_free(part);
	g_free(line);
}

static void print_one(const struct eh_messages *m, const struct message *msg, FILE *to,
		      gboolean color)
{
	static const char *const words[] = {"note", "warning", "error"};
	static const char *const tints[] = {"\033[1;36m", "\033[1;35m", "\033[1;31m"};
	const char *bold = color ? "\033[1m" : "", *plain = color ? "\033[0m" : "";

	fputs(bold, to);
	if (msg->at.file) {
		char *file = eh_harmless(g_strdup(msg->at.file));

		fprintf(to, "%s:", file);
		g_free(file);
		if (msg->at.line)
			fprintf(to, "%d:", msg->at.line);
		if (msg->at.line && msg->at.column)
			fprintf(to, "%d:", msg->at.column);
		fputc(' ', to);
	}
	fprintf(to, "%s%s%s: %s\n", color ? tints[msg->level] : "", words[msg->level], plain,
		msg->text);
	if (msg->at.file)
		print_line(m, &msg->at, to);
}

void eh_messages_print(const struct eh_messages *m, FILE *to, gboolean color)
{
	GPtrArray *sorted = g_ptr_array_copy(m->list, NULL, NULL);
	guint shown = MIN(sorted->len, MOST_SHOWN);

	g_ptr_array_set_free_func(sorted, NULL);
	g_ptr_array_sort(sorted, by_place);
	for (guint i = 0; i < shown; i++) {
		const struct message *msg = g_ptr_array_index(sorted, i);

		print_one(m, msg, to, color);
		for (guint n = 0; n < msg->notes->len; n++)
			print_one(m, g_ptr_array_index(msg->notes, n), to, color);
	}
	if (sorted->len > shown)
		fprintf(to, "... and %u more\n", sorted->len - shown);
	g_ptr_array_unref(sorted);
}
