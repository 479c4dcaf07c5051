/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "text.h"
#include <ehsim/nearest.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES (1 << 20)
#define MOST_NAMES 10000

static int by_name(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool refuse(struct eh_messages *msgs, struct eh_place at, const char *text)
{
	eh_message(msgs, EH_ERROR, at, "%s", text);
	return false;
}

static const char *kind_of_file(mode_t mode)
{
	if (S_ISDIR(mode))
		return "is a folder; name a scenario file";
	if (S_ISFIFO(mode))
		return "is a pipe; to read it write: ehsim - <PIPE";
	return "is not a regular file; name a scenario file";
}

static bool is_stdin(const char *file)
{
	return !strcmp(file, "/dev/stdin") || !strcmp(file, "/dev/fd/0");
}

bool eh_text_is_stream(const char *file)
{
	return is_stdin(file) || g_str_has_prefix(file, "/dev/fd/");
}

/* Not to hang on a pipe that nobody writes to, unless the user put one there. */
static int open_text(const char *file)
{
	int fd;

	if (is_stdin(file))
		return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && eh_text_is_stream(file))
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

/* All up to the end, or one byte more than is allowed; false with errno. */
static bool read_all(int fd, char *text, size_t *got)
{
	*got = 0;
	while (*got <= MOST_BYTES) {
		ssize_t n = read(fd, text + *got, MOST_BYTES + 1 - *got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return !n;
		*got += (size_t)n;
	}
	return true;
}

char *eh_text_nearest_file(const char *file)
{
	char *folder = g_path_get_dirname(file), *name = g_path_get_basename(file), *near = NULL;
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *entry;

	while (dir && names->len < MOST_NAMES && (entry = g_dir_read_name(dir)))
		g_ptr_array_add(names, g_strdup(entry));
	if (dir)
		g_dir_close(dir);
	g_ptr_array_sort(names, by_name);
	g_ptr_array_add(names, NULL);
	entry = eh_nearest(name, (const char *const *)names->pdata);
	if (entry)
		near = strchr(file, '/') ? g_build_filename(folder, entry, NULL) : g_strdup(entry);
	g_ptr_array_unref(names);
	g_free(name);
	g_free(folder);
	return near;
}

char *eh_text_read(const char *file, gsize *length, struct eh_messages *msgs)
{
	struct eh_place at = {g_intern_string(file), 0, 0};
	int fd = open_text(file);
	char *text = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		int error = errno;
		char *near = error == ENOENT ? eh_text_nearest_file(file) : NULL;

		eh_message(msgs, EH_ERROR, at, "cannot be read: %s%s%s%s", g_strerror(error),
			   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
		g_free(near);
		goto out;
	}
	if (!S_ISREG(st.st_mode) && (S_ISDIR(st.st_mode) || !eh_text_is_stream(file))) {
		refuse(msgs, at, kind_of_file(st.st_mode));
		goto out;
	}
	if (S_ISREG(st.st_mode) && st.st_size > MOST_BYTES) {
		eh_message(msgs, EH_ERROR, at,
			   "is too large for a scenario: %lld bytes, at most %d",
			   (long long)st.st_size, MOST_BYTES);
		goto out;
	}
	text = g_malloc(MOST_BYTES + 2);
	if (!read_all(fd, text, length)) {
		eh_message(msgs, EH_ERROR, at, "cannot be read: %s", g_strerror(errno));
		g_clear_pointer(&text, g_free);
	} else if (*length > MOST_BYTES) {
		eh_message(msgs, EH_ERROR, at, "is too large for a scenario: at most %d bytes",
			   MOST_BYTES);
		g_clear_pointer(&text, g_free);
	} else {
		text[*length] = '\0';
	}
out:
	if (fd >= 0)
		close(fd);
	return text;
}

/* What YAML takes as a character; control characters and stray marks make libyaml stop. */
static bool printable(gunichar c)
{
	if (c < 0x20)
		return c == '\t' || c == '\n' || c == '\r';
	if (c < 0xa0)
		return c < 0x7f || c == 0x85;
	return c != 0xfeff && c != 0xfffe && c != 0xffff;
}

static bool check_characters(const char *file, const char *text, gsize length,
			     struct eh_messages *msgs)
{
	struct eh_place at = {file, 1, 1};
	const char *p = text, *end = text + length;

	while (p < end) {
		gunichar c = g_utf8_get_char_validated(p, end - p);

		if (!*p)
			return refuse(msgs, at, "is not text: a byte of value 0; name a YAML file");
		if (c == (gunichar)-1 || c == (gunichar)-2)
			return refuse(msgs, at, "is not text: these bytes are not UTF-8; save it as UTF-8");
		if (!printable(c)) {
			eh_message(msgs, EH_ERROR, at, "control character U+%04X; remove it", c);
			return false;
		}
		at.column++;
		if (c == '\n') {
			at.line++;
			at.column = 1;
		}
		p = g_utf8_next_char(p);
	}
	return true;
}

static bool check_tabs(const char *file, const char *text, struct eh_messages *msgs)
{
	struct eh_place at = {file, 1, 0};

	for (; text; at.line++) {
		size_t blanks = strspn(text, " "), indent = strspn(text, " \t");

		if (indent > blanks && !strchr("#\r\n", text[indent])) {
			at.column = (int)blanks + 1;
			return refuse(msgs, at, "a tab as indentation; YAML wants spaces");
		}
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return true;
}

bool eh_text_check(const char *file, const char *text, gsize length, struct eh_messages *msgs)
{
	struct eh_place at = {file, 1, 1};

	if (!length)
		return refuse(msgs, at, EH_EMPTY);
	if (length >= 3 && !memcmp(text, "\357\273\277", 3))
		return refuse(msgs, at,
			      "starts with a byte order mark; save it as UTF-8 without BOM");
	if (length >= 2 && (!memcmp(text, "\377\376", 2) || !memcmp(text, "\376\377", 2)))
		return refuse(msgs, at, "is UTF-16; save it as UTF-8");
	if (!check_characters(file, text, length, msgs))
		return false;
	eh_messages_text(msgs, file, text);
	return check_tabs(file, text, msgs);
}
